"""One flipped bit, one record removed, put elsewhere or put in: each is found, and the first bad record is named."""

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitor.events import CountChanged, Discarded, Event, HandEnded, HandStarted, Seat
from monitor.log.reader import open_log
from monitor.log.store import EventLog
from monitor.log.verifying import Verdict, verify

RECORDS = 26


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tables, two starts, some hands over and some not."""
    path = tmp_path_factory.mktemp("written") / "log.sqlite"

    async def write(run: int) -> None:
        log = await EventLog.open(path, f"1.{run}")
        task = asyncio.create_task(log.run(lambda _group: None))
        for table in ("T1", "T2"):
            of: list[Event] = [
                HandStarted(at=10.0 * run, seq=1, table=table),
                Discarded(at=10.0 * run + 1, seq=2, table=table, seat=Seat.EAST, uid="E001", face="joker"),
                CountChanged(at=10.0 * run + 2, seq=3, table=table, seat=Seat.WEST, count=13),
                Discarded(at=10.0 * run + 3, seq=4, table=table, seat=Seat.SOUTH, uid="E002", face="1-dot"),
                HandEnded(at=10.0 * run + 4, seq=5, table=table),
                CountChanged(at=10.0 * run + 5, seq=6, table=table, seat=Seat.WEST, count=0),
            ]
            await log.append(table, of)
        await log.drain()
        task.cancel()
        await log.close()

    asyncio.run(write(1))
    asyncio.run(write(2))
    return path


def after(written: Path, change: Callable[[sqlite3.Connection], None]) -> Verdict:
    """What is found in a copy that somebody changed, who knew how to go round the guards."""
    path = written.with_name("changed.sqlite")
    shutil.copy(written, path)
    database = sqlite3.connect(path, isolation_level=None)
    for trigger in ("records_update", "records_delete"):
        database.execute(f"DROP TRIGGER {trigger}")
    change(database)
    database.close()
    with open_log(path) as log:
        return verify(log)


def test_what_was_written_verifies(written: Path) -> None:
    verdict = after(written, lambda _database: None)
    assert verdict == Verdict(RECORDS, 6, 0, verdict.signers)
    assert len(verdict.signers) == 1


COLUMNS = ("run", "table", "hand", "stream", "kind", "number", "mono_s", "utc_us")
BYTES = ("payload", "payload_digest", "sealed", "sealed_digest", "link")


@given(seq=st.integers(1, RECORDS), column=st.sampled_from(BYTES), at=st.integers(0, 10_000), bit=st.integers(0, 7))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_flipped_bit_is_found(written: Path, seq: int, column: str, at: int, bit: int) -> None:
    flipped = False

    def flip(database: sqlite3.Connection) -> None:
        nonlocal flipped
        (value,) = database.execute(f"SELECT {column} FROM records WHERE seq = ?", (seq,)).fetchone()
        if value is not None:
            changed = bytearray(value)
            changed[at % len(changed)] ^= 1 << bit
            database.execute(f"UPDATE records SET {column} = ? WHERE seq = ?", (bytes(changed), seq))
            flipped = True

    verdict = after(written, flip)
    assert (verdict.flaw is not None) is flipped
    assert verdict.seq == (seq if flipped else 0)
    assert not flipped or str(seq) in str(verdict.flaw)


@given(seq=st.integers(1, RECORDS), column=st.sampled_from(COLUMNS), data=st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_another_value_in_any_column_is_found(written: Path, seq: int, column: str, data: st.DataObject) -> None:
    def change(database: sqlite3.Connection) -> None:
        (value,) = database.execute(f'SELECT "{column}" FROM records WHERE seq = ?', (seq,)).fetchone()
        other = value + "x" if isinstance(value, str) else value + data.draw(st.integers(1, 1000))
        database.execute(f'UPDATE records SET "{column}" = ? WHERE seq = ?', (other, seq))

    verdict = after(written, change)
    assert verdict.flaw is not None
    assert verdict.seq <= seq


@given(seq=st.integers(1, RECORDS))
@settings(max_examples=RECORDS, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_removed_record_is_found(written: Path, seq: int) -> None:
    verdict = after(written, lambda database: database.execute("DELETE FROM records WHERE seq = ?", (seq,)))  # type: ignore[arg-type,return-value]
    assert verdict.flaw is not None
    assert "missing" in verdict.flaw
    assert verdict.seq == seq


@given(one=st.integers(1, RECORDS), other=st.integers(1, RECORDS))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_records_in_another_order_are_found(written: Path, one: int, other: int) -> None:
    def swap(database: sqlite3.Connection) -> None:
        for before, now in ((one, 0), (other, one), (0, other)):
            database.execute("UPDATE records SET seq = ? WHERE seq = ?", (now, before))

    verdict = after(written, swap)
    assert (verdict.flaw is None) is (one == other)
    if one != other:
        assert verdict.seq == min(one, other)


@given(seq=st.integers(1, RECORDS + 1))
@settings(max_examples=RECORDS + 1, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_record_put_in_is_found(written: Path, seq: int) -> None:
    def put_in(database: sqlite3.Connection) -> None:
        for number in range(RECORDS, seq - 1, -1):
            database.execute("UPDATE records SET seq = ? WHERE seq = ?", (number + 1, number))
        database.execute(
            'INSERT INTO records SELECT ?, run, "table", hand, stream, kind, number, mono_s, utc_us, payload, '
            "payload_digest, sealed, sealed_digest, link FROM records LIMIT 1 OFFSET 3",
            (seq,),
        )

    verdict = after(written, put_in)
    assert verdict.flaw is not None
    assert verdict.seq == (5 if seq == 4 else seq), "the first that differs: the one put in is a copy of the fourth"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM heads WHERE seq = 5", "ended at record 5 and was not signed for"),
        ("UPDATE heads SET hand = 7 WHERE seq = 5", "is not as it was signed"),
        ("UPDATE heads SET seq = 4 WHERE seq = 5", "signed for at record 4, where none ended"),
        ("DELETE FROM ends", "log's end is missing"),
        ("UPDATE ends SET seq = 23", "not as it was signed"),
        ("UPDATE runs SET version = 'x' WHERE run = 2", "start 2 of the monitor is not as it was signed"),
        ("DELETE FROM runs WHERE run = 1", "start 1 of the monitor, which is missing"),
        ("UPDATE released SET key = zeroblob(32)", "does not open record"),
        ("UPDATE records SET payload = NULL, sealed = NULL WHERE seq = 6", "no purge took it away"),
        ("UPDATE records SET sealed = NULL WHERE seq = 2", "what record 2 sealed is missing"),
    ],
)
def test_what_was_signed_is_checked_too(written: Path, statement: str, said: str) -> None:
    verdict = after(written, lambda database: database.execute(statement))  # type: ignore[arg-type,return-value]
    assert verdict.flaw is not None
    assert said in verdict.flaw


def test_a_corrupted_page_is_told(written: Path, tmp_path: Path) -> None:
    path = tmp_path / "broken.sqlite"
    whole = bytearray(written.read_bytes())
    for at in range(4096, len(whole), 4096):
        whole[at : at + 64] = b"\xff" * 64
    path.write_bytes(whole)
    said = ""
    try:
        with open_log(path) as log:
            said = str(verify(log).flaw)
    except Exception as problem:  # where the very first page is broken
        said = str(problem)
    assert "cannot be read" in said
