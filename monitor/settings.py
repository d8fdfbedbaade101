"""Settings and set-ups: from TOML and JSON files to typed, frozen structs."""

from pathlib import Path

import msgspec

from hw.calibration import TableSetup
from monitor.errors import UnusableFileError


def load_setup(path: Path) -> TableSetup:
    """Read a table's set-up (JSON); raises `UnusableFileError` that says what is wrong with it."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=TableSetup)
    except OSError as error:
        raise UnusableFileError(path, f"cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise UnusableFileError(path, f"is no set-up of a table: {error}") from error
