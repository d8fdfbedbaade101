"""Keys that were published: taken away, changed, exchanged or put in by another, it is noticed and said whose."""

import asyncio
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitor.errors import LogError
from monitor.events import CountChanged, Discarded, Event, HandEnded, HandStarted, Seat
from monitor.log.notes import Note, Released
from monitor.log.place import log_place
from monitor.log.purging import old, purge
from monitor.log.reader import open_log
from monitor.log.store import EventLog
from monitor.log.verifying import verify

TABLES, HANDS, RUNS = ("T1", "T2"), 2, 2
KEYS = len(TABLES) * HANDS * RUNS


def write(path: Path, *batches: Sequence[Event | Note], releases: bool = True) -> None:
    async def run() -> None:
        log = await EventLog.open(path, "test", releases=releases)
        task = asyncio.create_task(log.run(lambda _group: None))
        for batch in batches:
            await log.append(batch[0].table, batch)
        await log.drain()
        task.cancel()
        await log.close()

    asyncio.run(run())


def hand(table: str, first: int) -> list[Event]:
    return [
        HandStarted(at=float(first), seq=first, table=table),
        Discarded(at=first + 1.0, seq=first + 1, table=table, seat=Seat.EAST, uid="E00SECRET", face="joker"),
        CountChanged(at=first + 2.0, seq=first + 2, table=table, seat=Seat.WEST, count=13),
        HandEnded(at=first + 3.0, seq=first + 3, table=table),
    ]


def changed(path: Path, *statements: str) -> str:
    """What is found after somebody changed the database."""
    database = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        database.execute(statement)
    database.close()
    return flaw(path)


def flaw(path: Path) -> str:
    with open_log(path) as log:
        return verify(log).flaw or ""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tables, two starts, two hands each; every hand's key is released."""
    path = tmp_path_factory.mktemp("written") / "log.sqlite"
    for run in range(RUNS):
        write(path, *(hand(table, 100 * run + 10 * n) for n in range(1, HANDS + 1) for table in TABLES))
    with open_log(path) as log:
        assert len(log.keys()) == KEYS
    return path


@pytest.fixture
def log(written: Path, tmp_path: Path) -> Path:
    shutil.copy(written, tmp_path / "log.sqlite")
    shutil.copy(f"{written}.key", tmp_path / "log.sqlite.key")
    return tmp_path / "log.sqlite"


def test_each_key_is_noted_as_it_is_published(written: Path) -> None:
    with open_log(written) as opened:
        noted = [each.record for each in opened.records() if isinstance(each.record, Released)]
        assert {(note.run, note.table, note.hand) for note in noted} == set(opened.keys())
    assert {note.reason for note in noted} == {"the next hand began", "the monitor stopped after the hand"}
    assert flaw(written) == ""


def test_the_sentences_say_whose_key_it_is(log: Path) -> None:
    of = "WHERE \"table\" = 'T2' AND hand = 3"
    whose = "T2, hand 3 (start 2 of the monitor)"
    database = sqlite3.connect(log, isolation_level=None)
    (seq,) = database.execute(
        "SELECT seq FROM records WHERE kind = 'released' AND instr(payload, '\"T2\",\"hand\":3')"
    ).fetchone()
    database.close()
    said = changed(log, f"DELETE FROM released {of}")
    assert said == f"the key of {whose}, released at record {seq}, is missing: its tiles cannot be named"
    said = changed(log, "INSERT INTO released VALUES (2, 'T2', 9, zeroblob(32))")
    assert "is missing" in said, "what was taken away is told before what was put in"


def test_a_key_that_was_put_in_is_told(log: Path) -> None:
    said = changed(log, "INSERT INTO released VALUES (2, 'T2', 9, zeroblob(32))")
    assert said == "a key of T2, hand 9 (start 2 of the monitor) is there that was never released"


def test_a_log_that_is_made_to_look_old_hides_no_key_that_was_taken(log: Path) -> None:
    look_old = "UPDATE alembic_version SET version_num = '0002'"
    assert "is missing" in changed(log, look_old, "DELETE FROM released WHERE hand = 3")
    write(log, hand("T1", 300))
    assert "is missing" in flaw(log)


