"""Simulated one-way links for the clock: a node with a drifting crystal, and delays with a known minimum.

Everything is seeded. The truth is the host second at which a message was made.
"""

import math
import random
from collections.abc import Callable

from msgspec import Struct

from firmware_bridge.messages import TICKS_MODULUS

Delay = Callable[[random.Random, float], float]


class Crystal:
    """A node's clock: off by up to 100 ppm, its rate wandering by up to 1 ppm a minute."""

    def __init__(self, rng: random.Random, ppm: float = 100.0, wander_ppm_per_min: float = 1.0) -> None:
        self._rate = rng.uniform(-ppm, ppm) * 1e-6
        self._phase = rng.uniform(0.0, math.tau)
        self._period_s = 600.0
        self._swing = wander_ppm_per_min * 1e-6 / 60.0 * self._period_s / math.tau
        self._start = rng.randrange(TICKS_MODULUS)

    def ticks(self, host_s: float) -> int:
        """What the node's clock shows at a host second."""
        turn = math.tau * host_s / self._period_s + self._phase
        wander_s = self._swing * self._period_s / math.tau * (math.cos(self._phase) - math.cos(turn))
        return (self._start + round((host_s * (1.0 + self._rate) + wander_s) * 1e6)) % TICKS_MODULUS


class Sent(Struct, frozen=True):
    """One message: when it was made, what the node's clock showed, and when it arrived."""

    made_s: float
    ticks: int
    arrived_s: float


def messages(rng: random.Random, crystal: Crystal, delay: Delay, hz: float, until_s: float) -> list[Sent]:
    """A node's messages in order of arrival."""
    sent = []
    at_s = 1.0
    while at_s < until_s:
        sent.append(Sent(at_s, crystal.ticks(at_s), at_s + delay(rng, at_s)))
        at_s += max(rng.gauss(1.0 / hz, 0.01 / hz), 0.2 / hz)
    return sorted(sent, key=lambda one: one.arrived_s)


class Simulated(Struct, frozen=True):
    """A kind of link. `minimum_s` is the shortest delay it ever has."""

    name: str
    minimum_s: float
    hz: float
    delay: Delay


def _wifi_bursts(rng: random.Random, at_s: float) -> float:
    late = rng.uniform(0.05, 0.45) if rng.random() < 0.01 else 0.0
    spell = rng.expovariate(1 / 0.05) if int(at_s) % 37 < 3 else 0.0
    return 0.002 + rng.expovariate(1 / 0.008) + late + spell


def _wifi_soft(rng: random.Random, _: float) -> float:
    return 0.003 + rng.gammavariate(3, 0.004)


def _wifi_lognormal(rng: random.Random, _: float) -> float:
    return 0.0015 + rng.lognormvariate(math.log(0.006), 0.8)


def _wifi_heavy(rng: random.Random, _: float) -> float:
    return 0.002 + 0.02 * (rng.paretovariate(1.5) - 1.0) + rng.gammavariate(2, 0.003)


def _wifi_step_up(rng: random.Random, at_s: float) -> float:
    step_s = 0.005 if 130 < at_s < 180 or 200 < at_s < 215 else 0.0
    return 0.003 + step_s + rng.gammavariate(1.5, 0.006)


def _usb_polled(rng: random.Random, _: float) -> float:
    return 0.001 + rng.uniform(0.0, 0.001) + rng.expovariate(1 / 0.0002)


def _usb_busy_host(rng: random.Random, _: float) -> float:
    return 0.002 + rng.expovariate(1 / 0.0003) + (rng.uniform(0.0, 0.02) if rng.random() < 0.02 else 0.0)


def _usb_soft(rng: random.Random, _: float) -> float:
    return 0.0017 + rng.gammavariate(3, 0.0002)


WIFI = (
    Simulated("bursts", 0.002, 10, _wifi_bursts),
    Simulated("soft minimum", 0.003, 10, _wifi_soft),
    Simulated("lognormal", 0.0015, 10, _wifi_lognormal),
    Simulated("heavy tail", 0.002, 10, _wifi_heavy),
)
WIFI_STEP_UP = Simulated("minimum steps up and down again", 0.003, 10, _wifi_step_up)
USB = (
    Simulated("polled", 0.001, 10, _usb_polled),
    Simulated("busy host", 0.002, 20, _usb_busy_host),
    Simulated("soft minimum", 0.0017, 12, _usb_soft),
)
