"""How long tiles that have not moved fall silent: learned while they do.

Owns one law for a table: how often a tile at rest stops being heard and is heard again where it was, after how long,
how often it is gone instead, and what company says about that. Refuses to know which tile. Without it every silence
would be a tile lifted: a present tag may be silent for seconds (44 s have been measured; a hand over it, a neighbour
that detunes it), and how long is a property of readers, tags and hands that no two tables share.

A silence is *chance* while missed rounds explain it, else an episode, which ends in one of two ways: heard again, or
gone.
"""

from bisect import bisect_right
from collections.abc import Sequence

EDGES_S: Sequence[float] = (
    *(0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0, 3.25, 3.5, 3.75, 4.0),
    *(4.5, 5.0, 6.0, 8.0, 12.0, 20.0),
)
"""Where the pieces of the law begin, in seconds of silence; the last has no end. Our choice."""
PRIOR_EPISODES = 8.0
"""Silences that the first assumption weighs as. Our choice."""
PRIOR_SCALE_S = 0.85
PRIOR_SHAPE = 1.7
"""First assumption: a silence outlasts t with probability (1 + t/scale)**-shape: half are over after 0.4 s, a tenth
lasts 2.4 s, one in 800 lasts 44 s. Our choice."""
PRIOR_TILE_S = 2000.0
PRIOR_ENDED = 6.0
PRIOR_GONE: Sequence[float] = (6.0, 4.0, 4.0)
"""What is assumed to have been seen in that many tile-seconds: episodes that ended, and tiles gone that fell silent
alone, with one other, with more: one hand lifts several tiles. Our choice."""
PRIOR_COMPANY = 0.06
"""Companions of an episode that is no lift, when nothing else is going on. Our choice: chance comes alone, but a hand
may cover several tiles."""
COMPANY_S = 1.2
"""Tiles of one antenna that fall silent within this time of each other do so in company. Our choice."""
GONE_AFTER_S = 10.0
"""A silence that lasted this long is counted as a tile gone. Our choice."""
PRIOR_UNFOUND = 3.0
PRIOR_FOUND = 1.0
"""Tiles gone that are assumed to have been found nowhere else, and to have been found at once. Our choice: soon
overruled, for where an antenna watches the discards, a tile gone is mostly found there within a second."""


def _survival(age_s: float) -> float:
    return float((1.0 + age_s / PRIOR_SCALE_S) ** -PRIOR_SHAPE)


class SilenceLaw:
    """Rates, per second and tile at rest, at which episodes begin and tiles are lifted; and at which episodes end."""

    def __init__(self) -> None:
        self._ends: list[float] = []
        self._risk_s: list[float] = []
        for low, high in zip(EDGES_S, (*EDGES_S[1:], 60.0), strict=True):
            middles = [low + (high - low) * (i + 0.5) / 20 for i in range(20)]
            self._ends.append(PRIOR_EPISODES * (_survival(low) - _survival(high)))
            self._risk_s.append(PRIOR_EPISODES * sum(map(_survival, middles)) * (high - low) / 20)
        self._end_per_s = [ends / risk for ends, risk in zip(self._ends, self._risk_s, strict=True)]
        self._ended = PRIOR_ENDED
        self._gone = list(PRIOR_GONE)
        self._unfound: list[list[float]] = [[PRIOR_UNFOUND] * len(EDGES_S) for _ in range(2)]
        self._departed = [PRIOR_UNFOUND + PRIOR_FOUND] * 2
        self._tile_s = PRIOR_TILE_S
        self.silence_per_s = 0.0
        self.lift_per_s = 0.0
        self.rested(0.0)

    def end_per_s(self, age_s: float) -> float:
        """Rate at which a silence of this age ends."""
        return self._end_per_s[max(0, bisect_right(EDGES_S, age_s) - 1)]

    def doubt(self, companions: int, tiles: int) -> float:
        """How much less likely a tile is still there for the `companions`, of `tiles`, that fell silent with it."""
        if companions == 0:
            return 1.0
        by_chance = PRIOR_COMPANY + 2.0 * COMPANY_S * tiles * (self.silence_per_s + self.lift_per_s)
        if companions == 1:
            return by_chance * self._gone[0] / self._gone[1]
        return 0.5 * by_chance * by_chance * self._gone[0] / self._gone[2]

    def ended(self, age_s: float, companions: int) -> None:
        """A tile silent for `age_s`, `companions` others with it, was heard again where it was."""
        if companions:
            return
        self._ended += 1.0
        for k, low in enumerate(EDGES_S):
            if age_s <= low:
                break
            high = EDGES_S[k + 1] if k + 1 < len(EDGES_S) else float("inf")
            self._risk_s[k] += min(age_s, high) - low
            if age_s <= high:
                self._ends[k] += 1.0
            self._end_per_s[k] = self._ends[k] / self._risk_s[k]

    def gone(self, companions: int, found_after_s: float) -> None:
        """A tile that fell silent, `companions` others with it, was found elsewhere after so long (never: infinity)."""
        self._gone[min(companions, 2)] += 1.0
        group = min(companions, 1)
        self._departed[group] += 1.0
        unfound = self._unfound[group]
        for k, low in enumerate(EDGES_S):
            if found_after_s <= low:
                break
            unfound[k] += 1.0

    def unfound(self, age_s: float, companions: int) -> float:
        """Share of tiles gone that have not been found elsewhere when they have been silent for `age_s`."""
        group = min(companions, 1)
        return self._unfound[group][max(0, bisect_right(EDGES_S, age_s) - 1)] / self._departed[group]

    def rested(self, tile_s: float) -> None:
        """Tiles have rested for `tile_s` tile-seconds more."""
        self._tile_s += tile_s
        self.silence_per_s = self._ended / self._tile_s
        self.lift_per_s = sum(self._gone) / self._tile_s
