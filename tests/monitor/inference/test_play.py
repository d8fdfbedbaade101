"""How play begins: what is a first discard and what a pass, and what was withheld until that is known."""

import pytest

from hw.observations import Zone
from monitor.events import SEATS, CountChanged, Discarded, Racked
from monitor.inference.findings import Numbers
from monitor.inference.moves import Landed, Move
from monitor.inference.play import Play

from .script import EAST, SOUTH, WEST, moment
from .test_phases import Deal, dealt


def at_the_first_discard() -> tuple[Deal, Play]:
    """Dealt and passed long ago; East's rack has just come to rest with a tile fewer."""
    deal = dealt().wait(90.0)
    play = Play(deal.hand, deal.racks, Numbers())
    deal.rest(EAST, 13).wait(0.5)
    return deal, play


def landed(deal: Deal, seat: int) -> Landed:
    return Landed(1, "A", seat, moment(deal.now_s - 0.3), deal.now_s)


def test_a_tile_of_easts_that_lands_begins_play_at_once() -> None:
    deal, play = at_the_first_discard()
    assert play.begin(deal.now_s) == []
    assert not play.on
    play.landed(landed(deal, EAST))
    assert play.on


@pytest.mark.parametrize("seat", [SOUTH, WEST, -1])
def test_a_tile_of_anothers_that_lands_does_not(seat: int) -> None:
    deal, play = at_the_first_discard()
    play.landed(landed(deal, seat))
    assert not play.on


def test_what_a_rack_held_while_nobody_knew_is_told_as_play_begins() -> None:
    """South was lifting two as East discarded; it had them back, and one more, before anybody knew that play was on."""
    deal, play = at_the_first_discard()
    rack = deal.racks[SOUTH]
    deal.rest(SOUTH, 11)
    rack.tell(deal.now_s, 0.0)
    times = []
    for count in (13, 14):
        deal.wait(1.0).rest(SOUTH, count)
        times.append(deal.now_s)
        rack.withhold()
    deal.wait(1.0)
    found = play.landed(landed(deal, EAST))
    counts = [f.event for f in found if isinstance(f.event, CountChanged) and f.event.seat is SEATS[SOUTH]]
    assert [(one.count, one.at) for one in counts[:2]] == [(13, times[0]), (14, times[1])]


def test_a_start_that_proves_part_of_a_pass_is_taken_back_though_nothing_was_told_of_it() -> None:
    """A tile of East's is heard on the floor on its way to West; then all four give and rack three."""
    deal, play = at_the_first_discard()
    play.landed(landed(deal, EAST))
    assert play.on
    deal.rest(EAST, 11).wait(0.5)
    for seat in (SOUTH, WEST, 3):
        deal.rest(seat, 10).wait(0.5)
    for seat, count in ((SOUTH, 13), (WEST, 13), (3, 13), (EAST, 14)):
        deal.rest(seat, count).wait(1.0)
        play.advance(deal.now_s)
    assert not play.on
    assert deal.hand.rounds == 1


def test_what_is_read_again_as_play_is_known_now() -> None:
    """Whoever waits for news after a discard must know when it came, not when the scale felt the tile leave."""
    deal, play = at_the_first_discard()
    left_s = deal.now_s - 0.5
    play.move(Move(1, EAST, Zone.RACK, -1, moment(left_s), left_s + 0.3))
    play.move(Move(2, SOUTH, Zone.RACK, 1, moment(left_s + 1.0), left_s + 1.3))
    deal.wait(1.0).rest(SOUTH, 14)
    found = play.landed(landed(deal.wait(2.0), EAST))
    known = [f.event.seen_at for f in found if isinstance(f.event, Discarded | Racked)]
    assert known == [deal.now_s, deal.now_s]
