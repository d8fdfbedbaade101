"""The access file's content: people and devices, and every change that may be made to them.

Owns names, their rules and the lookups. Refuses to know files, clocks and how a password becomes a hash. A book is a
value: a change gives another one. A name is one person's or one device's; an API token is a device.
"""

import hashlib
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from monitor.access.roles import TABLE_ROLES, Role
from monitor.errors import AccessError

NAME_LONGEST: Final = 64
Name = Annotated[str, Meta(min_length=1, max_length=NAME_LONGEST, pattern=r"^\S(.*\S)?$")]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
"""SHA-256 in hexadecimal digits."""


class Person(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody who signs in by name; `password` is an argon2id hash in its usual text form."""

    name: Name
    role: Role
    password: Annotated[str, Meta(pattern=r"^\$argon2id\$")]
    added: str = ""

    @property
    def table(self) -> None:
        """A person is at no table."""

    @property
    def mark(self) -> str:
        """Changes with the password: what a session must know to go on."""
        return hashlib.sha256(self.password.encode()).hexdigest()[:32]


class Device(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A screen, a tablet or a program that holds a token; `sha256` is the token's. `table`: for that one alone."""

    name: Name
    role: Role
    sha256: Digest
    table: str | None = None
    added: str = ""

    @property
    def mark(self) -> str:
        """Changes with the token."""
        return self.sha256[:32]


Entry = Person | Device


class Book(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All who may be let in. Names are unique."""

    people: tuple[Person, ...] = ()
    devices: tuple[Device, ...] = ()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """People, then devices."""
        return (*self.people, *self.devices)

    @property
    def has_director(self) -> bool:
        """Whether anybody may see the director's pages."""
        return any(entry.role.covers(Role.DIRECTOR) for entry in self.entries)

    def named(self, name: str) -> Entry | None:
        """Who or what bears the name."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def person(self, name: str) -> Person | None:
        """The person of that name; upper and lower case are alike, as people type it."""
        return next((one for one in self.people if one.name.casefold() == name.strip().casefold()), None)

    def device(self, sha256: str) -> Device | None:
        """The device whose token has this digest."""
        return next((one for one in self.devices if one.sha256 == sha256), None)


def with_entry(book: Book, entry: Entry) -> Book:
    """The book with somebody more. Raises `AccessError`."""
    flaw = _flaw(entry)
    if flaw:
        raise AccessError(entry.name, flaw)
    if entry.name.casefold() in {one.name.casefold() for one in book.entries}:
        raise AccessError(entry.name, "there is one of that name. Take another name, or revoke that one first")
    match entry:
        case Person():
            return msgspec.structs.replace(book, people=(*book.people, entry))
        case Device():
            return msgspec.structs.replace(book, devices=(*book.devices, entry))


def with_password(book: Book, name: str, password: str) -> Book:
    """The book with another hash for a person. Raises `AccessError`."""
    person = book.person(name)
    if person is None:
        raise AccessError(name, _unknown(book, "person"))
    changed = msgspec.structs.replace(person, password=password)
    return msgspec.structs.replace(book, people=tuple(changed if one is person else one for one in book.people))


def without(book: Book, name: str) -> Book:
    """The book without a person or a device. Raises `AccessError`."""
    gone = book.named(name)
    if gone is None:
        raise AccessError(name, _unknown(book, "person or device"))
    return Book(
        people=tuple(one for one in book.people if one is not gone),
        devices=tuple(one for one in book.devices if one is not gone),
    )


def flaws(book: Book) -> list[str]:
    """What no single value can tell of a book that somebody wrote by hand."""
    found = [f"{entry.name}: {_flaw(entry)}" for entry in book.entries if _flaw(entry)]
    names = [entry.name.casefold() for entry in book.entries]
    found += [f"{name}: the name is there twice" for name in sorted({name for name in names if names.count(name) > 1})]
    return found


def _flaw(entry: Entry) -> str:
    if not entry.name.isprintable():
        return "a name is made of letters that can be read"
    if entry.role is Role.PUBLIC:
        return "what the public sees needs no name"
    if entry.table is not None and entry.role not in TABLE_ROLES:
        return f"{entry.role} is a role for all tables"
    if entry.role is Role.CLUB and entry.table is None:
        return "a club screen belongs to one table: a device, with its table"
    return ""


def _unknown(book: Book, kind: str) -> str:
    known = ", ".join(entry.name for entry in book.entries) or "nobody"
    return f"there is no such {kind}. Known here: {known}"
