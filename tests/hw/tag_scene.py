"""An antenna that tiles are laid on, for tests: tags that are heard more or less, strays, phantoms. Seeded."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from hw.enrolment import Enrolment, Told
from hw.tag_on_antenna import Heard
from hw.tile_set import AMERICAN_SET

ROUND_S = 0.12


def tags(seed: int, *, reel: bool = False) -> dict[str, str]:
    """A whole set: 152 ids, neighbours on one reel or not, and their faces."""
    rng = np.random.default_rng(seed)
    faces = [face for face, n in AMERICAN_SET.items() for _ in range(n)]
    serials = int(rng.integers(1 << 39)) + rng.permutation(200)[:152] if reel else rng.integers(1 << 40, size=152)
    assert len(set(serials.tolist())) == 152
    return {f"{0xE0040100_00000000 + int(one):016X}": face for one, face in zip(serials, faces, strict=True)}


@dataclass
class Bench:
    """The antenna and what is near it: `near` maps ids to the share of rounds in which each is heard."""

    seed: int = 1
    heard: float = 0.92
    incomplete: float = 0.01
    phantom: float = 0.0
    round_s: float = ROUND_S
    now_s: float = 50.0
    near: dict[str, float] = field(default_factory=dict)
    other_antenna: dict[str, float] = field(default_factory=dict)
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def run(self, enrolment: Enrolment, seconds: float, lying: Mapping[str, float] | str = "") -> list[Told]:
        """Let time pass with tags on the antenna: one id, or ids with their shares."""
        on = {lying: self.heard} if isinstance(lying, str) and lying else dict(lying or {})
        told: list[Told] = []
        until_s = self.now_s + seconds
        while self.now_s < until_s:
            self.now_s += self.round_s * float(self.rng.uniform(0.9, 1.1))
            chances = {**self.near, **on}
            uids = [uid for uid, share in chances.items() if self.rng.random() < share]
            complete = self.rng.random() >= self.incomplete
            if not complete:
                uids = [uid for uid in uids if self.rng.random() < 0.5]
            if chances and self.rng.random() < self.phantom:
                source = list(next(iter(chances)))
                source[int(self.rng.integers(len(source)))] = "0123456789ABCDEF"[int(self.rng.integers(16))]
                uids.append("".join(source))
            told += enrolment.feed(Heard(self.now_s, tuple(dict.fromkeys(uids)), complete))
            if self.other_antenna:
                elsewhere = tuple(uid for uid, share in self.other_antenna.items() if self.rng.random() < share)
                told += enrolment.feed(Heard(self.now_s, elsewhere, here=False))
        return told

    def lay(self, enrolment: Enrolment, uid: str, seconds: float = 4.0, share: float | None = None) -> list[Told]:
        """Lay one tag, then take it off again."""
        told = self.run(enrolment, seconds, {uid: self.heard if share is None else share})
        return told + self.run(enrolment, 2.0)
