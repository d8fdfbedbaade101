import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.errors import LogError, LogInUseError, LogTooNewError
from monitor.events import CountChanged, Discarded, Event, HandStarted, NewHand, PlayStarted, Seat, without_identities
from monitor.log.part import Part
from monitor.log.reader import read_log
from monitor.log.schema import SCHEMA_VERSION, Stream
from monitor.log.scribe import Logged
from monitor.log.store import EventLog


def alert(seq: int = 1) -> Alert:
    return Alert(
        id=f"T1-{seq}",
        rule=Rule.WRONG_COUNT,
        at=2.0,
        raised_at=3.0,
        article="205",
        authority=Authority.LEAGUE,
        level=Level.RULING_DUE,
        message="South has 14 tiles.",
        state=AlertState.RAISED,
        seq=seq,
        table="T1",
        seat=Seat.SOUTH,
    )


@asynccontextmanager
async def writing(path: Path) -> AsyncIterator[tuple[EventLog, list[Logged]]]:
    log = await EventLog.open(path, "test")
    told: list[Logged] = []

    def tell(group: Sequence[Logged]) -> None:
        told.extend(group)

    task = asyncio.create_task(log.run(tell))
    try:
        yield log, told
        await log.drain()
    finally:
        task.cancel()
        await log.close()


async def test_the_last_number_of_each_table_and_stream_is_kept(tmp_path: Path) -> None:
    async with writing(tmp_path / "log.sqlite") as (log, _):
        assert await log.last_number("T1", Stream.EVENT) == 0
        await log.append("T1", [HandStarted(at=0.5, seq=7, table="T1"), alert(3), NewHand(at=0.7, seq=8, table="T1")])
        await log.append("T2", [HandStarted(at=0.6, seq=40, table="T2")])
    async with writing(tmp_path / "log.sqlite") as (log, _):
        assert await log.last_number("T1", Stream.EVENT) == 8
        assert await log.last_number("T1", Stream.ALERT) == 3
        assert await log.last_number("T2", Stream.EVENT) == 40
        assert await log.last_number("T2", Stream.ALERT) == 0


def test_a_record_comes_back_as_it_went_in(tmp_path: Path) -> None:
    path = tmp_path / "new" / "log.sqlite"
    sent: list[Event | Alert] = [
        HandStarted(at=0.5, seq=1, table="T1"),
        CountChanged(at=1.0, seq=2, table="T1", seat=Seat.SOUTH, count=None, reason="moving"),
        Discarded(at=2.0, seq=3, table="T1", seat=Seat.EAST, uid="E004", face="joker"),
        alert(),
    ]

    async def write() -> None:
        async with writing(path) as (log, _):
            await log.append("T1", sent)

    asyncio.run(write())
    stored = list(read_log(path))
    assert [row.record for row in stored] == [*sent[:2], without_identities(sent[2]), sent[3]]  # type: ignore[arg-type]
    assert [row.seq for row in stored] == [1, 2, 3, 4]
    assert {row.hand for row in stored} == {1}
    assert {row.run for row in stored} == {1}
    assert list(read_log(path, Part(after=3))) == stored[3:]
    assert list(read_log(path, Part(table="T2"))) == []


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b'{"kind":"tick","at":1,"x":' + b"[" * 5000, "is nested too deeply"),
        (b'{"kind":"dreamt","at":1}', "kind: 'dreamt' is not known"),
        (b'{"kind":"tick"', "breaks off before its JSON is complete"),
    ],
)
async def test_a_record_that_is_none_is_told_by_number(tmp_path: Path, payload: bytes, why: str) -> None:
    path = tmp_path / "log.sqlite"
    async with writing(path) as (log, _):
        await log.append("T1", [HandStarted(at=0.5, seq=1, table="T1")])
    with sqlite3.connect(path) as other:
        other.execute(
            'insert into records select 2, run, "table", hand, stream, kind, number, mono_s, utc_us, ?, '
            "payload_digest, sealed, sealed_digest, link from records",
            (payload,),
        )
    other.close()
    with pytest.raises(LogError, match=f"a record this version cannot read \\(number 2: {why}"):
        list(read_log(path))


async def test_who_is_told_is_told_after_the_commit_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    log = await EventLog.open(path, "test")
    seen: list[int] = []

    def tell(group: Sequence[Logged]) -> None:
        other = sqlite3.connect(path)
        durable = {seq for (seq,) in other.execute("select seq from records")}
        other.close()
        assert {one.seq for one in group} <= durable
        seen.extend(one.seq for one in group)

    task = asyncio.create_task(log.run(tell))
    for number in range(300):
        await log.append(f"T{number % 3}", [PlayStarted(at=float(number), seq=number)])
        if number % 7 == 0:
            await asyncio.sleep(0)
    await log.drain()
    task.cancel()
    await log.close()
    assert seen == list(range(1, 301))


