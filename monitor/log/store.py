"""The writer of the event log: takes records in, makes them durable in groups, and only then passes them on.

Owns the order of records (`seq`, one more each, without gaps) and the promise that whoever is told of an alert is told
after its commit. Refuses to know who is told. Between the tables and everything that publishes.

While one group is being committed the next one gathers in a bounded queue; where it is full, `append` waits. A failing
disk holds everything back: the writer tries again with a growing pause, says so, and nothing is lost that still fits
the queue.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog
from msgspec import Struct
from sqlalchemy import event as hooks
from sqlalchemy import func, insert, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from monitor.alerts import Alert
from monitor.errors import LogError, LogTooNewError
from monitor.events import Event
from monitor.log.hands import HandCounter
from monitor.log.lock import WriterLock
from monitor.log.schema import APPEND_ONLY, SCHEMA_VERSION, Stream, metadata, records, runs

QUEUE_RECORDS: Final = 10_000
"""Our choice: some minutes of a hundred tables, should the disk fail."""
GROUP_RECORDS: Final = 500
"""Our choice: a commit of 200 already costs less a record than its encoding."""
RETRY_FIRST_S: Final = 0.5
RETRY_LAST_S: Final = 30.0

_log = structlog.get_logger("rackwatch.log")
_encode = msgspec.json.Encoder().encode


class Logged(Struct, frozen=True):
    """A record that is durable: its number in the log and the hand it belongs to."""

    seq: int
    table: str
    hand: int
    record: Event | Alert


class _Entry(Struct, frozen=True):
    table: str
    record: Event | Alert
    mono_s: float
    utc_us: int


class EventLog:
    """One open log. `open`, then `run` in a task of its own; `append` from anywhere; `close` at the end."""

    def __init__(
        self, path: Path, engine: AsyncEngine, lock: WriterLock, run: int, seq: int, hands: dict[str, HandCounter]
    ) -> None:
        """Use `open`."""
        self.path = path
        self.run_number = run
        self._engine = engine
        self._lock = lock
        self._seq = seq
        self._hands = hands
        self._queue: asyncio.Queue[_Entry] = asyncio.Queue(QUEUE_RECORDS)
        self._closing = False

    @classmethod
    async def open(cls, path: Path, version: str) -> "EventLog":
        """Open or make the log and begin a run in it. Raises `LogError` or one of its kinds."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise LogError(path, f"its folder cannot be made ({problem.strerror})") from problem
        lock = WriterLock(path)
        engine = create_async_engine(f"sqlite+aiosqlite:///{path}")
        hooks.listen(engine.sync_engine, "connect", _configure)
        try:
            async with engine.begin() as connection:
                await _migrate(connection, path)
                run = await _begin_run(connection, version)
                seq = (await connection.execute(select(func.max(records.c.seq)))).scalar() or 0
                last = select(records.c.table, func.max(records.c.hand)).group_by(records.c.table)
                hands = {table: HandCounter(hand) for table, hand in await connection.execute(last)}
        except SQLAlchemyError as problem:
            await engine.dispose()
            lock.release()
            raise LogError(path, f"cannot be opened ({_reason(problem)})") from problem
        except LogError:
            await engine.dispose()
            lock.release()
            raise
        return cls(path, engine, lock, run, seq, hands)

    async def last_number(self, table: str, stream: Stream) -> int:
        """The `seq` of the table's last record in that stream; 0 where there is none."""
        query = select(records.c.number).where(records.c.table == table, records.c.stream == stream.value)
        async with self._engine.connect() as connection:
            return (await connection.execute(query.order_by(records.c.seq.desc()).limit(1))).scalar() or 0

    async def append(self, table: str, batch: Sequence[Event | Alert]) -> None:
        """Hand over records, in order; returns at once unless the queue is full. They are durable later."""
        mono_s, utc_us = time.monotonic(), time.time_ns() // 1000
        for record in batch:
            await self._queue.put(_Entry(table, record, mono_s, utc_us))

    async def run(
        self, tell: Callable[[Sequence[Logged]], None], warn: Callable[[str | None], None] = lambda _: None
    ) -> None:
        """Write until cancelled.

        `tell` gets every group just after its commit, in order. `warn` gets the reason while the file cannot be
        written, and `None` once it can again.
        """
        while True:
            group = [await self._queue.get()]
            while len(group) < GROUP_RECORDS and not self._queue.empty():
                group.append(self._queue.get_nowait())
            logged = self._number(group)
            await self._commit_until_done(group, logged, warn)
            tell(logged)
            for _ in group:
                self._queue.task_done()

    async def drain(self, *, closing: bool = False) -> None:
        """Wait until everything appended so far is durable and told.

        `closing`: nothing may hold up the end; a commit that fails now makes `run` raise `LogError`.
        """
        self._closing = closing
        await self._queue.join()

    async def close(self) -> None:
        """Close the file and let another writer in."""
        await self._engine.dispose()
        self._lock.release()

    def _number(self, group: Sequence[_Entry]) -> list[Logged]:
        logged = []
        for entry in group:
            self._seq += 1
            hands = self._hands.setdefault(entry.table, HandCounter())
            hand = hands.number if isinstance(entry.record, Alert) else hands.take(entry.record)
            logged.append(Logged(self._seq, entry.table, hand, entry.record))
        return logged

    async def _commit_until_done(
        self, group: Sequence[_Entry], logged: Sequence[Logged], warn: Callable[[str | None], None]
    ) -> None:
        rows = [_row(self.run_number, entry, done) for entry, done in zip(group, logged, strict=True)]
        pause_s, failed = RETRY_FIRST_S, False
        while True:
            try:
                async with self._engine.begin() as connection:
                    await connection.execute(insert(records), rows)
            except SQLAlchemyError as problem:
                reason = _reason(problem)
                if self._closing:
                    raise LogError(
                        self.path, f"cannot be written ({reason}); {len(rows)} records are lost"
                    ) from problem
                if not failed:
                    _log.error("event log cannot be written, alerts wait", path=str(self.path), why=reason)
                    warn(reason)
                failed = True
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, RETRY_LAST_S)
            else:
                if failed:
                    _log.info("event log can be written again", path=str(self.path))
                    warn(None)
                return


