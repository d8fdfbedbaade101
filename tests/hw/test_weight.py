"""One load cell: whole tiles counted through hands, gaps and drift.

When changes are dated is tested with the dating, what breaks in a cell with the faults.
"""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.clock import TickMap
from firmware_bridge.messages import TICKS_MODULUS
from hw.observations import Step
from hw.weight import LEANED_S
from hw.weight_scale import MOST_TILES
from tests.hw.weight_signal import (
    RATES,
    TILE_G,
    Rack,
    counted,
    fed,
    health,
    moved,
    new_cell,
    quiet,
    row,
    settled,
    steps,
)

rates = pytest.mark.parametrize("rate", RATES)
SEEDS = range(12)


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
def test_a_load_that_is_only_about_whole_tiles_is_no_rest_yet(rate: int) -> None:
    """A finger that relieves the rack of a quarter of a tile lies still for half a second after a tile was lifted."""
    for seed in SEEDS:
        rack = Rack(seed, end_s=7.0, spread=0.01)
        rack.lift(3.0, press_g=0.0)
        rack.force[(rack.t >= 3.0) & (rack.t < 3.6)] -= 0.25 * TILE_G
        told = steps(fed(rack.sampled(rate)))
        assert [(s.before, s.after) for s in told] == [(13, 12)]
        assert told[0].rest_s >= 3.6
        assert abs(told[0].residue_g) < 0.1 * TILE_G


@rates
def test_an_arm_that_stays_leaves_the_count_unknown(rate: int) -> None:
    rack = Rack(4, end_s=LEANED_S + 16.0)
    rack.lean(3.0, LEANED_S + 8.0, 1500.0)
    cell = new_cell()
    told = settled(fed(rack.sampled(rate), cell))
    assert [(o.count, o.reason) for o in told] == [(13, ""), (None, "no rest"), (13, "")]
    assert told[1].seen_s == pytest.approx(3.0 + LEANED_S, abs=0.5)
    assert cell.count == 13


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
