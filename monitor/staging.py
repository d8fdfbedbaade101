"""Makes an output appear whole or not at all: written in a hidden folder beside the target, renamed when done.

Owns the target's path and what may be replaced: a file by a file; a folder only where there is none yet, or an empty
one. Refuses to know what is written. A failure of any kind, Ctrl-C included, leaves the target as it was and nothing
beside it. What a writer leaves that is killed hard, the next one for the same target takes away: a folder is locked
while its writer lives.
"""

import fcntl
import glob
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from monitor.errors import UnusableFileError

_LONGEST_PREFIX: Final = 100
_SUFFIX: Final = ".part"


@contextmanager
def staged_file(target: Path, *, inputs: Sequence[Path] = ()) -> Iterator[Path]:
    """Give a path to write a file to; it becomes `target` at the end. `inputs` are read and must not be replaced.

    The folder of the path given may hold scratch files as well. Raises `UnusableFileError`.
    """
    check_file(target, inputs=inputs)
    with _beside(target) as scratch:
        path = scratch / "whole"
        yield path
        _make_durable(path)
        path.replace(target)


def check_file(target: Path, *, inputs: Sequence[Path] = ()) -> None:
    """Raise `UnusableFileError` where `staged_file` would, before anybody has taken the trouble."""
    _look_at(target)
    if target.is_dir():
        raise UnusableFileError(target, "is a folder. Name a file to write to")
    if target.exists() and not target.is_file():
        raise UnusableFileError(target, "is no plain file. Name another one")
    if not target.parent.is_dir():
        raise UnusableFileError(target, "cannot be written: No such file or directory")
    if any(_is_same(target, read) for read in inputs):
        raise UnusableFileError(target, "is read by this command and would be lost. Write to another file")


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
    prefix = f".{target.name[:_LONGEST_PREFIX]}."
    try:
        _take_away_what_is_left(target.parent, prefix)
        with ExitStack() as held:
            made = tempfile.TemporaryDirectory(prefix=prefix, suffix=_SUFFIX, dir=target.parent)
            scratch = Path(held.enter_context(made))
            with suppress(OSError):  # some network's folders cannot be locked: there nothing is taken away either
                held.enter_context(_locked(scratch))
            yield scratch
    except OSError as problem:
        raise UnusableFileError(target, f"cannot be written: {problem.strerror or problem}") from problem


def _take_away_what_is_left(folder: Path, prefix: str) -> None:
    """Folders of writers that live no more: nobody holds their locks."""
    for left in folder.glob(f"{glob.escape(prefix)}????????{_SUFFIX}"):
        with suppress(OSError), _locked(left):
            shutil.rmtree(left)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a folder's lock, which ends with this process at the latest. Raises `BlockingIOError` where it is held."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _make_durable(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return one.resolve() == other.resolve()
