"""Files begin, end and go as they should, and a disk that fails costs readings and nothing else."""

import gzip
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from firmware_bridge.errors import RecordingFileError
from firmware_bridge.joined import read_joined
from firmware_bridge.received import LineBytes, Published, Received
from firmware_bridge.recording import BadLine, RecordingWriter, read_recording
from monitor.recordings.folder import RESERVE_BYTES, RETRY_S, AlertRaised, Limits, RecordingFolder
from monitor.recordings.names import parse_name
from monitor.recordings.part_file import PartFile
from monitor.recordings.retention import HAND_S, Retention
from monitor.settings import Keep

UTC_S = 1_796_000_000.0
"""A moment of 2026; the tests' wall clock runs beside the host's second 0."""


class Club:
    """A recorder's folder whose time and disk the test sets."""

    def __init__(self, path: Path, limits: Limits, run: int = 1) -> None:
        self.path = path
        self.now_s = 1000.0
        self.free_bytes = RESERVE_BYTES
        self.random = Random(1)
        self.said: list[Received] = []
        self.folder = RecordingFolder(path, run, limits, lambda: UTC_S + self.now_s, lambda _: self.free_bytes)

    def say(self, number: int = 1, size: int = 600) -> None:
        """Readings that hardly compress."""
        for _ in range(number):
            one = LineBytes(self.now_s, "T1/east", self.random.randbytes(size))
            self.said.append(one)
            self.folder.take([one], self.now_s)

    def passes(self, seconds: float) -> None:
        self.now_s += seconds
        self.folder.tick(self.now_s)

    def names(self) -> list[str]:
        return sorted(path.name for path in self.path.iterdir())

    def age(self, seconds: float) -> None:
        """Let the files' last writing be as old as the test's clock says; they are younger by the real one."""
        for path in self.path.iterdir():
            os.utime(path, (UTC_S + self.now_s - seconds,) * 2)


def payloads(path: Path) -> list[bytes]:
    return [one.data for one in read_recording(path) if isinstance(one, LineBytes)]


def in_order(path: Path) -> list[Path]:
    def part(one: Path) -> int:
        name = parse_name(one.name)
        assert name is not None
        return name.part

    return sorted(path.iterdir(), key=part)


def test_files_end_before_they_are_too_large_and_lose_nothing(tmp_path: Path) -> None:
    club = Club(tmp_path, Limits(50_000, 3600.0))
    for _ in range(30):
        club.say(20)
        club.passes(1.0)
        assert all(path.stat().st_size <= 50_000 for path in tmp_path.iterdir())
    club.folder.close(club.now_s)
    paths = in_order(tmp_path)
    assert len(paths) > 5
    assert all(path.stat().st_size > 40_000 for path in paths[:-1])
    assert [data for path in paths for data in payloads(path)] == [one.data for one in club.said]
    for path in paths:
        entries = list(read_recording(path))
        assert not any(isinstance(entry, BadLine) for entry in entries)
        assert entries[0].at_s == 0.0, "each is a recording of its own"
    assert club.folder.state.lost == 0


def test_files_laid_end_to_end_are_the_recording_that_was_never_cut(tmp_path: Path) -> None:
    club = Club(tmp_path / "cut", Limits(20_000, 3600.0))
    with RecordingWriter(tmp_path / "whole.jsonl", began_s=1000.123) as whole:
        club.now_s = 1000.123
        for _ in range(200):
            club.now_s += club.random.random() if club.said else 0.0
            club.say()
            whole.write(club.said[-1])
    club.folder.close(club.now_s)
    paths = in_order(tmp_path / "cut")
    assert len(paths) > 5
    assert list(read_joined(paths)) == list(read_recording(tmp_path / "whole.jsonl"))
    with pytest.raises(RecordingFileError, match="in their order"):
        read_joined(paths[::-1])


def test_a_file_ends_by_age_even_when_nothing_comes(tmp_path: Path) -> None:
    club = Club(tmp_path, Limits(1 << 20, 3600.0))
    club.passes(1.0)
    assert club.names() == [], "no empty file is made"
    club.say()
    club.passes(1.0)
    (name,) = club.names()
    assert name.endswith("-part-1-run-1.recording.jsonl.gz.part")
    assert len(payloads(tmp_path / name)) == 1, "it can be read while it is written"
    club.passes(3600.0)
    assert club.names() == [name.removesuffix(".part")]
    club.say()
    assert any("-part-2-run-1." in name for name in club.names())
    club.folder.close(club.now_s)


