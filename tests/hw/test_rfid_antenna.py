"""One antenna: order of its rounds, what it learns, and when it is sick."""

import pytest

from firmware_bridge.messages import Antenna, Place
from hw.observations import Quality
from hw.rfid_antenna import AntennaWatch, Condition, Round


def watch() -> AntennaWatch:
    return AntennaWatch(0, Place.EAST, Antenna.SLOPE)


def listen(antenna: AntennaWatch, from_s: float, to_s: float, heard: frozenset[str] = frozenset()) -> None:
    for k in range(round(from_s * 10), round(to_s * 10)):
        antenna.take(Round(k / 10, k / 10, heard, True))


def test_rounds_that_are_no_newer_are_refused() -> None:
    antenna = watch()
    assert antenna.take(Round(1.0, 1.0, frozenset(), True))
    assert not antenna.take(Round(1.0, 1.0, frozenset({"A"}), True))
    assert not antenna.take(Round(0.5, 0.5, frozenset({"A"}), True))
    assert [each.host_s for each in antenna.history] == [1.0]
    assert antenna.rounds == 1


def test_incomplete_rounds_are_kept_and_not_counted() -> None:
    antenna = watch()
    antenna.take(Round(1.0, 1.0, frozenset({"A"}), False))
    assert antenna.rounds == 0
    assert len(antenna.history) == 1


def test_hearing_rates_follow_what_is_heard() -> None:
    antenna = watch()
    antenna.learn_heard(2000, 1200)
    antenna.learn_cross(2000, 300)
    assert antenna.heard_rate == pytest.approx(0.6, abs=0.02)
    assert antenna.cross_rate == pytest.approx(0.15, abs=0.01)


def test_old_readings_are_forgotten() -> None:
    antenna = watch()
    for _ in range(50):
        antenna.learn_heard(400, 400)
    for _ in range(20):
        antenna.learn_heard(400, 200)
    assert antenna.heard_rate == pytest.approx(0.5, abs=0.05)


def test_an_antenna_that_stops_is_silent_until_it_speaks_again() -> None:
    antenna = watch()
    listen(antenna, 0.0, 10.0)
    assert antenna.health(11.0, Condition.WORKS) is None
    silent = antenna.health(14.0, Condition.WORKS)
    assert silent is not None
    assert (silent.quality, silent.sensor, silent.at_s) == (Quality.SILENT, "slope antenna", pytest.approx(9.9))
    assert antenna.health(15.0, Condition.SILENT) is None
    listen(antenna, 16.0, 17.0)
    back = antenna.health(17.0, Condition.SILENT)
    assert back is not None
    assert back.quality is Quality.GOOD


def test_a_slow_reader_is_not_silent_between_its_rounds() -> None:
    antenna = watch()
    for k in range(40):
        antenna.take(Round(2.0 * k, 2.0 * k, frozenset(), True))
    assert antenna.health(78.0 + 10.0, Condition.WORKS) is None


def test_losing_all_of_many_tiles_at_once_is_deafness() -> None:
    antenna = watch()
    tiles = frozenset("ABCDEF")
    listen(antenna, 0.0, 1.0, tiles)
    antenna.expected |= tiles
    empty = Round(1.1, 1.1, frozenset(), True)
    antenna.take(empty)
    assert not antenna.judge(empty, set(tiles))
    deaf = antenna.health(1.2, Condition.WORKS)
    assert deaf is not None
    assert deaf.quality is Quality.INVALID
    again = Round(1.3, 1.3, frozenset("A"), True)
    antenna.take(again)
    assert antenna.judge(again, set("BCDEF"))
    assert antenna.condition is Condition.WORKS


def test_losing_them_one_by_one_is_not() -> None:
    antenna = watch()
    antenna.open |= set("ABCD")
    empty = Round(1.1, 1.1, frozenset(), True)
    antenna.take(empty)
    assert antenna.judge(empty, set("EFGHI"))
    assert antenna.condition is Condition.WORKS


def test_many_incomplete_rounds_are_told() -> None:
    antenna = watch()
    for k in range(100):
        antenna.take(Round(0.1 * k, 0.1 * k, frozenset(), k % 4 == 0))
    lossy = antenna.health(10.0, Condition.WORKS)
    assert lossy is not None
    assert lossy.quality is Quality.LOSSY
    assert "%" in lossy.detail


def test_row_21_a_reader_whose_silence_never_proves_anything_loses_nothing() -> None:
    """It tells a tag once: that all other rounds say nothing is its way, and no fault of it."""
    antenna = watch()
    for k in range(100):
        antenna.take(Round(0.1 * k, 0.1 * k, frozenset(), complete=False, usual=True))
    assert antenna.health(10.0, Condition.WORKS) is None
    assert antenna.rounds == 0
