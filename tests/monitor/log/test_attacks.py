"""Edits by somebody who knows how the log is made, but has not its key: none passes, whatever happens afterwards."""

import asyncio
import shutil
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from monitor.errors import LogError
from monitor.events import Corrected, CountChanged, Discarded, Event, HandEnded, HandStarted, Seat, ThrownIn
from monitor.log.chain import FIRST_LINK, Header, digest, link
from monitor.log.notes import Amended, Doubted, Note, Purged, Released
from monitor.log.payloads import Record
from monitor.log.place import log_place
from monitor.log.purging import old, purge
from monitor.log.reader import open_log
from monitor.log.store import EventLog
from monitor.log.verifying import verify


def write(path: Path, *batches: Sequence[Record], wall: Callable[[], float] = time.time) -> None:
    async def run() -> None:
        log = await EventLog.open(path, "test", wall=wall)
        task = asyncio.create_task(log.run(lambda _group: None))
        for batch in batches:
            await log.append("T1", batch)
        await log.drain()
        task.cancel()
        await log.close()

    asyncio.run(run())


def hand(first: int) -> list[Event]:
    return [
        HandStarted(at=float(first), seq=first, table="T1"),
        Discarded(at=first + 1.0, seq=first + 1, table="T1", seat=Seat.EAST, uid="E00SECRET", face="joker"),
        CountChanged(at=first + 2.0, seq=first + 2, table="T1", seat=Seat.WEST, count=13),
        HandEnded(at=first + 3.0, seq=first + 3, table="T1"),
    ]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.sqlite"
    write(path, hand(1), hand(11))
    return path


def edited(path: Path, *statements: str) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None)
    for trigger in ("records_update", "records_delete"):
        database.execute(f"DROP TRIGGER IF EXISTS {trigger}")
    for statement in statements:
        database.execute(statement)
    return database


def relinked(database: sqlite3.Connection) -> None:
    """Work out all digests and links anew, as whoever edits would."""
    before = FIRST_LINK
    names = ", ".join(f'"{name}"' for name in Header.__struct_fields__)
    for *columns, payload, sealed in database.execute(f"SELECT {names}, payload, sealed FROM records ORDER BY seq"):
        made, hidden = digest(payload), digest(sealed)
        before = link(before, Header(*columns), made, hidden)
        values = (made, hidden, before, columns[0])
        database.execute("UPDATE records SET payload_digest = ?, sealed_digest = ?, link = ? WHERE seq = ?", values)


def flaw(path: Path) -> str:
    with open_log(path) as opened:
        return verify(opened).flaw or ""


EDIT = "UPDATE records SET payload = CAST(replace(payload, '13', '14') AS BLOB) WHERE seq = 3"


@pytest.mark.parametrize("more", [(), ("DELETE FROM heads",), ("DELETE FROM heads", "DELETE FROM ends")])
def test_the_next_start_does_not_sign_what_was_edited(log: Path, more: tuple[str, ...]) -> None:
    database = edited(log, EDIT, *more)
    relinked(database)
    database.close()
    assert flaw(log)
    write(log, hand(21))
    assert flaw(log)
    with open_log(log) as opened:
        assert any(isinstance(each.record, Doubted) for each in opened.records())


def test_nor_what_was_cut_off(log: Path) -> None:
    edited(log, "DELETE FROM records WHERE seq > 6", "DELETE FROM heads WHERE seq > 6").close()
    write(log, hand(21))
    assert "signed up to record 10 and ends otherwise, at record 6" in flaw(log)


def test_a_log_that_is_made_to_look_old_says_what_was_linked_when(log: Path) -> None:
    database = edited(log, EDIT)
    for table, columns in (
        ("records", ("payload_digest", "sealed", "sealed_digest", "link")),
        ("runs", ("salt", "signer", "signature")),
    ):
        for column in columns:
            database.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
    for table in ("heads", "ends", "released", "alembic_version"):
        database.execute(f"DROP TABLE {table}")
    database.close()
    write(log, hand(21))
    assert "first schema, beside a key that is of a later one" in flaw(log)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE runs SET signer = NULL, signature = NULL, utc_us = utc_us - 86400000000",
        "UPDATE runs SET utc_us = utc_us + 1",
        "UPDATE runs SET salt = zeroblob(16)",
        "UPDATE records SET payload = NULL, sealed = NULL WHERE seq = 3",
        "UPDATE released SET key = 'abc'",
        "UPDATE released SET key = 100000000000",
        "UPDATE released SET key = -1",
    ],
)
def test_what_is_not_in_the_chain_is_signed(log: Path, statement: str) -> None:
    edited(log, statement).close()
    assert flaw(log)


