"""The clock as pages show it: the chair's sums on the host's clock, drawn the same at whatever moment."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.acts import ClockAct, RoundEnded, RoundExtended, RoundPaused, RoundResumed, RoundStarted
from monitor.round_clock import RoundClock, Running, Turned
from monitor.view import TableView
from monitor.web.hub import Hub
from monitor.web.pages import Screen, render_round
from monitor.web.round_face import RoundFace, added_words, left_words

AHEAD_S = 1e9
ACTS: st.SearchStrategy[ClockAct] = st.one_of(
    st.builds(RoundStarted, st.integers(1, 9), st.floats(1.0, 9000.0), st.integers(1, 9)),
    st.builds(RoundExtended, st.floats(-900.0, 900.0)),
    *map(st.just, (RoundPaused(), RoundResumed(), RoundEnded())),
)


def played(*turns: tuple[float, str, ClockAct]) -> RoundClock:
    clock = RoundClock()
    for number, (at_s, table, did) in enumerate(turns, 1):
        clock = clock.after(Turned(number, "Ada", AHEAD_S + at_s, "", table, did))
    return clock


def face(clock: RoundClock) -> RoundFace:
    return RoundFace(clock, clock.since_utc_s - AHEAD_S)


@given(
    st.lists(st.tuples(st.integers(0, 999), st.sampled_from(["", "T1"]), ACTS), max_size=12),
    st.integers(0, 9000),
    st.sampled_from(["", "T1", "T2"]),
)
def test_a_face_says_what_the_clock_says(turns: list[tuple[int, str, ClockAct]], later_s: int, table: str) -> None:
    clock = played(*sorted(turns, key=lambda turn: turn[0]))
    shown, now_s = face(clock), 999.0 + later_s
    assert shown.left_s(now_s, table) == pytest.approx(clock.remaining_s(table, AHEAD_S + now_s), abs=1e-3)
    ends_s = shown.ends_s(table)
    assert (ends_s is None) == (clock.running is not Running.RUNNING)
    assert ends_s is None or ends_s - now_s == shown.left_s(now_s, table)


def test_what_is_drawn_of_a_running_clock_is_the_same_at_every_moment() -> None:
    shown = face(played((10.0, "", RoundStarted(2, 3600.0, 4))))
    assert 'data-ends="3610.000"' in render_round(shown)
    first, later = render_round(shown, 10.0), render_round(shown, 3730.5)
    assert ("60:00" not in first, "1:00:00 left" in first, "2:00 over" in later) == (True, True, True)
    assert re.sub(r"[\d:]+ (left|over)", "", first) == re.sub(r"[\d:]+ (left|over)", "", later)


def test_a_paused_a_finished_and_no_round_are_told_in_words() -> None:
    start = (0.0, "", RoundStarted(2, 60.0, 4))
    paused = render_round(face(played(start, (70.0, "", RoundPaused()))))
    assert "0:10 over" in paused
    assert "paused" in paused
    assert "data-ends" not in paused
    assert "Round 2 is over" in render_round(face(played(start, (70.0, "", RoundEnded()))))
    assert " hidden" in render_round(RoundFace())


def test_time_of_a_tables_own_ends_with_the_round() -> None:
    turns = ((0.0, "", RoundStarted(1, 60.0, 4)), (1.0, "T1", RoundExtended(30.0)), (1.0, "", RoundExtended(5.0)))
    shown = face(played(*turns))
    assert (shown.own_s("T1"), shown.own_s("T2"), shown.tables()) == (30.0, 0.0, ["T1"])
    assert (shown.ends_s("T1"), shown.ends_s("T2"), shown.ends_s()) == (95.0, 65.0, 65.0)
    over = face(played(*turns, (9.0, "", RoundEnded())))
    assert (over.own_s("T1"), over.tables()) == (0.0, [])


def test_cards_are_drawn_anew_where_their_tables_time_changed_and_all_pages_hear_of_the_clock() -> None:

    hub = Hub(lambda: 0.0)
    for table in ("T1", "T2"):
        hub.show(Screen.PUBLIC, TableView(table))
    before = hub.cards(Screen.PUBLIC)
    hub.show_round(face(played((0.0, "", RoundStarted(1, 60.0, 4)), (1.0, "T2", RoundExtended(90.0)))))
    after = hub.cards(Screen.PUBLIC)
    assert after[0] == before[0]
    assert "+1 min 30 s" in after[1]


@pytest.mark.parametrize(
    ("left_s", "words"),
    [(0.0, "0:00 left"), (0.2, "0:01 left"), (61.0, "1:01 left"), (3600.0, "1:00:00 left"), (-0.5, "0:00 over")],
)
def test_time_left_in_words(left_s: float, words: str) -> None:
    assert left_words(left_s) == words


def test_added_time_in_words() -> None:
    assert [added_words(seconds) for seconds in (300.0, 90.0, -30.0)] == ["+5 min", "+1 min 30 s", "−30 s"]
