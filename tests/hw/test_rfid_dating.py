"""Dates: the truth lies inside the bounds as often as they say, and they are no wider than the rounds make them."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw.observations import Moment
from hw.rfid_dating import Clock, Hearing, Word, date_arrival, date_departure
from hw.rfid_held import HELD_SHARES

EXACT = Clock(0.0, 0.0)
INF = float("inf")


UNHEARD, HALF = (0,), (HELD_SHARES.index(0.45),)


def known(rate: float, held: tuple[int, ...] = UNHEARD) -> Hearing:
    return Hearing(200.0 * rate, 200.0 * (1.0 - rate), 0.05, 0.004, 0.004, held, [1.0 / len(held)] * len(held))


def at(host_s: float, heard: bool, beside_heard: int = 0) -> Word:
    """A round that was over in an instant."""
    return Word(host_s, host_s, heard, beside_heard)


def arrival(rng: Random, rate: float, period_s: float) -> tuple[list[Word], float]:
    """Words about a tile that came to rest at the returned moment, up to its eighth hearing."""
    truth = 4.0 + rng.random() * period_s
    words: list[Word] = []
    at_s, heard = rng.random() * period_s, 0
    while heard < 8:
        here = at_s >= truth and rng.random() < rate
        heard += here
        words.append(at(at_s, here))
        at_s += period_s * rng.uniform(0.8, 1.2)
    return words, truth


@pytest.mark.parametrize(("rate", "period_s"), [(0.92, 0.12), (0.7, 0.12), (0.55, 0.25)])
def test_bounds_of_arrivals_hold(rate: float, period_s: float) -> None:
    rng = Random(4711)
    held = 0
    errors: list[float] = []
    for _ in range(400):
        words, truth = arrival(rng, rate, period_s)
        moment = date_arrival(words, known(rate), -INF, EXACT).moment
        held += moment.earliest_s <= truth <= moment.latest_s
        errors.append(moment.at_s - truth)
    assert held >= 0.99 * 400
    assert (sum(e * e for e in errors) / len(errors)) ** 0.5 < 1.2 * period_s / rate


def test_a_tag_not_yet_known_gets_wider_bounds() -> None:
    words = [at(0.1 * k, k >= 40) for k in range(50)]
    sure = date_arrival(words, known(0.92), -INF, EXACT).moment
    unsure = date_arrival(words, Hearing(3.5, 1.5, 0.05, 0.004, 0.004, UNHEARD, [1.0]), -INF, EXACT).moment
    assert unsure.latest_s - unsure.earliest_s > sure.latest_s - sure.earliest_s
    assert sure.earliest_s <= 3.95 <= sure.latest_s


def test_a_tap_before_is_not_the_arrival() -> None:
    words = [at(0.1 * k, k in (20, 21) or k >= 40) for k in range(52)]
    assert date_arrival(words, known(0.95), -INF, EXACT).moment.at_s == pytest.approx(3.95, abs=0.1)


def test_misses_after_landing_stay_inside_the_bounds() -> None:
    words = [at(0.1 * k, k in (40, 42) or k >= 45) for k in range(56)]
    moment = date_arrival(words, known(0.7), -INF, EXACT).moment
    assert moment.earliest_s < 3.95 < moment.latest_s


def test_the_other_antenna_of_the_rack_bears_witness() -> None:
    own = [at(0.1 * k, k >= 43) for k in range(52)]
    alone = date_arrival(own, known(0.8), -INF, EXACT).moment
    cross = [at(word.host_s, word.heard, int(k == 41)) for k, word in enumerate(own)]
    assert date_arrival(cross, known(0.8), -INF, EXACT).moment.at_s < alone.at_s - 0.05


def test_a_tile_cannot_come_before_it_left() -> None:
    words = [at(0.1 * k, k >= 40) for k in range(50)]
    moment = date_arrival(words, known(0.7), 3.94, EXACT).moment
    assert moment.earliest_s >= 3.94
    assert moment.earliest_s <= moment.at_s <= moment.latest_s


@pytest.mark.parametrize("rate", [0.92, 0.7])
def test_bounds_of_departures_hold(rate: float) -> None:
    rng = Random(815)
    held = 0
    for _ in range(400):
        truth = 4.0 + rng.random() * 0.12
        words: list[Word] = []
        at_s = rng.random() * 0.12
        while at_s < truth + 1.5:
            words.append(at(at_s, at_s < truth and rng.random() < rate))
            at_s += rng.uniform(0.1, 0.14)
        moment = date_departure(words, known(rate), INF, EXACT).moment
        held += moment.earliest_s <= truth <= moment.latest_s
    assert held >= 0.99 * 400


def test_a_tile_left_before_it_was_found_elsewhere() -> None:
    words = [at(0.1 * k, k < 30) for k in range(45)]
    assert date_departure(words, known(0.5), 3.02, EXACT).moment.latest_s <= 3.02


def test_the_clock_widens_the_bounds() -> None:
    words = [at(0.1 * k, k >= 40) for k in range(50)]
    exact = date_arrival(words, known(0.9), -INF, EXACT).moment
    wide = date_arrival(words, known(0.9), -INF, Clock(0.02, 0.005)).moment
    assert wide.earliest_s == pytest.approx(exact.earliest_s - 0.02)
    assert wide.latest_s == pytest.approx(exact.latest_s + 0.005)
    assert wide.at_s == exact.at_s


hearings = st.lists(st.tuples(st.floats(0.001, 0.5), st.booleans(), st.booleans()), min_size=2, max_size=60)


def words_of(steps: list[tuple[float, bool, bool]], from_s: float) -> list[Word]:
    words: list[Word] = []
    at_s = from_s
    for step_s, heard, beside in steps:
        words.append(Word(at_s, at_s + step_s, heard, int(beside), int(not beside)))
        at_s += step_s
    return words


def assert_ordered(moment: Moment, words: list[Word]) -> None:
    assert words[0].began_s <= moment.earliest_s <= moment.at_s <= moment.latest_s <= words[-1].host_s


@given(hearings, st.floats(0.1, 200.0), st.floats(0.1, 200.0))
def test_whatever_was_heard_a_date_lies_among_the_rounds(
    steps: list[tuple[float, bool, bool]], heard: float, missed: float
) -> None:
    words = words_of(steps, 0.0)
    hearing = Hearing(heard, missed, 0.05, 0.004, 0.004, range(5), [0.2] * 5)
    assert_ordered(date_arrival(words, hearing, -INF, EXACT).moment, words)
    assert_ordered(date_departure(words, hearing, INF, EXACT).moment, words)


@given(hearings, st.integers(1, 100_000))
def test_dates_move_with_the_clock(steps: list[tuple[float, bool, bool]], later_s: int) -> None:
    early = date_arrival(words_of(steps, 0.0), known(0.8), -INF, EXACT).moment
    late = date_arrival(words_of(steps, float(later_s)), known(0.8), -INF, EXACT).moment
    for a, b in pairwise((early.at_s, late.at_s)):
        assert b - a == pytest.approx(later_s, abs=1e-3)


@pytest.mark.parametrize("hover_s", [0.0, 0.3, 0.9])
def test_a_change_of_rate_dates_the_landing_of_a_tile_that_was_held_near(hover_s: float) -> None:
    rng = Random(162)
    inside, errors = 0, []
    for _ in range(300):
        truth = 4.0 + rng.random() * 0.13
        words: list[Word] = []
        at_s, heard = 0.0, 0
        while heard < 12:
            began_s, at_s = at_s, at_s + 0.13
            slot_s = rng.uniform(began_s, at_s)
            rate = 0.92 if slot_s >= truth else (0.42 if slot_s >= truth - hover_s else 0.0)
            here = rng.random() < rate
            heard += here and slot_s >= truth
            words.append(Word(began_s, at_s, here))
        moment = date_arrival(words, known(0.92, HALF), -INF, EXACT).moment
        inside += moment.earliest_s <= truth <= moment.latest_s
        errors.append(moment.at_s - truth)
    assert inside >= 0.98 * 300
    assert (sum(e * e for e in errors) / len(errors)) ** 0.5 < 0.35


def test_a_round_hears_a_tile_at_any_moment_of_it() -> None:
    words = [Word(0.2 * k, 0.2 * k + 0.2, k >= 20) for k in range(36)]
    moment = date_arrival(words, known(0.97), -INF, EXACT).moment
    assert moment.earliest_s < 3.85
    assert moment.latest_s > 4.1


def test_the_evidence_of_a_date_tells_how_held_tiles_are_heard() -> None:
    hearing = known(0.92, (0, 3))
    pattern = "." * 20 + "#..#.##..#.." + "#" * 12
    hovered = date_arrival([at(0.13 * k, mark == "#") for k, mark in enumerate(pattern)], hearing, -INF, EXACT)
    abrupt = date_arrival([at(0.13 * k, k >= 30) for k in range(42)], hearing, -INF, EXACT)
    assert hovered.evidence[1] > hovered.evidence[0]
    assert abrupt.evidence[1] < abrupt.evidence[0]


def test_a_tile_that_rested_here_before_may_be_dated_from_then_on() -> None:
    words = [at(0.1 * k, k < 15 or k >= 40) for k in range(52)]
    moment = date_arrival(words, known(0.92)._replace(rested=True), -INF, EXACT).moment
    assert moment.at_s == pytest.approx(3.95, abs=0.1)


@given(
    st.lists(st.tuples(st.floats(-0.3, 2000.0), st.floats(0.0, 900.0), st.booleans()), min_size=3, max_size=30),
    st.floats(0.05, 0.98),
)
def test_rounds_of_a_clock_gone_wild_are_dated_and_raise_nothing(
    rounds: list[tuple[float, float, bool]], rate: float
) -> None:
    """A node that tells milliseconds for microseconds, or whose clock is still being learned: any gap, any order."""
    words: list[Word] = []
    at_s = 0.0
    for gap_s, length_s, heard in rounds:
        at_s += gap_s
        words.append(Word(at_s - length_s, at_s, heard, 0))
    words.append(at(at_s + 0.1, heard=True))
    for date in (date_arrival, date_departure):
        moment = date(words, known(rate), -INF if date is date_arrival else INF, EXACT).moment
        assert moment.earliest_s <= moment.at_s <= moment.latest_s
