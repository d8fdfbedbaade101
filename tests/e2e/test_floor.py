"""The floor in a browser: 300 tables on a wall, a phone and between, who is needed first, and readable by everybody."""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe
from msgspec.structs import replace
from playwright.async_api import Browser, Page, expect

from bench.web import bare_sources
from hw.simulator.evening import simulate_evening
from hw.simulator.options import Options
from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.events import SEATS, Closing, Seat
from monitor.view import Doing, Phase, TableView, Window, WindowState
from monitor.web.hub import Hub
from monitor.web.pages import Screen, render_refusal
from monitor.web.server import PageServer, listen
from tests.e2e.house import House
from tests.e2e.test_page import browsing, opened

pytestmark = pytest.mark.browser
SIZES = {"phone": (390, 844), "tablet": (820, 1180), "laptop": (1366, 768), "wall": (3840, 2160)}
SERIOUS = {"serious", "critical"}
CUT = """[...document.querySelectorAll(".card")].filter((card) => card.scrollWidth > card.clientWidth
    || card.scrollHeight > card.clientHeight).map((card) => card.id)"""


@asynccontextmanager
async def serving(views: list[TableView]) -> AsyncIterator[tuple[Hub, str]]:
    hub = Hub(time.monotonic)
    for view in views:
        hub.show(Screen.PUBLIC, view)
        hub.show(Screen.DIRECTOR, view)
    server = PageServer(bare_sources(hub))
    with listen("127.0.0.1", 0) as listener:
        drawing = asyncio.create_task(hub.run())
        serving = asyncio.create_task(server.serve([listener]))
        yield hub, f"http://127.0.0.1:{listener.getsockname()[1]}/"
        server.stop()
        await serving
        drawing.cancel()


def alert(rule: Rule, table: str) -> Alert:
    return Alert(
        id=f"{table}-{rule}",
        rule=rule,
        at=1.0,
        raised_at=1.0,
        article="107",
        authority=Authority.LEAGUE,
        level=Level.RULING_DUE,
        message="North called 1.08 s ± 0.03 s after West racked: the window on South's discard had closed.",
        state=AlertState.RAISED,
        seat=Seat.NORTH,
    )


