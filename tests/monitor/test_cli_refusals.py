import json
from pathlib import Path

import pytest

from tests.monitor.command import run

READINGS = {"node": "n1", "boot": 1, "seq": 1, "ticks": 1000, "weight": [[1000, "rack", 5]]}


def replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *lines: dict[str, object]
) -> list[str]:
    """What replaying these lines with a set-up of table T1 says on stderr."""
    recording, setup = tmp_path / "t.jsonl", tmp_path / "t1.json"
    recording.write_text("".join(json.dumps(line) + "\n" for line in lines))
    setup.write_text('{"table": "T1"}')
    assert run(monkeypatch, "replay", recording, "--setup", setup) == 0
    return [line.removeprefix(f"{recording}: ") for line in capsys.readouterr().err.splitlines()]


def published(at: float, payload: object, *, table: str = "T1") -> dict[str, object]:
    return {"at": at, "topic": f"rackwatch/v1/{table}/east/readings", "payload": json.dumps(payload)}


def test_a_recording_that_is_understood_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replayed(tmp_path, monkeypatch, capsys, published(1.0, READINGS)) == []


def test_a_recording_of_another_table_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [published(float(at), READINGS, table="T2") for at in range(100)]
    assert replayed(tmp_path, monkeypatch, capsys, *lines) == [
        "100 messages refused: unknown table (first at 0.0 s from rackwatch/v1/T2/east/readings)",
        "no usable message for table T1; the recording speaks of T2",
    ]


def test_messages_are_counted_by_reason_and_rows_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    nameless = {key: value for key, value in READINGS.items() if key != "node"}
    said = replayed(
        tmp_path,
        monkeypatch,
        capsys,
        {"at": 0.5, "topic": "a\u001b[31m", "payload": ""},
        published(1.0, nameless),
        published(2.0, nameless),
        published(3.0, {**READINGS, "weight": [[1000, "rack", 5], ["?"]]}),
    )
    assert said[0].startswith("2 messages refused: wrong shape (first at 1.0 s from rackwatch/v1/T1/east/readings: ")
    assert "node" in said[0]
    assert said[1:] == [
        "1 message refused: unknown topic (at 0.5 s from a?[31m)",
        (
            "1 row or field left out of its message: wrong shape "
            "(at 3.0 s from rackwatch/v1/T1/east/readings: Expected `int`, got `str` - at `$[0]`)"
        ),
    ]
