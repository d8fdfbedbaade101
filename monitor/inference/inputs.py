"""What a referee or another system says, as game events.

Owns the meaning of inputs. Arrivals -> **inputs** -> tracker. An input's time is its arrival; a seat or way of ending
that does not exist is left out rather than guessed.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar, assert_never

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

Word = TypeVar("Word", bound=StrEnum)


def event_of(said: Input, seat: Seat | None, at_s: float) -> Event:
    """The event that an input about `seat` is; `seat` is absent where the whole table is meant."""
    match said.input:
        case InputName.CALL:
            return Called(
                at=at_s,
                seat=seat,
                via=Via.INPUT,
                claim=_known(Claim, said.claim),
                discard_by=_known(Seat, said.discard_by),
            )
        case InputName.CALL_WITHDRAWN:
            return CallWithdrawn(at=at_s, seat=seat)
        case InputName.NAMED:
            return Named(at=at_s, seat=seat)
        case InputName.EXPOSED:
            return Exposed(at=at_s, seat=seat, n=said.n)
        case InputName.JOKER_EXCHANGED:
            owners = tuple(s for s in (_known(Seat, name) for name in said.owners or ()) if s is not None)
            return JokerExchanged(at=at_s, seat=seat, n=said.n, owners=owners or None)
        case InputName.RETURNED:
            return Returned(at=at_s, seat=seat)
        case InputName.MAH_JONGG:
            return Declared(at=at_s, seat=seat)
        case InputName.MAH_JONGG_WITHDRAWN:
            return DeclarationWithdrawn(at=at_s, seat=seat)
        case InputName.DEAD:
            return Dead(at=at_s, seat=seat, by=said.by)
        case InputName.THROW_IN:
            return ThrownIn(at=at_s, seat=seat, how=_known(HandEnd, said.how))
        case InputName.EAST_IS:
            return EastIs(at=at_s, seat=seat)
        case InputName.NEW_HAND:
            return NewHand(at=at_s, seat=seat)
        case InputName.HAND_ENDED:
            return HandEnded(at=at_s, seat=seat, how=_known(HandEnd, said.how))
        case InputName.SEATS_SWAPPED:
            return SeatsSwapped(at=at_s, seat=seat, other=_known(Seat, said.other))
        case InputName.PLAY_STARTED:
            return PlayStarted(at=at_s, seat=seat)
        case _ as unreachable:
            assert_never(unreachable)


def _known(kind: Callable[[str], Word], name: str | None) -> Word | None:
    try:
        return None if name is None else kind(name)
    except ValueError:
        return None
