"""The ledger: order of time from order of knowledge, corrections laid over what they replace, bounded memory."""

import pytest

from monitor.alerts import Alert, Rule
from monitor.events import (
    Called,
    Claim,
    Corrected,
    CountChanged,
    Dead,
    Discarded,
    EastIs,
    Event,
    Exposed,
    HandEnd,
    HandEnded,
    HandStarted,
    JokerExchanged,
    Named,
    Passed,
    Picked,
    PlayStarted,
    Racked,
    Seat,
    SeatsSwapped,
    Tick,
    Via,
    WindowOpened,
    Zone,
)
from monitor.rules.ledger import RANK, Ledger, amended, heard
from monitor.rules.profile import LEAGUE
from monitor.rules.state import Phase

from . import script

E, S, W, N = Seat


def told(*events: Event) -> Ledger:
    ledger = Ledger()
    for i, event in enumerate(events):
        ledger = heard(ledger, event if event.seq else type(event)(**{**_fields(event), "seq": i + 1}), LEAGUE)
    return ledger


def _fields(event: Event) -> dict[str, object]:
    return {name: getattr(event, name) for name in event.__struct_fields__}


def order(ledger: Ledger) -> list[float]:
    return [entry.at for entry in ledger.whole().entries]


def test_entries_lie_in_order_of_time_whenever_they_are_heard() -> None:
    assert order(told(*(Racked(at=at, seat=S) for at in (5.0, 1.0, 3.0, 3.0, 9.0, 0.0)))) == [0, 1, 3, 3, 5, 9]


def test_at_one_moment_kinds_come_in_their_order_then_knowledge() -> None:
    ledger = told(
        CountChanged(at=5.0, seat=S, count=13), Dead(at=5.0, seat=W), Discarded(at=5.0, seat=S), Racked(at=5.0, seat=W)
    )
    assert [type(entry.event) for entry in ledger.entries] == [Discarded, Racked, CountChanged, Dead]
    twice = told(Racked(at=5.0, seat=W), Racked(at=5.0, seat=S))
    assert [entry.event.seat for entry in twice.entries] == [W, S]
    assert RANK[PlayStarted] < RANK[Discarded] < RANK[Picked] < RANK[Racked] < RANK[CountChanged] < RANK[HandEnded]
    assert RANK[HandEnded] < RANK[HandStarted] < RANK[EastIs]


def test_what_is_not_of_the_table_leaves_the_ledger_as_it_is() -> None:
    ledger = told(Racked(at=1.0, seat=S))
    for event in (Tick(at=2.0, seq=9), WindowOpened(at=2.0, seq=9)):
        after = heard(ledger, event, LEAGUE)
        assert (after.entries, after.heard, after.touched) == (ledger.entries, 1, ())


def test_a_late_event_is_folded_from_its_place_alone() -> None:
    events = [HandStarted(at=0.0, east=Seat.EAST), *(Racked(at=float(at), seat=S) for at in range(10, 60))]
    ledger = told(*events)
    after = heard(ledger, Racked(at=40.5, seat=W, seq=99), LEAGUE)
    assert all(a is b for a, b in zip(ledger.readings[:31], after.readings[:31], strict=True))
    assert after.readings[31].hand != ledger.readings[31].hand or len(after.readings) == len(ledger.readings) + 1


def test_many_events_are_kept_in_order_and_whole() -> None:
    ledger = told(*(Racked(at=float(at), seat=S) for at in range(400)))
    assert len(ledger.entries) <= 128
    assert order(ledger) == [float(at) for at in range(400)]
    assert len(ledger.whole().readings) == 400
    late = heard(ledger, Racked(at=3.5, seat=W, seq=999), LEAGUE)
    assert order(late)[:6] == [0, 1, 2, 3, 3.5, 4]
    in_order = told(*(entry.event for entry in late.entries))
    assert in_order.reading.hand == late.reading.hand


def test_a_late_event_just_beyond_the_recent_ones() -> None:
    for count in (127, 128, 129, 130, 192, 193):
        ledger = told(*(Racked(at=float(at), seat=S) for at in range(count)))
        oldest = ledger.entries[0].at
        for at in (oldest - 0.5, oldest, oldest + 0.5):
            late = heard(ledger, Racked(at=at, seat=W, seq=999), LEAGUE)
            assert order(late) == sorted([*order(ledger), at])


