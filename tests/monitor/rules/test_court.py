"""The court: numbers for what it hears and derives, window events and their corrections, files judged line by line."""

import json

import msgspec
import pytest

from monitor.alerts import Alert, AlertState, Rule
from monitor.events import (
    Called,
    Closing,
    Corrected,
    Discarded,
    Event,
    Racked,
    Seat,
    Tick,
    Via,
    WindowClosed,
    WindowOpened,
)
from monitor.rules.court import DERIVED_FROM, Count, Court, Unreadable, judge_lines
from monitor.rules.profile import parse_profile
from monitor.rules.state import Phase

from .script import Case, cases, heard

CASES = list(cases())


def case_named(name: str) -> Case:
    return next(case for case in CASES if case.name == name)


def unnumbered(name: str) -> list[Event]:
    return [msgspec.structs.replace(event, seq=0) for event in case_named(name).events]


def lines(events: list[Event], *, numbered: bool = False) -> list[bytes]:
    plain = events if numbered else [msgspec.structs.replace(event, seq=0) for event in events]
    return [msgspec.json.encode(event) for event in plain]


def test_live_everything_is_numbered_in_one_stream() -> None:
    court = Court(table="T1")
    records = [record for event in unnumbered("racking closes") for record in court.hear(event)]
    events = [record for record in records if not isinstance(record, Alert)]
    alerts = [record for record in records if isinstance(record, Alert)]
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert [alert.seq for alert in alerts] == list(range(1, len(alerts) + 1))
    assert not any(isinstance(event, Tick) for event in events)
    assert court.events.last == len(events)
    assert court.alerts.last == len(alerts)
    racked = next(event for event in events if isinstance(event, Racked))
    closed = next(event for event in events if isinstance(event, WindowClosed))
    assert closed.seq == racked.seq + 1
    notice = next(alert for alert in alerts if alert.rule is Rule.WINDOW_CLOSED)
    discard = next(event for event in events if isinstance(event, Discarded))
    assert notice.evidence == (discard.seq, racked.seq)


def test_numbers_go_on_where_a_log_ended() -> None:
    court = Court(table="T1", events=Count(100), alerts=Count(7))
    records = [record for event in unnumbered("racking closes") for record in court.hear(event)]
    assert min(r.seq for r in records if not isinstance(r, Alert)) == 101
    assert min(r.seq for r in records if isinstance(r, Alert)) == 8
    assert all(r.id.startswith("T1-101-") for r in records if isinstance(r, Alert))


def test_an_event_that_brings_its_number_keeps_it() -> None:
    court = Court(table="T1")
    first = court.hear(Racked(at=1.0, seat=Seat.SOUTH, seq=40))
    second = court.hear(Racked(at=2.0, seat=Seat.SOUTH))
    assert [first[0].seq, second[0].seq] == [40, 41]


def test_the_table_is_learned_from_the_first_event_that_names_one() -> None:
    court = Court()
    for event in case_named("racking closes").events:
        records = court.hear(event)
    assert court.table == "T1"
    assert court.reading.hand.phase is Phase.PLAY
    assert all(record.id.startswith("T1-1-") for record in records if isinstance(record, Alert))


def test_window_events_say_who_when_and_why() -> None:
    records = heard(case_named("together, and the picked tile goes back").events)
    opened = next(r for r in records if isinstance(r, WindowOpened))
    assert (opened.seat, opened.at, opened.earliest, opened.table) == (Seat.EAST, 100.0, None, "T1")
    closed = next(r for r in records if isinstance(r, WindowClosed))
    assert (closed.seat, closed.cause) == (Seat.SOUTH, Closing.RACKED)
    assert (closed.at, closed.earliest, closed.latest) == (103.0, 102.96, 103.04)


