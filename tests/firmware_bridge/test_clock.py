"""Ticks to host time on simulated links: error against the line of the minimum delay, and whether bounds hold."""

import random

import pytest
from msgspec import Struct

from firmware_bridge.arrival import Link
from firmware_bridge.clock import NodeClock, TickMap
from firmware_bridge.messages import TICKS_MODULUS
from tests.firmware_bridge.links import USB, WIFI, WIFI_STEP_UP, Crystal, Sent, Simulated, messages

SEEDS = range(4)
SAMPLE_AGE_S = 0.05


class Judged(Struct, frozen=True):
    """How one sample was dated: error against the minimum-delay line, and whether the truth was inside the bounds."""

    at_s: float
    error_s: float
    inside: bool
    early_s: float


def judge(drawn: TickMap, crystal: Crystal, made_s: float, minimum_s: float) -> Judged:
    """Date a sample taken a little before the message."""
    truth_s = made_s - SAMPLE_AGE_S
    dated_s = drawn.at(crystal.ticks(truth_s))
    inside = dated_s - drawn.early_s <= truth_s <= dated_s + drawn.late_s
    return Judged(made_s, dated_s - truth_s - minimum_s, inside, drawn.early_s)


def run(link: Link, kind: Simulated, seed: int, until_s: float = 240.0) -> list[Judged]:
    rng = random.Random(seed)
    crystal = Crystal(rng)
    clock = NodeClock(link)
    return [
        judge(clock.observe(one.ticks, one.arrived_s), crystal, one.made_s, kind.minimum_s)
        for one in messages(rng, crystal, kind.delay, kind.hz, until_s)
    ]


def p95(errors_s: list[float]) -> float:
    return sorted(abs(error_s) for error_s in errors_s)[int(len(errors_s) * 0.95)]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", WIFI, ids=lambda kind: kind.name)
def test_on_wifi_the_error_is_below_3_ms_after_a_minute_and_the_truth_within_the_bound(
    kind: Simulated, seed: int
) -> None:
    judged = run(Link.NETWORK, kind, seed)
    assert p95([one.error_s for one in judged if one.at_s > 60]) <= 0.003
    assert sum(one.inside for one in judged) >= 0.99 * len(judged)
    assert max(one.early_s for one in judged if one.at_s > 60) < 0.025


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", USB, ids=lambda kind: kind.name)
def test_on_usb_the_error_is_below_a_fifth_of_a_millisecond_after_a_minute(kind: Simulated, seed: int) -> None:
    judged = run(Link.USB, kind, seed)
    assert p95([one.error_s for one in judged if one.at_s > 60]) <= 0.0002
    assert sum(one.inside for one in judged) >= 0.99 * len(judged)
    assert max(one.early_s for one in judged if one.at_s > 60) < 0.009


@pytest.mark.parametrize("seed", SEEDS)
def test_a_minimum_that_steps_up_and_down_again_stays_within_the_bound(seed: int) -> None:
    judged = run(Link.NETWORK, WIFI_STEP_UP, seed)
    assert sum(one.inside for one in judged) >= 0.99 * len(judged)
    assert p95([one.error_s for one in judged if one.at_s > 60]) <= 0.005


@pytest.mark.parametrize("kind", [*WIFI, *USB], ids=lambda kind: kind.name)
def test_the_first_ten_seconds_are_wide_but_true(kind: Simulated) -> None:
    link = Link.NETWORK if kind in WIFI else Link.USB
    judged = [one for seed in range(30) for one in run(link, kind, seed, until_s=10.0)]
    assert sum(one.inside for one in judged) >= 0.99 * len(judged)


def test_the_bound_narrows_with_time() -> None:
    judged = run(Link.NETWORK, WIFI[0], 1)
    first, later, last = judged[0].early_s, judged[100].early_s, judged[-1].early_s
    assert first > 0.3
    assert first > later > last
    assert last < 0.015


def two_way(seed: int, until_s: float) -> list[Judged]:
    """A USB node which is asked each second."""
    rng = random.Random(seed)
    crystal = Crystal(rng)
    clock = NodeClock(Link.USB)
    judged = []
    ask_s = 2.0
    for one in messages(rng, crystal, USB[0].delay, 10, until_s):
        drawn = clock.observe(one.ticks, one.arrived_s)
        if one.made_s > ask_s:
            heard_s = ask_s + USB[0].delay(rng, ask_s)
            answered_s = heard_s + 0.0003
            arrived_s = answered_s + USB[0].delay(rng, answered_s)
            if arrived_s <= one.arrived_s:
                drawn = clock.observe_two_way(ask_s, crystal.ticks(heard_s), crystal.ticks(answered_s), arrived_s)
                ask_s += 1.0
        judged.append(judge(drawn, crystal, one.made_s, USB[0].minimum_s))
    return judged


@pytest.mark.parametrize("seed", SEEDS)
def test_ping_and_pong_narrow_the_bound_and_keep_it_true(seed: int) -> None:
    judged = two_way(seed, 120.0)
    one_way = run(Link.USB, USB[0], seed, 120.0)
    assert judged[-1].early_s < one_way[-1].early_s / 2
    assert judged[-1].early_s < 0.003
    assert sum(one.inside for one in judged) >= 0.99 * len(judged)
    assert p95([one.error_s for one in judged if one.at_s > 60]) <= 0.0002