def hall(count: int) -> list[TableView]:
    """Tables in every state that a card can have."""
    views = []
    now = time.monotonic()
    for number in range(1, count + 1):
        view = TableView(f"T{number}", hand=number % 12 + 1, phase=list(Phase)[(number + 2) % 5])
        if view.phase is Phase.PLAY:
            state, seat = list(WindowState)[(number // 5 + 1) % 4], SEATS[number // 5 % 4]
            cause = Closing.RACKED if state is WindowState.CLOSED else None
            view = replace(
                view,
                turn=seat,
                doing=list(Doing)[number // 5 % 7],
                window=Window(state, seat, now - number, seat, cause),
                last_discard=now - number,
            )
        if number in {2, 57, 203}:
            view = replace(view, alerts=(alert(list(Rule)[4 + number % 2], view.table),))
        if number in {7, 57}:
            view = replace(view, health=(alert(Rule.SENSOR_FAULT, view.table),))
        views.append(view)
    return views


async def named(page: Page) -> list[str]:
    names: list[str] = await page.locator(".card:visible h2").all_inner_texts()
    return names


async def sized(browser: Browser, url: str, size: str, errors: list[str], **look: Any) -> Page:
    width, height = SIZES[size]
    context = await browser.new_context(viewport={"width": width, "height": height}, **look)
    page = await opened(context, url, errors)
    await expect(page.locator("#link-text")).to_have_text("Live")
    return page


async def test_a_hall_fits_every_screen_and_who_is_needed_is_first() -> None:
    errors: list[str] = []
    async with browsing() as browser:
        for count in (1, 4, 8, 40, 300):
            async with serving(hall(count)) as (_, url):
                for size, (width, height) in SIZES.items():
                    page = await sized(browser, url, size, errors)
                    await expect(page.locator(".card [data-since]:visible").first).to_have_text(re.compile(r"\d"))
                    assert await page.evaluate("document.documentElement.scrollWidth") <= width
                    assert await page.evaluate(CUT) == [], (count, size)
                    if size == "wall" or (size == "laptop" and count <= 40):
                        assert await page.evaluate("document.documentElement.scrollHeight") <= height, count
                    names = await named(page)
                    assert len(names) == count
                    first = [name for name in ("T2", "T57", "T203", "T7") if int(name[1:]) <= count]
                    assert names[: len(first)] == first
                    assert names[len(first) :] == sorted(names[len(first) :], key=lambda name: int(name[1:]))
                    await page.context.close()
    assert errors == []


async def test_a_table_is_found_and_comes_forward_when_someone_is_needed() -> None:
    errors: list[str] = []
    views = [TableView(f"T{number}", phase=Phase.PLAY, turn=Seat.EAST) for number in range(1, 41)]
    async with serving(views) as (hub, url), browsing() as browser:
        page = await sized(browser, url, "tablet", errors)
        await expect(page.locator("#needed")).to_have_text("Nobody is needed")
        await page.get_by_label("Find a table").fill("t3")
        assert await named(page) == ["T3", *(f"T{number}" for number in range(30, 40))]
        await expect(page.locator("#found")).to_have_text("11 of 40")
        hub.show(Screen.PUBLIC, replace(views[34], alerts=(alert(Rule.LATE_CALL, "T35"),)))
        hub.show(Screen.PUBLIC, replace(views[11], alerts=(alert(Rule.OUT_OF_TURN, "T12"),)))
        await expect(page.locator("#needed")).to_have_text("Someone is needed at T12, T35")
        assert (await named(page))[:2] == ["T35", "T3"]
        assert await page.evaluate("document.activeElement.id") == "find-name"
        await page.get_by_label("Find a table").fill("")
        assert (await named(page))[:3] == ["T12", "T35", "T1"]
    assert errors == []


async def test_a_table_that_is_gone_after_a_restart_leaves_the_page_without_a_reload(tmp_path: Path) -> None:
    setup = simulate_evening(Options(seed=1, discards=1)).furniture.setup
    errors: list[str] = []
    async with browsing() as browser:
        async with serving(hall(12)) as (_, url):
            page = await sized(browser, url, "laptop", [])
            await page.evaluate("window.sameDocument = true")
            assert len(await named(page)) == 12
            port = int(url.rstrip("/").rpartition(":")[2])
        await expect(page.locator("#link-text")).to_contain_text("Connection lost")
        page.on("pageerror", lambda error: errors.append(str(error)))
        async with House(tmp_path, setup, page=True, port=port):
            await expect(page.locator("#link-text")).to_have_text("Live", timeout=10_000)
            await expect(page.locator(".card")).to_have_count(1)
            await expect(page.locator("#table-T1 .table")).to_be_visible()
            assert await page.evaluate("window.sameDocument")
    assert errors == []


async def looked_at(browser: Browser, url: str, path: str, size: str, scheme: Any) -> Page:
    """A page with everything on it; `bypass_csp`: axe is put in as a script of its own."""
    page = await sized(browser, url, size, [], color_scheme=scheme, bypass_csp=True)
    if path == "refused":
        await page.route("**/refused", lambda route: route.fulfill(body=render_refusal("Not for you.", "Ask.")))
    if path:
        await page.goto(url + path)
    if path != "refused":
        await expect(page.locator(".card [data-since]:visible").first).to_have_text(re.compile(r"\d"))
    return page


async def test_pages_have_no_serious_findings_of_axe() -> None:
    async with browsing() as browser:
        for count, size in ((1, "laptop"), (8, "phone"), (40, "tablet"), (40, "wall")):
            async with serving(hall(count)) as (_, url):
                for scheme in ("light", "dark"):
                    for path in ("", "director/tables", "refused") if count == 8 else ("",):
                        page = await looked_at(browser, url, path, size, scheme)
                        report = (await Axe().run(page)).response
                        assert "color-contrast" in {one["id"] for one in report["passes"]}
                        assert [
                            (one["id"], one["nodes"][0]["html"], one["nodes"][0]["failureSummary"])
                            for one in report["violations"]
                            if one["impact"] in SERIOUS
                        ] == [], (path, count, size, scheme)
                        await page.context.close()


async def test_300_tables_leave_the_browser_idle() -> None:
    """Half of all tables change each second, twice what play does; the main thread's share is held far from full."""
    views = hall(300)
    async with serving(views) as (hub, url), browsing() as browser:
        page = await sized(browser, url, "wall", [])
        meter = await page.context.new_cdp_session(page)
        await meter.send("Performance.enable")

        async def busy_s() -> float:
            metrics = (await meter.send("Performance.getMetrics"))["metrics"]
            return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))

        await asyncio.sleep(1.0)
        began, before = time.monotonic(), await busy_s()
        for step in range(80):
            for number in range(step % 40, 300, 40):
                hub.show(Screen.PUBLIC, replace(views[number], turn=SEATS[step % 4], phase=Phase.PLAY))
            await asyncio.sleep(0.05)
        share = (await busy_s() - before) / (time.monotonic() - began)
        print(f"main thread: {share * 1000:.0f} ms a second")
        assert share < 0.5
