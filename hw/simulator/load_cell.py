"""A rack's load cell and its HX711: from tiles and hands to raw counts.

Owns the physics of weighing: masses, where a tile lies, hands' forces, the converter's settling, noise, drift and
creep, saturation. Refuses to know why anything is pressed. happening -> **load_cell** -> rows of a node.
"""

import numpy as np
from msgspec import Struct
from numpy.random import Generator
from numpy.typing import NDArray

from firmware_bridge.messages import Channel, Place
from hw.simulator.noise import NoiseProfile
from hw.simulator.physical import Happening, Push, Shape, Spot, Surface

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

GRID_HZ = 800
"""Forces are laid out on this grid; ten grid points a conversion at 80 samples/s."""
FULL_SCALE = 1 << 23
"""The converter saturates at +-2^23 (24 bits)."""
_SETTLING_CONVERSIONS = 4
"""HX711: 400 ms at 10 samples/s, 50 ms at 80: four conversions (research: load cells)."""
_FAST_FACTOR = 1.9
"""Noise at 80 samples/s over noise at 10: data sheet 90 nV against 50 nV rms."""
_CREEP_TAU_S = 45.0
_CREEP_STEP_S = 0.5


class Cell(Struct, frozen=True):
    """One cell as it really is. `zero_counts` is the reading with the empty rack in place at 0 s."""

    place: Place
    channel: Channel
    counts_per_g: float
    zero_counts: float
    samples_per_s: int


class Samples(Struct, frozen=True):
    """Conversions of one cell: when each was read out, and its raw counts."""

    at_s: Floats
    raw: Counts


def weigh(happening: Happening, masses_g: Floats, cell: Cell, noise: NoiseProfile, rng: Generator) -> Samples:
    """Everything a cell converts during an evening."""
    n = int(happening.end_s * GRID_HZ) + 1
    load = _tiles(happening, masses_g, cell, noise, rng, n)
    hands, zero = np.zeros(n), np.zeros(n)
    for push in happening.pushes:
        if push.rack == cell.place:
            share = _share(cell.channel, push.surface, rng)
            if share:
                _press(hands, push, share, rng)
                zero[min(n - 1, int(push.to_s * GRID_HZ))] += share * push.grams * rng.normal(0.0, noise.hysteresis)
    force = load + hands + np.cumsum(zero) + _drift(n, noise, rng) + _creep(load, hands, noise)
    period = GRID_HZ // cell.samples_per_s
    settled = force
    for _ in range(_SETTLING_CONVERSIONS):
        settled = _boxcar(settled, period)
    at_s = _sample_times(happening.end_s, cell.samples_per_s, rng)
    read = np.interp(at_s, np.arange(n) / GRID_HZ, settled)
    rms = noise.cell_rms_g * (_FAST_FACTOR if cell.samples_per_s > 10 else 1.0)
    counts = cell.zero_counts + cell.counts_per_g * (read + rng.normal(0.0, rms, at_s.size))
    return Samples(at_s, np.clip(np.rint(counts), -FULL_SCALE, FULL_SCALE - 1).astype(np.int64))


def _carries(channel: Channel, surface: Surface) -> bool:
    if channel is Channel.RACK:
        return surface in (Surface.SLOPE, Surface.LEDGE)
    return channel.value == surface.value


def _share(channel: Channel, surface: Surface, rng: Generator) -> float:
    """How much of a hand's force on a surface this cell feels; slope and ledge share a frame."""
    if channel is Channel.RACK:
        return 1.0
    return float(rng.uniform(0.9, 1.0) if channel.value == surface.value else rng.uniform(0.0, 0.08))


def _tiles(happening: Happening, masses_g: Floats, cell: Cell, noise: NoiseProfile, rng: Generator, n: int) -> Floats:
    """Weight of the tiles on the cell; the same tile weighs a little differently by where it lies."""
    felt: dict[int, float] = {}
    steps = np.zeros(n + 1)

    def here(spot: Spot) -> bool:
        return spot.seat == cell.place and _carries(cell.channel, spot.surface)

    changes = [(m.lifted_s, 0, m.tile, m.source) for m in happening.moves if here(m.source)]
    changes += [(m.landed_s, 1, m.tile, m.target) for m in happening.moves if here(m.target)]
    for at_s, landing, tile, _ in sorted(changes, key=lambda change: (change[2], change[0], change[1])):
        index = min(n, int(at_s * GRID_HZ))
        if landing:
            felt[tile] = float(masses_g[tile]) * (1.0 + float(rng.normal(0.0, noise.eccentricity)))
            steps[index] += felt[tile]
        else:
            steps[index] -= felt.pop(tile)
    return np.asarray(np.cumsum(steps)[:n])


