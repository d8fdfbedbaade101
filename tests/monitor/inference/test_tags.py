"""Tagged tiles: what a tile's change of place means for racks and floor."""

from collections import Counter

from firmware_bridge.messages import Place
from hw.observations import TileMoved, Zone
from monitor.inference.moves import Landed, Move
from monitor.inference.tags import Tags

from .script import EAST, SOUTH, moment


class Cloth:
    """A table's tags, and how many tiles each rack has by them."""

    def __init__(self) -> None:
        self.tags = Tags()
        self.held: Counter[tuple[int, Zone]] = Counter()

    def move(self, uid: str, place: Place | None, zone: Zone | None, at_s: float) -> list[Move]:
        moves = self.tags.moves(TileMoved(uid, place, zone, moment(at_s), at_s + 0.8, 0.99))
        for move in moves:
            self.held[move.seat, move.zone] += move.tiles
        return moves

    def land(self, uid: str, at_s: float) -> Landed | None:
        self.move(uid, Place.FLOOR, None, at_s)
        return self.tags.landing(TileMoved(uid, Place.FLOOR, None, moment(at_s), at_s + 0.8, 0.99))

    def counts(self, seat: int) -> tuple[int, int]:
        """Tiles on the slope and on the ledge of a rack, as the moves add up."""
        return self.held[seat, Zone.SLOPE], self.held[seat, Zone.LEDGE]


def test_a_tile_that_appears_came_from_nowhere_known() -> None:
    cloth = Cloth()
    (move,) = cloth.move("A", Place.SOUTH, Zone.SLOPE, 5.0)
    assert (move.seat, move.zone, move.tiles, move.uid) == (SOUTH, Zone.SLOPE, 1, "A")
    assert (move.own, move.from_ledge_of, move.shifted) == (False, -1, False)
    assert (move.moment, move.seen_s) == (moment(5.0), 5.8)
    assert cloth.counts(SOUTH) == (1, 0)


def test_a_tile_that_leaves_and_comes_back_is_the_rack_s_own() -> None:
    cloth = Cloth()
    cloth.move("A", Place.SOUTH, Zone.SLOPE, 5.0)
    (gone,) = cloth.move("A", None, None, 9.0)
    assert (gone.tiles, gone.seat, gone.own) == (-1, SOUTH, True)
    assert cloth.counts(SOUTH) == (0, 0)
    (back,) = cloth.move("A", Place.SOUTH, Zone.SLOPE, 11.0)
    assert (back.tiles, back.own, back.from_ledge_of) == (1, True, -1)


def test_a_tile_seen_elsewhere_left_where_it_was() -> None:
    """A rack's antenna that was slower than the other's: both moves, the leaving first."""
    cloth = Cloth()
    cloth.move("A", Place.SOUTH, Zone.SLOPE, 5.0)
    gone, came = cloth.move("A", Place.EAST, Zone.SLOPE, 9.0)
    assert (gone.tiles, gone.seat, came.tiles, came.seat) == (-1, SOUTH, 1, EAST)
    assert (came.own, came.shifted, gone.shifted) == (False, False, False)
    assert (cloth.counts(SOUTH), cloth.counts(EAST)) == ((0, 0), (1, 0))


def test_a_tile_laid_from_slope_to_ledge_shifts() -> None:
    cloth = Cloth()
    cloth.move("A", Place.SOUTH, Zone.SLOPE, 5.0)
    gone, came = cloth.move("A", Place.SOUTH, Zone.LEDGE, 9.0)
    assert (gone.zone, came.zone) == (Zone.SLOPE, Zone.LEDGE)
    assert gone.shifted
    assert came.shifted
    assert cloth.counts(SOUTH) == (0, 1)


def test_a_joker_taken_from_a_ledge_tells_whose() -> None:
    cloth = Cloth()
    cloth.move("J", Place.SOUTH, Zone.LEDGE, 5.0)
    cloth.move("J", None, None, 9.0)
    (came,) = cloth.move("J", Place.EAST, Zone.SLOPE, 10.0)
    assert (came.from_ledge_of, came.own) == (SOUTH, False)


def test_what_lay_in_an_exposure_is_told_from_a_pick_that_rested_there() -> None:
    """Laid out from the slope, or there for long, as against put down on the ledge for a while."""
    cloth = Cloth()
    cloth.move("J", Place.SOUTH, Zone.SLOPE, 3.0)
    cloth.move("J", Place.SOUTH, Zone.LEDGE, 5.0)
    cloth.move("P", Place.SOUTH, Zone.LEDGE, 5.0)
    assert cloth.move("J", Place.SOUTH, Zone.SLOPE, 8.0)[1].exposed
    assert not cloth.move("P", Place.SOUTH, Zone.SLOPE, 8.0)[1].exposed
    cloth.move("L", Place.SOUTH, Zone.LEDGE, 9.0)
    assert cloth.move("L", Place.EAST, Zone.SLOPE, 30.0)[1].exposed


def test_a_tile_lands_once_and_tells_whose_it_was() -> None:
    cloth = Cloth()
    cloth.move("A", Place.SOUTH, Zone.SLOPE, 5.0)
    cloth.move("A", None, None, 9.0)
    landed = cloth.land("A", 9.5)
    assert landed is not None
    assert (landed.uid, landed.from_seat, landed.moment) == ("A", SOUTH, moment(9.5))
    assert cloth.land("A", 10.5) is None
    thrown = cloth.land("B", 11.0)
    assert thrown is not None
    assert thrown.from_seat == -1


def test_a_tile_seen_on_the_floor_first_left_its_rack_as_well() -> None:
    cloth = Cloth()
    cloth.move("A", Place.SOUTH, Zone.SLOPE, 5.0)
    (gone,) = cloth.move("A", Place.FLOOR, None, 9.5)
    assert (gone.tiles, gone.seat) == (-1, SOUTH)
    assert cloth.counts(SOUTH) == (0, 0)


def test_a_claimed_tile_comes_from_the_floor_and_may_land_again() -> None:
    cloth = Cloth()
    assert cloth.land("A", 5.0) is not None
    cloth.move("A", Place.EAST, Zone.LEDGE, 8.0)
    cloth.move("A", None, None, 30.0)
    assert cloth.land("A", 31.0) is not None


def test_a_new_hand_begins_with_an_empty_floor_and_forgets_whose_tiles_were() -> None:
    cloth = Cloth()
    cloth.move("A", Place.SOUTH, Zone.SLOPE, 5.0)
    cloth.move("A", None, None, 9.0)
    cloth.land("A", 9.5)
    cloth.move("B", Place.SOUTH, Zone.SLOPE, 6.0)
    cloth.tags.new_hand()
    landed = cloth.land("A", 40.0)
    assert landed is not None
    assert landed.from_seat == -1
    assert cloth.move("B", None, None, 41.0)[0].seat == SOUTH


def test_a_tile_leaves_after_it_came() -> None:
    """A weak tag may be dated before it came: then its leaving is only known to lie after."""
    cloth = Cloth()
    cloth.move("A", Place.SOUTH, Zone.SLOPE, 9.0)
    moved = TileMoved("A", None, None, moment(8.5), 12.0, 0.8)
    (gone,) = cloth.tags.moves(moved)
    assert gone.moment.earliest_s <= gone.moment.at_s <= gone.moment.latest_s
    assert gone.moment.at_s > 9.0
    assert gone.moment.latest_s == 12.0
