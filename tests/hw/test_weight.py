"""One load cell: whole tiles counted through hands, faults and drift, and every change dated inside its bounds.

Rows are those of the project's list of faults seen in the field.
"""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.clock import TickMap
from firmware_bridge.messages import TICKS_MODULUS
from hw.observations import Observation, Quality, Step
from hw.weight import LEANED_S, MOST_TILES, SETTLING_SAMPLES, STALE_SAMPLES, LoadCell
from tests.hw.weight_signal import (
    COUNTS_PER_G,
    RATES,
    TILE_G,
    ZERO_COUNTS,
    Rack,
    Samples,
    fed,
    health,
    moved,
    new_cell,
    row,
    settled,
    steps,
)

rates = pytest.mark.parametrize("rate", RATES)
SEEDS = range(12)


def quiet(told: list[Observation]) -> bool:
    """Whether a signal told nothing but its first rest and touches that changed nothing."""
    return len(settled(told)) == 1 and steps(told) == [] and health(told) == []


def counted(told: list[Observation]) -> list[tuple[int, int]]:
    return [(step.before, step.after) for step in steps(told)]


# ---- rest


@rates
@pytest.mark.parametrize("tiles", [0, 1, 13, 14, 17])
def test_a_rack_at_rest_is_counted_once(rate: int, tiles: int) -> None:
    for seed in SEEDS:
        cell = new_cell()
        told = fed(Rack(seed, end_s=4.0, tiles=tiles).sampled(rate), cell)
        assert quiet(told)
        assert moved(told) == []
        first = settled(told)[0]
        assert (first.count, cell.count, cell.resting, first.reason) == (tiles, tiles, True, "")
        assert first.since.earliest_s <= first.since.at_s <= first.since.latest_s < first.seen_s


@rates
def test_a_load_that_is_no_number_of_tiles_is_not_guessed_at(rate: int) -> None:
    rack = Rack(3, tiles=2, end_s=4.0)
    rack.force += 0.5 * TILE_G
    cell = new_cell()
    assert fed(rack.sampled(rate), cell) == []
    assert (cell.count, cell.resting) == (None, False)


# ---- tiles


@rates
@pytest.mark.parametrize("tiles", [1, 2, 3, 4])
@pytest.mark.parametrize("come", [True, False])
def test_tiles_that_come_or_go_are_one_step(rate: int, tiles: int, come: bool) -> None:
    for seed in SEEDS:
        rack = Rack(seed, end_s=7.0, tiles=10)
        (rack.place if come else rack.lift)(3.0 + seed * 0.0173, tiles)
        cell = new_cell()
        told = fed(rack.sampled(rate), cell)
        after = 10 + tiles if come else 10 - tiles
        assert counted(told) == [(10, after)]
        assert (cell.count, cell.resting) == (after, True)


@rates
@pytest.mark.parametrize("come", [True, False])
def test_a_change_is_dated_inside_its_bounds(rate: int, come: bool) -> None:
    """Of 300 placings and liftings at any phase of the converter: 98 % at the least, within a sample or two."""
    inside, widths, errors = 0, [], []
    for seed in range(300):
        rack = Rack(seed, end_s=5.5, tiles=13)
        at_s = 2.5 + float(rack.rng.random())
        if come:
            rack.place(at_s, touch_s=0.0)
        else:
            rack.lift(at_s)
        told = steps(fed(rack.sampled(rate)))
        assert len(told) == 1, seed
        edge = told[0].edge
        inside += edge.earliest_s <= at_s <= edge.latest_s
        widths.append(edge.latest_s - edge.earliest_s)
        errors.append(edge.at_s - at_s)
    assert inside >= 294
    assert float(np.median(widths)) < 1.2 / rate + 0.005
    assert float(np.sqrt(np.mean(np.square(errors)))) < 0.6 / rate


@rates
def test_the_onset_is_the_first_touch(rate: int) -> None:
    for seed in SEEDS:
        rack = Rack(seed, end_s=6.0)
        rack.press(3.0, 3.3, 800.0)
        rack.place(3.25)
        onset = steps(fed(rack.sampled(rate)))[0].onset
        assert onset.earliest_s <= 3.0 + 0.02
        assert onset.latest_s >= 3.0
        assert onset.latest_s - onset.earliest_s < 1.3 / rate + 0.005


@rates
def test_a_step_is_known_within_a_second_of_rest(rate: int) -> None:
    for seed in SEEDS:
        rack = Rack(seed, end_s=6.0)
        rack.place(3.0)
        step = steps(fed(rack.sampled(rate)))[0]
        assert step.seen_s - 3.0 < 1.0
        assert 3.0 < step.rest_s < step.seen_s


@rates
def test_what_hands_pressed_meanwhile_is_told(rate: int) -> None:
    """`low`, `high` and `clean` say what the load was worth between the rests."""
    rack = Rack(5, end_s=6.0)
    rack.place(3.0, touch_s=0.0)
    plain = steps(fed(rack.sampled(rate)))[0]
    rack = Rack(5, end_s=6.0, tiles=14)
    rack.lift(3.0, press_g=3000.0)
    pressed = steps(fed(rack.sampled(rate)))[0]
    assert plain.clean
    assert not pressed.clean
    assert pressed.high >= 14 + 100
    assert plain.low <= 13 <= plain.high
    assert len(plain.rises) == 1


