"""Scales and tags as two witnesses of one move: told once, dated by the scales, named by the tag."""

from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.messages import Place
from hw.observations import Moment, Step, Zone
from monitor.inference.books import UNHEARD_S
from monitor.inference.moves import Move
from monitor.inference.witnesses import APART_S, LAG_S, Witnesses

from .script import SOUTH, moment

RACK, SLOPE, LEDGE = Zone.RACK, Zone.SLOPE, Zone.LEDGE


def step(
    before: int,
    after: int,
    at_s: float,
    *,
    zone: Zone = RACK,
    seen_s: float | None = None,
    rises: tuple[Moment, ...] = (),
    high: int | None = None,
) -> Step:
    return Step(
        place=Place.SOUTH,
        zone=zone,
        before=before,
        after=after,
        onset=moment(at_s - 0.2),
        edge=moment(at_s, 0.01),
        rest_s=at_s + 0.3,
        seen_s=at_s + 0.5 if seen_s is None else seen_s,
        low=min(before, after),
        high=max(before, after) if high is None else high,
        residue_g=0.2,
        noise_g=0.05,
        clean=True,
        rises=rises,
    )


def tag(tiles: int, at_s: float, uid: str = "A", *, doubt_s: float = 0.4, shifted: bool = False) -> Move:
    return Move(0, SOUTH, SLOPE, tiles, moment(at_s, doubt_s), at_s + 0.9, uid=uid, shifted=shifted)


def said(moves: list[Move]) -> list[tuple[str | None, int]]:
    return [(move.uid, move.tiles) for move in moves]


# ---- scales alone


def test_a_weighed_rack_moves_by_its_steps() -> None:
    one = Witnesses(SOUTH)
    (move,) = one.weighed(step(13, 14, 5.0, rises=(moment(5.0),), high=16), resting=True)
    assert (move.seat, move.zone, move.tiles, move.uid) == (SOUTH, RACK, 1, None)
    assert (move.moment, move.seen_s, move.until_s) == (moment(5.0, 0.01), 5.5, 5.3)
    assert (move.residue_g, move.noise_g, move.raised, move.landings) == (0.2, 0.05, 2, (moment(5.0),))
    assert not one.unsettled


def test_slope_and_ledge_are_read_together_what_left_before_what_came() -> None:
    """The ledge rests first; the two tiles of a claim left the slope before they lay on it."""
    one = Witnesses(SOUTH)
    assert one.weighed(step(0, 3, 6.0, zone=LEDGE), resting=False) == []
    assert one.unsettled
    moves = one.weighed(step(13, 11, 5.0, zone=SLOPE, seen_s=6.9), resting=True)
    assert [(m.zone, m.tiles) for m in moves] == [(SLOPE, -2), (LEDGE, 3)]
    assert {m.seen_s for m in moves} == {6.9}
    assert not one.unsettled


def test_a_zone_that_never_rests_is_not_waited_for_long() -> None:
    one = Witnesses(SOUTH)
    assert one.weighed(step(0, 1, 6.0, zone=LEDGE), resting=False) == []
    assert one.advance(6.5 + APART_S, resting=False) == []
    assert said(one.advance(6.5 + APART_S + 0.1, resting=False)) == [(None, 1)]


# ---- both


def both() -> Witnesses:
    """A rack that is weighed and read; its tags have spoken of a tile that came long ago."""
    one = Witnesses(SOUTH)
    one.weighed(step(12, 13, -100.0), resting=True)
    assert said(one.heard(tag(1, -90.0, "old", shifted=True), weighed=True)) == [("old", 1)]
    one.advance(-50.0, resting=True)
    assert not one.unsettled
    return one


def test_the_tag_names_and_the_scales_date() -> None:
    one = both()
    assert one.weighed(step(13, 12, 5.0), resting=True) == []
    assert one.unsettled
    (move,) = one.heard(tag(-1, 5.3), weighed=True)
    assert (move.uid, move.tiles, move.moment) == ("A", -1, moment(5.0, 0.01))
    assert one.advance(30.0, resting=True) == []
    assert not one.unsettled


