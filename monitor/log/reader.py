"""Reads an event log, record by record, whether or not a monitor is writing to it.

Owns the way back from rows to typed records. Reading never blocks the writer and never changes the file.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

import msgspec
from msgspec import Struct
from sqlalchemy import Row, Select, create_engine, func, select, text
from sqlalchemy.exc import SQLAlchemyError

from monitor.alerts import Alert
from monitor.errors import LogError, LogTooNewError
from monitor.events import Event
from monitor.foreign_text import UNREADABLE, complaint_about_json
from monitor.log.schema import SCHEMA_VERSION, Stream, records, runs

_events: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
_alerts = msgspec.json.Decoder(Alert)
_PAGE_ROWS = 1000
_SQLITE: Final = b"SQLite format 3\0"


class StoredRecord(Struct, frozen=True):
    """One row of the log; `utc_us` and `mono_s` tell when it was handed to the log."""

    seq: int
    run: int
    table: str
    hand: int
    mono_s: float
    utc_us: int
    record: Event | Alert


class HandSpan(Struct, frozen=True):
    """One hand as the log holds it: its first and last record, how many there are, and when they were written."""

    table: str
    hand: int
    first_seq: int
    last_seq: int
    records: int
    first_utc_us: int
    last_utc_us: int


class Run(Struct, frozen=True):
    """One start of the monitor; the two clocks at that moment, so that `at` can be told in UTC."""

    run: int
    utc_us: int
    mono_s: float
    version: str

    def utc_s(self, at_s: float) -> float:
        """Seconds since 1970 of a moment on this run's monotonic clock."""
        return self.utc_us / 1e6 + at_s - self.mono_s


class LogReader:
    """An event log that is read, whether or not a monitor is writing to it. A context manager; raises `LogError`."""

    def __init__(self, path: Path) -> None:
        """Use `monitor.log.open`."""
        if not path.is_file():
            raise LogError(path, "there is no such file")
        self.path = path
        self._engine = create_engine(f"sqlite:///file:{path}?mode=ro&uri=true")
        try:
            found = self._scalar(text("PRAGMA user_version"))
        except LogError:
            self.close()
            raise
        if found > SCHEMA_VERSION:
            self.close()
            raise LogTooNewError(path, found, SCHEMA_VERSION)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._engine.dispose()

    def records(
        self, *, after: int = 0, table: str | None = None, hand: int | None = None, stream: Stream | None = None
    ) -> Iterator[StoredRecord]:
        """Iterate the records with `seq` > `after`, of one table, hand or stream or all, in order."""
        query = _of(select(records), table, hand, stream).where(records.c.seq > after).order_by(records.c.seq)
        with self._errors(), self._engine.connect() as connection:
            for row in connection.execution_options(yield_per=_PAGE_ROWS).execute(query):
                record = _record(self.path, row)
                yield StoredRecord(row.seq, row.run, row.table, row.hand, row.mono_s, row.utc_us, record)

    def count(self, *, table: str | None = None, hand: int | None = None, stream: Stream | None = None) -> int:
        """How many records there are: for whoever shows progress."""
        return self._scalar(_of(select(func.count()).select_from(records), table, hand, stream))

    def hands(self, table: str | None = None) -> list[HandSpan]:
        """The hands of one table or all, in order of their first record."""
        of = records.c
        query = select(
            of.table,
            of.hand,
            func.min(of.seq),
            func.max(of.seq),
            func.count(),
            func.min(of.utc_us),
            func.max(of.utc_us),
        )
        query = _of(query, table, None, None).group_by(of.table, of.hand).order_by(func.min(of.seq))
        with self._errors(), self._engine.connect() as connection:
            return [HandSpan(*row) for row in connection.execute(query)]

    def runs(self) -> dict[int, Run]:
        """The starts of the monitor, by number."""
        with self._errors(), self._engine.connect() as connection:
            found = connection.execute(select(runs.c.run, runs.c.utc_us, runs.c.mono_s, runs.c.version))
            return {row.run: Run(*row) for row in found}

    def _scalar(self, query: Any) -> int:
        with self._errors(), self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as problem:
            raise LogError(self.path, f"cannot be read ({getattr(problem, 'orig', None) or problem})") from problem


def is_log(path: Path) -> bool:
    """Whether a file is a database, by its first bytes; a pipe is none. Raises `OSError` where it cannot be read."""
    if not path.is_file():
        return False  # what is read from a pipe is gone
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def open_log(path: Path | str) -> LogReader:
    """Open an event log for reading. Raises `LogError`, `LogTooNewError`."""
    return LogReader(Path(path))


def read_log(
    path: Path, *, after: int = 0, table: str | None = None, stream: Stream | None = None
) -> Iterator[StoredRecord]:
    """Open a log, iterate its records as `LogReader.records` does, and close it."""
    with open_log(path) as log:
        yield from log.records(after=after, table=table, stream=stream)


def _of(query: Select[Any], table: str | None, hand: int | None, stream: Stream | None) -> Select[Any]:
    if table is not None:
        query = query.where(records.c.table == table)
    if hand is not None:
        query = query.where(records.c.hand == hand)
    if stream is not None:
        query = query.where(records.c.stream == stream.value)
    return query


def _record(path: Path, row: Row[Any]) -> Event | Alert:
    kind, decoder = (Alert, _alerts) if row.stream == Stream.ALERT else (Event, _events)
    try:
        return decoder.decode(row.payload)
    except UNREADABLE as problem:
        why = complaint_about_json(problem, row.payload, kind)
        raise LogError(path, f"holds a record this version cannot read (number {row.seq}: {why})") from problem
