"""An export from the log to the file: composition of reader, selection, format and staging.

Owns the choice of format and what is told at the end. Reads no clock: `now` is passed in.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, tzinfo
from heapq import merge
from pathlib import Path
from typing import assert_never

from msgspec import Struct

from monitor.amended import amendments_of
from monitor.audience import Audience
from monitor.errors import NothingMatchesError
from monitor.exports.csv_files import CsvFiles, zip_files
from monitor.exports.entries import ActEntry, Entry, OtherEntry, entries
from monitor.exports.formats import Format
from monitor.exports.hand_pages import MAX_HANDS, HandPages
from monitor.exports.json_lines import json_line
from monitor.exports.paper import document, document_pdf
from monitor.exports.selection import Selection, what_it_holds
from monitor.exports.sheets import RowMaker
from monitor.exports.workbook import ROW_LIMIT, Workbook
from monitor.log.notes import Acted, Amended, Released
from monitor.log.part import Part
from monitor.log.reader import LogReader, StoredRecord
from monitor.log.schema import Stream
from monitor.staging import staged_file, staged_folder
from monitor.tally import Amendment
from monitor.typesetting.sizes import Paper

_RELEASED = str(Released.__struct_config__.tag)


class Wanted(Struct, frozen=True):
    """What is to be made. `out` is a file; for CSV a folder, or an archive where it ends in `.zip`.

    `zone` is that of dates in a workbook and of times on paper; `None`: this machine's. `uncounted`: tables whose
    numbers of tiles nobody is shown. `inputs`: files beside the log that were read and must not be replaced.
    """

    format: Format
    out: Path
    selection: Selection = Selection()
    identities: bool = False
    uncounted: frozenset[str] = frozenset()
    inputs: tuple[Path, ...] = ()
    zone: tzinfo | None = None
    paper: Paper = Paper.A4
    row_limit: int = ROW_LIMIT
    max_hands: int = MAX_HANDS


class Exported(Struct, frozen=True):
    """What was done: records that were exported, and those that the format has no place for, by kind."""

    records: int
    left_out: dict[str, int]


Passing = Callable[[Iterable[StoredRecord]], Iterable[StoredRecord]]


def export(log: LogReader, wanted: Wanted, now: datetime, passing: Passing = lambda stored: stored) -> Exported:
    """Write what is wanted, whole or not at all. Raises `MonitorError`.

    `passing` is put between the reader and the export, for whoever shows progress.
    """
    return _Export(log, wanted, now, passing).run()


class _Export:
    def __init__(self, log: LogReader, wanted: Wanted, now: datetime, passing: Passing) -> None:
        self._log = log
        self._wanted = wanted
        self._now = now
        self._passing = passing
        self._records = 0
        self._left_out: Counter[str] = Counter()

    def run(self) -> Exported:
        """Do it."""
        wanted = self._wanted
        is_folder = wanted.format is Format.CSV and wanted.out.suffix.lower() != ".zip"
        if is_folder:
            with staged_folder(wanted.out) as folder:
                self._write_csv(folder)
        else:
            own = self._log.place.files
            with staged_file(wanted.out, inputs=(*wanted.inputs, *own)) as path:
                self._write_file(path)
        return Exported(self._records, dict(self._left_out))

    def _write_file(self, path: Path) -> None:
        match self._wanted.format:
            case Format.JSON_LINES:
                with path.open("wb") as file:
                    for entry in self._entries():
                        file.write(json_line(entry))
            case Format.CSV:
                folder = path.with_name("files")
                folder.mkdir()
                self._write_csv(folder)
                zip_files(folder, path)
            case Format.XLSX:
                self._write_workbook(path)
            case Format.PDF:
                self._write_paper(path)
            case _:
                assert_never(self._wanted.format)

    def _write_csv(self, folder: Path) -> None:
        rows = RowMaker(self._amendments(), identities=self._wanted.identities)
        with CsvFiles(folder, identities=self._wanted.identities) as files:
            for entry in self._with_a_place():
                for row in rows.rows(entry):
                    files.write(row)
            for row in rows.rest():
                files.write(row)

    def _write_workbook(self, path: Path) -> None:
        wanted = self._wanted
        rows = RowMaker(self._amendments(), identities=wanted.identities)
        with Workbook(
            path, now=self._now, zone=wanted.zone, identities=wanted.identities, row_limit=wanted.row_limit
        ) as book:
            for entry in self._with_a_place():
                for row in rows.rows(entry):
                    book.write(row)
            for row in rows.rest():
                book.write(row)

    def _write_paper(self, path: Path) -> None:
        wanted = self._wanted
        pages = HandPages(str(self._log.place), wanted.zone, self._amendments(), max_hands=wanted.max_hands)
        for entry in self._with_a_place():
            if isinstance(entry, ActEntry) and not entry.origin.table:
                self._leave_out(str(entry.act.__struct_config__.tag))  # done to the clock of every table
            else:
                pages.take(entry)
        selection = wanted.selection.words(wanted.zone)
        made = document(pages, log=self._log.place.name, selection=selection, paper=wanted.paper, now=self._now)
        path.write_bytes(document_pdf(made, self._now))

    def _entries(self) -> Iterator[Entry]:
        """What is wanted, counted. Raises `NothingMatchesError` where that is nothing."""
        wanted, selection = self._wanted, self._wanted.selection
        stored = self._passing(self._stored())
        runs = self._log.runs()
        shown = entries(stored, runs, selection, identities=wanted.identities, audience=self._audience)
        for entry in shown:
            self._records += 1
            yield entry
        if not self._records and not self._left_out:
            zone = wanted.zone
            raise NothingMatchesError(str(self._log.place), selection.words(zone), what_it_holds(self._log, zone))

    def _stored(self) -> Iterable[StoredRecord]:
        """The records of table and hand. What people put right and did about a hand may stand in a later one."""
        part, identities = self._wanted.selection.part, self._wanted.identities
        stored = self._log.records(part, identities=identities)
        if part.hand is None:
            return stored
        said = [
            (row for row in log if isinstance(row.record, Amended | Acted) and row.record.hand == part.hand)
            for stream in (Stream.NOTE, Stream.ACT)
            for log in (self._log.records(Part(table=part.table, stream=stream), identities=identities),)
        ]
        others = (row for row in stored if not isinstance(row.record, Amended | Acted))
        return merge(others, *said, key=lambda row: row.seq)

    def _audience(self, table: str) -> Audience:
        return Audience(count_monitoring=table not in self._wanted.uncounted)

    def _amendments(self) -> dict[tuple[str, int], list[Amendment]]:
        return amendments_of(self._log, self._audience, self._wanted.selection.table)

    def _with_a_place(self) -> Iterator[Entry]:
        """The same without records that only JSON lines have a place for; these are counted.

        That a key was released says nothing of a table, and is passed over in silence.
        """
        for entry in self._entries():
            if isinstance(entry, OtherEntry):
                self._leave_out(entry.kind)
            else:
                yield entry

    def _leave_out(self, kind: str) -> None:
        self._records -= 1
        if kind != _RELEASED:
            self._left_out[kind] += 1
