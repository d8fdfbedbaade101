"""The deal: racks fill until all have what they should have, or rest with less.

Owns what each rack was dealt. Racks' counts -> **deal** -> phases. Refuses to know passes and turns.

    FILLING --all have had 13 and one of them 14, and no more comes--> complete
    FILLING --racks rest short or over by a tile or two--> off --somebody passes, or long after--> believed
    FILLING --no end seen `LOST_S` after the last tile--> lost: passes are under way unseen

Sorting begins before the last tile is dealt, so racks need not rest complete together: a rack holds no more than it
was dealt until tiles are passed, so what it rested with at most is what it was dealt.
"""

from enum import Enum, auto

from msgspec import Struct

from monitor.inference.racks import Rack

SHORT_TILES, LONG_TILES = 11, 15
"""A deal in error is off by a tile or two on a rack; more is still being dealt, or passed already."""

COMPLETE_REST_S = 0.6
"""A complete deal is told after so long without another tile."""

SHORT_REST_S = 25.0
"""An incomplete deal is believed after so long without another tile: sorting and chatting come first (our choice)."""

LOST_S = 45.0
"""So long after the last tile came nobody can tell any more what was dealt: the passes are under way unseen."""

OFF_REST_S = 3.0
"""And a rack whose count surprises must rest with it so long, all in all."""
STILL_S = 5.0
"""And lie still with it so long at the end, where nobody has passed: one tile in a hand is sorted for three seconds."""

NO_EAST_S = 30.0
NO_EAST_REST_S = 4.5
"""Where nobody has fourteen, East is short: that is believed later still, when all have rested for longer than sorting
takes."""

BLOCKS = 8
"""Where the player at East's left is dealt from the wall, East has no more than two blocks by then."""

GIVEN_S = 5.0
"""A rack that rests so long with a whole pass fewer gave it away; a shorter dip, or one of other tiles, was sorting."""

WHOLE_PASS, WHOLE_DEAL = 3, 53
"""Tiles of a pass, and of a deal."""


class Progress(Enum):
    """How far a deal is."""

    FILLING = auto()
    DONE = auto()
    LOST = auto()


class Dealing(Struct, frozen=True):
    """`dealt`: what each rack was dealt; `at_s`: when the deal was over. `late`: a pass may have been given since."""

    progress: Progress
    dealt: tuple[int, ...] = ()
    at_s: float = 0.0
    late: bool = False


