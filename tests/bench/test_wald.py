"""The bound on sequential decisions: closed form against what Page's procedure really needs."""

import math

import numpy as np
import pytest

from bench.accuracy.wald import Hearing, information, least_delay_s, least_readings


def test_information_of_a_coin() -> None:
    assert information(0.9, 0.1) == pytest.approx(0.8 * math.log(9.0))
    assert information(0.5, 0.5) == 0.0


def test_chances_are_kept_where_evidence_is_finite() -> None:
    hearing = Hearing(on=10, on_heard=10, off=10, off_heard=0)
    assert math.isfinite(information(hearing.p, hearing.q))


def test_at_least_one_reading_and_half_an_interval() -> None:
    assert least_readings(1000.0, 5000.0) == 1.0
    assert least_delay_s(1.0, 0.1, 0.02) == pytest.approx(0.07)
    assert least_delay_s(3.0, 0.1, 0.02) == pytest.approx(0.27)


def test_no_procedure_of_pages_kind_beats_it_and_a_good_one_comes_near() -> None:
    """Page's procedure for a tile that leaves: simulated delay and false alarms against the bound."""
    rng = np.random.default_rng(7)
    p, q, threshold = 0.8, 0.05, 6.0
    heard, silent = math.log(q / p), math.log((1 - q) / (1 - p))

    def run(chance: float, most: int) -> int:
        total = 0.0
        for k in range(1, most + 1):
            total = max(0.0, total) + (heard if rng.random() < chance else silent)
            if total >= threshold:
                return k
        return most

    between_false = np.mean([run(p, 20_000) for _ in range(60)])
    delay = np.mean([run(q, 1000) for _ in range(2000)])
    bound = least_readings(float(between_false), information(q, p))
    assert 0.9 * bound < delay < 1.5 * bound
