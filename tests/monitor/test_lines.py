from pathlib import Path

import pytest

from monitor.errors import UnusableFileError
from monitor.events import PlayStarted
from monitor.lines import LineFiles


def test_lines_are_appended_and_there_at_once(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text('{"kind":"tick"}\n')
    files = LineFiles(str(path), None)
    files.write("T1", PlayStarted(at=1.0, seq=1))
    assert path.read_text().splitlines() == ['{"kind":"tick"}', '{"kind":"play_started","at":1.0,"seq":1}']
    files.close()


def test_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    files = LineFiles("-", None)
    files.write("T1", PlayStarted(at=1.0))
    files.close()
    assert capfdbinary.readouterr().out == b'{"kind":"play_started","at":1.0}\n'


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UnusableFileError, match="cannot be written"):
        LineFiles(None, str(tmp_path / "absent" / "alerts.jsonl"))


def test_a_file_that_can_no_longer_be_written_ends_and_is_told_of(tmp_path: Path) -> None:
    told: list[str | None] = []
    files = LineFiles("/dev/full", str(tmp_path / "alerts.jsonl"), lambda _, text: told.append(text))
    files.write("T1", PlayStarted(at=1.0))
    files.write("T1", PlayStarted(at=2.0))
    assert len(told) == 1
    assert "/dev/full cannot be written" in str(told[0])
    files.close()
