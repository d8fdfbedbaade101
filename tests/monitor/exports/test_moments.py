from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.exports.moments import in_zone, read_moment, sheet_date, utc_text, zone_name

CET = timezone(timedelta(hours=1), "CET")
TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("2026-11-29", "2026-11-29T00:00:00+01:00"),
        ("20261129", "2026-11-29T00:00:00+01:00"),
        ("19:30", "2026-11-30T19:30:00+01:00"),
        ("19:30:05.5", "2026-11-30T19:30:05.5+01:00"),
        ("2026-11-29T19:30", "2026-11-29T19:30:00+01:00"),
        (" 2026-11-29 19:30 ", "2026-11-29T19:30:00+01:00"),
        ("2026-11-29T19:30Z", "2026-11-29T19:30:00+00:00"),
        ("2026-11-29T19:30-05:00", "2026-11-29T19:30:00-05:00"),
        ("19:30Z", "2026-11-30T19:30:00+00:00"),
    ],
)
def test_dates_times_and_both(text: str, means: str) -> None:
    assert read_moment(text, TODAY, CET) == datetime.fromisoformat(means).timestamp()


def test_a_day_ends_with_its_end() -> None:
    assert read_moment("2026-11-29", TODAY, CET, whole_day_ends=True) == read_moment("2026-11-30", TODAY, CET)
    assert read_moment("19:30", TODAY, CET, whole_day_ends=True) == read_moment("19:30", TODAY, CET)


@pytest.mark.parametrize("text", ["", "yesterday", "30.11.2026", "2026-13-01", "25:00", "9999-12-31"])
def test_anything_else_is_refused_in_plain_words(text: str) -> None:
    with pytest.raises(ValueError, match="is no ISO date or time; write 2026-11-30"):
        read_moment(text, TODAY, CET, whole_day_ends=True)


@given(st.integers(min_value=0, max_value=4_000_000_000_000_000))
def test_utc_text_comes_back(utc_us: int) -> None:
    text = utc_text(utc_us / 1e6)
    assert text is not None
    assert abs(read_moment(text, TODAY, CET) - utc_us / 1e6) < 1e-6


@given(st.floats(allow_nan=True, allow_infinity=True) | st.none())
def test_any_number_is_a_moment_or_none(utc_s: float | None) -> None:
    moment = in_zone(utc_s, UTC)
    assert (moment is None) == (utc_text(utc_s) is None)
    if moment is not None:
        date_of = sheet_date(moment)
        assert date_of is None or date_of.year >= 1900


def test_zones_are_named() -> None:
    assert zone_name(datetime(2026, 11, 30, tzinfo=UTC)) == "UTC"
    assert zone_name(datetime(2026, 11, 30, tzinfo=CET)) == "CET (UTC+01:00)"
    assert zone_name(datetime(2026, 11, 30, tzinfo=ZoneInfo("America/New_York"))) == "EST (UTC-05:00)"
    assert zone_name(datetime(2026, 11, 30, tzinfo=timezone(timedelta(hours=5, minutes=45)))) == "UTC+05:45"
