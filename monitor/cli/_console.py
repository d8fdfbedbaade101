"""Records and log lines on a terminal: one line each, coloured where a person is looking.

Owns how a record looks in a terminal. Records go to standard output, the program's own log to standard error.
"""

import logging
import sys
from collections import OrderedDict
from collections.abc import Callable

import structlog
from rich.console import Console
from rich.markup import escape

from monitor.alerts import Alert, AlertState, Level, Rule
from monitor.corrections import corrected
from monitor.events import Corrected, CountChanged, Event, WindowClosed, WindowOpened
from monitor.wording import RULES, STATES, event_line, seat_name

_ALERT_STYLES = {
    Level.RULING_DUE: "bold white on red",
    Level.ADVICE: "bold black on yellow",
    Level.NOTICE: "cyan",
    Level.TECHNICAL: "yellow",
}
REMEMBERED_EVENTS = 4000
"""Our choice: the latest hands of a few tables; a correction of an older event does not say what it was."""


def set_up_log(*, quiet: bool = False) -> None:
    """The program's own log on standard error: plain lines, coloured on a terminal."""
    level = logging.WARNING if quiet else logging.INFO
    logging.basicConfig(level=level, stream=sys.stderr, format="%(name)s: %(message)s", force=True)
    for chatty in ("uvicorn", "uvicorn.error", "aiosqlite", "alembic", "httpx", "mqtt"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False),
            structlog.processors.add_log_level,
            structlog.processors.format_exc_info,
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0, pad_level=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def silence_log() -> None:
    """No log at all, for a command whose own lines say everything."""
    logging.disable(logging.CRITICAL)
    structlog.configure(
        logger_factory=structlog.ReturnLoggerFactory(), processors=[structlog.processors.JSONRenderer()]
    )


class EventMemory:
    """The latest events, so that a correction can say what it corrects."""

    def __init__(self) -> None:
        """Nothing has been told."""
        self._told: OrderedDict[tuple[str, int], Event] = OrderedDict()

    def about(self, table: str, record: Event | Alert) -> Event | None:
        """The event that a correction is about, where it is among the latest; keeps events for their corrections."""
        if isinstance(record, Alert):
            return None
        if isinstance(record, Corrected):
            # a further correction names this one
            about = self._told.get((table, record.replaces))
            kept = about if about is None or record.struck else corrected(about, record) or about
        else:
            about, kept = None, record
        if kept is not None:
            self._told[table, record.seq] = kept
            if len(self._told) > REMEMBERED_EVENTS:
                self._told.popitem(last=False)
        return about


class RecordPrinter:
    """Prints records as they become durable, dated from the first moment it was made."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock`: the host's seconds, on which records are dated."""
        self._console = Console(highlight=False, soft_wrap=True)
        self._began_s = clock()
        self._closed = False
        self._memory = EventMemory()

    def __call__(self, table: str, record: Event | Alert) -> None:
        """Print one record; counts are left to the page, and a window's end is told once, as an event."""
        about = self._memory.about(table, record)
        if isinstance(record, CountChanged) or (isinstance(record, Alert) and record.rule is Rule.WINDOW_CLOSED):
            return
        if self._closed:
            return
        at = record.raised_at if isinstance(record, Alert) else record.at
        stamp = f"[dim]{max(0.0, at - self._began_s):8.1f}  {table}[/dim]"
        try:
            self._console.print(f"{stamp}  {_alert(record) if isinstance(record, Alert) else _event(record, about)}")
        except OSError:  # whoever read along has gone, as `head` does; watching goes on
            self._closed = True


def _alert(alert: Alert) -> str:
    words = f"{RULES[alert.rule]}{f' · {seat_name(alert.seat)}' if alert.seat is not None else ''}"
    if alert.state is not AlertState.RAISED:
        return f"[dim]{words}: {STATES[alert.state]}[/dim]"
    style = _ALERT_STYLES[alert.level]
    return f"[{style}] {words} [/{style}] {escape(alert.message)}"


def _event(event: Event, about: Event | None) -> str:
    line = escape(event_line(event, about))
    match event:
        case WindowOpened() | WindowClosed():
            return f"[green]{line}[/green]"
        case _:
            return line
