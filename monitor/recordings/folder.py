"""The recordings of one run in their folder: when a file begins and ends, and what becomes of those that are there.

Owns the folder's present file and the carrying out of what `retention` decides. Refuses to know threads and whom to
tell. Time is handed in: `now_s` is the host's, `utc` the wall clock, which dates names and ages. A disk that fails is a
value (`trouble`): the file is let go, what comes is counted as lost, and after `RETRY_S` a new file is tried.

    no file ── a message, and there is room ──▶ writing ── size, age, stop ──▶ ended, renamed ──▶ no file
       ▲                                           │
       └── RETRY_S later: leftovers made whole ◀── trouble (disk, folder, room)
"""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import structlog
from msgspec import Struct

from firmware_bridge.received import Received
from firmware_bridge.recording import encode_line
from monitor.recordings.mending import mend
from monitor.recordings.names import RecordingName, parse_name
from monitor.recordings.part_file import PartFile, lock
from monitor.recordings.retention import HAND_S, RecordingFile, Retention, excess_bytes, removals

RETRY_S: Final = 5.0
LOOK_S: Final = 60.0
"""How often the folder is looked through, beside each time that a file begins; our choice."""
RESERVE_BYTES: Final = 100 << 20
"""Our choice: a recording leaves so much of the disk to the event log."""
_TRIES: Final = 100

_log = structlog.get_logger("rackwatch.recordings")


class AlertRaised(Struct, frozen=True):
    """Stands between messages: an alert above notice was raised now."""


class Limits(Struct, frozen=True):
    """When a file ends, and which are kept."""

    file_bytes: int
    file_s: float
    retention: Retention = Retention()


class FolderState(Struct, frozen=True):
    """What there is to say. `lost`: messages that are in no file; `removed`, `mended`: files so far."""

    trouble: str | None = None
    lost: int = 0
    removed: int = 0
    removed_bytes: int = 0
    removed_at_s: float = float("-inf")
    mended: int = 0


def _free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free


