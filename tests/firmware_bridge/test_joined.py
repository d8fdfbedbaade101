"""Files of one run are one recording; what does not belong together is refused."""

from pathlib import Path

import pytest

from firmware_bridge.errors import RecordingFileError
from firmware_bridge.joined import read_joined
from firmware_bridge.received import Published
from firmware_bridge.recording import BadLine, encode_line, read_recording, run_second

TOPIC = "rackwatch/v1/T1/east/readings"


def part(path: Path, run_s: float | None, *ats: float) -> Path:
    path.write_bytes(
        b"".join(
            encode_line(Published(at, TOPIC, b"{}"), run_s=None if index else run_s) for index, at in enumerate(ats)
        )
    )
    return path


def test_each_file_is_moved_to_its_place_and_alone_begins_at_its_own(tmp_path: Path) -> None:
    first, second = part(tmp_path / "a.jsonl", 10.0, 0.0, 1.5), part(tmp_path / "b.jsonl", 50_000.25, 0.0, 0.5)
    assert [one.at_s for one in read_joined([first, second]) if isinstance(one, Published)] == [
        0.0,
        1.5,
        49_990.25,
        49_990.75,
    ]
    assert list(read_joined([second])) == list(read_recording(second))
    assert run_second(second) == 50_000.25


def test_a_damaged_line_says_in_which_file(tmp_path: Path) -> None:
    first, second = part(tmp_path / "a.jsonl", 0.0, 0.0), part(tmp_path / "b.jsonl", 5.0, 0.0)
    second.write_bytes(second.read_bytes() + b"{\n")
    (bad,) = [one for one in read_joined([first, second]) if isinstance(one, BadLine)]
    assert bad.number == 2
    assert bad.reason.startswith("in b.jsonl: ")


def test_what_does_not_follow_or_says_nothing_is_refused(tmp_path: Path) -> None:
    first, second = part(tmp_path / "a.jsonl", 0.0, 0.0), part(tmp_path / "b.jsonl", 5.0, 0.0)
    for paths in ([second, first], [first, first]):
        with pytest.raises(RecordingFileError, match="does not follow"):
            read_joined(paths)
    with pytest.raises(RecordingFileError, match="run_s"):
        read_joined([first, part(tmp_path / "c.jsonl", None, 0.0)])
    (tmp_path / "d.jsonl.gz").write_bytes(b"\x1f\x8bnothing")
    with pytest.raises(RecordingFileError):
        read_joined([first, tmp_path / "d.jsonl.gz"])
    with pytest.raises(RecordingFileError):
        read_joined([first, tmp_path / "absent"])
