"""What the terminal says of records, and what `--help` says."""

from importlib.metadata import version

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from monitor.cli import app
from monitor.cli._console import RecordPrinter
from monitor.events import Corrected, Discarded, Picked, Seat


def test_a_correction_names_what_it_corrects(capsys: pytest.CaptureFixture[str]) -> None:
    told = RecordPrinter(lambda: 0.0)
    told("T1", Discarded(at=1.0, seq=1, seat=Seat.NORTH))
    told("T2", Picked(at=1.0, seq=1, seat=Seat.WEST))
    told("T1", Corrected(at=1.0, seq=2, seat=Seat.EAST, replaces=1))
    told("T1", Corrected(at=1.0, seq=3, replaces=2, struck=True))
    told("T1", Corrected(at=1.0, seq=4, seat=Seat.SOUTH, replaces=99, struck=True))
    said = [line.split("Correction: ")[1].strip() for line in capsys.readouterr().out.splitlines()[2:]]
    assert said == [
        "North's discard changed",
        "East's discard did not happen",
        "something of South's did not happen",
    ]


@pytest.mark.parametrize("words", [[], *([command] for command in get_command(app).commands)])  # type: ignore[attr-defined]
def test_help_is_plain_paragraphs(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "2000")
    done = CliRunner().invoke(app, [*words, "--help"])
    assert done.exit_code == 0
    described = done.output.split("╭")[0]
    assert "[bold]" not in done.output
    for line in filter(None, map(str.strip, described.splitlines())):
        assert line.startswith("Usage:") or line[-1] in ".?", line


def test_the_version() -> None:
    assert CliRunner().invoke(app, ["--version"]).output == f"rackwatch {version('rackwatch')}\n"
