"""Passwords: how they become hashes and are compared. argon2id at argon2-cffi's own settings (RFC 9106, low memory).

A comparison takes some 50 ms and 64 MiB on purpose; whoever calls from an event loop does so in a thread.
"""

from functools import cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

SHORTEST: Final = 10
LONGEST: Final = 256
"""Characters of a password; our choice (NIST SP 800-63B asks for eight). More than the longest need not be hashed."""

_hasher: Final = PasswordHasher()


def flaw_of(password: str) -> str:
    """Why this is no password to have, empty where it is one."""
    if len(password) < SHORTEST:
        return f"a password has {SHORTEST} characters at least; four words are a good one"
    if len(password) > LONGEST:
        return f"a password has {LONGEST} characters at most"
    return ""


def hash_of(password: str) -> str:
    """The argon2id hash in its usual text form, with a salt of its own."""
    return _hasher.hash(password)


def is_password(password: str, hashed: str | None) -> bool:
    """Whether the hash is this password's. `None`, for a name that nobody bears, takes as long and is never right."""
    try:
        _hasher.verify(hashed or _nobodys(), password)
    except (VerificationError, InvalidHashError):
        return False
    return hashed is not None


@cache
def _nobodys() -> str:
    return _hasher.hash("")
