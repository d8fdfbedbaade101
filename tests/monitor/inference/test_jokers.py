"""Joker exchanges in the search over turns: by counts, by the touch of a ledge, and by tags."""

import pytest

from hw.observations import Zone
from monitor.events import SEATS, JokerExchanged

from .script import EAST, NORTH, SOUTH, WEST, Play, moment

SLOPE, LEDGE = Zone.SLOPE, Zone.LEDGE
E, S, W, N = SEATS


def exposed() -> Play:
    """South has a pung on its ledge and has discarded; West racked at 110 and holds fourteen."""
    play = Play(zone=SLOPE).goes(EAST, 101.0).press(SOUTH, 102.0).goes(SOUTH, 103.0, 2)
    return play.comes(SOUTH, 105.1, 3, zone=LEDGE).goes(SOUTH, 108.2).comes(WEST, 110.0)


BEFORE = [("Discarded", E), ("Exposed", S), ("Discarded", S), ("Racked", W)]


@pytest.mark.parametrize("joker_first", [False, True])
def test_an_exchange_answered_by_the_ledge(joker_first: bool) -> None:
    """A natural goes, the other's ledge has one more and one fewer, a joker comes."""
    play = exposed().goes(WEST, 112.0)
    if joker_first:
        play.goes(SOUTH, 113.1, zone=LEDGE).comes(SOUTH, 114.0, zone=LEDGE)
    else:
        play.comes(SOUTH, 113.1, zone=LEDGE).goes(SOUTH, 114.0, zone=LEDGE)
    play.comes(WEST, 115.2).goes(WEST, 118.0).wait(123.0)
    assert play.story == [*BEFORE, ("JokerExchanged", W), ("Discarded", W)]
    exchanged = play.event(JokerExchanged, WEST)
    assert isinstance(exchanged, JokerExchanged)
    assert (exchanged.at, exchanged.n) == (112.0, 1)
    assert play.turns.best.turn == NORTH
    assert [p.base for p in play.turns.best.players] == [13] * 4


@pytest.mark.parametrize("lifted", [1, 2])
def test_an_exchange_is_known_by_the_ledge_that_is_touched_meanwhile(lifted: int) -> None:
    """On scales alone: the other's ledge weighs as before all in all, another tile than was lifted comes back."""
    touch = {"zone": LEDGE, "residue_g": -0.16, "noise_g": 0.05, "raised": 2, "until_s": 114.0}
    play = exposed().goes(WEST, 112.0, lifted, residue_g=0.2, noise_g=0.05)
    play.comes(SOUTH, 113.5, 0, landings=(moment(113.5),), **touch)
    play.comes(WEST, 115.2, lifted, residue_g=-0.5, noise_g=0.05).goes(WEST, 118.0).wait(123.0)
    assert play.story == [*BEFORE, ("JokerExchanged", W), ("Discarded", W)]


def test_two_exchanges_one_after_the_other() -> None:
    play = exposed()
    for at_s in (112.0, 116.0):
        play.goes(WEST, at_s).comes(SOUTH, at_s + 1.0, zone=LEDGE).goes(SOUTH, at_s + 1.7, zone=LEDGE)
        play.comes(WEST, at_s + 2.6)
    play.goes(WEST, 121.3).wait(126.0)
    assert play.story == [*BEFORE, ("JokerExchanged", W), ("JokerExchanged", W), ("Discarded", W)]


def test_an_exchange_by_tags() -> None:
    play = exposed().goes(WEST, 112.0, uid="7-dot").comes(SOUTH, 113.1, zone=LEDGE, uid="7-dot")
    play.goes(SOUTH, 114.0, zone=LEDGE, uid="joker").comes(WEST, 115.2, uid="joker", from_ledge_of=SOUTH)
    play.goes(WEST, 118.0, uid="1-bam").wait(123.0)
    assert play.story == [*BEFORE, ("JokerExchanged", W), ("Discarded", W)]
    assert play.event(JokerExchanged, WEST).at == 112.0


def test_an_exchange_is_the_owner_s_whose_ledge_the_joker_lay_on() -> None:
    play = exposed().goes(WEST, 112.0, uid="7-dot").comes(SOUTH, 113.1, zone=LEDGE, uid="7-dot", from_slope_of=WEST)
    play.comes(WEST, 115.2, uid="joker", from_ledge_of=SOUTH).wait(119.0)
    exchanged = play.event(JokerExchanged, WEST)
    assert isinstance(exchanged, JokerExchanged)
    assert (exchanged.owners, exchanged.n) == ((S,), 1)