def test_the_folder_never_holds_more_than_it_may(tmp_path: Path) -> None:
    club = Club(tmp_path, Limits(20_000, 3600.0, Retention(total_bytes=70_000)))
    for _ in range(400):
        club.now_s += 1.0
        club.say(2)
        assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 70_000
    state = club.folder.state
    assert state.removed > 10
    assert state.removed_bytes > 10 * 18_000
    assert state.lost == 0
    club.folder.close(club.now_s)
    kept = [data for path in in_order(tmp_path) for data in payloads(path)]
    assert kept == [one.data for one in club.said][-len(kept) :], "the oldest go first"


def test_what_the_monitor_did_not_write_is_never_removed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    mine = "2020-01-01T00-00-00Z-part-1-run-1.recording.jsonl.gz"
    (outside / "precious").write_bytes(b"x" * 90_000)
    folder = tmp_path / "recordings"
    folder.mkdir()
    (folder / "evening.jsonl.gz").write_bytes(b"x" * 90_000)
    (folder / "2020-01-01T00-00-00Z-run-1.recording.jsonl.gz").write_bytes(b"old form")
    (folder / mine).symlink_to(outside / "precious")
    (folder / mine.replace("part-1", "part-2")).mkdir()
    (folder / mine.replace("part-1", "part-3")).with_suffix(".gz.part").symlink_to(outside / "precious")
    (folder / mine.replace("part-1", "part-4")).write_bytes(b"ours")
    before = set(folder.iterdir())
    club = Club(folder, Limits(20_000, 3600.0, Retention(Keep.WITH_ALERTS, 40_001, 1.0)))
    club.say(100)
    club.passes(1e6)
    club.folder.close(club.now_s)
    assert before - set(folder.iterdir()) == {folder / mine.replace("part-1", "part-4")}
    assert (outside / "precious").stat().st_size == 90_000


def test_only_files_with_alerts_stay_and_the_one_before_an_early_alert(tmp_path: Path) -> None:
    club = Club(tmp_path, Limits(1 << 20, 3600.0, Retention(Keep.WITH_ALERTS)))
    for part in range(1, 6):
        club.say()
        if part == 3:
            club.folder.take([AlertRaised()], club.now_s)
            assert any("-part-3-alert-run-1" in name and name.endswith(".part") for name in club.names())
        club.passes(3600.0)
        club.age(0.0)
        club.now_s += HAND_S + 1.0
        if part == 4:
            club.now_s -= 60.0
            club.say()
            club.folder.take([AlertRaised()], club.now_s)
    club.folder.close(club.now_s)
    club.age(HAND_S + 5.0)
    club.passes(100.0)
    kept = [name for name in club.names() if "alert" in name]
    assert club.names() == kept
    assert [name.split("-part-")[1].split("-")[0] for name in kept] == ["3", "4", "5"]


def test_what_is_older_than_set_goes_and_is_counted(tmp_path: Path) -> None:
    club = Club(tmp_path, Limits(1 << 20, 3600.0, Retention(keep_s=86_400.0)))
    club.say()
    club.passes(3600.0)
    club.age(0.0)
    club.passes(80_000.0)
    assert len(club.names()) == 1
    club.passes(7000.0)
    assert club.names() == []
    assert club.folder.state.removed == 1


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_disk_that_takes_no_more_costs_what_was_not_flushed_and_is_tried_again(tmp_path: Path) -> None:
    club = Club(tmp_path, Limits(1 << 20, 3600.0))
    club.say(10)
    club.passes(1.0)
    with no_file_beyond(20_000):
        club.say(50)
        club.passes(1.0)
        assert club.folder.state.trouble == "File too large"
        club.say(3)
    assert club.folder.state.lost == 53
    club.passes(RETRY_S)
    assert club.folder.state.trouble is None
    assert club.folder.state.mended == 1
    club.say(5)
    club.folder.close(club.now_s)
    first, second = in_order(tmp_path)
    assert payloads(first) == [one.data for one in club.said[:10]]
    gzip.decompress(first.read_bytes())
    assert payloads(second) == [one.data for one in club.said[-5:]]


def test_a_disk_that_is_nearly_full_is_left_to_the_log(tmp_path: Path) -> None:
    club = Club(tmp_path, Limits(1 << 20, 3600.0))
    club.say()
    club.free_bytes = RESERVE_BYTES - 1
    club.passes(1.0)
    assert "99 MB are free" in str(club.folder.state.trouble)
    assert not any(name.endswith(".part") for name in club.names())
    club.say(4)
    club.passes(RETRY_S)
    assert "99 MB are free" in str(club.folder.state.trouble)
    club.free_bytes = RESERVE_BYTES
    club.passes(RETRY_S)
    assert club.folder.state.trouble is None
    club.say()
    club.folder.close(club.now_s)
    assert club.folder.state.lost == 4
    assert len(club.names()) == 2


