"""What of a log belongs to an alert."""

from pathlib import Path

import msgspec
import pytest

from monitor import log as event_log
from monitor.alerts import Alert, AlertState, Rule
from monitor.audience import Audience
from monitor.errors import UnknownAlertError
from monitor.events import Corrected, Discarded, Event, HandStarted, PlayStarted, Racked, Seat
from monitor.reports.incident import LINES_KEPT, Incident, read_incident
from tests.monitor.reports.logbook import alert_ids, log_of_case, said_of, shifted, write_log
from tests.monitor.rules.script import cases

EVERYTHING = Audience()
LATE = next(case for case in cases() if any(want.rule is Rule.LATE_CALL for want in case.wants))


def incident(path: Path, alert_id: str, audience: Audience = EVERYTHING) -> Incident:
    with event_log.open(path) as log:
        return read_incident(log, alert_id, audience)


def records() -> list[Event | Alert]:
    return said_of(LATE)


def events() -> list[Event]:
    return [one for one in records() if not isinstance(one, Alert)]


def late_call() -> Alert:
    return next(one for one in records() if isinstance(one, Alert) and one.rule is Rule.LATE_CALL)


def test_an_alert_comes_with_its_hand_and_its_evidence(tmp_path: Path) -> None:
    path = write_log(tmp_path / "log.sqlite", [("T1", one) for one in records()])
    found = incident(path, late_call().id)
    assert (found.table, found.hand, found.alert.rule) == ("T1", 1, Rule.LATE_CALL)
    assert set(found.alert.evidence) <= {seq for one in found.events for seq in one.seqs}
    assert [one.event.at for one in found.events] == sorted(one.event.at for one in found.events)


def test_other_tables_and_hands_are_not_in_it(tmp_path: Path) -> None:
    other = [("T2", HandStarted(at=1.0, seq=1, table="T2")), ("T2", Racked(at=101.0, seq=2, seat=Seat.NORTH))]
    later: list[tuple[str, Event | Alert]] = [
        ("T1", HandStarted(at=500.0, seq=900)),
        ("T1", PlayStarted(at=600.0, seq=901)),
    ]
    path = write_log(tmp_path / "log.sqlite", [*other, *(("T1", one) for one in records()), *later])
    found = incident(path, late_call().id)
    assert all(one.event.at < 400.0 for one in found.events)
    assert len(found.events) == len(
        incident(write_log(tmp_path / "alone.sqlite", [("T1", one) for one in records()]), late_call().id).events
    )


def test_an_id_that_does_not_begin_with_its_table_is_found(tmp_path: Path) -> None:
    odd = msgspec.structs.replace(late_call(), id="something else")
    path = write_log(tmp_path / "log.sqlite", [("T1", one) for one in [*events(), odd]])
    assert incident(path, "something else").alert.id == "something else"


def test_an_unknown_alert_is_told_with_those_like_it(tmp_path: Path) -> None:
    path = write_log(tmp_path / "log.sqlite", [("T1", one) for one in records()])
    with pytest.raises(UnknownAlertError, match=f"Did you mean {late_call().id}"):
        incident(path, late_call().id + "7")


def test_a_count_alert_is_none_where_counts_are_not_monitored(tmp_path: Path) -> None:
    path = log_of_case(tmp_path / "log.sqlite", "a wrong count that was a misreading is taken back")
    (wrong,) = alert_ids(path, Rule.WRONG_COUNT)
    assert incident(path, wrong).alert.state is AlertState.WITHDRAWN
    assert incident(path, wrong).seen.state is AlertState.RAISED
    with pytest.raises(UnknownAlertError) as unknown:
        incident(path, wrong, Audience(count_monitoring=False))
    assert "Did you mean" not in str(unknown.value)


def test_an_alert_that_became_known_in_the_next_hand_is_about_the_one_before(tmp_path: Path) -> None:
    told = late_call()
    told_all: list[Event | Alert] = [*events(), HandStarted(at=300.0, seq=900), told]
    found = incident(write_log(tmp_path / "log.sqlite", [("T1", one) for one in told_all]), told.id)
    assert found.hand == 1


def test_a_correction_in_the_next_hand_is_heard(tmp_path: Path) -> None:
    discard = next(one for one in events() if isinstance(one, Discarded))
    correction = Corrected(at=discard.at + 0.25, seq=901, replaces=discard.seq, seen_at=301.0)
    told: list[Event | Alert] = [*records(), HandStarted(at=300.0, seq=900), correction]
    found = incident(write_log(tmp_path / "log.sqlite", [("T1", one) for one in told]), late_call().id)
    (moved,) = [one for one in found.events if 901 in one.seqs]
    assert (moved.event.at, discard.seq in moved.seqs) == (discard.at + 0.25, True)


def test_an_alert_that_wavers_is_told_by_its_first_and_last_lines(tmp_path: Path) -> None:
    told = late_call()
    states = [AlertState.RAISED, AlertState.WITHDRAWN] * 10
    lines = [msgspec.structs.replace(shifted(told, n), state=state, seq=n) for n, state in enumerate(states)]
    found = incident(write_log(tmp_path / "log.sqlite", [("T1", one) for one in [*events(), *lines]]), told.id)
    assert len(found.lines) == LINES_KEPT
    assert found.left_out == len(states) - LINES_KEPT
    assert (found.lines[0].alert.seq, found.lines[-1].alert.seq) == (0, 19)


def test_what_was_written_before_the_machine_started_anew_is_left_out(tmp_path: Path) -> None:
    path = write_log(tmp_path / "log.sqlite", [("T1", one) for one in records()])
    before = len(incident(path, late_call().id).events)
    write_log(path, [("T1", Racked(at=90.0, seq=990, seat=Seat.WEST))], ahead_s=86_400.0)
    assert len(incident(path, late_call().id).events) == before
