"""The thread and its queue: everything in order, bounded, and nothing of it in the event loop's way."""

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from firmware_bridge.received import LineBytes, Published, Received
from firmware_bridge.recording import read_recording
from monitor.recordings import recorder
from monitor.recordings.folder import AlertRaised, Limits, RecordingFolder
from monitor.recordings.recorder import Recorder
from monitor.recordings.retention import Retention

ROOMY = Limits(64 << 20, 3600.0)


def in_folder(path: Path, limits: Limits = ROOMY) -> RecordingFolder:
    return RecordingFolder(path, 1, limits, time.time, lambda _: 1 << 40)


def until(true: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + 20.0
    while not true():
        assert time.monotonic() < deadline_s
        threading.Event().wait(0.01)


def said(number: int) -> Published:
    return Published(float(number), "rackwatch/v1/T1/east/readings", b"%d" % number)


def test_what_is_taken_is_written_in_order_and_the_file_ends_with_the_context(tmp_path: Path) -> None:
    with Recorder(in_folder(tmp_path), time.monotonic) as taking:
        for number in range(5000):
            taking.take(said(number))
        taking.alert()
        taking.take(said(5000))
    (path,) = tmp_path.iterdir()
    assert path.name.endswith("-alert-run-1.recording.jsonl.gz")
    assert [one.payload for one in read_recording(path) if isinstance(one, Published)] == [
        b"%d" % number for number in range(5001)
    ]
    assert dict(taking.troubles()) == {"recording": None, "recording lost": None, "recordings removed": None}


def test_it_is_flushed_while_it_runs(tmp_path: Path) -> None:
    with Recorder(in_folder(tmp_path), time.monotonic) as taking:
        taking.take(said(1))
        until(lambda: any(isinstance(one, Published) for path in tmp_path.iterdir() for one in read_recording(path)))


def test_trouble_and_its_end_are_told(tmp_path: Path) -> None:
    place = tmp_path / "there"
    place.write_text("a file")
    now_s = 0.0
    with Recorder(in_folder(place), lambda: now_s) as taking:
        taking.take(said(1))
        until(lambda: dict(taking.troubles())["recording lost"] == "1 readings were not recorded.")
        assert "File exists" in str(dict(taking.troubles())["recording"])
        place.unlink()
        now_s = 10.0
        until(lambda: dict(taking.troubles())["recording"] is None)


def test_what_is_removed_is_told_for_a_while(tmp_path: Path) -> None:
    (tmp_path / "2020-01-01T00-00-00Z-part-1-run-1.recording.jsonl.gz").write_bytes(b"x" * (2 << 20))
    now_s = 0.0
    with Recorder(in_folder(tmp_path, Limits(1 << 20, 60.0, Retention(total_bytes=2 << 20))), lambda: now_s) as taking:
        until(lambda: dict(taking.troubles())["recordings removed"] is not None)
        assert dict(taking.troubles())["recordings removed"] == "1 old recordings (2 MB) were removed so far, as set."
        now_s = 61.0
        assert dict(taking.troubles())["recordings removed"] is None


class Hanging(RecordingFolder):
    """A disk that hangs until it is let go."""

    let_go = threading.Event()

    def take(self, came: Sequence[Received | AlertRaised], now_s: float) -> None:
        self.let_go.wait(20.0)
        super().take(came, now_s)


def test_a_disk_that_hangs_fills_the_queue_which_is_bounded_and_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "QUEUE_BYTES", 100_000)
    with Recorder(Hanging(tmp_path, 1, ROOMY, time.time, lambda _: 1 << 40), time.monotonic) as taking:
        for number in range(1000):
            taking.take(LineBytes(float(number), "p", bytes(700)))
        assert dict(taking.troubles())["recording lost"] == "900 readings were not recorded."
        Hanging.let_go.set()
        until(lambda: taking._taken_bytes == taking._offered_bytes)
        taking.take(said(2000))
    (path,) = tmp_path.iterdir()
    assert len(list(read_recording(path))) == 101


class Wrong(RecordingFolder):
    """A mistake in the code, once."""

    wrong = True

    def take(self, came: Sequence[Received | AlertRaised], now_s: float) -> None:
        if self.wrong:
            self.wrong = False
            raise ZeroDivisionError("by nothing")
        super().take(came, now_s)


def test_a_mistake_ends_no_recording_for_good(tmp_path: Path) -> None:
    now_s = 0.0
    with Recorder(Wrong(tmp_path, 1, ROOMY, time.time, lambda _: 1 << 40), lambda: now_s) as taking:
        taking.take(said(1))
        until(lambda: "by nothing" in str(dict(taking.troubles())["recording"]))
        now_s = 10.0
        until(lambda: dict(taking.troubles())["recording"] is None)
        taking.take(said(2))
    (path,) = tmp_path.iterdir()
    assert [one.payload for one in read_recording(path) if isinstance(one, Published)] == [b"2"]
