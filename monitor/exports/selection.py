"""Which records of a log are wanted: of a table, of a hand, written between two moments.

Owns the choice and its words. The time that counts is when a record was written to the log: every record has one, and a
correction belongs to the evening on which it was made.
"""

from datetime import tzinfo

from msgspec import Struct

from monitor.exports.moments import in_zone
from monitor.log.part import Part
from monitor.log.reader import LogReader, StoredRecord


class Selection(Struct, frozen=True):
    """What is wanted; absent: all. `since_utc_s` is within, `until_utc_s` is not."""

    table: str | None = None
    hand: int | None = None
    since_utc_s: float | None = None
    until_utc_s: float | None = None

    @property
    def part(self) -> Part:
        """What of it the reader looks up: table and hand."""
        return Part(table=self.table, hand=self.hand)

    def takes(self, stored: StoredRecord) -> bool:
        """Whether a record was written in the time that is wanted; table and hand are the reader's business."""
        written_s = stored.utc_us / 1e6
        return (self.since_utc_s is None or written_s >= self.since_utc_s) and (
            self.until_utc_s is None or written_s < self.until_utc_s
        )

    def words(self, zone: tzinfo | None) -> str:
        """The choice as people read it."""
        parts = (
            "" if self.table is None else f"table {self.table}",
            "" if self.hand is None else f"hand {self.hand}",
            "" if self.since_utc_s is None else f"from {_minute(self.since_utc_s, zone)}",
            "" if self.until_utc_s is None else f"until {_minute(self.until_utc_s, zone)}",
        )
        return ", ".join(part for part in parts if part) or "all of the log"


def what_it_holds(log: LogReader, zone: tzinfo | None) -> str:
    """Tables, hands and time of a log in one line, for whoever asked for what is not there."""
    spans = log.hands()
    if not spans:
        return "no record at all"
    tables = sorted({span.table for span in spans})
    named = ", ".join(tables[:_NAMED]) + (f" and {len(tables) - _NAMED} more" if len(tables) > _NAMED else "")
    hands = f"hands {min(span.hand for span in spans)} to {max(span.hand for span in spans)}"
    first = min(span.first_utc_us for span in spans) / 1e6
    last = max(span.last_utc_us for span in spans) / 1e6
    return (
        f"{'table' if len(tables) == 1 else 'tables'} {named}, {hands}, {_minute(first, zone)} to {_minute(last, zone)}"
    )


_NAMED = 10
"""Tables named in an error; our choice."""


def _minute(utc_s: float, zone: tzinfo | None) -> str:
    moment = in_zone(utc_s, zone)
    return "?" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}"
