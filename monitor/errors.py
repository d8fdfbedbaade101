"""What the monitor raises: one root, and under it one class for each way its surroundings can be unusable.

    MonitorError
    ├── UnknownAlertError   an alert is asked for that was never told
    ├── NothingOnThatDateError  a report is asked for of an evening that the log does not hold
    ├── UnusableFileError   a set-up, recording, profile or output that cannot be read or written
    ├── SettingsError       a settings file that says something else than it may
    ├── LogError            the event log cannot be opened or written
    │   ├── LogInUseError   another monitor writes to it
    │   └── LogTooNewError  it was written by a newer version
    ├── ExportError         a log cannot be exported as it was asked for
    │   ├── NothingMatchesError   no record is of that table, hand and time
    │   └── TooMuchForPaperError  more than a document for people should hold
    ├── UnsettableError     a page cannot be set as PDF
    ├── AccessError         a person or device that cannot be let in, changed or revoked as asked
    └── PortInUseError      the page's address is taken

Expected failures of sensors, nodes and messages are values, not exceptions. Every message is one sentence that names
the thing and says what to do; `args` are kept as fields.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from difflib import get_close_matches
from pathlib import Path


class MonitorError(Exception):
    """Root of everything the monitor raises on purpose; its text is fit to be shown to a person."""


class UnusableFileError(MonitorError):
    """A file that a command needs cannot be used; `line` (1 based) where one is to blame, 0 where none is."""

    def __init__(self, path: Path, problem: str, line: int = 0) -> None:
        where = f"{path}:{line}" if line else f"{path}"
        super().__init__(f"{where}: {problem}")
        self.path = path
        self.problem = problem
        self.line = line


class UnknownAlertError(MonitorError):
    """No alert of that id was told in the file; the message names the ids that are most like it."""

    def __init__(self, path: Path | str, alert: str, known: Iterable[str]) -> None:
        near = get_close_matches(alert, known, n=3, cutoff=0.4)
        advice = f"Did you mean {' or '.join(near)}?" if near else "rackwatch explain without an id lists them all."
        super().__init__(f"{path}: no alert {alert} was told. {advice}")
        self.path = path
        self.alert = alert


class NothingOnThatDateError(MonitorError):
    """The log holds no hand of that evening, or none at all (`evening` absent); the message names the nearest."""

    def __init__(self, path: Path | str, evening: date | None, evenings: Sequence[date], tables: Sequence[str]) -> None:
        of = f" of {', '.join(tables)}" if tables else ""
        asked = "no hand" if evening is None else f"nothing on {evening}"
        if not evenings:
            advice = f"It holds none{of} at all" if evening is not None else "There is nothing to report"
        else:
            near = sorted(evenings, key=lambda one: abs((one - evening).days) if evening is not None else 0)[:3]
            advice = f"It holds {', '.join(map(str, sorted(near)))}"
        super().__init__(f"{path}: {asked}{of}. {advice}.")
        self.path = path
        self.evening = evening
        self.evenings = tuple(evenings)
        self.tables = tuple(tables)


class SettingsError(MonitorError):
    """A settings file is wrong at `line` (1 based; absent where the whole file is meant), under `key`."""

    def __init__(self, path: Path, line: int | None, key: str, problem: str, advice: str = "") -> None:
        where = f"{path}:{line}" if line is not None else f"{path}"
        super().__init__(f"{where}: {f'{key}: ' if key else ''}{problem}{f'. {advice}' if advice else ''}")
        self.path = path
        self.line = line
        self.key = key
        self.problem = problem
        self.advice = advice


class LogError(MonitorError):
    """The event log at `path` (or a database's URL, without its password) cannot be used."""

    def __init__(self, path: Path | str, problem: str) -> None:
        super().__init__(f"event log {path}: {problem}")
        self.path = path
        self.problem = problem


class LogInUseError(LogError):
    """Another process holds the writer's lock; `holder` is its process id where known."""

    def __init__(self, path: Path | str, holder: str) -> None:
        who = f"process {holder}" if holder else "another process"
        super().__init__(path, f"{who} writes to it. Stop that monitor, or give this one a log of its own ([log] path)")
        self.holder = holder


class LogTooNewError(LogError):
    """The file's schema is newer than this version knows."""

    def __init__(self, path: Path | str, found: int, known: int) -> None:
        super().__init__(path, f"was written by a newer Rackwatch (schema {found}, this one knows {known}). Upgrade")
        self.found = found
        self.known = known


class ExportError(MonitorError):
    """The log at `path` cannot be exported as it was asked for."""

    def __init__(self, path: Path | str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem


class NothingMatchesError(ExportError):
    """No record matches; `holds` says in words what the log does hold."""

    def __init__(self, path: Path | str, wanted: str, holds: str) -> None:
        super().__init__(path, f"no record matches {wanted}. The log holds {holds}")
        self.wanted = wanted
        self.holds = holds


class TooMuchForPaperError(ExportError):
    """A document would hold more than `limit` of `what`."""

    def __init__(self, path: Path | str, limit: int, what: str) -> None:
        super().__init__(
            path,
            f"more than {limit} {what} are too much for one document. Pick a table (--table), a hand (--hand) or a "
            "time (--since, --until), or export to jsonl, csv or xlsx",
        )
        self.limit = limit
        self.what = what


class UnsettableError(MonitorError):
    """A page cannot be set as PDF, and why."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"cannot be set as PDF ({problem}). Nothing was written; HTML or another format may do")
        self.problem = problem


class AccessError(MonitorError):
    """Who may be let in cannot be changed as it was asked for; `name` is whose."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name}: {problem}")
        self.name = name
        self.problem = problem


class PortInUseError(MonitorError):
    """The page cannot listen where it was told to."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(f"the page cannot listen on {host}:{port} ({reason}). Free it, or set [web] port")
        self.host = host
        self.port = port
