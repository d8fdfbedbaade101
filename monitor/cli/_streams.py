"""Writes events and alerts as JSON lines: the output side of `replay` and `judge`.

Owns the files; tile identities are left out unless asked for. An absent path means the stream is not wanted.
"""

from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import msgspec

from monitor.alerts import Alert
from monitor.errors import UnusableFileError
from monitor.events import Event, without_identities


class Streams:
    """Two files open for writing; use as a context manager."""

    def __init__(self, events: Path | None, alerts: Path | None, *, identities: bool = False) -> None:
        """Open what is wanted; raises `UnusableFileError`."""
        self._events = _open(events)
        self._alerts = _open(alerts)
        self._identities = identities
        self._encode = msgspec.json.Encoder().encode

    def event(self, event: Event) -> None:
        """Append an event, without its identities unless they were asked for."""
        if self._events is not None:
            self._events.write(self._encode(event if self._identities else without_identities(event)) + b"\n")

    def alert(self, alert: Alert) -> None:
        """Append an alert."""
        if self._alerts is not None:
            self._alerts.write(self._encode(alert) + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file in (self._events, self._alerts):
            if file is not None:
                file.close()


def _open(path: Path | None) -> BinaryIO | None:
    if path is None:
        return None
    try:
        return path.open("wb")
    except OSError as error:
        raise UnusableFileError(path, f"cannot be written: {error.strerror}") from error
