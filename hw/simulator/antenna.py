"""RFID antennas: from where tiles lie to inventories and single reads.

Owns which tag an antenna hears, how long a round takes, silence, crosstalk, phantoms and half-read rounds. Refuses to
know what a tile's place means. happening -> **antenna** -> rows of a node.
"""

import numpy as np
from msgspec import Struct
from numpy.random import Generator
from numpy.typing import NDArray

from firmware_bridge.messages import Antenna, Place
from hw.simulator.noise import NoiseProfile
from hw.simulator.options import Reader
from hw.simulator.physical import Happening, Shape, Spot, Surface

Floats = NDArray[np.float64]

_ROUND_BASE_S = 0.010
_ROUND_PER_TAG_S = 0.0086
"""14 tags take 131 ms on average, 1 tag 17 ms (research: RFID)."""
_SLOW_BASE_S = 0.10
_SLOW_PER_TAG_S = 0.022
_SLOW_TAGS = 10
"""Hobby stacks take 0.15-0.5 s a rack and stop at about ten tags (research: RFID)."""
_LONGEST_SILENCE_S = 44.0
"""A present tag was silent for so long (research: RFID)."""
_PASSING_BY = 0.25
"""How much of a held tile's being heard the rack's other antenna has (our choice)."""
_GONE_S = 3.0
"""A reader that reports changes takes a tag that it has not heard for so long to be gone (our choice)."""
_SHADOW_S = 0.1
"""Grid of the hands' shadow."""
_DWELL_S = 0.12
_READS_PER_S = 160.0
"""A streaming reader stays on one antenna so long and reads so many tags a second in all (our choice)."""


class Round(Struct, frozen=True):
    """One inventory, known when it ends."""

    at_s: float
    antenna: Antenna
    uids: tuple[str, ...]
    complete: bool


class Read(Struct, frozen=True):
    """One read of a streaming reader; `out_s`: when the reader handed it over."""

    at_s: float
    out_s: float
    antenna: Antenna
    uid: str
    rssi_dbm: float


class Tags(Struct, frozen=True):
    """The set's tags: ids and how well each is heard at best (0 to 1)."""

    uids: tuple[str, ...]
    strength: Floats


class _Change(Struct, frozen=True):
    at_s: float
    tile: int
    spot: Spot | None = None
    near: Spot | None = None
    touching: bool = False
    mute: bool | None = None
    lands: bool = False


class _Field:
    """What the antennas of one place hear of each tile at a moment, as chances a round."""

    def __init__(
        self, place: Place, antennas: tuple[Antenna, ...], tags: Tags, noise: NoiseProfile, rng: Generator
    ) -> None:
        self._place = place
        self._antennas = antennas
        self._tags = tags
        self._noise = noise
        self._rng = rng
        n = len(tags.uids)
        self._spots: list[Spot | None] = [None] * n
        self._near: list[Spot | None] = [None] * n
        self._touching = [False] * n
        self._muted = [0] * n
        self._own = np.zeros(n)
        self._cross = np.zeros(n)
        self.chance = np.zeros((len(antennas), n))

    def settle(self, tile: int, spot: Spot | None) -> None:
        """A tile lies somewhere new (None: in a hand): its coupling is drawn anew."""
        rng, noise = self._rng, self._noise
        self._spots[tile] = spot
        if spot is not None:
            fading = 1.0 - (1.0 - noise.heard) * float(rng.gamma(1.2, 1 / 1.2))
            self._own[tile] = max(0.02, fading) * float(self._tags.strength[tile])
            if spot.surface is Surface.FLOOR and rng.random() < 0.04:
                # It came to rest at the edge of what the floor antenna sees.
                self._own[tile] *= 0.1
            self._cross[tile] = min(1.0, float(rng.gamma(0.3, 1 / 0.3)))
        self._work_out(tile)

    def apply(self, change: _Change) -> None:
        """Take in one change."""
        if change.mute is not None:
            self._muted[change.tile] += 1 if change.mute else -1
            self._work_out(change.tile)
        elif change.lands:
            self.settle(change.tile, change.spot)
        else:
            self._near[change.tile] = change.near
            self._touching[change.tile] = change.touching
            self._work_out(change.tile)

    def _work_out(self, tile: int) -> None:
        for k, antenna in enumerate(self._antennas):
            chance = 0.0 if self._muted[tile] else self._heard_by(antenna, tile)
            self.chance[k, tile] = min(1.0, chance)

    def _heard_by(self, antenna: Antenna, tile: int) -> float:
        noise, spot = self._noise, self._spots[tile]
        strength = float(self._tags.strength[tile])
        if spot is None:
            near = self._near[tile]
            if near is None or near.seat != self._place or antenna not in (Antenna.SLOPE, Antenna.LEDGE):
                return 0.0
            if antenna.value != near.surface.value:
                return strength * noise.hand_seen * _PASSING_BY
            return strength * (0.9 if self._touching[tile] else noise.hand_seen)
        own, cross = float(self._own[tile]), float(self._cross[tile]) * strength
        match antenna, spot.surface:
            case (Antenna.SLOPE, Surface.SLOPE) | (Antenna.LEDGE, Surface.LEDGE) if spot.seat == self._place:
                return own
            case (Antenna.SLOPE, Surface.LEDGE) | (Antenna.LEDGE, Surface.SLOPE) if spot.seat == self._place:
                return noise.crosstalk * cross
            case (Antenna.SLOPE | Antenna.LEDGE, Surface.WALL | Surface.TABLE) if spot.seat == self._place:
                exposed = 1.0 if antenna is Antenna.SLOPE else 0.2
                return noise.wall_seen * cross * exposed * (4.0 if spot.surface is Surface.TABLE else 1.0)
            case (Antenna.SLOPE | Antenna.LEDGE, _):
                return noise.neighbour * cross
            case Antenna.DISCARD, Surface.FLOOR:
                return own
            case Antenna.DISCARD, Surface.TABLE | Surface.WALL:
                return noise.wall_seen * cross * 2.0
            case Antenna.DISCARD, _:
                return noise.neighbour * cross
            case Antenna.WALL, Surface.WALL:
                return own * 0.8
            case _:
                return noise.neighbour * cross