def test_an_answer_from_before_the_question_is_no_bound() -> None:
    clock = NodeClock(Link.USB)
    for n in range(100):
        clock.observe(n * 100_000, 5.0 + n * 0.1)
    before = clock.map
    drawn = clock.observe_two_way(16.0, 10_000_000, 10_000_300, 15.002)
    assert before is not None
    assert clock.outliers == 1
    assert drawn.early_s == before.early_s


def test_ticks_wrap_without_a_jump() -> None:
    clock = NodeClock(Link.USB)
    start = TICKS_MODULUS - 3_000_000
    for n in range(100):
        drawn = clock.observe((start + n * 100_000) % TICKS_MODULUS, 50.0 + n * 0.1 + 0.001)
        assert drawn.at((start + n * 100_000) % TICKS_MODULUS) == pytest.approx(50.001 + n * 0.1, abs=1e-5)
    assert clock.restarts == clock.outliers == 0


def test_a_silence_longer_than_a_wrap_is_bridged_by_the_hosts_time() -> None:
    clock = NodeClock(Link.NETWORK)
    for n in range(600):
        clock.observe(n * 100_000, n * 0.1 + 0.002)
    silent_s = 3 * 3600.0
    ticks = round(silent_s * 1e6) % TICKS_MODULUS
    drawn = clock.observe(ticks, silent_s + 0.002)
    assert drawn.at(ticks) == pytest.approx(silent_s + 0.002, abs=drawn.early_s)
    assert clock.restarts == clock.outliers == 0


def test_one_message_with_broken_ticks_changes_nothing() -> None:
    clock = NodeClock(Link.NETWORK)
    for n in range(300):
        if n in {100, 200}:
            clock.observe(3_000_000_000, n * 0.1)
        clock.observe(n * 100_000, n * 0.1 + 0.004)
    drawn = clock.map
    assert drawn is not None
    assert drawn.at(30_000_000) == pytest.approx(30.004, abs=1e-4)
    assert clock.restarts == 0
    assert clock.outliers == 2


@pytest.mark.parametrize("leap_s", [-300.0, -5.0, 5.0, 300.0])
def test_a_clock_that_leaps_is_fitted_anew(leap_s: float) -> None:
    clock = NodeClock(Link.NETWORK)
    rng = random.Random(3)
    for n in range(2400):
        ticks = round((1000.0 + n * 0.1 + (leap_s if n >= 1200 else 0.0)) * 1e6)
        clock.observe(ticks, n * 0.1 + 0.002 + rng.expovariate(1 / 0.005))
    assert clock.restarts == 1
    drawn = clock.map
    assert drawn is not None
    assert drawn.at(round((1240.0 + leap_s) * 1e6)) == pytest.approx(240.002, abs=0.001)


def test_disorder_and_repeats_do_no_harm() -> None:
    rng = random.Random(9)
    crystal = Crystal(rng)
    sent = messages(rng, crystal, WIFI[0].delay, 10, 120.0)
    for _ in range(100):
        old = rng.choice(sent)
        sent.append(Sent(old.made_s, old.ticks, old.arrived_s + rng.uniform(0.1, 20.0)))
    clock = NodeClock(Link.NETWORK)
    judged = [
        judge(clock.observe(one.ticks, one.arrived_s), crystal, one.made_s, WIFI[0].minimum_s)
        for one in sorted(sent, key=lambda one: one.arrived_s)
    ]
    assert clock.restarts == clock.outliers == 0
    assert p95([one.error_s for one in judged if one.at_s > 60]) <= 0.003


@pytest.mark.parametrize("factor", [1.005, 0.995])
def test_a_ceramic_resonator_is_told_and_followed(factor: float) -> None:
    clock = NodeClock(Link.NETWORK)
    rng = random.Random(5)
    inside = []
    for n in range(3000):
        made_s = 1.0 + n * 0.1
        ticks = round(made_s * factor * 1e6)
        drawn = clock.observe(ticks, made_s + 0.002 + rng.expovariate(1 / 0.005))
        inside.append(drawn.at(ticks) - drawn.early_s <= made_s <= drawn.at(ticks) + drawn.late_s)
    assert clock.off_specification
    assert sum(inside[300:]) >= 0.99 * len(inside[300:])


def test_a_crystal_is_never_taken_for_a_resonator() -> None:
    for kind in WIFI:
        rng = random.Random(2)
        crystal = Crystal(rng)
        clock = NodeClock(Link.NETWORK)
        for one in messages(rng, crystal, kind.delay, kind.hz, 120.0):
            clock.observe(one.ticks, one.arrived_s)
            assert not clock.off_specification


@pytest.mark.parametrize("ticks", [0, 1, TICKS_MODULUS - 1])
def test_a_map_is_valid_half_a_wrap_either_way(ticks: int) -> None:
    drawn = TickMap(ticks, 1000.0, 1e-6, 0.0, 0.0)
    assert drawn.at((ticks + 2_000_000_000) % TICKS_MODULUS) == pytest.approx(3000.0)
    assert drawn.at((ticks - 2_000_000_000) % TICKS_MODULUS) == pytest.approx(-1000.0)
