"""When a number of tiles that no lawful turn leaves is believed.

Owns the proof of a surprising count. A rack's rests -> **proof** -> the confidence with which its count is told, and so
whether anything is ruled from it. Refuses to know turns: which number surprises is asked of the caller.

Nearly every rack that shows twelve tiles is a lawful one with a tile in a hand, or with a tag that is not heard
for a moment. Both end within seconds; a wrong number stays. So it is told at once, because it is what the sensors say,
but it is sure only once the rack has lain still with it for long, or has come back to it after it was touched.
"""

REST_S, TAGS_REST_S = 6.0, 8.0
"""A scale rests so long with a number that it holds; tags so long (our choice: people hold a lifted tile two seconds at
most while they sort, and what a node sends comes up to two seconds late). A tag that lies there may be silent for
longer: so the search over turns must have given up its return as well, and for as long."""
AGAIN_S = 6.0
"""Or it rested with the same number again so long after the first time, with no other between."""
TOUCHED_S = 3.0
"""A rack that has been touched for so long may hold another number by now."""
UNPROVEN, PROVEN = 0.4, 0.95
"""Confidence of a surprising number before and after (below and above what rulings ask for)."""


class Proof:
    """What speaks for the number of tiles that one rack last rested with."""

    def __init__(self) -> None:
        self._total: int | None = None
        self._first_s = 0.0
        self._since_s = 0.0
        self._held = False
        self._base = 0
        self._base_s = 0.0

    def rested(self, total: int | None, since_s: float) -> None:
        """The rack came to rest with `total` at `since_s`."""
        if total != self._total:
            self._total, self._first_s, self._held = total, since_s, False
        elif since_s - self._first_s >= AGAIN_S:
            self._held = True
        self._since_s = since_s

    def weighed_holds(self, now_s: float, moving_s: float | None) -> bool:
        """Whether the number of a scale is sure by now. `moving_s`: since when it is being touched, `None` at rest."""
        if moving_s is None:
            self._held = self._held or now_s - self._since_s >= REST_S
            return self._held
        return self._held and now_s - moving_s < TOUCHED_S

    def tags_hold(self, now_s: float, base: int, *, holding: bool) -> bool:
        """Whether the number that tags give is sure by now. `base`: what the search over turns takes the rack to hold
        off turn; `holding`: it takes the seat to have picked."""
        if base != self._base:
            self._base, self._base_s = base, now_s
        if self._total == base + holding and now_s - max(self._base_s, self._since_s) >= TAGS_REST_S:
            self._held = True
        return self._held