KEY = st.one_of(st.binary(min_size=0, max_size=33), st.integers(-1, 1 << 40), st.text(max_size=3))
WHICH = st.integers(0, KEYS - 1)
Rows = dict[tuple[object, ...], object]
Attack = Callable[[sqlite3.Connection], object]


def row(n: int) -> str:
    return f'WHERE rowid = (SELECT rowid FROM released ORDER BY run, "table", hand LIMIT 1 OFFSET {n})'


def delete(n: int) -> Attack:
    return lambda database: database.execute(f"DELETE FROM released {row(n)}")


def alter(n: int, key: object) -> Attack:
    return lambda database: database.execute(f"UPDATE released SET key = ? {row(n)}", (key,))


def move(n: int, column: str, value: object) -> Attack:
    return lambda database: database.execute(f'UPDATE OR REPLACE released SET "{column}" = ? {row(n)}', (value,))


def insert(run: int, table: str, hand: int, key: object) -> Attack:
    values = (run, table, hand, key)
    return lambda database: database.execute("INSERT OR IGNORE INTO released VALUES (?, ?, ?, ?)", values)


def swap(one: int, other: int) -> Attack:
    def exchange(database: sqlite3.Connection) -> None:
        found = database.execute('SELECT run, "table", hand, key FROM released ORDER BY run, "table", hand').fetchall()
        if max(one, other) < len(found):
            for place, key in ((found[one], found[other][3]), (found[other], found[one][3])):
                where = 'UPDATE released SET key = ? WHERE run = ? AND "table" = ? AND hand = ?'
                database.execute(where, (key, *place[:3]))

    return exchange


ATTACKS = st.lists(
    st.one_of(
        st.builds(delete, WHICH),
        st.builds(alter, WHICH, KEY),
        st.builds(swap, WHICH, WHICH),
        st.builds(move, WHICH, st.sampled_from(("run", "hand")), st.integers(-1, 5)),
        st.builds(move, WHICH, st.just("table"), st.sampled_from(("T1", "T2", "T3", ""))),
        st.builds(insert, st.integers(0, 3), st.sampled_from(("T1", "T3")), st.integers(0, 9), KEY),
    ),
    min_size=1,
    max_size=3,
)


@given(attacks=ATTACKS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_done_to_the_keys_is_found(written: Path, attacks: list[Attack]) -> None:
    path = written.with_name("changed.sqlite")
    shutil.copy(written, path)
    database = sqlite3.connect(path, isolation_level=None)
    before = set(database.execute("SELECT * FROM released"))
    for attack in attacks:
        attack(database)
    after = set(database.execute("SELECT * FROM released"))
    database.close()
    assert (flaw(path) == "") is (before == after)


def test_a_purge_takes_the_keys_of_what_it_takes(log: Path) -> None:
    place = log_place(log)
    with open_log(log) as opened:
        last = max(each.utc_us for each in opened.records() if each.run == 1)
    asyncio.run(purge(place, "test", old(place, last), author="Ada", reason="old"))
    with open_log(log) as opened:
        left = set(opened.keys())
    assert {run for run, _, _ in left} == {2}
    assert flaw(log) == ""
    write(log, hand("T1", 300))
    assert flaw(log) == ""
    assert "T1, hand 3 (start 2" in changed(log, "DELETE FROM released WHERE hand = 3")


def test_what_the_last_group_lost_leaves_no_gap(tmp_path: Path) -> None:
    """A hand that has ended in a group that never reached the disk is not released, and leaves no hole."""
    path = tmp_path / "log.sqlite"

    async def run() -> None:
        log = await EventLog.open(path, "test")
        async with log._engine.connect() as connection:
            await connection.exec_driver_sql("PRAGMA max_page_count = 1")
        await log.append("T1", [CountChanged(at=0.5, count=None, reason="x" * 9000), *hand("T1", 1)])
        log._closing = True
        with pytest.raises(LogError, match="5 records are lost"):
            await log.run(lambda _group: None)
        async with log._engine.connect() as connection:
            await connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
        await log.close()

    asyncio.run(run())
    with open_log(path) as opened:
        assert (opened.count(), opened.keys()) == (0, {})
    write(path, hand("T1", 1))
    assert flaw(path) == ""