def test_a_tag_that_speaks_first_waits_for_the_scales() -> None:
    one = both()
    assert one.heard(tag(1, 5.1), weighed=True) == []
    assert one.awaits("A")
    assert one.advance(6.2, resting=False) == []
    (move,) = one.weighed(step(13, 14, 5.0, seen_s=6.3), resting=True)
    assert (move.uid, move.tiles, move.moment, move.seen_s) == ("A", 1, moment(5.0, 0.01), 6.3)
    assert not one.awaits("A")
    assert one.advance(30.0, resting=True) == []


def test_of_several_landings_the_nearest_dates_each_tag() -> None:
    one = both()
    rises = (moment(5.0, 0.01), moment(6.4, 0.01))
    one.weighed(step(13, 15, 5.0, seen_s=7.2, rises=rises), resting=True)
    first = one.heard(tag(1, 5.2, "A"), weighed=True)
    second = one.heard(tag(1, 6.3, "B"), weighed=True)
    assert [(m.uid, m.moment.at_s) for m in first + second] == [("A", 5.0), ("B", 6.4)]
    assert one.advance(30.0, resting=True) == []


def test_a_tag_that_falls_silent_on_scales_that_lay_still_has_not_moved() -> None:
    one = both()
    assert one.heard(tag(-1, 5.0), weighed=True) == []
    assert one.advance(5.9 + LAG_S + 0.1, resting=True) == []
    assert not one.unsettled
    assert one.heard(tag(1, 9.0), weighed=True) == []
    assert one.advance(30.0, resting=True) == []
    assert not one.unsettled


def test_a_tag_that_never_left_does_not_come_back_with_a_touch() -> None:
    """It fell silent on scales that lay still, and is heard again as a hand taps the rack: nothing moved."""
    one = both()
    assert one.heard(tag(-1, 5.0), weighed=True) == []
    assert one.advance(5.9 + LAG_S + 0.1, resting=True) == []
    one.weighed(step(13, 13, 9.1, rises=(moment(9.1),), high=15), resting=True)
    assert one.heard(tag(1, 9.0), weighed=True) == []
    assert one.advance(30.0, resting=True) == []
    assert not one.unsettled


def test_one_landing_of_one_tile_dates_one_tag() -> None:
    """The second tile of two picked comes as the first one's step is known and its own is under way."""
    one = both()
    one.weighed(step(13, 14, 5.0, rises=(moment(5.0, 0.01),)), resting=True)
    assert said(one.heard(tag(1, 5.1, "A"), weighed=True)) == [("A", 1)]
    assert one.heard(tag(1, 5.6, "B"), weighed=True) == []
    assert one.advance(6.6, resting=False, moving_s=5.7) == []
    (move,) = one.weighed(step(14, 15, 5.8, seen_s=6.9, rises=(moment(5.8, 0.01),)), resting=True)
    assert (move.uid, move.moment.at_s) == ("B", 5.8)
    assert one.advance(30.0, resting=True) == []


def test_a_tag_waits_for_a_touch_that_may_be_its_landing() -> None:
    """A tap just before would fit its bounds too; the tile was put down in the touch that is under way."""
    one = both()
    one.weighed(step(13, 13, 4.8, rises=(moment(4.8, 0.01),), high=20), resting=True)
    one.advance(5.9, resting=False, moving_s=5.5)
    assert one.heard(tag(1, 5.2), weighed=True) == []
    (move,) = one.weighed(step(13, 14, 5.6, seen_s=6.4, rises=(moment(5.6, 0.01),)), resting=True)
    assert (move.uid, move.moment.at_s) == ("A", 5.6)


def test_a_landing_that_made_the_change_is_dated_by_its_own_bounds() -> None:
    one = both()
    rises = (moment(5.0, 0.002), moment(4.0, 0.002))
    one.weighed(step(12, 13, 5.0, rises=rises, high=15), resting=True)
    (move,) = one.heard(tag(1, 5.0, doubt_s=0.02), weighed=True)
    assert move.moment == moment(5.0, 0.01)


