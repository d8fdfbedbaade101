"""The writer of the event log: takes records in, makes them durable in groups, and only then passes them on.

Owns the promise that whoever is told of an alert is told after its commit. What is written is the scribe's
(`monitor.log.scribe`). Refuses to know who is told. Between the tables and everything that publishes.

While one group is being committed the next one gathers in a bounded queue; where it is full, `append` waits. A failing
disk or database holds everything back: the writer tries again with a growing pause, says so, and nothing is lost that
still fits the queue.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import structlog
from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Row, delete, exists, func, insert, select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from monitor.errors import LogError, LogTooNewError
from monitor.log.chain import FIRST_LINK
from monitor.log.complaints import reason_of, why
from monitor.log.keys import LogKey, is_signed
from monitor.log.migrations import FOREIGN, schema_of, upgrade
from monitor.log.notes import AUTHOR, Doubted, Linked, Note
from monitor.log.opening import Opened, open_engine
from monitor.log.payloads import Record, refusal
from monitor.log.place import LogPlace, log_place
from monitor.log.schema import RELEASES_NOTED, SCHEMA_VERSION, Stream, ends, heads, records, released, runs
from monitor.log.scribe import (
    Entry,
    Group,
    Logged,
    Scribe,
    Unended,
    end_statement,
    released_note,
    run_statement,
)

QUEUE_RECORDS: Final = 10_000
"""Our choice: some minutes of a hundred tables, should the disk fail."""
GROUP_RECORDS: Final = 500
"""Our choice: a commit of 200 already costs less a record than its encoding."""
FORGET_RECORDS: Final = 5_000
"""Our choice: a step of a purge holds up a commit for some tens of milliseconds."""
RETRY_FIRST_S: Final = 0.5
RETRY_LAST_S: Final = 30.0
_OF_PLAY: Final = (Stream.EVENT.value, Stream.ALERT.value)

_log = structlog.get_logger("rackwatch.log")


class Now(Struct, frozen=True):
    """The two clocks of a row."""

    mono_s: Callable[[], float]
    wall_s: Callable[[], float]

    def utc_us(self) -> int:
        """Microseconds since 1970."""
        return int(self.wall_s() * 1e6)


class EventLog:
    """One open log. `open`, then `run` in a task of its own; `append` from anywhere; `close` at the end."""

    def __init__(self, place: LogPlace, opened: Opened, scribe: Scribe, now: Now) -> None:
        """Use `open`."""
        self.place = place
        self._now = now
        self.run_number = scribe.run
        self._opened = opened
        self._engine = opened.engine
        self._scribe = scribe
        self._queue: asyncio.Queue[Entry] = asyncio.Queue(QUEUE_RECORDS)
        self._closing = False
        self.refused = 0
        """Records that were not taken since no reader could have read them; `last_refusal` says of the latest why."""
        self.last_refusal = ""

    @classmethod
    async def open(
        cls,
        place: LogPlace | Path | str,
        version: str,
        *,
        releases: bool = True,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> "EventLog":
        """Open or make the log and begin a run in it. Raises `LogError` or one of its kinds.

        `releases`: whether tile identities may be read once their hand is over. `clock`: the host's seconds, on which
        records are dated; `wall`: seconds since 1970. Both pass alike, so that every row tells one and the same step
        from a record's `at` to UTC.
        """
        now = Now(clock, wall)
        place = place if isinstance(place, LogPlace) else log_place(place)
        opened = open_engine(place)
        try:
            key = LogKey.open(place.key_file)
            async with opened.engine.begin() as connection:
                found = await connection.run_sync(_bring_up_to_date, place)
                scribe = await _go_on(connection, version, key, found, now, releases=releases)
        except BaseException as problem:
            await opened.close()
            if isinstance(problem, SQLAlchemyError):
                raise LogError(str(place), f"cannot be opened {why(place, problem)}") from problem
            raise
        return cls(place, opened, scribe, now)

    @classmethod
    @asynccontextmanager
    async def writing(cls, place: LogPlace, version: str) -> AsyncIterator["EventLog"]:
        """A log for a few records of a person, where no monitor writes to it. Raises `LogError`, `LogInUseError`.

        No keys are released: what becomes of tile identities is the monitor's settings' to say.
        """
        log = await cls.open(place, version, releases=False)
        writer = asyncio.create_task(log.run(lambda _group: None))
        try:
            yield log
            drained = asyncio.create_task(log.drain(closing=True))
            await asyncio.wait({writer, drained}, return_when=asyncio.FIRST_COMPLETED)
            if writer.done():
                drained.cancel()
                writer.result()
        finally:
            writer.cancel()
            await log.close()

    async def forget(self, through: int, before_utc_us: int) -> None:
        """Take away the payloads of records, not of notes, up to number `through` that were written before a moment.

        Keys that open nothing any more go too: an older copy of the log is not opened by what is left.
        Waits until all that was appended is durable, and goes in small steps: records that come meanwhile are written.
        """
        await self._queue.join()
        of = records.c
        try:
            for first in range(1, through + 1, FORGET_RECORDS):
                these = of.seq.between(first, min(through, first + FORGET_RECORDS - 1))
                old = these & (of.stream != Stream.NOTE.value) & (of.utc_us < before_utc_us)
                async with self._engine.begin() as connection:
                    await connection.execute(update(records).where(old).values(payload=None, sealed=None))
            async with self._engine.begin() as connection:
                await connection.execute(delete(released).where(~_opens_something()))
        except SQLAlchemyError as problem:
            raise LogError(str(self.place), f"cannot be purged {why(self.place, problem)}") from problem

    async def last_number(self, table: str, stream: Stream) -> int:
        """The `seq` of the table's last record in that stream; 0 where there is none."""
        query = select(records.c.number).where(records.c.table == table, records.c.stream == stream.value)
        async with self._engine.connect() as connection:
            return (await connection.execute(query.order_by(records.c.seq.desc()).limit(1))).scalar() or 0

    async def append(self, table: str, batch: Sequence[Record]) -> None:
        """Hand over records, in order; returns at once unless the queue is full. They are durable later.

        A record that no reader could read is not taken, but counted and told; the others of the batch are.
        """
        mono_s, utc_us = self._now.mono_s(), self._now.utc_us()
        for record in batch:
            why = refusal(record)
            if why:
                self._refuse(table, record, why)
            else:
                await self._queue.put(Entry(table, record, mono_s, utc_us))

    def _refuse(self, table: str, record: Record, why: str) -> None:
        self.refused += 1
        self.last_refusal = f"{table or 'the log'}: {type(record).__name__}: {why}"
        if self.refused.bit_count() == 1:  # 1, 2, 4, 8 …: a sensor gone mad is no flood
            _log.error("a record is not kept: no reader could read it", what=self.last_refusal, refused=self.refused)

    async def run(
        self, tell: Callable[[Sequence[Logged]], None], warn: Callable[[str | None], None] = lambda _: None
    ) -> None:
        """Write until cancelled.

        `tell` gets every group just after its commit, in order. `warn` gets the reason while the log cannot be
        written, and `None` once it can again.
        """
        while True:
            entries = [await self._queue.get()]
            while len(entries) < GROUP_RECORDS and not self._queue.empty():
                entries.append(self._queue.get_nowait())
            group = self._scribe.write(entries)
            await self._commit_until_done(group, warn)
            tell(group.logged)
            for _ in entries:
                self._queue.task_done()

    async def drain(self, *, closing: bool = False) -> None:
        """Wait until everything appended so far is durable and told.

        `closing`: nothing may hold up the end; a commit that fails now makes `run` raise `LogError`.
        """
        self._closing = closing
        await self._queue.join()

    async def close(self) -> None:
        """Close the log and let another writer in. Tiles of hands that have ended may be known from now on."""
        group = self._scribe.stop(self._now.mono_s(), self._now.utc_us())
        if group.released:
            with suppress(SQLAlchemyError):  # the next start does it
                async with self._engine.begin() as connection:
                    if await _last_seq(connection) + 1 == group.records[0]["seq"]:  # else the last group was lost
                        await _write(connection, group)
        await self._opened.close()

    async def _commit_until_done(self, group: Group, warn: Callable[[str | None], None]) -> None:
        pause_s, failed = RETRY_FIRST_S, False
        while (reason := await self._commit(group, again=failed)) is not None:
            if self._closing:
                lost = "1 record is" if len(group.records) == 1 else f"{len(group.records)} records are"
                raise LogError(str(self.place), f"{lost} lost: it cannot be written {reason.with_advice}")
            if not failed:
                _log.error("event log cannot be written, alerts wait", log=str(self.place), why=reason.short)
                warn(reason.short)
            failed = True
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, RETRY_LAST_S)
        if failed:
            _log.info("event log can be written again", log=str(self.place))
            warn(None)

    async def _commit(self, group: Group, *, again: bool) -> "_Reason | None":
        """Write a group; why it could not be, `None` where it is durable. `again`: a commit of it seemed to fail."""
        try:
            async with self._engine.begin() as connection:
                if not (again and await _is_written(connection, group)):
                    await _write(connection, group)
        except SQLAlchemyError as problem:
            return _Reason(reason_of(problem), why(self.place, problem))
        return None if self._opened.is_there() else _GONE


