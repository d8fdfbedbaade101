from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl

from monitor.events import EastIs, Seat
from monitor.exports.formats import Format
from monitor.exports.selection import Selection
from monitor.log.notes import Amended
from tests.monitor.exports.logs import Batch, a_hand, alert, evening, exported, write_log


def book(path: Path) -> Any:
    return openpyxl.load_workbook(path)


def column(sheet: Any, title: str) -> list[Any]:
    titles = [cell.value for cell in sheet[1]]
    return [cell.value for cell in sheet[openpyxl.utils.get_column_letter(titles.index(title) + 1)]][1:]


def test_a_sheet_a_kind_of_thing_headed_frozen_and_filtered(tmp_path: Path) -> None:
    exported(evening(tmp_path / "log.sqlite"), Format.XLSX, tmp_path / "out.xlsx")
    made = book(tmp_path / "out.xlsx")
    assert made.sheetnames == ["Hands", "Events", "Alerts", "Acts", "Sensor health"]
    assert [sheet.max_row for sheet in made] == [4, 31, 4, 1, 5]
    for sheet in made:
        assert sheet.freeze_panes == "A2"
        assert sheet.auto_filter.ref == sheet.dimensions
        assert sheet["A1"].font.bold
        assert all(sheet.column_dimensions[letter].width > 5 for letter in "ABCD")
    assert column(made["Hands"], "Discards") == [2, 2, 2]
    assert column(made["Alerts"], "State") == ["raised", "raised", "withdrawn"]


def test_dates_are_dates(tmp_path: Path) -> None:
    exported(evening(tmp_path / "log.sqlite"), Format.XLSX, tmp_path / "out.xlsx")
    events = book(tmp_path / "out.xlsx")["Events"]
    assert column(events, "Happened (UTC)")[1] == datetime.fromisoformat("2026-11-30T18:00:20")
    assert column(events, "Written (UTC)")[1] == datetime.fromisoformat("2026-11-30T18:01:40")
    assert events["E3"].is_date


def test_a_moment_before_excels_calendar_is_a_text(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.sqlite", [Batch(0, "T1", a_hand(at=-9e9))])
    exported(log, Format.XLSX, tmp_path / "out.xlsx")
    assert str(column(book(tmp_path / "out.xlsx")["Events"], "Happened (UTC)")[0]).startswith("1741-")


def test_a_full_sheet_is_followed_by_a_numbered_one(tmp_path: Path) -> None:
    exported(evening(tmp_path / "log.sqlite"), Format.XLSX, tmp_path / "out.xlsx", row_limit=12)
    made = book(tmp_path / "out.xlsx")
    assert made.sheetnames == ["Hands", "Events", "Alerts", "Acts", "Sensor health", "Events 2", "Events 3"]
    pages = [made[name] for name in ("Events", "Events 2", "Events 3")]
    assert [page.max_row for page in pages] == [12, 12, 9]
    whole = [seq for page in pages for seq in column(page, "Record")]
    assert len(whole) == 30
    assert whole == sorted(whole)
    for page in pages:
        assert page.auto_filter.ref == page.dimensions


def test_a_text_is_never_a_formula_or_a_link(tmp_path: Path) -> None:
    texts = ["=1+1", "+1", "-1", "@SUM(A1)", "{=1}", "http://example.org", "x" * 40_000, "a\x00\x0b\ud7ff\ufffeb"]
    records = [alert(seq, message=text) for seq, text in enumerate(texts, 1)]
    log = write_log(tmp_path / "log.sqlite", [Batch(0, "=T1", [*a_hand(), *records])])
    exported(log, Format.XLSX, tmp_path / "out.xlsx", Selection(table="=T1"))
    sheet = book(tmp_path / "out.xlsx")["Alerts"]
    assert {cell.data_type for row in sheet.iter_rows(min_row=2) for cell in row} <= {"s", "n", "d", "inlineStr"}
    told = column(sheet, "Message")
    assert told[:6] == texts[:6]
    assert told[6] == "x" * 32_767
    assert column(sheet, "Table")[0] == "=T1"
    assert all(cell.hyperlink is None for row in sheet.iter_rows() for cell in row)


def test_columns_of_amendments_are_out_of_sight_where_nobody_amended_anything(tmp_path: Path) -> None:
    plain = evening(tmp_path / "log.sqlite")
    exported(plain, Format.XLSX, tmp_path / "plain.xlsx")
    assert hidden(book(tmp_path / "plain.xlsx")["Hands"]) == ["Put right afterwards", *TOLD]
    note = Amended(author="Ada", reason="x", event=EastIs(at=20.0, seat=Seat.WEST, table="T1"), hand=1, table="T1")
    amended = write_log(tmp_path / "amended.sqlite", [Batch(0, "T1", a_hand(at=10.0)), Batch(99, "T1", [note])])
    exported(amended, Format.XLSX, tmp_path / "amended.xlsx")
    assert "Put right afterwards" not in hidden(book(tmp_path / "amended.xlsx")["Hands"])


TOLD = ["Told: length (s)", "Told: East chair", "Told: discards", "Told: pace (s a discard)", "Told: ended by"]


def hidden(sheet: Any) -> list[str]:
    away = {number for one in sheet.column_dimensions.values() if one.hidden for number in range(one.min, one.max + 1)}
    return [cell.value for cell in sheet[1] if cell.column in away]
