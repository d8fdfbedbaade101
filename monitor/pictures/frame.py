"""Which seconds of a hand a timeline shows, and where on the paper a moment lies.

Owns the choice of the stretch and the scale of the axis. Pure.
"""

import math
from typing import Final

from msgspec import Struct

from monitor.alerts import Alert, Rule

NEAR_S: Final = 60.0
"""Our choice: evidence further from the alert's moment than this is told in the list, not drawn."""
COUNTS_BEFORE_S: Final = 15.0
"""Our choice: a wrong number is seen best with the turn that led to it."""
SHORTEST_S: Final = 8.0
TICKS: Final = 9
_COUNTS: Final = frozenset(
    {Rule.MISSING_TILE, Rule.REDEAL, Rule.WRONG_COUNT, Rule.WRONG_EXPOSURE, Rule.SENSOR_FAULT, Rule.DEAD_HAND_ACTS}
)


class Frame(Struct, frozen=True):
    """Seconds `low_s` to `high_s`, drawn from `left` to `right`."""

    low_s: float
    high_s: float
    left: float
    right: float

    def x(self, at_s: float) -> float:
        """Where a moment lies; at the edge where it is outside."""
        share = (at_s - self.low_s) / (self.high_s - self.low_s)
        return self.left + min(max(share, 0.0), 1.0) * (self.right - self.left)

    def holds(self, at_s: float) -> bool:
        """Whether a moment is in the picture."""
        return self.low_s <= at_s <= self.high_s

    def ticks(self, origin_s: float) -> list[float]:
        """Moments at round seconds before and after `origin_s`."""
        step_s = _round_step((self.high_s - self.low_s) / TICKS)
        first = math.ceil((self.low_s - origin_s) / step_s)
        last = math.floor((self.high_s - origin_s) / step_s)
        return [origin_s + step_s * number for number in range(first, last + 1)]


def frame_of(alert: Alert, left: float, right: float) -> Frame:
    """The stretch around the alert's moment that holds its evidence, as far as that is near."""
    near = [fact for fact in alert.facts if abs(fact.at - alert.at) <= NEAR_S]
    lows = [alert.at, *(max(fact.earliest, alert.at - NEAR_S) for fact in near)]
    highs = [alert.at, *(min(fact.latest, alert.at + NEAR_S) for fact in near)]
    if alert.rule in _COUNTS:
        lows.append(alert.at - COUNTS_BEFORE_S)
    low_s, high_s = min(lows), max(highs)
    pad_s = max(1.5, 0.12 * (high_s - low_s), (SHORTEST_S - (high_s - low_s)) / 2)
    return Frame(low_s - pad_s, high_s + pad_s, left, right)


def _round_step(at_least_s: float) -> float:
    power = 10.0 ** math.floor(math.log10(at_least_s))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= at_least_s * (1 - 1e-9))
