"""Directors at their consoles in browsers: from a fault on a rack to its line, two at once, restarts, no script."""

import asyncio
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import BrowserContext, Page, expect

from firmware_bridge.received import Published
from hw.simulator.evening import simulate_evening
from hw.simulator.live_serial import PtyTable
from hw.simulator.options import Options, RuleFault, Wiring
from monitor.access.book import Book, Person
from monitor.access.file import AccessFile
from monitor.access.passwords import hash_of
from monitor.access.roles import Role
from monitor.alerts import Alert, Rule
from monitor.events import Event, Seat
from tests.e2e.fast_loop import fast
from tests.e2e.house import House
from tests.e2e.test_page import PATIENCE_MS, browsing, opened
from tests.e2e.test_sign_in import PASSWORD

pytestmark = pytest.mark.browser
SERIOUS = {"serious", "critical"}
WATCH = """() => new MutationObserver((all) => { for (const one of all) for (const node of one.addedNodes)
    if (node.matches?.(".case")) seen(node.id); }).observe(document.querySelector("main"),
    { childList: true, subtree: true })"""
COUNT_TONES = """() => { window.tones = 0; OscillatorNode.prototype.stop = () => {};
    OscillatorNode.prototype.start = () => { window.tones += 1; }; }"""


class Timed(House):
    """A house that knows when each alert was told, in seconds of this process."""

    told_s: dict[str, float]

    def _told(self, table: str, record: Event | Alert) -> None:
        if isinstance(record, Alert):
            self.told_s.setdefault(f"case-{record.id}", time.perf_counter())
        super()._told(table, record)


async def signed_in(context: BrowserContext, url: str, name: str, errors: list[str]) -> Page:
    page = await opened(context, url + "director", errors)
    await page.get_by_label("Name").fill(name)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.keyboard.press("Enter")
    await expect(page.locator("#link-text")).to_have_text("Live")
    return page


@fast(10.0)
async def test_a_fault_on_a_rack_is_a_line_on_every_console_and_two_directors_rule_on_it(tmp_path: Path) -> None:
    evening = simulate_evening(Options(seed=1, rule_fault=RuleFault.DOUBLE_PICK, discards=8, wiring=Wiring.USB))
    (fault,) = evening.truth.faults
    AccessFile(tmp_path / "access.json").write(
        Book(people=tuple(Person(name=n, role=Role.DIRECTOR, password=hash_of(PASSWORD)) for n in ("Ada", "Dora")))
    )
    errors: list[str] = []
    seen_s: dict[str, float] = {}
    Timed.told_s = {}
    async with (
        browsing() as browser,
        PtyTable(evening, tmp_path / "ports") as table,
        Timed(tmp_path, evening.furniture.setup, serial=table.ports, page=True) as house,
    ):
        url = house.daemon.url
        assert url is not None
        ada = await signed_in(await browser.new_context(), url, "Ada", errors)
        dora = await signed_in(await browser.new_context(), url, "Dora", errors)
        await expect(ada.get_by_text("Nothing needs a ruling.")).to_be_visible()
        await ada.expose_function("seen", lambda id_: seen_s.setdefault(id_, time.perf_counter()))
        await ada.evaluate(WATCH)
        await ada.evaluate(COUNT_TONES)
        await ada.get_by_role("button", name="Sound is off").click()
        assert await ada.evaluate("[window.tones, localStorage['rackwatch.sound']]") == [1, "on"]
        await house.linked()
        playing = asyncio.create_task(table.play())
        alert = await house.alert(Rule.WRONG_COUNT, Seat(str(fault.seat)))
        id_ = f"case-{alert.id}"
        case = ada.locator(f"[id='{id_}']")
        await expect(case).to_contain_text(alert.message, timeout=PATIENCE_MS)
        await house_until(lambda: id_ in seen_s)
        delay_s = seen_s[id_] - Timed.told_s[id_]
        print(f"from the alert's record to its line: {delay_s * 1000:.0f} ms")
        assert delay_s < 1.0
        await playing
        await expect(ada.locator("#announce")).to_contain_text("Needs a ruling: ")
        assert await ada.evaluate("window.tones") >= 2
        assert await dora.evaluate("localStorage['rackwatch.sound']") is None

        other = dora.locator(f"[id='{id_}']")
        await other.get_by_text("Rule", exact=True).click()
        await other.get_by_label("Note", exact=True).fill("Counted: fourteen.")
        acted_s = time.perf_counter()
        await case.get_by_role("button", name="I go there").click()
        await expect(other.locator(".case-handling")).to_have_text("Ada goes there.")
        print(f"from a click to the other console: {(time.perf_counter() - acted_s) * 1000:.0f} ms")
        assert time.perf_counter() - acted_s < 1.0
        await other.get_by_role("button", name="Uphold").click()
        await expect(other.locator(".answer")).to_have_text("Meanwhile Ada took it.")
        await expect(other.get_by_label("Note", exact=True)).to_have_value("Counted: fourteen.")
        await other.get_by_role("button", name="Uphold").click()
        await expect(other.locator(".answer")).to_have_text("Done.")
        await ada.locator("#settled-part > summary").click()
        await expect(case).to_contain_text("Dora upheld it: Counted: fourteen.")
        assert await ada.locator(f"#settled [id='{id_}']").count() == 1
        await expect(case.locator("[name=version]").first).to_have_value("2")  # a second after it changed
        await case.get_by_role("button", name="Undo: Dora upheld it").click()
        await expect(case.locator(".act-undone")).to_contain_text("Dora upheld it")
        await expect(other.locator(".case-handling")).to_have_text("Ada goes there.")
        await ada.get_by_label("Rule", exact=True).select_option("redeal")
        await expect(case).to_be_hidden()
        await expect(ada).to_have_url(re.compile(r"\?rule=redeal$"))
    assert [one for one in errors if "ERR_" not in one] == []


