"""One recording while it is written: its lock, its bytes, its end.

Owns the open file. Refuses to know when a file begins and ends, and which are kept. Made under a name that says that it
is being written, locked against every other monitor, renamed when it is whole. Every method raises `OSError` where the
disk does; the file is to be abandoned then, and `monitor.recordings.mending` makes it whole later.
"""

import fcntl
import os
import zlib
from pathlib import Path
from typing import BinaryIO, Final

from monitor.recordings.names import RecordingName

LEVEL: Final = 6
"""Within four hundredths of the size of level 9, in a third of its time (`make bench`)."""
CHUNK_BYTES: Final = 1 << 16
"""Our choice: lines are compressed so many at a time, outside the interpreter's lock."""
_OVERHEAD_BYTES: Final = 64
"""Header, a flush's mark, last block and tail."""
_GROWTH: Final = 1000
"""What cannot be compressed is stored, with 5 bytes for each 16 kB or so (RFC 1951); here one byte in so many."""


class PartFile:
    """A recording that is being written. `began_s`: the host's second which it counts as 0."""

    def __init__(self, folder: Path, name: RecordingName, began_s: float, opened_s: float) -> None:
        """Raises `FileExistsError` where there is, or was a moment ago, a recording of that name."""
        self.name = name
        self.began_s = began_s
        self.opened_s = opened_s
        self.unflushed = 0
        """Lines since the last flush: what a crash would cost."""
        self._folder = folder
        self._file: BinaryIO = _made(folder, name)
        self._stream = zlib.compressobj(LEVEL, zlib.DEFLATED, zlib.MAX_WBITS | 16)
        self._lines: list[bytes] = []
        self._waiting_bytes = 0
        self._inside_bytes = 0
        self._written_bytes = 0

    @property
    def empty(self) -> bool:
        """Whether there is no line yet."""
        return self._written_bytes + self._inside_bytes + self._waiting_bytes == 0

    @property
    def path(self) -> Path:
        """Where it is at present."""
        return self._folder / str(self.name)

    def most_bytes(self, more_bytes: int = 0) -> int:
        """What the file would be at most, ended after so many bytes more."""
        raw = self._inside_bytes + self._waiting_bytes + more_bytes
        return self._written_bytes + raw + raw // _GROWTH + _OVERHEAD_BYTES

    def add(self, line: bytes) -> None:
        """Add a line. Buffered: see `flush`."""
        self._lines.append(line)
        self._waiting_bytes += len(line)
        if self._waiting_bytes >= CHUNK_BYTES:
            self._compress()
        self.unflushed += 1

    def flush(self) -> None:
        """Hand everything so far to the system, so that a reader finds it and a crash does not cost it."""
        if self.unflushed:
            self._compress()
            self._write(self._stream.flush(zlib.Z_SYNC_FLUSH))
            self._inside_bytes = 0
            self.unflushed = 0

    def mark_alert(self) -> None:
        """An alert was raised in its time: the name says so from now on."""
        if not self.name.alert:
            marked = self.name.with_alert()
            self.path.rename(self._folder / str(marked))
            self.name = marked

    def end(self) -> RecordingName:
        """End the file and give it the name of a whole one, which is returned."""
        self._compress()
        self._write(self._stream.flush(zlib.Z_FINISH))
        os.fsync(self._file.fileno())
        self.unflushed = 0
        whole = self.name.whole()
        self.path.rename(self._folder / str(whole))
        self._file.close()
        return whole

    def abandon(self) -> None:
        """Let go of a file that cannot be written; it stays as it is."""
        self._file.close()

    def _compress(self) -> None:
        text = b"".join(self._lines)
        self._lines.clear()
        self._waiting_bytes = 0
        self._inside_bytes += len(text)
        self._write(self._stream.compress(text))

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            done = self._file.write(rest)
            self._written_bytes += done
            rest = rest[done:]


def lock(file: BinaryIO) -> bool:
    """Lock an open recording for this process, or say that another writes it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _made(folder: Path, name: RecordingName) -> BinaryIO:
    """A new file, locked. Looks for other forms of the name in the order in which another monitor would rename its own,
    so that none is missed."""
    path = folder / str(name)
    file: BinaryIO = path.open("xb", buffering=0)
    try:
        marked = name.with_alert()
        taken = any((folder / str(other)).exists() for other in (marked, name.whole(), marked.whole()))
        # somebody who makes leftovers whole may have been quicker with the lock
        if taken or not lock(file) or not _same(file, path):
            raise FileExistsError(f"{name} exists")
    except OSError:
        if _same(file, path):
            path.unlink()
        file.close()
        raise
    return file


def _same(file: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat(follow_symlinks=False))
    except FileNotFoundError:
        return False
