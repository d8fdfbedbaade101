"""Writes event logs as an evening would have: by the log's own writer, on a clock that the test sets."""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from monitor.alerts import Alert
from monitor.events import Event
from monitor.log import store

EVENING_UTC_S = 1_700_161_200.0
"""2023-11-16 19:00 UTC: second 0 of these logs' monotonic clock."""


class SetClock:
    """The two clocks of a log's writer, as far on as the test says."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s

    def time_ns(self) -> int:
        return int((EVENING_UTC_S + self.now_s) * 1e6) * 1000


def known_at(record: Event | Alert) -> float:
    """When a record was handed to the log. A later word on an alert has no time of its own: it is that of the last."""
    return record.raised_at if isinstance(record, Alert) else record.known


def write_log(path: Path, told: Iterable[tuple[str, Event | Alert]]) -> Path:
    """A log of these records, each with its table, in this order."""
    clock = SetClock()

    async def write() -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store, "time", clock)
            log = await store.EventLog.open(path, "test")
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
