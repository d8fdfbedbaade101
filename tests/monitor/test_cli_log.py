"""`verify`, `purge`, `amend` and `rejudge`: what a director does with a log once the evening is over."""

import asyncio
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from monitor.alerts import Alert
from monitor.events import Discarded, Event, Racked, Seat
from monitor.log.notes import Amended, Purged
from monitor.log.reader import open_log
from monitor.log.store import EventLog
from tests.monitor.command import run
from tests.monitor.rules.script import cases, heard

WRONG = next(case for case in cases() if case.name == "a rack that rests wrong off turn")
Printed = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch


def keep(path: Path, *hands: Sequence[Event | Alert | Amended]) -> None:
    async def write() -> None:
        log = await EventLog.open(path, "test")
        task = asyncio.create_task(log.run(lambda _: None))
        for hand in hands:
            await log.append("T1", hand)
        await log.drain()
        task.cancel()
        await log.close()

    asyncio.run(write())


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.sqlite"
    keep(path, heard(WRONG.events))
    return path


def test_a_log_as_it_was_written(log: Path, monkeypatch: Patch, capsys: Printed) -> None:
    assert run(monkeypatch, "verify", log) == 0
    said = capsys.readouterr().out
    assert "as it was written" in said
    with open_log(log) as opened:
        assert f"{opened.count():,} records" in said


def test_a_log_that_was_edited_names_the_first_bad_record(log: Path, monkeypatch: Patch, capsys: Printed) -> None:
    database = sqlite3.connect(log, isolation_level=None)
    database.execute("DROP TRIGGER records_update")
    database.execute("UPDATE records SET payload = replace(payload, 'south', 'north') WHERE seq = 3")
    database.close()
    assert run(monkeypatch, "verify", log) == 1
    assert "NOT as it was written: what record 3 says was changed." in capsys.readouterr().out


def test_a_damaged_file_is_told_by_verify_and_by_who_reads_it(log: Path, monkeypatch: Patch, capsys: Printed) -> None:
    whole = bytearray(log.read_bytes())
    for at in range(4096 * 2, len(whole), 4096):
        whole[at : at + 64] = b"\xff" * 64
    log.write_bytes(whole)
    assert run(monkeypatch, "verify", log) == 1
    assert "NOT as it was written: its database is not sound (" in capsys.readouterr().out
    assert run(monkeypatch, "explain", "--from", log) == 2
    said = capsys.readouterr().err
    assert "cannot be read (database disk image is malformed). The file is damaged: put back a copy" in said


def test_a_log_of_another_signer_is_told(log: Path, monkeypatch: Patch, capsys: Printed) -> None:
    assert run(monkeypatch, "verify", log, "--signer", "00") == 1
    assert "signed by another key" in capsys.readouterr().out


def test_what_is_old_is_taken_and_the_rest_still_verifies(log: Path, monkeypatch: Patch, capsys: Printed) -> None:
    with open_log(log) as opened:
        records = opened.count()
    assert run(monkeypatch, "purge", log, "--days", "0", "--dry-run") == 0
    assert f"would take {records:,} records" in capsys.readouterr().out
    assert run(monkeypatch, "purge", log, "--days", "0", "--author", "Ada") == 0
    with open_log(log) as opened:
        stored = list(opened.records())
        payloads = [row.payload for row in opened.rows()]
    assert [each.record for each in stored[:records]] == [None] * records
    assert payloads[:records] == [None] * records
    note = stored[-1].record
    assert isinstance(note, Purged)
    assert (note.author, note.records, note.through) == ("Ada", records, records)
    assert run(monkeypatch, "verify", log) == 0
    assert f"{records:,} of them are purged" in capsys.readouterr().out
    assert run(monkeypatch, "purge", log, "--days", "0", "--author", "Ada") == 0
    assert "nothing to take" in capsys.readouterr().out


def test_nothing_young_is_taken(log: Path, monkeypatch: Patch, capsys: Printed) -> None:
    assert run(monkeypatch, "purge", log, "--days", "1", "--author", "Ada") == 0
    assert "nothing to take" in capsys.readouterr().out
    with open_log(log) as opened:
        assert all(each.record is not None for each in opened.records())


def test_a_purge_says_who_and_how_old(log: Path, monkeypatch: Patch, capsys: Printed) -> None:
    assert run(monkeypatch, "purge", log, "--days", "1") == 2
    assert "--author" in capsys.readouterr().err
    assert run(monkeypatch, "purge", log, "--author", "Ada") == 2
    assert run(monkeypatch, "purge", log, "--days", "99999999999", "--author", "Ada") == 2
    assert run(monkeypatch, "purge", log, "--before", "0001-01-01", "--author", "Ada") == 2
    assert run(monkeypatch, "purge", log, "--before", "9999-12-31", "--author", "Ada") == 2
    assert "is yet to come" in capsys.readouterr().err
    assert run(monkeypatch, "purge", log, "--before", "yesterday", "--author", "Ada") == 2
    assert "no date such as" in capsys.readouterr().err


def test_judged_again_nothing_changes(log: Path, monkeypatch: Patch, capsys: Printed) -> None:
    assert run(monkeypatch, "rejudge", log, "--table", "T1", "--hand", "1") == 0
    assert "Nothing would have been ruled otherwise." in capsys.readouterr().out


