"""The examples of the documents do what they say."""

import re
import runpy
from pathlib import Path

import pytest

from monitor.alerts import Alert, AlertState
from monitor.events import Corrected, Discarded, Event, HandStarted, NewHand, Seat
from tests.monitor.exports.logs import Batch, a_hand, alert, evening, write_log

EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"


def said(log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    monkeypatch.setattr("sys.argv", ["evening.py", str(log)])
    runpy.run_path(str(EXAMPLES / "evening.py"), run_name="__main__")
    return capsys.readouterr().out.splitlines()


def test_an_evening_is_told_hand_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = evening(tmp_path / "log.sqlite")
    new_hand = NewHand(at=1400.0, seq=31, table="T1")
    write_log(told, [Batch(500, "T1", [new_hand, alert(3, state=AlertState.RESOLVED)])])
    assert said(told, monkeypatch, capsys) == [
        "T1 hand 1: 18:00 UTC, 1.5 min, 2 discards, 10.0 s a discard, 1 sensor_fault, 1 wrong_count",
        "T1 hand 2: 18:03 UTC, 1.5 min, 2 discards, 10.0 s a discard, no alerts",
        "T2 hand 1: 18:05 UTC, 1.5 min, 2 discards, 10.0 s a discard, no alerts",
        "T1 hand 3: 18:06 UTC, 0.0 min, 0 discards, no pace, no alerts",
    ]


def test_corrections_are_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = "T1"
    told: list[Event | Alert] = [
        *a_hand(),  # discards 6 and 8, ten seconds apart
        Discarded(at=1070.0, seq=11, table=table, seat=Seat.NORTH),
        Corrected(at=1064.0, seq=12, table=table, replaces=8),
        Corrected(at=1065.0, seq=13, table=table, replaces=12),
        Corrected(at=1070.0, seq=14, table=table, replaces=11, struck=True),
        Corrected(at=1080.0, seq=15, table=table, replaces=7, new_kind="discarded"),
        alert(1),
        alert(2, state=AlertState.WITHDRAWN),
    ]
    other = HandStarted(at=1060.0, table="T2")
    log = write_log(tmp_path / "log.sqlite", [Batch(0, table, told), Batch(60, "T2", [other])])
    assert said(log, monkeypatch, capsys) == [
        "T1 hand 1: 18:00 UTC, 1.5 min, 3 discards, 15.0 s a discard, no alerts",
        "T2 hand 1: 18:01 UTC, 0.0 min, 0 discards, no pace, no alerts",
    ]


def test_it_fits_on_a_page() -> None:
    for path in EXAMPLES.glob("*.py"):
        assert len(path.read_text().splitlines()) < 60
        assert not re.search(r"Any\b|type: ignore", path.read_text())
