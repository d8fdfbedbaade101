"""Load cells in the field: rows of the project's list of faults, each told as what it is and never as a tile."""

import numpy as np
import pytest

from firmware_bridge.messages import Place
from hw.calibration import CellCalibration
from hw.observations import Observation, Quality, Zone
from hw.weight import SETTLING_SAMPLES, LoadCell
from hw.weight_codes import FAILED_S, STALE_SAMPLES
from tests.hw.weight_signal import (
    COUNTS_PER_G,
    RATES,
    TILE_G,
    ZERO_COUNTS,
    Rack,
    Samples,
    counted,
    fed,
    health,
    moved,
    new_cell,
    quiet,
    settled,
    steps,
)

rates = pytest.mark.parametrize("rate", RATES)
SEEDS = range(12)


def _invalid(samples: Samples, seed: int, share: float) -> int:
    """Put codes that are no weight in place of some; return how many."""
    rng = np.random.default_rng(seed)
    hit = rng.random(samples.raw.size) < share
    codes = np.array([0, -1, 0x7FFFFF, -0x800000, 0x800000, 0xFFFFFF, (1 << 22) - 1, (1 << 20) - 1, (1 << 16) - 1])
    samples.raw[hit] = rng.choice(codes, int(hit.sum()))
    return int(hit.sum())


@rates
@pytest.mark.parametrize("share", [0.01, 0.05])
def test_row_1_codes_that_are_no_weight_are_counted_and_tell_nothing(rate: int, share: float) -> None:
    for seed in SEEDS:
        rack = Rack(seed, end_s=10.0)
        rack.place(4.0)
        rack.lift(7.0)
        samples = rack.sampled(rate)
        n = _invalid(samples, seed, share)
        cell = new_cell()
        assert counted(fed(samples, cell)) == [(13, 14), (14, 13)]
        assert cell.invalid == n


@rates
@pytest.mark.parametrize("grams", [-314.0, 314.0, 12.0, -12.0, 24.0])
def test_row_2_a_single_sample_apart_is_no_event(rate: int, grams: float) -> None:
    """171, -143, 171; and a spike of just a tile."""
    for seed in SEEDS:
        samples = Rack(seed, end_s=8.0, tiles=14).sampled(rate)
        samples.raw[samples.near(4.0)] += round(grams * COUNTS_PER_G)
        cell = new_cell()
        told = fed(samples, cell)
        assert quiet(told)
        assert moved(told) == []
        assert cell.spikes == 1


@rates
def test_two_samples_apart_change_no_count(rate: int) -> None:
    for seed in SEEDS:
        samples = Rack(seed, end_s=8.0).sampled(rate)
        at = samples.near(4.0)
        samples.raw[at : at + 2] += round(-300.0 * COUNTS_PER_G)
        assert quiet(fed(samples))


@rates
def test_row_4_codes_beyond_24_bits_are_rejected(rate: int) -> None:
    """More weight reads less there: taken for weight, a tile that comes would have left."""
    for seed in SEEDS:
        rack = Rack(seed, end_s=12.0)
        rack.place(5.0)
        samples = rack.sampled(rate)
        wrong = (samples.at_s > 4.0) & (samples.at_s < 7.0)
        samples.raw[wrong] = 2 * (1 << 23) + 7_000_000 - samples.raw[wrong]
        cell = new_cell()
        told = fed(samples, cell)
        assert cell.invalid == int(wrong.sum())
        assert all(o.after >= 13 for o in steps(told))
        assert cell.count == 14


@rates
@pytest.mark.parametrize(
    ("code", "quality"),
    [
        (-1, Quality.INVALID),
        (0, Quality.INVALID),
        (2 * (1 << 23) + 7_000_000, Quality.INVALID),
        (0x7FFFFF, Quality.SATURATED),
        (-0x800000, Quality.SATURATED),
    ],
)
def test_rows_1_4_and_7_no_weight_for_half_a_minute_is_a_fault_and_no_count(
    rate: int, code: int, quality: Quality
) -> None:
    """The count of before does not stand for what nobody weighs; tiles that came meanwhile have no date."""
    for seed in SEEDS:
        rack = Rack(seed, end_s=40.0)
        rack.place(20.0)
        samples = rack.sampled(rate)
        samples.raw[(samples.at_s > 5.0) & (samples.at_s < 35.0)] = code
        cell = new_cell()
        told = fed(samples, cell)
        assert [o.quality for o in health(told)] == [quality, Quality.GOOD]
        assert health(told)[0].at_s == pytest.approx(5.0 + FAILED_S, abs=0.4)
        assert [(o.count, o.reason) for o in settled(told)] == [(13, ""), (None, quality.value), (14, "")]
        assert steps(told) == []
        assert (cell.count, cell.resting) == (14, True)