def test_a_window_opens_and_closes_between_the_bounds_of_what_did_it() -> None:
    """So do its corrections and the notice."""
    acts = [
        Discarded(at=100.0, seq=1, seat=Seat.EAST, earliest=99.5, latest=100.25),
        Racked(at=103.0, seq=2, seat=Seat.SOUTH, earliest=102.75, latest=103.5),
        Corrected(at=103.25, seq=3, replaces=2, earliest=103.0, latest=103.75, seen_at=105.0),
        Tick(at=120.0),
    ]
    told = [one for one in heard(acts) if isinstance(one, WindowOpened | WindowClosed | Corrected | Alert)]
    bounds = [(one.earliest, one.latest) for one in told if one.seq != 3 or isinstance(one, Alert)]
    assert set(bounds) == {(99.5, 100.25), (102.75, 103.5), (103.0, 103.75)}
    notices = [(one.earliest, one.latest) for one in told if isinstance(one, Alert)]
    assert notices == [(102.75, 103.5), (103.0, 103.75)]


def test_a_table_that_has_a_name_keeps_it() -> None:
    court = Court(table="T1")
    for event in case_named("racking closes").events:
        court.hear(msgspec.structs.replace(event, table="T2"))
    assert court.table == "T1"


def test_a_window_event_that_changes_is_corrected_along_its_chain() -> None:
    """Racked, then a call together with it: the closing is struck; once the claim is shown it stands, corrected."""
    records = heard(case_named("together, and the picked tile goes back").events)
    closed = next(r for r in records if isinstance(r, WindowClosed))
    corrections = [r for r in records if isinstance(r, Corrected)]
    assert [(c.replaces, c.struck) for c in corrections][:2] == [(closed.seq, True), (corrections[0].seq, False)]
    assert corrections[1].cause is Closing.CLAIMED
    assert corrections[1].seat is Seat.WEST
    assert corrections[1].at == 106.0
    assert corrections[0].seen_at == 103.2
    notices = [r for r in records if isinstance(r, Alert) and r.rule is Rule.WINDOW_CLOSED]
    assert [n.state for n in notices[:3]] == [AlertState.RAISED, AlertState.WITHDRAWN, AlertState.RAISED]
    assert len({n.id for n in notices[:3]}) == 1


def test_what_is_known_late_says_when_it_was_known() -> None:
    records = heard(case_named("a racking known after the call makes it late").events)
    closed = next(r for r in records if isinstance(r, WindowClosed))
    assert (closed.at, closed.seen_at) == (103.0, 104.6)
    opened = next(r for r in records if isinstance(r, WindowOpened))
    assert opened.seen_at is None


def test_an_opening_carries_the_confidence_of_its_discard() -> None:
    records = heard(case_named("a discard guessed in an unseen turn makes nobody late").events)
    assert [r.confidence for r in records if isinstance(r, WindowOpened)][:2] == [None, 0.3]


def test_an_alert_carries_everything_the_contract_names() -> None:
    records = heard(case_named("together is for the caller").events)
    alert = next(r for r in records if isinstance(r, Alert) and r.rule is Rule.SIMULTANEOUS_CALL)
    told = json.loads(msgspec.json.encode(alert))
    call = next(r for r in records if isinstance(r, Called))
    assert told["id"] == f"T1-1-simultaneous_call-west-{call.seq}"
    assert (told["at"], told["earliest"], told["latest"]) == pytest.approx((103.02, 103.01, 103.03))
    assert told["raised_at"] == 106.0
    assert (told["article"], told["authority"], told["level"]) == ("107", "league", "ruling due")
    assert (told["table"], told["seat"], told["verdict"], told["state"]) == ("T1", "west", "simultaneous", "raised")
    assert call.seq in told["evidence"]
    assert len(told["evidence"]) == 3
    assert told["rests_on"] == "window.simultaneous_within_ms"
    assert [fact["what"] for fact in told["facts"]] == ["discarded", "racked", "called"]


def test_bounds_that_say_nothing_are_left_out() -> None:
    records = heard(case_named("racking closes").events)
    alert = next(r for r in records if isinstance(r, Alert) and r.rule is Rule.LATE_CALL)
    assert (alert.earliest, alert.latest) == (None, None)


