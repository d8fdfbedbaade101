"""Tells who is at the door, and what holds there at the moment.

Owns the way from a session, a token or a place to a caller with a role; everything else asks here, every time, so that
a revocation counts at once. Refuses to know HTTP: it is told what was shown.
"""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

import msgspec
from msgspec import Struct

from monitor.access.book import Book, Device, Entry
from monitor.access.file import AccessFile, BadBook, NoBook
from monitor.access.roles import Role
from monitor.access.sessions import Ended, Lifetimes, Session, bearer, begun
from monitor.access.tokens import digest_of


class Standing(StrEnum):
    """Who is let in to the director's pages."""

    THIS_MACHINE = "this machine"
    """There is no access file, and the pages listen on loopback alone: whoever sits here."""
    NOBODY = "nobody"
    """No person or device has the role."""
    SIGN_IN = "sign in"
    """Whoever signs in."""
    UNUSABLE = "unusable"
    """The access file cannot be used."""


class Caller(Struct, frozen=True):
    """Who asks. `name` is empty for the public and for whoever sits at this machine."""

    role: Role
    name: str = ""
    table: str | None = None

    def may(self, least: Role, table: str | None = None) -> bool:
        """Whether this is role enough; where a `table` is asked for, for that one."""
        return self.role.covers(least) and (table is None or self.table is None or self.table == table)


PUBLIC = Caller(Role.PUBLIC)
AT_THIS_MACHINE = Caller(Role.ADMIN)


class Door:
    """One access file and who is known by it."""

    def __init__(self, path: Path, lifetimes: Lifetimes, wall: Callable[[], float], *, loopback: bool) -> None:
        """`path`: the access file; `wall`: UTC seconds; `loopback`: the pages are reached from this machine alone."""
        self.file = AccessFile(path)
        self.lifetimes = lifetimes
        self._wall = wall
        self._loopback = loopback
        self._ended = Ended()

    def standing(self) -> Standing:
        """What holds now."""
        match self.file.read():
            case NoBook():
                return Standing.THIS_MACHINE if self._loopback else Standing.NOBODY
            case BadBook():
                return Standing.UNUSABLE
            case Book() as book:
                return Standing.SIGN_IN if book.has_director else Standing.NOBODY

    def by_place(self, *, local: bool) -> Caller:
        """Who asks without having shown anything; `local`: from this very machine."""
        return AT_THIS_MACHINE if local and self.standing() is Standing.THIS_MACHINE else PUBLIC

    def by_session(self, session: Session) -> Caller | None:
        """Whose session it is, `None` where it stands no more."""
        book = self._book()
        if book is None or session in self._ended:
            return None
        entry = bearer(session, book, self.lifetimes, self._wall())
        return None if entry is None else _caller(entry)

    def device(self, token: str) -> Device | None:
        """Whose token it is."""
        book = self._book()
        return None if book is None else book.device(digest_of(token))

    def by_token(self, token: str) -> Caller | None:
        """Who shows this token, `None` where it is nobody's."""
        device = self.device(token)
        return None if device is None else _caller(device)

    def password_of(self, name: str) -> str | None:
        """The hash of a person's password, `None` where there is no such person."""
        book = self._book()
        person = None if book is None else book.person(name)
        return None if person is None else person.password

    def begin(self, name: str, password: str) -> Session | None:
        """A session for a person who has shown what this hash is of; `None` where it is that person's no more."""
        book = self._book()
        person = None if book is None else book.person(name)
        return begun(person, self._wall()) if person is not None and person.password == password else None

    def begin_device(self, device: Device) -> Session:
        """A session for a device that has shown its token."""
        return begun(device, self._wall())

    def used(self, session: Session) -> Session:
        """The session as one that was used now."""
        return msgspec.structs.replace(session, used_s=self._wall())

    def end(self, session: Session) -> None:
        """Sign out: no copy of this session opens the door again while this process lives."""
        self._ended.add(session)

    def _book(self) -> Book | None:
        found = self.file.read()
        return found if isinstance(found, Book) else None


def _caller(entry: Entry) -> Caller:
    return Caller(entry.role, entry.name, entry.table)


def who_is_let_in(door: Door) -> str:
    """What holds now, in a sentence for whoever runs the monitor."""
    match door.standing():
        case Standing.THIS_MACHINE:
            return "the director's pages are for this machine alone; nobody signs in"
        case Standing.NOBODY:
            return "nobody may see the director's pages: make a director with rackwatch access add"
        case Standing.SIGN_IN:
            return "the director's pages are for those who sign in, on this machine too"
        case Standing.UNUSABLE:
            found = door.file.read()
            return f"nobody is let in: {found.problem if isinstance(found, BadBook) else door.file.path}"
