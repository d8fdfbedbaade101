"""The table while a hand is being played: where every tile lies, whose hands are busy, all that has happened so far.

Owns physical bookkeeping during a performance: a tile can only be taken from where it lies, and only once it has come
to rest. Refuses to know rules and order of play. The scripts (deal, Charleston, play, ending) call it; it yields a
`Happening` and the referee's log.
"""

from numpy.random import Generator

from firmware_bridge.messages import ButtonName, Place
from hw.simulator.options import Options
from hw.simulator.people import People
from hw.simulator.physical import SEATS, Happening, Hover, Move, Press, Push, Shape, Spot, Surface, Typed
from hw.simulator.tiles import JOKER, faces
from hw.simulator.truth import Referee

FLOOR = Spot(Surface.FLOOR)


class Stage:
    """Mutable state of one evening at one table, filled by the scripts."""

    def __init__(self, rng: Generator, options: Options) -> None:
        self.rng = rng
        self.options = options
        self.people = People(rng, options.pace, options.noise)
        self.faces = faces()
        self.referee = Referee()
        self.start = tuple(Spot(Surface.WALL, SEATS[k % 4]) for k in range(len(self.faces)))
        self._spots = list(self.start)
        self._at_rest_s = [0.0] * len(self.faces)
        self._moves: list[Move] = []
        self._hovers: list[Hover] = []
        self._pushes: list[Push] = []
        self._presses: list[Press] = []
        self._typed: list[Typed] = []
        self.idle_from_s = dict.fromkeys(SEATS, 0.0)
        self.wall: list[int] = []
        self.returned = False
        """The wall's next tile is one that was picked and put back."""

    # -- where things are ------------------------------------------------------------------------------------------

    def spot(self, tile: int) -> Spot:
        """Where a tile lies, or is about to land."""
        return self._spots[tile]

    def at_rest_s(self, tile: int) -> float:
        """When the tile's last move ended."""
        return self._at_rest_s[tile]

    def on(self, surface: Surface, seat: Place | None = None) -> list[int]:
        """Tiles that lie, or are about to lie, on a surface."""
        wanted = Spot(surface, seat)
        return [tile for tile, spot in enumerate(self._spots) if spot == wanted]

    def slope(self, seat: Place) -> list[int]:
        """The concealed tiles of a rack."""
        return self.on(Surface.SLOPE, seat)

    def ledge(self, seat: Place) -> list[int]:
        """The tiles on top of a rack."""
        return self.on(Surface.LEDGE, seat)

    def held(self, seat: Place) -> int:
        """How many tiles a rack has in and on it."""
        return len(self.slope(seat)) + len(self.ledge(seat))

    def some(self, tiles: list[int], n: int) -> list[int]:
        """`n` of these tiles, in random order."""
        return [tiles[int(k)] for k in self.rng.permutation(len(tiles))[:n]]

    def some_seat(self, seats: list[Place]) -> Place:
        """One of these seats."""
        return seats[int(self.rng.integers(0, len(seats)))]

    def passable(self, seat: Place) -> list[int]:
        """Concealed tiles that may be passed: no joker may (procedure, row 3)."""
        return [tile for tile in self.slope(seat) if self.faces[tile] != JOKER]

    # -- what happens ----------------------------------------------------------------------------------------------

    def carry(self, hand: Place, tile: int, lifted_s: float, landed_s: float, target: Spot) -> float:
        """A hand carries a tile; returns when it landed. Grip and landing press the racks concerned.

        Raises ValueError where the tile is still in motion at `lifted_s`: the script is wrong.
        """
        if lifted_s < self._at_rest_s[tile]:
            raise ValueError(
                f"tile {tile} is taken at {lifted_s:.3f} s, but rests only from {self._at_rest_s[tile]:.3f} s"
            )
        landed_s = max(landed_s, lifted_s + 0.03)
        source = self._spots[tile]
        self._moves.append(Move(tile, lifted_s, landed_s, source, target, hand))
        self._spots[tile] = target
        self._at_rest_s[tile] = landed_s
        self.busy(hand, landed_s)
        self._grip(hand, source, lifted_s)
        self._set_down(hand, target, landed_s)
        if source.seat is not None and source.surface in (Surface.SLOPE, Surface.LEDGE):
            near_s = min(landed_s, lifted_s + self.people.between(0.05, 0.35))
            self._hovers.append(Hover(tile, source.seat, source.surface, lifted_s, near_s))
        if target.seat is not None and target.surface in (Surface.SLOPE, Surface.LEDGE):
            near_s = max(lifted_s, landed_s - self.people.between(0.05, 0.5))
            self._hovers.append(Hover(tile, target.seat, target.surface, near_s, landed_s))
        return landed_s

    def busy(self, seat: Place, until_s: float) -> None:
        """A seat's hands are not free before this."""
        self.idle_from_s[seat] = max(self.idle_from_s[seat], until_s)

    def hover(
        self, tile: int, rack: Place, surface: Surface, from_s: float, to_s: float, touching: bool = False
    ) -> None:
        """A held tile is near a rack."""
        self._hovers.append(Hover(tile, rack, surface, from_s, to_s, touching))

    def push(self, rack: Place, surface: Surface, from_s: float, to_s: float, grams: float, shape: Shape) -> None:
        """A hand presses a rack."""
        self._pushes.append(Push(rack, surface, from_s, to_s, grams, shape))

    def press(self, seat: Place, button: ButtonName, down_s: float) -> None:
        """A seat presses a button for as long as people do."""
        self._presses.append(Press(seat, button, down_s, down_s + self.people.between(0.07, 0.45)))

    def enter(self, at_s: float, about: str, payload: str) -> None:
        """Somebody types an input."""
        self._typed.append(Typed(at_s, about, payload))

    def knock(self, at_s: float, grams: float) -> None:
        """The table itself is bumped, or a tile slapped on it: every rack feels it a little."""
        for seat in SEATS:
            share = grams * self.people.between(0.2, 1.0)
            self.push(seat, Surface.SLOPE, at_s, at_s + self.people.between(0.15, 0.5), share, Shape.KNOCK)

    def tap(self, hand: Place, tile: int, at_s: float) -> float:
        """A held tile is tapped on the slope and not left there; returns when it is off again."""
        length_s = self.people.between(0.04, 0.22)
        self.push(hand, Surface.SLOPE, at_s, at_s + length_s, self.people.force(hand, 220.0), Shape.PULSE)
        self.hover(tile, hand, Surface.SLOPE, at_s - 0.1, at_s + length_s + 0.1)
        self.hover(tile, hand, Surface.SLOPE, at_s, at_s + length_s, touching=True)
        self.busy(hand, at_s + length_s)
        return at_s + length_s

    def _grip(self, hand: Place, source: Spot, lifted_s: float) -> None:
        if source.seat is None or source.surface not in (Surface.SLOPE, Surface.LEDGE):
            return
        people = self.people
        before_s = people.between(0.05, 0.3)
        grams = people.force(hand, 130.0)
        self.push(
            source.seat, source.surface, lifted_s - before_s, lifted_s + people.between(0.0, 0.06), grams, Shape.PULSE
        )
        if people.chance(0.25):
            # The tile is levered out: for a moment the rack is relieved of more than the tile.
            grams = -people.force(hand, 15.0, 0.5)
            self.push(
                source.seat, source.surface, lifted_s - 0.04, lifted_s + people.between(0.02, 0.12), grams, Shape.PULSE
            )

    def _set_down(self, hand: Place, target: Spot, landed_s: float) -> None:
        people = self.people
        if target.surface is Surface.FLOOR:
            if people.chance(0.3):
                self.knock(landed_s, people.force(hand, 1.2, 0.7))
            return
        if target.seat is None or target.surface not in (Surface.SLOPE, Surface.LEDGE):
            return
        length_s = people.between(0.06, 0.35)
        self.push(
            target.seat, target.surface, landed_s - 0.02, landed_s + length_s, people.force(hand, 120.0), Shape.PULSE
        )
        if people.chance(0.25):
            # The fingers let go by and by: at first they still carry part of the tile.
            carried_g = -people.between(2.0, 10.0)
            self.push(target.seat, target.surface, landed_s, landed_s + people.spell(hand, 0.3), carried_g, Shape.HOLD)
        elif people.chance(0.5):
            # Fingers stay on the tile a while.
            self.push(
                target.seat,
                target.surface,
                landed_s,
                landed_s + people.spell(hand, 0.4),
                people.force(hand, 18.0),
                Shape.HOLD,
            )

    def finish(self, end_s: float) -> Happening:
        """Everything that happened before `end_s`, in order of time.

        Moves that would end later are dropped whole: a recording never stops with a tile in the air.
        """
        moves = sorted((m for m in self._moves if m.landed_s <= end_s), key=lambda m: m.lifted_s)
        return Happening(
            end_s=end_s,
            faces=self.faces,
            start=self.start,
            moves=tuple(moves),
            hovers=tuple(sorted((h for h in self._hovers if h.from_s < h.to_s), key=lambda h: h.from_s)),
            pushes=tuple(sorted(self._pushes, key=lambda p: p.from_s)),
            presses=tuple(sorted((p for p in self._presses if p.down_s < end_s), key=lambda p: p.down_s)),
            typed=tuple(sorted(self._typed, key=lambda t: t.at_s)),
        )
