"""How the table is read, act by act: phase, turn, window, seats. Screens show it, and the rules rest on it."""

import pytest

from monitor.alerts import What
from monitor.events import SEATS, CountChanged, Event, Seat
from monitor.rules import sensing, turn_order
from monitor.rules.court import Court
from monitor.rules.profile import LEAGUE
from monitor.rules.state import Hand, Hold, Life, Openness, Phase, Picks, SeatView, Standing, Step, fact

from .script import Case, Writer

E, S, W, N = SEATS


def after(*lines: str) -> Hand:
    """The hand after these lines of the cases' language."""
    case = Case("reading", (), "test_reading.py", 0)
    for line in lines:
        Writer(case).line(line)
    return read(case.events)


def read(events: list[Event]) -> Hand:
    court = Court(table="T1")
    for event in events:
        court.hear(event)
    return court.reading.hand


def turn(hand: Hand) -> tuple[Step, Seat | None, Openness]:
    return hand.turn.step, hand.turn.holder, hand.windows[-1].openness


@pytest.mark.parametrize(
    ("lines", "read"),
    [
        ([], (Step.TO_ACT, None, Openness.OPEN)),
        (["102 south picks"], (Step.PICKED, S, Openness.OPEN)),
        (["102 south names"], (Step.PICKED, S, Openness.CLOSED)),
        (["102 south picks", "103 south racks"], (Step.RACKED, S, Openness.CLOSED)),
        (["102 south picks", "103 south returns"], (Step.TO_ACT, None, Openness.OPEN)),
        (["103 south racks", "104 south returns"], (Step.TO_ACT, None, Openness.CLOSED)),
        (["102 west calls"], (Step.CALLED, None, Openness.OPEN)),
        (["102 west calls", "103 west withdraws"], (Step.TO_ACT, None, Openness.OPEN)),
        (["101 south picks", "102 west calls", "103 west withdraws"], (Step.PICKED, S, Openness.OPEN)),
        (["101 west calls", "102 south racks", "103 west withdraws"], (Step.RACKED, S, Openness.CLOSED)),
        (["101 west calls", "102 south racks", "103 south returns"], (Step.CALLED, None, Openness.OPEN)),
        (
            ["101 west calls", "102 south racks", "103 south returns", "104 west withdraws"],
            (Step.TO_ACT, None, Openness.CLOSED),
        ),
        (["101 west calls", "101.5 north calls", "102 west withdraws"], (Step.TO_ACT, None, Openness.OPEN)),
        (["102 west calls", "104 west exposes 3"], (Step.EXPOSING, W, Openness.CLAIMED)),
        (["104 west exposes 3"], (Step.EXPOSING, W, Openness.CLAIMED)),
        (
            ["102 west calls", "104 west exposes 3", "106 west exchanges 1 north"],
            (Step.EXCHANGING, W, Openness.CLAIMED),
        ),
        (["103 south racks", "104 south exchanges 1 north"], (Step.EXCHANGING, S, Openness.CLOSED)),
        (["103 south racks", "104 west calls"], (Step.RACKED, S, Openness.CLOSED)),
        (["103 south racks", "104 west calls", "105 west exposes 3"], (Step.RACKED, S, Openness.CLOSED)),
        (["103 south racks", "104 south declares"], (Step.DECLARED, S, Openness.CLOSED)),
        (["103 south racks", "104 south declares", "105 south undeclares"], (Step.RACKED, S, Openness.CLOSED)),
        (["102 north declares"], (Step.DECLARED, None, Openness.CLOSED)),
        (["102 west calls", "103 north declares", "104 north undeclares"], (Step.TO_ACT, None, Openness.OPEN)),
        (
            ["102 west calls", "102.5 south racks", "103 north declares", "104 north undeclares"],
            (Step.RACKED, S, Openness.OPEN),
        ),
        (["103 south racks", "108 south discards"], (Step.TO_ACT, None, Openness.OPEN)),
        (["103 south racks", "104 south dies by west"], (Step.TO_ACT, None, Openness.CLOSED)),
        (["103 north racks"], (Step.RACKED, N, Openness.OPEN)),
        (["102 south picks", "103 west returns"], (Step.PICKED, S, Openness.OPEN)),
        (["102 south calls", "103 south names"], (Step.CALLED, S, Openness.CLOSED)),
    ],
)
def test_turn_and_window(lines: list[str], read: tuple[Step, Seat | None, Openness]) -> None:
    assert turn(after("play", *lines)) == read


