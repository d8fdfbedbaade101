import json
import time
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pytest
from pypdf import PdfReader

from tests.monitor.command import run
from tests.monitor.exports.logs import UIDS, evening

pytestmark = pytest.mark.usefixtures("_in_new_york")


@pytest.fixture
def _in_new_york() -> Iterator[None]:
    """The machine's zone, where a November evening is five hours behind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "EST5EDT,M3.2.0,M11.1.0")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return evening(tmp_path / "log.sqlite")


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize(
    ("form", "name"), [("jsonl", "o.jsonl"), ("csv", "o"), ("csv", "o.zip"), ("xlsx", "o.xlsx"), ("pdf", "o.pdf")]
)
def test_every_format_is_written_and_told(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], form: str, name: str
) -> None:
    out = tmp_path / name
    assert run(monkeypatch, "export", log, "--format", form, "--out", out) == 0
    assert out.exists()
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", f"{out}: {36 if form == 'jsonl' else 33} records\n")


def test_the_part_that_is_asked_for(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "o.jsonl"
    words = ("export", log, "--format", "jsonl", "--out", out)
    assert run(monkeypatch, *words, "--table", "T1", "--hand", "2", "--identities") == 0
    assert {(line["table"], line["hand"]) for line in lines(out)} == {("T1", 2)}
    assert UIDS[0] in out.read_text()
    assert run(monkeypatch, *words, "--since", "2026-11-30T18:05Z", "--until", "2026-11-30T18:06:00Z") == 0
    assert {line["written_at"] for line in lines(out)} == {"2026-11-30T18:05:00.000000Z"}
    assert run(monkeypatch, *words, "--since", "2026-11-30T13:05", "--until", "2026-11-30T13:06") == 0
    assert {line["written_at"] for line in lines(out)} == {"2026-11-30T18:05:00.000000Z"}
    assert run(monkeypatch, *words, "--since", "2026-11-30", "--until", "2026-11-30") == 0
    assert len(lines(out)) == 36


def test_sheets_and_paper_have_the_time_of_the_place(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(monkeypatch, "export", log, "--format", "xlsx", "--out", tmp_path / "o.xlsx") == 0
    hands = openpyxl.load_workbook(tmp_path / "o.xlsx")["Hands"]
    assert (hands["C1"].value, hands["C2"].value.isoformat()) == ("Began (local)", "2026-11-30T13:00:01")
    assert run(monkeypatch, "export", log, "--format", "pdf", "--paper", "letter", "--out", tmp_path / "o.pdf") == 0
    first = PdfReader(tmp_path / "o.pdf").pages[0].extract_text()
    assert "EST (UTC-05:00)" in first
    assert "2026-11-30 13:00:01" in first


def test_a_monitors_settings_name_its_log(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    club = Path(__file__).parents[2] / "config" / "club.toml"
    settings = tmp_path / "club.toml"
    settings.write_text(club.read_text().replace('path = "../var/club.sqlite"', f'path = "{log.name}"'))
    out = tmp_path / "o.jsonl"
    assert run(monkeypatch, "export", settings, "--format", "jsonl", "--out", out) == 0
    assert '"count_changed"' in out.read_text()
    assert '"wrong_count"' in out.read_text()
    settings.write_text(settings.read_text().replace("# count_monitoring = true", "count_monitoring = false"))
    assert run(monkeypatch, "export", settings, "--format", "jsonl", "--out", settings) == 2
    assert run(monkeypatch, "export", settings, "--format", "jsonl", "--out", out, "--table", "T1") == 0
    assert '"count_changed"' not in out.read_text()
    assert '"wrong_count"' not in out.read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--table", "T9"), "no record matches table T9. The log holds tables T1, T2"),
        (("--since", "2031-01-01"), "no record matches from 2031-01-01 00:00:00"),
        (("--since", "yesterday"), "'yesterday' is no ISO date or time"),
        (("--format", "docx"), "docx"),
        (("--out", "absent/o.jsonl"), "cannot be written: No such file or directory"),
    ],
)
def test_what_cannot_be_exits_with_2_and_leaves_nothing(
    log: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(monkeypatch, "export", log, "--format", "jsonl", "--out", "o.jsonl", *words) == 2
    assert says in " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(log.name)] == []


def test_a_log_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "o.pdf"
    assert run(monkeypatch, "export", tmp_path / "no.sqlite", "--format", "pdf", "--out", out) == 2
    assert "there is no such file" in capsys.readouterr().err
    assert not out.exists()
