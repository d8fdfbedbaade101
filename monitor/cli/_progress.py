"""A progress line for long reading or playing, on stderr, and only where a person is looking.

Owns nothing of what is read: it counts recorded seconds, or records, as they pass through.
"""

import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from firmware_bridge.received import Received
from firmware_bridge.recording import BadLine
from monitor.cli._words import printable

_Thing = TypeVar("_Thing")
Lines = Iterable[Received | BadLine]
_EVERY_S = 0.2
"""Our choice: often enough to be alive, seldom enough to cost nothing."""


def say_reading(path: Path) -> None:
    """One line at once, terminal or not, where nothing else shows until all is read."""
    print(f"Reading {printable(path.name)} …", file=sys.stderr, flush=True)  # noqa: T201


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
def counting(name: str, total: int) -> Iterator[Callable[[Iterable[_Thing]], Iterable[_Thing]]]:
    """Give a function that passes things through and shows how many of `total` have passed."""
    with _bar(name) as passed:
        yield lambda things: passed(things, total)


@contextmanager
def following(name: str, *, quiet: bool = False) -> Iterator[Callable[[Collection[_Thing]], Iterable[_Thing]]]:
    """The same for things whose number is known when they come; `quiet`: another program has the terminal."""
    with _bar(name, quiet=quiet) as passed:
        yield lambda things: passed(things, len(things))


@contextmanager
def _bar(name: str, *, quiet: bool = False) -> Iterator[Callable[[Iterable[_Thing], int], Iterable[_Thing]]]:
    """A bar that shows as soon as something passes."""
    if quiet or not sys.stderr.isatty():
        yield lambda things, _: things
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    task = progress.add_task(escape(name), total=None)

    def passed(things: Iterable[_Thing], total: int) -> Iterable[_Thing]:
        progress.update(task, total=total, completed=0)
        progress.start()
        shown_s = time.monotonic()
        for number, thing in enumerate(things, 1):
            now_s = time.monotonic()
            if now_s - shown_s > _EVERY_S:
                shown_s = now_s
                progress.update(task, completed=number)
            yield thing
        progress.update(task, completed=total)

    try:
        yield passed
    finally:
        progress.stop()