def test_the_hand_before_is_kept_and_older_hands_are_not() -> None:
    events: list[Event] = []
    for hand in range(4):
        at = hand * 1000.0
        events += [
            HandStarted(at=at, east=Seat.EAST),
            Racked(at=at + 5, seat=S),
            HandEnded(at=at + 9, how=HandEnd.WALL),
        ]
    ledger = told(*events)
    assert ledger.reading.hand.number == 4
    assert order(ledger)[0] == 2000.0
    assert ledger.origin.hand.number == 2
    gone = heard(ledger, Corrected(at=5.0, seq=99, replaces=2, struck=True), LEAGUE)
    assert gone.unmatched == 1
    assert gone.entries == ledger.entries


# ---- corrections


@pytest.mark.parametrize(
    ("old", "correction", "new"),
    [
        (Racked(at=3.0, seat=S, seq=1), Corrected(at=4.0, seq=2, replaces=1), Racked(at=4.0, seat=S, seq=2)),
        (Racked(at=3.0, seat=S), Corrected(at=3.0, seq=2, replaces=1, seat=W), Racked(at=3.0, seat=W, seq=2)),
        (
            Racked(at=3.0, seat=S, earliest=2.5, latest=3.5, confidence=0.9),
            Corrected(at=4.0, seq=2, replaces=1, seen_at=9.0, confidence=0.5),
            Racked(at=4.0, seat=S, seq=2, earliest=2.5, latest=4.0, confidence=0.5, seen_at=9.0),
        ),
        (
            Racked(at=3.0, seat=S, earliest=2.5, latest=3.5),
            Corrected(at=2.0, seq=2, replaces=1, latest=2.2),
            Racked(at=2.0, seat=S, seq=2, earliest=2.0, latest=2.2),
        ),
        (
            CountChanged(at=3.0, seat=S, count=14, zone=Zone.SLOPE),
            Corrected(at=3.0, seq=2, replaces=1, count=None),
            CountChanged(at=3.0, seat=S, count=None, zone=Zone.SLOPE, seq=2),
        ),
        (
            CountChanged(at=3.0, seat=S, count=14),
            Corrected(at=3.0, seq=2, replaces=1, zone=Zone.LEDGE),
            CountChanged(at=3.0, seat=S, count=14, zone=Zone.LEDGE, seq=2),
        ),
        (
            Called(at=3.0, seat=S, via=Via.BUTTON),
            Corrected(at=3.0, seq=2, replaces=1, claim=Claim.KONG, discard_by=W),
            Called(at=3.0, seat=S, via=Via.BUTTON, claim=Claim.KONG, discard_by=W, seq=2),
        ),
        (
            JokerExchanged(at=3.0, seat=S, n=1),
            Corrected(at=3.0, seq=2, replaces=1, n=2, owners=(W,)),
            JokerExchanged(at=3.0, seat=S, n=2, owners=(W,), seq=2),
        ),
        (Exposed(at=3.0, seat=S, n=2), Corrected(at=3.0, seq=2, replaces=1, n=3), Exposed(at=3.0, seat=S, n=3, seq=2)),
        (
            Racked(at=3.0, seat=S, table="T1"),
            Corrected(at=3.0, seq=2, replaces=1, new_kind="named", table="T9"),
            Named(at=3.0, seat=S, seq=2, table="T1"),
        ),
        (
            Passed(at=3.0, seat=S, to=W, n=3),
            Corrected(at=3.0, seq=2, replaces=1, to=N),
            Passed(at=3.0, seat=S, to=N, n=3, seq=2),
        ),
    ],
)
def test_a_correction_lays_its_keys_over_the_event(old: Event, correction: Corrected, new: Event) -> None:
    assert amended(old, correction) == new


@pytest.mark.parametrize("kind", ["dreamt", "corrected", "tick", "window_opened", "window_closed", "count_changed"])
def test_a_correction_to_what_is_no_event_is_counted_and_changes_nothing(kind: str) -> None:
    ledger = told(Racked(at=3.0, seat=S), Corrected(at=3.0, replaces=1, new_kind=kind))
    assert ledger.unmatched == 1
    assert [type(entry.event) for entry in ledger.entries] == [Racked]


def test_a_correction_of_nothing_known_is_counted() -> None:
    ledger = told(Racked(at=3.0, seat=S), Corrected(at=3.0, replaces=77, struck=True))
    assert (ledger.unmatched, ledger.touched, ledger.entries[0].struck) == (1, (), False)


