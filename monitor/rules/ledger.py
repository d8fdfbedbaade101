"""From the order of knowledge to the order of time.

Owns the ledger of a table: every event as it stands after corrections, in order of `at`, with the reading after each.
An event that comes in order is folded once; one that comes late, or is corrected, is put in its place and the readings
are folded again from there. So what is found is a pure function of what is known, however it became known. Knows no
rule. Pure: a ledger is never changed, a new one is made.

The hand before the one that runs is kept, since late knowledge may still concern it; older hands are closed for good.
"""

from collections.abc import Iterable
from itertools import chain

from msgspec import Struct

from monitor.corrections import corrected, swapped
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
    SeatsSwapped,
    ThrownIn,
    Tick,
    WindowClosed,
    WindowOpened,
)
from monitor.rules.fold import advanced, seemed_play
from monitor.rules.profile import Profile
from monitor.rules.state import Entry, Phase, Place, Reading, replace

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
"""What comes first at one and the same moment, so that it does not matter which seat is told of first."""

_RECENT = 64
"""Entries that stay at hand for what comes next. Our choice: some twelve turns, a minute or two."""


class Ledger(Struct, frozen=True):
    """`origin`: the reading before the first entry; `readings[i]`: after `entries[i]`. `older` and `older_readings` lie
    before them: most records come in order, and adding one then copies only what is recent.

    `touched`: outcomes the last record may have changed. `unmatched` counts corrections that named nothing known, or
    made no event. `last_seq`: the greatest number of a record so far.
    """

    origin: Reading = Reading()
    older: tuple[Entry, ...] = ()
    older_readings: tuple[Reading, ...] = ()
    entries: tuple[Entry, ...] = ()
    readings: tuple[Reading, ...] = ()
    touched: tuple[Place, ...] = ()
    heard: int = 0
    unmatched: int = 0
    last_seq: int = 0

    @property
    def reading(self) -> Reading:
        """What the ledger tells in the end."""
        return self.readings[-1] if self.readings else self.origin

    def whole(self) -> "Ledger":
        """The same ledger with all its entries together, for what concerns more than the recent ones."""
        if not self.older:
            return self
        entries, readings = (*self.older, *self.entries), (*self.older_readings, *self.readings)
        return replace(self, older=(), older_readings=(), entries=entries, readings=readings)


def heard(ledger: Ledger, event: Event, profile: Profile) -> Ledger:
    """The ledger after one more record, in order of knowledge."""
    if isinstance(event, Tick | WindowOpened | WindowClosed):
        return replace(ledger, touched=())
    if isinstance(event, Corrected):
        return _corrected(ledger.whole(), event, profile)
    if event.seq <= ledger.last_seq and _is_known(ledger, event):
        return replace(ledger, touched=())
    ledger = replace(ledger, last_seq=max(ledger.last_seq, event.seq))
    if isinstance(event, EastIs | SeatsSwapped):
        ledger = ledger.whole()
    entry = Entry(event=event, raw=event, root=event.seq, heard=ledger.heard, names=(event.seq,), at=event.at)
    if isinstance(event, EastIs):
        entry = replace(entry, at=_start_of_hand(ledger, event.at))
    ledger = _inserted(replace(ledger, heard=ledger.heard + 1), entry, profile)
    return _reseated(ledger, entry.root, profile) if isinstance(event, SeatsSwapped) else ledger


def _is_known(ledger: Ledger, event: Recorded) -> bool:
    """Whether this very record was heard before: a broker may deliver it twice."""
    return any(event.seq == entry.root and event == entry.raw for entry in chain(ledger.older, ledger.entries))


def _key(entry: Entry) -> tuple[float, int, int]:
    return (entry.at, RANK.get(type(entry.event), len(RANK)), entry.heard)


def _inserted(ledger: Ledger, entry: Entry, profile: Profile) -> Ledger:
    key = _key(entry)
    if not ledger.entries or _key(ledger.entries[-1]) < key:
        return _appended(ledger, entry, profile)
    ledger = ledger.whole()
    entries, place = ledger.entries, len(ledger.entries)
    while place and _key(entries[place - 1]) > key:
        place -= 1
    return _folded(ledger, (*entries[:place], entry, *entries[place:]), place, profile)


def _appended(ledger: Ledger, entry: Entry, profile: Profile) -> Ledger:
    """The ledger after an entry that comes in order of time."""
    reading = advanced(ledger.reading, entry, profile)
    if reading.hand.number > ledger.reading.hand.number:
        ledger = ledger.whole()
        whole = replace(ledger, entries=(*ledger.entries, entry), readings=(*ledger.readings, reading))
        return replace(_pruned(whole), touched=reading.touched)
    if len(ledger.entries) < 2 * _RECENT:
        entries, readings = (*ledger.entries, entry), (*ledger.readings, reading)
        return replace(ledger, entries=entries, readings=readings, touched=reading.touched)
    return replace(
        ledger,
        older=(*ledger.older, *ledger.entries[:-_RECENT]),
        older_readings=(*ledger.older_readings, *ledger.readings[:-_RECENT]),
        entries=(*ledger.entries[-_RECENT:], entry),
        readings=(*ledger.readings[-_RECENT:], reading),
        touched=reading.touched,
    )


