"""A log may hold notes one day that are neither event nor alert: JSON lines have a place for them, sheets do not."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

import monitor.log
from monitor.exports.export import Wanted, export
from monitor.exports.formats import Format
from monitor.log.reader import LogReader, StoredRecord
from tests.monitor.exports.logs import NOW, evening


class Tile(Struct):
    face: str
    where: str


class Amendment(Struct, tag="amendment"):
    at: float
    by: str
    uid: str
    tiles: list[Tile]


class _WithNotes:
    """A log as a later version might give it."""

    def __init__(self, log: LogReader) -> None:
        self._log = log
        self.path = log.path
        self.runs = log.runs
        self.hands = log.hands

    def records(self, **wanted: Any) -> Iterator[StoredRecord]:
        yield from self._log.records(**wanted)
        for seq in (34, 35):
            note: Any = Amendment(1080.0, "director", "E004", [Tile("joker", "ledge")])
            yield StoredRecord(seq, 1, "T1", 2, 1090.0, 1_796_061_600_000_000, note)


def made(tmp_path: Path, form: Format, name: str, *, identities: bool = False) -> dict[str, int]:
    with monitor.log.open(evening(tmp_path / "log.sqlite")) as log:
        notes: Any = _WithNotes(log)
        done = export(notes, Wanted(form, tmp_path / name, identities=identities), NOW)
    assert done.records == (35 if form is Format.JSON_LINES else 33)
    return done.left_out


def test_json_lines_hold_them_without_identities(tmp_path: Path) -> None:
    assert made(tmp_path, Format.JSON_LINES, "out.jsonl") == {}
    line = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[-1])
    assert (line["stream"], line["seq"], line["at_utc"]) == ("amendment", 35, "2026-11-30T18:01:20.000000Z")
    assert line["record"] == {"type": "amendment", "at": 1080.0, "by": "director", "tiles": [{"where": "ledge"}]}


def test_json_lines_hold_all_of_them_when_asked(tmp_path: Path) -> None:
    made(tmp_path, Format.JSON_LINES, "out.jsonl", identities=True)
    line = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[-1])
    assert line["record"]["uid"] == "E004"
    assert line["record"]["tiles"][0]["face"] == "joker"


@pytest.mark.parametrize(("form", "name"), [(Format.CSV, "o"), (Format.XLSX, "o.xlsx"), (Format.PDF, "o.pdf")])
def test_other_formats_leave_them_out_and_say_so(tmp_path: Path, form: Format, name: str) -> None:
    assert made(tmp_path, form, name) == {"amendment": 2}
