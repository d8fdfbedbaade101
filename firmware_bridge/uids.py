"""Uids of tags in one canonical form: upper-case hexadecimal, most significant byte first.

Owns what a well-formed uid is and the byte order of each reader. Refuses to know which tile a uid is: whether it is
enrolled is the sensor model's question, and no uid is ever corrected into another one.

Readers report the eight bytes of an ISO 15693 uid in either order (the tag sends the lowest byte first). The highest
byte of such a uid is always E0 (ISO/IEC 15693-3, 4.1), which tells the order, unless the lowest is E0 too: then the
order in which the same reader gave its other uids decides.
"""

from collections.abc import Iterable
from enum import Enum

_SEPARATORS = str.maketrans("", "", ":- ")
_HEX = frozenset("0123456789ABCDEF")

_LENGTHS = frozenset((4, 7, 8, 10, *range(12, 33, 2)))
"""Bytes: 4, 7, 10 by ISO 14443-3; 8 by ISO 15693-3; EPCs are whole 16-bit words (EPC Gen2), 96 bits and up."""

_CASCADE = "88"
"""ISO 14443-3 cascade tag: never the first byte of a whole uid, always that of one cut short by its reader."""

_ISO_15693_DIGITS = 16
_ISO_15693_FIRST = "E0"

_REMEMBERED = 4096
"""Canonical uids remembered so that known ones pass quickly; our choice: many tile sets of 152."""


class ByteOrder(Enum):
    """In which order a reader gives the eight bytes of an ISO 15693 uid."""

    UNKNOWN = "unknown"
    HIGHEST_FIRST = "highest first"
    LOWEST_FIRST = "lowest first"


def well_formed(text: str) -> str | None:
    """Return `text` as upper-case hexadecimal in the order given, or `None` where it cannot be a whole uid."""
    digits = text.translate(_SEPARATORS).upper()
    if len(digits) % 2 or len(digits) // 2 not in _LENGTHS or not _HEX.issuperset(digits):
        return None
    if digits.startswith(_CASCADE) and len(digits) in {8, 14, 20}:
        return None
    return None if digits.strip("0") == "" or digits.strip("F") == "" else digits


def reversed_bytes(digits: str) -> str:
    """The same bytes in the other order."""
    return bytes.fromhex(digits)[::-1].hex().upper()


class UidForms:
    """Brings uids into canonical form and remembers the byte order of each reader (one a node)."""

    def __init__(self) -> None:
        self._canonical: set[str] = set()
        self._orders: dict[str, ByteOrder] = {}

    def order(self, node: str) -> ByteOrder:
        """What the uids of `node` have shown so far."""
        return self._orders.get(node, ByteOrder.UNKNOWN)

    def all_canonical(self, node: str, uids: Iterable[str]) -> bool:
        """Whether all are known to be in canonical form: the quick test; a `False` only means "look closer"."""
        return self._canonical.issuperset(uids) and self._orders.get(node) is not ByteOrder.LOWEST_FIRST

    def canonical(self, node: str, text: str) -> str | None:
        """Return the canonical form of what `node` reported, or `None` where that cannot be a uid."""
        digits = well_formed(text)
        if digits is None:
            return None
        if len(digits) == _ISO_15693_DIGITS:
            digits = self._in_order(node, digits)
        if len(self._canonical) >= _REMEMBERED:
            self._canonical.clear()
        self._canonical.add(digits)
        return digits

    def _in_order(self, node: str, digits: str) -> str:
        match digits.startswith(_ISO_15693_FIRST), digits.endswith(_ISO_15693_FIRST):
            case True, False:
                self._learn(node, ByteOrder.HIGHEST_FIRST)
                return digits
            case False, True:
                self._learn(node, ByteOrder.LOWEST_FIRST)
                return reversed_bytes(digits)
            case True, True:
                return reversed_bytes(digits) if self.order(node) is ByteOrder.LOWEST_FIRST else digits
            case _:
                return digits

    def _learn(self, node: str, order: ByteOrder) -> None:
        if len(self._orders) < _REMEMBERED or node in self._orders:
            self._orders[node] = order
