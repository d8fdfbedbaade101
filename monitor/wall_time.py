"""Moments of the host's clock as times of day, for those who were not there.

Owns the step between the two clocks. Refuses to know why a wall clock is set, and reads neither clock by itself.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

WALL_STEP_S: Final = 0.5
"""Our choice: a wall clock that was set by more is followed; by less, a moment that was told does not change."""


class WallTime:
    """Turns host seconds into UTC."""

    def __init__(self, clock: Callable[[], float], wall: Callable[[], float]) -> None:
        """`clock` gives the host's monotonic seconds, `wall` UTC seconds since 1970."""
        self._clock = clock
        self._wall = wall
        self._ahead_s = wall() - clock()

    def ahead_s(self) -> float:
        """UTC seconds since 1970 minus the host's."""
        ahead_s = self._wall() - self._clock()
        if abs(ahead_s - self._ahead_s) > WALL_STEP_S:
            self._ahead_s = ahead_s
        return self._ahead_s

    def utc(self, at: float) -> datetime:
        """When it was, to the millisecond."""
        return datetime.fromtimestamp(round(at + self.ahead_s(), 3), UTC)