def _folded(ledger: Ledger, entries: tuple[Entry, ...], place: int, profile: Profile) -> Ledger:
    """The ledger with these entries, which are as before up to `place`, read again from there."""
    readings = list(ledger.readings[:place])
    reading = readings[-1] if readings else ledger.origin
    no_play = [entry.event.known for entry in entries if entry.struck and isinstance(entry.event, PlayStarted)]
    if no_play:
        reading = seemed_play(reading, max(no_play))
    for entry in entries[place:]:
        reading = replace(reading, touched=()) if entry.struck else advanced(reading, entry, profile)
        readings.append(reading)
    touched = _touched(ledger.readings[place:], readings[place:])
    return _pruned(replace(ledger, entries=entries, readings=tuple(readings), touched=touched))


def _touched(*readings: Iterable[Reading]) -> tuple[Place, ...]:
    return tuple(dict.fromkeys(place for reading in chain(*readings) for place in reading.touched))


def _pruned(ledger: Ledger) -> Ledger:
    """The ledger without what lies before the hand before."""
    oldest = ledger.reading.hand.number - 1
    keep = next((i for i, reading in enumerate(ledger.readings) if reading.hand.number >= oldest), 0)
    if not keep:
        return ledger
    return replace(
        ledger, origin=ledger.readings[keep - 1], entries=ledger.entries[keep:], readings=ledger.readings[keep:]
    )


def _first_of_hand(ledger: Ledger) -> int:
    """The place of the first entry of the hand that runs."""
    number = ledger.reading.hand.number
    return next((i for i, r in enumerate(ledger.readings) if r.hand.number == number), len(ledger.entries))


def _start_of_hand(ledger: Ledger, at: float) -> float:
    """Who is East holds for the whole hand, whenever it is said; said between hands, it holds for the next."""
    first = _first_of_hand(ledger)
    if ledger.reading.hand.phase is Phase.OVER or first == len(ledger.entries):
        return at
    return min(ledger.entries[first].at, at)


# ---- corrections


def _corrected(ledger: Ledger, event: Corrected, profile: Profile) -> Ledger:
    place = next((i for i, entry in enumerate(ledger.entries) if event.replaces in entry.names), None)
    raw = None if place is None else amended(ledger.entries[place].raw, event)
    if place is None or raw is None:
        return replace(ledger, unmatched=ledger.unmatched + 1, touched=())
    old = ledger.entries[place]
    east = isinstance(raw, EastIs) and isinstance(old.raw, EastIs)
    entry = replace(
        old,
        raw=raw,
        names=(*old.names, event.seq),
        struck=event.struck,
        at=min(old.at, raw.at) if east else raw.at,
    )
    entry = replace(entry, event=_seated(entry, _of_hand(ledger, ledger.readings[place].hand.number)))
    rest = (*ledger.entries[:place], *ledger.entries[place + 1 :])
    to = next((i for i, other in enumerate(rest) if _key(other) > _key(entry)), len(rest))
    ledger = _folded(ledger, (*rest[:to], entry, *rest[to:]), min(to, place), profile)
    if isinstance(raw, SeatsSwapped) or isinstance(old.raw, SeatsSwapped):
        return _reseated(ledger, entry.root, profile)
    return ledger


def amended(event: Event, correction: Corrected) -> Event | None:
    """The event as it is corrected; `None` if that makes no event, or one that the rules derive themselves."""
    new = corrected(event, correction)
    return None if isinstance(new, WindowOpened | WindowClosed) else new


# ---- racks taken for the wrong seats


def _reseated(ledger: Ledger, swap: int, profile: Profile) -> Ledger:
    """Read the hand of this swap again, with its racks at the seats where they are."""
    place = next(i for i, entry in enumerate(ledger.entries) if entry.root == swap)
    mates = _of_hand(ledger, ledger.readings[place].hand.number)
    first = ledger.entries.index(mates[0])
    moved = tuple(replace(entry, event=_seated(entry, mates)) for entry in ledger.entries[first:])
    return _folded(ledger, (*ledger.entries[:first], *moved), first, profile)


def _of_hand(ledger: Ledger, number: int) -> tuple[Entry, ...]:
    """The entries of one hand."""
    return tuple(e for e, r in zip(ledger.entries, ledger.readings, strict=True) if r.hand.number == number)


def _seated(entry: Entry, entries: tuple[Entry, ...]) -> Event:
    """The event at its true seat: every swap in its hand's `entries` that became known after it moves it."""
    event = entry.raw
    for other in entries:
        swap = other.raw
        if isinstance(swap, SeatsSwapped) and not other.struck and other.heard > entry.heard:
            event = swapped(event, swap)
    return event
