"""A recording as a transport: damaged lines, pace, leaving early."""

import time
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from firmware_bridge.errors import RecordingFileError
from firmware_bridge.received import Published
from firmware_bridge.recording import encode_line
from firmware_bridge.transports.replay import ReplayTransport
from firmware_bridge.transports.transport import LinkState
from tests.firmware_bridge.transports.waiting import receive


def recording(folder: Path, times_s: list[float], damage: bytes = b"") -> Path:
    path = folder / "r.jsonl"
    path.write_bytes(damage + b"".join(encode_line(Published(at_s, "t", b"x")) for at_s in times_s))
    return path


async def test_damaged_lines_are_logged_with_their_number_and_counted(tmp_path: Path) -> None:
    near = ReplayTransport(recording(tmp_path, [1.0], b"{\n" * 30))
    with capture_logs() as logs:
        async with near:
            got = [received async for received in near]
    assert [one.at_s for one in got] == [1.0]
    assert near.bad_lines == 30
    assert [entry["line"] for entry in logs] == list(range(1, 21))
    assert near.health[0].detail == "30 damaged lines"


async def test_a_file_that_is_not_there_is_told_on_entering(tmp_path: Path) -> None:
    near = ReplayTransport(tmp_path / "missing.jsonl")
    with pytest.raises(RecordingFileError):
        await near.__aenter__()


async def test_as_fast_as_it_is_consumed_it_never_waits(tmp_path: Path) -> None:
    times_s = [float(n) for n in range(1000)]
    async with ReplayTransport(recording(tmp_path, times_s)) as near:
        assert [one.at_s async for one in near] == times_s
        assert near.health[0].state is LinkState.CLOSED


async def test_at_the_pace_of_life_nothing_comes_before_its_time(tmp_path: Path) -> None:
    late_s: list[float] = []
    began_s: list[float] = []
    async with ReplayTransport(recording(tmp_path, [5.0, 5.1, 5.25, 5.3]), speed=2.0) as near:
        async for received in near:
            now_s = time.monotonic()
            began_s.append(now_s)
            late_s.append(now_s - began_s[0] - (received.at_s - 5.0) / 2.0)
    assert len(late_s) == 4
    assert min(late_s) > -0.02


async def test_leaving_ends_a_replay_that_waits(tmp_path: Path) -> None:
    near = ReplayTransport(recording(tmp_path, [0.0, 3600.0]), speed=1.0)
    async with near:
        assert (await receive(near)).at_s == 0.0
    assert [received async for received in near] == []
