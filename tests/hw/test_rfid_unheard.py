"""A tile that a rack's antennas hardly hear: told from strays, from tiles in hands, and from a number that is wrong."""

from collections.abc import Iterable
from random import Random

import pytest

from firmware_bridge.messages import Antenna, Place
from hw.rfid_antenna import AntennaWatch
from hw.rfid_belief import TileBelief
from hw.rfid_unheard import AFTER_LEAVING_S, SELDOM, WINDOW_S, TilesUnheard

RACK = Place.NORTH
ROUNDS_PER_S = 10
ELSEWHERE = AntennaWatch(0, Place.EAST, Antenna.SLOPE)


class Table:
    """A hundred tiles that rest nowhere, before one rack; `heard_as_usual` tags rest elsewhere with such rates."""

    def __init__(self, resting: Iterable[float] = (0.9,) * 52) -> None:
        self.tiles = [TileBelief(f"t{k}") for k in range(100)]
        for k, rate in enumerate(resting):
            tile = TileBelief(f"r{k}")
            tile.home = ELSEWHERE
            tile.learn(100, round(100 * rate))
            self.tiles.append(tile)
        self.unheard = TilesUnheard(self.tiles)
        self.now_s = 0.0
        self.rng = Random(7)
        self.likely = False

    def hear(self, seconds: float, shares: dict[str, float], stray: float = 0.001) -> "Table":
        """Rounds go by in which tiles are heard in such shares of them, all others as strays."""
        for _ in range(round(seconds * ROUNDS_PER_S)):
            self.now_s += 1.0 / ROUNDS_PER_S
            heard = [t.uid for t in self.tiles[:100] if self.rng.random() < shares.get(t.uid, stray)]
            self.unheard.heard(RACK, heard, self.now_s)
        for place, likely in self.unheard.changes(self.now_s):
            assert place is RACK
            self.likely = likely
        return self


def test_strays_from_the_wall_are_no_tile_on_the_rack() -> None:
    assert not Table().hear(60.0, {}).likely


@pytest.mark.parametrize("share", [0.05, 0.1, 0.25])
def test_a_tag_heard_in_few_rounds_may_lie_there(share: float) -> None:
    assert Table().hear(30.0, {"t5": share}).likely


def test_it_is_forgotten_when_it_is_heard_no_more() -> None:
    table = Table().hear(30.0, {"t5": 0.1})
    assert table.likely
    assert not table.hear(WINDOW_S, {}).likely


def test_a_tile_held_by_the_rack_for_a_moment_is_none() -> None:
    table = Table().hear(20.0, {}).hear(2.0, {"t5": 0.6}).hear(5.0, {})
    assert not table.likely


def test_tiles_just_passed_are_in_hands() -> None:
    table = Table().hear(10.0, {})
    for k in range(3):
        table.tiles[k].left_s = table.now_s
    assert not table.hear(AFTER_LEAVING_S, {"t0": 0.6, "t1": 0.6, "t2": 0.6}).likely


def test_where_several_tags_are_seen_to_be_weak_silence_is_enough() -> None:
    weak = [SELDOM / 2] * 8 + [0.7] * 44
    assert Table(weak).hear(30.0, {}, stray=0.003).likely
    assert not Table().hear(30.0, {}, stray=0.003).likely


def test_what_is_heard_of_a_tile_that_rests_elsewhere_is_crosstalk() -> None:
    table = Table()
    table.tiles[5].home = ELSEWHERE
    assert not table.hear(30.0, {"t5": 0.1}).likely


def test_only_changes_are_told() -> None:
    table = Table().hear(30.0, {"t5": 0.1})
    assert list(table.unheard.changes(table.now_s)) == []
