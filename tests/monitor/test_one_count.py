"""One log, every face of it: CSV, workbook, log of hands and session report tell the same figures of each hand."""

import asyncio
import csv
from datetime import UTC
from pathlib import Path
from typing import Any

import msgspec
import openpyxl
import pytest
from msgspec import Struct
from msgspec.structs import replace

from bench.accuracy.standing import settled
from bench.accuracy.watching import watch
from hw.simulator.options import Options, RuleFault, Tier
from monitor import log as event_log
from monitor.alerts import Alert, AlertState, Rule
from monitor.amended import amendments_of
from monitor.audience import Audience
from monitor.events import (
    Corrected,
    CountChanged,
    Discarded,
    Event,
    HandEnd,
    HandEnded,
    HandStarted,
    Racked,
    Seat,
    SeatsSwapped,
)
from monitor.exports.entries import entries
from monitor.exports.formats import Format
from monitor.exports.hand_pages import HandPages
from monitor.exports.page_words import length, seconds
from monitor.exports.selection import Selection
from monitor.log.amending import write_notes
from monitor.log.notes import Amended
from monitor.log.place import log_place
from monitor.reports.session import read_session
from monitor.reports.session_page import SessionPage, session_page
from monitor.reports.when import minutes
from monitor.rules.ledger import Ledger, heard
from monitor.rules.profile import LEAGUE
from monitor.tally import HandSummary
from monitor.wording import ENDINGS
from tests.monitor.exports.logs import exported
from tests.monitor.reports.logbook import said_of, shifted, write_log
from tests.monitor.rules.script import cases

LATER_S = 2000.0
SIMULATED = watch(Options(seed=11, tier=Tier.HYBRID, rule_fault=RuleFault.LATE_CALL, discards=12)).records


class Faces(Struct, frozen=True):
    """What each of them tells of the hands."""

    csv: list[dict[str, str]]
    xlsx: list[dict[str, Any]]
    pages: HandPages
    session: tuple[HandSummary, ...]
    page: SessionPage


def last_of(records: list[Event | Alert], kind: type) -> Any:
    return next(one for one in reversed(records) if isinstance(one, kind))


def evening() -> list[Event | Alert]:
    """A hand under way, a simulated hand, and one in which something of the hand before becomes known."""
    under_way: list[Event | Alert] = [
        CountChanged(at=1.0, seq=900_001, seat=Seat.EAST, count=None, reason="silent"),
        Discarded(at=2.0, seq=900_002, seat=Seat.EAST),
        Discarded(at=9.0, seq=900_003, seat=Seat.SOUTH),
    ]
    played = [shifted(one, 100.0) for one in SIMULATED]
    raised = next(one for one in played if isinstance(one, Alert) and one.rule is Rule.LATE_CALL)
    struck = last_of(played, Discarded)
    known = max(one.known for one in played if not isinstance(one, Alert)) + 60.0
    after: list[Event | Alert] = [
        HandStarted(at=known, seq=910_001, east=Seat.SOUTH),
        Corrected(at=struck.at, seq=910_002, replaces=struck.seq, struck=True, seen_at=known + 1),
        replace(raised, state=AlertState.WITHDRAWN),
        Discarded(at=known + 30, seq=910_003, seat=Seat.SOUTH),
        Discarded(at=known + 41, seq=910_004, seat=Seat.WEST),
        Corrected(at=known + 40, seq=910_005, replaces=910_004, seen_at=known + 45),
        HandEnded(at=known + 90, seq=910_006, how=HandEnd.WALL),
    ]
    return [*under_way, *played, *after]


