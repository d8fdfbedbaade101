"""Reads a settings file (TOML) and the set-ups it names, with the place of every value and of every error.

Owns the way from text to `Settings`: relative paths, provenance, checks that no single value can make, and messages
that name file, line and key. Refuses to know what the settings are for. Read once, at the start.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from hw.calibration import LOAD_CELLS, CalibrationFlaw, TableSetup, calibration_flaws
from monitor.errors import LogError, SettingsError, UnusableFileError
from monitor.foreign_text import (
    TOML,
    UNREADABLE,
    KeyPath,
    complaint_about,
    complaint_about_json,
    dotted,
    suggestion,
    without_bom,
)
from monitor.foreign_toml import complaint_about_toml
from monitor.log.place import LogPlace, log_place
from monitor.settings import SerialSettings, Settings
from monitor.toml_lines import KeyLines

_T = TypeVar("_T")


class SettingRow(Struct, frozen=True):
    """One value and where it comes from: `default`, or the file's line."""

    key: str
    value: str
    origin: str


class _Value(Struct, frozen=True):
    where: KeyPath
    value: object


class SettingsFile:
    """Settings and the file they came from: resolves relative paths and dates errors to lines."""

    def __init__(self, path: Path, settings: Settings, lines: KeyLines) -> None:
        """Use `load_settings`."""
        self.path = path
        self.settings = settings
        self._lines = lines

    def resolve(self, name: str) -> Path:
        """A path in the settings is relative to the settings file; links in it are not followed."""
        try:
            expanded = Path(name).expanduser()
        except RuntimeError as problem:
            raise SettingsError(self.path, None, "", f"{name}: there is no such user's home") from problem
        return Path(os.path.abspath(self.path.parent / expanded))  # noqa: PTH100  # resolve() follows

    def error(self, where: KeyPath, problem: str, advice: str = "") -> SettingsError:
        """An error at the key's line."""
        return SettingsError(self.path, self._lines.line_of(where), dotted(where), problem, advice)

    def rows(self) -> Iterator[SettingRow]:
        """Every setting, whether the file names it or not."""
        for one in _values_in(self.settings, ()):
            line = self._lines.line_of(one.where) if self._lines.has(one.where) else None
            origin = f"{self.path.name}:{line}" if line is not None else "default"
            yield SettingRow(dotted(one.where), _shown(one.value), origin)

    def mqtt_password(self, environment: Mapping[str, str] = os.environ) -> str | None:
        """The broker's password from where the settings say it is; raises `SettingsError` when it is not there."""
        mqtt = self.settings.mqtt
        if mqtt is None:
            return None
        if mqtt.password_env is not None:
            if mqtt.password_env not in environment:
                raise self.error(
                    ("mqtt", "password_env"), f"the environment variable {mqtt.password_env} is not set", "Set it"
                )
            return environment[mqtt.password_env]
        if mqtt.password_file is not None:
            path = self.resolve(mqtt.password_file)
            try:
                return path.read_text(encoding="utf-8").strip("\r\n")
            except (OSError, UnicodeDecodeError) as problem:
                raise self.error(("mqtt", "password_file"), f"{path} cannot be read ({problem})") from problem
        return None

    def table_setup(self, index: int) -> TableSetup:
        """The set-up of table number `index`: its file, with what the settings lay over it."""
        table = self.settings.tables[index]
        setup = TableSetup(table=table.name)
        if table.setup is not None:
            where: KeyPath = ("tables", index, "setup")
            setup = self._read(where, table.setup, TableSetup)
            for flaw in calibration_flaws(setup.calibration):
                raise self.error(where, f"{self.resolve(table.setup)}: {flaw}", _advice(flaw))
        if table.tiles is not None:
            tiles = self._read(("tables", index, "tiles"), table.tiles, dict[str, str])
            setup = msgspec.structs.replace(setup, tiles=tiles)
        return msgspec.structs.replace(setup, table=table.name, calibration={**setup.calibration, **table.calibration})

    def log_place(self) -> LogPlace:
        """Where the event log is. Raises `SettingsError`."""
        if self.settings.log.url is None:
            return log_place(self.resolve(self.settings.log.path))
        try:
            return log_place(self.settings.log.url, self.path.parent)
        except LogError as problem:
            raise self.error(
                ("log", "url"), problem.problem, "It looks like postgresql://user@host/database"
            ) from problem

    def profile(self, index: int) -> str:
        """Profile of table number `index`: a name, or an absolute path."""
        name = self.settings.tables[index].profile
        return str(self.resolve(name)) if name.endswith(".toml") else name

    def _read(self, where: KeyPath, name: str, kind: type[_T]) -> _T:
        path = self.resolve(name)
        try:
            return _decoded(path, kind)
        except OSError as problem:
            raise self.error(where, f"{path} cannot be read ({problem.strerror})") from problem
        except UnusableFileError as problem:
            raise self.error(where, f"{path} does not hold what it should: {problem.problem}") from problem