def test_a_folder_that_cannot_be_made_is_told_at_once_and_used_as_soon_as_it_can(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("a file")
    club = Club(tmp_path / "there", Limits(1 << 20, 3600.0))
    club.passes(0.0)
    assert club.folder.state.trouble
    club.say(2)
    (tmp_path / "there").unlink()
    club.passes(RETRY_S)
    assert club.folder.state.trouble is None
    club.say()
    club.folder.close(club.now_s)
    assert [len(payloads(path)) for path in club.path.iterdir()] == [1]
    assert club.folder.state.lost == 2


def test_a_folder_that_vanishes_is_made_again(tmp_path: Path) -> None:
    club = Club(tmp_path / "r", Limits(1 << 20, 3600.0))
    club.say()
    for path in club.path.iterdir():
        path.unlink()
    club.path.rmdir()
    club.passes(4000.0)
    assert club.folder.state.trouble
    club.passes(RETRY_S)
    club.say()
    club.passes(1.0)
    assert club.folder.state.trouble is None
    assert len(club.names()) == 1
    club.folder.close(club.now_s)


def test_two_monitors_never_write_one_file_nor_take_each_others_for_a_leftover(tmp_path: Path) -> None:
    one, other = Club(tmp_path, Limits(9000, 3600.0)), Club(tmp_path, Limits(9000, 3600.0))
    other.random = Random(2)
    for _ in range(30):
        one.say()
        one.folder.take([AlertRaised()], one.now_s)
        other.say()
        one.passes(61.0)
        other.passes(61.0)
    one.folder.close(one.now_s)
    other.folder.close(other.now_s)
    said = [{club_said.data for club_said in club.said} for club in (one, other)]
    found: list[set[bytes]] = [set(), set()]
    for path in tmp_path.iterdir():
        data = set(payloads(path))
        assert data <= said[0] or data <= said[1]
        found[0] |= data & said[0]
        found[1] |= data & said[1]
    assert found == said
    assert one.folder.state.mended == other.folder.state.mended == 0


def test_a_name_is_taken_once(tmp_path: Path) -> None:
    name = parse_name("2026-11-30T19-02-11Z-part-1-run-7.recording.jsonl.gz.part")
    assert name is not None
    first = PartFile(tmp_path, name, 0.0, 0.0)
    for _ in range(3):
        with pytest.raises(FileExistsError):
            PartFile(tmp_path, name, 0.0, 0.0)
        first.mark_alert()
        if not first.name.being_written:
            break
        first.add(b"{}\n")
    first.end()
    with pytest.raises(FileExistsError):
        PartFile(tmp_path, name, 0.0, 0.0)
    assert [path.name for path in tmp_path.iterdir()] == [str(first.name.whole())]


PROGRAM = """
import sys, time
from pathlib import Path
from firmware_bridge.received import Published
from monitor.recordings.folder import Limits, RecordingFolder
folder = RecordingFolder(Path(sys.argv[1]), 1, Limits(40_000, 3600.0), time.time, lambda _: 1 << 40)
number = 0
while True:
    for _ in range(50):
        number += 1
        folder.take([Published(float(number) / 50, "rackwatch/v1/T1/east/readings", b"%d" % number)], number / 50)
    folder.tick(number / 50)
    sys.stdout.write(f"{number}\\n")
    sys.stdout.flush()
"""


@pytest.mark.parametrize("after_lines", [1, 2, 17, 150, 400])
def test_a_monitor_that_is_killed_loses_at_most_what_was_not_flushed(tmp_path: Path, after_lines: int) -> None:
    child = subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    flushed = 0
    for _ in range(after_lines):
        flushed = int(child.stdout.readline())
    child.send_signal(signal.SIGKILL)
    rest, _ = child.communicate()
    flushed = max([flushed, *(int(line) for line in rest.splitlines() if line.endswith("0"))])
    assert child.returncode == -signal.SIGKILL

    def numbers() -> list[int]:
        return [int(one.payload) for path in in_order(tmp_path) for one in read_recording(path)
                if isinstance(one, Published)]  # fmt: skip

    before = numbers()
    assert before == list(range(1, len(before) + 1))
    assert len(before) >= flushed, "what was cut off is readable as it is"
    again = Club(tmp_path, Limits(40_000, 3600.0), run=2)
    again.passes(1.0)
    assert not any(name.endswith(".part") for name in again.names())
    assert again.folder.state.mended <= 1
    after = numbers()
    assert after == list(range(1, len(after) + 1))
    assert len(after) >= flushed
    for path in tmp_path.iterdir():
        gzip.decompress(path.read_bytes())
