"""Evenings that several tests look at, made once: a harsh hybrid hand and a short quiet one."""

import pytest

from hw.simulator.evening import Evening, simulate_evening
from hw.simulator.options import Noise, Options, Pace


@pytest.fixture(scope="session")
def harsh() -> Evening:
    return simulate_evening(Options(seed=11, noise=Noise.HARSH, pace=Pace.EXPERT, discards=12))


@pytest.fixture(scope="session")
def quick() -> Evening:
    return simulate_evening(Options(seed=12, noise=Noise.QUIET, pace=Pace.EXPERT, discards=6))
