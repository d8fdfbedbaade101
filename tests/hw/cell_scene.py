"""A load cell that is being calibrated, for tests: what lies on it when, and what goes wrong. Seeded; it shares nothing
with the code under test."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hw.calibration_fit import Weighed
from hw.guided_calibration import GuidedCalibration, Phase, Stage
from hw.hold import CellSample

Floats = NDArray[np.float64]
SETTLE_S = 6.0


@dataclass
class Scene:
    """One cell and a set of 152 tiles. Time goes on with each call."""

    seed: int
    gain: float = -412.7
    zero: float = 152_311.0
    tile_g: float = 12.0
    spread: float = 0.015
    place: float = 0.003
    creep: float = 0.0015
    drift_g: float = 0.15
    noise_g: float = 0.08
    rate: int = 10
    spike_share: float = 0.0
    invalid_share: float = 0.0
    now_s: float = 100.0
    rng: np.random.Generator = field(init=False)
    masses: Floats = field(init=False)
    on: list[int] = field(init=False, default_factory=list)
    zero_g: float = field(init=False, default=0.0)
    _load_g: float = field(init=False, default=0.0)
    _crept_g: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.masses = self.tile_g * (1.0 + self.rng.normal(0.0, self.spread, 152))

    @property
    def mean_g(self) -> float:
        """What a tile of this set weighs: the truth."""
        return float(self.masses.mean())

    @property
    def true_zero(self) -> float:
        """What the empty rack would read now."""
        return self.zero + self.gain * self.zero_g

    def lay(self, tiles: int) -> float:
        """Have so many tiles on the cell; returns their true grams. Tiles are laid to or taken from those that lie."""
        others = [tile for tile in range(152) if tile not in self.on]
        while len(self.on) > tiles:
            self.on.pop(int(self.rng.integers(len(self.on))))
        while len(self.on) < tiles:
            self.on.append(others.pop(int(self.rng.integers(len(others)))))
        grams = float(self.masses[self.on].sum())
        felt = self.masses[self.on] * (1.0 + self.rng.normal(0.0, self.place, len(self.on)))
        self._load_g = float(felt.sum())
        return grams

    def samples(self, seconds: float, extra_g: Floats | float = 0.0) -> list[CellSample]:
        """So many seconds of samples; `extra_g`: other forces, one or one a sample."""
        n = round(seconds * self.rate)
        step_s = 1.0 / self.rate
        walk = self.zero_g + np.cumsum(self.rng.normal(0.0, self.drift_g * (step_s / 60.0) ** 0.5, n))
        keep = np.exp(-step_s * np.arange(1, n + 1) / 45.0)
        crept = self.creep * self._load_g + (self._crept_g - self.creep * self._load_g) * keep
        grams = self._load_g + walk + crept + extra_g + self.rng.normal(0.0, self.noise_g, n)
        raw = np.rint(self.zero + self.gain * grams).astype(np.int64)
        spikes = self.rng.random(n) < self.spike_share
        raw[spikes] += self.rng.choice([-1, 1], int(spikes.sum())) * self.rng.integers(
            5_000, 400_000, int(spikes.sum())
        )
        invalid = self.rng.random(n) < self.invalid_share
        raw[invalid] = self.rng.choice([-1, 0, 0xFFFF, 0x7FFFFF], int(invalid.sum()))
        at_s = self.now_s + step_s * np.arange(1, n + 1)
        if n:
            self.now_s, self.zero_g, self._crept_g = float(at_s[-1]), float(walk[-1]), float(crept[-1])
        return [CellSample(at, code) for at, code in zip(at_s.tolist(), raw.tolist(), strict=True)]


def measure(
    guide: GuidedCalibration, scene: Scene, tiles: int, said: int | None = None, weighed: Weighed | None = None
) -> None:
    """Lay tiles, wait as long as a person takes, say so, and hold still for up to half a minute."""
    scene.lay(tiles)
    guide.feed(scene.samples(float(scene.rng.uniform(2.0, SETTLE_S * 2))))
    guide.laid(tiles if said is None else said, weighed)
    for _ in range(60):
        if guide.phase is not Phase.HOLDING:
            return
        guide.feed(scene.samples(0.5))


def calibrated(
    scene: Scene, first: int = 14, second: int | None = None, check: int = 7, scale_g: float | None = 0.6
) -> GuidedCalibration:
    """A whole calibration, however it ends. `scale_g`: error of the kitchen scale; `None`: nothing is weighed."""
    guide = GuidedCalibration("east.rack")
    measure(guide, scene, 0)
    grams = scene.lay(first)
    weighed = None if scale_g is None else Weighed(grams + float(scene.rng.normal(0.0, scale_g)), scale_g)
    measure(guide, scene, first, weighed=weighed)
    if second is None:
        guide.skip()
    else:
        measure(guide, scene, second)
    if guide.stage is Stage.CHECK:
        measure(guide, scene, check)
    return guide
