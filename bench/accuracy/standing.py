"""What stands in the end of all that was told: events after their corrections, alerts after their withdrawals.

Owns the reading of `corrected` and of alert states, apart from the product's own, which is under test here.
"""

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from monitor.alerts import Alert, AlertState
from monitor.events import Corrected, Event

_OF_THE_CORRECTION = ("kind", "seq", "replaces", "new_kind", "struck")


class Settled(Struct, frozen=True):
    """An evening's records as they stand: `kept` and `withdrawn` alerts by their first lines."""

    events: tuple[Event, ...]
    kept: tuple[Alert, ...]
    withdrawn: tuple[Alert, ...]


def settled(records: Iterable[Event | Alert]) -> Settled:
    """Read all records of an evening, in the order in which they were told."""
    events: dict[int, Event] = {}
    first: dict[str, Alert] = {}
    state: dict[str, AlertState] = {}
    for record in records:
        match record:
            case Alert():
                first.setdefault(record.id, record)
                state[record.id] = record.state
            case Corrected():
                old = events.pop(record.replaces, None)
                if old is not None and not record.struck:
                    events[record.seq] = corrected(old, record)
            case _:
                events[record.seq] = record
    withdrawn = {id_ for id_, last in state.items() if last is AlertState.WITHDRAWN}
    return Settled(
        tuple(events.values()),
        tuple(alert for id_, alert in first.items() if id_ not in withdrawn),
        tuple(alert for id_, alert in first.items() if id_ in withdrawn),
    )


def corrected(old: Event, correction: Corrected) -> Event:
    """The event with its new values; they count from when they were known. Keys that are not set stay as they were."""
    changed = {k: v for k, v in msgspec.to_builtins(correction).items() if k not in _OF_THE_CORRECTION}
    was = msgspec.to_builtins(old)
    kind = correction.new_kind or was["kind"]
    new: Event = msgspec.convert(was | changed | {"kind": kind}, Event)
    return new