def _row(run: int, entry: _Entry, logged: Logged) -> dict[str, Any]:
    record = entry.record
    if isinstance(record, Alert):
        stream, kind = Stream.ALERT, str(record.rule)
    else:
        stream, kind = Stream.EVENT, str(record.__struct_config__.tag)
    return {
        "seq": logged.seq,
        "run": run,
        "table": entry.table,
        "hand": logged.hand,
        "stream": stream.value,
        "kind": kind,
        "number": record.seq,
        "mono_s": entry.mono_s,
        "utc_us": entry.utc_us,
        "payload": _encode(record),
    }


def _configure(connection: Any, _: object) -> None:
    """What SQLite must be told on every connection: a commit is on disk when it returns, and readers never block."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


async def _migrate(connection: AsyncConnection, path: Path) -> None:
    found = (await connection.execute(text("PRAGMA user_version"))).scalar_one()
    if found > SCHEMA_VERSION:
        raise LogTooNewError(path, found, SCHEMA_VERSION)
    if found == 0:
        await connection.run_sync(metadata.create_all)
        for statement in APPEND_ONLY:
            await connection.execute(text(statement))
        await connection.execute(text(f"PRAGMA user_version = {SCHEMA_VERSION}"))


async def _begin_run(connection: AsyncConnection, version: str) -> int:
    run = ((await connection.execute(select(func.max(runs.c.run)))).scalar() or 0) + 1
    await connection.execute(
        insert(runs).values(run=run, utc_us=time.time_ns() // 1000, mono_s=time.monotonic(), version=version)
    )
    return run


def _reason(problem: SQLAlchemyError) -> str:
    return str(getattr(problem, "orig", None) or problem)
