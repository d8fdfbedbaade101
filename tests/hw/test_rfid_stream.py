"""Reads of a streaming reader as rounds: windows, trust, strays, and reads that come late."""

import pytest

from firmware_bridge.messages import WEAKEST_RSSI_DBM
from hw.rfid_stream import LONGEST_WINDOW_S, SHORTEST_WINDOW_S, ReaderPace, ReadStream


def read_on(stream: ReadStream, resting: set[str], from_s: float, to_s: float, gap_s: float) -> None:
    """Each resting tag is read once in `gap_s`; windows are closed as time passes."""
    for k in range(int((to_s - from_s) / gap_s)):
        at_s = from_s + k * gap_s
        for j, uid in enumerate(sorted(resting)):
            stream.add(at_s + j * gap_s / 50, uid, -52.0, resting)
        stream.close(at_s, resting, True)


@pytest.mark.parametrize("gap_s", [0.05, 0.4, 1.8])
def test_the_window_follows_the_pace_of_the_reader(gap_s: float) -> None:
    pace = ReaderPace()
    read_on(ReadStream(pace), {"A", "B", "C"}, 0.0, 60.0, gap_s)
    assert pace.window_s == pytest.approx(max(SHORTEST_WINDOW_S, gap_s), rel=0.1)
    assert pace.window_s <= LONGEST_WINDOW_S
    assert pace.trusted
    assert not pace.tells_once


def test_windows_hold_what_was_read_in_them() -> None:
    stream = ReadStream(ReaderPace())
    stream.add(10.0, "A", -50.0, set())
    stream.add(10.3, "B", -50.0, set())
    stream.add(10.6, "C", -50.0, set())
    rounds = stream.close(11.05, set(), True)
    assert [(each.host_s, each.heard) for each in rounds] == [(10.5, {"A", "B"}), (11.0, {"C"})]
    assert stream.close(11.05, set(), True) == []


def test_nothing_is_trusted_before_it_has_been_earned() -> None:
    stream = ReadStream(ReaderPace())
    stream.add(0.0, "A", -50.0, set())
    assert not any(each.complete for each in stream.close(2.0, {"A"}, True))


def test_a_reader_that_reports_changes_only_is_found_out() -> None:
    pace = ReaderPace()
    stream = ReadStream(pace)
    for j, uid in enumerate("ABCDEFG"):
        stream.add(0.1 * j, uid, -50.0, set())
    rounds = [each for k in range(30) for each in stream.close(float(k), set("ABCDEFG"), True)]
    assert pace.tells_once
    assert not any(each.complete for each in rounds)


def test_reads_handed_over_late_are_counted_and_dropped() -> None:
    stream = ReadStream(ReaderPace())
    stream.add(10.0, "A", -50.0, set())
    stream.close(11.0, set(), True)
    stream.add(10.2, "B", -50.0, set())
    assert stream.late_reads == 1
    assert all("B" not in each.heard for each in stream.close(13.0, set(), True))


def test_reads_out_of_order_inside_a_window_count() -> None:
    stream = ReadStream(ReaderPace())
    stream.add(10.0, "A", -50.0, set())
    stream.add(10.4, "B", -50.0, set())
    stream.add(10.2, "C", -50.0, set())
    assert stream.close(10.6, set(), True)[0].heard == {"A", "B", "C"}


def test_much_weaker_reads_of_tiles_from_elsewhere_are_strays() -> None:
    pace = ReaderPace()
    stream = ReadStream(pace)
    read_on(stream, {"A", "B"}, 0.0, 10.0, 0.1)
    stream.add(10.0, "X", -52.0 - 15.0, {"A", "B"})
    assert stream.weak_reads == 1
    stream.add(10.0, "A", -52.0 - 15.0, {"A", "B"})
    stream.add(10.0, "Y", -52.0 - 5.0, {"A", "B"})
    heard = frozenset().union(*(each.heard for each in stream.close(11.0, {"A", "B"}, True)))
    assert heard == {"A", "B", "Y"}
    assert stream.weak_reads == 1


def test_a_tag_that_was_weak_where_it_rested_is_no_stray_when_it_is_in_question() -> None:
    pace = ReaderPace()
    stream = ReadStream(pace)
    strong = {"A", "B", "C", "D"}
    for k in range(100):
        for uid in sorted(strong):
            stream.add(0.1 * k, uid, -52.0, strong | {"W"})
        stream.add(0.1 * k, "W", -68.0, strong | {"W"})
    assert pace.weak_below_dbm > -66.0
    stream.add(10.0, "W", -70.0, strong)
    assert stream.weak_reads == 0
    stream.add(10.1, "W", -85.0, strong)
    stream.add(10.1, "X", -70.0, strong)
    assert stream.weak_reads == 2


@pytest.mark.parametrize("strength", [WEAKEST_RSSI_DBM, 0.0, 1_856.0, float("nan")])
def test_what_is_no_strength_makes_no_stray_and_teaches_nothing(strength: float) -> None:
    pace = ReaderPace()
    stream = ReadStream(pace)
    read_on(stream, {"A", "B"}, 0.0, 10.0, 0.1)
    below_dbm = pace.weak_below_dbm
    for k in range(200):
        stream.add(10.0 + 0.01 * k, "A", strength, {"A", "B"})
    stream.add(12.0, "X", strength, {"A", "B"})
    assert stream.weak_reads == 0
    assert pace.weak_below_dbm == below_dbm


def test_windows_with_messages_missing_prove_nothing() -> None:
    pace = ReaderPace()
    stream = ReadStream(pace)
    read_on(stream, {"A", "B"}, 0.0, 10.0, 0.1)
    assert all(each.complete for each in stream.close(11.0, {"A", "B"}, True))
    assert not any(each.complete for each in stream.close(15.0, {"A", "B"}, False))
    assert pace.trusted


def test_a_long_pause_is_not_made_up_window_by_window() -> None:
    stream = ReadStream(ReaderPace())
    stream.add(10.0, "A", -50.0, set())
    assert len(stream.close(36_000.0, set(), False)) <= 20
