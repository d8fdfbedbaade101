import os
from pathlib import Path

import pytest

from monitor.cli._streams import Streams
from monitor.errors import UnusableFileError
from monitor.events import HandStarted, Seat
from tests.monitor.command import run

EVENT = HandStarted(at=0.0, east=Seat.EAST)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.jsonl").write_text('{"at": 1, "topic": "a", "payload": "b"}\n')
    (tmp_path / "setup.json").write_text('{"table": "T1"}')
    (tmp_path / "mine.toml").write_text("[window]\nsimultaneous_within_ms = 100\n")
    os.link(tmp_path / "t.jsonl", tmp_path / "linked.jsonl")
    (tmp_path / "pointed.jsonl").symlink_to("absent.jsonl")
    return tmp_path


@pytest.mark.parametrize("option", ["--events", "--alerts"])
@pytest.mark.parametrize("name", ["t.jsonl", "linked.jsonl", "setup.json", "mine.toml"])
def test_a_replay_never_writes_over_what_it_reads(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: str, name: str
) -> None:
    before = (folder / name).read_bytes()
    words = ("replay", folder / "t.jsonl", "--setup", folder / "setup.json", "--profile", folder / "mine.toml")
    assert run(monkeypatch, *words, option, folder / name) == 2
    assert f"{name}: is read by this command" in capsys.readouterr().err
    assert (folder / name).read_bytes() == before


def test_a_judgement_never_writes_over_what_it_reads(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (folder / "t.jsonl").read_bytes()
    for option in (("--alerts", folder / "t.jsonl"), ("--alerts", folder / "a", "--out", folder / "t.jsonl")):
        assert run(monkeypatch, "judge", folder / "t.jsonl", *option) == 2
    assert (folder / "t.jsonl").read_bytes() == before


@pytest.mark.parametrize("other", ["absent.jsonl", "./absent.jsonl", "pointed.jsonl"])
def test_events_and_alerts_are_two_files(folder: Path, other: str) -> None:
    with pytest.raises(UnusableFileError, match="each a file of its own"):
        Streams(folder / "absent.jsonl", folder / other)
    assert not (folder / "absent.jsonl").exists()


def test_nothing_is_lost_in_a_device() -> None:
    with Streams(Path("/dev/null"), Path("/dev/null"), inputs=(Path("/dev/null"),)) as out:
        out.event(EVENT)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("events", [1, 5000])
def test_a_full_disk_is_said_so_at_once_and_at_the_end(events: int) -> None:
    with pytest.raises(UnusableFileError, match="/dev/full: cannot be written: No space left"):
        write(Path("/dev/full"), events)


def write(path: Path, events: int) -> None:
    with Streams(path, None) as out:
        for _ in range(events):
            out.event(EVENT)
