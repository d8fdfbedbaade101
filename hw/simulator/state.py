"""Where one hand of play stands, for the scripts of turns and claims. No physics, no rules beyond whose turn it is."""

from msgspec import Struct, field

from firmware_bridge.messages import Place
from hw.simulator.physical import right_of


class Discard(Struct, frozen=True):
    """The newest discard."""

    tile: int
    seat: Place
    at_s: float


class Exposure(Struct):
    """Tiles of one claim on a ledge. Exchanged jokers leave `tiles` and naturals take their place."""

    seat: Place
    face: str
    tiles: list[int]


class Hand(Struct):
    """Mutable state of play."""

    east: Place
    discards: int = 0
    dead: set[Place] = field(default_factory=set)
    wrong: set[Place] = field(default_factory=set)
    dies_at_s: dict[Place, float] = field(default_factory=dict)
    dies_by_itself: bool = False
    """The hand that is to die is declared dead by its own player, which counts for nothing."""
    acted_dead: bool = False
    exposures: list[Exposure] = field(default_factory=list)
    not_before_s: float = 0.0
    """Nobody acts before this: the table listens to somebody."""

    def next_after(self, seat: Place) -> Place:
        """The next seat in turn whose hand is alive."""
        for steps in (1, 2, 3):
            if right_of(seat, steps) not in self.dead:
                return right_of(seat, steps)
        return seat