@rates
def test_the_same_tiles_put_back_weigh_the_same_and_others_do_not(rate: int) -> None:
    """The residue tells them apart, in units of its own standard deviation."""

    def residues(swap_g: float) -> list[float]:
        found = []
        for seed in range(20):
            rack = Rack(seed, end_s=7.0)
            rack.lean(3.0, 4.0, 900.0)
            rack.force[rack.t >= 3.5] += swap_g
            told = [o for o in fed(rack.sampled(rate)) if isinstance(o, Step)]
            assert len(told) == 1
            assert told[0].before == told[0].after == 13
            found.append(told[0].residue_g)
            assert 0.02 < told[0].noise_g < 0.3
        return found

    assert max(abs(g) for g in residues(0.0)) < 0.25
    assert all(0.5 < g < 1.1 for g in residues(0.8))


# ---- hands that change nothing


def _press(rack: Rack) -> None:
    rack.press(3.0, 3.25, 3600.0)
    rack.press(5.0, 5.2, 2200.0)


def _tap(rack: Rack) -> None:
    for at_s, grams in ((3.0, 500.0), (3.7, -500.0), (5.0, 480.0), (5.05, -510.0)):
        rack.tap(at_s, grams)


def _lean(rack: Rack) -> None:
    rack.lean(3.0, 6.0, 1500.0)


def _light_hand(rack: Rack) -> None:
    """A hand that weighs about as much as two tiles."""
    rack.lean(3.0, 6.0, 2.0 * TILE_G)


def _sort(rack: Rack) -> None:
    """Presses, taps and leaning one after the other."""
    _press(rack)
    _tap(rack)
    rack.lean(5.5, 7.0, 700.0)


@rates
@pytest.mark.parametrize("hand", [_press, _tap, _lean, _light_hand, _sort])
def test_hands_change_no_count(rate: int, hand: Callable[[Rack], None]) -> None:
    """Presses of kilograms, taps of half a kilogram while the tiles stay, arms that lie there."""
    for seed in SEEDS:
        rack = Rack(seed, end_s=10.0)
        hand(rack)
        cell = new_cell()
        assert quiet(fed(rack.sampled(rate), cell)), seed
        assert (cell.count, cell.resting) == (13, True)


@rates
def test_a_tile_placed_by_a_leaning_hand_is_counted_when_the_hand_is_gone(rate: int) -> None:
    for seed in SEEDS:
        rack = Rack(seed, end_s=8.0)
        rack.lean(2.8, 4.5, 1200.0)
        rack.place(3.4)
        told = steps(fed(rack.sampled(rate)))
        assert [(s.before, s.after) for s in told] == [(13, 14)]
        assert told[0].onset.latest_s < 3.4 < told[0].rest_s


@rates
def test_an_arm_that_stays_leaves_the_count_unknown(rate: int) -> None:
    rack = Rack(4, end_s=LEANED_S + 16.0)
    rack.lean(3.0, LEANED_S + 8.0, 1500.0)
    cell = new_cell()
    told = settled(fed(rack.sampled(rate), cell))
    assert [(o.count, o.reason) for o in told] == [(13, ""), (None, "no rest"), (13, "")]
    assert told[1].seen_s == pytest.approx(3.0 + LEANED_S, abs=0.5)
    assert cell.count == 13


# ---- rows of the list of faults


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
def test_row_13_a_smoothed_landing_is_dated_back_to_its_onset(rate: int) -> None:
    """Sixteen samples of 10 a second delay by 1.6 s."""
    inside = 0
    for seed in range(50):
        rack = Rack(seed, end_s=9.0)
        at_s = rack.place(3.0 + float(rack.rng.random()), touch_s=0.0)
        edge = steps(fed(rack.sampled(rate).smoothed(16)))[0].edge
        inside += edge.earliest_s <= at_s <= edge.latest_s
        assert abs(edge.at_s - at_s) < 1.6 / rate
    assert inside >= 49


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


# ---- gaps, order, clocks


@rates
def test_a_short_gap_is_nothing_and_a_long_one_a_new_rest(rate: int) -> None:
    for seed in SEEDS:
        samples = Rack(seed, end_s=14.0).sampled(rate)
        assert quiet(fed(samples.without(4.0, 4.8)))
        told = fed(samples.without(4.0, 8.0))
        assert [o.count for o in settled(told)] == [13, 13]
        assert len(moved(told)) == 1


@rates
def test_what_changed_in_a_gap_is_counted_and_has_no_date(rate: int) -> None:
    for seed in SEEDS:
        rack = Rack(seed, end_s=14.0)
        rack.place(6.0)
        told = fed(rack.sampled(rate).without(4.0, 8.0))
        assert [o.count for o in settled(told)] == [13, 14]
        assert steps(told) == []


