"""A browser on one table's page while it plays: counts change, an input is logged, the hand plays back."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page, expect

from hw.simulator.evening import simulate_evening
from hw.simulator.live_serial import PtyTable
from hw.simulator.options import Options, RuleFault, Wiring
from monitor.alerts import Rule
from monitor.events import Seat
from monitor.log.notes import Said
from monitor.log.reader import read_log
from tests.e2e.fast_loop import fast
from tests.e2e.house import House
from tests.e2e.test_floor import SERIOUS, SIZES
from tests.e2e.test_page import PATIENCE_MS, browsing, opened

pytestmark = pytest.mark.browser


async def findings(page: Page) -> list[Any]:
    report = (await Axe().run(page)).response
    assert "color-contrast" in {one["id"] for one in report["passes"]}
    serious = [one for one in report["violations"] if one["impact"] in SERIOUS]
    return [(one["id"], one["nodes"][0]["html"], one["nodes"][0]["failureSummary"]) for one in serious]


async def looked_at(page: Page, path: str = "") -> None:
    """No serious findings and nothing beyond the screen's edge, at every size and in both looks."""
    for size, (width, height) in SIZES.items():
        await page.set_viewport_size({"width": width, "height": height})
        assert await page.evaluate("document.documentElement.scrollWidth") <= width, (path, size)
        if size in {"phone", "laptop"}:
            for scheme in ("light", "dark"):
                await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                assert await findings(page) == [], (path, size, scheme)


@fast(10.0)
async def test_a_table_is_watched_told_and_played_back(tmp_path: Path) -> None:
    evening = simulate_evening(Options(seed=1, rule_fault=RuleFault.DOUBLE_PICK, discards=8, wiring=Wiring.USB))
    (fault,) = evening.truth.faults
    errors: list[str] = []
    async with (
        browsing() as browser,
        PtyTable(evening, tmp_path / "ports") as table,
        House(tmp_path, evening.furniture.setup, serial=table.ports, page=True) as house,
    ):
        context = await browser.new_context(bypass_csp=True, reduced_motion="reduce")  # axe is a script of its own
        page = await opened(context, f"{house.daemon.url}table/T1", errors)
        await expect(page.locator("#link-text")).to_have_text("Live")
        await house.linked()
        playing = asyncio.create_task(table.play())

        tiles = page.locator(".rack-lines tbody tr").first.locator("td").first
        await expect(tiles).to_have_text(re.compile("^1[34]"), timeout=PATIENCE_MS)
        before = await tiles.inner_text()
        await expect(tiles).not_to_have_text(before, timeout=PATIENCE_MS)
        await expect(page.locator(".phase")).to_contain_text("Play", timeout=PATIENCE_MS)
        await page.get_by_role("group", name="Named the picked tile").get_by_role("button", name="West").click()
        await expect(page.locator("#answer")).to_have_text(re.compile(r"In the log as record \d+\."))
        await expect(page.locator(".told")).to_contain_text("West named the picked tile", timeout=PATIENCE_MS)
        alert = await house.alert(Rule.WRONG_COUNT, Seat(str(fault.seat)))
        await expect(page.locator(".alert", has_text=alert.message)).to_be_visible(timeout=PATIENCE_MS)
        assert await page.locator(".plot svg path").count() > 4
        await playing
        await looked_at(page)

        said = [row.record for row in read_log(house.log) if isinstance(row.record, Said)]
        assert [(one.author, one.said.input, one.seat) for one in said] == [("this machine", "named", Seat.WEST)]

        await page.get_by_role("link", name="Earlier hands").click()
        await looked_at(page, "hands")
        await page.get_by_role("link", name="Hand 1").click()
        await expect(page.locator("#clock")).to_have_text(re.compile(r"\d\d:\d\d:\d\d"))
        await expect(page.locator(".alert")).to_have_count(0)
        await page.keyboard.press("n")
        await expect(page.locator(".alert", has_text=alert.message)).to_be_visible()
        reached = await page.locator("#clock").inner_text()
        await page.get_by_label("Moment").focus()
        await page.keyboard.press("Home")
        await expect(page.locator("#clock")).not_to_have_text(reached)
        began = await page.locator("#clock").inner_text()
        await page.get_by_label("Speed").select_option("8")
        await page.get_by_role("button", name="Play").click()
        await expect(page.locator("#clock")).not_to_have_text(began)
        await page.get_by_role("button", name="Pause").click()
        await looked_at(page, "replay")
    assert errors == []


async def test_what_is_grave_is_asked_once_more(tmp_path: Path) -> None:
    setup = simulate_evening(Options(seed=1, discards=1)).furniture.setup
    errors: list[str] = []
    async with browsing() as browser, House(tmp_path, setup, page=True) as house:
        page = await opened(browser, f"{house.daemon.url}table/T1", errors)
        assert not await page.get_by_role("button", name="Yes, a new hand begins").is_visible()
        await page.locator("summary", has_text="New hand").click()
        await page.get_by_role("button", name="Yes, a new hand begins").click()
        await expect(page.locator(".told")).to_contain_text("New hand")
        await expect(page.get_by_role("button", name="Yes, a new hand begins")).to_be_hidden()
        await page.locator("summary", has_text="Seats are swapped").click()
        await page.get_by_label("The other").select_option("east")
        assert errors == []  # later there is one: a browser tells of each answer that is no 200
        await page.get_by_role("button", name="Yes, swap these two").click()
        await expect(page.locator("#answer")).to_contain_text("must be another seat")


async def test_the_page_comes_back_by_itself_when_the_monitor_restarts(tmp_path: Path) -> None:
    setup = simulate_evening(Options(seed=1, discards=1)).furniture.setup
    async with browsing() as browser:
        async with House(tmp_path, setup, page=True) as house:
            assert house.daemon.url is not None
            page = await opened(browser, f"{house.daemon.url}table/T1", [])
            await expect(page.locator("#link-text")).to_have_text("Live")
            await page.evaluate("window.sameDocument = true")
        await expect(page.locator("#link-text")).to_contain_text("Connection lost")
        port = int(house.daemon.url.rstrip("/").rpartition(":")[2])
        async with House(tmp_path, setup, page=True, port=port):
            await expect(page.locator("#link-text")).to_have_text("Live", timeout=10_000)
            assert await page.evaluate("window.sameDocument")
