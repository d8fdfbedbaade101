"""What a correction, or a swap of two racks, makes of an event.

Owns the single step, for everybody who follows corrections: the rules' ledger, the fold of events as they stand, the
words of a terminal. Refuses to know which event is meant and in which order things were heard. Pure.
"""

import msgspec
from msgspec.structs import replace

from monitor.events import (
    Called,
    CallWithdrawn,
    Corrected,
    CountChanged,
    DeclarationWithdrawn,
    Declared,
    Discarded,
    Event,
    Exposed,
    JokerExchanged,
    Passed,
    Picked,
    PlayStarted,
    Racked,
    Returned,
    Seat,
    SeatsSwapped,
    Tick,
    Via,
)

_OF_RACKS = (
    CountChanged
    | Passed
    | PlayStarted
    | Picked
    | Racked
    | Discarded
    | Called
    | CallWithdrawn
    | Exposed
    | JokerExchanged
    | Returned
    | Declared
    | DeclarationWithdrawn
)
"""What sensors attribute to a rack. A referee's inputs name the chair, and need no swapping."""


def corrected(event: Event, correction: Corrected) -> Event | None:
    """The event with the correction's keys laid over it, numbered as the correction; `None` if that makes no event."""
    changed = {key: value for key, value in msgspec.to_builtins(correction).items() if key != "table"}
    old = msgspec.to_builtins(event)
    try:
        new: Event = msgspec.convert({**old, **changed, "kind": correction.new_kind or old["kind"]}, Event)
    except msgspec.ValidationError:
        return None
    if isinstance(new, Corrected | Tick):
        return None
    earliest = None if new.earliest is None else min(new.earliest, new.at)
    latest = None if new.latest is None else max(new.latest, new.at)
    return replace(new, earliest=earliest, latest=latest)


def swapped(event: Event, swap: SeatsSwapped) -> Event:
    """The event at its true seat, where the racks of two seats were taken for each other's."""
    one, two = swap.seat, swap.other
    if one is None or two is None or not isinstance(event, _OF_RACKS):
        return event
    if isinstance(event, Called) and event.via is Via.INPUT:
        return event

    def there(seat: Seat | None) -> Seat | None:
        return two if seat is one else one if seat is two else seat

    moved = replace(event, seat=there(event.seat))
    match moved:
        case Passed():
            return replace(moved, to=there(moved.to))
        case Called():
            return replace(moved, discard_by=there(moved.discard_by))
        case JokerExchanged() if moved.owners is not None:
            return replace(moved, owners=tuple(seat for owner in moved.owners if (seat := there(owner)) is not None))
    return moved
