"""Drives one table through a recording in virtual time.

Owns the order of feeding and nothing else: each line's `at` is the only clock, so the same recording, set-up and
profile give the same records. Refuses to know files, formats and screens. A line that holds nothing for the table
still lets its time pass; time ends with the last line.
"""

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from firmware_bridge.received import Received
from firmware_bridge.recording import BadLine
from firmware_bridge.routing import Router
from monitor.table import Record, Table


class Step(Struct, frozen=True):
    """One line of a recording: the time it let pass, and what became known by then, in order of knowledge."""

    at_s: float
    records: tuple[Record, ...]


def steps(
    table: Table, router: Router, lines: Iterable[Received | BadLine], report: Callable[[BadLine], None]
) -> Iterator[Step]:
    """Yield a step for every line. `report` is told of each damaged line."""
    for line in lines:
        if isinstance(line, BadLine):
            report(line)
            continue
        records = table.advance(line.at_s)
        for arrival in router.route(line):
            records += table.feed(arrival)
        yield Step(line.at_s, tuple(records))


def replay(
    table: Table, router: Router, lines: Iterable[Received | BadLine], report: Callable[[BadLine], None]
) -> Iterator[Record]:
    """Yield every record of the table, in order of knowledge. `report` is told of each damaged line."""
    for step in steps(table, router, lines, report):
        yield from step.records
