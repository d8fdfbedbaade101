"""What people did has a sheet, a file, a place on paper and lines; of counts that are switched off nothing is told."""

import csv
import json
from pathlib import Path

import openpyxl
import pytest
from pypdf import PdfReader

import monitor.log
from firmware_bridge.messages import Input, InputName
from monitor.acts import DeclaredDead, Declarer, Remarked, RoundExtended, RoundStarted, Undone, Upheld
from monitor.alerts import Rule
from monitor.events import Seat
from monitor.exports.export import Wanted, export
from monitor.exports.formats import Format
from monitor.log.notes import Acted, Clocked, Note, Said
from tests.monitor.exports.logs import NOW, Batch, evening, exported, write_log

ID = "T1-1-wrong_count-south"


def acted(did: object, reason: str = "seen by both") -> Acted:
    return Acted(author="Ada", reason=reason, at=1070.0, alert=ID, rule=Rule.WRONG_COUNT, hand=1, table="T1", did=did)  # type: ignore[arg-type]


ACTS: list[Note] = [
    acted(Upheld()),
    acted(DeclaredDead(Seat.SOUTH, Declarer.EAST), "=1+1"),
    acted(Undone(39)),
    acted(Remarked(), "South agrees."),
    Clocked(author="Bo", reason="late start", at=1080.0, table="T1", did=RoundExtended(300.0, ID)),
    Said(author="Bo", reason="heard", at=1085.0, table="T1", said=Input(input=InputName.NAMED), seat=Seat.EAST),
]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """An evening of 36 records, what a stop released, and these acts, which are written in the second hand."""
    start = Clocked(author="Bo", reason="on time", at=1001.0, did=RoundStarted(1, 3000.0, 4))
    return write_log(evening(tmp_path / "log.sqlite"), [Batch(90.0, "T1", ACTS), Batch(95.0, "", [start])])


def test_lines_say_all_of_it(log: Path, tmp_path: Path) -> None:
    exported(log, Format.JSON_LINES, tmp_path / "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    told = [line for line in lines if line["stream"] in {"acted", "clocked", "said"}]
    assert [line["record"]["author"] for line in told] == ["Ada"] * 4 + ["Bo"] * 3
    assert told[1]["record"]["did"] == {"what": "declared_dead", "seat": "south", "by": "east"}
    assert (told[1]["at"], told[1]["at_utc"]) == (1070.0, "2026-11-30T18:01:10.000000Z")


def test_a_file_and_a_sheet_have_a_row_each(log: Path, tmp_path: Path) -> None:
    done = exported(log, Format.CSV, tmp_path / "out")
    assert done.left_out == {}
    with (tmp_path / "out" / "acts.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["what"] for row in rows] == [
        "upheld", "declared_dead", "undone", "noted", "extended", "named", "started",
    ]  # fmt: skip
    dead = rows[1]
    assert (dead["author"], dead["seat"], dead["by"], dead["reason"]) == ("Ada", "south", "east", "'=1+1")
    assert (dead["did"], dead["rule"], dead["alert"]) == (
        "ruled South's hand dead, as East declared", "wrong_count", ID,
    )  # fmt: skip
    assert (rows[2]["undoes"], rows[4]["seconds"], rows[5]["seat"], rows[6]["round"]) == ("39", "300.0", "east", "1")
    exported(log, Format.XLSX, tmp_path / "out.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx")["Acts"]
    assert sheet.max_row == 8
    assert sheet["G2"].value == "Ada"


def test_paper_has_them_under_the_hand_that_they_are_about(log: Path, tmp_path: Path) -> None:
    done = exported(log, Format.PDF, tmp_path / "out.pdf")
    assert done.left_out == {"clocked": 1}  # the round that was started is no hand's
    first, second = (page.extract_text() for page in PdfReader(tmp_path / "out.pdf").pages[1:3])
    assert "What people did" in first
    assert "Ada upheld it (seen by both)" in " ".join(first.split())
    assert "Ada noted something (South agrees.)" in " ".join(first.split())
    assert "Bo added 5 min for T1" in " ".join(second.split())
    assert "Bo entered: East named the picked tile" in " ".join(second.split())


@pytest.mark.parametrize("form", Format)
def test_nothing_is_told_about_counts_that_are_switched_off(log: Path, tmp_path: Path, form: Format) -> None:
    wanted = Wanted(form, tmp_path / f"out.{form}", uncounted=frozenset({"T1"}))
    with monitor.log.open(log) as opened:
        export(opened, wanted, NOW)
    if form is Format.JSON_LINES:
        kept = [json.loads(line) for line in wanted.out.read_text().splitlines()]
        assert [line["stream"] for line in kept if line["stream"] == "acted"] == []
    elif form is Format.CSV:
        assert "wrong_count" not in (wanted.out / "acts.csv").read_text()
    elif form is Format.XLSX:
        cells = [cell.value for row in openpyxl.load_workbook(wanted.out)["Acts"] for cell in row]
        assert not any("wrong_count" in str(cell) for cell in cells)
    else:
        assert not any("upheld" in page.extract_text() for page in PdfReader(wanted.out).pages)
