"""HTML reports in a browser: on a phone pictures and tables scroll in boxes of their own, and the page does not."""

from pathlib import Path

import pytest

from monitor.alerts import Rule
from monitor.audience import Audience
from monitor.log import open as open_log
from monitor.reports.incident import read_incident
from monitor.reports.incident_page import incident_page
from monitor.reports.paper import Kind, Page, html
from tests.e2e.test_page import browsing
from tests.monitor.reports.logbook import alert_ids, log_of_case
from tests.monitor.reports.test_session_parts import day

pytestmark = pytest.mark.browser

_SIZES = {"phone": (390, 844), "tablet": (820, 1180), "laptop": (1366, 768), "wall": (2560, 1440)}
_READABLE_PX = 8.5
_LETTERS = """boxes => boxes.map(box => {
    const text = [...box.querySelectorAll('svg text')];
    const scale = text.length ? text[0].getScreenCTM().a : 1;
    return Math.min(99, ...text.map(one => parseFloat(one.getAttribute('font-size')) * scale));
})"""


@pytest.fixture
def pages(tmp_path: Path) -> dict[Kind, Page]:
    path = log_of_case(tmp_path / "log.sqlite", "together, and the picked tile goes back")
    (alert,) = alert_ids(path, Rule.SIMULTANEOUS_CALL)
    with open_log(path) as log:
        incident = incident_page(read_incident(log, alert, Audience(count_monitoring=True)), "log.sqlite")
    return {Kind.INCIDENT: incident, Kind.SESSION: day(3, 20, 8)}


@pytest.mark.parametrize("kind", Kind)
async def test_a_report_fits_every_screen_and_its_boxes_scroll(
    tmp_path: Path, kind: Kind, pages: dict[Kind, Page]
) -> None:
    report = tmp_path / "report.html"
    report.write_bytes(b"".join(html(kind, pages[kind])))
    async with browsing() as browser:
        for name, (width, height) in _SIZES.items():
            shown = await browser.new_page(viewport={"width": width, "height": height})
            await shown.goto(report.as_uri())
            assert await shown.evaluate("document.documentElement.scrollWidth") <= width, name
            boxes = shown.locator("[role=region].wide")
            letters = await boxes.evaluate_all(_LETTERS)
            assert min(letters) >= _READABLE_PX, name
            over = await boxes.evaluate_all("boxes => boxes.map(box => box.scrollWidth - box.clientWidth)")
            assert (max(over) > 0) == (name == "phone"), (name, over)
            await shown.close()


async def test_a_box_is_reached_and_scrolled_by_keys(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    report.write_bytes(b"".join(html(Kind.SESSION, day(2, 20, 8))))
    async with browsing() as browser:
        shown = await browser.new_page(viewport={"width": 390, "height": 844})
        await shown.goto(report.as_uri())
        names = []
        for _ in range(await shown.locator(".wide").count()):
            await shown.keyboard.press("Tab")
            names.append(await shown.evaluate("document.activeElement.getAttribute('aria-label')"))
        assert names[:3] == ["The evening, picture 1 of 1", "Alerts by rule", "Alerts"]
        assert names[-3:] == ["Hands of table T1", "Hands of table T2", "Sensors"]
        await shown.keyboard.press("ArrowRight")
        await shown.wait_for_function("document.activeElement.scrollLeft > 0")