def test_a_correction_that_changes_nothing_touches_nothing() -> None:
    ledger = told(PlayStarted(at=1.0, seat=E), Discarded(at=1.0, seat=E))
    assert ledger.touched
    assert heard(ledger, Corrected(at=3.0, seq=9, replaces=77, struck=True), LEAGUE).touched == ()
    assert heard(ledger, Corrected(at=3.0, seq=9, replaces=2, new_kind="dreamt"), LEAGUE).touched == ()


def test_east_that_was_something_else_is_at_its_own_moment() -> None:
    ledger = told(HandStarted(at=10.0, east=Seat.EAST), Racked(at=20.0, seat=S), EastIs(at=30.0, seat=W))
    corrected = heard(ledger, Corrected(at=31.0, seq=9, replaces=3, new_kind="racked"), LEAGUE)
    assert order(corrected) == [10.0, 20.0, 31.0]
    assert corrected.reading.hand.east is E
    became = heard(ledger, Corrected(at=21.0, seq=9, replaces=2, new_kind="east_is"), LEAGUE)
    assert order(became) == [10.0, 10.0, 21.0]


def test_an_event_is_known_by_every_number_it_was_given() -> None:
    ledger = told(Racked(at=3.0, seat=S), Corrected(at=4.0, replaces=1), Corrected(at=5.0, replaces=2))
    assert ledger.entries[0].names == (1, 2, 3)
    assert ledger.entries[0].root == 1
    again = heard(ledger, Corrected(at=6.0, seq=9, replaces=1), LEAGUE)
    assert again.entries[0].event.at == 6.0


def test_struck_and_revived() -> None:
    ledger = told(Racked(at=3.0, seat=S), Corrected(at=3.0, replaces=1, struck=True))
    assert ledger.entries[0].struck
    assert ledger.reading.hand.phase is Phase.UNSEEN
    revived = heard(ledger, Corrected(at=3.0, seq=3, replaces=2), LEAGUE)
    assert not revived.entries[0].struck
    assert revived.reading.hand.phase is Phase.PLAY


def test_a_corrected_event_moves_to_its_new_place() -> None:
    events = [Racked(at=float(at), seat=S) for at in range(1, 6)]
    assert order(told(*events, Corrected(at=4.5, replaces=2))) == [1, 3, 4, 4.5, 5]
    assert order(told(*events, Corrected(at=0.5, replaces=4))) == [0.5, 1, 2, 3, 5]
    assert order(told(*events, Corrected(at=9.0, replaces=1))) == [2, 3, 4, 5, 9]
    moved = told(*events, Corrected(at=3.0, replaces=1))
    assert [entry.root for entry in moved.entries] == [2, 1, 3, 4, 5]


# ---- East, and swapped racks


def test_east_holds_for_the_whole_hand() -> None:
    ledger = told(HandStarted(at=10.0, east=Seat.EAST), Racked(at=20.0, seat=S), EastIs(at=30.0, seat=W))
    assert [(entry.at, type(entry.event)) for entry in ledger.entries][1] == (10.0, EastIs)
    assert ledger.reading.hand.east is W
    moved = heard(ledger, Corrected(at=31.0, seq=9, replaces=3, seat=N), LEAGUE)
    assert moved.reading.hand.east is N
    assert moved.entries[1].at == 10.0


def test_east_said_between_hands_holds_for_the_next() -> None:
    ledger = told(HandStarted(at=1.0, east=S), HandEnded(at=5.0), EastIs(at=6.0, seat=W))
    assert (ledger.reading.hand.east, ledger.reading.next_east) == (S, W)
    after = heard(ledger, HandStarted(at=9.0, seq=8), LEAGUE)
    assert (after.reading.hand.east, after.reading.next_east) == (W, None)


def test_east_said_before_anything_else() -> None:
    assert told(EastIs(at=1.0, seat=W)).reading.hand.east is W


def test_a_swap_moves_what_racks_told_before_it() -> None:
    ledger = told(
        HandStarted(at=0.0, east=Seat.EAST),
        Racked(at=1.0, seat=S),
        Passed(at=2.0, seat=W, to=S),
        Passed(at=2.0, seat=N, to=E),
        Called(at=3.0, seat=N, via=Via.BUTTON, discard_by=W),
        Called(at=3.5, seat=S, via=Via.INPUT),
        JokerExchanged(at=4.0, seat=N, owners=(S, N)),
        Dead(at=5.0, seat=S, by="west"),
        Named(at=5.5, seat=S),
        SeatsSwapped(at=6.0, seat=S, other=W),
        Racked(at=7.0, seat=S),
    )
    by_seq = {entry.root: entry.event for entry in ledger.entries}
    assert by_seq[2].seat is W
    assert (by_seq[3].seat, by_seq[3].to) == (S, W)  # type: ignore[union-attr]
    assert (by_seq[4].seat, by_seq[4].to) == (N, E)  # type: ignore[union-attr]
    assert (by_seq[5].seat, by_seq[5].discard_by) == (N, S)  # type: ignore[union-attr]
    assert by_seq[6].seat is S
    assert (by_seq[7].seat, by_seq[7].owners) == (N, (W, N))  # type: ignore[union-attr]
    assert (by_seq[8].seat, by_seq[9].seat) == (S, S)
    assert by_seq[11].seat is S


