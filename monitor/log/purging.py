"""Retention: what records said is taken away when it is old; that they were there stays provable.

Owns the order of the two steps. The note that says what is taken is durable first, so that a purge that breaks off
leaves a log that is right, and the next one finishes it.
"""

from msgspec import Struct

from monitor.log.notes import Purged
from monitor.log.place import LogPlace
from monitor.log.reader import open_log
from monitor.log.store import EventLog


class Old(Struct, frozen=True):
    """What a purge takes: `records` payloads, all of records up to number `through`."""

    records: int
    through: int


def old(place: LogPlace, before_utc_us: int) -> Old:
    """What is there to take that was written before a moment. Raises `LogError`."""
    with open_log(place) as log:
        return Old(*log.unpurged_before(before_utc_us))


async def purge(place: LogPlace, version: str, found: Old, *, author: str, reason: str) -> None:
    """Take it away. No monitor may write to the log meanwhile: `LogInUseError`. Raises `LogError`."""
    async with EventLog.writing(place, version) as log:
        await log.append("", [Purged(author=author, reason=reason, through=found.through, records=found.records)])
        await log.drain()
        await log.forget(found.through)
