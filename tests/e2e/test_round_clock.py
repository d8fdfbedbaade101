"""The round's clock in browsers on the running monitor: a scorer runs it, the floor shows it, a restart leaves it."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page, expect

from hw.calibration import TableSetup
from hw.simulator.evening import simulate_evening
from hw.simulator.options import Options
from monitor.access.book import Book, Person
from monitor.access.file import AccessFile
from monitor.access.passwords import hash_of
from monitor.access.roles import Role
from monitor.round_clock import Running
from tests.e2e.house import House
from tests.e2e.test_floor import SERIOUS, SIZES
from tests.e2e.test_page import browsing, opened

pytestmark = pytest.mark.browser
PASSWORD = "four words are good"


@pytest.fixture
def setup(tmp_path: Path) -> TableSetup:
    people = [("Sue", Role.SCORER), ("Dora", Role.DIRECTOR)]
    book = Book(people=tuple(Person(name=name, role=role, password=hash_of(PASSWORD)) for name, role in people))
    AccessFile(tmp_path / "access.json").write(book)
    return simulate_evening(Options(seed=1, discards=1)).furniture.setup


async def scorer(browser: Browser, url: str, errors: list[str], name: str = "Sue", **look: Any) -> Page:
    page = await opened(await browser.new_context(**look), url + "sign-in?to=/clock", errors)
    await page.get_by_label("Name").fill(name)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(url + "clock")
    return page


async def test_a_scorer_runs_the_round_and_the_floor_shows_it(tmp_path: Path, setup: TableSetup) -> None:
    errors: list[str] = []
    async with browsing() as browser:
        async with House(tmp_path, setup, page=True) as house:
            url = house.daemon.url
            assert url is not None
            assert house.daemon.chair is not None
            floor = await opened(await browser.new_context(), url, errors)
            await expect(floor.locator("#link-text")).to_have_text("Live")
            await expect(floor.locator("#round")).to_be_hidden()
            page, other = await scorer(browser, url, errors), await scorer(browser, url, errors, "Dora")
            await expect(other.locator("#link-text")).to_have_text("Live")
            await page.get_by_label("Minutes").fill("50")
            await page.get_by_role("button", name="Start").click()
            await expect(page.locator(".clock-time")).to_contain_text(re.compile(r"^\s*(50:00|49:5\d) left"))
            await expect(floor.locator("#round")).to_have_text(re.compile(r"Round 1\s+(50:00|49:5\d) left"))
            ticking = await floor.locator("#round .time-left").text_content()
            assert ticking is not None
            await expect(floor.locator("#round .time-left")).not_to_have_text(ticking)

            await page.get_by_label("Minutes").fill("7")
            await other.get_by_role("button", name="Pause").click()  # its page knows of the round without a reload
            await expect(page.locator(".clock-time")).to_contain_text("paused")
            await expect(floor.locator("#round")).to_contain_text("paused")
            await expect(page.get_by_label("Minutes")).to_have_value("7")  # what is being typed stays
            await page.get_by_label("For").select_option("T1")
            await page.get_by_role("button", name="Add time").click()
            await expect(page.locator(".clock-own")).to_contain_text(re.compile(r"T1\s+\+7 min"))
            await expect(floor.locator("#table-T1 .added")).to_have_text("+7 min")
            await page.get_by_role("button", name="Go on").click()
            await expect(floor.locator("#round")).not_to_contain_text("paused")
            await expect(other.locator(".clock-turns li").first).to_contain_text("Sue let the clock go on")
        await expect(floor.locator("#link-text")).to_contain_text("Connection lost")
        errors.clear()  # a server that is away is told of by the browser
        port = int(url.rstrip("/").rpartition(":")[2])
        async with House(tmp_path, setup, page=True, port=port) as house:
            assert house.daemon.chair is not None
            await expect(floor.locator("#link-text")).to_have_text("Live", timeout=15_000)
            await expect(floor.locator("#round")).to_contain_text(re.compile(r"Round 1\s+(49|48):\d\d left"))
            await expect(floor.locator("#table-T1 .added")).to_have_text("+7 min")
            await expect(page.locator("#link-text")).to_have_text("Live", timeout=15_000)
            await expect(page.locator(".clock-gap")).to_contain_text("The monitor was down from")
            errors.clear()
            await page.get_by_text("End the round").click()
            await page.get_by_role("button", name="End round 1 now").click()
            await expect(floor.locator("#round")).to_have_text(re.compile("Round 1 is over"))
            await expect(floor.locator("#table-T1 .added")).to_have_count(0)
            assert house.daemon.chair.round.running is Running.ENDED
    assert errors == []


async def test_without_a_script_the_forms_do_the_same(tmp_path: Path, setup: TableSetup) -> None:
    async with browsing() as browser, House(tmp_path, setup, page=True) as house:
        assert house.daemon.url is not None
        page = await scorer(browser, house.daemon.url, [], java_script_enabled=False)
        late = await page.context.new_page()
        await late.goto(house.daemon.url + "clock")
        await page.get_by_role("button", name="Start").click()
        await expect(page.locator(".clock-time")).to_contain_text("left")
        await late.get_by_role("button", name="Start").click()
        await expect(late.get_by_role("alert")).to_contain_text("Meanwhile Sue started round 1")
        await late.get_by_role("button", name="Pause").click()
        await expect(late.locator(".clock-time")).to_contain_text("paused")
        floor = await page.context.new_page()
        await floor.goto(house.daemon.url)
        await expect(floor.locator("#round")).to_contain_text("paused")


async def test_the_page_fits_every_screen_and_has_no_serious_findings(tmp_path: Path, setup: TableSetup) -> None:
    errors: list[str] = []
    async with browsing() as browser, House(tmp_path, setup, page=True) as house:
        assert house.daemon.url is not None
        for number, (width, height) in enumerate(SIZES.values()):
            look: dict[str, Any] = {"color_scheme": ("light", "dark")[number % 2], "bypass_csp": True}
            page = await scorer(browser, house.daemon.url, errors, viewport={"width": width, "height": height}, **look)
            await expect(page.locator("#link-text")).to_have_text("Live")
            if number == 0:
                assert await serious(page) == []
                await page.get_by_role("button", name="Start").click()
            await expect(page.locator(".clock-time")).to_contain_text("left")
            await asyncio.sleep(0.3)
            assert await page.evaluate("document.documentElement.scrollWidth") <= width
            assert await serious(page) == []
            await page.context.close()
    assert errors == []


async def serious(page: Page) -> list[tuple[str, str]]:
    report = (await Axe().run(page)).response
    return [(one["id"], one["nodes"][0]["html"]) for one in report["violations"] if one["impact"] in SERIOUS]