def test_another_profile_is_shown_side_by_side(log: Path, tmp_path: Path, monkeypatch: Patch, capsys: Printed) -> None:
    (tmp_path / "off.toml").write_text('[count]\nmonitoring = "off"\n')
    words = ("rejudge", log, "--table", "T1", "--hand", "1", "--profile", tmp_path / "off.toml")
    assert run(monkeypatch, *words) == 1
    said = capsys.readouterr().out
    assert "≠" in said
    assert "nothing" in said
    assert "1 would have been ruled otherwise." in said


def test_a_struck_event_is_struck_when_judged_again_and_stays_in_the_log(
    log: Path, monkeypatch: Patch, capsys: Printed
) -> None:
    with open_log(log) as opened:
        before = [each.record for each in opened.records()]
    wrong = next(a for a in heard(WRONG.events) if isinstance(a, Alert) and a.rule == "wrong_count")
    rest = max(fact.seq for fact in wrong.facts if fact.count is not None)
    of = ("--table", "T1", "--hand", "1")
    assert run(monkeypatch, "amend", log, *of, "--author", "Ada", "--reason", "a purse", "--strike", str(rest)) == 0
    with open_log(log) as opened:
        after = [each.record for each in opened.records()]
    assert after[:-1] == before
    note = after[-1]
    assert isinstance(note, Amended)
    assert (note.author, note.reason, note.hand) == ("Ada", "a purse", 1)
    capsys.readouterr()
    assert run(monkeypatch, "rejudge", log, *of) == 1
    assert "put right by Ada: corrected (a purse)" in capsys.readouterr().out
    assert run(monkeypatch, "verify", log) == 0


def test_racks_taken_for_each_others_are_swapped_for_the_whole_hand(
    log: Path, monkeypatch: Patch, capsys: Printed
) -> None:
    """West rested wrong; if its rack is North's, North did."""
    of = ("--table", "T1", "--hand", "1")
    words = ("amend", log, *of, "--author", "Ada", "--reason", "cables crossed", "--swap", "west,north")
    assert run(monkeypatch, *words) == 0
    assert "noted: West and North swapped" in capsys.readouterr().out
    assert run(monkeypatch, "rejudge", log, *of) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "put right by Ada: seats_swapped (cables crossed)" in said
    assert "2 would have been ruled otherwise" in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--strike", "99999"), "no event numbered 99999"),
        (("--swap", "east,east"), "not swapped with itself"),
        (("--swap", "east"), "no pair of seats"),
        (("--add", "{"), "--add"),
        (("--add", '{"kind":"tick","at":1}'), "name what happened at the table"),
        (("--add", '{"kind":"called","at":1,"table":"T2","seat":"east"}'), "an event of table T2"),
        (("--strike", "1", "--author", ""), "--author: say it in 1 to 80 printable characters"),
        (("--strike", "1", "--author", "\x1b[2J"), "--author: say it in 1 to 80 printable characters"),
        (("--strike", "1", "--reason", "x" * 401), "--reason: say it in 1 to 400 printable characters"),
        ((), "say one of"),
        (("--strike", "1", "--swap", "east,south"), "say one of"),
    ],
)
def test_an_amendment_that_cannot_be_is_refused(
    log: Path, monkeypatch: Patch, capsys: Printed, words: tuple[str, ...], says: str
) -> None:
    before = log.read_bytes()
    of = ("--table", "T1", "--hand", "1", "--author", "Ada", "--reason", "x")
    assert run(monkeypatch, "amend", log, *of, *words) == 2
    assert says in capsys.readouterr().err
    assert log.read_bytes() == before


@pytest.mark.parametrize("command", ["amend", "rejudge"])
def test_a_hand_that_is_not_there(log: Path, monkeypatch: Patch, capsys: Printed, command: str) -> None:
    more = ("--author", "Ada", "--reason", "x", "--strike", "1") if command == "amend" else ()
    assert run(monkeypatch, command, log, "--table", "T9", "--hand", "4", *more) == 2
    assert "holds no hand 4 of T9" in capsys.readouterr().err


def test_while_a_monitor_writes_nothing_is_amended(log: Path, monkeypatch: Patch, capsys: Printed) -> None:
    async def try_it() -> None:
        writer = await EventLog.open(log, "test")
        words = ("amend", log, "--table", "T1", "--hand", "1", "--author", "Ada", "--reason", "x", "--strike", "1")
        assert await asyncio.to_thread(run, monkeypatch, *words) == 2
        await writer.close()

    asyncio.run(try_it())
    assert "writes to it" in capsys.readouterr().err


def test_what_a_note_says_is_none_of_the_terminals_commands(log: Path, monkeypatch: Patch, capsys: Printed) -> None:
    event = Discarded(at=1.0, table="T1")
    keep(log, [Amended(author="\x1b[31mEve", reason="\x1b]0;gone\x07", event=event, hand=1, table="T1")])
    run(monkeypatch, "rejudge", log, "--table", "T1", "--hand", "1")
    run(monkeypatch, "rejudge", log, "--table", "\x1b[31mT", "--hand", "1")
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err


def test_an_event_that_was_missed_is_judged_at_its_own_time(log: Path, monkeypatch: Patch, capsys: Printed) -> None:
    """A call for East's first discard, long after South had racked, entered by hand afterwards."""
    picked = [Racked(at=105.0, seq=900, table="T1", seat=Seat.SOUTH)]
    keep(log, picked)
    of = ("--table", "T1", "--hand", "1")
    call = '{"kind":"called","at":106.5,"seat":"north","via":"input"}'
    assert run(monkeypatch, "amend", log, *of, "--author", "Ada", "--reason", "heard", "--add", call) == 0
    capsys.readouterr()
    assert run(monkeypatch, "rejudge", log, *of) == 1
    assert "Late call" in capsys.readouterr().out
