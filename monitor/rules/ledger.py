"""From the order of knowledge to the order of time.

Owns the ledger of a table: every event as it stands after corrections, in order of `at`, with the reading after each.
An event that comes in order is folded once; one that comes late, or is corrected, is put in its place and the readings
are folded again from there. So what is found is a pure function of what is known, however it became known. Knows no
rule. Pure: a ledger is never changed, a new one is made.

The hand before the one that runs is kept, since late knowledge may still concern it; older hands are closed for good.
"""

import msgspec
from msgspec import Struct

from monitor.events import (
    Called,
    CallWithdrawn,
    Corrected,
    CountChanged,
    Dead,
    Dealt,
    DeclarationWithdrawn,
    Declared,
    Discarded,
    EastIs,
    Event,
    Exposed,
    HandEnded,
    HandStarted,
    JokerExchanged,
    Named,
    NewHand,
    Passed,
    Picked,
    PlayStarted,
    Racked,
    Recorded,
    Returned,
    Seat,
    SeatsSwapped,
    ThrownIn,
    Tick,
    Via,
    WindowClosed,
    WindowOpened,
)
from monitor.rules.fold import advanced
from monitor.rules.profile import Profile
from monitor.rules.state import Entry, Phase, Reading, replace

_ORDER: tuple[type[Recorded], ...] = (
    PlayStarted,
    Passed,
    Discarded,
    Picked,
    Named,
    Racked,
    JokerExchanged,
    Called,
    Exposed,
    Returned,
    CallWithdrawn,
    Declared,
    DeclarationWithdrawn,
    CountChanged,
    Dead,
    HandEnded,
    ThrownIn,
    NewHand,
    HandStarted,
    EastIs,
    Dealt,
)
RANK = {kind: rank for rank, kind in enumerate(_ORDER)}
"""What comes first at one and the same moment. So it does not matter in which order two seats are told of."""

_OF_RACKS = (
    CountChanged,
    Passed,
    PlayStarted,
    Picked,
    Racked,
    Discarded,
    Called,
    CallWithdrawn,
    Exposed,
    JokerExchanged,
    Returned,
    Declared,
    DeclarationWithdrawn,
)
"""Kinds that sensors attribute to a rack; a referee's inputs name the chair and need no swapping."""


class Ledger(Struct, frozen=True):
    """`origin`: the reading before the first entry; `readings[i]`: after `entries[i]`. `unmatched` counts corrections
    that named nothing known or could not be applied."""

    origin: Reading = Reading()
    entries: tuple[Entry, ...] = ()
    readings: tuple[Reading, ...] = ()
    heard: int = 0
    unmatched: int = 0

    @property
    def reading(self) -> Reading:
        """What the ledger tells in the end."""
        return self.readings[-1] if self.readings else self.origin


def heard(ledger: Ledger, event: Event, profile: Profile) -> Ledger:
    """The ledger after one more record, in order of knowledge."""
    match event:
        case Tick() | WindowOpened() | WindowClosed():
            return ledger
        case Corrected():
            return _corrected(ledger, event, profile)
    entry = Entry(event=event, raw=event, root=event.seq, heard=ledger.heard, names=(event.seq,), at=event.at)
    if isinstance(event, EastIs):
        entry = replace(entry, at=_start_of_hand(ledger, event))
    ledger = _inserted(replace(ledger, heard=ledger.heard + 1), entry, profile)
    return _reseated(ledger, profile) if isinstance(event, SeatsSwapped) else ledger


def _key(entry: Entry) -> tuple[float, int, int]:
    return (entry.at, RANK.get(type(entry.event), len(RANK)), entry.heard)


def _inserted(ledger: Ledger, entry: Entry, profile: Profile) -> Ledger:
    place, key = len(ledger.entries), _key(entry)
    while place and _key(ledger.entries[place - 1]) > key:
        place -= 1
    entries = (*ledger.entries[:place], entry, *ledger.entries[place:])
    return _folded(replace(ledger, entries=entries), place, profile)


def _folded(ledger: Ledger, place: int, profile: Profile) -> Ledger:
    """Fold again from `place` on, and forget what lies before the hand before."""
    readings = list(ledger.readings[:place])
    reading = readings[-1] if readings else ledger.origin
    number = reading.hand.number
    for entry in ledger.entries[place:]:
        if not entry.struck:
            reading = advanced(reading, entry, profile)
        readings.append(reading)
    ledger = replace(ledger, readings=tuple(readings))
    return _pruned(ledger) if reading.hand.number > number else ledger


