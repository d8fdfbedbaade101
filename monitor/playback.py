"""Plays a timeline: where it stands, how fast, and where a key takes it.

Owns position, speed and pause. Refuses to know keys, screens and clocks: `advance` is told how much time has passed.
Between a timeline and the terminal. Pure.
"""

from bisect import bisect_left, bisect_right
from enum import StrEnum
from typing import Final

from msgspec import Struct

from monitor.timeline import Timeline
from monitor.view import TableView

SLOWEST: Final = 0.1
FASTEST: Final = 64.0
SPEEDS: Final = (SLOWEST, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, FASTEST)
"""The steps of faster and slower, in times real time; our choice."""
GRACE_S: Final = 1.5
"""Our choice, in seconds of the person watching: so soon after an alert, *previous* means the one before it."""


class Motion(StrEnum):
    """Whether time passes."""

    PLAYING = "playing"
    PAUSED = "paused"
    ENDED = "at the end"


class Shown(Struct, frozen=True):
    """All that a screen needs to show of a player."""

    timeline: Timeline
    at_s: float
    speed: float
    motion: Motion
    view: TableView


class Player:
    """Plays one timeline from its beginning."""

    def __init__(self, timeline: Timeline, speed: float = 1.0) -> None:
        """`speed`: times real time."""
        self._timeline = timeline
        self._at_s = timeline.began_s
        self._speed = speed
        self._paused = False

    @property
    def motion(self) -> Motion:
        """Whether time passes. At the end it does not, whatever was asked."""
        if self._at_s >= self._timeline.ended_s:
            return Motion.ENDED
        return Motion.PAUSED if self._paused else Motion.PLAYING

    @property
    def shown(self) -> Shown:
        """What is to be seen now."""
        return Shown(self._timeline, self._at_s, self._speed, self.motion, self._timeline.view(self._at_s))

    def advance(self, elapsed_s: float) -> None:
        """So much time of the person watching has passed."""
        if self.motion is Motion.PLAYING:
            self.seek(self._at_s + elapsed_s * self._speed)

    def pause(self) -> None:
        """Pause, or go on; at the end, play it all again."""
        match self.motion:
            case Motion.PLAYING:
                self._paused = True
            case Motion.PAUSED:
                self._paused = False
            case Motion.ENDED:
                self._paused = False
                self.seek(self._timeline.began_s)

    def seek(self, at_s: float) -> None:
        """Go to a moment, or as near to it as the timeline reaches."""
        self._at_s = min(max(at_s, self._timeline.began_s), self._timeline.ended_s)

    def skip(self, by_s: float) -> None:
        """Go so many recorded seconds on, or back."""
        self.seek(self._at_s + by_s)

    def home(self) -> None:
        """Go to the beginning."""
        self.seek(self._timeline.began_s)

    def end(self) -> None:
        """Go to the end."""
        self.seek(self._timeline.ended_s)

    def next_alert(self) -> None:
        """Go to the next alert, if there is one."""
        alerts = self._timeline.alerts_s
        coming = bisect_right(alerts, self._at_s)
        if coming < len(alerts):
            self.seek(alerts[coming])

    def previous_alert(self) -> None:
        """Go to the alert before this moment, if there is one; while playing, one that just came is passed over."""
        alerts = self._timeline.alerts_s
        grace_s = GRACE_S * self._speed if self.motion is Motion.PLAYING else 0.0
        passed = bisect_left(alerts, self._at_s)
        if not passed:
            return
        within = passed > 1 and self._at_s - alerts[passed - 1] <= grace_s
        self.seek(alerts[passed - 2 if within else passed - 1])

    def faster(self) -> None:
        """One step faster."""
        self._speed = next((speed for speed in SPEEDS if speed > self._speed), FASTEST)

    def slower(self) -> None:
        """One step slower."""
        self._speed = next((speed for speed in reversed(SPEEDS) if speed < self._speed), SLOWEST)
