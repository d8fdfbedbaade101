"""No format tells which tile it was unless that was asked for: every text key of every event holds a secret."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from pypdf import PdfReader

import monitor.log
from monitor.events import IDENTITY_KEYS, Corrected, Event, Seat
from monitor.exports.export import Wanted, export
from monitor.exports.formats import Format
from tests.monitor.exports.logs import NOW, Batch, a_hand, alert, exported, write_log

SECRET = "E004-secret"
NEEDS: dict[str, Any] = {"count": 13, "replaces": 1}


def events() -> Iterator[Event]:
    for seq, kind in enumerate(get_args(Event), 1):
        names = {field.name for field in msgspec.structs.fields(kind)}
        keys = {name: value for name, value in NEEDS.items() if name in names}
        keys |= {name: (SECRET,) if name == "uids" else SECRET for name in IDENTITY_KEYS & names}
        yield kind(at=1000.0 + seq, seq=seq, table="T1", seat=Seat.EAST, **keys)


def everything_in(path: Path) -> str:
    """The readable text of a file of any format, its members unpacked."""
    data = path.read_bytes()
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "".join(archive.read(name).decode("utf-8", "replace") for name in archive.namelist())
    if data.startswith(b"%PDF"):
        reader = PdfReader(path)
        return "".join(page.extract_text() for page in reader.pages) + str(reader.metadata) + str(reader.xmp_metadata)
    return data.decode()


@pytest.mark.parametrize(
    ("form", "name"),
    [(Format.JSON_LINES, "o.jsonl"), (Format.CSV, "o.zip"), (Format.XLSX, "o.xlsx"), (Format.PDF, "o.pdf")],
)
def test_no_format_tells_unless_asked(tmp_path: Path, form: Format, name: str) -> None:
    sent = list(events())
    assert sum(SECRET in str(event) for event in sent) >= 4
    assert isinstance(sent[-1], Corrected)
    log = write_log(tmp_path / "log.sqlite", [Batch(100, "T1", sent)])
    exported(log, form, tmp_path / name)
    text = everything_in(tmp_path / name)
    assert "discarded" in text
    assert SECRET not in text
    exported(log, form, tmp_path / f"full-{name}", identities=True)
    # a document for people names no tile in any case
    assert (SECRET in everything_in(tmp_path / f"full-{name}")) == (form is not Format.PDF)


def test_a_table_whose_counts_nobody_is_shown_has_none(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.sqlite", [Batch(100, "T1", [*a_hand(), alert()]), Batch(101, "T2", a_hand())])
    wanted = Wanted(Format.JSON_LINES, tmp_path / "o.jsonl", identities=True, uncounted=frozenset({"T1"}))
    with monitor.log.open(log) as opened:
        export(opened, wanted, NOW)
    told = [line for line in (tmp_path / "o.jsonl").read_text().splitlines() if '"count' in line]
    assert len(told) == 1
    assert '"table":"T2"' in told[0]


def test_a_sheet_has_no_column_for_it(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.sqlite", [Batch(100, "T1", list(events()))])
    for identities in (False, True):
        out = tmp_path / f"out{identities}"
        exported(log, Format.CSV, out, identities=identities)
        header = set((out / "events.csv").read_text().split("\r\n")[0].split(","))
        assert header & IDENTITY_KEYS == (IDENTITY_KEYS if identities else set())
