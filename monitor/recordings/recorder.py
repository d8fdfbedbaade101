"""Writes readings down beside the event loop: a bounded queue, and the thread that compresses and writes.

Owns the queue and the thread. Refuses to know files. The event loop only appends to a queue; the thread takes what is
there ten times a second. Where the disk is slower than what comes, the queue fills, and what finds no room is dropped
and counted. Nothing here ever stops the monitor.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final, Self

import structlog

from firmware_bridge.received import Published, Received
from monitor.recordings.folder import AlertRaised, FolderState, RecordingFolder

TAKE_S: Final = 0.1
FLUSH_TAKES: Final = 10
"""A file is flushed each second: what a crash costs at most."""
QUEUE_BYTES: Final = 64 << 20
"""Our choice: a dozen seconds of a hall of a hundred tables, some twenty minutes of one table, at a disk that hangs."""
MESSAGE_BYTES: Final = 300
"""What a message in the queue takes beside its payload, roughly; our choice."""
BATCH: Final = 20
"""Our choice: so many messages are taken at a time, a tenth of a millisecond; then the event loop may go first."""
STOP_S: Final = 10.0
"""How long stopping waits for the disk; our choice."""
REMEMBER_S: Final = 60.0
"""How long a removal stays on the director's page; our choice."""

_log = structlog.get_logger("rackwatch.recordings")


class Recorder:
    """Takes what arrives while the context lasts."""

    def __init__(self, folder: RecordingFolder, clock: Callable[[], float]) -> None:
        """`clock` gives the host's seconds; the folder belongs to the recorder's thread from now on."""
        self._folder = folder
        self._clock = clock
        self._queue: deque[Received | AlertRaised] = deque()
        self._offered_bytes = 0  # written by the event loop alone
        self._taken_bytes = 0  # written by the thread alone
        self._dropped = 0
        self._state = FolderState()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recordings", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(STOP_S)
        if self._thread.is_alive():
            _log.error("the disk of the recordings does not answer; what it has not taken is lost")

    def take(self, received: Received) -> None:
        """Queue what was received; never waits."""
        size = _size(received)
        if self._offered_bytes - self._taken_bytes + size > QUEUE_BYTES:
            self._dropped += 1
            return
        self._offered_bytes += size
        self._queue.append(received)

    def alert(self) -> None:
        """An alert above notice was raised; never waits."""
        self._queue.append(AlertRaised())

    def troubles(self) -> Iterator[tuple[str, str | None]]:
        """What there is to say: what about, and a sentence, or `None` where it is well."""
        state, lost = self._state, self._state.lost + self._dropped
        why = state.trouble
        yield "recording", None if why is None else f"Readings are not recorded ({why}). It is tried again."
        yield "recording lost", f"{lost} readings were not recorded." if lost else None
        lately = self._clock() - state.removed_at_s < REMEMBER_S
        removed = f"{state.removed} old recordings ({state.removed_bytes >> 20} MB) were removed so far, as set."
        yield "recordings removed", removed if lately else None

    def _run(self) -> None:
        takes = 0
        stopping = False
        while not stopping:
            stopping = self._stop.wait(TAKE_S)
            try:
                self._work_off()
                if takes % FLUSH_TAKES == 0:
                    self._folder.tick(self._clock())
                if stopping:
                    self._folder.close(self._clock())
            except Exception as problem:  # the thread's top: whatever is wrong here must not end the recording for good
                _log.exception("the recording stumbled")
                self._folder.fail(f"{type(problem).__name__}: {problem}", self._clock())
            takes += 1
            self._state = self._folder.state

    def _work_off(self) -> None:
        """Write down what is there now; what comes meanwhile waits for the next time, so that flushes come in time."""
        for _ in range(0, len(self._queue), BATCH):
            batch = [self._queue.popleft() for _ in range(min(BATCH, len(self._queue)))]
            try:
                self._folder.take(batch, self._clock())
            finally:
                time.sleep(0.0)  # lets go of the interpreter, which the event loop may be waiting for
                self._taken_bytes += sum(_size(one) for one in batch if not isinstance(one, AlertRaised))


def _size(received: Received) -> int:
    payload = received.payload if isinstance(received, Published) else received.data
    return MESSAGE_BYTES + len(payload)
