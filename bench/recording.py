"""Recording: what the recordings of a season cost, beside the plain writer of one file, on one simulated hand."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import msgspec
import uvloop
from msgspec import Struct

from bench import Row
from firmware_bridge.received import Received
from firmware_bridge.recording import RecordingWriter
from hw.simulator.case import received_of, simulate_evening
from hw.simulator.options import Options, Tier
from monitor.recordings.folder import Limits, RecordingFolder
from monitor.recordings.recorder import BATCH, Recorder

_SEED = 9001
_TABLES = 100
_HALL_S = 8.0
_TICK_S = 0.001


def rows() -> Iterator[Row]:
    """Messages a second of one core, what the event loop pays, and how it is held up in a hall of a hundred tables."""
    received = received_of(simulate_evening(Options(seed=_SEED, tier=Tier.HYBRID)))
    with TemporaryDirectory() as place:
        plain_s = _plain(Path(place, "plain.recording.jsonl.gz"), received)
        plain_bytes = Path(place, "plain.recording.jsonl.gz").stat().st_size
        ours_s = _ours(_folder(Path(place, "ours")), received)
        ours_bytes = sum(path.stat().st_size for path in Path(place, "ours").iterdir())
        paid_s = _paid(_folder(Path(place, "paid")), received)
        quiet = uvloop.run(_waits([], _nothing))
        with RecordingWriter(Path(place, "hall.recording.jsonl.gz")) as writer:
            plain = uvloop.run(_waits(received, _flushing(writer)))
        hall = Recorder(_folder(Path(place, "hall")), time.monotonic)
        with hall:
            ours = uvloop.run(_waits(received, hall.take))
    per_s = len(received) / received[-1].at_s
    figure = f"{len(received) / ours_s / 1e3:.0f} k messages/s, a table sends {per_s:.0f}/s"
    yield Row("recording", figure, plain_s / ours_s, "one file of level 9 (speed)")
    yield Row("recording size", f"{ours_bytes / 1e6:.2f} MB", ours_bytes / plain_bytes, "one file of level 9 (size)")
    figure = f"{paid_s / len(received) * 1e6:.2f} µs a message"
    yield Row("recording in the event loop", figure, plain_s / paid_s, "one file of level 9 (speed)")
    lost = dict(hall.troubles())["recording lost"] or "none lost"
    figure = f"{ours.sent / _HALL_S / 1e3:.1f} k/s, {lost}; loop late by {ours}, plain {plain}, without {quiet}"
    yield Row(f"recording {_TABLES} tables", figure, plain.most_s / ours.most_s, "one file of level 9 (late, 99 %)")


def _folder(path: Path) -> RecordingFolder:
    return RecordingFolder(path, 1, Limits(64 << 20, 86_400.0), time.time)


def _plain(path: Path, received: Sequence[Received]) -> float:
    began, flushed_s = perf_counter(), 0.0
    with RecordingWriter(path) as writer:
        for one in received:
            writer.write(one)
            if one.at_s - flushed_s >= 1.0:
                writer.flush()
                flushed_s = one.at_s
    return perf_counter() - began


def _ours(folder: RecordingFolder, received: Sequence[Received]) -> float:
    began, flushed_s = perf_counter(), 0.0
    for first in range(0, len(received), BATCH):
        batch = received[first : first + BATCH]
        now_s = batch[-1].at_s
        folder.take(batch, now_s)
        if now_s - flushed_s >= 1.0:
            folder.tick(now_s)
            flushed_s = now_s
    folder.close(received[-1].at_s)
    return perf_counter() - began


def _paid(folder: RecordingFolder, received: Sequence[Received]) -> float:
    """What `take` costs its caller while the thread works."""
    spent_s = 0.0
    with Recorder(folder, time.monotonic) as recorder:
        for first in range(0, len(received), BATCH):
            began = perf_counter()
            for one in received[first : first + BATCH]:
                recorder.take(one)
            spent_s += perf_counter() - began
            time.sleep(_TICK_S)
    return spent_s


class _Waits(Struct, frozen=True):
    """How many messages came, and by how much each tick of the loop was late, sorted."""

    sent: int
    late_s: list[float]

    @property
    def most_s(self) -> float:
        """99 ticks of 100 are no later."""
        return self.late_s[len(self.late_s) * 99 // 100]

    def __str__(self) -> str:
        most_s = self.late_s[len(self.late_s) * 999 // 1000]
        return f"{self.most_s * 1e3:.1f} ms (99 %), {most_s * 1e3:.1f} (99.9 %)"


async def _waits(received: Sequence[Received], take: Callable[[Received], None]) -> _Waits:
    """Play a hall for a while."""
    late_s: list[float] = []
    sent = 0
    began_s = time.monotonic()
    per_s = _TABLES * len(received) / received[-1].at_s if received else 0.0
    due_s = began_s
    while (now_s := time.monotonic()) - began_s < _HALL_S:
        late_s.append(max(0.0, now_s - due_s))
        for _ in range(int((now_s - began_s) * per_s) - sent):
            take(msgspec.structs.replace(received[sent % len(received)], at_s=now_s))
            sent += 1
        due_s = time.monotonic() + _TICK_S
        await asyncio.sleep(_TICK_S)
    return _Waits(sent, sorted(late_s))


def _nothing(_received: Received) -> None:
    """What a loop does that records nothing."""


def _flushing(writer: RecordingWriter) -> Callable[[Received], None]:
    """The plain writer, flushed each second as the recordings are."""
    flushed_s = 0.0

    def take(received: Received) -> None:
        nonlocal flushed_s
        writer.write(received)
        if received.at_s - flushed_s >= 1.0:
            writer.flush()
            flushed_s = received.at_s

    return take
