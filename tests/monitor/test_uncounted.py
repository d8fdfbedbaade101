"""Where counts are not monitored nobody is told one: not in any byte of an export, a report or a director's stream."""

import re
import tempfile
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from monitor import log as event_log
from monitor.alerts import PUBLIC_RULES, Alert, AlertState, Authority, Fact, Level, Rule, What
from monitor.amended import amendments_of
from monitor.audience import COUNT_RULES, Audience, DirectorsRecords
from monitor.desk import Desk, Outlets
from monitor.events import (
    SEATS,
    Corrected,
    CountChanged,
    Discarded,
    Event,
    HandStarted,
    PlayStarted,
    Racked,
    Seat,
    Zone,
)
from monitor.exports.entries import entries
from monitor.exports.export import Wanted, export
from monitor.exports.formats import Format
from monitor.exports.hand_pages import HandPages
from monitor.exports.paper import document
from monitor.exports.selection import Selection
from monitor.log.notes import Amended, Note
from monitor.log.scribe import Logged
from monitor.reports.incident import read_incident
from monitor.reports.incident_page import incident_page
from monitor.reports.session import read_session
from monitor.reports.session_page import session_page
from monitor.timeline import TimelineBuilder, Told
from monitor.typesetting.sizes import Paper
from tests.monitor.exports.logs import NOW, Batch, write_log
from tests.monitor.exports.test_identities import everything_in

OFF = Audience(count_monitoring=False)
COUNT = 149
SECRET = "a-number-is-secret"
TELLS = re.compile(rf"(?<![\da-f.]){COUNT}(?![\da-f])|{SECRET}|count_changed|\"count\"")
"""The number by itself: not within another, nor within a key's digest."""

MOMENTS = st.integers(1000, 1100).map(float)
SEAT = st.sampled_from(SEATS)
NUMBERS = st.integers(1, 14)
COUNTS = st.builds(
    CountChanged,
    at=MOMENTS,
    seat=SEAT,
    count=st.sampled_from([COUNT, None]),
    zone=st.sampled_from(Zone),
    reason=st.just(SECRET),
)
EVENTS = st.one_of(
    COUNTS,
    st.builds(Racked, at=MOMENTS, seat=SEAT),
    st.builds(Discarded, at=MOMENTS, seat=SEAT),
    st.builds(
        Corrected,
        at=MOMENTS,
        replaces=NUMBERS,
        struck=st.booleans(),
        new_kind=st.sampled_from([None, "racked", "count_changed", "dreamt"]),
        count=st.sampled_from([msgspec.UNSET, None, COUNT]),
        zone=st.sampled_from([None, Zone.RACK]),
    ),
)


def alert(rule: Rule, seat: Seat, at: float) -> Alert:
    """An alert that rests on a number of tiles."""
    counted = rule in COUNT_RULES
    rest = Fact(What.RESTED, at, at, at, seq=3, seat=seat, count=COUNT)
    return Alert(
        id=f"T1-1-{rule}-{seat}",
        rule=rule,
        at=at,
        raised_at=at,
        article="205",
        authority=Authority.LEAGUE,
        level=Level.RULING_DUE,
        message=f"{COUNT} {SECRET}" if counted else "Something was not as it should be.",
        state=AlertState.RAISED,
        table="T1",
        seat=seat,
        expected=COUNT if counted else None,
        count=COUNT if counted else None,
        facts=(rest,) if rule not in PUBLIC_RULES else (),
        evidence=(3,),
    )


ALERTS = st.builds(alert, st.sampled_from(Rule), SEAT, MOMENTS)
NOTES = st.builds(
    Amended,
    author=st.just("Ada"),
    reason=st.just("why"),
    event=COUNTS | st.builds(Corrected, at=MOMENTS, replaces=NUMBERS, count=st.just(COUNT)),
    hand=st.just(1),
    table=st.just("T1"),
)
RECORDS = st.lists(EVENTS | ALERTS, max_size=12)


