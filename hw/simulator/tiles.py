"""The set of 152 tiles and the tags glued under them. Knows nothing of play."""

import numpy as np
from numpy.random import Generator

JOKER = "joker"
SET_SIZE = 152
"""108 suits, 16 winds, 12 dragons, 8 flowers, 8 jokers (procedure, row 1)."""

_SUITS = ("bam", "crak", "dot")
_UID_PREFIX = 0xE004_0100_0000_0000
"""ISO 15693 ids begin with E0 and the maker's code; 04 01 is the maker and type of ICODE tags."""


def faces() -> tuple[str, ...]:
    """The 152 faces in the set-up's own order and spelling."""
    suits = [f"{rank}-{suit}" for suit in _SUITS for rank in range(1, 10) for _ in range(4)]
    honours = [face for face in ("E", "S", "W", "N", "red", "green", "soap") for _ in range(4)]
    return (*suits, *honours, *("flower",) * 8, *(JOKER,) * 8)


def uids(rng: Generator) -> tuple[str, ...]:
    """152 different tag ids. Half of all sets come off one reel: their ids are neighbours that differ by a bit."""
    if rng.random() < 0.5:
        first = int(rng.integers(0, 1 << 39))
        serials = first + rng.permutation(SET_SIZE + 40)[:SET_SIZE]
    else:
        serials = np.unique(rng.integers(0, 1 << 40, size=2 * SET_SIZE))
        serials = rng.permutation(serials)[:SET_SIZE]
    return tuple(f"{_UID_PREFIX + int(serial):016X}" for serial in serials)
