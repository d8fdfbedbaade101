"""Events as they stand after their corrections, hand by hand of one table, and what a hand comes to.

Owns the following of corrections: each names the record that it corrects, a further one the latest correction. Used by
the list of hands and by the log of hands. Bounded: of a hand that never ends only the latest events are followed, and a
correction that finds nothing changes nothing.
"""

from collections import OrderedDict
from typing import Final

import msgspec
from msgspec import Struct

from monitor.alerts import Alert, AlertState, Rule
from monitor.events import (
    Corrected,
    Dealt,
    Discarded,
    EastIs,
    Event,
    HandEnd,
    HandEnded,
    HandStarted,
    Seat,
    WindowClosed,
)
from monitor.exports.entries import AlertEntry, EventEntry, Origin
from monitor.view import corrected

REMEMBERED: Final = 4000
"""Events of a hand that are followed, and alerts of one; our choice: several times what a long hand has."""


class Standing(Struct, frozen=True):
    """An event as it stands; `origin` is that of its first telling. `struck`: it never happened."""

    origin: Origin
    event: Event
    changed: bool = False
    struck: bool = False


class StandingEvents:
    """Follows the events of one table."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        """`remembered`: how many of the latest events a correction may find."""
        self._by_number: OrderedDict[int, Standing] = OrderedDict()
        self._remembered = remembered

    def take(self, entry: EventEntry) -> bool:
        """One record further; false for a correction of what is not followed."""
        event = entry.event
        number = event.seq or -entry.origin.seq
        if not isinstance(event, Corrected):
            self._keep(number, Standing(entry.origin, event))
            return True
        old = self._by_number.pop(event.replaces, None)
        if old is None:
            return False
        if event.struck:
            self._keep(number, msgspec.structs.replace(old, struck=True))
            return True
        try:
            new = corrected(old.event, event)
        except msgspec.ValidationError:  # a kind that this version does not know
            new = old.event
        self._keep(number, Standing(old.origin, new, changed=True))
        return True

    def all(self) -> list[Standing]:
        """What is followed, in order of time; a window closes after what closed it."""
        return sorted(
            self._by_number.values(),
            key=lambda one: (one.event.at, isinstance(one.event, WindowClosed), one.origin.seq),
        )

    def _keep(self, number: int, standing: Standing) -> None:
        self._by_number[number] = standing
        if len(self._by_number) > self._remembered:
            self._by_number.popitem(last=False)


class HandSummary(Struct, frozen=True):
    """What a hand came to. Times in UTC seconds; absent: not in the records that were exported."""

    table: str
    hand: int
    began_utc_s: float | None
    ended_utc_s: float | None
    east: Seat | None
    how: HandEnd | None
    discards: int
    play_s: float | None
    """From the first discard to the last."""
    events: int
    alerts: int
    standing_alerts: int

    @property
    def length_s(self) -> float | None:
        """How long the hand took."""
        if self.began_utc_s is None or self.ended_utc_s is None:
            return None
        return self.ended_utc_s - self.began_utc_s

    @property
    def pace_s(self) -> float | None:
        """Seconds from a discard to the next, on average."""
        return self.play_s / (self.discards - 1) if self.play_s is not None and self.discards > 1 else None


class HandTally:
    """Sums up one hand."""

    def __init__(self, table: str, hand: int) -> None:
        """A hand of a table, nothing of it read yet."""
        self.table = table
        self.hand = hand
        self._standing = StandingEvents()
        self._alerts: OrderedDict[str, Alert] = OrderedDict()
        self._began_utc_s: float | None = None
        self._ended_utc_s: float | None = None
        self._events = 0

    def take(self, entry: EventEntry | AlertEntry) -> None:
        """One record of the hand further."""
        if isinstance(entry, AlertEntry):
            if entry.alert.rule is not Rule.WINDOW_CLOSED:
                self._alerts[entry.alert.id] = entry.alert
                if len(self._alerts) > REMEMBERED:
                    self._alerts.popitem(last=False)
            return
        self._events += 1
        if isinstance(entry.event, _TELLING):
            self._standing.take(entry)
        if not isinstance(entry.event, Corrected):
            self._reach(entry.origin)

    def summary(self) -> HandSummary:
        """What it came to so far."""
        standing = [one for one in self._standing.all() if not one.struck]
        discards = [one.event.at for one in standing if isinstance(one.event, Discarded)]
        east, how = None, None
        for one in standing:
            match one.event:
                case HandStarted(east=Seat() as seat) | Dealt(east=Seat() as seat):
                    east = seat
                case EastIs(seat=Seat() as seat):
                    east = seat
                case HandEnded(how=end):
                    how = end
                case _:
                    pass
        return HandSummary(
            self.table,
            self.hand,
            self._began_utc_s,
            self._ended_utc_s,
            east,
            how,
            discards=len(discards),
            play_s=discards[-1] - discards[0] if len(discards) > 1 else None,
            events=self._events,
            alerts=len(self._alerts),
            standing_alerts=sum(alert.state is AlertState.RAISED for alert in self._alerts.values()),
        )

    def _reach(self, origin: Origin) -> None:
        at_utc_s = origin.at_utc_s
        if at_utc_s is None:
            return
        if self._began_utc_s is None or at_utc_s < self._began_utc_s:
            self._began_utc_s = at_utc_s
        if self._ended_utc_s is None or at_utc_s > self._ended_utc_s:
            self._ended_utc_s = at_utc_s


_TELLING = (Corrected, Dealt, Discarded, EastIs, HandEnded, HandStarted)