def numbered(records: list[Event | Alert]) -> list[Event | Alert]:
    begun: list[Event | Alert] = [HandStarted(at=999.0), PlayStarted(at=999.5, seat=Seat.EAST)]
    return [replace(one, seq=seq, table="T1") for seq, one in enumerate([*begun, *records], 1)]


def streamed(records: list[Event | Alert]) -> bytes:
    """Everything that a director is told live, and sees when a hand is played again."""
    said: list[Any] = []
    outlets = Outlets(
        directors_record=lambda _, record: said.append(record),
        public_record=lambda _, record: said.append(record),
        directors_view=said.append,
        public_view=said.append,
    )
    desk = Desk({"T1": OFF}, outlets)
    builders = [TimelineBuilder("T1", audience=OFF, identities=identities) for identities in (False, True)]
    for seq, record in enumerate(records, 1):
        desk.take([Logged(seq, "T1", 1, record)])
        for builder in builders:
            builder.take(Told(float(seq), 1, record, 1))
    return msgspec.json.encode([said, [builder.finish(0.0, 1.0) for builder in builders]])


def exported(path: Path, folder: Path) -> str:
    """Every export of a log, but for the setting of the document."""
    told = ""
    with event_log.open(path) as log:
        for form, name in ((Format.JSON_LINES, "o.jsonl"), (Format.CSV, "o.zip"), (Format.XLSX, "o.xlsx")):
            wanted = Wanted(form, folder / name, identities=True, uncounted=frozenset({"T1"}))
            export(log, wanted, NOW)
            told += everything_in(folder / name).replace(",expected,count,", ",")
        pages = HandPages("log", None, amendments_of(log, lambda _: OFF))
        for entry in entries(log.records(), log.runs(), Selection(), identities=False, audience=lambda _: OFF):
            pages.take(entry)
    made = document(pages, log="log", selection="all", paper=Paper.A4, now=NOW)
    return told + msgspec.json.encode(made).decode()


def reported(path: Path, records: list[Event | Alert]) -> bytes:
    """Every report of a log."""
    shown = {one.id for one in records if isinstance(one, Alert) and one.rule not in {*COUNT_RULES, *PUBLIC_RULES}}
    with event_log.open(path) as log:
        made = [incident_page(read_incident(log, alert_id, OFF), "log") for alert_id in sorted(shown)]
        return msgspec.json.encode([*made, session_page(read_session(log, OFF, None, ()), "log")])


@settings(max_examples=60, deadline=None)
@given(RECORDS, st.lists(NOTES, max_size=2))
def test_no_byte_tells_a_number(records: list[Event | Alert], notes: list[Note]) -> None:
    told = numbered(records)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        path = write_log(folder / "log.sqlite", [Batch(120.0, "T1", [*told, *notes])])
        text = streamed(told).decode() + exported(path, folder) + reported(path, told).decode()
    assert TELLS.findall(text) == []


def shown(*events: Event) -> list[Event | None]:
    records = DirectorsRecords(OFF)
    return [records.event(event) for event in events]


def test_what_turns_into_a_number_never_happened_and_a_number_stays_unsaid() -> None:
    assert shown(
        Racked(at=1.0, seq=1, seat=Seat.SOUTH),
        Corrected(at=2.0, seq=2, replaces=1, new_kind="count_changed", count=COUNT),
        Corrected(at=3.0, seq=3, replaces=2, count=COUNT),
        CountChanged(at=4.0, seq=4, seat=Seat.SOUTH, count=COUNT),
        Corrected(at=5.0, seq=5, replaces=4, struck=True),
        Corrected(at=6.0, seq=6, replaces=99, count=COUNT),
        Racked(at=7.0, seq=7),
        Corrected(at=8.0, seq=8, replaces=7),
    ) == [
        Racked(at=1.0, seq=1, seat=Seat.SOUTH),
        Corrected(at=2.0, seq=2, replaces=1, struck=True),
        None,
        None,
        None,
        None,
        Racked(at=7.0, seq=7),
        Corrected(at=8.0, seq=8, replaces=7),
    ]
