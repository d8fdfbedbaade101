"""How well a rack's antennas hear a tile that a hand holds before them: learned for a table, while tiles are dated.

Owns a distribution over a few figures of that one share. Refuses to know where tiles are. Its place in the flow: dates
(`hw.rfid_dating`) say how likely their rounds were under each figure -> **hearing of held tiles** -> beliefs and dates.

It decides how a racking looks. Where held tiles are not heard, a tile's first reads are its landing. Where they are
heard half as often as tiles at rest, the landing is a change of that share, and is dated by it.
"""

from collections.abc import Sequence
from math import exp, log

HELD_SHARES: Sequence[float] = (0.02, 0.15, 0.3, 0.45, 0.6)
"""What share of a resting tile's hearing a held one may have. Our choice: antennas of racks differ, from those that see
the felt alone to those that reach as far as the hand."""
HELD_PRIOR: Sequence[float] = (0.2, 0.2, 0.2, 0.2, 0.2)
"""How likely each figure is before anything was dated. Our choice."""
MOST_NATS = 6.0
"""No figure falls further behind the best one than this: what a table is like is learned quickly, and anew when it
changes. Our choice."""
LEAST = 0.001
"""A figure that is less likely is left out of a date. Our choice."""


class HeldShare:
    """The distribution over `HELD_SHARES`."""

    __slots__ = ("_logs", "mean", "weights")

    def __init__(self) -> None:
        self._logs = [log(each) for each in HELD_PRIOR]
        self.weights: list[float] = []
        """Probability of each of `HELD_SHARES`."""
        self.mean = 0.0
        """The expected share."""
        self._work_out()

    def asked(self) -> list[int]:
        """Which of `HELD_SHARES`, by index, the next date is to try."""
        return [k for k, weight in enumerate(self.weights) if weight >= LEAST]

    def learn(self, asked: Sequence[int], evidence: Sequence[float]) -> None:
        """`evidence`: log-probabilities of the rounds of one date under the figures that were asked."""
        mean = sum(self.weights[k] * each for k, each in zip(asked, evidence, strict=True))
        mean /= sum(self.weights[k] for k in asked)
        for k, each in zip(asked, evidence, strict=True):
            self._logs[k] += each - mean
        self._work_out()

    def _work_out(self) -> None:
        highest = max(self._logs)
        self._logs = [max(each - highest, -MOST_NATS) for each in self._logs]
        sums = [exp(each) for each in self._logs]
        total = sum(sums)
        self.weights = [each / total for each in sums]
        self.mean = sum(weight * share for weight, share in zip(self.weights, HELD_SHARES, strict=True))