class _Reason(Struct, frozen=True):
    """Why a commit failed: for a notice, and with what to do for an error."""

    short: str
    with_advice: str


_GONE = _Reason(
    "its file was moved or removed; put it back, or start the monitor again",
    "(its file was moved or removed meanwhile). Put it back, or start anew",
)


async def _is_written(connection: AsyncConnection, group: Group) -> bool:
    """Whether a commit that seemed to fail had reached the database."""
    return bool(await _last_seq(connection) == group.end["seq"])


async def _last_seq(connection: AsyncConnection) -> int:
    return int((await connection.execute(select(func.max(records.c.seq)))).scalar() or 0)


def _opens_something() -> ColumnElement[bool]:
    """Of a row of `released`: whether anything that its key opens is left."""
    of, key = records.c, released.c
    sealed = of.sealed.is_not(None)
    return exists().where(of.table == key.table, of.hand == key.hand, of.run == key.run, sealed).correlate(released)


async def _write(connection: AsyncConnection, group: Group) -> None:
    await connection.execute(insert(records), group.records)
    for table, rows in ((heads, group.heads), (released, group.released)):
        if rows:
            await connection.execute(insert(table), rows)
    await connection.execute(update(ends).values(group.end))


def _bring_up_to_date(connection: Connection, place: LogPlace) -> int:
    """Returns the schema that was found."""
    found = schema_of(connection)
    if found == FOREIGN:
        raise LogError(str(place), "is another program's database. Give the log a file of its own ([log] path)")
    if found > SCHEMA_VERSION:
        raise LogTooNewError(str(place), found, SCHEMA_VERSION)
    if found < SCHEMA_VERSION:
        upgrade(connection, found)
    return found


