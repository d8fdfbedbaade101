"""One tile's belief: always one tile, in one place, however it is heard."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.messages import Antenna, Place
from hw.rfid_antenna import AntennaWatch
from hw.rfid_belief import Candidate, TileBelief
from hw.rfid_silence import SilenceLaw

HELD = 0.5


def table() -> list[AntennaWatch]:
    antennas = [
        AntennaWatch(0, Place.EAST, Antenna.SLOPE),
        AntennaWatch(1, Place.EAST, Antenna.LEDGE),
        AntennaWatch(2, Place.SOUTH, Antenna.SLOPE),
        AntennaWatch(3, Place.FLOOR, Antenna.DISCARD),
    ]
    antennas[0].sibling, antennas[1].sibling = antennas[1], antennas[0]
    return antennas


def belief(antennas: list[AntennaWatch], at_rest: bool) -> TileBelief:
    tile = TileBelief("A")
    tile.updated_s = 0.0
    tile.candidates = [Candidate(antenna, 0.0) for antenna in antennas]
    if at_rest:
        tile.home = tile.anchor = antennas[0]
        tile.silent_since_s = 0.0
        tile.still, tile.away = 0.999, 0.001
    return tile


def total(tile: TileBelief) -> float:
    states = [s for c in tile.candidates for s in (c.rest, c.dull, c.faint, c.touch, c.near)]
    assert all(state >= 0.0 for state in (*states, tile.away, tile.still, tile.hushed))
    return sum(states) + tile.away + tile.still + tile.hushed


rounds = st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.floats(0.0, 30.0)), max_size=80)


@given(rounds, st.booleans())
def test_probabilities_add_up_to_one(steps: list[tuple[int, bool, float]], at_rest: bool) -> None:
    antennas, law = table(), SilenceLaw()
    tile = belief(antennas, at_rest)
    at_s = 0.0
    for k, heard, pause_s in steps:
        at_s += pause_s
        tile.observe(antennas[k], heard, at_s, law, HELD)
        assert total(tile) == pytest.approx(1.0)
        assert sum(tile.rest_at(a) for a in antennas) <= 1.0 + 1e-9


def hear(tile: TileBelief, by: AntennaWatch, pattern: str, from_s: float, period_s: float = 0.1) -> float:
    law = SilenceLaw()
    for k, mark in enumerate(pattern):
        tile.observe(by, mark == "#", from_s + k * period_s, law, HELD)
    return from_s + len(pattern) * period_s


def test_hearing_again_and_again_is_rest() -> None:
    antennas = table()
    tile = belief(antennas, at_rest=False)
    hear(tile, antennas[0], "############", 0.1)
    assert tile.rest_at(antennas[0]) > 0.99


def test_one_hearing_is_not() -> None:
    antennas = table()
    tile = belief(antennas, at_rest=False)
    end_s = hear(tile, antennas[0], "#", 0.1)
    assert tile.rest_at(antennas[0]) < 0.9
    hear(tile, antennas[0], ".....", end_s)
    assert tile.rest_at(antennas[0]) < 0.02


def test_crosstalk_does_not_move_a_tile() -> None:
    antennas = table()
    tile = belief(antennas, at_rest=True)
    at_s = 0.1
    for _ in range(40):
        at_s = hear(tile, antennas[0], "#", at_s)
        at_s = hear(tile, antennas[1], "#...", at_s, 0.02)
    assert tile.rest_at(antennas[0]) > 0.99


def test_from_slope_to_ledge() -> None:
    antennas = table()
    tile = belief(antennas, at_rest=True)
    at_s = 0.1
    for _ in range(10):
        at_s = hear(tile, antennas[0], ".", at_s)
        at_s = hear(tile, antennas[1], "#", at_s)
    assert tile.rest_at(antennas[1]) > 0.99
    assert tile.rest_at(antennas[0]) < 0.01


def test_a_weak_tag_is_found_in_the_end() -> None:
    antennas = table()
    tile = belief(antennas, at_rest=False)
    hear(tile, antennas[0], "..#....#...#..#.....#...#.#....#...#..." * 3, 0.1)
    assert tile.rest_at(antennas[0]) > 0.95


def test_short_misses_of_a_well_heard_tag_leave_it_there() -> None:
    antennas = table()
    tile = belief(antennas, at_rest=True)
    tile.learn(500, 350)
    hear(tile, antennas[0], "##.#..###...#.##..#", 0.1)
    assert tile.rest_at(antennas[0]) > 0.97


def test_the_longer_the_silence_the_likelier_gone() -> None:
    antennas = table()
    tile = belief(antennas, at_rest=True)
    tile.learn(500, 450)
    at_s, before = 0.1, 1.0
    for _ in range(6):
        at_s = hear(tile, antennas[0], "." * 8, at_s)
        here = tile.rest_at(antennas[0])
        assert here < before
        before = here
    assert 0.0 < here < 0.3


def test_a_tags_own_rate_is_learned_and_bounded() -> None:
    antennas = table()
    tile = belief(antennas, at_rest=True)
    prior = tile.hearing_rate(antennas[0])
    tile.learn(300, 120)
    assert tile.hearing_rate(antennas[0]) == pytest.approx(0.41, abs=0.02)
    assert not tile.is_marginal(antennas[0])
    tile.learn(3000, 0)
    assert 0.0 < tile.hearing_rate(antennas[0]) < 0.2 < prior < 1.0
    assert tile.is_marginal(antennas[0])
