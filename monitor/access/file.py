"""The access file: read anew whenever it has changed, written whole, for its owner alone.

Owns the path and what is known of it now. Nobody is let in by a file that cannot be used: that is a state of its own,
not the absence of one.
"""

import os
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from monitor.access.book import Book, flaws
from monitor.errors import UnusableFileError
from monitor.foreign_text import UNREADABLE, complaint_about_json, without_bom
from monitor.staging import staged_file

OWNER_ONLY: Final = 0o600


class NoBook(Struct, frozen=True):
    """There is no file."""


class BadBook(Struct, frozen=True):
    """There is one that cannot be used, and why, in a sentence that names it."""

    problem: str


Found = Book | NoBook | BadBook


class AccessFile:
    """One file and what it says now."""

    def __init__(self, path: Path) -> None:
        """Nothing is read yet."""
        self.path = path
        self._seen: tuple[int, int, int] | str | None = "never read"
        self._found: Found = NoBook()

    def read(self) -> Found:
        """What the file says now; it is decoded only when it has changed."""
        seen = self._look()
        if seen != self._seen:
            self._seen, self._found = seen, self._decoded(seen)
        return self._found

    def book(self) -> Book:
        """The book to change, an empty one where there is none yet. Raises `UnusableFileError`."""
        match self.read():
            case Book() as book:
                return book
            case NoBook():
                return Book()
            case BadBook(problem):
                raise UnusableFileError(self.path, problem.removeprefix(f"{self.path}: "))

    def write(self, book: Book) -> None:
        """Put a book in the file's place, whole. Raises `UnusableFileError`."""
        text = msgspec.json.format(msgspec.json.encode(book), indent=2) + b"\n"
        with staged_file(self.path) as path:
            path.touch(OWNER_ONLY)
            path.chmod(OWNER_ONLY)
            path.write_bytes(text)

    def _look(self) -> tuple[int, int, int] | str | None:
        try:
            at = self.path.stat()
        except FileNotFoundError:
            return None
        except OSError as problem:
            return problem.strerror or str(problem)
        return at.st_mtime_ns, at.st_size, at.st_ino

    def _decoded(self, seen: tuple[int, int, int] | str | None) -> Found:
        if seen is None:
            return NoBook()
        try:
            text = without_bom(self.path.read_bytes())
        except OSError as problem:
            return BadBook(f"{self.path}: cannot be read ({problem.strerror or problem})")
        try:
            book = msgspec.json.decode(text, type=Book)
        except UNREADABLE as problem:
            return BadBook(f"{self.path}: {complaint_about_json(problem, text, Book)}")
        found = flaws(book)
        return BadBook(f"{self.path}: {found[0]}") if found else book


def open_to_others(path: Path) -> bool:
    """Whether others than its owner may read a file of secrets."""
    return path.exists() and bool(path.stat().st_mode & 0o077)


def session_key(path: Path, *, make: bool) -> bytes | None:
    """32 secret bytes, kept beside the access file so that a restart signs nobody out; `None` where there is no file.

    `path`: the access file. `make`: make the file where it is missing. Raises `UnusableFileError`.
    """
    key = path.with_name(f"{path.name}.key")
    try:
        if not key.exists():
            if not make:
                return None
            with staged_file(key) as part:
                part.touch(OWNER_ONLY)
                part.chmod(OWNER_ONLY)
                part.write_bytes(os.urandom(32))
        secret = key.read_bytes()
    except OSError as problem:
        raise UnusableFileError(key, f"cannot be read ({problem.strerror or problem})") from problem
    if len(secret) != 32:
        raise UnusableFileError(key, "holds no key of 32 bytes. Remove it for a new one; everybody signs in again then")
    return secret