async def _go_on(
    connection: AsyncConnection, version: str, key: LogKey, found: int, now: Now, *, releases: bool
) -> Scribe:
    """Begin a run where the log ends. What is not as it was signed is noted, and signed with the rest."""
    newest = select(records.c.seq, records.c.link).order_by(records.c.seq.desc()).limit(1)
    last = (await connection.execute(newest)).first()
    seq, link = (0, FIRST_LINK) if last is None else (last.seq, bytes(last.link))
    end = (await connection.execute(select(ends))).first()
    run = ((await connection.execute(select(func.max(runs.c.run)))).scalar() or 0) + 1
    utc_us, mono_s = now.utc_us(), now.mono_s()
    notes: list[Note] = []
    if found == 1:
        await _sign_old_runs(connection, key)
        notes.append(Linked(author=AUTHOR, reason="from a version that linked no records", through=seq))
        if key.was_there:
            notes.append(
                Doubted(author=AUTHOR, reason="a log of the first schema, beside a key that is of a later one")
            )
    elif seq or end is not None:
        if found < RELEASES_NOTED:
            notes += await _old_releases(connection)
        doubt = _doubt(end, seq, link, key)
        if doubt:
            notes.append(Doubted(author=AUTHOR, reason=doubt))
    await connection.execute(insert(runs).values(_signed_run(key, run, utc_us, mono_s, version, key.new_salt())))
    salts = {row.run: bytes(row.salt or b"") for row in await connection.execute(select(runs.c.run, runs.c.salt))}
    unended = [await _unended(connection, table) for table in await _tables(connection)]
    scribe = Scribe(run=run, salts=salts, seq=seq, link=link, unended=unended, key=key, releases=releases)
    if end is None:
        await connection.execute(insert(ends).values(place=1, **scribe.end()))
    if notes:
        group = scribe.write([Entry("", note, mono_s, utc_us) for note in notes])
        await _write(connection, group)
    return scribe