def test_a_commit_that_is_answered_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    program = f"""
import asyncio, os, signal
from pathlib import Path
from monitor.events import PlayStarted
from monitor.log.store import EventLog
async def main():
    log = await EventLog.open(Path({str(path)!r}), "test")
    def tell(group):
        for one in group:
            print(one.seq, flush=True)
        if group[-1].seq >= 200:
            os.kill(os.getpid(), signal.SIGKILL)
    task = asyncio.create_task(log.run(tell))
    for number in range(1000):
        await log.append("T1", [PlayStarted(at=float(number))])
        await asyncio.sleep(0)
    await log.drain()
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    told = [int(line) for line in done.stdout.split()]
    stored = [row.seq for row in read_log(path)]
    assert stored[: len(told)] == told == list(range(1, len(told) + 1))
    assert stored == list(range(1, len(stored) + 1))


async def test_the_next_run_goes_on_with_numbers_and_hands(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    for _ in range(2):
        async with writing(path) as (log, _told):
            await log.append("T1", [HandStarted(at=1.0), PlayStarted(at=2.0)])
    rows = list(read_log(path))
    assert [(row.seq, row.run, row.hand) for row in rows] == [(1, 1, 1), (2, 1, 1), (3, 2, 2), (4, 2, 2)]


async def test_a_second_writer_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    program = f"""
import sys
from pathlib import Path
from monitor.log.lock import WriterLock
lock = WriterLock(Path({str(path)!r}))
print("held", flush=True)
sys.stdin.read()
"""
    pipe = asyncio.subprocess.PIPE
    holder = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdin=pipe, stdout=pipe)
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"held\n"
    with pytest.raises(LogInUseError, match=rf"process {holder.pid} writes to it\. Stop that monitor"):
        await EventLog.open(path, "test")
    await holder.communicate(b"")
    async with writing(path) as (log, told):
        await log.append("T1", [PlayStarted(at=1.0)])
        await log.drain()
        assert len(told) == 1


async def test_records_cannot_be_changed_or_deleted(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    async with writing(path) as (log, _):
        await log.append("T1", [PlayStarted(at=1.0)])
    database = sqlite3.connect(path)
    for statement in ("update records set hand = 9", "delete from records"):
        with pytest.raises(sqlite3.IntegrityError, match="appended, nothing else"):
            database.execute(statement)
    database.close()


async def test_a_log_of_a_newer_version_or_of_another_program_is_refused(tmp_path: Path) -> None:
    newer = tmp_path / "newer.sqlite"
    database = sqlite3.connect(newer)
    database.execute("CREATE TABLE alembic_version (version_num TEXT)")
    database.execute(f"INSERT INTO alembic_version VALUES ('{SCHEMA_VERSION + 1:04}')")
    database.commit()
    database.close()
    with pytest.raises(LogTooNewError, match="Upgrade"):
        await EventLog.open(newer, "test")
    other = tmp_path / "other.sqlite"
    other.write_bytes(b"no database at all" * 1000)
    with pytest.raises(LogError, match="not a database"):
        await EventLog.open(other, "test")
    foreign = tmp_path / "foreign.sqlite"
    database = sqlite3.connect(foreign)
    database.execute("CREATE TABLE recipes (title TEXT)")
    database.close()
    with pytest.raises(LogError, match="another program's"):
        await EventLog.open(foreign, "test")
    (tmp_path / "file").write_text("")
    with pytest.raises(LogError, match="folder cannot be made"):
        await EventLog.open(tmp_path / "file" / "log.sqlite", "test")


async def _limit_pages(log: EventLog, pages: int) -> None:
    """The engine's own connection gets a file that may not grow past this: what a full disk does."""
    async with log._engine.connect() as connection:
        await connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")


async def test_a_failing_disk_holds_alerts_back_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    log = await EventLog.open(path, "test")
    told: list[Logged] = []
    warnings: list[str | None] = []
    warned = asyncio.Event()

    def warn(reason: str | None) -> None:
        warnings.append(reason)
        warned.set()

    task = asyncio.create_task(log.run(told.extend, warn))
    await log.append("T1", [PlayStarted(at=0.0)])
    await log.drain()
    await _limit_pages(log, 1)
    await log.append("T1", [CountChanged(at=1.0, count=None, reason="x" * 5000, seq=n) for n in range(50)])
    await warned.wait()
    assert warnings[0] is not None
    assert "full" in warnings[0]
    assert len(told) == 1
    await _limit_pages(log, 1_000_000)
    await log.drain()
    assert warnings[-1] is None
    assert [one.seq for one in told] == list(range(1, 52))
    task.cancel()
    await log.close()
    assert len(list(read_log(path))) == 51


async def test_closing_does_not_wait_for_a_failing_disk(tmp_path: Path) -> None:
    log = await EventLog.open(tmp_path / "log.sqlite", "test")
    await _limit_pages(log, 1)
    await log.append("T1", [CountChanged(at=1.0, count=None, reason="x" * 5000, seq=n) for n in range(50)])
    log._closing = True
    with pytest.raises(LogError, match="50 records are lost"):
        await log.run(lambda _: None)
    await log.close()


def test_reading_what_is_no_log(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="no such file"):
        list(read_log(tmp_path / "absent"))
    (tmp_path / "x").write_bytes(b"x" * 5000)
    with pytest.raises(LogError, match="cannot be read"):
        list(read_log(tmp_path / "x"))
