"""How far a tile set is from complete: what is missing and what is too many, by face.

Owns the count and its words. Refuses to know how tiles are enrolled. enrolment, set-ups -> **set status** -> people.
"""

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from firmware_bridge.uids import reversed_bytes, well_formed
from hw.tile_set import AMERICAN_SET, SET_SIZE

NONE_ASIDE: Mapping[str, int] = MappingProxyType({})


class SetStatus(Struct, frozen=True):
    """How far a set is from complete. `set_aside`: tiles whose tags cannot be heard; they are missing as well."""

    enrolled: int
    missing: dict[str, int]
    too_many: dict[str, int]
    set_aside: dict[str, int]
    flaws: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every face is there as often as it must, and nothing else."""
        return not (self.missing or self.too_many or self.flaws)

    @property
    def words(self) -> str:
        """The status in a sentence or two."""
        if self.complete:
            return f"The set is complete: {self.enrolled} tiles."
        parts = [f"{self.enrolled} of {SET_SIZE} tiles are enrolled"]
        if self.missing:
            parts.append(f"missing: {_listed(self.missing)}")
        if self.set_aside:
            parts.append(f"of these with a tag that is not heard: {_listed(self.set_aside)}")
        if self.too_many:
            parts.append(f"too many: {_listed(self.too_many)}")
        return "; ".join([*parts, *self.flaws]) + "."


def set_status(tiles: Mapping[str, str], set_aside: Mapping[str, int] = NONE_ASIDE) -> SetStatus:
    """How far the tiles of a set-up are from a whole set."""
    have = Counter(tiles.values())
    missing = {face: n - have[face] for face, n in AMERICAN_SET.items() if have[face] < n}
    too_many = {face: have[face] - n for face, n in AMERICAN_SET.items() if have[face] > n}
    aside = {face: n for face, n in set_aside.items() if n > 0 and face in missing}
    return SetStatus(len(tiles), missing, too_many, aside, tuple(_flaws(tiles)))


def _flaws(tiles: Mapping[str, str]) -> list[str]:
    """What is wrong with a mapping that no count of faces tells."""
    found = [f"{face} ({uid}) is no face of the set" for uid, face in tiles.items() if face not in AMERICAN_SET]
    found += [f"{uid} ({face}) is no whole id" for uid, face in tiles.items() if well_formed(uid) != uid]
    for uid, face in tiles.items():
        if well_formed(uid) == uid:
            other = reversed_bytes(uid)
            if uid < other and other in tiles:
                found.append(f"{face} and {tiles[other]} bear one id in either byte order ({uid})")
    return found


def _listed(faces: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {face}" for face, n in faces.items())
