"""XLSX: one sheet a kind of thing, with real dates, written row by row to the disk.

Owns the look of a sheet, and XlsxWriter, which is named here alone. Texts are written as texts, so nothing that stands
in a log is ever a formula or a link. Where a sheet is full the next one has a number.
"""

from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, assert_never

import xlsxwriter  # type: ignore[import-untyped]
from msgspec import Struct
from xlsxwriter.exceptions import XlsxWriterException  # type: ignore[import-untyped]

from monitor.exports.moments import in_zone, sheet_date, utc_text
from monitor.exports.sheets import Cell, Kind, Moment, Row, columns

ROW_LIMIT: Final = 1_048_576
"""Rows of a sheet, its header included (Excel specifications and limits)."""
_TEXT_LIMIT: Final = 32_767
"""Characters of a cell (the same)."""
_EXACT: Final = 1 << 53
"""Excel's numbers are doubles; what is larger is written as text."""


class _Sheet(Struct):
    kind: Kind
    page: int
    sheet: Any
    filled: set[int] = set()
    rows: int = 1


class Workbook:
    """A workbook that is being written; a context manager. It is whole when that ends without an error."""

    def __init__(
        self, path: Path, *, now: datetime, zone: tzinfo | None, identities: bool, row_limit: int = ROW_LIMIT
    ) -> None:
        """`zone` is that of the dates. Scratch files go beside `path`. `row_limit`: rows of a sheet with its header."""
        self._zone = zone
        self._identities = identities
        self._row_limit = row_limit
        self._zone_mark = " (UTC)" if zone is UTC else " (local)"
        options = {"constant_memory": True, "tmpdir": str(path.parent), "in_memory": False}
        self._book = xlsxwriter.Workbook(str(path), options)
        self._book.use_zip64()
        self._book.set_properties({"title": "Rackwatch event log", "created": now})
        self._header = self._book.add_format(
            {"bold": True, "bg_color": "#E6E6E6", "bottom": 1, "align": "left", "valign": "vcenter"}
        )
        self._date = self._book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000", "align": "left"})
        self._text = self._book.add_format({"align": "left"})
        self._number = self._book.add_format({"align": "right", "indent": 1})
        self._sheets = {kind: self._begin(kind, 1) for kind in Kind}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            with suppress(OSError, XlsxWriterException):  # its files are let go; the first error is the one to be told
                self._book.close()
            return
        for sheet in self._sheets.values():
            self._finish(sheet)
        try:
            self._book.close()
        except XlsxWriterException as problem:
            raise OSError(str(problem)) from problem

    def write(self, row: Row) -> None:
        """Append a row to its sheet."""
        sheet = self._sheets[row.kind]
        if sheet.rows >= self._row_limit:
            self._finish(sheet)
            sheet = self._sheets[row.kind] = self._begin(row.kind, sheet.page + 1)
        for column, cell in enumerate(row.cells):
            self._write(sheet.sheet, sheet.rows, column, cell)
            if cell is not None and cell != "":
                sheet.filled.add(column)
        sheet.rows += 1

    def _begin(self, kind: Kind, page: int) -> _Sheet:
        sheet = self._book.add_worksheet(kind.title if page == 1 else f"{kind.title} {page}")
        for at, column in enumerate(columns(kind, identities=self._identities)):
            sheet.set_column(at, at, column.width)
        sheet.set_row(0, 20)
        for at, column in enumerate(columns(kind, identities=self._identities)):
            sheet.write_string(0, at, column.title + (self._zone_mark if column.is_moment else ""), self._header)
        sheet.freeze_panes(1, 0)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        sheet.repeat_rows(0)
        return _Sheet(kind, page, sheet)

    def _finish(self, sheet: _Sheet) -> None:
        shown = columns(sheet.kind, identities=self._identities)
        for at, column in enumerate(shown):
            if column.is_spare and at not in sheet.filled:
                sheet.sheet.set_column(at, at, column.width, None, {"hidden": True})
        sheet.sheet.autofilter(0, 0, sheet.rows - 1, len(shown) - 1)

    def _write(self, sheet: Any, row: int, column: int, cell: Cell) -> None:
        match cell:
            case None:
                pass
            case Moment():
                self._write_moment(sheet, row, column, cell)
            case bool():
                sheet.write_boolean(row, column, cell)
            case str():
                sheet.write_string(row, column, cell[:_TEXT_LIMIT], self._text)
            case int() if abs(cell) > _EXACT:
                sheet.write_string(row, column, str(cell), self._text)
            case int() | float():
                sheet.write_number(row, column, cell, self._number)
            case _:
                assert_never(cell)

    def _write_moment(self, sheet: Any, row: int, column: int, moment: Moment) -> None:
        there = in_zone(moment.utc_s, self._zone)
        date = None if there is None else sheet_date(there)
        if date is not None:
            sheet.write_datetime(row, column, date, self._date)
        else:
            sheet.write_string(row, column, utc_text(moment.utc_s) or "", self._text)