def test_of_landings_that_fit_as_well_the_first_is_told_and_the_bounds_hold_them_all() -> None:
    """A tile that is brought begins a touch oftener than it is brought into one."""
    one = both()
    rises = (moment(3.0, 0.01), moment(5.0, 0.01), moment(5.4, 0.01))
    one.weighed(step(13, 14, 5.0, rises=rises, high=20), resting=True)
    (move,) = one.heard(tag(1, 5.3, doubt_s=0.6), weighed=True)
    assert move.moment == Moment(5.0, 4.99, 5.41)


def test_a_tag_that_falls_silent_as_the_rack_is_touched_has_not_moved_either() -> None:
    """Hands hide tags, and the scales say that nothing changed."""
    one = both()
    assert one.heard(tag(-1, 5.0), weighed=True) == []
    one.weighed(step(13, 13, 5.2, seen_s=6.0), resting=True)
    assert one.advance(20.0, resting=True) == []
    assert not one.unsettled


def test_a_tag_that_fell_silent_has_left_once_it_is_heard_elsewhere() -> None:
    """A tile was lifted and another, without a voice, put down in one touch."""
    one = both()
    one.weighed(step(13, 13, 5.2, seen_s=6.0, rises=(moment(5.3),)), resting=True)
    assert one.heard(tag(-1, 5.0), weighed=True) == []
    moves = one.elsewhere("A", moment(6.5, 0.3), 7.2)
    moves += one.advance(12.0, resting=True)
    assert said(moves) == [("A", -1), (None, 1)]
    assert all(5.0 <= move.moment.at_s <= 5.5 for move in moves)


def test_a_tile_taken_and_another_put_down_in_one_touch_are_both_told() -> None:
    one = both()
    one.weighed(step(13, 13, 5.2, seen_s=6.0, rises=(moment(5.1),), high=15), resting=True)
    moves = one.heard(tag(1, 5.1, "A"), weighed=True) + one.heard(tag(-1, 5.4, "B"), weighed=True)
    assert said(moves + one.advance(12.0, resting=True)) == [("A", 1), ("B", -1)]
    assert not one.unsettled


def test_a_tile_in_a_hand_over_the_antenna_has_come_when_the_scales_feel_it() -> None:
    """It is looked at, tapped on the rack, and put down two seconds later."""
    one = both()
    one.weighed(step(13, 13, 5.3, seen_s=5.9, rises=(moment(5.3),), high=20), resting=True)
    assert one.heard(tag(1, 4.9), weighed=True) == []
    assert one.advance(7.0, resting=True) == []
    moves = one.weighed(step(13, 14, 7.5, seen_s=8.2, rises=(moment(7.5),)), resting=True)
    moves += one.advance(12.0, resting=True)
    assert [(move.uid, move.tiles, move.moment.at_s) for move in moves] == [("A", 1, 7.5)]


def test_a_tile_in_a_hand_that_goes_away_never_came() -> None:
    one = both()
    assert one.heard(tag(1, 5.0), weighed=True) == []
    assert one.heard(tag(-1, 7.0), weighed=True) == []
    assert one.advance(30.0, resting=True) == []
    assert not one.unsettled


def test_a_tile_brought_and_others_lifted_in_one_touch() -> None:
    """The pick is racked and three tiles are taken out to be sorted before the rack rests: two fewer, all in all."""
    one = both()
    rises = (moment(5.0, 0.01), moment(5.6, 0.01))
    one.weighed(step(13, 11, 6.0, seen_s=6.6, rises=rises, high=25), resting=True)
    moves = one.heard(tag(1, 5.1, "new"), weighed=True)
    for uid in "BCD":
        moves += one.heard(tag(-1, 6.1, uid), weighed=True)
    moves += one.advance(9.5, resting=True)
    assert sorted(said(moves), key=str) == [("B", -1), ("C", -1), ("D", -1), ("new", 1)]
    assert next(move for move in moves if move.uid == "new").moment.at_s == 5.0


