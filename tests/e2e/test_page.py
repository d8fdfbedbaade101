"""A browser on the live page while a table plays: what the director sees, what the public does not, and no errors."""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

from hw.simulator.evening import simulate_evening
from hw.simulator.live_serial import PtyTable
from hw.simulator.options import Options, RuleFault, Wiring
from monitor.alerts import Rule
from monitor.events import Seat
from monitor.rules.explain import explain
from tests.e2e.fast_loop import fast
from tests.e2e.house import House

pytestmark = pytest.mark.browser
PATIENCE_MS = 180_000.0


@asynccontextmanager
async def browsing() -> AsyncIterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        await browser.close()


async def opened(browser: Browser | BrowserContext, url: str, errors: list[str]) -> Page:
    page = await browser.new_page()
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    await page.goto(url)
    return page


@fast(10.0)
async def test_director_and_public_watch_a_table_play(tmp_path: Path) -> None:
    evening = simulate_evening(Options(seed=1, rule_fault=RuleFault.DOUBLE_PICK, discards=8, wiring=Wiring.USB))
    (fault,) = evening.truth.faults
    errors: list[str] = []
    async with (
        browsing() as browser,
        PtyTable(evening, tmp_path / "ports") as table,
        House(tmp_path, evening.furniture.setup, serial=table.ports, page=True) as house,
    ):
        assert house.daemon.url is not None
        floor = await opened(browser, house.daemon.url, errors)
        director = await opened(browser, house.daemon.url + "director/tables", errors)
        await expect(director.locator("#link-text")).to_have_text("Live")
        await expect(floor.locator("#table-T1 .phase")).to_contain_text("Waiting for a hand")
        await house.linked()
        playing = asyncio.create_task(table.play())
        await expect(director.locator("#table-T1 .rack-number").first).to_have_text(
            re.compile("1[34]"), timeout=PATIENCE_MS
        )
        await expect(floor.locator("#table-T1 .phase")).to_contain_text("Charleston", timeout=PATIENCE_MS)
        await expect(floor.locator("#table-T1 .phase")).to_contain_text("Play", timeout=PATIENCE_MS)
        await expect(floor.locator("#table-T1 .window-state")).to_have_text(re.compile("Window (open|closed)"))
        await expect(floor.locator("#table-T1 .since span")).to_have_text(re.compile(r"^\d+ s$"))
        alert = await house.alert(Rule.WRONG_COUNT, Seat(str(fault.seat)))
        await expect(director.locator(".alert", has_text=alert.message)).to_be_visible(timeout=PATIENCE_MS)
        assert alert.message not in await floor.content()
        why = director.locator(".alert", has_text=alert.message).locator("details")
        await why.locator("summary").click()
        for part in explain(alert).parts[1:]:
            for words in part[1]:
                await expect(why).to_contain_text(words)
        card = await director.locator("#table-T1 .said").element_handle()
        assert card is not None
        await director.wait_for_function("card => !card.isConnected", arg=card, timeout=PATIENCE_MS)
        await expect(why).to_have_attribute("open", "")  # what was put in anew is still being read
        assert await floor.locator(".rack-number, .tile").count() == 0
        await playing
    assert errors == []


async def test_the_directors_page_fits_its_screen(tmp_path: Path) -> None:
    setup = simulate_evening(Options(seed=1, discards=1)).furniture.setup
    async with browsing() as browser, House(tmp_path, setup, page=True) as house:
        assert house.daemon.url is not None
        page = await opened(browser, house.daemon.url + "director/tables", [])
        await expect(page.locator("#table-T1")).to_be_visible()
        for width, height in ((1280, 800), (1920, 1080)):
            await page.set_viewport_size({"width": width, "height": height})
            assert await page.evaluate("document.documentElement.scrollHeight") <= height
        await page.set_viewport_size({"width": 390, "height": 844})
        edges = (
            "[document.querySelector('.needs'), document.querySelector('.table')].map(e => e.getBoundingClientRect())"
        )
        needs, picture = await page.evaluate(edges)  # at one moment: the page's parts are put in anew while it is live
        assert needs["bottom"] <= picture["top"]


async def test_a_page_comes_back_by_itself_when_the_monitor_restarts(tmp_path: Path) -> None:
    setup = simulate_evening(Options(seed=1, discards=1)).furniture.setup
    async with browsing() as browser:
        async with House(tmp_path, setup, page=True) as house:
            assert house.daemon.url is not None
            page = await opened(browser, house.daemon.url, [])
            await expect(page.locator("#link-text")).to_have_text("Live")
        await expect(page.locator("#link-text")).to_contain_text("Connection lost")
        port = int(house.daemon.url.rstrip("/").rpartition(":")[2])
        async with House(tmp_path, setup, page=True, port=port):
            await expect(page.locator("#link-text")).to_have_text("Live", timeout=10_000)
            await expect(page.locator("#table-T1")).to_be_visible()