@pytest.mark.parametrize(
    ("lines", "phase"),
    [
        (["0 new_hand"], Phase.SET_UP),
        (["0 begins east south"], Phase.DEAL),
        (["deal"], Phase.CHARLESTON),
        (["charleston"], Phase.CHARLESTON),
        (["play"], Phase.PLAY),
        (["play", "102 south declares"], Phase.DECLARED),
        (["play", "102 south declares", "103 south undeclares"], Phase.PLAY),
        (["play", "102 south declares", "103 south racks"], Phase.DECLARED),
        (["play", "102 south declares", "103 west racks"], Phase.PLAY),
        (["play", "120 ends wall"], Phase.OVER),
        (["play", "120 ends wall", "130 east racks"], Phase.OVER),
        (["5 east rests 13"], Phase.UNSEEN),
        (["5 east racks"], Phase.PLAY),
        (["5 east passes south"], Phase.CHARLESTON),
        (["charleston", "90 south racks"], Phase.CHARLESTON),
        (["play", "120 ends wall", "200 south starts_play"], Phase.PLAY),
    ],
)
def test_phase(lines: list[str], phase: Phase) -> None:
    assert after(*lines).phase is phase


def acting(hand: Hand) -> set[Seat]:
    return {seat for seat in SEATS if hand.seat(seat).acting}


@pytest.mark.parametrize(
    ("lines", "seats"),
    [
        ([], {S}),
        (["102 south picks"], {S}),
        (["102 west calls"], {S, W}),
        (["102 west calls", "103 west withdraws"], {S}),
        (["102 west calls", "104 west exposes 3"], {W}),
        (["102 west calls", "102.5 north calls", "104 west exposes 3"], {W}),
        (["103 south racks", "104 south exchanges 1 north"], {S, N}),
        (["103 south racks", "104 south exchanges ?"], {E, S, W, N}),
        (["103 south racks", "104 south exchanges 1 north", "105 south exchanges 1 east"], {E, S, N}),
        (["103 south racks", "104 south exchanges 1 north", "106 south discards"], {W}),
        (["103 south racks", "103.3 south rests 14", "104 west calls", "106 west exposes 3"], {S, W}),
        (["103 south racks", "103.3 south rests 14", "106 west racks"], {S, W}),
        (["103 south racks", "103.3 south rests 14", "106 west discards"], {S, N}),
        (["110 west racks"], {W}),
        (["101 south dies by west"], {W}),
        (["103 south racks", "104 south dies by west"], {W}),
    ],
)
def test_who_is_acting(lines: list[str], seats: set[Seat]) -> None:
    assert acting(after("play", *lines)) == seats


@pytest.mark.parametrize(
    ("lines", "hold"),
    [
        (["102 south picks", "103 south discards"], Hold.TOLD),
        (["103 south discards"], Hold.PERHAPS),
        (["102 south racks", "103 south discards"], Hold.NO),
        (["102 south picks", "103 south discards", "104 south racks"], Hold.NO),
        (["102 south calls", "103 south exposes 3", "104 south discards"], Hold.NO),
        (["102 south picks", "103 south discards", "110 south picks"], Hold.NO),
    ],
)
def test_what_is_held_after_a_discard(lines: list[str], hold: Hold) -> None:
    assert after("play", *lines).seat(S).holding is hold


@pytest.mark.parametrize(
    ("lines", "picks"),
    [
        ([], Picks.UNKNOWN),
        (["102 south picks"], Picks.TOLD),
        (["102 south racks"], Picks.NOT_ALL_TOLD),
        (["102 south discards"], Picks.NOT_ALL_TOLD),
        (["102 south picks", "103 south racks", "104 south discards"], Picks.TOLD),
        (["102 south picks", "103 south racks", "104 south racks", "105 south discards"], Picks.TOLD),
        (["102 west calls", "103 west exposes 3", "104 west discards"], Picks.UNKNOWN),
        (["103 west exposes 3", "104 west discards"], Picks.UNKNOWN),
        (["102 south picks", "103 south discards", "104 west discards"], Picks.NOT_ALL_TOLD),
        (["102 south picks", "103 south discards", "104 west discards", "105 north picks"], Picks.NOT_ALL_TOLD),
    ],
)
def test_whether_picks_are_told(lines: list[str], picks: Picks) -> None:
    assert after("play", *lines).picks is picks


