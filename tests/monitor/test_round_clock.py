"""The clock of the round: its sums, and that the order of what was done is its state."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from monitor.acts import ClockAct, RoundEnded, RoundExtended, RoundPaused, RoundResumed, RoundStarted
from monitor.round_clock import RoundClock, Running, Turned, clock_conflict

LENGTH_S = 3000.0
START = RoundStarted(2, LENGTH_S, 4)
TABLES = ("", "T1", "T2")


def clock_of(steps: Sequence[tuple[ClockAct, float, str]], clock: RoundClock | None = None) -> RoundClock:
    made = clock or RoundClock()
    for number, (did, at_s, table) in enumerate(steps, 1):
        made = made.after(Turned(number, "Ada", at_s, "", table, did))
    return made


ADDED = st.integers(-600, 600).map(lambda seconds: RoundExtended(float(seconds)))
DID = st.sampled_from([START, RoundPaused(), RoundResumed(), RoundEnded()]) | ADDED
STEPS = st.lists(st.tuples(DID, st.integers(0, 500).map(float), st.sampled_from(TABLES)), max_size=20)


@given(st.lists(st.tuples(st.integers(-600, 600), st.sampled_from(TABLES)), max_size=12), st.integers(0, 4000))
def test_added_times_sum_and_those_of_one_table_touch_no_other(added: list[tuple[int, str]], at: int) -> None:
    clock = clock_of([(START, 0.0, ""), *((RoundExtended(float(s)), 1.0, table) for s, table in added)])
    for table in ("T1", "T2", "T9"):
        given_s = sum(seconds for seconds, to in added if to in ("", table))
        assert clock.remaining_s(table, float(at)) == LENGTH_S + given_s - at


@given(st.floats(0, 500), st.floats(0, 500), st.floats(0, 500))
def test_a_pause_stops_all(played_s: float, rested_s: float, more_s: float) -> None:
    clock = clock_of([(START, 100.0, ""), (RoundPaused(), 100.0 + played_s, "")])
    for table in TABLES:
        assert clock.remaining_s(table, 1e6) == clock.remaining_s(table, 100.0 + played_s)
    resumed_s = 100.0 + played_s + rested_s
    clock = clock_of([(RoundResumed(), resumed_s, "")], clock)
    assert abs(clock.remaining_s("T1", resumed_s + more_s) - (LENGTH_S - played_s - more_s)) < 1e-6


@given(STEPS)
def test_the_order_of_what_was_done_is_the_state(steps: list[tuple[ClockAct, float, str]]) -> None:
    """Time goes on; what may not be done as the clock stands changes nothing, and folded again it is the same."""
    now_s, dated = 0.0, []
    for did, passed_s, table in steps:
        now_s += passed_s
        dated.append((did, now_s, table))
    clock = RoundClock()
    for number, (did, at_s, table) in enumerate(dated, 1):
        may_not = clock.complaint(did)
        before, clock = clock, clock.after(Turned(number, "Ada", at_s, "", table, did))
        assert clock.version == number
        if may_not:
            assert replace(clock, version=0, turns=()) == replace(before, version=0, turns=())
        match did:
            case RoundPaused() | RoundEnded() if not may_not:
                assert clock.remaining_s("T1", at_s + 99.0) == clock.remaining_s("T1", at_s)
            case RoundStarted() if not may_not:
                assert (clock.remaining_s("T1", at_s), clock.round, clock.hands) == (LENGTH_S, 2, 4)
            case _:
                pass
    assert clock == clock_of(dated)


def test_a_round_that_ends_stands_still_and_may_be_followed() -> None:
    clock = clock_of([(START, 0.0, ""), (RoundExtended(60.0, "T1-1"), 1.0, "T1"), (RoundEnded(), 3100.0, "")])
    assert (clock.running, clock.remaining_s("T1", 9e9), clock.remaining_s("T2", 9e9)) == (Running.ENDED, -40.0, -100.0)
    assert (clock.added_for("T1-1"), clock.added_for("T1-2")) == (60.0, 0.0)
    assert clock.complaint(RoundPaused()) == "The round is over."
    assert clock.complaint(START) == ""
    assert clock_of([(START, 4000.0, "")], clock).remaining_s("T1", 4000.0) == LENGTH_S


def test_who_acts_on_an_older_clock_is_told_what_the_others_did() -> None:
    clock = clock_of([(START, 0.0, ""), (RoundExtended(300.0), 1.0, "T1"), (RoundPaused(), 2.0, "")])
    conflict = clock_conflict(clock, 1)
    assert conflict is not None
    assert conflict.text == "Meanwhile Ada added 5 min for T1, Ada paused the clock."
    assert clock_conflict(clock, 3) is None
    unseen = clock_conflict(RoundClock(version=2), 1)
    assert unseen is not None
    assert unseen.text == "The clock is not as you saw it."


def test_while_the_monitor_was_down_the_time_of_day_went_on() -> None:
    clock = clock_of([(START, 1000.0, "")])
    again = clock.restarted(1500.0, 1900.0)
    assert again.remaining_s("T1", 1900.0) == LENGTH_S - 900.0
    assert again.gap is not None
    assert (again.gap.since_utc_s, again.gap.until_utc_s) == (1500.0, 1900.0)
    assert again.remaining_s("T1", 900.0) == LENGTH_S  # a time of day that was set back takes nothing off
    paused = clock_of([(RoundPaused(), 1200.0, "")], clock)
    assert paused.restarted(1500.0, 1900.0) == paused
    assert clock_of([(RoundEnded(), 1, ""), (START, 5000.0, "")], again).gap is None