def test_a_tile_that_left_while_the_rack_is_touched_on_and_on_is_told_by_its_tag() -> None:
    one = both()
    one.advance(5.5, resting=False, moving_s=4.0)
    assert one.heard(tag(-1, 5.0), weighed=True) == []
    (move,) = one.advance(5.9 + LAG_S + 0.2, resting=False, moving_s=4.0)
    assert (move.uid, move.tiles) == ("A", -1)
    assert one.weighed(step(13, 12, 5.0, seen_s=20.0), resting=True) == []
    assert one.advance(30.0, resting=True) == []
    assert not one.unsettled


def test_a_tile_without_a_voice_is_told_by_the_scales_after_a_while() -> None:
    one = both()
    assert one.weighed(step(13, 14, 5.0), resting=True) == []
    assert one.advance(5.5 + UNHEARD_S, resting=True) == []
    (move,) = one.advance(5.5 + UNHEARD_S + 0.3, resting=True)
    assert (move.uid, move.tiles, move.moment) == (None, 1, moment(5.0, 0.01))
    assert not one.unsettled


def test_a_tag_that_speaks_up_for_it_later_is_no_second_move() -> None:
    one = both()
    one.weighed(step(13, 14, 5.0), resting=True)
    assert said(one.advance(8.2, resting=True)) == [(None, 1)]
    assert one.heard(tag(1, 5.4, doubt_s=0.5), weighed=True) == []
    assert one.advance(30.0, resting=True) == []


def test_two_steps_that_cancel_are_no_tile_without_a_voice() -> None:
    one = both()
    one.weighed(step(13, 14, 5.0), resting=True)
    one.weighed(step(14, 13, 6.5), resting=True)
    assert one.advance(30.0, resting=True) == []
    assert not one.unsettled


def test_a_tile_that_shifts_between_slope_and_ledge_asks_no_scales() -> None:
    one = both()
    assert said(one.heard(tag(-1, 5.0, shifted=True), weighed=True)) == [("A", -1)]
    assert said(one.heard(tag(1, 5.0, shifted=True), weighed=True)) == [("A", 1)]
    assert one.advance(30.0, resting=True) == []


# ---- tags alone


def test_a_rack_without_a_load_moves_by_its_tags_at_once() -> None:
    one = Witnesses(SOUTH)
    (move,) = one.heard(tag(1, 5.0), weighed=False)
    assert (move.uid, move.tiles, move.moment, move.seen_s) == ("A", 1, moment(5.0, 0.4), 5.9)
    assert said(one.heard(tag(-1, 9.0), weighed=False)) == [("A", -1)]
    assert not one.unsettled


# ---- whatever they say


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(-2, 2), st.floats(0.0, 3.0), st.sampled_from("ABC"), st.booleans()),
        max_size=20,
    )
)
def test_whatever_the_scales_say_and_the_tags_the_load_adds_up_in_the_end(
    acts: list[tuple[bool, int, float, str, bool]],
) -> None:
    """Where every tag's move has its step, the moves add up to the load, and each is dated before it is told."""
    one = both()
    at_s, load, moves = 10.0, 13, []
    for tagged, tiles, pause_s, uid, tag_first in acts:
        at_s += pause_s + UNHEARD_S + 4.0
        if not tiles:
            continue
        weight = step(load, load + tiles, at_s)
        load += tiles
        tags = [tag(1 if tiles > 0 else -1, at_s + 0.1, f"{uid}{at_s}{n}") for n in range(abs(tiles))] if tagged else []
        if tag_first:
            for each in tags:
                moves += one.heard(each, weighed=True)
            moves += one.weighed(weight, resting=True)
        else:
            moves += one.weighed(weight, resting=True)
            for each in tags:
                moves += one.heard(each, weighed=True)
        moves += one.advance(at_s + 2.0, resting=True)
        moves += one.advance(at_s + UNHEARD_S + 2.0, resting=True)
    moves += one.advance(at_s + 20.0, resting=True)
    assert 13 + sum(move.tiles for move in moves) == load
    assert all(move.moment.at_s <= move.seen_s for move in moves)
    assert not one.unsettled
