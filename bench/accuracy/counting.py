"""Quiet seat-seconds with the right number of tiles.

Once a second after the deal, for each rack none of whose tiles has been in a hand for a while: is the number that
stands for it the true one? What was told counts from when it was known. A rack is its zone `rack` where that is told,
else the sum of slope and ledge; an unknown number is no right one.
"""

import math
from collections.abc import Iterable

from msgspec import Struct

from hw.simulator.truth import Truth
from monitor.events import CountChanged, Event, Zone

QUIET_S = 2.0
"""A rack rests where none of its tiles has been in a hand for so long (contract: spec of cases)."""


class Seconds(Struct, frozen=True, array_like=True):
    """Seat-seconds that were quiet, and those of them with the right number."""

    quiet: int
    right: int


class _Change(Struct, frozen=True):
    at_s: float
    seat: str
    count: int | None
    zone: Zone | None
    """None: the truth."""


def quiet_seconds(truth: Truth, events: Iterable[Event]) -> Seconds:
    """Count them."""
    dealt_s = next((event.at for event in truth.events if event.kind == "dealt"), 0.0)
    busy = _busy(truth)
    changes = [_Change(row.at, row.seat.value, row.slope + row.ledge, None) for row in truth.counts]
    changes += [
        _Change(event.known, event.seat.value, event.count, event.zone)
        for event in events
        if isinstance(event, CountChanged) and event.seat is not None
    ]
    changes.sort(key=lambda change: change.at_s)
    true: dict[str, int | None] = {}
    told: dict[str, dict[Zone, int | None]] = {}
    upto = quiet = right = 0
    for now in range(math.ceil(dealt_s) + 1, math.floor(truth.end)):
        while upto < len(changes) and changes[upto].at_s <= now:
            change = changes[upto]
            if change.zone is None:
                true[change.seat] = change.count
            else:
                told.setdefault(change.seat, {})[change.zone] = change.count
            upto += 1
        for seat, count in true.items():
            if now not in busy.get(seat, ()):
                quiet += 1
                right += whole(told.get(seat, {})) == count
    return Seconds(quiet, right)


def whole(zones: dict[Zone, int | None]) -> int | None:
    """The tiles of a rack from what was told of its zones; None where it cannot be known."""
    if Zone.RACK in zones:
        return zones[Zone.RACK]
    counts = [count for count in zones.values() if count is not None]
    return sum(counts) if len(counts) == len(zones) else None


def _busy(truth: Truth) -> dict[str, set[int]]:
    """The whole seconds in which each rack is not quiet."""
    busy: dict[str, set[int]] = {}
    for row in truth.busy:
        seconds = range(math.ceil(row.from_s), math.floor(row.to_s + QUIET_S) + 1)
        busy.setdefault(row.seat.value, set()).update(seconds)
    return busy