class Deal:
    """The deal of one hand."""

    def __init__(self, racks: tuple[Rack, Rack, Rack, Rack], since_s: float) -> None:
        self._racks = racks
        self._most = [rack.total or 0 for rack in racks]
        self._rested_s = [0.0] * 4  # how long each has rested with its most since the last tile came to any
        self._last = [rack.total or 0 for rack in racks]
        self._first = max(range(4), key=lambda k: self._most[k])
        self._most_of_first = [BLOCKS + 1] * 4  # what the rack that was filled first had when another began to fill
        self._risen_s = since_s
        self._now_s = since_s
        self._complete_s = since_s
        self._may_have_passed = False

    def changed(self, seat: int) -> None:
        """A rack came to rest with another count."""
        rack = self._racks[seat]
        total = rack.total or 0
        falls, self._last[seat] = total < self._last[seat], total
        if not self._most[seat]:
            self._most_of_first[seat] = self._most[self._first]
        if total > self._most[seat] and not falls:  # a rack that falls to more than it had was passed tiles
            most = [*self._most[:seat], total, *self._most[seat + 1 :]]
            if max(most) <= 14 and sum(most) <= WHOLE_DEAL and most.count(14) <= 1:
                self._rises(seat, total)

    def advance(self, now_s: float) -> Dealing:
        """How far the deal is now."""
        self._rest(now_s)
        seen = self.seen
        if not seen:
            return Dealing(Progress.FILLING)
        if now_s - self._risen_s > LOST_S:
            return Dealing(Progress.LOST)
        dealt = self._complete(seen)
        if dealt is None:
            self._complete_s = now_s
        elif now_s - self._complete_s > COMPLETE_REST_S:
            rested = [self._racks[k].since_s for k in seen if self._totals[k] == dealt[k]]
            return Dealing(Progress.DONE, tuple(dealt), max([self._risen_s, *rested]), late=dealt != self._most)
        if self._is_off(seen, now_s):
            return Dealing(Progress.DONE, tuple(self._most), self._risen_s)
        return Dealing(Progress.FILLING)

    def _complete(self, seen: list[int]) -> list[int] | None:
        """What the racks were dealt, if all have what they should: by what they had at most, or as they are now.

        A tag may be heard on a rack twice for a moment, and so a rack have fourteen that is not East's.
        """
        totals = self._totals
        if _is_complete([self._most[k] for k in seen]):
            return None if any(totals[k] > self._most[k] for k in seen) else self._most
        another = self._most.count(14) == 1 and totals[self._most.index(14)] != 14
        return totals if _is_complete([totals[k] for k in seen]) and not another else None

    @property
    def seen(self) -> list[int]:
        """Seats whose count is known, or was."""
        return [k for k, rack in enumerate(self._racks) if rack.total is not None or self._most[k]]

    @property
    def first_is_east(self) -> bool:
        """Whether the rack that was filled first is East's.

        Who piles the deal before the rack fills it when all is dealt; the player at East's left is the one whom East
        could be taken for.
        """
        return self._most_of_first[(self._first - 1) % 4] <= BLOCKS

    @property
    def _totals(self) -> list[int]:
        return [most if rack.total is None else rack.total for rack, most in zip(self._racks, self._most, strict=True)]

    def _rises(self, seat: int, total: int) -> None:
        self._most[seat] = total
        self._rested_s = [0.0] * 4
        self._risen_s = max(self._risen_s, self._racks[seat].since_s)

    def _rest(self, now_s: float) -> None:
        """Time passes; a number that is more than a rack should have is believed once it has rested."""
        span_s, self._now_s = now_s - self._now_s, now_s
        low = sum((rack.total or 0) <= most - WHOLE_PASS for rack, most in zip(self._racks, self._most, strict=True))
        self._may_have_passed = self._may_have_passed or low > 0
        if low > 1:
            return  # a pass has begun: who rests now may have given and racked
        for seat, rack in enumerate(self._racks):
            if not rack.resting or rack.total is None:
                continue
            if rack.total == self._most[seat]:
                self._rested_s[seat] += span_s
            elif self._most[seat] < rack.total <= LONG_TILES and now_s - rack.since_s > OFF_REST_S:
                self._rises(seat, rack.total)

    def _is_off(self, seen: list[int], now_s: float) -> bool:
        """Whether the deal is over although some have too few or too many.

        Sorting may have begun: a dip does not change what was dealt, another tile does.
        """
        most = [self._most[k] for k in seen]
        plausible = min(most) >= SHORT_TILES and max(most) <= LONG_TILES and sum(n != 13 for n in most) <= 3
        # a rack whose count surprises must have rested with it; without an East all surprise
        usual = [13, 14] if most.count(14) == 1 else [13] if 14 in most else []
        least_s = OFF_REST_S if 14 in most else NO_EAST_REST_S
        surprising = [k for k in seen if self._most[k] not in usual and self._racks[k].total is not None]
        rested = all(self._rested_s[k] > least_s for k in surprising)
        if not plausible or not rested:
            return False
        passed = any(
            self._racks[k].resting
            and self._racks[k].total == self._most[k] - WHOLE_PASS
            and now_s - self._racks[k].since_s > GIVEN_S
            for k in seen
        )
        racks = [self._racks[k] for k in surprising]
        if self._may_have_passed and min(most) == SHORT_TILES:
            return False  # two tiles short may as well be East, who has given three
        still = all(rack.resting and now_s - rack.since_s > STILL_S for rack in racks)
        return passed or (still and now_s - self._risen_s > (SHORT_REST_S if 14 in most else NO_EAST_S))


def _is_complete(dealt: list[int]) -> bool:
    return min(dealt) >= 13 and (len(dealt) < 4 or (sum(dealt) == WHOLE_DEAL and dealt.count(14) == 1))
