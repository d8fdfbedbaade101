"""Reads an event log, record by record, whether or not a monitor is writing to it.

Owns the way back from rows to typed records. Reading never blocks the writer and never changes the log. A log of an
older version is read as it is: only the writer brings it up to date.
"""

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, Self

from msgspec import Struct
from sqlalchemy import Row, Select, create_engine, func, inspect, literal, select, text
from sqlalchemy.exc import SQLAlchemyError

from monitor.alerts import Alert
from monitor.errors import LogError, LogTooNewError
from monitor.events import Event
from monitor.log.complaints import why
from monitor.log.keys import unseal
from monitor.log.migrations import FOREIGN, NO_LOG, schema_of
from monitor.log.notes import Note
from monitor.log.part import ALL, Part
from monitor.log.payloads import Record, UnreadablePayloadError, decode
from monitor.log.place import LogPlace, log_place
from monitor.log.schema import SCHEMA_VERSION, Stream, ends, heads, metadata, records, released, runs

_PAGE_ROWS = 1000
_SQLITE: Final = b"SQLite format 3\0"
_SINCE_2 = ("payload_digest", "sealed", "sealed_digest", "link")
"""Columns that logs of schema 1 do not have."""


class StoredRecord(Struct, frozen=True):
    """One row of the log; `utc_us` and `mono_s` tell when it was handed to it. `record`: `None` once it is purged."""

    seq: int
    run: int
    table: str
    hand: int
    mono_s: float
    utc_us: int
    record: Record | None
    stream: Stream
    kind: str
    link: bytes = b""