def _changes(happening: Happening, noise: NoiseProfile, rng: Generator) -> list[_Change]:
    changes: list[_Change] = []
    for move in happening.moves:
        changes.append(_Change(move.lifted_s, move.tile, lands=True))
        changes.append(_Change(move.landed_s, move.tile, spot=move.target, lands=True))
    for hover in happening.hovers:
        near = Spot(hover.surface, hover.rack)
        changes.append(_Change(hover.from_s, hover.tile, near=near, touching=hover.touching))
        changes.append(_Change(hover.to_s, hover.tile))
    expected = noise.silences_per_min * len(happening.faces) * happening.end_s / 60.0
    for _ in range(int(rng.poisson(expected))):
        tile, at_s = int(rng.integers(0, len(happening.faces))), float(rng.uniform(0.0, happening.end_s))
        length_s = min(_LONGEST_SILENCE_S, float(rng.exponential(4.0)))
        changes.append(_Change(at_s, tile, mute=True))
        changes.append(_Change(at_s + length_s, tile, mute=False))
    changes.sort(key=lambda change: change.at_s)
    return changes


def _shadow(happening: Happening, place: Place, noise: NoiseProfile) -> Floats:
    """What hands that rest on a rack or rub it leave of its antennas' hearing, by time."""
    left = np.ones(int(happening.end_s / _SHADOW_S) + 1)
    for push in happening.pushes:
        if push.rack == place and push.shape in (Shape.HOLD, Shape.RUB):
            left[int(push.from_s / _SHADOW_S) : int(push.to_s / _SHADOW_S) + 1] = noise.hand_shadow
    return left


class _Reader:
    """One reader going round its antennas, in step with what changes on the table."""

    def __init__(
        self,
        happening: Happening,
        place: Place,
        antennas: tuple[Antenna, ...],
        tags: Tags,
        noise: NoiseProfile,
        rng: Generator,
    ) -> None:
        self.rng, self.tags = rng, tags
        self._enrolled = frozenset(tags.uids)
        self.end_s = happening.end_s
        self.field = _Field(place, antennas, tags, noise, rng)
        for tile, spot in enumerate(happening.start):
            self.field.settle(tile, spot)
        self._changes = _changes(happening, noise, rng)
        self._next = 0
        self._shadow = _shadow(happening, place, noise)

    def load(self, k: int) -> float:
        """How many tags antenna `k` hears in a round, on average."""
        return float(self.field.chance[k].sum())

    def chances(self, k: int, from_s: float, to_s: float) -> Floats:
        """Chances of antenna `k` in a span; a tile that moves in it is heard or not by when its own slot comes."""
        changes = self._changes
        while self._next < len(changes) and changes[self._next].at_s <= from_s:
            self.field.apply(changes[self._next])
            self._next += 1
        chance: Floats = self.field.chance[k] * self._shadow[min(self._shadow.size - 1, int(from_s / _SHADOW_S))]
        slots: dict[int, float] = {}
        while self._next < len(changes) and changes[self._next].at_s <= to_s:
            change = changes[self._next]
            slot_s = slots.setdefault(change.tile, float(self.rng.uniform(from_s, to_s)))
            self.field.apply(change)
            if slot_s >= change.at_s:
                chance[change.tile] = self.field.chance[k, change.tile]
            self._next += 1
        return chance

    def phantom(self) -> str:
        """An id that is not there: noise, one bit off a real one, or a cut one."""
        rng = self.rng
        real = self.tags.uids[int(rng.integers(0, len(self.tags.uids)))]
        dice = rng.random()
        if dice < 0.2:
            return real[: 2 * int(rng.integers(3, 7))]
        ghost = int(rng.integers(0, 1 << 40)) + 0xE004_0100_0000_0000
        if dice < 0.7:
            ghost = int(real, 16) ^ (1 << int(rng.integers(0, 40)))
        return f"{ghost:016X}" if f"{ghost:016X}" not in self._enrolled else real[:8]


