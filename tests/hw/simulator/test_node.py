"""Nodes: every row once, ticks of the node's own clock, about ten messages a second, links that keep order."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.messages import TICKS_MODULUS, Channel, Place, WeightSample
from hw.simulator.node import Boot, Timed, batch, first_boot, travel
from hw.simulator.options import Noise, Wiring
from tests.hw.simulator.bench import noisy


def rows(n: int, every_s: float = 0.0125) -> list[Timed]:
    return [Timed(0.01 + k * every_s, 0.01 + k * every_s, WeightSample(0, Channel.RACK, k)) for k in range(n)]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), start=st.integers(0, TICKS_MODULUS - 1), ppm=st.floats(-300, 300))
def test_every_row_goes_out_once_in_order_with_the_clock_of_its_sample(seed: int, start: int, ppm: float) -> None:
    boot = Boot(7, 0.0, 30.0, start, 1.0 + ppm * 1e-6)
    sent = batch("t1-east", Place.EAST, rows(800), [boot], np.random.default_rng(seed))
    taken = [w for m in sent if m.readings for w in m.readings.weight]
    assert [w.raw for w in taken] == list(range(len(taken)))
    assert len(taken) == 800
    for w in taken:
        expected = (start + round((0.01 + w.raw * 0.0125) * 1e6 * (1.0 + ppm * 1e-6))) % TICKS_MODULUS
        assert w.ticks == expected
    assert [m.readings.seq for m in sent if m.readings] == list(range(1, len(sent) + 1))


def test_about_ten_messages_a_second_and_a_heartbeat_when_there_is_nothing_to_say() -> None:
    boot = first_boot(60.0, noisy(Noise.NORMAL), np.random.default_rng(1))
    busy = batch("n", Place.EAST, rows(4800), [boot], np.random.default_rng(1))
    assert 9.0 < len(busy) / 60.0 < 11.0
    idle = batch("n", Place.FLOOR, [], [boot], np.random.default_rng(1))
    assert 50 <= len(idle) <= 60


def test_a_restarted_node_loses_what_it_had_and_counts_anew() -> None:
    boots = [Boot(1, 0.0, 5.0, 4_000_000, 1.0), Boot(2, 7.0, 20.0, 300_000, 1.0)]
    sent = batch("n", Place.EAST, rows(1600), boots, np.random.default_rng(1))
    second = [m.readings for m in sent if m.readings and m.readings.boot == 2]
    assert second[0].seq == 1
    assert second[0].ticks < 1_000_000
    raws = [w.raw for m in sent if m.readings for w in m.readings.weight]
    lost = set(range(max(raws))) - set(raws)
    assert {k for k in range(1600) if 5.0 <= 0.01 + k * 0.0125 < 7.0} <= lost


@pytest.mark.parametrize("wiring", Wiring)
@pytest.mark.parametrize("noise", [Noise.QUIET, Noise.BRUTAL])
def test_a_link_delays_and_keeps_order(wiring: Wiring, noise: Noise) -> None:
    boot = first_boot(300.0, noisy(noise), np.random.default_rng(1))
    sent = travel(
        batch("n", Place.EAST, rows(24_000), [boot], np.random.default_rng(1)),
        wiring,
        noisy(noise),
        np.random.default_rng(2),
    )
    delays = np.array([m.arrived_s - m.sent_s for m in sent])
    assert all(a.arrived_s < b.arrived_s for a, b in pairwise(sent))
    assert delays.min() > 0.0
    if wiring is Wiring.USB:
        assert delays.max() < 0.01
    else:
        assert float(np.median(delays)) > 0.001
    if wiring is Wiring.NETWORK and noise is Noise.BRUTAL:
        assert delays.max() > 0.2
