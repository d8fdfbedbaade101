"""What inference tells: events, and events taken back, each under a name that holds across both.

Owns the names of findings, and each rack's number as it was told last. Refuses to know what they mean.
"""

from msgspec.structs import replace

from monitor.events import CountChanged, Event, Seat, Zone
from monitor.inference.belief import Key


class Finding:
    """An event that is told, told otherwise (`again`), or taken back (`struck`); `key` names it across all of these."""

    __slots__ = ("again", "event", "key", "struck")

    def __init__(self, event: Event, key: Key, struck: bool, again: bool = False) -> None:
        self.event = event
        self.key = key
        self.struck = struck
        self.again = again

    def seen(self, now_s: float) -> "Finding":
        """The same finding, known at `now_s`."""
        return Finding(replace(self.event, seen_at=now_s), self.key, self.struck, self.again)

    def taken_back(self) -> "Finding":
        """The same finding, struck."""
        return Finding(self.event, self.key, True)

    def told_again(self, event: Event) -> "Finding":
        """The same finding as it is known by now."""
        return Finding(event, self.key, False, again=True)


class Numbers:
    """Running numbers of moves and findings of one table. `counts`: each rack's number as it was told last."""

    def __init__(self) -> None:
        self._last = 0
        self.counts: dict[Seat, CountChanged] = {}

    def next(self) -> int:
        """Count one on."""
        self._last += 1
        return self._last

    def finding(self, event: Event) -> Finding:
        """An event that nothing else names, as a finding."""
        if isinstance(event, CountChanged) and event.zone is Zone.RACK and event.seat is not None:
            self.counts[event.seat] = event
        return Finding(event, Key(str(self.next()), type(event).__name__, event.seat), False)
