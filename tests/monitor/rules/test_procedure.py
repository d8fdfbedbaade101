"""The tables of the procedure: whole, and what they say of seats and turns."""

import pytest

from monitor.alerts import Fact, What
from monitor.events import (
    SEATS,
    Called,
    Closing,
    Dealt,
    DeclarationWithdrawn,
    Declared,
    Discarded,
    HandEnded,
    HandStarted,
    NewHand,
    Picked,
    Racked,
    Returned,
    Seat,
    ThrownIn,
)
from monitor.rules.diagrams import diagrams
from monitor.rules.procedure import (
    PHASES,
    SEAT,
    TURN,
    WINDOW,
    article_north,
    is_firm,
    next_seat,
    phase_after,
    seat_after,
    seat_before,
    step_after,
    takes_turn,
    turns_between,
)
from monitor.rules.profile import LEAGUE, Profile, TableRules
from monitor.rules.state import Hand, Openness, Phase, SeatView, Standing, Step, Turn, replace

E, S, W, N = SEATS
THREE = Profile(table=TableRules(empty_seat=N))


def hand(*, discarder: Seat | None = E, dead: tuple[Seat, ...] = (), **keys: object) -> Hand:
    views = tuple(SeatView(standing=Standing.DEAD if seat in dead else Standing.ALIVE) for seat in SEATS)
    return replace(Hand(seats=views, turn=Turn(discarder=discarder)), **keys)


def test_every_state_has_a_row_and_can_be_reached() -> None:
    assert set(PHASES) == set(Phase)
    assert set(TURN) == set(Step)
    assert set(WINDOW) == set(Openness)
    assert set(SEAT) == set(Standing)
    assert {move.to for moves in PHASES.values() for move in moves.values()} == set(Phase) - {Phase.UNSEEN}
    assert {to for moves in TURN.values() for to in moves.values()} == set(Step)
    assert {to for moves in WINDOW.values() for to in moves.values()} == set(Openness) - {Openness.NONE}


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.OVER])
def test_a_hand_can_end_in_every_phase(phase: Phase) -> None:
    assert PHASES[phase][HandEnded].to is Phase.OVER
    assert PHASES[phase][ThrownIn].to is Phase.OVER


@pytest.mark.parametrize("phase", [Phase.PLAY, Phase.DECLARED, Phase.OVER])
@pytest.mark.parametrize("kind", [HandStarted, NewHand, Dealt])
def test_a_hand_that_begins_after_play_is_another_hand(phase: Phase, kind: type) -> None:
    assert PHASES[phase][kind].new_hand


def test_a_hand_that_begins_is_not_begun_twice() -> None:
    for phase in (Phase.SET_UP, Phase.DEAL):
        assert not any(move.new_hand for move in PHASES[phase].values())


def test_a_discard_ends_every_turn_and_opens_every_window() -> None:
    assert all(moves[Discarded] is Step.TO_ACT for moves in TURN.values())
    assert all(WINDOW[state][Discarded] is Openness.OPEN for state in Openness if state is not Openness.OPEN)
    assert set(Closing) <= set(WINDOW[Openness.OPEN])


def test_nothing_revives_a_dead_hand() -> None:
    assert SEAT[Standing.DEAD] == {}


def test_the_declaring_seat_shows_its_tiles() -> None:
    shown = hand(phase=Phase.DECLARED, declarer=S)
    assert phase_after(shown, Racked(at=1.0, seat=S)) is None
    assert phase_after(shown, Discarded(at=1.0, seat=S)) is None
    assert phase_after(shown, Racked(at=1.0, seat=W)) == PHASES[Phase.DECLARED][Racked]
    assert phase_after(shown, DeclarationWithdrawn(at=1.0, seat=W)) is None
    assert phase_after(shown, DeclarationWithdrawn(at=1.0, seat=S)) == PHASES[Phase.DECLARED][DeclarationWithdrawn]
    assert phase_after(shown, HandEnded(at=1.0)) == PHASES[Phase.DECLARED][HandEnded]


def test_a_dead_hands_declaration_leads_nowhere() -> None:
    play = hand(dead=(S,), phase=Phase.PLAY)
    assert phase_after(play, Declared(at=1.0, seat=S)) is None
    assert phase_after(play, Declared(at=1.0, seat=W)) == PHASES[Phase.PLAY][Declared]


def test_what_a_table_does_not_name_changes_nothing() -> None:
    assert phase_after(hand(phase=Phase.PLAY), Called(at=1.0, seat=S)) is None
    assert step_after(Turn(step=Step.EXPOSING), Picked) is Step.EXPOSING
    assert step_after(Turn(step=Step.RACKED), Returned) is Step.TO_ACT