class RecordingFolder:
    """Where one run's readings are written. Not for two threads."""

    def __init__(
        self,
        folder: Path,
        run: int,
        limits: Limits,
        utc: Callable[[], float],
        free_bytes: Callable[[Path], int] = _free_bytes,
    ) -> None:
        """`utc` gives seconds since 1970. Nothing is touched before `tick` or `take`."""
        self._folder = folder
        self._run = run
        self._limits = limits
        self._utc = utc
        self._free_bytes = free_bytes
        self._file: PartFile | None = None
        self._parts = 0
        self._run_began_s: float | None = None
        self._hopeless: set[str] = set()
        self._trouble: str | None = None
        self._retry_at_s = float("-inf")
        self._look_at_s = float("-inf")
        self._lost = self._removed = self._removed_bytes = self._mended = 0
        self._removed_at_s = float("-inf")

    @property
    def state(self) -> FolderState:
        """How it is doing."""
        return FolderState(
            self._trouble, self._lost, self._removed, self._removed_bytes, self._removed_at_s, self._mended
        )

    def take(self, came: Sequence[Received | AlertRaised], now_s: float) -> None:
        """Write down what came, in order; what cannot be written is counted."""
        for one in came:
            try:
                if isinstance(one, AlertRaised):
                    self._mark()
                elif not self._write(one, now_s):
                    self._lost += 1
            except OSError as problem:
                self._lost += not isinstance(one, AlertRaised)
                self.fail(problem.strerror or str(problem), now_s)

    def tick(self, now_s: float) -> None:
        """Let time pass: flush, end a file that is old enough, look after the folder. Call it each second."""
        try:
            if self._file is not None:
                self._file.flush()
                self._trouble = None
                if now_s - self._file.opened_s >= self._limits.file_s:
                    self._end()
                elif (why := self._short_of_room()) is not None:
                    self._end()
                    self._pause(why, now_s)
            if self._file is None and self._trouble is not None and now_s >= self._retry_at_s:
                if self._make_ready(now_s):
                    self._trouble = None
            elif now_s >= self._look_at_s:
                self._make_ready(now_s)
        except OSError as problem:
            self.fail(problem.strerror or str(problem), now_s)

    def close(self, now_s: float) -> None:
        """End the present file."""
        try:
            self._end()
        except OSError as problem:
            self.fail(problem.strerror or str(problem), now_s)

    def fail(self, why: str, now_s: float) -> None:
        """Let go of the present file, and try another later."""
        if self._file is not None:
            self._lost += self._file.unflushed
            self._file.abandon()
            self._file = None
        self._pause(why, now_s)

    def _pause(self, why: str, now_s: float) -> None:
        if self._trouble is None:
            _log.error("readings cannot be recorded", folder=str(self._folder), why=why)
        self._trouble = why
        self._retry_at_s = now_s + RETRY_S

    def _write(self, received: Received, now_s: float) -> bool:
        """Whether it is in a file."""
        file = self._file or self._open(received, now_s)
        if file is None:
            return False
        line = self._line(file, received)
        if file.most_bytes(len(line)) > self._limits.file_bytes:
            file.flush()
            if file.most_bytes(len(line)) > self._limits.file_bytes:
                self._end()
                file = self._open(received, now_s)
                if file is None:
                    return False
                line = self._line(file, received)
        file.add(line)
        return True

    def _line(self, file: PartFile, received: Received) -> bytes:
        """The first line of each file tells which second of the run is its 0."""
        run_s = round(file.began_s - (self._run_began_s or 0.0), 6) if file.empty else None
        return encode_line(received, file.began_s, run_s)

    def _open(self, first: Received, now_s: float) -> PartFile | None:
        if (self._trouble is not None and now_s < self._retry_at_s) or not self._make_ready(now_s):
            return None
        began = datetime.fromtimestamp(self._utc(), UTC).replace(microsecond=0)
        if self._run_began_s is None:
            self._run_began_s = first.at_s
        # whole microseconds between files, so that files laid end to end have the times of one that was never cut
        began_s = self._run_began_s + round(first.at_s - self._run_began_s, 6)
        for _ in range(_TRIES):
            self._parts += 1
            name = RecordingName(began, self._run, self._parts, being_written=True)
            try:
                self._file = PartFile(self._folder, name, began_s, now_s)
            except FileExistsError:
                continue  # another monitor of another log, of the same number and second
            return self._file
        self._pause("another monitor takes every name", now_s)
        return None

    def _end(self) -> None:
        if self._file is not None:
            self._file.end()
            self._file = None

    def _mark(self) -> None:
        """Mark the present file, and those that ended so lately that the alert's hand may have begun in them."""
        if self._file is not None:
            self._file.mark_alert()
        for file in list(self._files()):
            if file.name.being_written or file.name.alert or not 0.0 <= self._utc() - file.ended_utc_s <= HAND_S:
                continue
            try:
                (self._folder / str(file.name)).rename(self._folder / str(file.name.with_alert()))
            except OSError as problem:
                _log.error("a recording cannot be marked", file=str(file.name), why=problem.strerror)

    def _make_ready(self, now_s: float) -> bool:
        """Look after the folder; say whether a file may begin, or go on, in it."""
        self._look_at_s = now_s + LOOK_S
        self._folder.mkdir(parents=True, exist_ok=True)
        if not os.access(self._folder, os.W_OK | os.X_OK):
            raise PermissionError(f"{self._folder} may not be written")
        self._mend_leftovers()
        why = self._make_room(now_s) or self._short_of_room()
        if self._file is None and why is not None:
            self._pause(why, now_s)
        return why is None

    def _short_of_room(self) -> str | None:
        free = self._free_bytes(self._folder)
        if free >= RESERVE_BYTES:
            return None
        return f"only {free >> 20} MB are free, and {RESERVE_BYTES >> 20} MB are left to the event log"

    def _make_room(self, now_s: float) -> str | None:
        """Remove what the settings do not keep; say what stands in the way of the limit."""
        files, retention, reserve_bytes = list(self._files()), self._limits.retention, self._limits.file_bytes
        there = {str(file.name): file for file in files}
        for removal in removals(files, retention, self._utc(), reserve_bytes):
            name = str(removal.file.name)
            try:
                (self._folder / name).unlink(missing_ok=True)
            except OSError as problem:
                _log.error("a recording cannot be removed", file=name, why=problem.strerror)
                continue
            del there[name]
            self._removed += 1
            self._removed_bytes += removal.file.size_bytes
            self._removed_at_s = now_s
            _log.info("a recording is removed", file=name, why=str(removal.reason), bytes=removal.file.size_bytes)
        if excess_bytes(list(there.values()), retention, reserve_bytes) <= 0:
            return None
        return "the folder holds as much as total_mb, and nothing in it can be removed"

    def _files(self) -> Iterator[RecordingFile]:
        """All recordings but the present one; links and whatever has another name are none."""
        present = None if self._file is None else str(self._file.name)
        with os.scandir(self._folder) as entries:
            for entry in entries:
                name = parse_name(entry.name)
                if name is None or entry.name == present or not entry.is_file(follow_symlinks=False):
                    continue
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                yield RecordingFile(name, status.st_size, status.st_mtime)

    def _mend_leftovers(self) -> None:
        for file in list(self._files()):
            if file.name.being_written and str(file.name) not in self._hopeless:
                try:
                    self._mend(file.name)
                except FileNotFoundError:
                    continue  # another monitor has just ended or made it whole
                except OSError as problem:
                    self._hopeless.add(str(file.name))
                    _log.error("a recording cannot be made whole", file=str(file.name), why=str(problem))

    def _mend(self, name: RecordingName) -> None:
        path, whole = self._folder / str(name), self._folder / str(name.whole())
        if whole.exists():
            raise FileExistsError(f"{whole.name} exists")
        with path.open("rb") as file:
            if not lock(file):
                return  # another monitor is writing it
            status = path.stat()
            mended = mend(path)
            if mended.text_bytes == 0:
                path.unlink()
                return
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
            path.rename(whole)
        self._mended += 1
        _log.warning("a recording that was cut off is whole again", file=whole.name, cut_bytes=mended.cut_bytes)
