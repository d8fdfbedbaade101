"""Where everything lies in the picture of one table, seen from above.

Owns geometry and nothing else: a square of 400 x 400 units with East's chair at the bottom and play going to the right,
so South sits right, West at the top, North left. Pure.
"""

from typing import Final

from msgspec import Struct

from monitor.events import SEATS, Seat
from monitor.pictures.rows import SURE
from monitor.view import Counts, TableView
from monitor.web.words import say
from monitor.wording import seat_name

TILE_W: Final = 13.0
TILE_H: Final = 19.0
PITCH: Final = 14.5
RACK_W: Final = 232.0
MAX_TILES: Final = 16
"""As many as fit a rack drawn at this size; a rack with more says its number only."""


class Words(Struct, frozen=True):
    """Where a rack's words stand upright; its number is `number_dy` below its name."""

    x: int
    y: int
    anchor: str
    number_dy: int


_MIDDLE = 200.0
_SLOPE_Y = 362.0
_LEDGE_Y = 334.0
_ANGLES = {Seat.EAST: 0, Seat.SOUTH: 270, Seat.WEST: 180, Seat.NORTH: 90}
_WORDS = {
    Seat.EAST: Words(200, 312, "middle", -24),
    Seat.SOUTH: Words(318, 192, "end", 24),
    Seat.WEST: Words(200, 88, "middle", 24),
    Seat.NORTH: Words(82, 192, "start", 24),
}


class Tile(Struct, frozen=True):
    """A tile's left upper corner in its rack's own frame (East's)."""

    x: float
    y: float


class RackPicture(Struct, frozen=True):
    """One rack, to be turned by `angle` degrees about the middle; its words stand upright beside it."""

    seat: Seat
    name: str
    angle: int
    words: Words
    tiles: tuple[Tile, ...]
    number: str
    title: str
    turn: bool
    east: bool
    dead: bool
    known: bool
    doubted: bool


def racks(view: TableView) -> list[RackPicture]:
    """The four racks of a view; without numbers where the view has no counts."""
    counts = {one.seat: one for one in view.counts}
    return [_rack(view, seat, counts.get(seat)) for seat in SEATS]


def _rack(view: TableView, seat: Seat, counts: Counts | None) -> RackPicture:
    total = counts.total if counts is not None else None
    return RackPicture(
        seat=seat,
        name=seat_name(seat),
        angle=_ANGLES[seat],
        words=_WORDS[seat],
        tiles=_tiles(counts),
        number="" if counts is None else _number(counts),
        title=_title(view, seat, counts),
        turn=view.turn is seat,
        east=view.east is seat,
        dead=seat in view.dead,
        known=counts is None or total is not None,
        doubted=counts is not None and doubted(counts),
    )


def doubted(counts: Counts) -> bool:
    """Whether a number is told, and not surely."""
    return counts.total is not None and counts.confidence is not None and counts.confidence < SURE


def _number(counts: Counts) -> str:
    if counts.total is None:
        return say("rack.unknown")
    return say("rack.doubted", number=counts.total) if doubted(counts) else str(counts.total)


def _tiles(counts: Counts | None) -> tuple[Tile, ...]:
    if counts is None:
        return ()
    slope, ledge = counts.placed
    return _row(slope or 0, _SLOPE_Y) + _row(ledge or 0, _LEDGE_Y)


def _row(count: int, y: float) -> tuple[Tile, ...]:
    shown = min(count, MAX_TILES)
    left = _MIDDLE - shown * PITCH / 2 + (PITCH - TILE_W) / 2
    return tuple(Tile(round(left + PITCH * index, 1), y) for index in range(shown))


def _title(view: TableView, seat: Seat, counts: Counts | None) -> str:
    words = [seat_name(seat)]
    if counts is not None:
        total = counts.total
        known = say("rack.tiles", number=total) if total is not None else say("rack.not-known", reason=counts.reason)
        words.append(known.strip())
        if doubted(counts):
            words.append(say("rack.is-doubted"))
        if total is not None and counts.ledge is not None:
            slope, ledge = counts.placed
            words.append(say("rack.placed", slope=slope or 0, ledge=ledge or 0))
    if view.east is seat:
        words.append(say("rack.is-east"))
    if view.turn is seat:
        words.append(say("rack.in-turn"))
    if seat in view.dead:
        words.append(say("rack.is-dead"))
    return ", ".join(words)
