"""What every event log does, whatever database keeps it: the same tests on SQLite and on a real PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError

from monitor.alerts import Alert
from monitor.errors import LogError, LogInUseError
from monitor.events import CountChanged, Discarded, Event, HandEnd, HandEnded, HandStarted, Seat
from monitor.log.amending import write_notes
from monitor.log.notes import Amended, Note, Released
from monitor.log.part import Part
from monitor.log.place import LogPlace, log_place
from monitor.log.reader import LogReader, open_log, read_log
from monitor.log.schema import Stream
from monitor.log.scribe import Logged
from monitor.log.store import EventLog
from monitor.log.verifying import verify
from tests.database import PostgreSQL

_names = count(1)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgreSQL]:
    with PostgreSQL() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> LogPlace:
    """A place where no log is yet."""
    if request.param == "sqlite":
        return log_place(tmp_path / "log.sqlite")
    server: PostgreSQL = request.getfixturevalue("server")
    return log_place(server.url(f"log{next(_names)}"), tmp_path)


@asynccontextmanager
async def writing(place: LogPlace, *, releases: bool = True) -> AsyncIterator[tuple[EventLog, list[Logged]]]:
    log = await EventLog.open(place, "test", releases=releases)
    told: list[Logged] = []
    task = asyncio.create_task(log.run(told.extend))
    try:
        yield log, told
        await log.drain()
    finally:
        task.cancel()
        await log.close()


def hand(table: str, n: int, discards: int = 3) -> list[Event | Alert]:
    """A short hand, with tile identities."""
    of = [
        Discarded(at=10.0 * n + k, seq=10 * n + k, table=table, seat=Seat.EAST, uid=f"E00{k}", face="3-bam")
        for k in range(1, discards + 1)
    ]
    ended = HandEnded(at=10.0 * n + 9, seq=10 * n + 9, table=table, how=HandEnd.WALL)
    return [HandStarted(at=10.0 * n, seq=10 * n, table=table), *of, ended]


def released_in(log: LogReader) -> Iterator[Released]:
    """What the records tell of keys."""
    for stored in log.records(Part(stream=Stream.NOTE)):
        if isinstance(stored.record, Released):
            yield stored.record


async def test_what_is_written_comes_back_in_order_and_verifies(place: LogPlace) -> None:
    async with writing(place) as (log, told):
        for n in (1, 2):
            await log.append("T1", hand("T1", n))
            await log.append("T2", hand("T2", n))
    with open_log(place) as read:
        stored = list(read.told(identities=True))
        assert [each.record for each in stored] == [each.record for each in told if not isinstance(each.record, Note)]
        assert [each.seq for each in read.records()] == list(range(1, 25))
        assert [each.seq for each in told] == list(range(1, 23)), "two keys were released as the monitor stopped"
        assert [(note.table, note.hand) for note in released_in(read)] == [("T1", 1), ("T2", 1), ("T1", 2), ("T2", 2)]
        assert [(each.table, each.hand, each.records) for each in read.hands()] == [
            ("T1", 1, 5),
            ("T2", 1, 5),
            ("T1", 2, 5),
            ("T2", 2, 5),
        ]
        assert read.count(Part(table="T1", stream=Stream.EVENT)) == 10
        verdict = verify(read)
    assert verdict.flaw is None
    assert (verdict.records, verdict.heads, len(verdict.signers)) == (24, 4, 1)


async def test_another_start_goes_on_where_the_log_ends(place: LogPlace) -> None:
    for n in (1, 2, 3):
        async with writing(place) as (log, _):
            assert log.run_number == n
            assert await log.last_number("T1", Stream.EVENT) == (10 * (n - 1) + 9 if n > 1 else 0)
            await log.append("T1", hand("T1", n))
    with open_log(place) as read:
        assert [each.seq for each in read.records()] == list(range(1, 19)), "and a key a hand"
        assert len(list(read.told())) == 15
        assert [each.hand for each in read.hands()] == [1, 2, 3]
        assert verify(read).flaw is None


async def test_a_hand_that_goes_on_after_a_restart_is_signed_and_opened_whole(place: LogPlace) -> None:
    whole = hand("T1", 1, discards=4)
    async with writing(place) as (log, _):
        await log.append("T1", whole[:3])
    async with writing(place) as (log, _):
        await log.append("T1", whole[3:])
    with open_log(place) as read:
        assert [each.record for each in read.told(identities=True)] == whole
        assert [(note.hand, note.run) for note in released_in(read)] == [(1, 1), (1, 2)]
        assert (verify(read).heads, verify(read).flaw) == (1, None)


async def test_tile_identities_are_sealed_until_the_hand_is_over(place: LogPlace) -> None:
    whole = hand("T1", 1)
    async with writing(place) as (log, _):
        await log.append("T1", whole[:-1])
        await log.drain()
        with open_log(place) as read:
            during = list(read.records(identities=True))
            raw = [bytes(row.payload) + bytes(row.sealed or b"") for row in read.rows()]
        assert all(getattr(each.record, "uid", None) is None for each in during)
        assert not any(b"E00" in row or b"3-bam" in row for row in raw)
        await log.append("T1", whole[-1:])
    with open_log(place) as read:
        assert [each.record for each in read.told(identities=True)] == whole
        assert all(getattr(each.record, "uid", None) is None for each in read.records())


async def test_what_is_never_released_stays_sealed(place: LogPlace) -> None:
    async with writing(place, releases=False) as (log, _):
        await log.append("T1", [*hand("T1", 1), *hand("T1", 2)])
    with open_log(place) as read:
        assert read.keys() == {}
        assert list(released_in(read)) == []
        assert all(getattr(each.record, "uid", None) is None for each in read.records(identities=True))
        assert verify(read).flaw is None


async def test_an_amendment_opens_nothing_that_is_sealed(place: LogPlace) -> None:
    async with writing(place, releases=False) as (log, _):
        await log.append("T1", hand("T1", 1))
    note = Amended(author="Ada", reason="x", event=CountChanged(at=1.0, count=13), hand=1, table="T1")
    await write_notes(place, "test", [note])
    with open_log(place) as read:
        assert read.keys() == {}
        assert read.count(Part(stream=Stream.NOTE)) == 1
        assert verify(read).flaw is None


async def test_a_second_writer_is_kept_out_until_the_first_is_gone(place: LogPlace) -> None:
    async with writing(place):
        with pytest.raises(LogInUseError, match="writes to it"):
            await EventLog.open(place, "test")
    async with writing(place):
        pass


async def test_records_are_appended_and_nothing_else(place: LogPlace) -> None:
    async with writing(place) as (log, _):
        await log.append("T1", hand("T1", 1))
    engine = create_engine(f"sqlite:///{place.file}" if place.file is not None else place.reading)
    for statement in ("UPDATE records SET hand = 9", "DELETE FROM records", "UPDATE records SET payload = sealed"):
        with engine.connect() as connection, pytest.raises(DBAPIError, match="appended, nothing else"):
            connection.execute(text(statement))
    engine.dispose()


async def test_who_reads_does_not_hold_up_who_writes(place: LogPlace) -> None:
    async with writing(place) as (log, told):
        await log.append("T1", hand("T1", 1))
        await log.drain()
        with open_log(place) as read:
            rows = read.records()
            assert next(rows).seq == 1
            await log.append("T1", hand("T1", 2))
            await log.drain()
            assert len(told) == 11, "the first hand's key was released with the second one's beginning"
            rows.close()


async def test_a_database_that_restarts_loses_nothing(server: PostgreSQL, tmp_path: Path) -> None:
    place = log_place(server.url("restarts"), tmp_path)
    log = await EventLog.open(place, "test")
    told: list[Logged] = []
    warned = asyncio.Event()
    task = asyncio.create_task(log.run(told.extend, lambda _reason: warned.set()))
    await log.append("T1", hand("T1", 1))
    await log.drain()
    await asyncio.to_thread(server.stop)
    await log.append("T1", hand("T1", 2))
    await asyncio.wait_for(warned.wait(), 30)
    assert len(told) == 5
    await asyncio.to_thread(server.start)
    await asyncio.wait_for(log.drain(), 60)
    task.cancel()
    await log.close()
    assert [each.seq for each in told] == list(range(1, 12))
    assert [each.seq for each in read_log(place)] == list(range(1, 13)), (
        "and the last hand's key as the monitor stopped"
    )
    with open_log(place) as read:
        assert verify(read).flaw is None


def test_places_and_how_they_are_told() -> None:
    assert str(log_place("var/log.sqlite")) == "var/log.sqlite"
    shown = str(log_place("postgresql://club:secret@db/rackwatch"))
    assert "secret" not in shown
    assert shown.startswith("postgresql")
    for wrong in ("mysql://x:secret@y/z", "http://x"):
        with pytest.raises(LogError) as raised:
            log_place(wrong)
        assert "secret" not in str(raised.value)


async def test_a_database_that_is_not_there_is_told_without_its_password(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="cannot be opened") as raised:
        await EventLog.open(log_place("postgresql://club:secret@127.0.0.1:1/none", tmp_path), "test")
    assert "secret" not in str(raised.value)


async def test_counts_without_identities_are_not_sealed(place: LogPlace) -> None:
    async with writing(place) as (log, _):
        await log.append("T1", [CountChanged(at=1.0, seq=1, count=13, seat=Seat.WEST)])
    with open_log(place) as read:
        assert [row.sealed for row in read.rows()] == [None]