def test_a_discard_that_nobody_saw_is_no_evidence() -> None:
    records = heard(case_named("a racking after a turn that nobody saw closes, where picks are not told").events)
    alert = next(r for r in records if isinstance(r, Alert) and r.rule is Rule.LATE_CALL)
    assert 0 not in alert.evidence
    assert len(alert.evidence) == 2


# ---- files


def test_a_line_without_a_number_is_numbered_by_its_line() -> None:
    told = list(judge_lines([b"", b"  ", *lines(case_named("racking closes").events)]))
    events = [r for r in told if not isinstance(r, Alert | Unreadable)]
    inputs = [e for e in events if not isinstance(e, WindowOpened | WindowClosed)]
    derived = [e for e in events if isinstance(e, WindowOpened | WindowClosed)]
    assert [e.seq for e in inputs] == list(range(3, 3 + len(inputs)))
    assert [e.seq for e in derived] == [DERIVED_FROM, DERIVED_FROM + 1]


def test_corrections_name_lines() -> None:
    told = judge_lines(lines(case_named("a racking corrected to after the call makes it timely").events))
    last = {r.id: r for r in told if isinstance(r, Alert)}
    assert not [a for a in last.values() if a.rule is Rule.LATE_CALL and a.state is not AlertState.WITHDRAWN]


def test_malformed_lines_are_reported_by_number_and_skipped() -> None:
    good = lines(case_named("racking closes").events)
    bad = [
        b"{",
        b'{"kind": "dreamt", "at": 1}',
        b'{"kind": "racked"}',
        b"\xff",
        b"[1]",
        b'{"kind": "racked", "at": "x"}',
    ]
    told = list(judge_lines([*bad, *good]))
    unreadable = [r for r in told if isinstance(r, Unreadable)]
    assert [r.line for r in unreadable] == [1, 2, 3, 4, 5, 6]
    assert all(r.why for r in unreadable)
    assert "dreamt" in unreadable[1].why
    assert any(isinstance(r, Alert) and r.rule is Rule.LATE_CALL for r in told)


def test_lines_may_be_text() -> None:
    text = [line.decode() for line in lines(case_named("racking closes").events)]
    assert [r for r in judge_lines(text) if isinstance(r, Alert) and r.rule is Rule.LATE_CALL]


def test_a_log_judged_again_says_the_same_and_doubles_no_window() -> None:
    for name in ("racking closes", "together, and the picked tile goes back", "a correction of a correction counts"):
        first = [r for r in heard(case_named(name).events) if not isinstance(r, Alert)]
        ticks = [e for e in case_named(name).events if isinstance(e, Tick)]
        log = [msgspec.json.encode(event) for event in [*first, *ticks]]
        again = list(judge_lines(log))
        assert _windows(again) == _windows(first)
        assert _ends(again) == _ends(heard(case_named(name).events))


def _windows(records: list[Event | Alert | Unreadable] | list[Event]) -> list[tuple[float, str]]:
    return [(r.at, type(r).__name__) for r in records if isinstance(r, WindowOpened | WindowClosed)]


def _ends(records: list[Event | Alert | Unreadable] | list[Event | Alert]) -> set[tuple[str, str, float]]:
    last = {r.id: r for r in records if isinstance(r, Alert)}
    return {(a.rule.value, a.state.value, a.at) for a in last.values()}


def test_tables_are_judged_apart_and_alerts_numbered_together() -> None:
    one = case_named("racking closes").events
    two = [msgspec.structs.replace(event, table="T2") for event in one]
    mixed = [event for pair in zip(one, two, strict=True) for event in pair]
    alerts = [r for r in judge_lines(lines(mixed)) if isinstance(r, Alert)]
    assert {a.table for a in alerts if a.rule is Rule.LATE_CALL} == {"T1", "T2"}
    assert [a.seq for a in alerts] == list(range(1, len(alerts) + 1))
    assert len({a.id for a in alerts}) == 4


