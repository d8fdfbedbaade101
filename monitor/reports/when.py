"""How a log's moments are told to people: the time of day here, and the day that an evening belongs to.

Owns the step from a run's monotonic seconds to UTC, which each row of a log allows: it bears both clocks.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Final

from msgspec import Struct

from monitor.log.reader import StoredRecord
from monitor.wording import time_of_day

EVENING_ENDS_H: Final = 5
"""Our choice: what begins before five in the morning belongs to the evening before."""
SAME_CLOCK_S: Final = 60.0
"""Our choice: rows whose clocks lie further apart than this were written before and after the machine started anew."""


class Clock(Struct, frozen=True):
    """One row's two clocks. `ahead_s`: UTC seconds since 1970 minus monotonic seconds."""

    ahead_s: float

    def utc_s(self, at_s: float) -> float:
        """Seconds since 1970."""
        return at_s + self.ahead_s

    def time(self, at_s: float) -> str:
        """Time of day here, to hundredths."""
        return time_of_day(self.ahead_s)(at_s)

    def agrees_with(self, other: "Clock") -> bool:
        """Whether moments of both can be told apart and put in order."""
        return abs(self.ahead_s - other.ahead_s) <= SAME_CLOCK_S


def clock_of(row: StoredRecord) -> Clock:
    """The clock by which this row's moments are told."""
    return Clock(row.utc_us / 1e6 - row.mono_s)


def local(utc_s: float) -> datetime:
    """A moment as the calendar and the clock here have it."""
    return datetime.fromtimestamp(utc_s, UTC).astimezone()


def evening_of(utc_s: float) -> date:
    """The day whose evening this moment belongs to."""
    return (local(utc_s) - timedelta(hours=EVENING_ENDS_H)).date()


def hours_minutes(utc_s: float) -> str:
    """Time of day here, to minutes."""
    return f"{local(utc_s):%H:%M}"


def zone_name(utc_s: float) -> str:
    """What the time of day here is called."""
    return local(utc_s).tzname() or ""


def minutes(length_s: float) -> str:
    """A length as `m:ss`."""
    whole = max(0, round(length_s))
    return f"{whole // 60}:{whole % 60:02d}"
