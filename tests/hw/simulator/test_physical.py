"""A tile is at one place at a time, and the counts' timeline is what the moves make of it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.messages import Place
from hw.simulator.options import Ending, Noise, Options, Pace, RuleFault
from hw.simulator.physical import (
    SEATS,
    Happening,
    Move,
    Spot,
    Surface,
    count_steps,
    faults_of,
    right_of,
)
from tests.hw.simulator.hands import lying, played

any_options = st.builds(
    Options,
    seed=st.integers(0, 2**32 - 1),
    pace=st.sampled_from(Pace),
    noise=st.sampled_from(Noise),
    rule_fault=st.none() | st.sampled_from(RuleFault),
    hands=st.sampled_from([1, 1, 2]),
    ending=st.sampled_from(Ending),
    discards=st.integers(4, 24),
    first_east=st.sampled_from(SEATS),
)


@settings(max_examples=40, deadline=None)
@given(options=any_options)
def test_no_evening_breaks_physics(options: Options) -> None:
    happening = played(options).happening
    assert faults_of(happening) == []
    assert len(happening.start) == 152


@settings(max_examples=15, deadline=None)
@given(options=any_options, moment=st.floats(0.0, 1.0))
def test_at_every_moment_152_tiles_are_in_wall_racks_table_floor_or_hands(options: Options, moment: float) -> None:
    happening = played(options).happening
    at_s = moment * happening.end_s
    where = lying(happening, at_s)
    in_hands = {m.tile for m in happening.moves if m.lifted_s <= at_s < m.landed_s}
    assert {tile for tile, spot in where.items() if spot is None} == in_hands
    assert len(where) == 152


@settings(max_examples=15, deadline=None)
@given(options=any_options, moment=st.floats(0.0, 1.0))
def test_count_steps_say_what_lies_on_the_racks(options: Options, moment: float) -> None:
    happening = played(options).happening
    at_s = moment * happening.end_s
    spots = list(lying(happening, at_s).values())
    steps = count_steps(happening)
    assert all(step.slope >= 0 and step.ledge >= 0 for step in steps)
    for seat in SEATS:
        before = [step for step in steps if step.rack == seat and step.at_s <= at_s]
        slope, ledge = (before[-1].slope, before[-1].ledge) if before else (0, 0)
        assert slope == spots.count(Spot(Surface.SLOPE, seat))
        assert ledge == spots.count(Spot(Surface.LEDGE, seat))


def test_breaches_of_physics_are_found() -> None:
    wall, slope = Spot(Surface.WALL, Place.EAST), Spot(Surface.SLOPE, Place.EAST)

    def happening(*moves: Move) -> Happening:
        return Happening(10.0, ("1-bam",), (wall,), moves, (), (), (), ())

    fine = Move(0, 1.0, 2.0, wall, slope, Place.EAST)
    assert faults_of(happening(fine)) == []
    assert "but lay at" in faults_of(happening(Move(0, 1.0, 2.0, slope, wall, Place.EAST)))[0]
    assert "before its lift" in faults_of(happening(Move(0, 2.0, 2.0, wall, slope, Place.EAST)))[0]
    assert "while in a hand" in faults_of(happening(fine, Move(0, 1.5, 3.0, slope, wall, Place.WEST)))[0]


def test_play_goes_to_the_right() -> None:
    assert [right_of(Place.WEST, k) for k in range(5)] == [
        Place.WEST, Place.NORTH, Place.EAST, Place.SOUTH, Place.WEST,
    ]  # fmt: skip
