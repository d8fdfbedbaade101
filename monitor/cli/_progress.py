"""A progress line for long reading, on stderr, and only where a person is looking.

Owns nothing of what is read: it counts recorded seconds, or records of a log, as they pass through.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from firmware_bridge.received import Received
from firmware_bridge.recording import BadLine
from monitor.log.reader import StoredRecord

Lines = Iterable[Received | BadLine]
Rows = Iterable[StoredRecord]
_EVERY_S = 0.2
"""Our choice: often enough to be alive, seldom enough to cost nothing."""


@contextmanager
def reading(path: Path) -> Iterator[Callable[[Lines], Lines]]:
    """Give a function that passes lines through and shows how far they are."""
    if not sys.stderr.isatty():
        yield lambda lines: lines
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(path.name)

        def passed(lines: Lines) -> Lines:
            began_s = shown_s = time.monotonic()
            for line in lines:
                now_s = time.monotonic()
                if now_s - shown_s > _EVERY_S and not isinstance(line, BadLine):
                    shown_s = now_s
                    speed = line.at_s / (now_s - began_s)
                    progress.update(task, description=f"{path.name}  {line.at_s:.0f} s played, {speed:.0f} × real time")
                yield line

        yield passed


@contextmanager
def reading_log(path: Path, records: int) -> Iterator[Callable[[Rows], Rows]]:
    """Give a function that passes a log's records through and shows how many of `records` there were."""
    if not sys.stderr.isatty():
        yield lambda rows: rows
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield lambda rows: progress.track(rows, total=records, description=path.name)