def _press(hands: Floats, push: Push, share: float, rng: Generator) -> None:
    """Add one push to the forces."""
    first = max(0, int(push.from_s * GRID_HZ))
    last = min(hands.size, int(push.to_s * GRID_HZ) + 1)
    size = last - first
    if size <= 1:
        return
    x = np.linspace(0.0, 1.0, size)
    length_s = size / GRID_HZ
    force = np.zeros(size)
    match push.shape:
        case Shape.PULSE:
            force = np.sin(np.pi * x ** float(rng.uniform(0.6, 1.6)))
        case Shape.HOLD:
            ramp = min(0.5, 0.15 / length_s)
            force = np.clip(np.minimum(x, 1.0 - x) / ramp, 0.0, 1.0)
            sway = 1.0 + 0.25 * np.sin(2 * np.pi * (rng.uniform(0.2, 1.0) * length_s * x + rng.random()))
            tremor = 0.05 * np.sin(2 * np.pi * (rng.uniform(7.0, 12.0) * length_s * x + rng.random()))
            force = force * (sway + tremor)
        case Shape.RUB:
            for _ in range(4):
                hertz = float(rng.uniform(0.7, 7.0))
                force += 0.5 * np.sin(2 * np.pi * (hertz * length_s * x + rng.random()))
            force *= np.clip(np.minimum(x, 1.0 - x) * 6.0, 0.0, 1.0)
        case Shape.KNOCK:
            force = np.exp(-5.0 * x) * np.sin(2 * np.pi * float(rng.uniform(15.0, 35.0)) * length_s * x)
    hands[first:last] += share * push.grams * force


def _drift(n: int, noise: NoiseProfile, rng: Generator) -> Floats:
    """Warm-up, temperature and a slow random walk, in grams."""
    minutes = np.arange(n) / (60.0 * GRID_HZ)
    knots = np.arange(0.0, minutes[-1] + 0.2, 0.1)
    walk = np.concatenate([[0.0], np.cumsum(rng.normal(0.0, noise.drift_g * 0.1**0.5, knots.size - 1))])
    warm = 2.0 * noise.drift_g * float(rng.normal()) * (1.0 - np.exp(-minutes / 4.0))
    room = noise.drift_g * np.sin(2 * np.pi * (minutes / float(rng.uniform(6.0, 25.0)) + rng.random()))
    return np.asarray(np.interp(minutes, knots, walk) + warm + room - room[0])


def _creep(load: Floats, hands: Floats, noise: NoiseProfile) -> Floats:
    """The cell keeps giving a little after a load change, and after a hand's kilograms."""
    stride = int(_CREEP_STEP_S * GRID_HZ)
    total = (load + hands)[: load.size // stride * stride].reshape(-1, stride).mean(axis=1)
    if total.size < 2:
        return np.zeros(load.size)
    follow = _CREEP_STEP_S / _CREEP_TAU_S
    state, slow = 0.0, np.empty(total.size)
    for k, value in enumerate(total):
        state += follow * (float(value) - state)
        slow[k] = state
    return np.asarray(np.interp(np.arange(load.size), (np.arange(total.size) + 1) * stride, noise.creep * slow))


def _boxcar(force: Floats, width: int) -> Floats:
    """Mean over the last `width` grid points."""
    total = np.cumsum(np.concatenate([np.full(width, force[0]), force]))
    return np.asarray((total[width:] - total[:-width]) / width)


def _sample_times(end_s: float, samples_per_s: int, rng: Generator) -> Floats:
    """Read-outs: the chip's own oscillator is off by up to 2 %, and the loop that polls it jitters."""
    period_s = 1.0 / (samples_per_s * float(rng.uniform(0.98, 1.02)))
    at_s = np.arange(float(rng.uniform(0.0, period_s)), end_s, period_s)
    return np.asarray(np.sort(at_s + rng.uniform(0.0, min(0.001, 0.1 * period_s), at_s.size)))
