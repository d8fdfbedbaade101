"""The event log: records appended and committed in groups, beside a bare SQLite insert of the same rows."""

import asyncio
import logging
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import msgspec
import uvloop

from bench import Row
from monitor.events import Racked, Seat
from monitor.log.store import EventLog

_RECORDS = 10_000
_GROUP = 20


def rows() -> Iterator[Row]:
    """Groups of twenty, as a busy hall makes them."""
    logging.getLogger("aiosqlite").setLevel(logging.WARNING)
    events = [Racked(at=float(n), seq=n, table="T1", seat=Seat.SOUTH, confidence=0.97) for n in range(1, _RECORDS + 1)]
    with TemporaryDirectory() as folder:
        plain_s = _plain(Path(folder, "plain.sqlite"), events)
        ours_s, waits = uvloop.run(_ours(Path(folder, "log.sqlite"), events))
    figure = f"{_RECORDS / ours_s / 1e3:.1f} k records/s, durable after {waits[len(waits) // 2] * 1e3:.1f} ms (median)"
    yield Row("log append", figure, ours_s / plain_s, "bare sqlite3, FULL, commits of 20 (cost)")


def _plain(path: Path, events: list[Racked]) -> float:
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE records (seq INTEGER PRIMARY KEY, payload BLOB)")
    began = perf_counter()
    for first in range(0, _RECORDS, _GROUP):
        database.execute("BEGIN")
        rows = [(event.seq, msgspec.json.encode(event)) for event in events[first : first + _GROUP]]
        database.executemany("INSERT INTO records VALUES (?, ?)", rows)
        database.execute("COMMIT")
    spent_s = perf_counter() - began
    database.close()
    return spent_s


async def _ours(path: Path, events: list[Racked]) -> tuple[float, list[float]]:
    log = await EventLog.open(path, "bench")
    handed: dict[int, float] = {}
    waits: list[float] = []

    def tell(group: object) -> None:
        now = perf_counter()
        waits.extend(now - handed[one.seq] for one in group)  # type: ignore[attr-defined]

    task = asyncio.create_task(log.run(tell))
    began = perf_counter()
    for first in range(0, _RECORDS, _GROUP):
        for seq in range(first + 1, first + _GROUP + 1):
            handed[seq] = perf_counter()
        await log.append("T1", events[first : first + _GROUP])
        await log.drain()
    spent_s = perf_counter() - began
    task.cancel()
    await log.close()
    return spent_s, sorted(waits)
