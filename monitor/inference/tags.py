"""Where each tagged tile lies, and what its moving means for racks and floor.

Owns the places of tiles as the RFID model tells them. Observations -> **tags** -> moves and landings. Refuses to know
turns and phases, and which tile is which: a tag is a name.
"""

from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.messages import Place
from hw.observations import Moment, TileMoved, Zone
from monitor.events import SEATS, Seat
from monitor.inference.moves import Landed, Move

RESTS_MOST_S = 12.0
"""A pick rests on a ledge for less before it is racked (our choice)."""


class Lying(Struct, frozen=True):
    """Where a tile lay last: the rack's seat and zone, whether it is still there, and when it came.

    `exposed`: it came to its ledge from its rack's own slope, as all do that an exposure holds but the claimed one.
    """

    seat: int
    zone: Zone
    there: bool
    came: Moment
    exposed: bool = False

    def lay_exposed(self, until_s: float) -> bool:
        """Whether it was part of an exposure: so it came, or nobody saw it come and it has lain there for long."""
        return self.zone is Zone.LEDGE and (self.exposed or until_s - self.came.at_s > RESTS_MOST_S)


class Tags:
    """The tagged tiles of one table. Moves and landings come out unnumbered (`number` 0)."""

    def __init__(self) -> None:
        self._lying: dict[str, Lying] = {}
        self._floor: set[str] = set()

    def moves(self, moved: TileMoved) -> list[Move]:
        """The moves of racks that a tile's move is: off the place where it was, onto another."""
        was = self._lying.get(moved.uid)
        arrives = moved.place is not None and moved.zone is not None
        moves: list[Move] = []
        seat = SEATS.index(Seat(moved.place.value)) if arrives and moved.place is not None else -1
        if was is not None and was.there:
            self._lying[moved.uid] = replace(was, there=False)
            moves.append(self._move(moved, was.seat, was.zone, -1, was, shifted=was.seat == seat))
        if arrives and moved.zone is not None:
            shifted = bool(moves) and moves[0].shifted
            own = was is not None and was.seat == seat
            exposed = own and was is not None and (was.exposed or was.zone is Zone.SLOPE) and moved.zone is Zone.LEDGE
            self._lying[moved.uid] = Lying(seat, moved.zone, True, moved.moment, exposed)
            self._floor.discard(moved.uid)
            moves.append(self._move(moved, seat, moved.zone, 1, was, shifted=shifted))
        return moves

    def landing(self, moved: TileMoved) -> Landed | None:
        """The landing that a tile's move is, `None` where it is none or the tile lay on the floor already."""
        if moved.place is not Place.FLOOR or moved.uid in self._floor:
            return None
        self._floor.add(moved.uid)
        was = self._lying.get(moved.uid)
        return Landed(0, moved.uid, -1 if was is None else was.seat, moved.moment, moved.seen_s)

    def new_hand(self) -> None:
        """The floor was swept, and tiles on no rack are from no rack again."""
        self._floor.clear()
        self._lying = {uid: lying for uid, lying in self._lying.items() if lying.there}

    def _move(self, moved: TileMoved, seat: int, zone: Zone, tiles: int, was: Lying | None, *, shifted: bool) -> Move:
        moment = moved.moment if was is None or tiles > 0 else _after(was.came, moved.moment, moved.seen_s)
        own = was is not None and was.seat == seat
        from_ledge = tiles > 0 and was is not None and was.zone is Zone.LEDGE
        return Move(
            number=0,
            seat=seat,
            zone=zone,
            tiles=tiles,
            moment=moment,
            seen_s=moved.seen_s,
            uid=moved.uid,
            from_ledge_of=was.seat if from_ledge and was is not None else -1,
            from_slope_of=was.seat if tiles > 0 and was is not None and was.zone is Zone.SLOPE and not own else -1,
            own=own,
            exposed=tiles > 0 and was is not None and was.lay_exposed(moved.moment.at_s),
            shifted=shifted,
            came_s=was.came.at_s if was is not None and tiles < 0 else 0.0,
        )


def _after(came: Moment, left: Moment, seen_s: float) -> Moment:
    """A tile left after it came: a tag that was hardly heard may be dated before."""
    if left.at_s > came.at_s:
        return left
    return Moment((came.latest_s + seen_s) / 2, came.earliest_s, max(left.latest_s, seen_s))
