"""Reads back what was said of an alert, line by line, from wherever it was kept.

Owns the ways in: an event log, a settings file (its log), or alerts as JSON lines. Refuses to know what the lines mean.
Between the records on disk and whoever explains them; nothing is changed and a monitor that writes is not disturbed.
"""

from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from monitor.alerts import Alert, AlertState, Rule
from monitor.errors import UnusableFileError
from monitor.foreign_text import UNREADABLE, complaint_about_json, without_bom
from monitor.log.part import Part
from monitor.log.place import LogPlace
from monitor.log.reader import is_log, read_log
from monitor.log.schema import Stream
from monitor.rules.explain import seconds
from monitor.settings_file import load_settings
from monitor.wording import time_of_day

_decode = msgspec.json.Decoder(Alert).decode


class Line(Struct, frozen=True):
    """One line of an alert, and when it was said, in words; empty where the record does not tell."""

    alert: Alert
    said: str


class ToldAlert(Struct, frozen=True):
    """All that was said of one alert, oldest first, and how its moments are written for people."""

    lines: tuple[Line, ...]
    clock: Callable[[float], str]

    @property
    def last(self) -> Alert:
        """The alert as it stands."""
        return self.lines[-1].alert


def told_alerts(path: Path, bad_line: Callable[[int, str], None] = lambda _number, _why: None) -> dict[str, ToldAlert]:
    """Every alert that `path` tells of, by id, in order of their first line; window notices are none.

    A line that is no alert is reported to `bad_line` with its number and passed over. Raises `MonitorError`.
    """
    if path.suffix == ".toml":
        return _from_log(load_settings(path).log_place())
    try:
        log = is_log(path)
    except OSError as problem:
        raise UnusableFileError(path, f"cannot be read: {problem.strerror}") from problem
    return _from_log(path) if log else _from_lines(path, bad_line)


def _from_log(path: LogPlace | Path) -> dict[str, ToldAlert]:
    """Moments as the time of day: how far the two clocks are apart is taken when an alert is first written down."""
    told: dict[str, ToldAlert] = {}
    for row in read_log(path, Part(stream=Stream.ALERT)):
        if isinstance(row.record, Alert):
            written_s = row.utc_us / 1e6
            clock = time_of_day(written_s - row.record.raised_at)
            _add(told, Line(row.record, time_of_day(0.0)(written_s)), clock)
    return told


def _from_lines(path: Path, bad_line: Callable[[int, str], None]) -> dict[str, ToldAlert]:
    """Moments as seconds of the stream; when an alert was taken back is not in its line."""
    told: dict[str, ToldAlert] = {}
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                text = without_bom(line) if number == 1 else line
                if not text.strip():
                    continue
                try:
                    alert = _decode(text)
                except UNREADABLE as problem:
                    bad_line(number, str(complaint_about_json(problem, text, Alert)))
                    continue
                raised = seconds(alert.raised_at) if alert.state is AlertState.RAISED else ""
                _add(told, Line(alert, raised), seconds)
    except OSError as problem:
        raise UnusableFileError(path, f"cannot be read: {problem.strerror}") from problem
    return told


def _add(told: dict[str, ToldAlert], line: Line, clock: Callable[[float], str]) -> None:
    if line.alert.rule is Rule.WINDOW_CLOSED:
        return
    before = told.get(line.alert.id)
    told[line.alert.id] = (
        ToldAlert((line,), clock) if before is None else ToldAlert((*before.lines, line), before.clock)
    )