def _pruned(ledger: Ledger) -> Ledger:
    oldest = ledger.reading.hand.number - 1
    keep = next((i for i, r in enumerate(ledger.readings) if r.hand.number >= oldest), 0)
    if not keep:
        return ledger
    return replace(
        ledger, origin=ledger.readings[keep - 1], entries=ledger.entries[keep:], readings=ledger.readings[keep:]
    )


def _start_of_hand(ledger: Ledger, event: EastIs) -> float:
    """Who is East holds for the whole hand, whenever it is said; said between hands it holds for the next."""
    hand = ledger.reading.hand
    if hand.phase is Phase.OVER:
        return event.at
    for entry, reading in zip(ledger.entries, ledger.readings, strict=True):
        if reading.hand.number == hand.number:
            return min(entry.at, event.at)
    return event.at


# ---- corrections


def _corrected(ledger: Ledger, event: Corrected, profile: Profile) -> Ledger:
    place = next((i for i, e in enumerate(ledger.entries) if event.replaces in e.names), None)
    old = None if place is None else ledger.entries[place]
    raw = None if old is None else amended(old.raw, event)
    if place is None or old is None or raw is None:
        return replace(ledger, unmatched=ledger.unmatched + 1)
    swapped = isinstance(raw, SeatsSwapped) or isinstance(old.raw, SeatsSwapped)
    at = old.at if isinstance(raw, EastIs) and isinstance(old.raw, EastIs) else raw.at
    entry = replace(
        old, event=_seated(raw, old, ledger), raw=raw, names=(*old.names, event.seq), struck=event.struck, at=at
    )
    rest = replace(ledger, entries=(*ledger.entries[:place], *ledger.entries[place + 1 :]))
    to = place
    while to < len(rest.entries) and _key(rest.entries[to]) < _key(entry):
        to += 1
    while to and _key(rest.entries[to - 1]) > _key(entry):
        to -= 1
    entries = (*rest.entries[:to], entry, *rest.entries[to:])
    ledger = _folded(replace(ledger, entries=entries), min(to, place), profile)
    return _reseated(ledger, profile) if swapped else ledger


def amended(event: Event, correction: Corrected) -> Event | None:
    """The event with the correction's keys laid over it; `None` if they make no event."""
    keys = {"kind", "replaces", "struck", "new_kind", "table"}
    changed = {k: v for k, v in msgspec.to_builtins(correction).items() if k not in keys}
    old = msgspec.to_builtins(event)
    try:
        new = msgspec.convert({**old, **changed, "kind": correction.new_kind or old["kind"]}, Event)  # type: ignore[arg-type]
    except msgspec.ValidationError:
        return None
    if isinstance(new, Corrected | Tick | WindowOpened | WindowClosed):
        return None
    earliest = None if new.earliest is None else min(new.earliest, new.at)
    latest = None if new.latest is None else max(new.latest, new.at)
    return replace(new, earliest=earliest, latest=latest)


# ---- racks taken for the wrong seats


def _reseated(ledger: Ledger, profile: Profile) -> Ledger:
    """Read the running hand again with its racks at the seats where they are."""
    number = ledger.reading.hand.number
    first = next((i for i, r in enumerate(ledger.readings) if r.hand.number == number), 0)
    entries = tuple(
        entry if i < first else replace(entry, event=_seated(entry.raw, entry, ledger))
        for i, entry in enumerate(ledger.entries)
    )
    return _folded(replace(ledger, entries=entries), first, profile)


def _seated(event: Event, entry: Entry, ledger: Ledger) -> Event:
    """The event at its true seat: every swap that became known after it moves it."""
    if not isinstance(event, _OF_RACKS) or (isinstance(event, Called) and event.via is Via.INPUT):
        return event
    for other in ledger.entries:
        swap = other.raw
        if isinstance(swap, SeatsSwapped) and not other.struck and other.heard > entry.heard:
            event = _moved(event, swap.seat, swap.other)
    return event


def _moved(event: Event, one: Seat | None, two: Seat | None) -> Event:
    if one is None or two is None:
        return event
    to = {one: two, two: one}

    def there(seat: Seat | None) -> Seat | None:
        return None if seat is None else to.get(seat, seat)

    event = replace(event, seat=there(event.seat))
    match event:
        case Passed():
            return replace(event, to=there(event.to))
        case Called():
            return replace(event, discard_by=there(event.discard_by))
        case JokerExchanged() if event.owners is not None:
            return replace(event, owners=tuple(to.get(owner, owner) for owner in event.owners))
    return event
