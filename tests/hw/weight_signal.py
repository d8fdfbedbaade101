"""A load cell's signal for tests: tiles, hands and faults laid on one rack, sampled by a converter, fed to the model.

Seeded, and no part of the product: it shares nothing with the model under test nor with the simulator. Forces are laid
out on a grid of 1600 points a second, so that an impact rings between two samples as it does in life.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from firmware_bridge.clock import TickMap
from firmware_bridge.messages import TICKS_MODULUS, Channel, Place, WeightSample
from hw.calibration import CellCalibration
from hw.observations import CountSettled, Observation, SensorHealth, Step, Zone, ZoneMoving
from hw.weight import LoadCell

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

GRID_HZ = 1600
TILE_G = 12.0
COUNTS_PER_G = -412.7
ZERO_COUNTS = 152_311.0
RATES = (10, 80)
EARLY_S, LATE_S = 0.004, 0.001


def calibration() -> CellCalibration:
    return CellCalibration(counts_per_g=COUNTS_PER_G, zero_counts=ZERO_COUNTS, tile_g=TILE_G)


@dataclass
class Rack:
    """What lies on one cell over time, in grams. `spread` is the relative deviation of a tile's weight."""

    seed: int
    end_s: float = 12.0
    tiles: int = 13
    spread: float = 0.02
    noise_g: float = 0.08
    rng: np.random.Generator = field(init=False)
    force: Floats = field(init=False)
    masses: list[float] = field(init=False)
    t: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.t = np.arange(int(self.end_s * GRID_HZ)) / GRID_HZ
        self.masses = [self._tile() for _ in range(self.tiles)]
        self.force = np.full(self.t.size, sum(self.masses))

    def _tile(self) -> float:
        return TILE_G * (1.0 + float(self.rng.normal(0.0, self.spread)))

    # tiles

    def place(self, at_s: float, tiles: int = 1, *, rings: bool = False, touch_s: float | None = None) -> float:
        """Tiles land at `at_s`: their weight at once and an impact that dies away, ringing or not.

        A hand touches the rack `touch_s` before and lets go within a fifth of a second.
        """
        for _ in range(tiles):
            mass = self._tile()
            self.masses.append(mass)
            self.force[self.t >= at_s] += mass
        after = np.maximum(0.0, self.t - at_s)
        thud = float(self.rng.uniform(20.0, 150.0)) * np.exp(-after / 0.03)
        if rings:
            thud = thud * np.cos(2 * np.pi * float(self.rng.uniform(20.0, 45.0)) * after)
        self.force += np.where(self.t >= at_s, thud, 0.0)
        early_s = float(self.rng.uniform(0.0, 0.05)) if touch_s is None else touch_s
        self._rest_hand(at_s - early_s, at_s + float(self.rng.uniform(0.05, 0.2)), float(self.rng.uniform(3.0, 40.0)))
        return at_s

    def lift(self, at_s: float, tiles: int = 1, *, press_g: float | None = None) -> float:
        """Fingers press for a moment, then tiles are off at `at_s`."""
        for _ in range(tiles):
            self.force[self.t >= at_s] -= self.masses.pop(int(self.rng.integers(len(self.masses))))
        hard_g = float(self.rng.uniform(2200.0, 3600.0)) if press_g is None else press_g
        self.press(at_s - float(self.rng.uniform(0.1, 0.2)), at_s, hard_g)
        return at_s

    # hands

    def press(self, from_s: float, to_s: float, grams: float) -> None:
        """A hand's pulse: up and down again within the span."""
        x = np.clip((self.t - from_s) / (to_s - from_s), 0.0, 1.0)
        self.force += grams * np.sin(np.pi * x)

    def _rest_hand(self, from_s: float, to_s: float, grams: float) -> None:
        """Fingers on the rack while a tile is set down."""
        ramp_s = 0.03
        self.force += grams * np.clip(np.minimum(self.t - from_s, to_s - self.t) / ramp_s, 0.0, 1.0)

    def lean(self, from_s: float, to_s: float, grams: float) -> None:
        """A hand or an arm that rests there: its force wanders and trembles all the while."""
        x = (self.t - from_s) / (to_s - from_s)
        ramp = np.clip(np.minimum(x, 1.0 - x) * (to_s - from_s) / 0.1, 0.0, 1.0)
        sway = 1.0 + 0.25 * np.sin(2 * np.pi * 0.45 * self.t + self.rng.uniform(0.0, 6.0))
        tremor = 0.06 * np.sin(2 * np.pi * 9.0 * self.t + self.rng.uniform(0.0, 6.0))
        self.force += grams * ramp * (sway + tremor)

    def tap(self, at_s: float, grams: float) -> None:
        """A tile or a finger taps the rack: a knock that rings to both sides; nothing stays."""
        after = np.maximum(0.0, self.t - at_s)
        knock = grams * np.exp(-after / 0.03) * np.cos(2 * np.pi * 28.0 * after)
        self.force += np.where(self.t >= at_s, knock, 0.0)

    def sag(self, grams_per_min: float) -> None:
        """Drift or creep."""
        self.force += grams_per_min * self.t / 60.0

    # the converter

    def sampled(self, rate: int, *, settling: int = 0) -> "Samples":
        """Conversions with white noise: each the mean force over the last `settling` periods; 0: the force itself."""
        period_s = 1.0 / rate
        at_s = np.arange(period_s * (0.1 + 0.8 * float(self.rng.random())), self.end_s, period_s)
        at_s = at_s + self.rng.uniform(0.0, min(0.001, 0.05 * period_s), at_s.size)
        width = max(1, round(settling * period_s * GRID_HZ))
        total = np.cumsum(np.concatenate([np.full(width, self.force[0]), self.force]))
        mean = (total[width:] - total[:-width]) / width if settling else self.force
        grams = np.interp(at_s, self.t, mean) + self.rng.normal(0.0, self.noise_g, at_s.size)
        return Samples(at_s, np.rint(ZERO_COUNTS + COUNTS_PER_G * grams).astype(np.int64), rate)

    def filtered(self, rate: int) -> "Samples":
        """Conversions through a chip's own filter: four means of a period each, one after the other."""
        force = self.force
        width = GRID_HZ // rate
        for _ in range(4):
            total = np.cumsum(np.concatenate([np.full(width, self.force[0]), self.force]))
            self.force = (total[width:] - total[:-width]) / width
        samples = self.sampled(rate)
        self.force = force
        return samples


