"""Moments in exports: written as ISO 8601 for programs, as dates of a time zone for sheets and people, and read back.

Owns how a moment is written and what `--since` and `--until` may say. Reads no clock: today and the zone are passed in.
UTC for programs; a sheet's dates and a document's times are those of a zone, which is named beside them.
"""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final

_EXCEL_FIRST: Final = datetime(1900, 3, 1, tzinfo=UTC)
"""Excel takes 1900 for a leap year, so its dates before March of it are a day off."""


def utc_text(utc_s: float | None) -> str | None:
    """ISO 8601 in UTC to the microsecond; `None` where there is no such moment in a calendar."""
    moment = in_zone(utc_s, UTC)
    return None if moment is None else f"{moment.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def in_zone(utc_s: float | None, zone: tzinfo | None) -> datetime | None:
    """Seconds since 1970 as a date with its time in `zone` (`None`: this machine's), where a calendar has it."""
    if utc_s is None:
        return None
    try:
        return datetime.fromtimestamp(utc_s, UTC).astimezone(zone)
    except (OverflowError, ValueError, OSError):
        return None


def sheet_date(moment: datetime) -> datetime | None:
    """The same without its zone, as a sheet's cell holds it; `None` where Excel has no such date."""
    return moment.replace(tzinfo=None) if moment.astimezone(UTC) >= _EXCEL_FIRST else None


def zone_name(moment: datetime) -> str:
    """A zone as people and programs read it, such as `CET (UTC+01:00)`."""
    offset = moment.strftime("%z")
    hours = f"UTC{offset[:3]}:{offset[3:5]}"
    name = moment.tzname() or ""
    if name == "UTC":
        return name
    return f"{name} ({hours})" if name and not name.startswith(("+", "-", "UTC")) else hours


def read_moment(text: str, today: date, zone: tzinfo | None, *, whole_day_ends: bool = False) -> float:
    """Seconds since 1970 of an ISO date, time or both; raises `ValueError` with what is wrong in plain words.

    Without an offset it is meant in `zone` (`None`: this machine's); a time alone is one of `today`. `whole_day_ends`:
    a date alone is its end and not its beginning.
    """
    text = text.strip()
    try:
        try:
            day = date.fromisoformat(text)
        except ValueError:
            at = _with_time(text, today)
        else:
            at = datetime.combine(day + timedelta(days=1) if whole_day_ends else day, time())
        # a moment without a zone is this machine's to `timestamp`
        return (at if at.tzinfo is not None or zone is None else at.replace(tzinfo=zone)).timestamp()
    except (ValueError, OverflowError, OSError):
        raise ValueError(
            f"{text!r} is no ISO date or time; write 2026-11-30, 2026-11-30T19:30 or, for today, 19:30"
        ) from None


def _with_time(text: str, today: date) -> datetime:
    try:
        return datetime.combine(today, time.fromisoformat(text))
    except ValueError:
        return datetime.fromisoformat(text)
