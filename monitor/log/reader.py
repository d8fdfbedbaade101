"""Reads an event log, record by record, whether or not a monitor is writing to it.

Owns the way back from rows to typed records. Reading never blocks the writer and never changes the file.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Row, create_engine, select, text
from sqlalchemy.exc import SQLAlchemyError

from monitor.alerts import Alert
from monitor.errors import LogError, LogTooNewError
from monitor.events import Event
from monitor.foreign_text import UNREADABLE, complaint_about_json
from monitor.log.schema import SCHEMA_VERSION, Stream, records

_events: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
_alerts = msgspec.json.Decoder(Alert)
_PAGE_ROWS = 1000


class StoredRecord(Struct, frozen=True):
    """One row of the log; `utc_us` and `mono_s` tell when it was handed to the log."""

    seq: int
    run: int
    table: str
    hand: int
    mono_s: float
    utc_us: int
    record: Event | Alert


def schema_of(path: Path) -> int:
    """The schema of a log that need not be of this version. Raises `LogTooNewError`, or `LogError` where it is none."""
    engine = create_engine(f"sqlite:///file:{path}?mode=ro&uri=true")
    try:
        with engine.connect() as connection:
            found = int(connection.execute(text("PRAGMA user_version")).scalar_one())
    except SQLAlchemyError as problem:
        raise LogError(path, f"cannot be read ({getattr(problem, 'orig', None) or problem})") from problem
    finally:
        engine.dispose()
    if found > SCHEMA_VERSION:
        raise LogTooNewError(path, found, SCHEMA_VERSION)
    return found


def read_log(
    path: Path, *, after: int = 0, table: str | None = None, stream: Stream | None = None
) -> Iterator[StoredRecord]:
    """Iterate the records with `seq` > `after`, of one table or all, of one stream or both, in order.

    Raises `LogError`.
    """
    if not path.is_file():
        raise LogError(path, "there is no such file")
    engine = create_engine(f"sqlite:///file:{path}?mode=ro&uri=true")
    query = select(records).where(records.c.seq > after).order_by(records.c.seq)
    if table is not None:
        query = query.where(records.c.table == table)
    if stream is not None:
        query = query.where(records.c.stream == stream.value)
    try:
        with engine.connect() as connection:
            for row in connection.execution_options(yield_per=_PAGE_ROWS).execute(query):
                yield StoredRecord(row.seq, row.run, row.table, row.hand, row.mono_s, row.utc_us, _record(path, row))
    except SQLAlchemyError as problem:
        raise LogError(path, f"cannot be read ({getattr(problem, 'orig', None) or problem})") from problem
    finally:
        engine.dispose()


def _record(path: Path, row: Row[Any]) -> Event | Alert:
    kind, decoder = (Alert, _alerts) if row.stream == Stream.ALERT else (Event, _events)
    try:
        return decoder.decode(row.payload)
    except UNREADABLE as problem:
        why = complaint_about_json(problem, row.payload, kind)
        raise LogError(path, f"holds a record this version cannot read (number {row.seq}: {why})") from problem
