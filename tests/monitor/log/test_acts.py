"""What people did, in the log: proven like all records, gone with the play when it is old, and no bar to releases."""

import asyncio
import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from firmware_bridge.messages import Input, InputName
from monitor.acts import Remarked, RoundPaused, Upheld
from monitor.alerts import Rule
from monitor.log.amending import heard_in
from monitor.log.notes import Acted, Clocked, Note, Purged, Released, Said
from monitor.log.place import log_place
from monitor.log.purging import old, purge
from monitor.log.reader import open_log
from monitor.log.schema import Stream
from monitor.log.store import EventLog
from monitor.log.verifying import verify
from tests.monitor.log.test_releases import flaw, hand, write

ACTS: list[Note] = [
    Acted(author="Ada", reason="ok", at=4.5, alert="T1-1", rule=Rule.LATE_CALL, hand=1, table="T1", did=Upheld()),
    Said(author="Ada", reason="ok", at=4.6, table="T1", said=Input(input=InputName.NEW_HAND)),
    Clocked(author="Ada", reason="lunch", at=4.7, table="T1", did=RoundPaused()),
]


def test_they_are_records_of_the_hand_and_a_changed_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    write(path, hand("T1", 1), ACTS)
    with open_log(path) as log:
        kept = [row for row in log.records() if row.stream == "act"]
        assert [row.record for row in kept] == ACTS
        assert {(row.table, row.hand) for row in kept} == {("T1", 1)}
        assert verify(log).flaw is None
    database = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="nothing else"):
        database.execute("UPDATE records SET payload = X'00' WHERE stream = 'act'")
    database.execute("DROP TRIGGER records_update")
    database.execute("UPDATE records SET payload = replace(payload, 'Ada', 'Eve') WHERE kind = 'acted'")
    database.commit()
    database.close()
    assert flaw(path) == "what record 5 says was changed"


def test_a_purge_takes_them_and_leaves_what_tells_of_the_log(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    write(path, hand("T1", 1), ACTS)
    found = old(log_place(path), 1 << 60)
    assert found.records == 7
    asyncio.run(purge(log_place(path), "test", found, author="Ada", reason="age"))
    with open_log(path) as log:
        assert [type(row.record) for row in log.records() if row.record is not None] == [Released, Purged]
        assert verify(log).flaw is None


def test_a_ruling_after_the_hand_holds_no_key_back(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    write(path, hand("T1", 1), ACTS)
    with open_log(path) as log:
        assert list(log.keys()) == [(1, "T1", 1)]
        assert [type(row.record) for row in log.records()][-1] is Released


def test_nor_does_one_of_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    write(path, hand("T1", 1), releases=False)
    write(path, ACTS, releases=False)
    write(path, ACTS)
    with open_log(path) as log:
        assert list(log.keys()) == [(1, "T1", 1)]
        assert verify(log).flaw is None
    going_on = tmp_path / "on.sqlite"
    write(going_on, hand("T1", 1)[:3], ACTS)
    with open_log(going_on) as log:
        assert log.keys() == {}


def test_a_hand_that_is_judged_again_hears_nothing_of_them(tmp_path: Path) -> None:
    bare, acted = tmp_path / "bare.sqlite", tmp_path / "acted.sqlite"
    write(bare, hand("T1", 1))
    write(acted, hand("T1", 1)[:2], ACTS, hand("T1", 1)[2:])
    with open_log(bare) as one, open_log(acted) as other:
        assert list(heard_in(one, "T1", 1)) == list(heard_in(other, "T1", 1))


async def test_an_older_log_is_brought_up_to_date_and_takes_them(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    log = await EventLog.open(path, "test")
    await log.close()
    database = sqlite3.connect(path)
    database.execute("UPDATE alembic_version SET version_num = '0003'")
    database.execute("PRAGMA user_version = 3")
    database.commit()
    database.close()
    with open_log(path) as before:
        assert before.schema == 3
    log = await EventLog.open(path, "test")
    writer = asyncio.create_task(log.run(lambda _group: None))
    await log.append("T1", [ACTS[0]])
    await log.drain()
    writer.cancel()
    await log.close()
    with open_log(path) as after:
        assert after.schema == 4
        assert [row.record for row in after.records()] == [ACTS[0]]
        assert verify(after).flaw is None


def test_the_newest_of_each_kind_are_found_without_reading_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    note = Acted(author="Bo", reason="0", at=5.0, alert="a", rule=Rule.REDEAL, hand=1, did=Remarked())
    more = [replace(note, reason=f"{number}") for number in range(5)]
    write(path, hand("T1", 1), ACTS, more)
    with open_log(path) as log:
        found = log.newest(Stream.ACT, ("acted", "clocked"), 3)
    assert [row.record for row in found] == [ACTS[2], *more[2:]]
