"""From grams to tiles: what a rest is worth, by the last rest, and by a zero and a tile's weight refined in play.

Owns the calibration of one cell as it is now, and every decision how many tiles a load is. Refuses to know samples,
rest and time between them. Levels of rests -> **weight_scale** -> counts.

Counts per gram cannot be told from the weight of a tile by tiles alone: what is refined is the tile, in grams by the
stated gain. Steps refine it (a tile that comes or goes weighs one tile); rests refine the zero (what lies beyond whole
tiles). Both are slow: no rest ever moves the zero by a tile. `zero_g` is told in the same grams, above the stated zero.
"""

from math import sqrt

from msgspec import Struct

from hw.calibration import CellCalibration

MOST_TILES = 24
"""More than any rack holds: fourteen, three of a pass and a handful in error (our choice)."""

SPREAD_SHARE = 0.02
"""Standard deviation of a tile's weight in tiles; 1 to 3 % are usual for a set."""

ZERO_SHARE = 0.2
"""How much of a lasting rest's distance from whole tiles the running zero takes on (our choice)."""

ZERO_STEP_SHARE = 0.012
"""A zero steps by 0.5 to 1 % after a power cycle (research: NAU7802, faults row 16); a little more is believed."""

SAME_G = 1.5
"""Loads this close before and after a reboot are the same load by the same zero (our choice: far below a tile)."""

TILE_TRUST = 0.05
"""The stated weight of a tile is off by no more than this share (our choice: a kitchen scale and a mixed-up set)."""

TILE_DOUBT_SHARE = 0.015
LEAST_DOUBT_SHARE = 0.002
"""Standard deviation of the stated weight at first, and the least that is ever claimed, in tiles (our choice)."""

READING_G = 0.3
"""Standard deviation of the difference of two rests beside the spread of tiles: noise, creep, where on the rack a tile
lies, what a press leaves (research: noise 0.02-0.3 g)."""

ODD_SIGMAS = 2.5
"""A step so far from what a tile weighs teaches nothing: a hand was in it (our choice)."""


class Refined(Struct, frozen=True):
    """A quantity that play refines: its value and standard deviation in grams, and when (host seconds) last."""

    grams: float
    doubt_g: float
    at_s: float | None = None


