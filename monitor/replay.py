"""Drives one table through a recording in virtual time.

Owns the order of feeding and nothing else: each line's `at` is the only clock, so the same recording, set-up and
profile give the same records. Refuses to know files, formats and screens. A line that holds nothing for the table
still lets its time pass.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from firmware_bridge.arrival import Arrival
from monitor.table import Record, Table


class ReplayLine(Struct, frozen=True):
    """One line of a recording: its time and what it brought the table, if anything could be decoded."""

    at_s: float
    arrival: Arrival | None


def replay(table: Table, lines: Iterable[ReplayLine]) -> Iterator[Record]:
    """Yield every record of the table, in order of knowledge. Time ends with the last line."""
    for line in lines:
        yield from table.advance(line.at_s)
        if line.arrival is not None:
            yield from table.feed(line.arrival)
