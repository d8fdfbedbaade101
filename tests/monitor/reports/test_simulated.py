"""A simulated hand, watched by the monitor, logged and reported: nothing between them is a fake."""

import io
from pathlib import Path

import pytest
from pypdf import PdfReader

from bench.accuracy.watching import watch
from hw.simulator.options import Options, RuleFault, Tier
from monitor import log as event_log
from monitor.alerts import Rule
from monitor.audience import Audience
from monitor.reports.incident import read_incident
from monitor.reports.incident_page import incident_page
from monitor.reports.paper import Kind, html
from monitor.reports.session import read_session
from monitor.reports.session_page import session_page
from tests.monitor.reports.logbook import alert_ids, write_log
from tests.monitor.reports.printed import pdf

OPTIONS = Options(seed=11, tier=Tier.HYBRID, rule_fault=RuleFault.LATE_CALL, discards=12)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("evening") / "log.sqlite"
    return write_log(path, [("T1", record) for record in watch(OPTIONS).records])


def test_its_late_call_fills_one_sheet(log: Path) -> None:
    with event_log.open(log) as reader:
        made = incident_page(read_incident(reader, alert_ids(log, Rule.LATE_CALL)[0], Audience()), log.name)
    assert len(PdfReader(io.BytesIO(pdf(Kind.INCIDENT, made))).pages) == 1
    assert "first: the bounds do not overlap" in made.closeup_alt
    assert {one.what.split()[1] for one in made.evidence} == {"discarded", "racked", "called"}


def test_its_evening_is_told(log: Path) -> None:
    with event_log.open(log) as reader:
        made = session_page(read_session(reader, Audience(), None, ()), log.name)
    (table,) = made.tables
    (hand,) = table.hands
    assert "Late call" in hand.alerts
    assert float(hand.discards) > 5
    assert b"T1" in b"".join(html(Kind.SESSION, made))


def test_no_tile_of_the_hand_is_in_either(log: Path) -> None:
    uids = {uid for record in watch(OPTIONS).records if (uid := getattr(record, "uid", None)) is not None}
    assert uids
    with event_log.open(log) as reader:
        incident = incident_page(read_incident(reader, alert_ids(log, Rule.LATE_CALL)[0], Audience()), log.name)
        evening = session_page(read_session(reader, Audience(), None, ()), log.name)
    told = b"".join([*html(Kind.INCIDENT, incident), *html(Kind.SESSION, evening)]).decode()
    assert not [uid for uid in uids if uid in told]