@rates
def test_row_5_an_outlier_of_hundreds_of_thousands_is_no_event(rate: int) -> None:
    for seed in SEEDS:
        samples = Rack(seed, end_s=8.0).sampled(rate)
        samples.raw[samples.near(4.0)] = -459_744
        assert quiet(fed(samples))


@rates
@pytest.mark.parametrize("asleep", [-1, 0xFFFFFF])
def test_row_7_a_chip_asleep_reads_all_ones(rate: int, asleep: int) -> None:
    for seed in SEEDS:
        rack = Rack(seed, end_s=12.0)
        samples = rack.sampled(rate)
        away = (samples.at_s > 4.0) & (samples.at_s < 8.0)
        samples.raw[away] = asleep
        cell = new_cell()
        told = fed(samples, cell)
        assert steps(told) == []
        assert cell.invalid == int(away.sum())
        assert {o.count for o in settled(told)} == {13}
        assert (cell.count, cell.resting) == (13, True)


@rates
def test_row_9_single_doubled_readings_are_outliers(rate: int) -> None:
    for seed in SEEDS:
        samples = Rack(seed, end_s=10.0).sampled(rate)
        hit = np.random.default_rng(seed).integers(2 * rate, samples.raw.size - 2, 6)
        samples.raw[hit] *= 2
        assert quiet(fed(samples))


@rates
@pytest.mark.parametrize("tiles", [1, 3])
@pytest.mark.parametrize("come", [True, False])
def test_row_10_a_settling_converter_tells_the_whole_step_once(rate: int, tiles: int, come: bool) -> None:
    """Four conversions: 34.8 instead of 170 just after a step."""
    for seed in SEEDS:
        rack = Rack(seed, end_s=7.0)
        (rack.place if come else rack.lift)(3.0 + 0.011 * seed, tiles)
        told = fed(rack.sampled(rate, settling=4))
        assert counted(told) == [(13, 13 + tiles if come else 13 - tiles)]


@rates
@pytest.mark.parametrize("off_g", [(24.0, 4.8, 1.8, 0.9, 0.6), (0.6,) * 5, (-400.0, -80.0, 12.0, 12.0, 12.0)])
def test_row_11_the_first_five_samples_are_dropped(rate: int, off_g: tuple[float, ...]) -> None:
    assert len(off_g) == SETTLING_SAMPLES
    for seed in SEEDS:
        samples = Rack(seed, end_s=4.0).sampled(rate)
        samples.raw[:5] += np.rint(np.array(off_g) * COUNTS_PER_G).astype(np.int64)
        cell = new_cell()
        told = fed(samples, cell)
        assert quiet(told)
        assert moved(told) == []
        assert settled(told)[0].since.at_s >= samples.at_s[5] - 1e-5
        assert cell.count == 13


@rates
@pytest.mark.parametrize("tiles", [1, 2])
@pytest.mark.parametrize("come", [True, False])
def test_row_12_a_moving_average_makes_one_event_of_a_ramp(rate: int, tiles: int, come: bool) -> None:
    for seed in SEEDS:
        rack = Rack(seed, end_s=9.0)
        (rack.place if come else rack.lift)(3.0 + 0.011 * seed, tiles)
        told = fed(rack.sampled(rate).smoothed(16))
        assert counted(told) == [(13, 13 + tiles if come else 13 - tiles)]


@rates
@pytest.mark.parametrize("grams_per_min", [0.03, 0.5, -0.5])
def test_row_15_drift_and_creep_are_no_event(rate: int, grams_per_min: float) -> None:
    """0.3 g in ten minutes of warming up; half a gram a minute of creep."""
    rack = Rack(15, end_s=400.0)
    rack.sag(grams_per_min)
    told = fed(rack.sampled(rate))
    assert quiet(told)
    assert moved(told) == []


