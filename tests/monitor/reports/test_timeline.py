"""The picture of an incident: well formed whatever is drawn, and everything in its place."""

import re
from xml.etree import ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.alerts import Alert, AlertState, Authority, Fact, Level, Rule, What
from monitor.events import (
    SEATS,
    Called,
    CountChanged,
    Discarded,
    Event,
    Exposed,
    HandEnded,
    Racked,
    Seat,
    WindowClosed,
    WindowOpened,
    Zone,
)
from monitor.open_windows import windows_of
from monitor.pictures.frame import Frame, frame_of
from monitor.pictures.marks import LANES, marks_of, placed
from monitor.pictures.rows import steps_of
from monitor.reports.closeup import closeup, order
from monitor.reports.timeline import timeline
from monitor.reports.when import Clock
from monitor.standing import Standing

CLOCK = Clock(1_700_000_000.0)
SVG = "{http://www.w3.org/2000/svg}"


def alert(at: float, facts: tuple[Fact, ...] = (), evidence: tuple[int, ...] = ()) -> Alert:
    return Alert(
        id="T1-1-late_call-west-4",
        rule=Rule.LATE_CALL,
        at=at,
        raised_at=at + 1,
        article="107",
        authority=Authority.LEAGUE,
        level=Level.RULING_DUE,
        message="West called after East racked.",
        state=AlertState.RAISED,
        seat=Seat.WEST,
        facts=facts,
        evidence=evidence,
    )


def standing(*events: Event) -> list[Standing]:
    return [Standing(event, event, (event.seq,), 0) for event in sorted(events, key=lambda one: one.at)]


def words(svg: str) -> list[str]:
    return [one.text or "" for one in ET.fromstring(svg).iter(f"{SVG}text")]


moments = st.floats(0, 200, allow_nan=False)


@st.composite
def some_event(draw: st.DrawFn) -> Event:
    at, seat = draw(moments), draw(st.sampled_from(SEATS))
    kind = draw(st.sampled_from([Discarded, Racked, Called, Exposed, CountChanged, WindowOpened, WindowClosed]))
    early, late = draw(st.floats(0, 9)), draw(st.floats(0, 9))
    keys = {"at": at, "seat": seat, "earliest": at - early, "latest": at + late, "seq": draw(st.integers(1, 99))}
    if kind is CountChanged:
        keys["count"] = draw(st.none() | st.integers(0, 152))
        keys["confidence"] = draw(st.none() | st.floats(0, 1))
    return kind(**keys)  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(st.lists(some_event(), max_size=40), moments)
def test_any_hand_gives_a_picture_that_is_well_formed_and_within_its_edges(events: list[Event], at: float) -> None:
    root = ET.fromstring(timeline(alert(at), standing(*events), CLOCK))
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    for one in root.iter(f"{SVG}line"):
        assert all(0 <= float(one.get(key, "-1")) <= width for key in ("x1", "x2"))
        assert all(0 <= float(one.get(key, "-1")) <= height for key in ("y1", "y2"))
    assert "nan" not in ET.tostring(root, encoding="unicode")
    assert root.find(f"{SVG}title") is not None


def test_a_seat_s_number_is_a_step_line_with_the_last_word_on_each_moment() -> None:
    counts = standing(
        CountChanged(at=1.0, seq=1, seat=Seat.EAST, count=13),
        CountChanged(at=5.0, seq=2, seat=Seat.EAST, count=14, confidence=0.0, earliest=4.0),
        CountChanged(at=5.0, seq=3, seat=Seat.EAST, count=14, confidence=0.95),
        CountChanged(at=6.0, seq=4, seat=Seat.EAST, count=11, zone=Zone.SLOPE),
        CountChanged(at=7.0, seq=5, seat=Seat.WEST, count=13),
        CountChanged(at=9.0, seq=6, seat=Seat.EAST, count=None),
    )
    steps = steps_of(counts, Seat.EAST)
    assert [(one.at, one.count, one.sure) for one in steps] == [(1.0, 13, True), (5.0, 14, True), (9.0, None, True)]
    assert steps[1].earliest == 4.0
    assert {"13", "14", "?"} <= set(words(timeline(alert(6.0), counts, CLOCK)))


