"""What a session says of itself, and whether it still stands. Pure: what time it is, is told.

Owns expiry. A session bears the mark of the password or token it was begun with, so a new password or a revocation
ends it at once. Those that were signed out of are remembered by their ids while this process lives.
"""

import secrets
from collections import OrderedDict
from typing import Final

from msgspec import Struct

from monitor.access.book import Book, Device, Entry

REMEMBERED: Final = 10_000
"""Sessions that were signed out of; our choice."""
RENEW_S: Final = 60.0
"""A session that is used says so to the minute; our choice."""


class Session(Struct, frozen=True, forbid_unknown_fields=True):
    """What the browser keeps, encrypted. Times are UTC seconds since 1970."""

    id: str
    name: str
    mark: str
    began_s: float
    used_s: float


class Lifetimes(Struct, frozen=True):
    """How long a session lasts: unused, and in all, for people; in all, for devices."""

    idle_s: float
    person_s: float
    device_s: float


class Ended:
    """Sessions that were signed out of."""

    def __init__(self) -> None:
        """None so far."""
        self._ids: OrderedDict[str, None] = OrderedDict()

    def add(self, session: Session) -> None:
        """This one is over."""
        self._ids[session.id] = None
        if len(self._ids) > REMEMBERED:
            self._ids.popitem(last=False)

    def __contains__(self, session: Session) -> bool:
        """Whether it is over."""
        return session.id in self._ids


def begun(entry: Entry, now_s: float) -> Session:
    """A session of somebody who has just shown who it is."""
    return Session(secrets.token_hex(16), entry.name, entry.mark, now_s, now_s)


def bearer(session: Session, book: Book, lifetimes: Lifetimes, now_s: float) -> Entry | None:
    """Whose session it is, `None` where it stands no more."""
    entry = book.named(session.name)
    if entry is None or not secrets.compare_digest(entry.mark.encode(), session.mark.encode()):
        return None
    device = isinstance(entry, Device)
    if not 0 <= now_s - session.began_s < (lifetimes.device_s if device else lifetimes.person_s):
        return None
    return entry if device or now_s - session.used_s < lifetimes.idle_s else None
