"""Writes events and alerts as JSON lines: the output side of `replay` and `judge`.

Owns the files; tile identities are left out unless asked for. An absent path means the stream is not wanted. No file
that the command reads is written, and none is written twice.
"""

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import msgspec

from monitor.alerts import Alert, Rule
from monitor.errors import UnusableFileError
from monitor.events import Event, without_identities
from monitor.rules.explain import explain as explain_alert


class Streams:
    """Two files open for writing; use as a context manager. Whatever it does may raise `UnusableFileError`."""

    def __init__(
        self,
        events: Path | None,
        alerts: Path | None,
        *,
        inputs: Sequence[Path] = (),
        identities: bool = False,
        explain: bool = False,
    ) -> None:
        """Open what is wanted, unless it is one of `inputs`, which the command reads, or both are one file.

        `explain`: an alert that is no mere notice gets the key `explanation`, the text that the screen shows.
        """
        _refuse_overlap(events, alerts, inputs)
        self._events = _open(events)
        self._alerts = _open(alerts)
        self._identities = identities
        self._explain = explain
        self._encode = msgspec.json.Encoder().encode

    def event(self, event: Event) -> None:
        """Append an event, without its identities unless they were asked for."""
        if self._events is not None:
            self._events.write(self._encode(event if self._identities else without_identities(event)) + b"\n")

    def alert(self, alert: Alert) -> None:
        """Append an alert."""
        if self._alerts is not None:
            told = _explained(alert) if self._explain and alert.rule is not Rule.WINDOW_CLOSED else alert
            self._alerts.write(self._encode(told) + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._events is not None:
                self._events.close()
        finally:
            if self._alerts is not None:
                self._alerts.close()


class _Explained(Alert, frozen=True, kw_only=True, omit_defaults=True):
    explanation: str


def _explained(alert: Alert) -> _Explained:
    return _Explained(**msgspec.structs.asdict(alert), explanation=explain_alert(alert).as_text())


class _Output:
    """A file open for writing that says which one it is when the disk is full."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self._file = file

    def write(self, line: bytes) -> None:
        try:
            self._file.write(line)
        except OSError as error:
            raise _unwritable(self._path, error) from error

    def close(self) -> None:
        try:
            self._file.close()
        except OSError as error:
            raise _unwritable(self._path, error) from error


def _open(path: Path | None) -> _Output | None:
    if path is None:
        return None
    try:
        return _Output(path, path.open("wb"))
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> UnusableFileError:
    return UnusableFileError(path, f"cannot be written: {error.strerror}")


def _refuse_overlap(events: Path | None, alerts: Path | None, inputs: Sequence[Path]) -> None:
    for output in (events, alerts):
        for read in inputs:
            if output is not None and _is_same(output, read):
                raise UnusableFileError(output, "is read by this command and would be lost. Write to another file")
    if events is not None and alerts is not None and _is_same(events, alerts):
        raise UnusableFileError(alerts, "is to hold both events and alerts. Give each a file of its own")


def _is_same(one: Path, other: Path) -> bool:
    """Whether two paths, there or not yet, name one file. Devices do not count: two streams may share `/dev/null`."""
    try:
        return one.samefile(other) and one.is_file()
    except OSError:
        return one.resolve() == other.resolve()