@rates
def test_messages_of_any_size_tell_the_same(rate: int) -> None:
    rack = Rack(9, end_s=12.0)
    rack.place(4.0)
    rack.lift(8.0)
    samples = rack.sampled(rate)
    for batch_s in (0.02, 0.1, 0.5):
        told = steps(fed(samples, batch_s=batch_s))
        assert [(s.before, s.after) for s in told] == [(13, 14), (14, 13)]
        assert [s.edge.at_s for s in told] == pytest.approx([s.edge.at_s for s in steps(fed(samples))], abs=1e-4)


def test_samples_that_do_not_come_after_the_last_are_left() -> None:
    samples = Rack(10, end_s=6.0).sampled(80)
    cell = new_cell()
    fed(samples, cell)
    clock = TickMap(round(6.0e6), 6.0, 1e-6, 0.0, 0.0)
    again = [row(float(samples.at_s[k]), int(samples.raw[k]) + 40_000 + k) for k in range(200, 240)]
    assert cell.feed(again, clock, 6.02) == []
    assert (cell.count, cell.resting) == (13, True)


def test_the_clock_s_doubt_is_in_the_bounds() -> None:
    rack = Rack(11, end_s=6.0)
    rack.place(3.0)
    samples = rack.sampled(80)

    def edge(early_s: float, late_s: float) -> tuple[float, float]:
        cell = new_cell()
        told: list[Observation] = []
        for k in range(samples.raw.size):
            sample = row(float(samples.at_s[k]), int(samples.raw[k]))
            clock = TickMap(sample.ticks, float(samples.at_s[k]), 1e-6, early_s, late_s)
            told += cell.feed([sample], clock, float(samples.at_s[k]))
        moment = steps(told)[0].edge
        return moment.earliest_s, moment.latest_s

    sharp, blunt = edge(0.0, 0.0), edge(0.05, 0.02)
    assert blunt == pytest.approx((sharp[0] - 0.05, sharp[1] + 0.02))


# ---- whatever comes


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["place", "lift", "tap", "press", "lean"]),
        st.floats(1.7, 4.0),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(acts=ACTS, seed=st.integers(0, 10_000), rate=st.sampled_from(RATES), settling=st.sampled_from([0, 4]))
def test_single_tiles_and_pauses_are_always_counted_right(
    acts: list[tuple[str, float]], seed: int, rate: int, settling: int
) -> None:
    """Any order of placing and lifting single tiles among taps, presses and leaning, with time to rest between."""
    rack = Rack(seed, end_s=3.0 + sum(pause for _, pause in acts) + 2.0)
    at_s, expected, count = 3.0, [], 13
    for act, pause_s in acts:
        if act == "place" and count < MOST_TILES - 4:
            rack.place(at_s)
            expected.append((count, count + 1))
            count += 1
        elif act == "lift" and count:
            rack.lift(at_s)
            expected.append((count, count - 1))
            count -= 1
        elif act == "tap":
            rack.tap(at_s, 500.0)
        elif act == "press":
            rack.press(at_s, at_s + 0.2, 3000.0)
        elif act == "lean":
            rack.lean(at_s, at_s + 0.4, 1000.0)
        at_s += pause_s
    cell = new_cell()
    told = fed(rack.sampled(rate, settling=settling), cell)
    assert counted(told) == expected
    assert (cell.count, cell.resting) == (count, True)
    assert health(told) == []


@settings(max_examples=150, deadline=None)
@given(
    raws=st.lists(
        st.one_of(
            st.integers(-(1 << 31), (1 << 32) - 1),
            st.integers(-(1 << 23), (1 << 23) - 1),
            st.integers(80_000, 155_000),
            st.sampled_from([0, -1, 0x7FFFFF, -0x800000, 87_922, 87_923]),
        ),
        max_size=250,
    ),
    gaps_us=st.lists(st.sampled_from([0, -3000, 12_500, 100_000, 2_000_000, 40_000_000]), min_size=1, max_size=9),
    reboots=st.sets(st.integers(0, 250), max_size=4),
)
def test_junk_never_raises_and_a_count_is_always_one_that_a_rack_can_have(
    raws: list[int], gaps_us: list[int], reboots: set[int]
) -> None:
    cell = new_cell()
    ticks = TICKS_MODULUS - 5_000_000
    now_s = 10.0
    for k, raw in enumerate(raws):
        step_us = gaps_us[k % len(gaps_us)]
        ticks += step_us
        now_s += step_us * 1e-6
        if k in reboots:
            cell.reboot()
        clock = TickMap(ticks % TICKS_MODULUS, now_s, 1e-6, 0.004, 0.001)
        for told in cell.feed([row(ticks * 1e-6, raw)], clock, now_s + 0.02):
            counts = [getattr(told, name, None) for name in ("before", "after", "count")]
            assert all(n is None or 0 <= n <= MOST_TILES for n in counts)
        assert cell.count is None or 0 <= cell.count <= MOST_TILES