def test_a_swap_moves_the_very_first_record_of_a_hand() -> None:
    assert told(Racked(at=1.0, seat=S), SeatsSwapped(at=2.0, seat=S, other=W)).entries[0].event.seat is W


def test_two_swaps_one_after_the_other() -> None:
    ledger = told(
        HandStarted(at=0.0, east=Seat.EAST),
        Racked(at=1.0, seat=S),
        SeatsSwapped(at=2.0, seat=S, other=W),
        Racked(at=3.0, seat=S),
        SeatsSwapped(at=4.0, seat=W, other=N),
    )
    assert [entry.event.seat for entry in ledger.entries if isinstance(entry.event, Racked)] == [N, S]


def test_a_swap_of_nobody_moves_nothing() -> None:
    for swap in (SeatsSwapped(at=2.0, seat=S), SeatsSwapped(at=2.0, other=S)):
        assert told(Racked(at=1.0, seat=S), swap).entries[0].event.seat is S


def test_a_swap_concerns_its_own_hand_alone() -> None:
    ledger = told(
        HandStarted(at=0.0, east=Seat.EAST),
        Racked(at=1.0, seat=S),
        HandEnded(at=5.0),
        HandStarted(at=9.0, east=Seat.EAST),
        Racked(at=10.0, seat=S),
        SeatsSwapped(at=11.0, seat=S, other=W),
    )
    seats = [entry.event.seat for entry in ledger.entries if isinstance(entry.event, Racked)]
    assert seats == [S, W]
    corrected = heard(ledger, Corrected(at=1.5, seq=99, replaces=2), LEAGUE)
    seats = [entry.event.seat for entry in corrected.entries if isinstance(entry.event, Racked)]
    assert seats == [S, W]


def test_a_corrected_event_stays_swapped_and_a_struck_swap_moves_it_back() -> None:
    ledger = told(
        HandStarted(at=0.0, east=Seat.EAST),
        Racked(at=1.0, seat=S),
        SeatsSwapped(at=2.0, seat=S, other=W),
        Corrected(at=1.5, replaces=2),
    )
    assert ledger.entries[1].event.seat is W
    back = heard(ledger, Corrected(at=2.0, seq=9, replaces=3, struck=True), LEAGUE)
    assert back.entries[1].event.seat is S
    other = heard(ledger, Corrected(at=2.0, seq=9, replaces=3, seat=N), LEAGUE)
    assert other.entries[1].event.seat is S


def test_a_record_that_is_delivered_twice_is_heard_once() -> None:
    """A broker may deliver again what it delivered; another record of the same number is another record."""
    case = next(case for case in script.cases() if case.name == "west picks in south's turn")
    twice = [event for event in case.events for _ in range(2)]
    later = [*case.events, *case.events]
    once = ends(case.events)
    assert once
    assert ends(twice) == ends(later) == once


def ends(events: list[Event]) -> list[tuple[str, str, float]]:
    return [(alert.id, alert.message, alert.at) for alert in script.standing(script.heard(events))]


def test_what_happened_long_ago_is_corrected_like_yesterday() -> None:
    """More records ago than are kept at hand."""
    case = next(case for case in script.cases() if case.name == "two tiles picked")
    wait = [CountChanged(at=200.0 + k, seq=1000 + k, seat=Seat.EAST, count=13 - k % 2) for k in range(300)]
    first = next(event for event in case.events if isinstance(event, Racked))
    strike = Corrected(at=first.at, seq=5000, replaces=first.seq, struck=True, seen_at=600.0)
    later = script.heard([*case.events, *wait, strike])
    at_once = script.heard([event for event in [*case.events, *wait] if event is not first])

    def windows(records: list[Event | Alert]) -> set[tuple[str, float]]:
        return {(one.id, one.at) for one in script.standing(records) if one.rule is Rule.WINDOW_CLOSED}

    assert windows(later) == windows(at_once)
    assert windows(later) != windows(script.heard([*case.events, *wait]))
