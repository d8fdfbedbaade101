"""Moments as people are told them."""

from datetime import date

import pytest

from monitor.events import Racked
from monitor.log.reader import ToldRecord
from monitor.reports.when import Clock, clock_of, evening_of, minutes, same_start
from monitor.wording import time_of_day
from tests.monitor.reports.logbook import EVENING_UTC_S


def row(utc_s: float, mono_s: float, at: float) -> ToldRecord:
    return ToldRecord(1, 1, "T1", 1, mono_s, int(utc_s * 1e6), Racked(at=at - 1.5, seen_at=at))


def test_a_moment_is_told_from_when_its_record_became_known() -> None:
    clock = clock_of(row(EVENING_UTC_S + 100.0, 100.0, 100.0))
    assert clock == Clock(EVENING_UTC_S)
    assert clock.time(98.5) == time_of_day(EVENING_UTC_S)(98.5) == "19:01:38.50"


def test_rows_of_another_start_of_the_machine_are_told_apart() -> None:
    first = row(EVENING_UTC_S, 5000.0, 5000.0)
    assert same_start(first, row(EVENING_UTC_S + 600.0, 5600.2, 5600.0))
    assert not same_start(first, row(EVENING_UTC_S + 600.0, 30.0, 30.0))


@pytest.mark.parametrize(
    ("later_s", "day"),
    [(0, 16), (5 * 3600, 16), (9.9 * 3600, 16), (10 * 3600, 17), (-13.9 * 3600, 16), (-14.1 * 3600, 15)],
)
def test_an_evening_ends_at_five_in_the_morning(later_s: float, day: int) -> None:
    assert evening_of(EVENING_UTC_S + later_s) == date(2023, 11, day)


def test_lengths() -> None:
    assert [minutes(length) for length in (0, 59.6, 61, 3600, -3)] == ["0:00", "1:00", "1:01", "60:00", "0:00"]