def faces(path: Path, out: Path) -> Faces:
    out.mkdir()
    exported(path, Format.CSV, out / "csv")
    exported(path, Format.XLSX, out / "book.xlsx")
    with (out / "csv" / "hands.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    sheet = openpyxl.load_workbook(out / "book.xlsx")["Hands"]
    keys = list(rows[0])
    cells = [dict(zip(keys, row, strict=True)) for row in sheet.iter_rows(min_row=2, values_only=True)]
    with event_log.open(path) as log:
        pages = HandPages("log", UTC, amendments_of(log, lambda _: Audience()))
        for entry in entries(log.records(), log.runs(), Selection(), identities=False):
            pages.take(entry)
        session = read_session(log, Audience(), None, ())
    return Faces(rows, cells, pages, session.hands, session_page(session, "log"))


def assert_same(told: Faces) -> None:
    """Every face tells every hand alike."""
    summaries = told.pages.summaries()
    assert [one.hand for one in told.session] == [one.hand for one in summaries]
    assert len(told.csv) == len(told.xlsx) == len(told.page.tables[0].hands) == len(summaries)
    for number, one in enumerate(summaries):
        assert replace(one, began_utc_s=0.0, told=None) == replace(told.session[number], began_utc_s=0.0, told=None)
        assert (one.told is None) == (told.session[number].told is None)
        assert one.began_utc_s == pytest.approx(told.session[number].began_utc_s, abs=1e-3)
        row, cells, line = told.csv[number], told.xlsx[number], told.pages.overview()[number]
        pace = "" if one.pace_s is None else f"{round(one.pace_s, 1)}"
        figures = (f"{one.hand}", f"{round(one.length_s, 1)}", f"{one.discards}", pace, one.how or "")
        assert tuple(row[key] for key in ("hand", "length_s", "discards", "pace_s", "how")) == figures
        assert (row["alerts"], row["standing_alerts"]) == (f"{one.alerts}", f"{one.standing_alerts}")
        for key in ("hand", "length_s", "discards", "pace_s", "how", "alerts", "standing_alerts", "events", "east"):
            cell = cells[key]
            assert (float(row[key]) if isinstance(cell, int | float) else row[key] or None) == cell
        assert (line.discards, line.length, line.pace) == (f"{one.discards}", length(one.length_s), seconds(one.pace_s))
        shown = told.page.tables[0].hands[number]
        assert shown.length == minutes(one.length_s)
        assert shown.how == ("not told" if one.how is None else ENDINGS[one.how])
        assert (0 if shown.alerts == "none" else shown.alerts.count(",") + 1) == one.alerts


def test_every_face_counts_alike(tmp_path: Path) -> None:
    path = write_log(tmp_path / "log.sqlite", [("T1", one) for one in evening()])
    told = faces(path, tmp_path / "out")
    assert_same(told)
    under_way, simulated, last = told.session
    assert (under_way.hand, under_way.discards, under_way.play_s, under_way.length_s) == (0, 2, 7.0, 7.0)
    assert (last.discards, last.play_s, last.alerts, last.east, last.how) == (2, 10.0, 0, Seat.SOUTH, HandEnd.WALL)
    discards = [one for one in settled(SIMULATED).events if isinstance(one, Discarded)]
    assert simulated.discards == len(discards) - 1
    lines = {one.id: one.state for one in evening() if isinstance(one, Alert) and one.rule is not Rule.WINDOW_CLOSED}
    assert simulated.alerts == len(lines) > 0
    assert simulated.standing_alerts == list(lines.values()).count(AlertState.RAISED)


def test_what_people_put_right_counts_and_the_original_stays(tmp_path: Path) -> None:
    path = write_log(tmp_path / "log.sqlite", [("T1", one) for one in evening()])
    before = faces(path, tmp_path / "before")
    played = evening()
    first = next(one for one in played if isinstance(one, Discarded) and one.seq < 900_000)
    missed = Discarded(at=first.at + 0.5, table="T1", seat=Seat.WEST, uid="E004SECRET")
    swap = SeatsSwapped(at=99.0, seat=Seat.EAST, other=Seat.WEST)
    struck = Corrected(at=first.at, replaces=first.seq, struck=True)
    notes = [
        Amended(author="Ada", reason="cables", event=swap, hand=1),
        Amended(author="Ada", reason="a purse", event=struck, hand=1),
        Amended(author="Ben", reason="not heard", event=missed, hand=1),
        Amended(author="Ben", reason="nor that", event=replace(missed, at=first.at + 1), hand=1),
    ]
    asyncio.run(write_notes(log_place(path), "test", [replace(note, table="T1") for note in notes]))
    told = faces(path, tmp_path / "after")
    assert_same(told)
    old, new = before.session[1], told.session[1]
    assert new.discards == old.discards + 1
    assert new.told == replace(old, alerts=0, standing_alerts=0)
    assert [one.author for one in new.amendments] == ["Ada", "Ada", "Ben", "Ben"]
    row = told.csv[1]
    assert (row["discards"], row["told_discards"]) == (f"{new.discards}", f"{old.discards}")
    assert "Ben: missed, West discarded (not heard)" in row["amended"]
    assert told.csv[0]["amended"] == told.csv[0]["told_discards"] == ""
    page = told.pages.pages()[1]
    assert page.put_right[1].value == f"Ada: event {first.seq} never happened (a purse)."
    assert page.put_right[4].label == "As told"
    notes_of = [one.note for one in page.events]
    assert "taken back (put right by Ada)" in notes_of
    assert notes_of.count("added (put right by Ben)") == 2
    assert notes_of.count("added (put right by Ada)") == 1, "the swap; what it moves is told or corrected"
    assert {one.note for one in page.events if one.text == "Play began"} == {"corrected (put right by Ada)"}
    assert any(one.startswith("told as: ") and one.endswith("(put right by Ada)") for one in notes_of)
    assert [one.who for one in told.page.amended] == ["Ada", "Ada", "Ben", "Ben"]
    assert told.page.tables[0].hands[1].hand == "1 (put right)"
    everything = msgspec.json.encode((told.page, page, told.csv, list(map(str, told.xlsx))))
    assert b"E004SECRET" not in everything
    rows = (tmp_path / "after" / "csv" / "events.csv").read_text()
    assert rows.count(",amended,") == len(notes)


SWAPPED = [
    case
    for case in cases()
    if any(isinstance(one, SeatsSwapped) for one in case.events)
    and not any(isinstance(one, Corrected | HandEnded) for one in case.events)
]


@pytest.mark.parametrize("case", SWAPPED, ids=lambda case: case.name)
def test_racks_are_swapped_as_for_judging_again(case: Any, tmp_path: Path) -> None:
    """Seats of what stands after an amendment: the page's and the ledger's that `rejudge` reads."""
    records = [one for one in said_of(case) if not isinstance(one, Alert)]
    path = write_log(tmp_path / "log.sqlite", [("T1", one) for one in records])
    swap = SeatsSwapped(at=records[0].at, table="T1", seat=Seat.NORTH, other=Seat.EAST)
    asyncio.run(
        write_notes(log_place(path), "test", [Amended(author="Ada", reason="why", event=swap, hand=1, table="T1")])
    )
    ledger = Ledger()
    for one in [*records, replace(swap, seq=10**6)]:
        ledger = heard(ledger, one, LEAGUE)
    ruled = sorted(
        (one.event.at, one.event.seat) for one in ledger.whole().entries if isinstance(one.event, Racked | Discarded)
    )
    with event_log.open(path) as log:
        pages = HandPages("log", UTC, amendments_of(log, lambda _: Audience()))
        for entry in entries(log.records(), log.runs(), Selection(), identities=False):
            pages.take(entry)
    stands = [one.event for tally in pages.hands() for one in tally.standing.all if tally.hand == 1]
    assert sorted((one.at, one.seat) for one in stands if isinstance(one, Racked | Discarded)) == ruled
