"""Small event logs with times of their own, made by the log's writer."""

import asyncio
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

import monitor.log
from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.events import (
    CountChanged,
    Dealt,
    Discarded,
    Event,
    Exposed,
    HandEnd,
    HandEnded,
    HandStarted,
    Passed,
    PlayStarted,
    Racked,
    Seat,
)
from monitor.exports.export import Exported, Wanted, export
from monitor.exports.formats import Format
from monitor.exports.selection import Selection
from monitor.log.keys import LogKey
from monitor.log.notes import Note
from monitor.log.place import log_place
from monitor.log.store import EventLog

BEGAN = datetime(2026, 11, 30, 18, tzinfo=UTC)
NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
MONO_S = 1000.0
"""The host's monotonic seconds when the log's first run begins, at `BEGAN`."""


class Batch(Struct, frozen=True):
    """Records of a table that are handed to the log some seconds after it was opened."""

    after_s: float
    table: str
    records: Sequence[Event | Alert | Note]


class _Time:
    def __init__(self) -> None:
        self.passed_s = 0.0

    def mono_s(self) -> float:
        return MONO_S + self.passed_s

    def wall_s(self) -> float:
        return BEGAN.timestamp() + self.passed_s


def write_log(path: Path, batches: Sequence[Batch]) -> Path:
    """Make a log, or go on with one; each call is a run."""
    time = _Time()

    async def write() -> None:
        log = await EventLog.open(path, "test", clock=time.mono_s, wall=time.wall_s)
        task = asyncio.create_task(log.run(lambda _: None))
        for batch in batches:
            time.passed_s = batch.after_s
            await log.append(batch.table, batch.records)
        await log.drain()
        task.cancel()
        await log.close()

    asyncio.run(write())
    release(path)
    return path


def release(path: Path) -> None:
    """As if every hand were over: tiles may be named."""
    key = LogKey.open(log_place(path).key_file)
    with sqlite3.connect(path) as database:
        hands = database.execute(
            'SELECT DISTINCT run, salt, "table", hand FROM records JOIN runs USING (run)'
        ).fetchall()
        rows = [(run, table, hand, key.hand_key(salt, table, hand)) for run, salt, table, hand in hands]
        database.executemany("INSERT OR IGNORE INTO released VALUES (?, ?, ?, ?)", rows)
    database.close()


def alert(seq: int = 1, *, state: AlertState = AlertState.RAISED, message: str = "South has 14 tiles.") -> Alert:
    return Alert(
        id="T1-1-wrong_count-south",
        rule=Rule.WRONG_COUNT,
        at=1060.0,
        raised_at=1062.0,
        article="205",
        authority=Authority.LEAGUE,
        level=Level.RULING_DUE,
        message=message,
        state=state,
        seq=seq,
        table="T1",
        seat=Seat.SOUTH,
        expected=13,
        count=14,
        evidence=(5, 6),
    )


def fault() -> Alert:
    return Alert(
        id="T1-1-sensor_fault-west",
        rule=Rule.SENSOR_FAULT,
        at=1030.0,
        raised_at=1031.0,
        article="",
        authority=Authority.EVENT,
        level=Level.TECHNICAL,
        message="West's rack is silent.",
        state=AlertState.RAISED,
        seq=9,
        table="T1",
        seat=Seat.WEST,
    )


UIDS = ("E004015012345678", "E0040150ABCDEF01", "E004015055555555", "E004015066666666")
FACE = "seven-of-secret"


def a_hand(first_seq: int = 1, at: float = MONO_S, table: str = "T1") -> list[Event | Alert]:
    """One hand of two discards, with identities wherever an event can have them."""
    n = first_seq
    return [
        HandStarted(at=at + 1, seq=n, table=table),
        Dealt(at=at + 20, seq=n + 1, table=table, east=Seat.SOUTH),
        Passed(at=at + 25, seq=n + 2, table=table, seat=Seat.EAST, to=Seat.SOUTH, n=3),
        CountChanged(at=at + 30, seq=n + 3, table=table, seat=Seat.WEST, count=None, reason="silent"),
        PlayStarted(at=at + 50, seq=n + 4, table=table, seat=Seat.SOUTH),
        Discarded(at=at + 50, seq=n + 5, table=table, seat=Seat.SOUTH, uid=UIDS[0], face=FACE, confidence=0.97),
        Racked(at=at + 55, seq=n + 6, table=table, seat=Seat.WEST, uid=UIDS[1], earliest=at + 54.5, latest=at + 55.25),
        Discarded(at=at + 60, seq=n + 7, table=table, seat=Seat.WEST, uid=UIDS[2]),
        Exposed(at=at + 61, seq=n + 8, table=table, seat=Seat.NORTH, n=3, uids=(UIDS[3], UIDS[0])),
        HandEnded(at=at + 90, seq=n + 9, table=table, how=HandEnd.WALL),
    ]


def evening(path: Path) -> Path:
    """Two hands of T1 with alerts, one of T2."""
    return write_log(
        path,
        [
            Batch(100, "T1", [*a_hand(), fault(), alert()]),
            Batch(300, "T1", [alert(2, state=AlertState.WITHDRAWN), *a_hand(11, MONO_S + 200)]),
            Batch(400, "T2", a_hand(1, MONO_S + 300, "T2")),
        ],
    )


def exported(
    log: Path,
    form: Format,
    out: Path,
    selection: Selection = Selection(),  # noqa: B008  # frozen
    *,
    identities: bool = False,
    row_limit: int | None = None,
    max_hands: int | None = None,
) -> Exported:
    """Export as the command does, with dates in UTC."""
    wanted = Wanted(form, out, selection, identities=identities, zone=UTC)
    if row_limit is not None:
        wanted = Wanted(form, out, selection, identities=identities, zone=UTC, row_limit=row_limit)
    if max_hands is not None:
        wanted = Wanted(form, out, selection, zone=UTC, max_hands=max_hands)
    with monitor.log.open(log) as opened:
        return export(opened, wanted, NOW)