async def house_until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110  # the browser tells nobody
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("script", [True, False], ids=["with a script", "without"])
async def test_a_console_is_usable_with_and_without_a_script_and_after_a_restart(
    tmp_path: Path, *, script: bool
) -> None:
    setup = simulate_evening(Options(seed=1, discards=1)).furniture.setup
    errors: list[str] = []
    async with browsing() as browser:
        context = await browser.new_context(java_script_enabled=script)
        async with House(tmp_path, setup, page=True) as house:
            assert house.daemon.url is not None
            port = int(house.daemon.url.rstrip("/").rpartition(":")[2])
            page = await opened(context, house.daemon.url + "director", errors)
            for said in (b'{"input":"call"}', b'{"input":"dead","by":"south"}'):
                house.daemon.receive(Published(time.monotonic(), "rackwatch/v1/T1/south/input", said))
            await house.until(lambda: any(isinstance(one, Alert) for one in house.records))
            if not script:
                await page.reload()
            case = page.locator(".case").first
            await case.get_by_role("button", name="I go there").click()
            await expect(page.locator(".answer:not(:empty)")).to_have_text("Done.")
            await expect(page.locator(".case-handling").first).to_have_text("this machine goes there.")
        if script:
            await expect(page.locator("#link-text")).to_contain_text("Connection lost")
            await page.evaluate("window.sameDocument = true")
        async with House(tmp_path, setup, page=True, port=port):
            if script:
                await expect(page.locator("#link-text")).to_have_text("Live", timeout=10_000)
                assert await page.evaluate("window.sameDocument")
            else:
                await page.reload()
            await expect(page.locator(".case").first).to_contain_text("from before a restart")
            if script:  # the page's script takes a new proof; without one the browser is asked to load the page again
                await page.locator(".case").first.get_by_role("button", name="Give back").click()
                await expect(page.locator(".answer:not(:empty)")).to_have_text("Done.")
    assert [one for one in errors if "ERR_" not in one and "403" not in one] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(390, 844), (1366, 768)])
async def test_the_console_has_no_serious_findings_of_axe_and_fits(
    tmp_path: Path, scheme: str, size: tuple[int, int]
) -> None:
    setup = simulate_evening(Options(seed=1, discards=1)).furniture.setup
    async with browsing() as browser, House(tmp_path, setup, page=True) as house:
        for said in (b'{"input":"dead","by":"south"}', b'{"input":"call"}'):
            house.daemon.receive(Published(time.monotonic(), "rackwatch/v1/T1/south/input", said))
        await house.until(lambda: any(isinstance(one, Alert) for one in house.records))
        context = await browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme=scheme,
            bypass_csp=True,  # type: ignore[arg-type]
        )
        assert house.daemon.url is not None
        page = await opened(context, house.daemon.url + "director", [])
        await expect(page.locator("#link-text")).to_have_text("Live")
        await page.locator(".rule > summary").first.click()
        await page.locator(".why > summary").first.click()
        report = (await Axe().run(page)).response
        assert [
            (one["id"], one["nodes"][0]["html"], one["nodes"][0]["failureSummary"])
            for one in report["violations"]
            if one["impact"] in SERIOUS
        ] == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= size[0]
