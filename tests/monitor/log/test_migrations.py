"""Logs of older versions: stored ones are brought up to date by the writer, read as they are until then."""

import asyncio
import shutil
import sqlite3
from pathlib import Path

import pytest

from monitor.errors import LogError
from monitor.events import Discarded, HandEnded, HandStarted
from monitor.log.notes import Linked, Released
from monitor.log.reader import open_log
from monitor.log.schema import SCHEMA_VERSION
from monitor.log.store import EventLog
from monitor.log.verifying import verify

OLD = Path(__file__).parent / "old"
"""Logs as versions of that schema wrote them: two runs, two tables, short hands. Of schema 1: 28 records; of schema 2:
22 records of three starts (11 of them purged), with their key, and the keys of four hands."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "log.sqlite"
    shutil.copy(OLD / "schema-1.sqlite", path)
    return path


async def bring_up_to_date(path: Path) -> None:
    log = await EventLog.open(path, "test")
    task = asyncio.create_task(log.run(lambda _group: None))
    await log.append("T1", [HandStarted(at=50.0, seq=7, table="T1"), HandEnded(at=59.0, seq=8, table="T1")])
    await log.drain()
    task.cancel()
    await log.close()


def test_an_old_log_is_read_as_it_is(old: Path) -> None:
    before = old.read_bytes()
    with open_log(old) as log:
        assert log.schema == 1
        stored = list(log.records())
        assert len(stored) == 28
        assert any(isinstance(each.record, Discarded) and each.record.face == "3-bam" for each in stored)
        assert [each.version for each in log.runs().values()] == ["0.0.1", "0.0.2"]
        verdict = verify(log)
    assert verdict.flaw is not None
    assert "before records were linked" in verdict.flaw
    assert old.read_bytes() == before


async def test_the_writer_brings_it_up_to_date_and_changes_nothing_that_it_says(old: Path) -> None:
    with open_log(old) as log:
        before = [(each.seq, each.run, each.table, each.hand, each.utc_us, each.record) for each in log.records()]
    await bring_up_to_date(old)
    with open_log(old) as log:
        assert log.schema == SCHEMA_VERSION
        after = [(each.seq, each.run, each.table, each.hand, each.utc_us, each.record) for each in log.records()]
        verdict = verify(log)
    assert after[:28] == before
    assert isinstance(after[28][-1], Linked)
    assert len(after) == 31
    assert verdict.flaw is None
    assert (verdict.records, verdict.linked) == (31, 28)
    assert verdict.heads >= 1


@pytest.fixture
def old_2(tmp_path: Path) -> Path:
    for ending in ("", ".key"):
        shutil.copy(OLD / f"schema-2.sqlite{ending}", tmp_path / f"log.sqlite{ending}")
    return tmp_path / "log.sqlite"


def test_a_log_whose_keys_were_not_noted_verifies_as_it_is(old_2: Path) -> None:
    with open_log(old_2) as log:
        assert log.schema == 2
        assert len(log.keys()) == 4
        verdict = verify(log)
    assert (verdict.records, verdict.purged, verdict.flaw) == (22, 11, None)


async def test_the_writer_notes_the_keys_that_it_finds(old_2: Path) -> None:
    with open_log(old_2) as log:
        keys, before = set(log.keys()), list(log.records())
    await bring_up_to_date(old_2)
    with open_log(old_2) as log:
        assert log.schema == SCHEMA_VERSION
        after, verdict = list(log.records()), verify(log)
        assert after[: len(before)] == before
        assert keys <= set(log.keys())
        noted = [each.record for each in after if isinstance(each.record, Released)]
        assert [(note.run, note.table, note.hand) for note in noted[:4]] == sorted(keys)
        assert {note.reason for note in noted[:4]} == {"released by a version that noted no keys"}
    assert verdict.flaw is None
    database = sqlite3.connect(old_2)
    database.execute("DELETE FROM released WHERE hand = 3")
    database.commit()
    database.close()
    with open_log(old_2) as log:
        assert "the key of T1, hand 3 (start 2 of the monitor)" in str(verify(log).flaw)


async def test_it_is_guarded_like_a_new_one(old: Path) -> None:
    await bring_up_to_date(old)
    database = sqlite3.connect(old)
    for statement in ("UPDATE records SET hand = 9", "DELETE FROM records"):
        with pytest.raises(sqlite3.IntegrityError, match="appended, nothing else"):
            database.execute(statement)
    assert database.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    database.close()


async def test_a_migration_that_is_cut_off_changes_nothing(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bytes:
        raise OSError("the power goes")

    with open_log(old) as log:
        before = [each.record for each in log.records()]
    with monkeypatch.context() as patched:
        patched.setattr("monitor.log.chain.sha256", fail)
        with pytest.raises(OSError, match="power"):
            await EventLog.open(old, "test")
    with open_log(old) as log:
        assert log.schema == 1
        assert [each.record for each in log.records()] == before
    await bring_up_to_date(old)


async def test_a_new_log_has_the_tables_that_the_code_knows(tmp_path: Path, old: Path) -> None:
    """Whichever way a log came about, its tables are the same."""
    new = tmp_path / "new.sqlite"
    log = await EventLog.open(new, "test")
    await log.close()
    await bring_up_to_date(old)

    def columns(path: Path) -> dict[str, list[tuple[object, ...]]]:
        database = sqlite3.connect(path)
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {name: sorted(row[1:4] for row in database.execute(f"PRAGMA table_info({name})")) for name in names}
        database.close()
        return found

    assert columns(new) == columns(old)


async def test_a_key_file_that_holds_no_key_is_told_and_left(tmp_path: Path) -> None:
    (tmp_path / "log.sqlite.key").write_text("none")
    with pytest.raises(LogError, match="holds no key"):
        await EventLog.open(tmp_path / "log.sqlite", "test")
    assert (tmp_path / "log.sqlite.key").read_text() == "none"
