"""Which part of a log is meant: records of a table, of a hand, of a stream, or all that came after one.

Owns the choice. Refuses to know how it is looked up (`monitor.log.reader`).
"""

from msgspec import Struct

from monitor.log.schema import Stream


class Part(Struct, frozen=True, kw_only=True):
    """What is chosen; absent: all of the log. `after`: records with a greater number alone."""

    table: str | None = None
    hand: int | None = None
    stream: Stream | None = None
    after: int = 0


ALL = Part()
"""A whole log."""
