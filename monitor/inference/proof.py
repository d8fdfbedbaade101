"""When a number of tiles that no lawful turn leaves is believed.

Owns the proof of a surprising count. A rack's rests -> **proof** -> the confidence with which its count is told, and so
whether anything is ruled from it. Refuses to know turns: which number surprises is asked of the caller.

Nearly every rack that shows twelve tiles is a lawful one with a tile in a hand, or with a tag that is not heard
for a moment. Both end within seconds; a wrong number stays. So it is told at once, because it is what the sensors say,
but it is sure only once the rack has lain still with it for long, or has come back to it after it was touched.
"""

REST_S = 4.0
"""A scale that rests so long is sure of its number (our choice: who sorts holds a tile for two seconds)."""
UNEXPLAINED_S = 15.0
"""And where no turn explains it, so long: an arm or a purse may lie there, as heavy as a tile (our choice)."""
TAGS_S = 8.0
"""Tags are sure of a number that they have told, and the search over turns has taken the rack to hold, for so long;
before, it waited for what is away to come back. A tag that lies there may be silent for longer (our choice)."""
NEWS_S = 2.0
"""What a node sends comes up to so late: that a rack was touched is not known sooner (our choice)."""
BRIEF_S, AGAIN_S = 1.5, 4.0
"""Or it rested for longer than the one, and again so long after the first time, with no other number between."""
TOUCHED_S = 3.0
"""A rack that has been touched for so long may hold another number by now."""
OFF_TURN = 13
"""Tiles of a rack whose seat is not in its turn."""
UNPROVEN, PROVEN = 0.4, 0.95
"""Confidence of a surprising number before and after (below and above what rulings ask for)."""


class Proof:
    """What speaks for the number of tiles that one rack last rested with."""

    def __init__(self) -> None:
        self._total: int | None = None
        self._total_s = 0.0
        self._since_s = 0.0
        self._rests: list[float] = []
        self._held = False
        self._base = 0
        self._base_s = 0.0

    def rested(self, total: int | None, since_s: float) -> None:
        """The rack came to rest with `total` at `since_s`."""
        if total != self._total:
            self._total, self._total_s, self._held = total, since_s, False
            self._rests.clear()
        self._since_s = since_s

    def weighed_holds(self, now_s: float, moving_s: float | None, *, explained: bool = True) -> bool:
        """Whether the number of a scale is sure by now. `moving_s`: since when it is being touched, `None` at rest;
        `explained`: the search over turns takes the rack to hold so many."""
        rested_s = (now_s - NEWS_S if moving_s is None else moving_s) - self._since_s
        if rested_s >= BRIEF_S and self._since_s not in self._rests:
            self._rests.append(self._since_s)
        again = bool(self._rests) and self._rests[-1] - self._rests[0] >= AGAIN_S and explained
        self._held = self._held or rested_s >= (REST_S if explained else UNEXPLAINED_S) or again
        return self._held and (moving_s is None or now_s - moving_s < TOUCHED_S)

    def tags_hold(self, now_s: float, base: int, *, holding: bool) -> bool:
        """Whether the number that tags give is sure by now. `base`: what the search over turns takes the rack to hold
        off turn; `holding`: it takes the seat to have picked."""
        if base != self._base:
            self._base, self._base_s = base, now_s
        wrong = base != OFF_TURN  # else a tile more is the pick of a turn, or a discard that no tag has told yet
        return wrong and self._total == base + holding and now_s - max(self._base_s, self._total_s) >= TAGS_S
