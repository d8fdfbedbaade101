"""What breaks in a load cell and its converter: one function a fault, applied to a cell's samples.

Owns damage to samples, and the small glitches of every chip at its noise level. Refuses to know the game and the way of
messages. sensors -> **cell_faults** -> node.
"""

import numpy as np
from msgspec.structs import replace
from numpy.random import Generator
from numpy.typing import NDArray

from hw.simulator.faults import Plan, Span
from hw.simulator.load_cell import FULL_SCALE, Samples
from hw.simulator.node import Boot
from hw.simulator.noise import NoiseProfile
from hw.simulator.options import SensorFault
from hw.simulator.sensors import Weighed

_INVALID_CODES = (FULL_SCALE - 1, -FULL_SCALE, -1, 0, (1 << 22) - 1, (1 << 20) - 1)
"""Codes that are no weight: 0x7FFFFF, 0x800000, all ones, 0, 2^n-1 (research: load cells)."""


def glitch(weighed: Weighed, noise: NoiseProfile, rng: Generator) -> Weighed:
    """What every chip does now and then at its noise level: spikes, invalid codes, stale repeats."""
    raw = weighed.samples.raw.copy()
    n = raw.size
    for k in np.flatnonzero(rng.random(n) < noise.spike_rate):
        raw[k : k + int(rng.integers(1, 3))] += int(rng.normal(0.0, 400.0) * weighed.cell.counts_per_g)
    for k in np.flatnonzero(rng.random(n) < noise.invalid_rate):
        raw[k] = _INVALID_CODES[int(rng.integers(0, len(_INVALID_CODES)))]
    for k in np.flatnonzero(rng.random(n) < noise.stale_rate):
        raw[k : k + int(rng.integers(2, 12))] = raw[k]
    return replace(weighed, samples=Samples(weighed.samples.at_s, np.clip(raw, -FULL_SCALE, FULL_SCALE - 1)))


def spoil_cell(weighed: Weighed, boots: list[Boot], plan: Plan) -> Weighed:
    """Put the chosen cell faults into one cell's samples, and the zero step of a reboot."""
    cell, rng = weighed.cell, plan.rng
    at_s, raw = weighed.samples.at_s, weighed.samples.raw.astype(np.float64)
    gain, place, sensor = cell.counts_per_g, cell.place, cell.channel.value
    seconds = np.arange(0.0, plan.end_s + 1.0)

    def during(span: Span) -> NDArray[np.bool_]:
        return np.asarray((at_s >= span.from_s) & (at_s < span.to_s))

    for boot in boots[1:]:
        # The zero steps by 0.5-1 % of the reading after a power cycle, and the first samples are high.
        step = float(rng.choice([-1.0, 1.0])) * float(rng.uniform(0.005, 0.01)) * abs(cell.zero_counts)
        raw[at_s >= boot.from_s] += step
        raw[np.flatnonzero(at_s >= boot.from_s)[:5]] += 0.6 * gain
    if plan.strikes(SensorFault.STUCK_CELL, place):
        span = plan.span(15.0, 60.0)
        held = np.flatnonzero(during(span))
        if held.size:
            raw[held] = raw[held[0]]
        plan.tell(SensorFault.STUCK_CELL, place, span, sensor)
    if plan.strikes(SensorFault.BAD_WIRING, place):
        span = plan.span(40.0, 120.0)
        walk = np.cumsum(rng.normal(0.0, 9.0, seconds.size)) + 25.0 * np.sin(seconds / float(rng.uniform(2.0, 6.0)))
        mask = during(span)
        raw[mask] += (np.interp(at_s[mask], seconds, walk) - np.interp(span.from_s, seconds, walk)) * gain
        plan.tell(SensorFault.BAD_WIRING, place, span, sensor)
    if plan.strikes(SensorFault.WARMING, place):
        # Ten times the usual warm-up: several grams in ten minutes.
        raw += gain * float(rng.choice([-1.0, 1.0])) * 6.0 * (1.0 - np.exp(-at_s / 180.0))
        plan.tell(SensorFault.WARMING, place, plan.whole, sensor)
    if plan.strikes(SensorFault.SMOOTHED, place):
        width = 16
        padded = np.concatenate([np.full(width - 1, raw[0]), raw])
        raw = np.convolve(padded, np.full(width, 1.0 / width), mode="valid")
        plan.tell(SensorFault.SMOOTHED, place, plan.whole, sensor, width)
    if plan.strikes(SensorFault.COLD_START, place):
        raw[:5] += 0.6 * gain * np.array([40.0, 8.0, 3.0, 1.5, 1.0])
        plan.tell(SensorFault.COLD_START, place, Span(0.0, float(at_s[min(4, at_s.size - 1)])), sensor, 5)
    if plan.strikes(SensorFault.DOUBLED, place):
        hit = rng.random(raw.size) < 0.004
        raw[hit] *= 2.0
        plan.tell(SensorFault.DOUBLED, place, plan.whole, sensor, int(hit.sum()))
    if plan.strikes(SensorFault.SPIKES, place):
        hit = rng.random(raw.size) < 0.01
        raw[hit] += rng.normal(0.0, 300.0, int(hit.sum())) * gain
        plan.tell(SensorFault.SPIKES, place, plan.whole, sensor, int(hit.sum()))
    raw = np.clip(np.rint(raw), -FULL_SCALE, FULL_SCALE - 1)
    if plan.strikes(SensorFault.INVALID_CODES, place):
        hit = rng.random(raw.size) < float(rng.uniform(0.01, 0.05))
        raw[hit] = rng.choice(np.array(_INVALID_CODES, dtype=np.float64), int(hit.sum()))
        plan.tell(SensorFault.INVALID_CODES, place, plan.whole, sensor, int(hit.sum()))
    if plan.strikes(SensorFault.CHIP_ASLEEP, place):
        span = plan.span(5.0, 30.0)
        raw[during(span)] = -1
        plan.tell(SensorFault.CHIP_ASLEEP, place, span, sensor)
    if plan.strikes(SensorFault.BEYOND_24_BITS, place):
        span = plan.span(20.0, 60.0)
        mask = during(span)
        raw[mask] = 2.0 * FULL_SCALE + 7.0e6 - raw[mask]
        plan.tell(SensorFault.BEYOND_24_BITS, place, span, sensor)
    return replace(weighed, samples=Samples(at_s, raw.astype(np.int64)))
