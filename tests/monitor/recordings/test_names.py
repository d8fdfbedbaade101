from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.recordings.names import RecordingName, parse_name

NAMES = st.builds(
    RecordingName,
    began=st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)).map(  # noqa: DTZ001
        lambda when: when.replace(microsecond=0)
    ),
    run=st.integers(1, 10**8),
    part=st.integers(1, 10**8),
    alert=st.booleans(),
    being_written=st.booleans(),
)


@given(NAMES)
def test_a_name_says_what_it_was_made_of(name: RecordingName) -> None:
    assert parse_name(str(name)) == name
    assert str(name).endswith(".part") == name.being_written
    assert not name.whole().being_written
    assert name.with_alert().alert


@pytest.mark.parametrize(
    "text",
    [
        "evening.jsonl.gz",
        "2026-11-30T19-02-11Z-run-7.recording.jsonl.gz",
        "2026-11-30T19-02-11Z-part-0-run-7.recording.jsonl.gz",
        "2026-13-30T19-02-11Z-part-1-run-7.recording.jsonl.gz",
        "2026-11-30T19-02-11Z-part-1-run-7.recording.jsonl.gz.part.part",
        "2026-11-30T19-02-11Z-part-1-run-7.recording.jsonl.gz\n",
        "2026-11-30T19-02-11Z-part-١-run-7.recording.jsonl.gz",
        "../2026-11-30T19-02-11Z-part-1-run-7.recording.jsonl.gz",
        "2026-11-30T19-02-11Z-part-1-run-7.recording.jsonl.gz~",
    ],
)
def test_any_other_name_is_not_the_monitors(text: str) -> None:
    assert parse_name(text) is None


@given(st.text(max_size=80))
def test_a_name_that_is_the_monitors_is_written_in_one_way(text: str) -> None:
    name = parse_name(text)
    assert name is None or str(name) == text
