"""`rackwatch report`: from a log to a file, and what is said where that cannot be."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from monitor.alerts import Rule
from tests.monitor.command import run
from tests.monitor.reports.logbook import alert_ids, in_utc, log_of_case

CASE = "together, and the picked tile goes back"


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    with in_utc():
        yield log_of_case(tmp_path / "log.sqlite", CASE)


@pytest.mark.parametrize("suffix", ["pdf", "html"])
def test_an_incident(log: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (alert,) = alert_ids(log, Rule.SIMULTANEOUS_CALL)
    out = log.with_name(f"incident.{suffix}")
    assert run(monkeypatch, "report", "incident", log, alert, "--out", out, "--paper", "letter") == 0
    assert out.stat().st_size > 5000


@pytest.mark.parametrize("suffix", ["pdf", "html"])
def test_a_session(log: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    out = log.with_name(f"session.{suffix}")
    assert run(monkeypatch, "report", "session", log, "--out", out, "--date", "2023-11-16", "--table", "T1") == 0
    assert out.stat().st_size > 5000


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("incident", "log.sqlite", "T1-1-nothing", "--out", "a.pdf"), "no alert T1-1-nothing was told"),
        (("incident", "none.sqlite", "T1", "--out", "a.pdf"), "there is no such file"),
        (("session", "log.sqlite", "--out", "a.pdf", "--date", "2001-01-01"), "nothing on 2001-01-01"),
        (("session", "log.sqlite", "--out", "a.txt"), "as .pdf or .html"),
        (("session", "log.sqlite", "--out", "no/such/a.html"), "cannot be written"),
    ],
)
def test_what_cannot_be_is_one_line_and_exit_2(
    log: Path,
    words: tuple[str, ...],
    why: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(log.parent)
    assert run(monkeypatch, "report", *words) == 2
    said = capsys.readouterr().err
    assert why in said
    assert len(said.splitlines()) == 1


def test_a_log_that_is_none_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a log, but long enough to be looked at " * 40)
    assert run(monkeypatch, "report", "session", path, "--out", tmp_path / "a.pdf") == 2
    assert "cannot be read" in capsys.readouterr().err