@rates
def test_tiles_are_counted_while_the_zero_walks_by_a_whole_tile(rate: int) -> None:
    """The difference to the last rest counts, not the distance from a zero that was right once."""
    rack = Rack(16, end_s=310.0)
    rack.sag(-2.4)
    for k in range(10):
        rack.place(20.0 + 30.0 * k)
        rack.lift(35.0 + 30.0 * k)
    told = fed(rack.sampled(rate))
    assert counted(told) == [(13, 14), (14, 13)] * 10
    assert len(settled(told)) == 1
    assert health(told) == []


@rates
def test_a_zero_that_wanders_off_is_a_wiring_fault(rate: int) -> None:
    """A tile's weight in twenty seconds, without any edge."""
    rack = Rack(17, end_s=40.0)
    rack.force += np.clip(rack.t - 10.0, 0.0, 20.0) * 0.6
    told = fed(rack.sampled(rate))
    assert {o.quality for o in health(told)} == {Quality.DRIFTING}
    assert "drifting" in {o.reason for o in settled(told) if o.count is None}
    assert steps(told) == []


@rates
@pytest.mark.parametrize("grams_per_s", [1.0, 2.0, 3.0])
def test_bad_wiring_that_drifts_by_a_tile_is_no_step(rate: int, grams_per_s: float) -> None:
    """Told as what it is; when it lies still again, the tiles that nobody touched are still there."""
    for seed in SEEDS:
        rack = Rack(seed, end_s=45.0)
        rack.force += np.clip((rack.t - 10.0) * grams_per_s, 0.0, 12.0)
        cell = new_cell()
        told = fed(rack.sampled(rate), cell)
        assert steps(told) == []
        assert {o.quality for o in health(told)} == {Quality.DRIFTING}
        assert [(o.count, o.reason) for o in settled(told)] == [(13, ""), (None, "drifting"), (13, "")]
        assert cell.resting


def _rebooted(first: Rack, later: Rack, rate: int, zero_step: float, pause_s: float = 2.0) -> list[Observation]:
    """A node that starts anew after `pause_s`: its zero steps by a share, and its first samples are high."""
    before, after = first.sampled(rate), later.sampled(rate)
    after.raw += round(zero_step * ZERO_COUNTS)
    after.raw[:5] += np.rint(np.array([24.0, 4.8, 1.8, 0.9, 0.6]) * COUNTS_PER_G).astype(np.int64)
    boot_s = float(before.at_s[-1]) + 0.5 * pause_s
    told: list[str] = []

    def reboot(at_s: float, cell: LoadCell) -> None:
        if at_s > boot_s and not told:
            told.append("rebooted")
            cell.reboot()

    cell = new_cell()
    observed = fed(before.then(after, pause_s), cell, before=reboot)
    assert told == ["rebooted"]
    assert cell.resting
    return observed


@rates
@pytest.mark.parametrize("share", [0.005, 0.01, -0.005, -0.01])
def test_row_16_the_zero_steps_at_a_reboot_and_no_tile_moved(rate: int, share: float) -> None:
    for seed in SEEDS:
        later = Rack(seed, end_s=8.0)
        later.place(4.0)
        told = _rebooted(Rack(seed, end_s=6.0), later, rate, share)
        assert [o.count for o in settled(told)] == [13, 13]
        assert counted(told) == [(13, 14)]


@rates
def test_row_16_after_a_reboot_without_a_step_what_lies_there_counts(rate: int) -> None:
    """Tiles taken while the node was away."""
    for seed in SEEDS:
        for tiles in (0, 10, 12, 14):
            told = _rebooted(Rack(seed, end_s=6.0), Rack(seed + 50, end_s=5.0, tiles=tiles, spread=0.005), rate, 0.0)
            assert [o.count for o in settled(told)] == [13, tiles]
            assert steps(told) == []


@rates
@pytest.mark.parametrize("share", [0.005, 0.01, -0.005, -0.01])
@pytest.mark.parametrize("taken", [1, 2])
def test_row_16_tiles_that_went_during_a_reboot_with_a_zero_step(rate: int, share: float, taken: int) -> None:
    """The step is less than half a tile: there is only one count that it leaves."""
    for seed in SEEDS:
        later = Rack(seed, end_s=5.0)
        for _ in range(taken):
            later.force -= later.masses.pop()
        told = _rebooted(Rack(seed, end_s=6.0), later, rate, share)
        assert [o.count for o in settled(told)] == [13, 13 - taken]
        assert steps(told) == []