@dataclass
class Samples:
    """Conversions of one cell: when, and raw counts. Tests damage `raw` in place."""

    at_s: Floats
    raw: Counts
    rate: int

    def near(self, at_s: float) -> int:
        """Index of the first conversion at or after a moment."""
        return int(np.searchsorted(self.at_s, at_s))

    def smoothed(self, width: int) -> "Samples":
        """The same through a moving average of `width` conversions, as common libraries do."""
        padded = np.concatenate([np.full(width - 1, self.raw[0]), self.raw]).astype(np.float64)
        mean = np.convolve(padded, np.full(width, 1.0 / width), mode="valid")
        return Samples(self.at_s, np.rint(mean).astype(np.int64), self.rate)

    def without(self, from_s: float, to_s: float) -> "Samples":
        """The same with a gap."""
        kept = (self.at_s < from_s) | (self.at_s >= to_s)
        return Samples(self.at_s[kept], self.raw[kept], self.rate)

    def then(self, later: "Samples", pause_s: float) -> "Samples":
        """Both, one after the other."""
        shift_s = self.at_s[-1] + pause_s - later.at_s[0]
        return Samples(
            np.concatenate([self.at_s, later.at_s + shift_s]), np.concatenate([self.raw, later.raw]), self.rate
        )


def new_cell() -> LoadCell:
    return LoadCell(Place.EAST, Zone.RACK, calibration())


def row(at_s: float, raw: int) -> WeightSample:
    return WeightSample(round(at_s * 1e6) % TICKS_MODULUS, Channel.RACK, raw)


def fed(
    samples: Samples,
    cell: LoadCell | None = None,
    *,
    batch_s: float = 0.1,
    before: Callable[[float, LoadCell], None] | None = None,
) -> list[Observation]:
    """Everything the model says to a signal that arrives in messages of `batch_s`, each 20 ms late.

    `before(at_s, cell)` is called ahead of each message.
    """
    cell = cell or new_cell()
    told: list[Observation] = []
    slots = np.floor(samples.at_s / batch_s).astype(np.int64)
    starts = np.flatnonzero(np.concatenate([[True], np.diff(slots) > 0])).tolist()
    for first, end in zip(starts, [*starts[1:], samples.at_s.size], strict=True):
        rows = [row(float(samples.at_s[k]), int(samples.raw[k])) for k in range(first, end)]
        made_s = float(samples.at_s[end - 1])
        clock = TickMap(rows[-1].ticks, made_s, 1e-6, EARLY_S, LATE_S)
        if before is not None:
            before(made_s, cell)
        told += cell.feed(rows, clock, made_s + 0.02)
    return told


def steps(told: list[Observation]) -> list[Step]:
    """Steps that changed the count."""
    return [o for o in told if isinstance(o, Step) and o.after != o.before]


def settled(told: list[Observation]) -> list[CountSettled]:
    return [o for o in told if isinstance(o, CountSettled)]


def health(told: list[Observation]) -> list[SensorHealth]:
    return [o for o in told if isinstance(o, SensorHealth)]


def moved(told: list[Observation]) -> list[ZoneMoving]:
    return [o for o in told if isinstance(o, ZoneMoving)]


def quiet(told: list[Observation]) -> bool:
    """Whether a signal told nothing but its first rest and touches that changed nothing."""
    return len(settled(told)) == 1 and steps(told) == [] and health(told) == []


def counted(told: list[Observation]) -> list[tuple[int, int]]:
    return [(step.before, step.after) for step in steps(told)]
