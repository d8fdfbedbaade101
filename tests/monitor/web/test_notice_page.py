"""The privacy notice as a page: its sentences as they are, for everybody, found from the floor."""

from pathlib import Path

from litestar.testing import TestClient
from msgspec.structs import replace

from bench.web import bare_sources
from monitor.privacy import Section
from monitor.web.hub import Hub
from monitor.web.server import make_app
from tests.monitor.web.venue import LOCAL, Venue


def test_everybody_may_read_each_sentence_of_the_notice() -> None:
    notice = (Section("What is sensed", ("Scales <weigh> tiles.", "Nothing else.")), Section("Kept", ("A log.",)))
    app = make_app(replace(bare_sources(Hub(lambda: 0.0)), notice=notice))
    with TestClient(app, base_url=LOCAL) as client:
        page = client.get("/privacy")
    assert page.status_code == 200
    for words in ("What is sensed", "Scales &lt;weigh&gt; tiles.", "Nothing else.", "Kept", "A log."):
        assert words in page.text


def test_the_floor_leads_to_the_notice(tmp_path: Path) -> None:
    with Venue(tmp_path).client() as client:
        assert 'href="/privacy"' in client.get("/").text
