"""Keeps a second writer away from an event log: an advisory lock on a file beside it.

The lock belongs to the process and goes with it, however it ends; what the file holds (the holder's process id) is
for the message only. Readers need no lock.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from monitor.errors import LogError, LogInUseError


class WriterLock:
    """Held from creation to `release`."""

    def __init__(self, log: Path) -> None:
        """Raises `LogInUseError` where another process holds it, `LogError` where the folder cannot be written."""
        path = _beside(log)
        try:
            self._file = path.open("a+b", buffering=0)
        except OSError as problem:
            said = f"its folder cannot be written ({problem.strerror})"
            raise LogError(log, f"{said}. Copy log and key to where they can be, or set [log] path") from problem
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            self._file.seek(0)
            holder = self._file.read(16).decode("ascii", "replace").strip()
            self._file.close()
            raise LogInUseError(log, holder) from problem
        with suppress(OSError):  # on a full disk it is held all the same
            self._file.truncate(0)
            self._file.write(str(os.getpid()).encode())

    def release(self) -> None:
        """Let another writer in. The file stays: removing it would race with one who waits."""
        self._file.close()


def refuse_if_held(log: Path) -> None:
    """Look whether somebody writes to a log; nothing is made. Raises `LogInUseError` where another process does."""
    try:
        file = _beside(log).open(encoding="ascii")
    except OSError:
        return  # no lock was ever taken, or it is not ours to see
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            raise LogInUseError(log, file.read(16).strip()) from problem


def _beside(log: Path) -> Path:
    real = log.resolve()  # whoever comes by another link finds the same lock
    return real.with_name(real.name + ".lock")
