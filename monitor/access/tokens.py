"""Tokens of devices and programs: 256 random bits that are told once; only their digest is kept.

A token is no password: it cannot be guessed, so a plain SHA-256 is enough to keep.
"""

import hashlib
import secrets
from typing import Final

LONGEST: Final = 128
"""Characters that are looked at; ours have 43."""


def new_token() -> str:
    """43 characters that may stand in an address."""
    return secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token[:LONGEST].encode(errors="replace")).hexdigest()
