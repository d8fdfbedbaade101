"""What is neither event nor alert: what people put right has a place everywhere, other notes in JSON lines alone."""

import asyncio
import json
from pathlib import Path

import msgspec
import pytest

import monitor.log
from monitor.events import Discarded, Seat
from monitor.exports.export import Wanted, export
from monitor.exports.formats import Format
from monitor.exports.selection import Selection
from monitor.log.notes import Amended, Linked
from monitor.log.place import log_place
from monitor.log.purging import old, purge
from tests.monitor.exports.logs import NOW, Batch, evening, write_log

MISSED = Discarded(at=1080.0, table="T1", seat=Seat.EAST, uid="E004", face="joker")
NOTE = Amended(author="Ada", reason="not heard", event=MISSED, hand=2, table="T1")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_log(evening(tmp_path / "log.sqlite"), [Batch(90.0, "T1", [NOTE, NOTE])])


def made(log: Path, form: Format, out: Path, *, identities: bool = False) -> dict[str, int]:
    with monitor.log.open(log) as opened:
        done = export(opened, Wanted(form, out, identities=identities), NOW)
    assert done.records == (39 if form is Format.JSON_LINES else 35)
    return done.left_out


def test_json_lines_hold_them_without_identities(log: Path, tmp_path: Path) -> None:
    assert made(log, Format.JSON_LINES, tmp_path / "out.jsonl") == {}
    line = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[-2])
    assert (line["stream"], line["seq"]) == ("amended", 38)
    assert line["record"]["event"] == {"kind": "discarded", "at": 1080.0, "table": "T1", "seat": "east"}


def test_json_lines_hold_all_of_them_when_asked(log: Path, tmp_path: Path) -> None:
    made(log, Format.JSON_LINES, tmp_path / "out.jsonl", identities=True)
    line = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[-2])
    assert (line["record"]["event"]["uid"], line["record"]["event"]["face"]) == ("E004", "joker")


@pytest.mark.parametrize(("form", "name"), [(Format.CSV, "o"), (Format.XLSX, "o.xlsx"), (Format.PDF, "o.pdf")])
def test_other_formats_leave_out_other_notes_alone_and_say_so(
    log: Path, tmp_path: Path, form: Format, name: str
) -> None:
    assert made(log, form, tmp_path / name) == {}
    linked = Linked(author="rackwatch", reason="an older version", through=3)
    write_log(log, [Batch(91.0, "", [linked])])
    assert made(log, form, tmp_path / f"again-{name}") == {"linked": 1}


def test_an_amendment_is_exported_with_the_hand_that_it_is_about(tmp_path: Path) -> None:
    """Written after hand 2 and about hand 1: it goes with hand 1."""
    about = msgspec.structs.replace(NOTE, hand=1)
    log = write_log(evening(tmp_path / "log.sqlite"), [Batch(90.0, "T1", [about])])
    for hand, notes in ((1, 1), (2, 0)):
        with monitor.log.open(log) as opened:
            wanted = Wanted(Format.JSON_LINES, tmp_path / f"{hand}.jsonl", Selection(table="T1", hand=hand))
            export(opened, wanted, NOW)
        assert (tmp_path / f"{hand}.jsonl").read_text().count('"stream":"amended"') == notes


def test_a_note_holds_no_identity_in_the_open(log: Path) -> None:
    with monitor.log.open(log) as opened:
        row = list(opened.rows())[-2]
    assert row.kind == "amended"
    assert b"E004" not in row.payload
    assert b"joker" not in row.payload


def test_what_was_purged_is_a_line_without_a_record(log: Path, tmp_path: Path) -> None:
    place = log_place(log)
    taken = old(place, 1 << 60)
    asyncio.run(purge(place, "test", taken, author="Ada", reason="retention"))
    with monitor.log.open(log) as opened:
        export(opened, Wanted(Format.JSON_LINES, tmp_path / "out.jsonl"), NOW)
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["stream"] for line in lines].count("purged") == taken.records + 1
    assert lines[0]["record"] is None
    assert lines[-1]["record"]["author"] == "Ada"
