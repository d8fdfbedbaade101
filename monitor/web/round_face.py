"""The clock of the round as pages show it: the same sums, on the host's seconds that a browser counts in.

Owns how the chair's clock, which is reckoned in UTC, becomes moments of the host's clock, and how time left is written.
Chair -> **round face** -> hub, pages, API. Who ruled about what, and their words, are no part of any face: only numbers
that a whole hall may see. Pure but for `follow`.
"""

import math
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from monitor.chair import Chair, Changed
from monitor.round_clock import RoundClock, Running
from monitor.web.words import say

_ON: Final = frozenset({Running.RUNNING, Running.PAUSED})


class RoundFace(Struct, frozen=True):
    """The clock, and the host's seconds of `clock.since_utc_s`."""

    clock: RoundClock = RoundClock()
    since_s: float = 0.0

    @property
    def on(self) -> bool:
        """Whether a round is being played, be its clock paused."""
        return self.clock.running in _ON

    def ends_s(self, table: str = "") -> float | None:
        """When a table's time is up, in the host's seconds; without a table, that of those without time of their own.

        `None` where the clock stands. The same at every call, so that what is drawn from it does not flicker.
        """
        if self.clock.running is not Running.RUNNING:
            return None
        return self.since_s + self.clock.remaining_s(table, self.clock.since_utc_s)

    def left_s(self, now_s: float, table: str = "") -> float:
        """How long there is left at a moment of the host's clock; below 0: over. 0 where no round was begun."""
        ends_s = self.ends_s(table)
        return self.clock.remaining_s(table, self.clock.since_utc_s) if ends_s is None else ends_s - now_s

    def own_s(self, table: str) -> float:
        """Seconds that a table alone was given in the round that is being played."""
        return self.clock.added_s.get(table, 0.0) if self.on else 0.0

    def tables(self) -> list[str]:
        """Tables with time of their own."""
        return [table for table in self.clock.added_s if table and self.own_s(table)]


def face_of(chair: Chair) -> RoundFace:
    """The chair's clock as it is now."""
    return RoundFace(chair.round, chair.host_s(chair.round.since_utc_s))


def follow(chair: Chair, show: Callable[[RoundFace], None]) -> None:
    """Show the clock as it is, and from now on whenever it was turned."""

    def hear(changed: Changed) -> None:
        if changed.clock:
            show(face_of(chair))

    show(face_of(chair))
    chair.listen(hear)


def left_words(left_s: float) -> str:
    """Time left, or over, such as `34:12 left`; a page's script writes the same."""
    over = left_s < 0
    minutes, seconds = divmod(math.floor(-left_s) if over else math.ceil(left_s), 60)
    hours, in_hour = divmod(minutes, 60)
    two = f"{seconds:02}"
    time = (
        say("script.to-seconds", hours=hours, minutes=f"{in_hour:02}", seconds=two)
        if hours
        else say("script.minutes", minutes=minutes, seconds=two)
    )
    return say("script.over" if over else "script.left", time=time)


def added_words(seconds: float) -> str:
    """Time that was given, such as `+5 min`; `-1 min 30 s` where it was taken back."""
    minutes, rest = divmod(round(abs(seconds)), 60)
    parts = [say("round.minutes", number=minutes)] * bool(minutes) + [say("round.seconds", number=rest)] * bool(rest)
    return f"{'+' if seconds >= 0 else '−'}{' '.join(parts)}"
