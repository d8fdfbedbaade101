"""Events as they stand: what was told, with the corrections of it and the swaps of racks laid over, in order of time.

Owns the one way in which corrections are followed by screens, exports and reports; it is the rules' own (`ledger.py`):

- A correction names any number under which its event was told; what it makes no event of, or names nothing that is
  followed, changes nothing.
- What was struck is kept and marked, and a further correction brings it back.
- A swap of two racks moves what was heard of them before it, and nothing that is heard after it.

Refuses to know how what stands is shown. Between the records and every fold for the eye: `view`, `tally`, the exports'
log of hands, the incident report. Bounded: of too many events the earliest told are forgotten and counted. Pure.
"""

from bisect import bisect_left, insort
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from monitor.audience import Audience
from monitor.corrections import corrected, swapped
from monitor.events import Corrected, CountChanged, Event, SeatsSwapped, WindowClosed, WindowOpened, without_identities

HAND_EVENTS: Final = 5000
"""Events of a hand that are followed; our choice: a wall game has some 600."""


class Standing(Struct, frozen=True):
    """An event as it stands, at its true seat.

    `told`: as the monitor last told it. `seqs`: all numbers under which it was told. `ahead_s`: UTC seconds since 1970
    minus its own; `None`: not known. `struck`: it never happened. `by`: who put it right, where a person did.
    """

    event: Event
    told: Event
    seqs: tuple[int, ...]
    heard: int
    ahead_s: float | None = None
    changed: bool = False
    struck: bool = False
    by: str = ""


class StandingEvents:
    """Takes the events of a hand, or of a table, in order of knowledge."""

    def __init__(self, audience: Audience | None = None, *, remembered: int = HAND_EVENTS) -> None:
        """`audience`: whose view is wanted, without identities; `None`: events are as they were told."""
        self.forgotten = 0
        self._audience = audience
        self._remembered = remembered
        self._heard = 0
        self._told: dict[int, Standing] = {}
        self._in_order: list[Standing] = []
        self._swaps: set[int] = set()
        self._places: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._told)

    def take(self, event: Event, *, ahead_s: float | None = None, by: str = "") -> bool:
        """One record further; `False` for a correction that changes nothing here."""
        if self._audience is not None:
            event = without_identities(event)
        if isinstance(event, Corrected):
            return self._correct(event, by)
        self._heard += 1
        self._put(Standing(event, event, (event.seq,), self._heard, ahead_s, by=by))
        if event.seq:
            self._places[event.seq] = self._heard
        if len(self._told) > self._remembered:
            self.forget_earliest()
        return True

    def amend(self, event: Event, by: str, *, ahead_s: float | None = None) -> bool:
        """What a person put right afterwards, as if it had been heard next; `False` where it changes nothing here."""
        return self.take(replace(event, seq=max(self._places, default=0) + 1), ahead_s=ahead_s, by=by)

    def forget_earliest(self) -> Standing:
        """Let go of the event that was told before all others. Raises `StopIteration` where none is."""
        place = next(iter(self._told))
        earliest = self._told[place]
        self._lift(earliest)
        del self._told[place]
        for number in earliest.seqs:
            if self._places.get(number) == place:
                del self._places[number]
        self.forgotten += 1
        return earliest

    @property
    def all(self) -> list[Standing]:
        """Everything that is followed, in order of time; at one moment, windows after what opens and closes them."""
        every = self._in_order
        if self._audience is not None and not self._audience.count_monitoring:
            every = [one for one in every if not isinstance(one.event, CountChanged)]
        if not self._swaps:
            return every.copy()
        swaps = sorted((self._told[place] for place in self._swaps), key=_order)
        swaps = [swap for swap in swaps if not swap.struck]
        return [_seated(one, swaps) for one in every]

    @property
    def standing(self) -> list[Standing]:
        """The same without what never happened."""
        return [one for one in self.all if not one.struck]

    @property
    def seqs(self) -> set[int]:
        """Every number under which something that stands was told."""
        return {seq for one in self.standing for seq in one.seqs}

    def _correct(self, correction: Corrected, by: str) -> bool:
        place = self._places.get(correction.replaces)
        if place is None:
            return False
        old = self._told[place]
        new = corrected(old.event, correction)
        if new is None:
            return False
        event = old.event if correction.struck else new
        self._lift(old)
        stands = replace(
            old,
            event=event,
            told=old.told if by or old.by else event,
            seqs=(*old.seqs, correction.seq),
            changed=old.changed or not correction.struck,
            struck=correction.struck,
            by=by or old.by,
        )
        self._put(stands)
        if correction.seq:
            self._places[correction.seq] = place
        return True

    def _put(self, one: Standing) -> None:
        self._told[one.heard] = one
        insort(self._in_order, one, key=_order)
        if isinstance(one.event, SeatsSwapped):
            self._swaps.add(one.heard)

    def _lift(self, one: Standing) -> None:
        del self._in_order[bisect_left(self._in_order, _order(one), key=_order)]
        self._swaps.discard(one.heard)


def _seated(one: Standing, swaps: list[Standing]) -> Standing:
    """The event at its true seat: each swap that was heard after it moves it."""
    event, by = one.event, one.by
    for swap in swaps:
        if swap.heard > one.heard and isinstance(swap.event, SeatsSwapped):
            moved = swapped(event, swap.event)
            by = by if moved == event else by or swap.by
            event = moved
    return one if event is one.event else replace(one, event=event, by=by)


def moment(event: Event) -> tuple[float, bool]:
    """Where an event stands among others: by its time; at one moment, a window after what opens or closes it."""
    return event.at, isinstance(event, WindowOpened | WindowClosed)


def _order(one: Standing) -> tuple[tuple[float, bool], int]:
    return moment(one.event), one.heard
