"""An evening from a log: which hands, in figures, and what became of each alert."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from monitor import log as event_log
from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.audience import Audience
from monitor.errors import LogError, NothingOnThatDateError
from monitor.events import (
    Corrected,
    CountChanged,
    Dealt,
    Discarded,
    Event,
    HandEnd,
    HandEnded,
    HandStarted,
    Picked,
    PlayStarted,
    Racked,
    Seat,
    WindowClosed,
    WindowOpened,
)
from monitor.reports.session import Session, natural, read_session
from tests.monitor.reports.logbook import shifted, write_log

EVERYTHING = Audience()
EVENING = date(2023, 11, 16)


def hand(seq: int = 0) -> list[Event]:
    """A short hand of 200 s: two turns, one of them picked and racked, the other racked alone."""
    return [
        HandStarted(at=0.0, seq=seq + 1),
        Dealt(at=20.0, seq=seq + 2),
        PlayStarted(at=80.0, seq=seq + 3, seat=Seat.EAST),
        Discarded(at=80.0, seq=seq + 4, seat=Seat.EAST),
        WindowOpened(at=80.0, seq=seq + 5, seat=Seat.EAST),
        Picked(at=83.0, seq=seq + 6, seat=Seat.SOUTH),
        Racked(at=84.0, seq=seq + 7, seat=Seat.SOUTH),
        WindowClosed(at=84.0, seq=seq + 8, seat=Seat.SOUTH),
        Discarded(at=90.0, seq=seq + 9, seat=Seat.SOUTH),
        WindowOpened(at=90.0, seq=seq + 10, seat=Seat.SOUTH),
        CountChanged(at=91.0, seq=seq + 11, seat=Seat.NORTH, count=None, reason="silent"),
        Racked(at=98.0, seq=seq + 12, seat=Seat.WEST),
        WindowClosed(at=98.0, seq=seq + 13, seat=Seat.WEST),
        CountChanged(at=101.0, seq=seq + 14, seat=Seat.NORTH, count=13),
        HandEnded(at=200.0, seq=seq + 15, how=HandEnd.WALL),
    ]


def alert(state: AlertState, at: float, rule: Rule = Rule.WRONG_COUNT, message: str = "South has 14.") -> Alert:
    return Alert(
        id=f"T1-1-{rule}",
        rule=rule,
        at=at,
        raised_at=at + 2,
        article="205",
        authority=Authority.LEAGUE,
        level=Level.RULING_DUE,
        message=message,
        state=state,
        seat=Seat.SOUTH,
    )


def session(path: Path, evening: date | None = None, *tables: str, audience: Audience = EVERYTHING) -> Session:
    with event_log.open(path) as log:
        return read_session(log, audience, evening, tables)


def test_a_hand_in_figures(tmp_path: Path) -> None:
    (one,) = session(write_log(tmp_path / "log.sqlite", [("T1", event) for event in hand()])).hands
    assert (one.table, one.hand, one.length_s, one.play_s, one.how) == ("T1", 1, 200.0, 10.0, HandEnd.WALL)
    assert (one.picks, one.discards, one.windows_s) == (2, 2, (4.0, 8.0))
    (north,) = one.uncounted
    assert (north.seat, north.stretches, north.total_s, north.longest_s) == (Seat.NORTH, 1, 10.0, 10.0)


def test_a_rack_that_stays_unknown_is_unknown_until_the_hand_ends(tmp_path: Path) -> None:
    events = [event for event in hand() if not (isinstance(event, CountChanged) and event.count == 13)]
    (one,) = session(write_log(tmp_path / "log.sqlite", [("T1", event) for event in events])).hands
    assert one.uncounted[0].longest_s == 109.0


def test_a_correction_counts_also_from_the_next_hand(tmp_path: Path) -> None:
    struck = Corrected(at=98.0, seq=99, replaces=12, struck=True, seen_at=250.0)
    second = [shifted(event, 230.0) for event in hand(seq=100)]
    path = write_log(tmp_path / "log.sqlite", [("T1", one) for one in [*hand(), *second[:2], struck, *second[2:]]])
    assert [one.picks for one in session(path).hands] == [1, 2]


def test_an_alert_is_told_with_what_became_of_it(tmp_path: Path) -> None:
    told = [
        alert(AlertState.RAISED, 90.0),
        alert(AlertState.RESOLVED, 90.0, message="South's hand was ruled on."),
        alert(AlertState.RAISED, 95.0, Rule.WINDOW_CLOSED),
    ]
    found = session(write_log(tmp_path / "log.sqlite", [("T1", one) for one in [*hand(), *told]]))
    (one,) = found.alerts
    assert (one.seen, one.ended, one.state) == ("South has 14.", "South's hand was ruled on.", AlertState.RESOLVED)
    quiet = session(tmp_path / "log.sqlite", audience=Audience(count_monitoring=False))
    assert quiet.alerts == ()
    assert quiet.hands[0].uncounted == ()


def test_tables_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    told = [(table, event) for event in hand() for table in ("T10", "T2", "T1")]
    path = write_log(tmp_path / "log.sqlite", told)
    assert session(path).tables == ("T1", "T2", "T10")
    assert session(path, None, "T2").tables == ("T2",)
    assert sorted(["B2", "A10", "A9", "lounge"], key=natural) == ["A9", "A10", "B2", "lounge"]


def test_an_evening_is_a_date_and_the_last_one_without(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    write_log(path, [("T1", event) for event in hand()])
    write_log(path, [("T1", event) for event in hand(seq=100)], ahead_s=86_400.0)
    assert session(path).evening == EVENING + timedelta(days=1)
    assert [one.hand for one in session(path, EVENING).hands] == [1]
    assert session(path, EVENING + timedelta(days=1)).runs == (2,)


def test_nothing_on_a_date_says_what_there_is(tmp_path: Path) -> None:
    path = write_log(tmp_path / "log.sqlite", [("T1", event) for event in hand()])
    with pytest.raises(NothingOnThatDateError, match=r"nothing on 2023-11-20\. It holds 2023-11-16"):
        session(path, date(2023, 11, 20))
    with pytest.raises(NothingOnThatDateError, match=r"nothing on 2023-11-16 of T9\. It holds none of T9 at all"):
        session(path, EVENING, "T9")
    with pytest.raises(NothingOnThatDateError, match=r"no hand\. There is nothing to report"):
        session(write_log(tmp_path / "empty.sqlite", []))


def test_a_log_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="there is no such file"):
        session(tmp_path / "none.sqlite")