def inventories(
    happening: Happening,
    place: Place,
    antennas: tuple[Antenna, ...],
    tags: Tags,
    noise: NoiseProfile,
    rng: Generator,
    reader: Reader,
) -> list[Round]:
    """Every inventory round of a node's antennas in turn."""
    one = _Reader(happening, place, antennas, tags, noise, rng)
    slow = reader is Reader.SLOW
    rounds: list[Round] = []
    now_s, turn = float(rng.uniform(0.0, 0.2)), 0
    while now_s < one.end_s:
        k = turn % len(antennas)
        turn += 1
        n = one.load(k)
        base_s, each_s = (_SLOW_BASE_S, _SLOW_PER_TAG_S) if slow else (_ROUND_BASE_S, _ROUND_PER_TAG_S)
        length_s = base_s + each_s * n * float(rng.gamma(30.0, 1 / 30.0)) + float(rng.exponential(0.0015))
        chance = one.chances(k, now_s, now_s + length_s)
        heard = np.flatnonzero(rng.random(chance.size) < chance)
        lost = noise.incomplete * (0.3 + n / 14.0) + (0.1 if slow and n > _SLOW_TAGS else 0.0)
        complete = not rng.random() < lost
        if not complete:
            heard = heard[rng.random(heard.size) < rng.uniform(0.0, 0.9)]
        uids = [tags.uids[int(tile)] for tile in rng.permutation(heard)]
        if rng.random() < noise.phantom:
            uids.append(one.phantom())
        now_s += length_s
        if now_s < one.end_s:
            rounds.append(Round(now_s, antennas[k], tuple(uids), complete))
        now_s += float(rng.uniform(0.001, 0.004))
    return rounds


def stream(
    happening: Happening, place: Place, antennas: tuple[Antenna, ...], tags: Tags, noise: NoiseProfile, rng: Generator
) -> list[Read]:
    """Every single read of a streaming reader that dwells on its antennas in turn.

    A read may be handed over late (by up to 10 s in the poorest reader), so time stamps run backwards between antennas.
    """
    one = _Reader(happening, place, antennas, tags, noise, rng)
    reads: list[Read] = []
    now_s, turn = float(rng.uniform(0.0, 0.2)), 0
    late = noise.phantom
    while now_s < one.end_s - _DWELL_S:
        k = turn % len(antennas)
        turn += 1
        length_s = _DWELL_S * float(rng.uniform(0.8, 1.2))
        chance = one.chances(k, now_s, now_s + length_s)
        # Radio fields reach farther than coils: strays of other places are heard a few times as often.
        weights = np.where(chance < 0.2, chance * 4.0, chance)
        per_tag = min(2.0, _READS_PER_S * length_s / max(1.0, float(weights.sum())))
        counts = rng.poisson(weights * per_tag)
        held_s = float(rng.uniform(0.5, 10.0)) if rng.random() < late * 0.1 else 0.0
        for tile in np.flatnonzero(counts):
            strong = chance[tile] >= 0.2
            for _ in range(int(counts[tile])):
                at_s = now_s + float(rng.uniform(0.0, length_s))
                rssi = round(float(rng.normal(-52.0 if strong else -67.0, 4.0)) * 2) / 2
                uid = one.phantom() if rng.random() < noise.phantom * 0.02 else tags.uids[int(tile)]
                reads.append(Read(at_s, max(at_s, now_s + length_s + held_s), antennas[k], uid, rssi))
        now_s += length_s + float(rng.uniform(0.002, 0.01))
    reads.sort(key=lambda read: read.out_s)
    return reads


def appearances(reads: list[Read]) -> list[Read]:
    """What a reader tells that reports changes only: a tag where it has not heard it of late, once."""
    heard_s: dict[tuple[Antenna, str], float] = {}
    told: list[Read] = []
    for read in reads:
        if read.at_s - heard_s.get((read.antenna, read.uid), -_GONE_S) >= _GONE_S:
            told.append(read)
        heard_s[read.antenna, read.uid] = read.at_s
    return told
