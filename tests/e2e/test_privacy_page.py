"""The privacy notice in a browser and on paper: the longest that settings can make is one sheet, and readable."""

import asyncio
import io
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from axe_playwright_python.async_playwright import Axe
from msgspec.structs import replace
from pypdf import PdfReader

from bench.web import bare_sources
from monitor.privacy import privacy_notice
from monitor.settings import Keep, LogSettings, MqttSettings, RecordingSettings, TableSettings
from monitor.web.hub import Hub
from monitor.web.server import PageServer, listen
from tests.e2e.test_floor import SERIOUS, SIZES
from tests.e2e.test_page import browsing, opened
from tests.monitor.test_privacy import READ, WEIGHED, club

pytestmark = pytest.mark.browser
HALL = [TableSettings(name=f"T{number}", practice=number % 3 == 0) for number in range(1, 40)]
LONGEST = club(
    *HALL,
    TableSettings(name="T40", count_monitoring=False),
    mqtt=MqttSettings(host="localhost"),
    log=LogSettings(keep_days=30),
    recording=RecordingSettings(folder="r", keep=Keep.WITH_ALERTS, keep_days=30),
)


@asynccontextmanager
async def serving_the_notice() -> AsyncIterator[str]:
    notice = tuple(privacy_notice(LONGEST, (WEIGHED, READ)))
    server = PageServer(replace(bare_sources(Hub(time.monotonic)), notice=notice))
    with listen("127.0.0.1", 0) as listener:
        serving = asyncio.create_task(server.serve([listener]))
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/privacy"
        server.stop()
        await serving


async def test_the_longest_notice_is_one_sheet_fits_every_screen_and_has_no_serious_findings() -> None:
    errors: list[str] = []
    async with serving_the_notice() as url, browsing() as browser:
        for width, height in SIZES.values():
            for scheme in ("light", "dark"):
                context = await browser.new_context(
                    viewport={"width": width, "height": height},
                    color_scheme=scheme,  # type: ignore[arg-type]
                    bypass_csp=True,  # axe is put in as a script of its own
                )
                page = await opened(context, url, errors)
                assert await page.evaluate("document.documentElement.scrollWidth") <= width
                report = (await Axe().run(page)).response
                assert [one["id"] for one in report["violations"] if one["impact"] in SERIOUS] == []
                for paper in ("A4", "Letter"):
                    sheets = PdfReader(io.BytesIO(await page.pdf(format=paper))).pages
                    assert len(sheets) == 1, paper
                    text = sheets[0].extract_text()
                    assert "Ask the director" in text
                    assert "To the floor" not in text
                await context.close()
    assert errors == []
