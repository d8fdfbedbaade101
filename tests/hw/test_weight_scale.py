"""A scale learns its tile and its zero from play, and never so fast that it eats a tile."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.messages import Place
from hw.calibration import CellCalibration
from hw.observations import Step, Zone
from hw.weight import LoadCell
from hw.weight_scale import MOST_TILES, TILE_TRUST, Scale
from tests.hw.weight_signal import COUNTS_PER_G, RATES, TILE_G, ZERO_COUNTS, Rack, counted, fed, settled, steps

rates = pytest.mark.parametrize("rate", RATES)


def scale(tile_g: float = TILE_G, zero_counts: float = ZERO_COUNTS) -> Scale:
    return Scale(CellCalibration(COUNTS_PER_G, zero_counts, tile_g))


def cell_stated(tile_g: float) -> LoadCell:
    return LoadCell(Place.EAST, Zone.RACK, CellCalibration(COUNTS_PER_G, ZERO_COUNTS, tile_g))


# ---- learning


@pytest.mark.parametrize("error", [-0.03, -0.01, 0.0, 0.02, 0.03])
def test_steps_teach_what_a_tile_weighs(error: float) -> None:
    """The error falls from 3 % to half a percent within a hand, and the stated doubt with it."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        learner = scale(TILE_G * (1.0 + error))
        for k in range(40):
            learner.stepped(float(rng.normal(TILE_G, 0.02 * TILE_G)), 13, 14, 10.0 * k)
        assert abs(learner.tile.grams - TILE_G) < 3.5 * learner.tile.doubt_g < 0.02 * TILE_G
        assert learner.tile.at_s == 390.0


def test_what_was_never_refined_has_no_age() -> None:
    fresh = scale()
    assert (fresh.tile.grams, fresh.tile.at_s) == (TILE_G, None)
    assert (fresh.zero.grams, fresh.zero.at_s) == (0.0, None)


def test_one_odd_step_moves_the_tile_by_little_and_no_step_beyond_what_is_trusted() -> None:
    learner = scale()
    learner.stepped(1.3 * TILE_G, 13, 14, 1.0)
    assert learner.tile.grams == TILE_G
    learner.stepped(TILE_G + 0.6, 13, 14, 1.0)
    assert TILE_G < learner.tile.grams < TILE_G + 0.2
    for k in range(2000):
        learner.stepped(learner.tile.grams + 0.5, 13, 14, float(k))
    assert learner.tile.grams == pytest.approx((1.0 + TILE_TRUST) * TILE_G)


def test_hands_full_teach_nothing() -> None:
    learner = scale()
    learner.stepped(13 * TILE_G * 1.04, 0, 13, 1.0)
    learner.stepped(0.3, 13, 13, 2.0)
    assert learner.tile == scale().tile


def test_the_zero_follows_what_lies_beyond_whole_tiles() -> None:
    learner = scale()
    for k in range(30):
        learner.rested(13 * TILE_G + 1.0, 13, float(k))
    assert learner.zero.grams == pytest.approx(1.0, abs=0.01)
    assert learner.zero.at_s == 29.0


def test_an_empty_rack_tells_its_zero_better_than_a_full_one() -> None:
    empty, full = scale(), scale()
    empty.rested(0.2, 0, 1.0)
    full.rested(14 * TILE_G, 14, 1.0)
    assert empty.zero.doubt_g < full.zero.doubt_g


def test_a_tile_that_is_learnt_changes_no_count_of_what_lies_there() -> None:
    learner = scale(1.03 * TILE_G)
    learner.settled(13 * TILE_G, 13, 0.0)
    for k in range(20):
        learner.stepped(TILE_G, 13, 14, float(k))
        learner.stepped(-TILE_G, 14, 13, float(k))
        assert learner.first(13 * TILE_G) == 13


# ---- in play


@rates
@pytest.mark.parametrize("error", [-0.025, 0.025])
def test_a_rack_whose_tile_was_stated_wrong_is_counted_from_full_to_empty(rate: int, error: float) -> None:
    """Thirteen tiles of 2.5 % too much are a third of a tile: what play teaches bridges that."""
    for seed in range(4):
        rack = Rack(seed, end_s=60.0, spread=0.01)
        for k in range(8):
            rack.place(4.0 + 3.0 * k)
            rack.lift(5.5 + 3.0 * k)
        for k in range(13):
            rack.lift(30.0 + 2.0 * k)
        cell = cell_stated(TILE_G * (1.0 + error))
        told = fed(rack.sampled(rate), cell)
        assert counted(told) == [(13, 14), (14, 13)] * 8 + [(n, n - 1) for n in range(13, 0, -1)]
        assert cell.count == 0
        assert abs(cell.tile.grams - TILE_G) < 0.015 * TILE_G
        assert cell.zero.at_s is not None


@rates
def test_the_weight_of_all_corrects_a_wrong_count_and_tells_no_step(rate: int) -> None:
    """A rack that seemed to hold thirteen and a hand's half tile holds what it weighs when the hand has gone."""
    for seed in range(6):
        rack = Rack(seed, end_s=12.0, spread=0.005)
        rack.force[rack.t < 5.0] += 0.64 * TILE_G
        cell = cell_stated(TILE_G)
        told = fed(rack.sampled(rate), cell)
        assert [o.count for o in settled(told)] == [14, 13]
        assert steps(told) == []
        assert not [o for o in told if isinstance(o, Step)]
        assert (cell.count, cell.resting) == (13, True)


# ---- whatever comes


@settings(max_examples=200, deadline=None)
@given(
    level_g=st.floats(-400.0, 800.0),
    old_g=st.floats(-400.0, 800.0),
    count=st.integers(0, MOST_TILES),
    zero_counts=st.sampled_from([0.0, ZERO_COUNTS, 2e6]),
)
def test_a_count_is_always_one_that_a_rack_can_have(
    level_g: float, old_g: float, count: int, zero_counts: float
) -> None:
    judge = scale(zero_counts=zero_counts)
    found = [
        judge.first(level_g),
        judge.lasting(level_g, old_g, count),
        judge.again(level_g, old_g, count),
        judge.changed(level_g, old_g, count, 0.1),
        *judge.rebooted(level_g, old_g, count, at_once=True),
        *judge.rebooted(level_g, old_g, count, at_once=False),
    ]
    assert all(n is None or 0 <= n <= MOST_TILES for n in found)