class Scale:
    """One cell's zero and tile. `tile` and `zero` tell what they are now, with their doubt and age."""

    def __init__(self, calibration: CellCalibration) -> None:
        self._stated_g = calibration.tile_g
        self._zero_step_g = ZERO_STEP_SHARE * abs(calibration.zero_counts / calibration.counts_per_g)
        self.tile = Refined(calibration.tile_g, TILE_DOUBT_SHARE * calibration.tile_g)
        self.zero = Refined(0.0, SAME_G)

    # counting

    def first(self, level_g: float) -> int | None:
        """Tiles of a rest of which only the zero is known."""
        return self._absolute(level_g, 0.4)

    def lasting(self, level_g: float, old_g: float, count: int) -> int | None:
        """Tiles of a rest that lasts and is no whole number of tiles from the last one.

        Where it is not even nearly, the count was wrong before or a hand lies still: all that lies there must fit well.
        """
        near = self._absolute(level_g, 0.35)
        if near is not None and self.is_step(level_g - old_g, count, near):
            return near
        exact = self._absolute(level_g, 0.2)
        return self._stated(level_g) if exact is None else exact

    def is_step(self, change_g: float, before: int, after: int) -> bool:
        """Whether a change of load is about that of so many tiles; else a count that fits now was wrong before."""
        return abs(change_g / self.tile.grams - (after - before)) < 0.35

    def again(self, level_g: float, old_g: float, count: int) -> int | None:
        """Tiles of a rest after silence: by the zero, or where that no longer fits, by the last rest."""
        absolute = self._absolute(level_g, 0.3)
        if absolute is not None:
            return absolute
        change = (level_g - old_g) / self.tile.grams
        relative = _possible(count + round(change)) if abs(change - round(change)) < 0.3 else None
        return self._stated(level_g) if relative is None else relative

    def changed(self, level_g: float, old_g: float, count: int, noise_g: float) -> int | None:
        """Tiles of a new rest, where the change since the last and the distance from zero are both whole tiles."""
        tile_g = self.tile.grams
        change = (level_g - old_g) / tile_g
        after = _possible(count + round(change))
        if after is None:
            return None
        allowed_g = 1.2 + 4.0 * SPREAD_SHARE * tile_g * sqrt(max(1, abs(after - count))) + noise_g
        if abs(change - round(change)) * tile_g > min(allowed_g, 0.35 * tile_g):
            return None
        allowed_g = 1.5 + 3.0 * SPREAD_SHARE * tile_g * sqrt(max(1, after)) + noise_g
        if abs(level_g - self.zero.grams - after * tile_g) > min(allowed_g, 0.4 * tile_g):
            return None
        return after

    def is_plain(self, change_g: float, before: int, after: int, noise_g: float) -> bool:
        """Whether a change of load is so many tiles and no hand beside them, as far as their spread goes."""
        tile_g, tiles = self.tile.grams, after - before
        allowed_g = 0.6 + 2.0 * SPREAD_SHARE * tile_g * sqrt(max(1, abs(tiles))) + noise_g
        return abs(change_g - tiles * tile_g) < allowed_g

    def rebooted(self, level_g: float, old_g: float, count: int, *, at_once: bool) -> tuple[int, ...]:
        """Every number of tiles that a rest after a power cycle may be: the zero may have stepped, tiles have moved.

        The same load as before is the same tiles, if it is the first one (`at_once`).
        """
        tile_g, shift_g = self.tile.grams, level_g - old_g
        if at_once and abs(shift_g) < SAME_G:
            return (count,)
        return tuple(
            n
            for n in range(MOST_TILES + 1)
            if abs(shift_g - (n - count) * tile_g)
            < self._zero_step_g + SAME_G + 3.0 * SPREAD_SHARE * tile_g * sqrt(abs(n - count))
        )

    def _stated(self, level_g: float) -> int | None:
        """By the zero as it was calibrated: whatever put the running one wrong, that one was measured."""
        tiles = level_g / self.tile.grams
        return _possible(round(tiles)) if abs(tiles - round(tiles)) <= 0.15 else None

    def _absolute(self, level_g: float, tolerance: float) -> int | None:
        tiles = (level_g - self.zero.grams) / self.tile.grams
        return _possible(round(tiles)) if abs(tiles - round(tiles)) <= tolerance else None

    # refining

    def settled(self, level_g: float, count: int, at_s: float) -> None:
        """A count was found anew: the zero is where that puts it."""
        self.zero = Refined(level_g - count * self.tile.grams, self._zero_doubt_g(count), at_s)

    def rested(self, level_g: float, count: int, at_s: float) -> None:
        """A lasting rest with `count` tiles."""
        off_g = level_g - count * self.tile.grams - self.zero.grams
        self.zero = Refined(self.zero.grams + ZERO_SHARE * off_g, self._zero_doubt_g(count), at_s)

    def stepped(self, change_g: float, before: int, after: int, at_s: float) -> None:
        """Tiles came or went, and the load changed by so much: one tile alone tells what one weighs."""
        if abs(after - before) != 1:
            return  # what came in handfuls was seldom all of it, and at once
        was = self.tile
        off_g = abs(change_g) - was.grams
        variance = was.doubt_g**2 + (SPREAD_SHARE * was.grams) ** 2 + READING_G**2
        if abs(off_g) > ODD_SIGMAS * sqrt(variance):
            return
        share = was.doubt_g**2 / variance
        tile_g = was.grams + share * off_g
        tile_g = min(max(tile_g, (1.0 - TILE_TRUST) * self._stated_g), (1.0 + TILE_TRUST) * self._stated_g)
        doubt_g = max(was.doubt_g * sqrt(1.0 - share), LEAST_DOUBT_SHARE * self._stated_g)
        self.tile = Refined(tile_g, doubt_g, at_s)
        # what lies there weighs what it did: the zero makes up for it
        self.zero = Refined(self.zero.grams - after * (tile_g - was.grams), self.zero.doubt_g, self.zero.at_s)

    def _zero_doubt_g(self, count: int) -> float:
        """Of tiles that lie there: the spread of their weights and the doubt of their mean."""
        spread_g = SPREAD_SHARE * self._stated_g * sqrt(count)
        return sqrt(READING_G**2 + spread_g**2 + (count * self.tile.doubt_g) ** 2)


def _possible(count: int) -> int | None:
    return count if 0 <= count <= MOST_TILES else None
