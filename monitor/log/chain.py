"""What makes a log hard to edit unseen: each record carries the hash of all before it.

Owns what is hashed, and in which form. Pure: bytes in, bytes out. Rows -> **links** -> stored with the row, and worked
out again by whoever verifies. Refuses to know databases, keys and records' meaning.

    digest(payload), digest(sealed) ─┐
    seq, run, table, hand, ... ──────┴─ link = SHA-256(link before, all of these)

The link holds digests and not the payload itself: what is purged leaves its digest behind, and the chain still holds.
"""

from collections.abc import Sequence
from hashlib import sha256

import msgspec
from msgspec import Struct

FIRST_LINK = bytes(32)
"""What the first record of a log is linked to."""
ABSENT = bytes(32)
"""The digest of what there is none of."""

_encode = msgspec.json.Encoder().encode
_DOMAIN = b"rackwatch log 1\n"


class Header(Struct, frozen=True, array_like=True):
    """The columns of a row beside its payload. Their JSON array is what is hashed: never change the order."""

    seq: int
    run: int
    table: str
    hand: int
    stream: str
    kind: str
    number: int
    mono_s: float
    utc_us: int


def digest(payload: bytes | None) -> bytes:
    """SHA-256 of a payload; of none: `ABSENT`."""
    return ABSENT if payload is None else sha256(payload).digest()


def link(before: bytes, header: Header, payload_digest: bytes, sealed_digest: bytes) -> bytes:
    """The hash of a record and, through `before`, of all records before it."""
    return sha256(_DOMAIN + before + _encode(header) + payload_digest + sealed_digest).digest()


def statement(purpose: str, parts: Sequence[str | int | bytes]) -> bytes:
    """What is signed of a head or of the log's end: unambiguous, and never mistaken for one of another purpose."""
    told = [part.hex() if isinstance(part, bytes) else part for part in parts]
    return _DOMAIN + _encode([purpose, *told])
