"""No report tells which tile it was, whatever the log holds."""

import io
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from monitor import log as event_log
from monitor.alerts import Alert, Rule
from monitor.audience import Audience
from monitor.events import IDENTITY_KEYS, Corrected, Event, Racked
from monitor.reports.incident import read_incident
from monitor.reports.incident_page import incident_page
from monitor.reports.paper import Kind, html
from monitor.reports.session import read_session
from monitor.reports.session_page import session_page
from tests.monitor.reports.logbook import said_of, write_log
from tests.monitor.reports.printed import pdf
from tests.monitor.rules.script import Case, cases

SECRET = "E00401SECRET"
TOLD = [case for case in cases() if case.wants and not any(want.rule is Rule.WINDOW_CLOSED for want in case.wants)]


def marked(record: Event | Alert) -> Event | Alert:
    """The record with every key that tells a tile full of it."""
    keys = {key: (SECRET,) if key == "uids" else SECRET for key in IDENTITY_KEYS if hasattr(record, key)}
    return msgspec.structs.replace(record, **keys) if keys else record


def corrections(records: list[Event | Alert]) -> list[Event | Alert]:
    """For each racking a correction that tells its tile, under numbers of their own."""
    return [
        Corrected(at=one.at, seq=5000 + one.seq, seen_at=one.at + 9, replaces=one.seq, uid=SECRET, face=SECRET)
        for one in records
        if isinstance(one, Racked)
    ]


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(TOLD))
def test_no_identity_leaves_the_log(case: Case) -> None:
    records = [marked(one) for one in said_of(case)]
    with TemporaryDirectory() as folder:
        path = write_log(Path(folder) / "log.sqlite", [("T1", one) for one in [*records, *corrections(records)]])
        told = next(one for one in records if isinstance(one, Alert))
        with event_log.open(path) as log:
            pages = [
                (Kind.INCIDENT, incident_page(read_incident(log, told.id, Audience()), path.name)),
                (Kind.SESSION, session_page(read_session(log, Audience(), None, ()), path.name)),
            ]
    for kind, page in pages:
        assert SECRET.encode() not in b"".join(html(kind, page))
        made = pdf(kind, page)
        assert SECRET.encode() not in made + msgspec.json.encode(page)
        assert SECRET not in "".join(one.extract_text() for one in PdfReader(io.BytesIO(made)).pages)
