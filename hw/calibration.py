"""What is known of a table's sensors before it plays: cells' zero and gain, and which tag is which tile.

Owns what a calibration may say: numbers that a cell cannot have, and keys that are no cell, are told as values.
"""

import math
from collections.abc import Iterator

from msgspec import UNSET, Struct, UnsetType

from firmware_bridge.messages import Channel, Place

LOAD_CELLS = tuple(f"{place}.{channel}" for place in Place if place is not Place.FLOOR for channel in Channel)
"""Every key that a calibration may have: the floor has no scales."""


WITHIN_99 = 2.5758
"""A figure lies within so many of its standard errors of the truth in 99 of 100 calibrations (normal law)."""


class Measured(Struct, frozen=True, omit_defaults=True):
    """How a cell's figures came about: the standard error of each, in the figure's own unit, and the cell's noise.

    `counts_per_tile_se` belongs to `counts_per_g * tile_g`, the product by which tiles are counted: it is known far
    better than either factor where the tiles were not weighed on a scale. `zero_counts_se` holds when the calibration
    ended. `when`: UTC, ISO 8601.
    """

    counts_per_g_se: float
    zero_counts_se: float
    tile_g_se: float
    counts_per_tile_se: float
    noise_g: float
    samples_per_s: float
    tiles: tuple[int, ...]
    when: str


class CellCalibration(Struct, frozen=True, omit_defaults=True):
    """One load cell. `zero_counts` is the raw reading with an empty rack in place; zero drifts.

    `measured` is absent where the figures were written down by hand.
    """

    counts_per_g: float
    zero_counts: float
    tile_g: float
    measured: Measured | None = None


class TableSetup(Struct, frozen=True):
    """A table's sensors. `calibration` is keyed `place.channel`; `tiles` maps enrolled uids to faces.

    `tile_doubts` maps those of them that were not heard well to what was odd, in words.
    """

    table: str
    tier: str = ""
    calibration: dict[str, CellCalibration] = {}
    tiles: dict[str, str] = {}
    tile_doubts: dict[str, str] | UnsetType = UNSET


class CalibrationFlaw(Struct, frozen=True):
    """What is wrong with the calibration of `cell`; `field` is empty where the key itself is wrong."""

    cell: str
    field: str
    problem: str

    def __str__(self) -> str:
        return f'calibration "{self.cell}"{self.field and f".{self.field}"}: {self.problem}'


def calibration_flaws(calibration: dict[str, CellCalibration]) -> Iterator[CalibrationFlaw]:
    """Everything that would make a cell's weights meaningless, in the order of the keys."""
    for key, cell in calibration.items():
        if key not in LOAD_CELLS:
            yield CalibrationFlaw(key, "", "is no load cell")
        if not _can_divide(cell.counts_per_g):
            yield CalibrationFlaw(key, "counts_per_g", f"must be a finite number other than 0, not {cell.counts_per_g}")
        if not math.isfinite(cell.zero_counts):
            yield CalibrationFlaw(key, "zero_counts", f"must be a finite number, not {cell.zero_counts}")
        if not (math.isfinite(cell.tile_g) and cell.tile_g > 0.0 and _can_divide(cell.tile_g)):
            yield CalibrationFlaw(key, "tile_g", f"must be a finite weight above 0, not {cell.tile_g}")


def _can_divide(number: float) -> bool:
    return math.isfinite(number) and number != 0.0 and math.isfinite(1.0 / number)