async def _old_releases(connection: AsyncConnection) -> list[Note]:
    """Notes of keys that were published by a version that noted none, as they are found."""
    key = released.c
    found = (await connection.execute(select(released).order_by(key.run, key.table, key.hand))).all()
    reason = "released by a version that noted no keys"
    return [released_note(row.run, row.table, row.hand, row.key, reason) for row in found if isinstance(row.key, bytes)]


def _doubt(end: Row[Any] | None, seq: int, link: bytes, key: LogKey) -> str:
    """What is wrong with a log's end, in words; empty where nothing is."""
    if end is None:
        return "what was signed of its end is missing"
    if bytes(end.signer) != key.public:
        return f"its end, record {end.seq}, was signed by another key"
    if not is_signed(key.public, end_statement(end.seq, bytes(end.link)), bytes(end.signature)):
        return "its end is not as it was signed"
    if (end.seq, bytes(end.link)) != (seq, link):
        return f"it was signed up to record {end.seq} and ends otherwise, at record {seq}"
    return ""


async def _sign_old_runs(connection: AsyncConnection, key: LogKey) -> None:
    for row in (await connection.execute(select(runs))).all():
        signed = _signed_run(key, row.run, row.utc_us, row.mono_s, row.version, b"")
        await connection.execute(update(runs).where(runs.c.run == row.run).values(signed))


def _signed_run(key: LogKey, run: int, utc_us: int, mono_s: float, version: str, salt: bytes) -> dict[str, Any]:
    signature = key.sign(run_statement(run, utc_us, mono_s, version, salt))
    row = {"run": run, "utc_us": utc_us, "mono_s": mono_s, "version": version}
    return row | {"salt": salt, "signer": key.public, "signature": signature}


async def _tables(connection: AsyncConnection) -> list[str]:
    return list((await connection.execute(select(records.c.table).distinct())).scalars())


async def _unended(connection: AsyncConnection, table: str) -> Unended:
    """A table's last record and its hand; whether that is over, acts of people aside."""
    of = records.c
    newest = select(of.seq, of.link).where(of.table == table).order_by(of.seq.desc()).limit(1)
    last = (await connection.execute(newest)).one()
    hand = (await connection.execute(select(func.max(of.hand)).where(of.table == table))).scalar_one()
    headed = (await connection.execute(select(heads.c.seq).where(heads.c.seq == last.seq))).first() is not None
    played = select(func.max(of.seq)).where(of.table == table, of.hand == hand, of.stream.in_(_OF_PLAY))
    last_played = (await connection.execute(played)).scalar()
    over = (await connection.execute(select(heads.c.seq).where(heads.c.seq == last_played))).first() is not None
    sealed = select(of.run).where(of.table == table, of.hand == hand, of.sealed.is_not(None)).distinct()
    known = select(released.c.run).where(released.c.table == table, released.c.hand == hand)
    kept = set((await connection.execute(sealed)).scalars()) - set((await connection.execute(known)).scalars())
    return Unended(last.seq, table, hand, b"" if headed else bytes(last.link), frozenset(kept), over)
