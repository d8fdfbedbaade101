"""What people put right about the hands of a log, as whoever counts or tells a hand takes it.

Owns the reading of these notes and who may see what of them: none of them names a tile, and where counts are not
monitored none tells one. Refuses to know how they are laid over a hand (`monitor.standing`). The log is only read.
"""

from collections.abc import Callable

from monitor.audience import Audience, tells_count
from monitor.events import without_identities
from monitor.log.notes import Amended
from monitor.log.part import Part
from monitor.log.reader import LogReader
from monitor.log.schema import Stream
from monitor.tally import Amendment


def amendments_of(
    log: LogReader, audience: Callable[[str], Audience], table: str | None = None
) -> dict[tuple[str, int], list[Amendment]]:
    """By table and the hand that is meant, in order; `audience` of a table. Raises `LogError`."""
    found: dict[tuple[str, int], list[Amendment]] = {}
    for row in log.records(Part(table=table, stream=Stream.NOTE)):
        note = row.record
        if isinstance(note, Amended) and may_see(note, audience(row.table)):
            made = Amendment(without_identities(note.event), note.author, note.reason, row.utc_us / 1e6)
            found.setdefault((row.table, note.hand), []).append(made)
    return found


def may_see(note: Amended, audience: Audience) -> bool:
    """Whether a director may be told of an amendment."""
    return audience.count_monitoring or not tells_count(note.event)
