"""The policy, as properties: what it removes is right, enough and no more."""

from datetime import UTC, datetime, timedelta

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from monitor.recordings.names import RecordingName
from monitor.recordings.retention import (
    HAND_S,
    Reason,
    RecordingFile,
    Removal,
    Retention,
    excess_bytes,
    removals,
)
from monitor.settings import Keep

NOW = datetime(2026, 11, 30, 19, tzinfo=UTC)
NOW_S = NOW.timestamp()
DAY_S = 86_400.0


def file(part: int, ago_s: float, size: int = 100, *, alert: bool = False, written: bool = False) -> RecordingFile:
    began = NOW - timedelta(seconds=int(ago_s) + 3600)
    return RecordingFile(RecordingName(began, 1, part, alert, written), size, NOW_S - ago_s)


FILES = st.lists(
    st.builds(
        file,
        st.integers(1, 50),
        st.integers(-5 * int(DAY_S), 400 * int(DAY_S)) | st.integers(0, 2 * int(HAND_S)),
        st.integers(0, 1000),
        alert=st.booleans(),
        written=st.booleans(),
    ),
    max_size=15,
    unique_by=lambda one: one.name,
)
RETENTIONS = st.builds(
    Retention,
    keep=st.sampled_from(Keep),
    total_bytes=st.just(0) | st.integers(1, 5000),
    keep_s=st.just(0.0) | st.floats(1.0, 300 * DAY_S),
)
RESERVES = st.integers(0, 1000)


def left(files: list[RecordingFile], gone: list[Removal]) -> list[RecordingFile]:
    names = {removal.file.name for removal in gone}
    return [one for one in files if one.name not in names]


@given(FILES, RETENTIONS, RESERVES)
def test_only_what_is_there_and_whole_goes_and_once(
    files: list[RecordingFile], retention: Retention, reserve: int
) -> None:
    gone = removals(files, retention, NOW_S, reserve)
    assert all(removal.file in files and not removal.file.name.being_written for removal in gone)
    assert len({removal.file.name for removal in gone}) == len(gone)


@given(FILES, RETENTIONS, RESERVES)
def test_the_folder_with_the_file_to_come_holds_no_more_than_it_may(
    files: list[RecordingFile], retention: Retention, reserve: int
) -> None:
    stay = left(files, removals(files, retention, NOW_S, reserve))
    assert excess_bytes(stay, retention, reserve) <= 0 or all(one.name.being_written for one in stay)


@given(FILES, RETENTIONS, RESERVES)
def test_no_more_goes_for_room_than_must_and_the_oldest_go_first(
    files: list[RecordingFile], retention: Retention, reserve: int
) -> None:
    gone = removals(files, retention, NOW_S, reserve)
    for_room = [removal.file for removal in gone if removal.reason is Reason.ROOM]
    stay = left(files, gone)
    if for_room:
        newest = for_room[-1]
        assert excess_bytes([*stay, newest], retention, reserve) > 0
        assert all(one.name.began >= newest.name.began for one in stay if not one.name.being_written)


@given(FILES, RETENTIONS, RESERVES)
def test_age_and_alerts_decide_as_set(files: list[RecordingFile], retention: Retention, reserve: int) -> None:
    gone = {removal.file.name: removal.reason for removal in removals(files, retention, NOW_S, reserve)}
    for one in files:
        age_s, reason = NOW_S - one.ended_utc_s, gone.get(one.name)
        if one.name.being_written:
            continue
        old = retention.keep_s > 0 and age_s > retention.keep_s
        idle = retention.keep is Keep.WITH_ALERTS and not one.name.alert and age_s > HAND_S
        assert (reason in {Reason.AGE, Reason.NO_ALERT}) == (old or idle)


@given(FILES, RETENTIONS, RESERVES)
def test_what_stays_stays_when_asked_again_and_order_does_not_matter(
    files: list[RecordingFile], retention: Retention, reserve: int
) -> None:
    gone = removals(files, retention, NOW_S, reserve)
    assert removals(left(files, gone), retention, NOW_S, reserve) == []
    assert removals(files[::-1], retention, NOW_S, reserve) == gone


@given(FILES, RESERVES)
def test_without_limits_nothing_goes(files: list[RecordingFile], reserve: int) -> None:
    assert removals(files, Retention(), NOW_S, reserve) == []


def test_a_file_from_the_future_is_not_old() -> None:
    retention = Retention(keep=Keep.WITH_ALERTS, keep_s=DAY_S)
    assert removals([file(1, -10 * DAY_S)], retention, NOW_S, 0) == []


def test_an_alert_is_waited_for_as_long_as_a_hand_takes() -> None:
    files = [file(1, HAND_S + 1), file(2, HAND_S - 1), file(3, DAY_S, alert=True)]
    gone = removals(files, Retention(keep=Keep.WITH_ALERTS), NOW_S, 0)
    assert [msgspec.structs.astuple(one) for one in gone] == [(files[0], Reason.NO_ALERT)]