class ToldRecord(Struct, frozen=True):
    """One row that tells of the table: no note, and not purged."""

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
    """An event log that is read. A context manager; everything raises `LogError` where the log cannot be read."""

    def __init__(self, place: LogPlace) -> None:
        """Use `monitor.log.open`."""
        if place.file is not None and not place.file.is_file():
            raise LogError(place.file, "is a folder" if place.file.is_dir() else "there is no such file")
        self.place = place
        self._engine = create_engine(place.reading)
        self._keys: dict[tuple[int, str, int], object] | None = None
        try:
            with self._errors(), self._engine.connect() as connection:
                self.schema = schema_of(connection)
            if self.schema in (FOREIGN, NO_LOG):
                raise LogError(str(place), "is no event log")
            if self.schema > SCHEMA_VERSION:
                raise LogTooNewError(str(place), self.schema, SCHEMA_VERSION)
        except LogError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the log."""
        self._engine.dispose()

    def records(self, part: Part = ALL, *, identities: bool = False) -> Iterator[StoredRecord]:
        """Iterate the records of a part, or all, in order.

        `identities`: events tell which tile it was, where the key of their hand is released.
        """
        for row in self.rows(part):
            yield self._stored(row, identities=identities)

    def newest(self, stream: Stream, kinds: Collection[str], most: int) -> list[StoredRecord]:
        """The newest records of some kinds, in order: so many of each kind at most, however long the log is."""
        of = records.c
        every = select(records).where(of.stream == stream.value).order_by(of.seq.desc()).limit(most)
        found = [row for kind in kinds for row in self._all(every.where(of.kind == kind))]
        return [self._stored(row) for row in sorted(found, key=lambda row: row.seq)]

    def last_written_utc_us(self, before_run: int) -> int | None:
        """When the starts before this one last wrote anything down: microseconds since 1970."""
        of = records.c
        query = select(of.utc_us).where(of.run < before_run).order_by(of.seq.desc()).limit(1)
        found = self._all(query)
        return found[0].utc_us if found else None

    def told(self, part: Part = ALL, *, identities: bool = False) -> Iterator[ToldRecord]:
        """The same without notes, and without what was purged."""
        for row in self.records(part, identities=identities):
            if row.record is not None and not isinstance(row.record, Note):
                yield ToldRecord(row.seq, row.run, row.table, row.hand, row.mono_s, row.utc_us, row.record)

    def rows(self, part: Part = ALL) -> Iterator[Row[Any]]:
        """The same as they are stored, for whoever verifies."""
        old = [literal(None).label(name) for name in _SINCE_2] if self.schema == 1 else []
        columns = [column for column in records.c if not (old and column.name in _SINCE_2)]
        query = _of(select(*columns, *old), part).order_by(records.c.seq)
        with (
            self._errors(),
            self._engine.connect().execution_options(yield_per=_PAGE_ROWS) as connection,
            closing(connection.execute(query)) as found,
        ):
            yield from found

    def count(self, part: Part = ALL) -> int:
        """How many records there are: for whoever shows progress."""
        (found,) = self._all(_of(select(func.count()).select_from(records), part))
        return int(found[0])

    def unpurged_before(self, utc_us: int) -> tuple[int, int]:
        """How many records written before a moment still say something, and the number of the last one."""
        of = records.c
        query = select(func.count(of.payload), func.coalesce(func.max(of.seq), 0))
        query = query.where(of.utc_us < utc_us, of.stream != Stream.NOTE.value)
        saying, last = tuple(self._all(query)[0])
        return saying, last

    def hands(self, table: str | None = None) -> list[HandSpan]:
        """The hands of one table or all, in order of their first record. Notes about the whole log belong to none."""
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
        query = _of(query, Part(table=table)).where(of.table != "")
        query = query.group_by(of.table, of.hand).order_by(func.min(of.seq))
        return [HandSpan(*tuple(row)) for row in self._all(query)]

    def last_link(self, table: str, hand: int) -> bytes:
        """The hash of a hand's last record and of all before it; empty where records are not linked."""
        of = records.c
        query = select(of.link).where(of.table == table, of.hand == hand).order_by(of.seq.desc()).limit(1)
        found = [] if self.schema == 1 else self._all(query)
        return bytes(found[0].link) if found else b""

    def runs(self) -> dict[int, Run]:
        """The starts of the monitor, by number."""
        return {
            row.run: Run(*tuple(row))
            for row in self._all(select(runs.c.run, runs.c.utc_us, runs.c.mono_s, runs.c.version))
        }

    def run_rows(self) -> dict[int, Row[Any]]:
        """The same with what was signed of them; as `monitor.log.schema.runs`."""
        return {} if self.schema == 1 else {row.run: row for row in self._all(select(runs))}

    def broken(self) -> str:
        """What is wrong with the database itself, in its own words; empty where nothing is. Reads a whole file."""
        with self._errors(), self._engine.connect() as connection:
            missing = set(metadata.tables) - set(inspect(connection).get_table_names())
            if missing:
                return f"no table {', '.join(sorted(missing))}"
            if self.place.file is None:
                return ""
            found = str(connection.execute(text("PRAGMA integrity_check(1)")).scalar())
            return "" if found == "ok" else " ".join(found.split())

    def heads(self) -> list[Row[Any]]:
        """What was signed as hands ended, in order; as `monitor.log.schema.heads`."""
        return [] if self.schema == 1 else self._all(select(heads).order_by(heads.c.seq))

    def end(self) -> Row[Any] | None:
        """What was signed of where the log ends; as `monitor.log.schema.ends`."""
        found = [] if self.schema == 1 else self._all(select(ends))
        return found[0] if found else None

    def keys(self) -> dict[tuple[int, str, int], object]:
        """The released keys, by run, table and hand."""
        if self.schema == 1:
            return {}
        return {(row.run, row.table, row.hand): row.key for row in self._all(select(released))}

    def record(self, row: Row[Any], *, identities: bool = False) -> Record | None:
        """What a row says; `None` once it is purged."""
        if row.payload is None:
            return None
        payload = bytes(row.payload)
        if identities and row.sealed is not None:
            payload = self._unsealed(row) or payload
        try:
            return decode(row.stream, payload)
        except UnreadablePayloadError as problem:
            said = f"holds a record this version cannot read (number {row.seq}: {problem.why})"
            raise LogError(str(self.place), said) from problem

    def _stored(self, row: Row[Any], *, identities: bool = False) -> StoredRecord:
        return StoredRecord(
            row.seq,
            row.run,
            row.table,
            row.hand,
            row.mono_s,
            row.utc_us,
            self.record(row, identities=identities),
            Stream(row.stream),
            row.kind,
            bytes(row.link or b""),
        )

    def _unsealed(self, row: Row[Any]) -> bytes | None:
        if self._keys is None:
            self._keys = self.keys()
        key = self._keys.get((row.run, row.table, row.hand))
        return (
            None if not isinstance(key, bytes) else unseal(key, row.seq, bytes(row.payload_digest), bytes(row.sealed))
        )

    def _all(self, query: Select[Any]) -> list[Row[Any]]:
        with self._errors(), self._engine.connect() as connection:
            return list(connection.execute(query).all())

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as problem:
            raise LogError(str(self.place), f"cannot be read {why(self.place, problem)}") from problem


def is_log(path: Path) -> bool:
    """Whether a file is a database, by its first bytes; a pipe is none. Raises `OSError` where it cannot be read."""
    if not path.is_file():
        return False  # what is read from a pipe is gone
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def open_log(place: LogPlace | Path | str) -> LogReader:
    """Open an event log for reading: a file, or `postgresql://…`. Raises `LogError`, `LogTooNewError`."""
    return LogReader(place if isinstance(place, LogPlace) else log_place(place))


def read_log(place: LogPlace | Path | str, part: Part = ALL) -> Iterator[StoredRecord]:
    """Open a log, iterate its records as `LogReader.records` does, and close it."""
    with open_log(place) as log:
        yield from log.records(part)


def _of(query: Select[Any], part: Part) -> Select[Any]:
    stream = None if part.stream is None else part.stream.value
    for column, wanted in ((records.c.table, part.table), (records.c.hand, part.hand), (records.c.stream, stream)):
        if wanted is not None:
            query = query.where(column == wanted)
    return query.where(records.c.seq > part.after) if part.after else query
