"""Numbers the hands of a table, so that a log can be read and exported hand by hand.

A pure fold over events. A hand begins with `hand_started` or `new_hand`, whichever comes first after something was
played; records before the first of them belong to hand 0, which was under way when the monitor started.
"""

from monitor.events import Dealt, Discarded, Event, HandStarted, NewHand, Passed, PlayStarted, Racked


class HandCounter:
    """The current hand's number of one table."""

    def __init__(self, number: int = 0) -> None:
        """`number`: the last hand that the log already holds."""
        self.number = number
        self._fresh = False

    def take(self, event: Event) -> int:
        """The number of the hand that `event` belongs to."""
        match event:
            case HandStarted() | NewHand() if not self._fresh:
                self.number += 1
                self._fresh = True
            case Dealt() | Passed() | PlayStarted() | Racked() | Discarded():
                self._fresh = False
            case _:
                pass
        return self.number
