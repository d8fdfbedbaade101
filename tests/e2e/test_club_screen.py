"""The club screen in a browser beside a table that plays: windows as they change, and counts in practice alone."""

import asyncio
import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from hw.simulator.evening import simulate_evening
from hw.simulator.live_serial import PtyTable
from hw.simulator.options import Options, RuleFault, Wiring
from monitor.access.book import Book, Device
from monitor.access.file import AccessFile
from monitor.access.roles import Role
from monitor.access.tokens import digest_of, new_token
from monitor.acts import RoundExtended, RoundStarted
from monitor.alerts import Rule
from monitor.events import Seat
from monitor.web.words import WORDS
from tests.e2e.fast_loop import fast
from tests.e2e.house import House
from tests.e2e.test_page import PATIENCE_MS, browsing, opened
from tests.e2e.test_round_clock import serious

pytestmark = pytest.mark.browser
UPRIGHT, LYING = {"width": 820, "height": 1180}, {"width": 1180, "height": 820}


async def fits(page: Page) -> None:
    """Nothing has to be scrolled, upright or lying, and nothing is cut off."""
    for size in (UPRIGHT, LYING):
        await page.set_viewport_size(size)  # type: ignore[arg-type]
        inside = """[...document.querySelectorAll("#shown *, .foot")].map((one) => one.getBoundingClientRect())
            .every((box) => box.bottom <= innerHeight + 1 && box.right <= innerWidth + 1 && box.top >= -1)"""
        assert await page.evaluate(inside), size
        assert await page.evaluate("document.documentElement.scrollHeight <= innerHeight"), size


def printed(folder: Path) -> str:
    """The token of a tablet that is let in to its own table's screen; before the monitor starts."""
    token = new_token()
    book = Book(devices=(Device(name="tablet", role=Role.CLUB, sha256=digest_of(token), table="T1"),))
    AccessFile(folder / "access.json").write(book)
    return token


async def scanned(browser: Browser, url: str, token: str, errors: list[str]) -> Page:
    """A tablet that has scanned its code, and is at its own screen."""
    context = await browser.new_context(viewport=UPRIGHT, bypass_csp=True)  # type: ignore[arg-type]
    page = await opened(context, f"{url}with#{token}", errors)
    await expect(page).to_have_url(url + "club/T1")
    await expect(page.locator("#link-text")).to_have_text("Live")
    return page


@pytest.mark.parametrize("practice", [True, False], ids=["practice", "league"])
@fast(10.0)
async def test_a_tablet_follows_its_table(tmp_path: Path, *, practice: bool) -> None:
    evening = simulate_evening(Options(seed=1, rule_fault=RuleFault.DOUBLE_PICK, discards=8, wiring=Wiring.USB))
    (fault,) = evening.truth.faults
    errors: list[str] = []
    token = printed(tmp_path)
    async with (
        browsing() as browser,
        PtyTable(evening, tmp_path / "ports") as table,
        House(tmp_path, evening.furniture.setup, serial=table.ports, page=True, practice=practice) as house,
    ):
        assert house.daemon.url is not None
        chair = house.daemon.chair
        assert chair is not None
        page = await scanned(browser, house.daemon.url, token, errors)
        await chair.clock("Ada", RoundStarted(2, 7200.0, 4), 0)
        await chair.clock("Ada", RoundExtended(300.0), 1, "T1")
        await expect(page.locator(".club-round")).to_contain_text(re.compile(r"Round 2\s+[12]:\d\d:\d\d left"))
        await expect(page.locator(".club-round")).to_contain_text("+5 min for this table")
        await house.linked()
        playing = asyncio.create_task(table.play())
        await expect(page.locator(".club-phase")).to_have_text("Play", timeout=PATIENCE_MS)
        await expect(page.locator(".window-state")).to_have_text("Window open", timeout=PATIENCE_MS)
        await expect(page.locator(".window-state")).to_have_text("Window closed", timeout=PATIENCE_MS)
        alert = await house.alert(Rule.WRONG_COUNT, Seat(str(fault.seat)))
        if practice:
            await expect(page.locator(".club-check")).to_have_text(WORDS["club.check.wrong_count"], timeout=PATIENCE_MS)
            assert await page.locator(".rack-number").count() == 4
        else:
            await asyncio.sleep(1.0)
            assert await page.locator(".rack-number, .club-checks, .table").count() == 0
        assert alert.message not in await page.content()
        await fits(page)
        assert await serious(page) == []
        await page.emulate_media(color_scheme="dark")
        assert await serious(page) == []
        await playing
    assert errors == []


async def test_a_tablet_wakes_up_by_itself_after_the_monitor_was_away(tmp_path: Path) -> None:
    setup = simulate_evening(Options(seed=1, discards=1)).furniture.setup
    token = printed(tmp_path)
    async with browsing() as browser:
        async with House(tmp_path, setup, page=True) as house:
            url = house.daemon.url
            assert url is not None
            page = await scanned(browser, url, token, [])
            await page.evaluate("window.sameDocument = true")
            await fits(page)
        await expect(page.locator("#link-text")).to_contain_text("Connection lost")
        await page.route("**/stream/club/T1", lambda route: route.fulfill(status=502))  # a proxy with nobody behind
        await asyncio.sleep(2.0)
        assert await page.evaluate("source.readyState === EventSource.CLOSED")  # here a browser gives up
        await page.unroute("**/stream/club/T1")
        async with House(tmp_path, setup, page=True, port=int(url.rstrip("/").rpartition(":")[2])):
            await expect(page.locator("#link-text")).to_have_text("Live", timeout=20_000)
            assert await page.evaluate("window.sameDocument")
