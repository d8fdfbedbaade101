import csv
import tempfile
import zipfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.events import Discarded, Event, Seat
from monitor.exports.csv_files import cell_text, guarded, unguarded
from monitor.exports.entries import EVENT_KINDS
from monitor.exports.formats import Format
from monitor.exports.sheets import Kind, columns
from tests.monitor.exports.logs import Batch, a_hand, alert, evening, exported, write_log

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
RISKY = st.builds(str.__add__, st.sampled_from(["=", "+", "-", "@", "'", "\t=", " =", "\r\n@", "＝", "''="]), TEXTS)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def test_a_file_a_kind_of_thing(tmp_path: Path) -> None:
    done = exported(evening(tmp_path / "log.sqlite"), Format.CSV, tmp_path / "out")
    assert done.records == 33
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "acts.csv",
        "alerts.csv",
        "events.csv",
        "hands.csv",
        "sensor_health.csv",
    ]
    events, alerts = rows(tmp_path / "out" / "events.csv"), rows(tmp_path / "out" / "alerts.csv")
    assert len(events) == 30
    assert [line["state"] for line in alerts] == ["raised", "raised", "withdrawn"]
    assert alerts[1]["message"] == "South has 14 tiles."
    assert (alerts[1]["expected"], alerts[1]["count"], alerts[1]["evidence"]) == ("13", "14", "5 6")
    racked = events[6]
    assert racked["kind"] == "racked"
    assert racked["what"] == "West racked"
    assert racked["at_utc"] == "2026-11-30T18:00:55.000000Z"
    assert racked["earliest_utc"] == "2026-11-30T18:00:54.500000Z"
    health = rows(tmp_path / "out" / "sensor_health.csv")
    assert [row["what"] for row in health] == ["Count unknown", "Sensor", "Count unknown", "Count unknown"]


def test_hands_are_summed_up(tmp_path: Path) -> None:
    exported(evening(tmp_path / "log.sqlite"), Format.CSV, tmp_path / "out")
    hands = rows(tmp_path / "out" / "hands.csv")
    assert [(hand["table"], hand["hand"]) for hand in hands] == [("T1", "1"), ("T1", "2"), ("T2", "1")]
    first = hands[0]
    assert first["began_utc"] == "2026-11-30T18:00:01.000000Z"
    assert (first["length_s"], first["east"], first["discards"], first["pace_s"]) == ("89.0", "south", "2", "10.0")
    assert (first["how"], first["alerts"], first["standing_alerts"], first["events"]) == ("wall", "2", "1", "10")


def test_lines_end_and_cells_are_quoted_as_the_rfc_has_it(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.sqlite", [Batch(0, "T1", [*a_hand(), alert(message='He said "no",\nand left')])])
    exported(log, Format.CSV, tmp_path / "out")
    data = (tmp_path / "out" / "alerts.csv").read_bytes()
    assert data.count(b"\r\n") == 2
    assert b'"He said ""no"",\nand left"' in data
    assert not data.startswith(b"\xef\xbb\xbf")


def test_an_archive_holds_the_same(tmp_path: Path) -> None:
    log = evening(tmp_path / "log.sqlite")
    exported(log, Format.CSV, tmp_path / "out")
    exported(log, Format.CSV, tmp_path / "out.zip")
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == {
            path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()
        }


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "\r=1", "＝1", "'=1", "\ufeff=1"])
def test_no_text_is_a_formula(text: str) -> None:
    assert guarded(text) == "'" + text


@pytest.mark.parametrize("text", ["", "South", "T1-3", "a=b", "–", "14 tiles"])
def test_a_harmless_text_stays_as_it_is(text: str) -> None:
    assert guarded(text) == text


def test_numbers_are_not_guarded() -> None:
    assert cell_text(-3.25) == "-3.25"
    assert cell_text(-1) == "-1"


@given(TEXTS | RISKY)
def test_a_guarded_text_is_safe_and_comes_back(text: str) -> None:
    told = guarded(text)
    assert unguarded(told) == text
    assert not told.lstrip().startswith(("=", "+", "-", "@"))


@settings(max_examples=25, deadline=None)
@given(table=(TEXTS | RISKY).filter(bool), message=TEXTS | RISKY, face=TEXTS | RISKY)
def test_any_table_message_and_face_comes_back(table: str, message: str, face: str) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        event: Event = Discarded(at=1001.0, seq=1, table=table, seat=Seat.EAST, face=face)
        log = write_log(folder / "log.sqlite", [Batch(0, table, [event, alert(message=message)])])
        exported(log, Format.CSV, folder / "out", identities=True)
        (shown,) = rows(folder / "out" / "events.csv")
        (told,) = rows(folder / "out" / "alerts.csv")
        assert (unguarded(shown["table"]), unguarded(shown["face"])) == (table, face)
        assert (unguarded(told["table"]), unguarded(told["message"])) == (table, message)


def test_every_key_of_every_event_has_a_column() -> None:
    keys = {column.key for column in columns(Kind.EVENTS, identities=True)}
    for kind in EVENT_KINDS:
        for field in msgspec.structs.fields(kind):
            name = field.encode_name
            assert {name, f"{name}_utc"} & keys, name