BIG_ZERO = 4.0 * ZERO_COUNTS
"""A rack so heavy that a percent of its zero is more than a tile."""


def _rebooted_with_a_big_zero(first: Rack, later: Rack, rate: int, step_g: float) -> tuple[list[Observation], LoadCell]:
    before, after = first.sampled(rate), later.sampled(rate)
    cell = LoadCell(Place.EAST, Zone.RACK, CellCalibration(COUNTS_PER_G, BIG_ZERO, TILE_G))
    for samples, shift in ((before, 0.0), (after, step_g * COUNTS_PER_G)):
        samples.raw += round(BIG_ZERO - ZERO_COUNTS + shift)
    boot_s = float(before.at_s[-1]) + 1.0
    rebooted: list[float] = []

    def reboot(at_s: float, cell: LoadCell) -> None:
        if at_s > boot_s and not rebooted:
            rebooted.append(at_s)
            cell.reboot()

    return fed(before.then(after, 2.0), cell, before=reboot), cell


@rates
@pytest.mark.parametrize(("taken", "step_g"), [(1, 0.0), (0, -12.0), (0, 12.0), (1, 6.0), (0, 7.5)])
def test_row_16_a_count_that_a_zero_step_of_a_tile_leaves_open_is_unknown(rate: int, taken: int, step_g: float) -> None:
    """A tile that went and a zero that stepped by a tile weigh the same: neither is guessed, and nothing happened."""
    for seed in SEEDS[:6]:
        later = Rack(seed, end_s=9.0)
        for _ in range(taken):
            later.force -= later.masses.pop()
        later.place(5.0)
        told, cell = _rebooted_with_a_big_zero(Rack(seed, end_s=6.0), later, rate, step_g)
        assert [(o.count, o.reason) for o in settled(told)] == [(13, ""), (None, "zero unknown after a reboot")]
        assert steps(told) == []
        assert (cell.count, cell.resting) == (None, False)


@rates
def test_row_16_a_big_zero_that_did_not_step_leaves_the_count_as_it_was(rate: int) -> None:
    for seed in SEEDS[:6]:
        told, cell = _rebooted_with_a_big_zero(Rack(seed, end_s=6.0), Rack(seed, end_s=5.0), rate, 0.0)
        assert [o.count for o in settled(told)] == [13, 13]
        assert cell.resting


@rates
def test_row_16_an_emptied_rack_can_settle_what_a_reboot_left_open(rate: int) -> None:
    """Fewer than no tiles cannot lie there."""
    for seed in SEEDS[:6]:
        later = Rack(seed, end_s=12.0, tiles=3)
        first = Rack(seed, end_s=6.0, tiles=3)
        for k in range(3):
            later.lift(4.0 + 1.5 * k)
        told, cell = _rebooted_with_a_big_zero(first, later, rate, -16.0)
        assert [o.count for o in settled(told)] == [3, None, 0]
        assert cell.count == 0


@rates
def test_row_18_the_same_code_again_and_again_is_a_stale_sensor(rate: int) -> None:
    for seed in SEEDS:
        samples = Rack(seed, end_s=18.0).sampled(rate)
        stuck = (samples.at_s > 4.0) & (samples.at_s < 11.0)
        samples.raw[stuck] = samples.raw[stuck][0]
        cell = new_cell()
        told = fed(samples, cell)
        assert [o.quality for o in health(told)] == [Quality.STALE, Quality.GOOD]
        assert [(o.count, o.reason) for o in settled(told)] == [(13, ""), (None, "stale"), (13, "")]
        assert settled(told)[1].seen_s == pytest.approx(4.0 + STALE_SAMPLES / rate, abs=0.3)
        assert steps(told) == []


@rates
def test_row_18_a_few_repeats_are_read_as_they_are(rate: int) -> None:
    for seed in SEEDS:
        samples = Rack(seed, end_s=10.0).sampled(rate)
        for at in (3 * rate, 5 * rate):
            samples.raw[at : at + 12] = samples.raw[at]
        assert quiet(fed(samples))
