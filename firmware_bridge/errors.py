"""Every exception this package raises. What the world does wrong (damaged bytes, lost messages, a port pulled out, a
broker gone) is a value or a count, never one of these; they are for a caller's mistake or an unusable environment.

    FirmwareBridgeError
    ├── RecordingFileError     a recording cannot be opened, or would overwrite one
    ├── NotEncodableError           a message that the wire has no form for
    └── TransportMisuseError        a transport used outside its context, or entered twice
"""

import re
from pathlib import Path


class FirmwareBridgeError(Exception):
    """Root of this package's exceptions."""


class RecordingFileError(FirmwareBridgeError):
    """The recording at `path` cannot be read or made; `reason` is the system's."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class NotEncodableError(FirmwareBridgeError):
    """`field` of a message holds what the wire has no form for; `reason` says what would do."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class TransportMisuseError(FirmwareBridgeError):
    """A transport was used in a way its contract excludes."""


def plain_reason(reason: str) -> str:
    """A system's reason without its number: `[Errno 111] Connection refused` is `connection refused`."""
    words = re.sub(r"^\[Errno -?\d+\] ", "", reason)
    return words if words == reason else words[:1].lower() + words[1:]
