"""Retention: what records said is taken away when it is old; that they were there stays provable.

Owns the order of the two steps. The note that says what is taken is durable first, so that a purge that breaks off
leaves a log that is right, and the next one finishes it.
"""

import asyncio

from msgspec import Struct

from monitor.log.notes import AUTHOR, Purged
from monitor.log.place import LogPlace
from monitor.log.reader import open_log
from monitor.log.store import EventLog

_DAY_US = 86_400_000_000


class Old(Struct, frozen=True):
    """What a purge takes: `records` payloads, of records up to number `through` that are older than a moment."""

    records: int
    through: int
    before_utc_us: int


def old(place: LogPlace, before_utc_us: int) -> Old:
    """What is there to take that was written before a moment. Raises `LogError`."""
    with open_log(place) as log:
        return Old(*log.unpurged_before(before_utc_us), before_utc_us)


async def purge(place: LogPlace, version: str, found: Old, *, author: str, reason: str) -> None:
    """Take it away. No monitor may write to the log meanwhile: `LogInUseError`. Raises `LogError`."""
    async with EventLog.writing(place, version) as log:
        await _take(log, found, author, reason)


async def keep_days(log: EventLog, days: int, now_utc_us: int) -> int:
    """Take away, in the log that a monitor writes to, what is older than so many days; how many records that were.

    Raises `LogError`.
    """
    found = await asyncio.to_thread(old, log.place, now_utc_us - days * _DAY_US)
    if found.records:
        await _take(log, found, AUTHOR, f"older than {days} days ([log] keep_days)")
    return found.records


async def _take(log: EventLog, found: Old, author: str, reason: str) -> None:
    note = Purged(
        author=author,
        reason=reason,
        through=found.through,
        records=found.records,
        before_utc_us=found.before_utc_us,
    )
    await log.append("", [note])
    await log.forget(found.through, found.before_utc_us)
