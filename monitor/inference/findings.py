"""What inference tells: events, and events taken back, each under a name that holds across both.

Owns the names of findings. Refuses to know what they mean.
"""

from monitor.events import Event
from monitor.inference.belief import Key


class Finding:
    """An event that is told, or (`struck`) taken back; `key` names it across both."""

    __slots__ = ("event", "key", "struck")

    def __init__(self, event: Event, key: Key, struck: bool) -> None:
        self.event = event
        self.key = key
        self.struck = struck

    def taken_back(self) -> "Finding":
        """The same finding, struck."""
        return Finding(self.event, self.key, True)


class Numbers:
    """Running numbers of moves and findings of one table."""

    def __init__(self) -> None:
        self._last = 0

    def next(self) -> int:
        """Count one on."""
        self._last += 1
        return self._last

    def finding(self, event: Event) -> Finding:
        """An event that nothing else names, as a finding."""
        return Finding(event, Key(str(self.next()), type(event).__name__, event.seat), False)
