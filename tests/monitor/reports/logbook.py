"""Writes event logs as an evening would have: by the log's own writer, on a clock that the test sets."""

import asyncio
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from monitor.alerts import Alert, Rule
from monitor.events import Corrected, Event
from monitor.log import store
from monitor.log.notes import Note
from monitor.log.reader import read_log
from tests.monitor.rules.script import Case, cases, heard

EVENING_UTC_S = 1_700_161_200.0
"""2023-11-16 19:00 UTC: second 0 of these logs' monotonic clock."""


@contextmanager
def in_utc() -> Iterator[None]:
    """The machine's time zone is UTC for a while."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


class SetClock:
    """The two clocks of a log's writer, as far on as the test says."""

    def __init__(self, ahead_s: float) -> None:
        self.now_s = 0.0
        self._ahead_s = ahead_s

    def mono_s(self) -> float:
        return self.now_s

    def wall_s(self) -> float:
        return EVENING_UTC_S + self._ahead_s + self.now_s


def known_at(record: Event | Alert | Note) -> float:
    """When a record was handed to the log. A later word on an alert has no time of its own: it is that of the last."""
    if isinstance(record, Note):
        return float(getattr(record, "at", 0.0))
    return record.raised_at if isinstance(record, Alert) else record.known


def write_log(path: Path, told: Iterable[tuple[str, Event | Alert | Note]], ahead_s: float = 0.0) -> Path:
    """A log of these records, each with its table, in this order; `ahead_s`: a machine that started so much later."""
    clock = SetClock(ahead_s)

    async def write() -> None:
        log = await store.EventLog.open(path, "test", clock=clock.mono_s, wall=clock.wall_s)
        task = asyncio.create_task(log.run(_nobody))
        for table, record in told:
            clock.now_s = max(clock.now_s, known_at(record))
            await log.append(table, [record])
        await log.drain()
        task.cancel()
        await log.close()

    asyncio.run(write())
    return path


def _nobody(_: Sequence[store.Logged]) -> None:
    """Nobody is told."""


def log_of_case(path: Path, name: str) -> Path:
    """A log of everything that the rules say to a written case."""
    case = next(one for one in cases() if one.name == name)
    return write_log(path, [("T1", record) for record in said_of(case)])


def said_of(case: Case) -> list[Event | Alert]:
    """What a court says to a case, numbered by itself as in life: a case counts its own lines alone."""
    if any(isinstance(event, Corrected) for event in case.events):
        return heard(case.events, case.profile)
    return heard([msgspec.structs.replace(event, seq=0) for event in case.events], case.profile)


def alert_ids(path: Path, rule: Rule) -> list[str]:
    """The ids of a log's alerts of one rule, in order."""
    ids = [row.record.id for row in read_log(path) if isinstance(row.record, Alert) and row.record.rule is rule]
    return list(dict.fromkeys(ids))


def shifted(record: Event | Alert, seconds: float) -> Event | Alert:
    """The same record so much later."""
    names = ("at", "earliest", "latest", "seen_at", "raised_at")
    later = {name: getattr(record, name) + seconds for name in names if isinstance(getattr(record, name, None), float)}
    return msgspec.structs.replace(record, **later)
