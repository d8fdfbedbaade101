"""What physically happens on a table: tiles that move, hands that press, buttons that go down. The truth, sensor-free.

Owns the vocabulary of the physical world and the rule that a tile is at one place at a time. Refuses to know why
anything happens (the script) and what a sensor makes of it. script -> **physical** -> sensors.
"""

from enum import StrEnum
from itertools import pairwise

from msgspec import Struct

from firmware_bridge.messages import ButtonName, Place

SEATS = (Place.EAST, Place.SOUTH, Place.WEST, Place.NORTH)
"""The four chairs in order of play to the right."""


def right_of(seat: Place, steps: int = 1) -> Place:
    """The chair that plays `steps` turns after `seat`."""
    return SEATS[(SEATS.index(seat) + steps) % 4]


class Surface(StrEnum):
    """What a tile can lie on. `TABLE` is the felt before a rack: passed tiles, dealt blocks not yet racked."""

    WALL = "wall"
    SLOPE = "slope"
    LEDGE = "ledge"
    FLOOR = "floor"
    TABLE = "table"


class Spot(Struct, frozen=True):
    """Where a tile lies. `seat`: whose rack, whose part of the felt, or before whom the wall stands; floor: None."""

    surface: Surface
    seat: Place | None = None


def is_rack(spot: Spot) -> bool:
    """Does a tile there lie in or on a rack?"""
    return spot.surface in (Surface.SLOPE, Surface.LEDGE)


class Move(Struct, frozen=True):
    """One tile in a hand: lifted from `source`, landed on `target`; `hand` is whose hand it was in."""

    tile: int
    lifted_s: float
    landed_s: float
    source: Spot
    target: Spot
    hand: Place


class Hover(Struct, frozen=True):
    """A tile in a hand is near a rack's antenna without lying there (looked at, tapped, held while sorting).

    `touching`: it touches the surface (a tap), so the antenna hears it nearly as if it lay there.
    """

    tile: int
    rack: Place
    surface: Surface
    from_s: float
    to_s: float
    touching: bool = False


class Shape(StrEnum):
    """How a hand's force goes: one half-sine, a plateau with tremor, or rubbing without a mean."""

    PULSE = "pulse"
    HOLD = "hold"
    RUB = "rub"
    KNOCK = "knock"


class Push(Struct, frozen=True):
    """A force of a hand on a rack, in grams at its height (downwards positive)."""

    rack: Place
    surface: Surface
    from_s: float
    to_s: float
    grams: float
    shape: Shape


class Press(Struct, frozen=True):
    """A button at a seat held down from `down_s` to `up_s`."""

    seat: Place
    button: ButtonName
    down_s: float
    up_s: float


class Typed(Struct, frozen=True):
    """A referee's or director's input: JSON text about `about` (a seat's name or `table`) entered at `at_s`."""

    at_s: float
    about: str
    payload: str


class Happening(Struct, frozen=True):
    """Everything physical of one evening, in order of time, ending at `end_s`.

    `start`: where each tile lies at 0 s. `faces`: what each tile shows.
    """

    end_s: float
    faces: tuple[str, ...]
    start: tuple[Spot, ...]
    moves: tuple[Move, ...]
    hovers: tuple[Hover, ...]
    pushes: tuple[Push, ...]
    presses: tuple[Press, ...]
    typed: tuple[Typed, ...]


class CountStep(Struct, frozen=True):
    """From `at_s` on, so many tiles lie on a rack's slope and ledge."""

    at_s: float
    rack: Place
    slope: int
    ledge: int


def count_steps(happening: Happening) -> tuple[CountStep, ...]:
    """The timeline of tiles on every rack: a tile leaves when lifted and arrives when landed."""
    tally = {Spot(surface, seat): 0 for seat in SEATS for surface in (Surface.SLOPE, Surface.LEDGE)}
    for spot in happening.start:
        if is_rack(spot):
            tally[spot] += 1
    changes: list[tuple[float, int, Spot]] = []
    for move in happening.moves:
        changes.append((move.lifted_s, -1, move.source))
        changes.append((move.landed_s, 1, move.target))
    changes.sort(key=lambda change: (change[0], change[1]))
    steps: list[CountStep] = []
    for at_s, by, spot in changes:
        seat = spot.seat
        if seat is None or spot not in tally:
            continue
        tally[spot] += by
        slope, ledge = tally[Spot(Surface.SLOPE, seat)], tally[Spot(Surface.LEDGE, seat)]
        steps.append(CountStep(at_s, seat, slope, ledge))
    return tuple(steps)


def faults_of(happening: Happening) -> list[str]:
    """Every breach of physics: a tile moved from where it is not, in two hands at once, or landing before its lift."""
    where = dict(enumerate(happening.start))
    by_tile: dict[int, list[Move]] = {}
    for move in happening.moves:
        by_tile.setdefault(move.tile, []).append(move)
    found: list[str] = []
    for tile, moves in by_tile.items():
        for move in moves:
            if move.source != where[tile]:
                found.append(
                    f"tile {tile} lifted at {move.lifted_s:.3f} s from {move.source}, but lay at {where[tile]}"
                )
            if not move.lifted_s < move.landed_s:
                found.append(f"tile {tile} landed at {move.landed_s:.3f} s before its lift at {move.lifted_s:.3f} s")
            where[tile] = move.target
        found.extend(
            f"tile {tile} lifted at {b.lifted_s:.3f} s while in a hand until {a.landed_s:.3f} s"
            for a, b in pairwise(moves)
            if b.lifted_s < a.landed_s
        )
    return found