def test_a_tile_that_went_back_was_never_taken() -> None:
    hand = after("play", "102 south picks", "103 south racks", "104 south returns")
    assert (hand.seat(S).picked, hand.seat(S).racked, hand.turn.racked) == (False, False, None)
    called = after("play", "101 west calls", "102 south picks", "103 south racks", "104 south returns")
    assert (called.seat(S).picked, called.seat(S).racked, called.turn.racked) == (False, False, None)
    picked = after("play", "102 south picks", "103 south returns", "104 south discards")
    assert picked.picks is Picks.NOT_ALL_TOLD


UNSEEN_TURN = ("play", "103 south racks", "108 south discards", "116 north racks")
"""West's turn passed unseen before North racked."""


def test_the_discard_that_nobody_saw_and_its_window() -> None:
    hand = after(*UNSEEN_TURN)
    window = hand.windows[-1]
    assert len(hand.windows) == 2
    assert (window.seat, window.discard.seat, window.discard.seq) == (W, W, 0)
    assert (window.discard.at, window.discard.earliest, window.discard.latest) == (112.0, 108.0, 116.0)
    assert window.seen is not None
    assert (window.seen.seat, window.openness) == (S, Openness.CLOSED)
    assert (hand.turn.discarder, hand.turn.holder) == (W, N)


def test_windows_before_the_unseen_one_stay_as_they_were() -> None:
    hand = after("play", "103 south racks", "105 south discards", "107 west discards", "112 east racks")
    assert [(w.seat, w.discard.seq) for w in hand.windows] == [(E, 20), (S, 23), (N, 0)]


def test_the_tile_goes_back_and_the_last_discard_is_the_one_seen() -> None:
    hand = after(*UNSEEN_TURN, "119 north returns")
    window = hand.windows[-1]
    assert len(hand.windows) == 2
    assert (window.seat, window.discard.at, window.seen, window.openness) == (S, 108.0, None, Openness.OPEN)
    assert (hand.turn.discarder, hand.turn.holder, hand.turn.step) == (S, None, Step.TO_ACT)
    other = after(*UNSEEN_TURN, "119 east returns")
    assert (other.windows[-1].seat, other.windows[-1].openness) == (W, Openness.CLOSED)
    called = after(*UNSEEN_TURN, "118 south calls", "119 north returns")
    assert called.windows[-1].seat is W


def lives(hand: Hand, place: int = -1) -> dict[Seat, Life]:
    return {call.seat: call.life for call in hand.windows[place].calls}


def test_the_life_of_a_claim() -> None:
    assert lives(after("play", "102 west calls")) == {W: Life.STANDS}
    assert lives(after("play", "102 west calls", "103 west exposes 3")) == {W: Life.SHOWN}
    assert lives(after("play", "102 west calls", "103 west withdraws")) == {W: Life.WITHDRAWN}
    passed_by = ("play", "102 west calls", "104 south discards")
    assert lives(after(*passed_by), -2) == {W: Life.PASSED_BY}
    assert lives(after(*passed_by, "105 west withdraws"), -2) == {W: Life.WITHDRAWN}
    assert lives(after(*passed_by, "105 west exposes 3"), -2) == {W: Life.SHOWN}
    shown = ("play", "102 west calls", "103 west exposes 3")
    assert lives(after(*shown, "104 west withdraws")) == {W: Life.WITHDRAWN}
    assert lives(after(*shown, "104 west discards", "105 west withdraws"), -2) == {W: Life.SHOWN}


def test_a_call_taken_back_is_the_newest_one() -> None:
    lines = ("play", "102 west calls", "104 south discards", "105 west calls", "106 west withdraws")
    hand = after(*lines)
    assert (lives(hand), lives(hand, -2)) == ({W: Life.WITHDRAWN}, {W: Life.PASSED_BY})
    older = after("play", "102 west calls", "104 south discards", "106 north discards", "107 west withdraws")
    assert lives(older, -3) == {W: Life.PASSED_BY}


