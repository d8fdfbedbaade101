"""CSV: one file a kind of thing, as RFC 4180 has it, in UTF-8 without a byte order mark; moments in UTC.

Owns the text of a cell. A text that a spreadsheet would take for a formula gets an apostrophe before it; so does a text
that begins with one, hence `unguarded` gives every text back. Numbers are never guarded: they are none of a stranger's.
"""

import csv
import re
import zipfile
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, Self, assert_never

from monitor.exports.moments import utc_text
from monitor.exports.sheets import Cell, Kind, Moment, Row, columns

GUARD: Final = "'"
_RISKY: Final = re.compile(r"[\s\x00-\x1f\x7f\u200b\ufeff]*[=+\-@＝＋－＠]|[\t\r\n']")
"""What a spreadsheet may read as the beginning of a formula, white space before it and wide forms included (OWASP,
"CSV injection"), and the guard itself."""


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return GUARD + text if _RISKY.match(text) else text


def unguarded(text: str) -> str:
    """The text that was guarded."""
    return text.removeprefix(GUARD)


class CsvFiles:
    """The files of an export in a folder, one a kind; a context manager. Each has its header, rows or not."""

    def __init__(self, folder: Path, *, identities: bool) -> None:
        """`folder` is there and empty."""
        self._folder = folder
        self._identities = identities
        self._files = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as files:
            self._writers = {}
            for kind in Kind:
                file = files.enter_context(path_of(self._folder, kind).open("w", encoding="utf-8", newline=""))
                self._writers[kind] = csv.writer(file, lineterminator="\r\n")
                self._writers[kind].writerow([column.key for column in columns(kind, identities=self._identities)])
            self._files = files.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._files.close()

    def write(self, row: Row) -> None:
        """Append a row to its file."""
        self._writers[row.kind].writerow([cell_text(cell) for cell in row.cells])


def path_of(folder: Path, kind: Kind) -> Path:
    """Where the rows of a kind stand."""
    return folder / f"{kind.file}.csv"


def zip_files(folder: Path, archive: Path) -> None:
    """Put the files of a folder into an archive."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as made:
        for path in sorted(folder.iterdir()):
            made.write(path, path.name)


def cell_text(cell: Cell) -> str:
    """A cell as it stands in a file."""
    match cell:
        case None:
            return ""
        case Moment():
            return utc_text(cell.utc_s) or ""
        case bool():
            return "true" if cell else "false"
        case str():
            return guarded(cell)
        case int() | float():
            return repr(cell)
        case _:
            assert_never(cell)
