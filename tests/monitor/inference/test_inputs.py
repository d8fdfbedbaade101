"""What a referee or another system says, as events: every word, and nothing guessed."""

import pytest

from firmware_bridge.messages import Input, InputName
from monitor.events import (
    Called,
    CallWithdrawn,
    Claim,
    Dead,
    DeclarationWithdrawn,
    Declared,
    EastIs,
    Event,
    Exposed,
    HandEnd,
    HandEnded,
    JokerExchanged,
    Named,
    NewHand,
    PlayStarted,
    Returned,
    Seat,
    SeatsSwapped,
    ThrownIn,
    Via,
)
from monitor.inference.inputs import event_of

W = Seat.WEST
SAID: list[tuple[Input, Event]] = [
    (
        Input(input=InputName.CALL, claim="kong", discard_by="south"),
        Called(at=7.0, seat=W, via=Via.INPUT, claim=Claim.KONG, discard_by=Seat.SOUTH),
    ),
    (Input(input=InputName.CALL_WITHDRAWN), CallWithdrawn(at=7.0, seat=W)),
    (Input(input=InputName.NAMED), Named(at=7.0, seat=W)),
    (Input(input=InputName.EXPOSED, n=4), Exposed(at=7.0, seat=W, n=4)),
    (
        Input(input=InputName.JOKER_EXCHANGED, n=2, owners=("east", "north")),
        JokerExchanged(at=7.0, seat=W, n=2, owners=(Seat.EAST, Seat.NORTH)),
    ),
    (Input(input=InputName.RETURNED), Returned(at=7.0, seat=W)),
    (Input(input=InputName.MAH_JONGG), Declared(at=7.0, seat=W)),
    (Input(input=InputName.MAH_JONGG_WITHDRAWN), DeclarationWithdrawn(at=7.0, seat=W)),
    (Input(input=InputName.DEAD, by="south"), Dead(at=7.0, seat=W, by="south")),
    (Input(input=InputName.DEAD, by="director"), Dead(at=7.0, seat=W, by="director")),
    (Input(input=InputName.THROW_IN, how="redeal"), ThrownIn(at=7.0, seat=W, how=HandEnd.REDEAL)),
    (Input(input=InputName.EAST_IS), EastIs(at=7.0, seat=W)),
    (Input(input=InputName.NEW_HAND), NewHand(at=7.0, seat=W)),
    (Input(input=InputName.HAND_ENDED, how="wall"), HandEnded(at=7.0, seat=W, how=HandEnd.WALL)),
    (Input(input=InputName.SEATS_SWAPPED, other="east"), SeatsSwapped(at=7.0, seat=W, other=Seat.EAST)),
    (Input(input=InputName.PLAY_STARTED), PlayStarted(at=7.0, seat=W)),
]


@pytest.mark.parametrize(("said", "event"), SAID, ids=lambda value: getattr(value, "input", None))
def test_each_word_is_its_event_at_its_arrival(said: Input, event: Event) -> None:
    assert event_of(said, W, 7.0) == event


def test_every_word_is_here() -> None:
    assert {said.input for said, _ in SAID} == set(InputName)


@pytest.mark.parametrize("name", InputName)
def test_a_word_about_the_whole_table_has_no_seat(name: InputName) -> None:
    assert event_of(Input(input=name), None, 3.5).seat is None


def test_seats_and_ways_that_do_not_exist_are_left_out() -> None:
    called = event_of(Input(input=InputName.CALL, claim="pair", discard_by="northwest"), W, 1.0)
    assert called == Called(at=1.0, seat=W, via=Via.INPUT)
    exchanged = event_of(Input(input=InputName.JOKER_EXCHANGED, owners=("me", "east")), W, 1.0)
    assert exchanged == JokerExchanged(at=1.0, seat=W, owners=(Seat.EAST,))
    assert event_of(Input(input=InputName.JOKER_EXCHANGED, owners=("me",)), W, 1.0) == JokerExchanged(at=1.0, seat=W)
    assert event_of(Input(input=InputName.HAND_ENDED, how="boredom"), W, 1.0) == HandEnded(at=1.0, seat=W)
    assert event_of(Input(input=InputName.SEATS_SWAPPED, other=""), W, 1.0) == SeatsSwapped(at=1.0, seat=W)
