"""How a log's moments are told to people: the time of day here, and the day that an evening belongs to.

Owns the step from the seconds of a log's records to UTC: how far the two are apart is taken where a record is written
down just after it became known, as `rackwatch explain` does, so that both tell the same moment by the same time.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Final

from msgspec import Struct

from monitor.alerts import Alert
from monitor.log.reader import ToldRecord
from monitor.tally import SAME_CLOCK_S
from monitor.wording import time_of_day

EVENING_ENDS_H: Final = 5
"""Our choice: what begins before five in the morning belongs to the evening before."""


class Clock(Struct, frozen=True):
    """`ahead_s`: UTC seconds since 1970 minus the records' monotonic seconds."""

    ahead_s: float

    def utc_s(self, at_s: float) -> float:
        """Seconds since 1970."""
        return at_s + self.ahead_s

    def time(self, at_s: float) -> str:
        """Time of day here, to hundredths."""
        return time_of_day(self.ahead_s)(at_s)


def clock_of(row: ToldRecord) -> Clock:
    """The clock by which this row's moments are told; of an alert's rows, the first one's."""
    record = row.record
    return Clock(row.utc_us / 1e6 - (record.raised_at if isinstance(record, Alert) else record.known))


def same_start(one: ToldRecord, other: ToldRecord) -> bool:
    """Whether both rows were written since the same start of the machine, so that their moments can be compared."""
    return abs((one.utc_us - other.utc_us) / 1e6 - (one.mono_s - other.mono_s)) <= SAME_CLOCK_S


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