def test_an_index_that_leaves_records_out(log: Path) -> None:
    edited(
        log,
        "DROP INDEX records_by_hand",
        'CREATE INDEX records_by_hand ON records ("table", hand, seq) WHERE seq <> 3',
        "PRAGMA writable_schema = ON",
        """UPDATE sqlite_master SET sql = 'CREATE INDEX records_by_hand ON records ("table", hand, seq)'
           WHERE name = 'records_by_hand'""",
    ).close()
    assert "not sound" in flaw(log)


def test_a_view_in_the_place_of_the_records(log: Path) -> None:
    edited(log, "ALTER TABLE records RENAME TO hidden", "CREATE VIEW records AS SELECT * FROM hidden").close()
    assert "not sound (no table records)" in flaw(log)


@pytest.mark.parametrize("version", ["abc", "2.0", "-5"])
def test_a_version_that_is_none(log: Path, version: str) -> None:
    edited(log, f"UPDATE alembic_version SET version_num = '{version}'").close()
    with pytest.raises(LogError):
        open_log(log)


def test_a_hand_that_was_ended_by_mistake_goes_on_and_stays_sealed(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    secret = Discarded(at=5.0, seq=5, table="T1", seat=Seat.EAST, uid="E00LATER", face="joker")
    told = Corrected(at=2.0, seq=9, table="T1", replaces=2, uid="E00AFTER")

    async def run() -> None:
        log = await EventLog.open(path, "test")
        task = asyncio.create_task(log.run(lambda _group: None))
        await log.append("T1", [*hand(1)[:3], ThrownIn(at=4.0, seq=4, table="T1"), secret])
        await log.drain()
        with open_log(path) as opened:
            assert opened.keys() == {}
        await log.append("T1", [HandEnded(at=8.0, seq=8, table="T1"), told, *hand(11)])
        await log.drain()
        task.cancel()
        await log.close()

    asyncio.run(run())
    with open_log(path) as opened:
        named = [getattr(each.record, "uid", None) for each in opened.records(identities=True)]
        assert verify(opened).flaw is None
    assert {"E00SECRET", "E00LATER", "E00AFTER"} <= set(named)


def test_the_keys_of_one_log_open_no_other(tmp_path: Path) -> None:
    yesterday, today = tmp_path / "yesterday.sqlite", tmp_path / "today.sqlite"
    write(yesterday, hand(1))
    shutil.copy(f"{yesterday}.key", f"{today}.key")
    write(today, hand(1))
    with open_log(yesterday) as one, open_log(today) as other:
        assert one.keys().keys() == other.keys().keys()
        assert not set(one.keys().values()) & set(other.keys().values())


def test_a_purge_takes_what_is_old_by_its_time_and_no_notes(tmp_path: Path) -> None:
    """A clock that was once wrong, as of a small computer without a battery, makes nothing old that is not."""
    path = tmp_path / "log.sqlite"
    write(path, hand(11)[:2], wall=lambda: 5.0)  # 1970
    note = Amended(author="Ada", reason="x", event=hand(1)[2], hand=1, table="T1")
    write(path, hand(1), [note])
    write(path, [CountChanged(at=50.0, seq=50, table="T1", count=13)], wall=lambda: 6.0)
    place = log_place(path)
    found = old(place, 1_000_000_000_000)
    assert found.records == 3
    asyncio.run(purge(place, "test", found, author="Ada", reason="old"))
    with open_log(path) as opened:
        stored = list(opened.records())
        assert verify(opened).flaw is None
    assert [each.seq for each in stored if each.record is None] == [1, 2, 10]
    assert [type(each.record) for each in stored if isinstance(each.record, Note)] == [
        Released,
        Amended,
        Released,
        Purged,
    ]
    database = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="nothing else"):
        database.execute("UPDATE records SET payload = NULL, sealed = NULL WHERE stream = 'note'")
    database.close()
    edited(path, "UPDATE records SET payload = NULL, sealed = NULL WHERE seq = 7").close()
    assert "record 7 said is missing" in flaw(path)