@pytest.mark.parametrize(
    ("discarder", "dead", "profile", "turn"),
    [
        (E, (), LEAGUE, S),
        (N, (), LEAGUE, E),
        (E, (S,), LEAGUE, W),
        (E, (S, W), LEAGUE, N),
        (E, (S, W, N), LEAGUE, None),
        (S, (W,), LEAGUE, N),
        (W, (), THREE, E),
        (W, (E,), THREE, S),
        (None, (), LEAGUE, None),
    ],
)
def test_whose_turn(discarder: Seat | None, dead: tuple[Seat, ...], profile: Profile, turn: Seat | None) -> None:
    assert next_seat(hand(discarder=discarder, dead=dead), profile) is turn


def test_who_sits_where() -> None:
    assert [seat_after(hand(), seat, LEAGUE) for seat in SEATS] == [S, W, N, E]
    assert [seat_before(hand(), seat, LEAGUE) for seat in SEATS] == [N, E, S, W]
    assert seat_before(hand(dead=(S,)), W, LEAGUE) is E
    assert seat_before(hand(), E, THREE) is W
    assert seat_before(hand(dead=(E, S, N)), W, LEAGUE) is None
    assert [article_north(seat) for seat in SEATS] == [N, E, S, W]


def test_how_many_turns_passed_unseen() -> None:
    assert [turns_between(hand(), seat, LEAGUE) for seat in (S, W, N, E)] == [0, 1, 2, 3]
    assert [turns_between(hand(dead=(S,)), seat, LEAGUE) for seat in (W, N, E)] == [0, 1, 2]
    assert turns_between(hand(discarder=None), S, LEAGUE) == 0
    assert turns_between(hand(dead=(S,)), S, LEAGUE) == 4


@pytest.mark.parametrize(
    ("step", "count", "firm"),
    [
        (Step.RACKED, 14, True),
        (Step.EXPOSING, 14, True),
        (Step.EXCHANGING, 15, True),
        (Step.RACKED, 13, False),
        (Step.RACKED, None, False),
        (Step.PICKED, 14, False),
        (Step.CALLED, 14, False),
        (Step.TO_ACT, 14, False),
    ],
)
def test_when_a_turn_is_certain(step: Step, count: int | None, firm: bool) -> None:
    held = hand(turn=Turn(step=step, holder=S)).with_seat(S, SeatView(count=count))
    assert is_firm(held) is firm
    assert not is_firm(hand(turn=Turn(step=step)))


def test_the_first_act_of_a_turn_is_kept() -> None:
    picked = Fact(What.PICKED, 1.0, 1.0, 1.0, seat=S)
    racked = Fact(What.RACKED, 2.0, 2.0, 2.0, seat=S)
    held = takes_turn(hand(), Picked(at=1.0, seat=S), picked)
    assert (held.turn.step, held.turn.holder, held.turn.began) == (Step.PICKED, S, picked)
    held = takes_turn(held, Racked(at=2.0, seat=S), racked)
    assert (held.turn.step, held.turn.began) == (Step.RACKED, picked)
    other = takes_turn(held, Racked(at=3.0, seat=W), replace(racked, seat=W))
    assert (other.turn.holder, other.turn.began) == (W, replace(racked, seat=W))


def test_a_call_that_stands_keeps_its_step_while_the_next_player_acts() -> None:
    called = hand(turn=Turn(step=Step.CALLED, resumes=Step.PICKED))
    racked = takes_turn(called, Racked(at=2.0, seat=S), Fact(What.RACKED, 2.0, 2.0, 2.0, seat=S))
    assert (racked.turn.step, racked.turn.resumes, racked.turn.holder) == (Step.CALLED, Step.RACKED, S)


def test_pictures_name_every_state_and_every_move() -> None:
    drawn = diagrams()
    assert set(drawn) == {"phases", "turn", "window", "seat"}
    for name, states in (("phases", Phase), ("turn", Step), ("window", Openness), ("seat", Standing)):
        assert drawn[name].startswith("stateDiagram-v2\n")
        for state in states:
            assert f"    {state.value}\n" in drawn[name]
    assert "    charleston --> play: play_started, discarded\n" in drawn["phases"]
    assert "    over --> deal: hand_started (new hand)\n" in drawn["phases"]
    assert "    open --> claimed: closed by claimed\n" in drawn["window"]
    assert "    racked --> to_act: returned, discarded\n" in drawn["turn"]
    assert drawn["seat"].endswith("    wrong --> dead: declared_dead")
