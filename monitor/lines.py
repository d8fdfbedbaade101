"""Events and alerts as JSON lines, as the director may see them: appended to files, or to standard output (`-`).

Owns the files while the monitor runs. A record is written when it is durable in the log, and flushed at once.
"""

import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from monitor.alerts import Alert
from monitor.errors import UnusableFileError
from monitor.events import Event

STDOUT = "-"
_encode = msgspec.json.Encoder().encode


class LineFiles:
    """Up to two files; close it at the end."""

    def __init__(
        self,
        events: str | None,
        alerts: str | None,
        notice: Callable[[str, str | None], None] = lambda _about, _text: None,
    ) -> None:
        """Paths, `-`, or `None` where a stream is not wanted. Raises `UnusableFileError`.

        `notice` is told when a file can no longer be written; that file ends there.
        """
        self._notice = notice
        self._stack = ExitStack()
        self._events = self._open(events)
        self._alerts = self._open(alerts)

    def write(self, _table: str, record: Event | Alert) -> None:
        """Append a record to the file that is meant for it."""
        file = self._alerts if isinstance(record, Alert) else self._events
        if file is None:
            return
        try:
            file.write(_encode(record) + b"\n")
            file.flush()
        except (OSError, ValueError) as problem:  # ValueError: somebody closed standard output
            self._notice(
                "JSON lines", f"{file.name} cannot be written ({problem}) and ends here; the event log goes on."
            )
            if file is not sys.stdout.buffer:
                with suppress(OSError):
                    file.close()
            self._events = None if self._events is file else self._events
            self._alerts = None if self._alerts is file else self._alerts

    def close(self) -> None:
        """Close what was opened here."""
        self._stack.close()

    def _open(self, name: str | None) -> BinaryIO | None:
        if name is None:
            return None
        if name == STDOUT:
            return sys.stdout.buffer
        path = Path(name)
        try:
            return self._stack.enter_context(path.open("ab"))
        except OSError as problem:
            raise UnusableFileError(path, f"cannot be written: {problem.strerror}") from problem