def test_a_declaration_taken_back_takes_back_its_own_claim_alone() -> None:
    hand = after("play", "102 north declares", "102.5 west declares", "103 west undeclares")
    assert lives(hand) == {N: Life.STANDS, W: Life.WITHDRAWN}
    assert len(hand.windows) == 1
    called = after("play", "102 west calls", "103 west declares", "104 west undeclares")
    assert lives(called) == {W: Life.STANDS}


def test_a_discard_told_late_fills_the_turn_that_seemed_unseen() -> None:
    hand = after(
        "play",
        "102 south picks",
        "103 south racks",
        "103.3 south rests 14",
        "108 south discards",
        "108 south rests 13",
        "112 north racks",
        "113 [109,114] sure 0.3 west discards",
        "115 tick",
    )
    assert [w.seat for w in hand.windows] == [E, S, W]
    assert (hand.turn.holder, hand.turn.discarder, hand.turn.step) == (N, W, Step.RACKED)
    assert hand.windows[-1].openness is Openness.CLOSED
    assert hand.windows[-1].shut is not None
    assert hand.windows[-1].shut.seat is N
    assert hand.windows[-1].root == 28
    assert hand.seat(W).idle_known_s == 113.0
    assert hand.seat(W).holding is Hold.PERHAPS
    assert hand.seat(W).idle is not None
    assert hand.seat(W).idle.what is What.DISCARDED  # type: ignore[union-attr]


def test_a_discard_told_late_before_a_pick_leaves_its_window_open() -> None:
    hand = after("play", "112 west picks", "113 [109,114] sure 0.3 south discards")
    assert [w.seat for w in hand.windows] == [E, S]
    assert (hand.turn.holder, hand.turn.discarder, hand.windows[-1].openness) == (W, S, Openness.OPEN)
    hand = after("play", "112 north racks", "113 [109,114] sure 0.3 south discards")
    assert (hand.turn.holder, hand.turn.discarder, hand.windows[-1].openness) == (N, S, Openness.OPEN)


def test_a_discard_in_a_place_that_was_not_skipped_does_not_fill_it() -> None:
    hand = after("play", "112 north racks", "113 [111,114] east discards")
    assert [w.seat for w in hand.windows] == [E, E]
    assert hand.turn.discarder is E


def test_standing_is_read() -> None:
    hand = after(
        "play", "101 west rests 12", "110 tick", "111 north dies by east", "112 south dies by south", "113 tick"
    )
    assert [view.standing for view in hand.seats] == [Standing.ALIVE, Standing.ALIVE, Standing.WRONG, Standing.DEAD]


def test_a_discard_less_likely_than_not_is_no_basis_against_the_rack() -> None:
    hand = after("play", "103 south racks", "103.3 south rests 14", "110 sure 0.4 south discards", "130 tick")
    assert len(hand.windows) == 1
    assert hand.turn.holder is S
    hand = after("play", "110 sure 0.4 south discards", "130 tick")
    assert len(hand.windows) == 2


def test_windows_are_kept_for_two_go_rounds() -> None:
    lines = [f"{101 + 3 * i} {SEATS[(i + 1) % 4].value} discards" for i in range(20)]
    hand = after("play", *lines)
    assert len(hand.windows) == 8
    assert hand.windows[-1].discard.at == 158.0


def test_an_unknown_rack_is_due_once() -> None:
    told = CountChanged(at=5.0, seat=W, count=None, seq=1)
    unknown = SeatView(unknown_since=fact(told, What.UNKNOWN_COUNT))
    hand = Hand(phase=Phase.PLAY).with_seat(W, unknown)
    assert sensing.due_s(hand, LEAGUE) == 15.0
    hand = sensing.overdue(hand, 15.1, LEAGUE)
    assert sensing.due_s(hand, LEAGUE) == float("inf")
    assert sensing.overdue(hand, 30.0, LEAGUE) is hand
    assert sensing.due_s(sensing.known_again(hand, W), LEAGUE) == 15.0
    assert sensing.due_s(Hand(phase=Phase.DEAL).with_seat(W, unknown), LEAGUE) == float("inf")


def test_strays_are_due_and_then_gone() -> None:
    hand = after("play", "102 west picks")
    assert turn_order.due_s(hand) == pytest.approx(104.5)
    assert len(hand.strays) == 1
    assert turn_order.overdue(hand, 104.5).strays == hand.strays
    found = turn_order.overdue(hand, 104.6)
    assert (found.strays, len(found.outcomes)) == ((), len(hand.outcomes) + 1)
