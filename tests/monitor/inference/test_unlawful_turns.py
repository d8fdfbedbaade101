"""The search over turns where somebody does what the rules forbid: what is told of it, and what is not taken for it."""

from hw.observations import Zone
from monitor.events import SEATS

from .script import EAST, NORTH, SOUTH, WEST, Play

SLOPE, LEDGE = Zone.SLOPE, Zone.LEDGE
E, S, W, N = SEATS


# ---- out of turn, and dead hands that act


def test_a_tile_taken_back_that_the_next_seat_picks_was_racked_out_of_turn() -> None:
    """West takes South's turn; the tile goes back, and South picks it: a discard never comes to a slope."""
    play = Play(sees_floor=True, zone=SLOPE).goes(EAST, 101.0, uid="A").lands("A", EAST, 101.4)
    play.comes(WEST, 104.0, uid="B").goes(WEST, 107.0, uid="B").comes(SOUTH, 110.0, uid="B", from_slope_of=WEST)
    play.goes(SOUTH, 113.0, uid="C").lands("C", SOUTH, 113.6).wait(119.0)
    assert play.story == [("Discarded", E), ("Racked", W), ("Returned", W), ("Racked", S), ("Discarded", S)]
    assert play.turns.best.turn == WEST


def test_a_tile_taken_back_may_be_thrown_on_by_the_next_seat() -> None:
    play = Play(sees_floor=True, zone=SLOPE).goes(EAST, 101.0, uid="A").lands("A", EAST, 101.4)
    play.comes(WEST, 104.0, uid="B").goes(WEST, 107.0, uid="B").lands("B", WEST, 111.0)
    play.comes(WEST, 114.0, uid="C").goes(WEST, 116.0, uid="D").lands("D", WEST, 116.5).wait(122.0)
    assert play.turns.best.turn == NORTH
    assert ("Discarded", W) in play.story


def test_on_scales_a_turn_that_nobody_saw_is_likelier_than_one_out_of_turn() -> None:
    play = Play().goes(EAST, 101.0).comes(WEST, 106.0).goes(WEST, 108.0).comes(NORTH, 112.0).wait(117.0)
    assert ("Returned", W) not in play.story
    assert ("Discarded", W) in play.story


def test_a_dead_hand_that_racks_is_told_and_does_not_move_the_turn() -> None:
    play = Play().goes(EAST, 101.0)
    play.turns.dead(WEST)
    play.goes(WEST, 102.0).comes(WEST, 103.0)  # its own tile, sorted
    assert ("Racked", W) not in play.wait(108.0).story
    play.comes(WEST, 109.0).wait(114.0)
    assert ("Racked", W) in play.story
    assert play.turns.best.turn == SOUTH


def test_a_natural_on_the_ledge_of_a_dead_hand_is_no_pick_of_its() -> None:
    """Its exposures stay open to exchanges: one tile more on its rack, and a joker less soon after."""
    play = Play().goes(EAST, 101.0).press(SOUTH, 102.0).goes(SOUTH, 103.0, 2)
    play.comes(SOUTH, 105.1, 3).goes(SOUTH, 108.2)
    play.turns.dead(SOUTH)
    play.comes(WEST, 110.0).goes(WEST, 112.0).comes(SOUTH, 113.1).goes(SOUTH, 114.3).comes(WEST, 115.2)
    play.goes(WEST, 118.0).wait(124.0)
    assert ("Racked", S) not in play.story


# ---- exposures of which less is seen than there is


def test_an_exposure_of_two_ends_with_the_claimer_s_discard() -> None:
    play = Play(zone=SLOPE).goes(EAST, 101.0, uid="A").press(SOUTH, 102.0)
    play.goes(SOUTH, 103.0, uid="B").comes(SOUTH, 103.6, zone=LEDGE, uid="B", own=True, from_slope_of=-1)
    play.comes(SOUTH, 104.4, zone=LEDGE, uid="A", from_slope_of=EAST).goes(SOUTH, 107.0, uid="C")
    play.comes(WEST, 110.0, uid="D").wait(116.0)
    assert play.story == [("Discarded", E), ("Exposed", S), ("Discarded", S), ("Racked", W)]