def load_settings(path: Path) -> SettingsFile:
    """Read and check a settings file. Raises `SettingsError` with file, line and key, and what to do about it."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as problem:
        raise SettingsError(path, None, "", f"cannot be read ({problem.strerror})") from problem
    except UnicodeDecodeError as problem:
        raise SettingsError(path, None, "", "is not UTF-8 text", "Save it as UTF-8") from problem
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as problem:
        found = complaint_about_toml(problem, text)
        raise SettingsError(path, found.line or None, "", found.problem) from problem
    lines = KeyLines(text)
    try:
        settings = msgspec.convert(values, Settings)
    except msgspec.ValidationError as problem:
        complaint = complaint_about(problem, values, Settings, TOML)
        where = complaint.where
        raise SettingsError(path, lines.line_of(where), dotted(where), complaint.problem, complaint.advice) from problem
    file = SettingsFile(path, settings, lines)
    _check(file)
    return file


def load_setup(path: Path) -> TableSetup:
    """Read a table's set-up (JSON); raises `UnusableFileError` that says what is wrong with it."""
    try:
        setup = _decoded(path, TableSetup)
    except OSError as error:
        raise UnusableFileError(path, f"cannot be read: {error.strerror}") from error
    except UnusableFileError as error:
        raise UnusableFileError(path, f"is no set-up of a table: {error.problem}") from error
    for flaw in calibration_flaws(setup.calibration):
        advice = _advice(flaw)
        raise UnusableFileError(path, f"{flaw}. {advice}" if advice else f"{flaw}")
    return setup


def _decoded(path: Path, kind: type[_T]) -> _T:
    """A JSON file as a `kind`; raises `UnusableFileError` that says what is wrong in it, or `OSError`."""
    text = without_bom(path.read_bytes())
    try:
        return msgspec.json.decode(text, type=kind)
    except UNREADABLE as error:
        raise UnusableFileError(path, str(complaint_about_json(error, text, kind))) from error


def _check(file: SettingsFile) -> None:
    """What no single value can tell."""
    settings = file.settings
    for one in _values_in(settings, ()):
        if isinstance(one.value, str) and "\0" in one.value:
            raise file.error(one.where, "holds a NUL character, which no name or path may", "Take \\u0000 out")
    names: set[str] = set()
    for index, table in enumerate(settings.tables):
        if table.name in names:
            raise file.error(("tables", index, "name"), f"there are two tables named {table.name}", "Rename one")
        names.add(table.name)
        _check_calibration(file, index)
    taken: dict[tuple[str, str], int] = {}
    for index, line in enumerate(settings.serial):
        _check_serial(file, index, line, names)
        seat = (line.table, line.place)
        if seat in taken:
            raise file.error(
                ("serial", index, "place"),
                f"{line.table} {line.place} already has a node (serial number {taken[seat] + 1} in this file)",
                "Give each node a place of its own",
            )
        taken[seat] = index
    recording = settings.recording
    if 0 < recording.total_mb < 2 * recording.file_mb:
        raise file.error(
            ("recording", "total_mb"),
            f"{recording.total_mb} MB have no room for two files of {recording.file_mb} MB (file_mb)",
            "Set a larger total_mb, or a smaller file_mb",
        )
    mqtt = settings.mqtt
    if mqtt is not None:
        if mqtt.password_env is not None and mqtt.password_file is not None:
            raise file.error(("mqtt", "password_file"), "the password is named twice", "Keep one of the two")
        if (mqtt.password_env or mqtt.password_file) and mqtt.user is None:
            raise file.error(("mqtt",), "there is a password but no user", "Add user = …")
        if mqtt.ca_file is not None and not mqtt.tls:
            raise file.error(("mqtt", "ca_file"), "is of use with TLS only", "Add tls = true")
    elif settings.home_assistant.enabled:
        raise file.error(
            ("home_assistant", "enabled"), "there is no broker to reach Home Assistant by", "Add a section [mqtt]"
        )


def _values_in(struct: Struct, where: KeyPath) -> Iterator[_Value]:
    """Every single value, those of sections and lists of sections included."""
    for name in struct.__struct_fields__:
        value, path = getattr(struct, name), (*where, name)
        if isinstance(value, Struct):
            yield from _values_in(value, path)
        elif isinstance(value, tuple) and value:
            for index, item in enumerate(value):
                yield from _values_in(item, (*path, index))
        else:
            yield _Value(path, value)


def _check_calibration(file: SettingsFile, index: int) -> None:
    where: KeyPath = ("tables", index, "calibration")
    for flaw in calibration_flaws(file.settings.tables[index].calibration):
        key = (*where, flaw.cell, flaw.field) if flaw.field else (*where, flaw.cell)
        raise file.error(key, flaw.problem, _advice(flaw))


def _advice(flaw: CalibrationFlaw) -> str:
    return "" if flaw.field else suggestion(flaw.cell, list(LOAD_CELLS))


def _check_serial(file: SettingsFile, index: int, line: SerialSettings, tables: set[str]) -> None:
    if line.table not in tables:
        advice = suggestion(line.table, sorted(tables))
        raise file.error(("serial", index, "table"), f"there is no table {line.table}", advice)
    if (line.usb_serial is None) == (line.port is None):
        raise file.error(
            ("serial", index),
            "names its line twice" if line.port else "does not name its line",
            "Give either usb_serial = … or port = …",
        )


def _shown(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | tuple):
        return f"{len(value)} given" if value else "none"
    return str(value)
