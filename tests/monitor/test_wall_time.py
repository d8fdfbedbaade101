from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from monitor.wall_time import WALL_STEP_S, WallTime

START = datetime(2026, 11, 14, 20, 0, tzinfo=UTC)


class Clocks:
    def __init__(self) -> None:
        self.host_s = 100.0
        self.set_by_s = 0.0
        self.time = WallTime(lambda: self.host_s, lambda: START.timestamp() + self.host_s - 100.0 + self.set_by_s)


@given(st.lists(st.floats(0.0, 3600.0), max_size=5), st.floats(-WALL_STEP_S, WALL_STEP_S))
def test_a_moment_that_was_told_does_not_change_while_time_passes_and_the_wall_clock_drifts(
    passes_s: list[float], drift_s: float
) -> None:
    clocks = Clocks()
    told = clocks.time.utc(101.5)
    assert told == START + timedelta(seconds=1.5)
    clocks.set_by_s = drift_s * 0.99
    for passed_s in passes_s:
        clocks.host_s += passed_s
        assert clocks.time.utc(101.5) == told


def test_a_wall_clock_that_was_set_is_followed() -> None:
    clocks = Clocks()
    clocks.set_by_s = 86_400.0
    assert clocks.time.utc(101.5) == START + timedelta(days=1, seconds=1.5)