def test_the_end_of_a_file_tells_what_waited_for_later_news() -> None:
    events = case_named("racking closes").events[:-1]
    told = [r for r in judge_lines(lines(events)) if isinstance(r, Alert)]
    assert told[-1].rule is Rule.LATE_CALL
    assert not [a for e in events for a in heard([e]) if isinstance(a, Alert)]
    short = case_named("north is short since the deal").events[:-1]
    assert [r.rule for r in judge_lines(lines(short)) if isinstance(r, Alert)] == [Rule.MISSING_TILE]


def test_concluding_twice_says_nothing_new() -> None:
    court = Court(table="T1")
    for event in case_named("racking closes").events[:-1]:
        court.hear(event)
    told = [r for r in court.conclude() if isinstance(r, Alert)]
    assert [(r.rule, r.raised_at) for r in told] == [(Rule.LATE_CALL, 104.0)]
    assert court.conclude() == []


def test_the_profile_is_the_events() -> None:
    profile = parse_profile('[procedure]\njoker_exchange = "one_at_a_time"\n')
    events = case_named("two jokers at once").events
    assert [r.rule for r in judge_lines(lines(events), profile) if isinstance(r, Alert)].count(
        Rule.EVENT_PROCEDURE
    ) == 1
    assert Rule.EVENT_PROCEDURE not in [r.rule for r in judge_lines(lines(events)) if isinstance(r, Alert)]


def test_a_table_without_a_name_has_ids_too() -> None:
    nameless = [msgspec.structs.replace(event, table="") for event in case_named("racking closes").events]
    alerts = [r for r in judge_lines(lines(nameless)) if isinstance(r, Alert)]
    assert all(alert.id.startswith("table-1-") for alert in alerts)
    assert {r.table for r in judge_lines(lines(nameless)) if not isinstance(r, Unreadable)} == {""}


def test_the_end_of_a_file_is_judged_under_the_events_profile() -> None:
    profile = parse_profile("[window]\nsimultaneous_within_ms = 2000\n")
    events = case_named("racking closes").events[:-1]
    told = [r.rule for r in judge_lines(lines(events), profile) if isinstance(r, Alert)]
    assert told[-1] is Rule.SIMULTANEOUS_CALL
    assert Rule.LATE_CALL not in told


def test_a_court_that_goes_on_reads_its_first_hand_under_its_number() -> None:
    assert Court(events=Count(100)).reading.hand.number == 101
    assert Court().reading.hand.number == 1


def test_windows_of_hands_long_over_are_forgotten() -> None:
    court = Court(table="T1")
    for hand in range(5):
        for event in unnumbered("each hand begins anew"):
            court.hear(replace_at(event, 1000.0 * hand))
    assert {place.hand for place in court._windows} == {9, 10}


@pytest.mark.parametrize("via", Via)
def test_hearing_gives_back_the_event_as_it_was(via: Via) -> None:
    event = Called(at=5.0, seat=Seat.WEST, via=via, seq=9, table="T1")
    assert Court().hear(event) == [event]


def test_a_hand_told_by_another_clock_is_read_by_itself() -> None:
    """A log that goes on after the host was started again: its seconds begin anew."""
    later = [replace_at(event, 5000.0) for event in unnumbered("a plain go-round")]
    court = Court(table="T1")
    told = [r for event in [*later, *unnumbered("racking closes")] for r in court.hear(event)]
    late = [r for r in told if isinstance(r, Alert) and r.rule is Rule.LATE_CALL]
    assert [a.id.split("-late")[0] for a in late] == ["T1-2"]
    assert court.reading.hand.number == 2
    assert not [r for r in told if isinstance(r, Alert) and r.state is AlertState.WITHDRAWN]


def replace_at(event: Event, by: float) -> Event:
    return msgspec.structs.replace(event, at=event.at + by)