def test_an_exchange_on_the_own_ledge_by_tags() -> None:
    """South's next turn: a natural goes from its slope to its ledge, a joker from there to the slope."""
    play = exposed().goes(WEST, 112.0, uid="1-bam").comes(NORTH, 114.0, uid="A").goes(NORTH, 116.0, uid="B")
    play.comes(EAST, 118.0, uid="C").goes(EAST, 120.0, uid="D").comes(SOUTH, 122.0, uid="E")
    play.goes(SOUTH, 124.0, uid="7-dot").comes(SOUTH, 125.1, zone=LEDGE, uid="7-dot", own=True)
    play.goes(SOUTH, 125.6, zone=LEDGE, uid="joker")
    play.comes(SOUTH, 126.7, uid="joker", from_ledge_of=SOUTH, own=True, exposed=True)
    play.goes(SOUTH, 130.0, uid="F").wait(135.0)
    assert play.story[-3:] == [("Racked", S), ("JokerExchanged", S), ("Discarded", S)]
    assert play.event(JokerExchanged, SOUTH).at == 124.0


def test_a_pick_that_rested_on_the_own_ledge_is_racked_and_no_joker() -> None:
    play = exposed().goes(WEST, 112.0, uid="1-bam").comes(NORTH, 114.0, uid="A", own=True, from_ledge_of=NORTH)
    assert play.wait(118.0).story[-1] == ("Racked", N)


def test_a_pick_laid_straight_from_the_hand_is_an_exchange_and_no_racking() -> None:
    """North lays its pick on South's ledge, takes the joker there, and racks that."""
    play = exposed().goes(WEST, 112.0, uid="1-bam").comes(SOUTH, 114.2, zone=LEDGE, uid="7-dot")
    play.goes(SOUTH, 114.6, zone=LEDGE, uid="joker").comes(NORTH, 115.5, uid="joker", from_ledge_of=SOUTH)
    play.goes(NORTH, 118.0, uid="A").wait(123.0)
    assert play.story == [*BEFORE, ("Discarded", W), ("JokerExchanged", N), ("Discarded", N)]
    exchanged = play.event(JokerExchanged, NORTH)
    assert exchanged.low <= 113.2 < exchanged.at < 114.2


def test_several_jokers_at_once_from_two_racks_are_one_exchange() -> None:
    """The second natural is not heard to leave before its joker has come: it left before, so it is one procedure."""
    play = exposed().goes(WEST, 112.0, uid="7-dot").goes(WEST, 112.3, uid="3-bam")
    play.comes(SOUTH, 113.4, zone=LEDGE, uid="7-dot").goes(SOUTH, 113.8, zone=LEDGE, uid="joker")
    play.goes(SOUTH, 114.2, zone=LEDGE, uid="other")
    play.comes(WEST, 115.2, uid="joker", from_ledge_of=SOUTH).comes(SOUTH, 114.9, zone=LEDGE, uid="3-bam")
    play.comes(WEST, 115.6, uid="other", from_ledge_of=SOUTH).goes(WEST, 119.0, uid="1-bam").wait(124.0)
    assert play.story == [*BEFORE, ("JokerExchanged", W), ("Discarded", W)]
    assert play.turns.best.players[WEST].base == 13


def test_a_joker_that_comes_first_is_for_the_natural_that_was_lifted() -> None:
    """The ledge's antenna is slow: the joker is heard on the slope before the natural is heard anywhere."""
    play = exposed().goes(WEST, 112.0, uid="7-dot").comes(WEST, 115.2, uid="joker", from_ledge_of=SOUTH)
    play.wait(120.0).comes(SOUTH, 113.4, zone=LEDGE, uid="7-dot", from_slope_of=WEST).goes(WEST, 122.0, uid="1-bam")
    assert play.wait(127.0).story == [*BEFORE, ("JokerExchanged", W), ("Discarded", W)]
    assert play.event(JokerExchanged, WEST).at == 112.0


def test_a_tile_that_lands_was_not_given_for_a_joker() -> None:
    play = exposed().goes(WEST, 112.0, uid="7-dot").lands("7-dot", WEST, 113.0)
    assert play.wait(118.0).story == [*BEFORE, ("Discarded", W)]
    assert play.turns.best.players[WEST].given == 0


def test_an_exchange_that_is_known_only_after_the_discard() -> None:
    """Racked and given in one touch, North's natural was never seen: its joker speaks up after the discard."""
    play = exposed().goes(WEST, 112.0, uid="1-bam").wait(116.0).goes(NORTH, 117.0, uid="A")
    play.wait(119.0).comes(NORTH, 115.9, uid="joker", from_ledge_of=SOUTH).wait(124.0)
    assert ("JokerExchanged", N) in play.story
    assert ("Racked", N) not in play.story


def test_a_natural_that_is_put_back_was_no_exchange() -> None:
    play = exposed().goes(WEST, 112.0, residue_g=0.2, noise_g=0.05).comes(WEST, 113.5, residue_g=-0.2, noise_g=0.05)
    play.goes(WEST, 116.0).wait(121.0)
    assert play.story == [*BEFORE, ("Discarded", W)]
