"""From still holds with known numbers of tiles to a cell's figures, each with its standard error.

Owns the arithmetic of calibrating. Refuses to know samples and what is said to people. holds -> **fit** -> guided
calibration.

A hold reads `zero + gain * weight`. What is in the way of the truth, and how each enters:

    noise of the converter     measured in each hold
    drift of the zero          a random walk from the empty hold on: it is shared by all later holds
    creep of a loaded cell     a share of the load, anew in each hold
    where tiles lie            a share of each tile's weight, anew in each hold
    spread of tiles' weights   the tiles on the rack are a sample of the set; more of them are laid to those that lie
    the kitchen scale          its own error, once

Gain and a tile's weight cannot be told apart by the cell: it only sees their product. So either the tiles were weighed
on a scale, which gives the gain, or a tile's weight is assumed, with its doubt. The product, by which tiles are
counted, is estimated by generalised least squares whatever is assumed.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from hw.hold import Hold

Floats = NDArray[np.float64]


class Assumptions(Struct, frozen=True, kw_only=True):
    """What one calibration cannot measure: upper figures of the research notes, so that stated errors are no promises.

    Where research gives no figure (`place_share`, the drift's form) it is our choice.
    """

    spread_share: float = 0.03
    """Relative sd of a tile's weight within a set: 1 to 3 %."""
    place_share: float = 0.006
    """Relative sd of what a tile weighs by where it lies."""
    creep_share: float = 0.0015
    """Sd of the share of a load that creeps in within a calibration: 0.5 g a minute of a hand of tiles at worst."""
    drift_g: float = 0.4
    """Random walk of the zero, per root minute: 0.3 g over ten minutes, and a walk of -12 g over ten sessions."""


class TileWeight(Struct, frozen=True):
    """What a tile is taken to weigh where none was weighed, with its standard error."""

    tile_g: float = 11.5
    se_g: float = 0.9
    """10 to 13 g, evenly spread (research: tiles and racks)."""


class Weighed(Struct, frozen=True):
    """What a kitchen scale gave for the tiles of the first number; `se_g`: of its reading (our choice: 1 g steps)."""

    grams: float
    se_g: float = 0.6


class Laid(Struct, frozen=True):
    """A still hold and the number of tiles that lay there."""

    tiles: int
    hold: Hold


class Figures(Struct, frozen=True):
    """The figures of a cell and their standard errors."""

    counts_per_g: float
    counts_per_g_se: float
    zero_counts: float
    zero_counts_se: float
    tile_g: float
    tile_g_se: float
    counts_per_tile: float
    counts_per_tile_se: float
    noise_g: float
    samples_per_s: float


def fit(laid: Sequence[Laid], weighed: Weighed | None, tile: TileWeight, end_s: float, assumed: Assumptions) -> Figures:
    """The figures by the holds `laid`: the first with no tile, the second with those that were `weighed`, if any.

    `end_s`: when the calibration ends, for which the zero's error is stated. Raises ValueError where there are fewer
    than two holds or the numbers of tiles do not begin with none.
    """
    if len(laid) < 2 or laid[0].tiles != 0 or any(one.tiles <= 0 for one in laid[1:]):
        raise ValueError("an empty hold and at least one with tiles are needed")
    n = np.array([float(one.tiles) for one in laid])
    levels = np.array([one.hold.level_counts for one in laid])
    per_tile = float((levels[-1] - levels[0]) / n[-1])
    gain = per_tile / tile.tile_g if weighed is None else float(levels[1] - levels[0]) / weighed.grams
    spread = (assumed.spread_share * per_tile) ** 2 * np.minimum.outer(n, n)
    errors = _errors(laid, n, per_tile, gain, assumed)
    design = np.column_stack([np.ones(n.size), n])
    whitened = np.linalg.solve(spread + errors, design)
    weights = np.linalg.solve(design.T @ whitened, whitened.T)[1]
    per_tile = float(weights @ levels)
    in_spread, in_errors = float(weights @ spread @ weights), float(weights @ errors @ weights)
    per_tile_var = in_spread + in_errors
    if weighed is None:
        gain = per_tile / tile.tile_g
        tile_g, tile_share = tile.tile_g, tile.se_g / tile.tile_g
        gain_share = (per_tile_var / per_tile**2 + tile_share**2) ** 0.5
    else:
        tile_g = per_tile / gain
        lifted = np.zeros(n.size)
        lifted[0], lifted[1] = -1.0, 1.0
        load = float(levels[1] - levels[0])
        scale = (weighed.se_g / weighed.grams) ** 2
        gain_share = (float(lifted @ errors @ lifted) / load**2 + scale) ** 0.5
        apart = weights / per_tile - lifted / load
        tile_share = (in_spread / per_tile**2 + float(apart @ errors @ apart) + scale) ** 0.5
    empty = laid[0].hold
    drift = gain**2 * assumed.drift_g**2 * max(0.0, end_s - empty.at_s) / 60.0
    return Figures(
        counts_per_g=gain,
        counts_per_g_se=abs(gain) * gain_share,
        zero_counts=empty.level_counts,
        zero_counts_se=(empty.level_se_counts**2 + drift) ** 0.5,
        tile_g=tile_g,
        tile_g_se=tile_g * tile_share,
        counts_per_tile=per_tile,
        counts_per_tile_se=per_tile_var**0.5,
        noise_g=float(np.median([one.hold.noise_counts for one in laid])) / abs(gain),
        samples_per_s=float(np.median([one.hold.samples_per_s for one in laid])),
    )


def expected_tiles(figures: Figures, hold: Hold) -> float:
    """How many tiles a hold weighs like."""
    return (hold.level_counts - figures.zero_counts) / figures.counts_per_tile


def expected_error(laid: Sequence[Laid], tiles: int, figures: Figures, hold: Hold, assumed: Assumptions) -> float:
    """Standard error, in tiles, of `expected_tiles` where `tiles` other tiles of the same set lie there."""
    each = (assumed.spread_share**2 + assumed.place_share**2) * tiles
    known = (tiles * figures.counts_per_tile_se / figures.counts_per_tile) ** 2
    tile_g = abs(figures.counts_per_tile / figures.counts_per_g)
    drift = (assumed.drift_g / tile_g) ** 2 * max(0.0, hold.at_s - laid[0].hold.at_s) / 60.0
    creep = (assumed.creep_share * max(tiles, laid[-1].tiles)) ** 2
    noise = (hold.level_se_counts / figures.counts_per_tile) ** 2
    return float((each + known + drift + creep + noise) ** 0.5)


def _errors(laid: Sequence[Laid], n: Floats, per_tile: float, gain: float, assumed: Assumptions) -> Floats:
    """Covariance, in counts, of all that is not the spread of tiles' weights."""
    since_s = np.array([max(0.0, one.hold.at_s - laid[0].hold.at_s) for one in laid])
    drift = (gain * assumed.drift_g) ** 2 / 60.0 * np.minimum.outer(since_s, since_s)
    alone = np.array([one.hold.level_se_counts for one in laid]) ** 2
    alone = alone + (assumed.place_share * per_tile) ** 2 * n + (assumed.creep_share * per_tile * n) ** 2
    return np.asarray(drift + np.diag(alone))
