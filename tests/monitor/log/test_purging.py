"""Retention in a log that a monitor writes to: what is old goes in small steps, what is new is written meanwhile."""

import asyncio
from pathlib import Path

import pytest

from monitor.events import CountChanged
from monitor.log import store
from monitor.log.notes import Purged
from monitor.log.purging import keep_days
from monitor.log.reader import open_log
from monitor.log.scribe import Logged
from monitor.log.store import EventLog
from monitor.log.verifying import verify

DAY_US = 86_400_000_000


async def test_what_is_old_goes_while_records_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "FORGET_RECORDS", 7)
    log = await EventLog.open(tmp_path / "log.sqlite", "test")
    told: list[Logged] = []
    writer = asyncio.create_task(log.run(told.extend))
    await log.append("T1", [CountChanged(at=float(n), seq=n, count=13) for n in range(1, 51)])
    await log.drain()
    now_us = (await asyncio.to_thread(_newest_us, tmp_path / "log.sqlite")) + 2 * DAY_US
    assert await keep_days(log, 3, now_us) == 0

    async def goes_on() -> None:
        for n in range(51, 101):
            await log.append("T1", [CountChanged(at=float(n), seq=n, count=13)])
            await asyncio.sleep(0)

    taken, _ = await asyncio.gather(keep_days(log, 1, now_us), goes_on())
    await log.drain()
    writer.cancel()
    await log.close()
    assert taken >= 50
    with open_log(tmp_path / "log.sqlite") as opened:
        stored = list(opened.records())
        assert verify(opened).flaw is None
    assert len(stored) == 101
    (note,) = [each.record for each in stored if isinstance(each.record, Purged)]
    assert (note.author, note.records) == ("rackwatch", taken)
    assert all((each.record is None) is (each.seq <= note.through) for each in stored)
    assert [one.seq for one in told] == list(range(1, 102))


def _newest_us(path: Path) -> int:
    with open_log(path) as opened:
        return max(each.utc_us for each in opened.records())