def test_evidence_is_filled_and_the_rest_hollow() -> None:
    events = standing(Discarded(at=5.0, seq=1, seat=Seat.EAST), Racked(at=7.0, seq=2, seat=Seat.SOUTH))
    marks = marks_of(events, Frame(0, 10, 0, 100), alert(8.0, evidence=(2,)))
    assert [(one.look.word, one.evidence) for one in marks] == [("discarded", False), ("racked", True)]


def test_a_turn_that_nobody_saw_is_drawn_as_a_guess() -> None:
    unseen = Fact(What.DISCARDED, 6.0, 5.0, 7.0, seq=0, seat=Seat.NORTH)
    marks = marks_of([], Frame(0, 10, 0, 100), alert(8.0, facts=(unseen,)))
    assert [(one.seat, one.guess) for one in marks] == [(Seat.NORTH, True)]
    assert "discarded?" in words(timeline(alert(8.0, facts=(unseen,)), [], CLOCK))


def test_the_window_is_open_from_its_discard_to_its_end() -> None:
    events = standing(
        WindowOpened(at=1.0, seat=Seat.EAST),
        WindowClosed(at=4.0, seat=Seat.SOUTH, earliest=3.5, latest=4.5),
        WindowOpened(at=6.0, seat=Seat.SOUTH),
    )
    first, second = windows_of(events)
    assert (first.discarder, first.opened, first.closed_earliest, first.closed_latest) == (Seat.EAST, 1.0, 3.5, 4.5)
    assert (second.opened, second.closed, second.ended(9.0)) == (6.0, None, 9.0)
    assert "East's discard can be claimed" in words(timeline(alert(4.0), events, CLOCK))


def test_a_window_whose_end_nobody_saw_is_over_with_the_next_discard_or_the_hand() -> None:
    events = standing(WindowOpened(at=1.0), WindowOpened(at=6.0), HandEnded(at=8.0), WindowOpened(at=9.0))
    assert [(one.closed, one.ended(20.0)) for one in windows_of(events)] == [(None, 6.0), (None, 8.0), (None, 20.0)]


def test_words_beside_marks_do_not_lie_on_each_other() -> None:
    events = standing(*(Racked(at=5.0 + 0.05 * n, seq=n, seat=Seat.EAST) for n in range(6)))
    frame = Frame(0, 10, 0, 700)
    out = placed(marks_of(events, frame, alert(5.0)), frame)
    assert sum(one.worded for one in out) == LANES
    assert {one.lane for one in out} == set(range(LANES))


def test_evidence_that_is_near_is_in_the_picture_and_what_is_far_is_not() -> None:
    near, far = Fact(What.RACKED, 95.0, 94.0, 96.0, 1), Fact(What.DEALT, 10.0, 10.0, 10.0, 2)
    frame = frame_of(alert(100.0, facts=(far, near)), 0, 700)
    assert frame.holds(94.0)
    assert not frame.holds(10.0)


def test_ticks_are_round_seconds_about_the_moment() -> None:
    ticks = [round(at - 100.2, 6) for at in Frame(97.0, 106.0, 0, 700).ticks(100.2)]
    assert 0 in ticks
    assert all(at == round(at) for at in ticks)


def test_the_closer_look_says_whether_one_was_first() -> None:
    racked = Fact(What.RACKED, 10.0, 9.95, 10.05, 2, Seat.SOUTH)
    called = Fact(What.CALLED, 11.0, 11.0, 11.0, 3, Seat.WEST)
    close = Fact(What.CALLED, 10.01, 10.0, 10.02, 3, Seat.WEST)
    assert order(called, racked) == "South racked first: the bounds do not overlap."
    assert "which was first the bounds do not tell" in order(close, racked)
    assert {"South racked", "West called"} <= set(words(closeup(close, racked, CLOCK)))
    assert re.search(r'fill="#ececec"', closeup(close, racked, CLOCK))
    assert not re.search(r'fill="#ececec"', closeup(called, racked, CLOCK))
