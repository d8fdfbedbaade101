"""What a cell reads of tiles and hands: settling, saturation, shares of slope and ledge, figures of the noise."""

import numpy as np
import pytest

from firmware_bridge.messages import Channel, Place
from hw.simulator.load_cell import FULL_SCALE, Cell, weigh
from hw.simulator.options import Noise
from hw.simulator.physical import Move, Push, Shape, Surface
from tests.hw.simulator.bench import IDEAL, LEDGE, SLOPE, WALL, noisy, rack_cell, scene

MASSES = np.array([11.0, 12.0, 13.0, 12.5])


def grams(cell: Cell, *moves: Move, **more: object) -> tuple[np.ndarray, np.ndarray]:
    samples = weigh(scene(*moves, **more), MASSES, cell, IDEAL, np.random.default_rng(1))  # type: ignore[arg-type]
    return samples.at_s, (samples.raw - cell.zero_counts) / cell.counts_per_g


@pytest.mark.parametrize(("rate", "settles_s"), [(10, 0.4), (80, 0.05)])
def test_a_step_settles_in_four_conversions_and_to_the_tile_s_weight(rate: int, settles_s: float) -> None:
    at_s, g = grams(rack_cell(rate), Move(0, 5.0, 6.0, WALL, SLOPE, Place.EAST))
    before, after = at_s < 6.0, at_s > 6.0 + settles_s + 0.005
    assert np.abs(g[before]).max() < 0.01
    assert np.abs(g[after] - 11.0).max() < 0.01
    between = g[~before & ~after]
    assert between.size >= 3
    assert np.all(np.diff(between) >= -0.01)


def test_rates_are_as_asked() -> None:
    for rate in (10, 80):
        at_s, _ = grams(rack_cell(rate))
        assert at_s.size / 20.0 == pytest.approx(rate, rel=0.03)
        assert np.all(np.diff(at_s) > 0)


def test_a_tile_weighs_on_the_cell_that_carries_it() -> None:
    move = Move(1, 5.0, 6.0, WALL, LEDGE, Place.EAST)
    assert grams(rack_cell(channel=Channel.RACK), move)[1][-1] == pytest.approx(12.0, abs=0.01)
    assert grams(rack_cell(channel=Channel.LEDGE), move)[1][-1] == pytest.approx(12.0, abs=0.01)
    assert grams(rack_cell(channel=Channel.SLOPE), move)[1][-1] == pytest.approx(0.0, abs=0.01)


def test_what_lands_comes_off_again_whole() -> None:
    rng = np.random.default_rng(3)
    moves = (Move(0, 2.0, 3.0, WALL, SLOPE, Place.EAST), Move(0, 9.0, 10.0, SLOPE, LEDGE, Place.EAST),
             Move(0, 12.0, 13.0, LEDGE, WALL, Place.EAST))  # fmt: skip
    uneven = noisy(Noise.BRUTAL)
    still = weigh(scene(*moves), MASSES, rack_cell(), uneven, rng)
    g = (still.raw - 100_000.0) / 400.0
    held = g[(still.at_s > 4) & (still.at_s < 8.5)].mean() - g[still.at_s < 2].mean()
    assert held == pytest.approx(11.0, abs=3.0)
    exact = grams(rack_cell(), *moves)[1]
    assert exact[-1] == 0.0


def test_kilograms_saturate_the_converter() -> None:
    lean = Push(Place.EAST, Surface.SLOPE, 5.0, 8.0, 9_000.0, Shape.HOLD)
    for sign in (1.0, -1.0):
        cell = rack_cell(counts_per_g=sign * 1400.0)
        samples = weigh(scene(pushes=(lean,)), MASSES, cell, IDEAL, np.random.default_rng(1))
        assert samples.raw.max() < FULL_SCALE
        assert samples.raw.min() >= -FULL_SCALE
        extreme = samples.raw.max() if sign > 0 else samples.raw.min()
        assert extreme == (FULL_SCALE - 1 if sign > 0 else -FULL_SCALE)


@pytest.mark.parametrize("shape", Shape)
def test_hands_press_while_they_press_and_not_after(shape: Shape) -> None:
    push = Push(Place.EAST, Surface.SLOPE, 5.0, 6.0, 500.0, shape)
    at_s, g = grams(rack_cell(), pushes=(push,))
    during = (at_s > 5.0) & (at_s < 6.06)
    assert np.abs(g[during]).max() > 50.0
    assert np.abs(g[~during]).max() < 0.01
    elsewhere = Push(Place.WEST, Surface.SLOPE, 5.0, 6.0, 500.0, shape)
    assert np.abs(grams(rack_cell(), pushes=(elsewhere,))[1]).max() < 0.01


@pytest.mark.parametrize("noise", Noise)
def test_noise_is_that_of_its_level(noise: Noise) -> None:
    samples = weigh(scene(end_s=60.0), MASSES, rack_cell(10), noisy(noise), np.random.default_rng(5))
    g = (samples.raw - 100_000.0) / 400.0
    rms_g = float(np.diff(g).std() / 2**0.5)
    assert rms_g == pytest.approx(noisy(noise).cell_rms_g, rel=0.2)
    assert 0.02 <= noisy(noise).cell_rms_g <= 0.3  # research: load cells
