"""Makes an output appear whole or not at all: written in a hidden folder beside the target, renamed when done.

Owns the target's path and what may be replaced: a file by a file; a folder only where there is none yet, or an empty
one. Refuses to know what is written. A failure of any kind, Ctrl-C included, leaves the target as it was.
"""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from monitor.errors import UnusableFileError


@contextmanager
def staged_file(target: Path, *, inputs: Sequence[Path] = ()) -> Iterator[Path]:
    """Give a path to write a file to; it becomes `target` at the end. `inputs` are read and must not be replaced.

    The folder of the path given may hold scratch files as well. Raises `UnusableFileError`.
    """
    _look_at(target)
    if target.is_dir():
        raise UnusableFileError(target, "is a folder. Name a file to write to")
    if target.exists() and not target.is_file():
        raise UnusableFileError(target, "is no plain file. Name another one")
    if any(_is_same(target, read) for read in inputs):
        raise UnusableFileError(target, "is read by this command and would be lost. Write to another file")
    with _beside(target) as scratch:
        path = scratch / "whole"
        yield path
        _make_durable(path)
        path.replace(target)


@contextmanager
def staged_folder(target: Path) -> Iterator[Path]:
    """Give an empty folder to write files into; it becomes `target` at the end. Raises `UnusableFileError`."""
    _look_at(target)
    if target.exists() and not target.is_dir():
        raise UnusableFileError(target, "is a file. Name a new folder, or a file that ends in .zip")
    with _beside(target) as scratch:
        if target.is_dir() and any(target.iterdir()):
            raise UnusableFileError(target, "is a folder with something in it. Name a new one")
        folder = scratch / "whole"
        folder.mkdir()
        yield folder
        for path in sorted(folder.iterdir()):
            _make_durable(path)
        folder.replace(target)


def _look_at(target: Path) -> None:
    """A name that no file can have is told before anything is done."""
    try:
        target.exists()
    except OSError as problem:
        raise UnusableFileError(target, f"cannot be written: {problem.strerror or problem}") from problem


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    try:
        with tempfile.TemporaryDirectory(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent) as scratch:
            yield Path(scratch)
    except OSError as problem:
        raise UnusableFileError(target, f"cannot be written: {problem.strerror or problem}") from problem


def _make_durable(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return one.resolve() == other.resolve()
