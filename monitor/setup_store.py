"""Writes set-ups: the new text is there at once and whole, and the old one is kept beside it.

Owns which file a table's set-up is in, backups and the exchange. Refuses to know what is in it (`hw.setup_text`).
"""

import contextlib
import os
from pathlib import Path

from msgspec import Struct

from hw.calibration import CellCalibration, TableSetup
from hw.setup_text import NoSetup, SetupChange, merged_setup, tile_set_text
from monitor.errors import UnusableFileError
from monitor.settings_file import SettingsFile


class Written(Struct, frozen=True):
    """What was written; `backup`: where the old text is, `None` where there was none."""

    path: Path
    backup: Path | None


def table_index(file: SettingsFile, table: str) -> int:
    """The number of a table in the settings; raises `SettingsError` where there is none of that name."""
    names = [one.name for one in file.settings.tables]
    if table not in names:
        raise file.error(("tables",), f"there is no table {table}", f"Known here: {', '.join(names)}")
    return names.index(table)


def setup_path(file: SettingsFile, index: int) -> Path:
    """The set-up file of a table, which may be yet to be made; raises `SettingsError` where the settings name none."""
    table = file.settings.tables[index]
    if table.setup is None:
        advice = f'Add setup = "{table.name.lower()}.setup.json"; the file is made when it is missing'
        raise file.error(("tables", index), f"table {table.name} names no set-up file to write to", advice)
    return file.resolve(table.setup)


def write_setup(file: SettingsFile, index: int, change: SetupChange) -> Written:
    """Lay a change into a table's set-up file; tiles go where the settings have them.

    Raises `SettingsError` where what is written would not count: the settings' own figures lie over the file's.
    """
    table = file.settings.tables[index]
    if change.tiles is not None and table.tiles is not None:
        return _exchange(file.resolve(table.tiles), tile_set_text(change.tiles))
    return _exchange(setup_path(file, index), _merged(file, index, change))


def check_writable(file: SettingsFile, index: int, cell: str) -> None:
    """Raise what `write_setup` would raise for a calibration of a cell, before anybody has taken the trouble."""
    trial = CellCalibration(counts_per_g=1.0, zero_counts=0.0, tile_g=12.0)
    _merged(file, index, SetupChange(calibration={cell: trial}))


def _merged(file: SettingsFile, index: int, change: SetupChange) -> bytes:
    table, path = file.settings.tables[index], setup_path(file, index)
    for cell in change.calibration:
        if cell in table.calibration:
            where = ("tables", index, "calibration", cell)
            raise file.error(where, "lies over the set-up file, so new figures there would not count", "Take it out")
    merged = merged_setup(_text(path), table.name, change)
    if isinstance(merged, NoSetup):
        raise UnusableFileError(path, f"is no set-up of a table ({merged.problem}); nothing was written")
    return merged


def _text(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise UnusableFileError(path, f"cannot be read: {problem.strerror}") from problem


def _exchange(path: Path, text: bytes) -> Written:
    """Put a text in a file's place: a reader finds the old or the new one, whole, even when the power fails."""
    old = _text(path)
    beside = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        backup = None if old is None else _kept(path, old)
        with beside.open("wb") as new:
            new.write(text)
            new.flush()
            os.fsync(new.fileno())
        if old is not None:
            beside.chmod(path.stat().st_mode)
        beside.replace(path)
    except OSError as problem:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise UnusableFileError(path, f"cannot be written: {problem.strerror}") from problem
    return Written(path, backup)


def _kept(path: Path, old: bytes) -> Path:
    """A copy under a number that was not taken."""
    number = 1
    while True:
        backup = path.with_name(f"{path.name}.{number}.bak")
        try:
            with backup.open("xb") as copy:
                copy.write(old)
                os.fsync(copy.fileno())
        except FileExistsError:
            number += 1
        else:
            return backup


def enrolled_so_far(file: SettingsFile, index: int) -> TableSetup:
    """The table's tiles as the settings have them; none where a file is yet to be made. Raises `SettingsError`."""
    table = file.settings.tables[index]
    named = table.tiles if table.tiles is not None else table.setup
    if named is None or not file.resolve(named).exists():
        return TableSetup(table.name)
    return file.table_setup(index)
