"""The phases of a hand from counts of racks: deal, passes, sweep; sorting and doubt are none of them."""

import pytest

from monitor.events import SEATS, HandEnd, HandEnded, Passed, Seat
from monitor.inference.phases import SWEEP_S, Phase

from .rig import Deal, dealt
from .script import EAST, NORTH, SOUTH, WEST

E, S, W, N = SEATS


def test_three_passes_go_right_across_and_left() -> None:
    deal = dealt()
    for _ in range(3):
        deal.pass_tiles()
    assert deal.hand.rounds == 3
    assert deal.hand.phase is Phase.PASSING
    passes = [event for event in deal.told if isinstance(event, Passed)]
    assert len(passes) == len(deal.told) == 12
    for k, step in enumerate((1, 2, 3)):
        given = {event.seat: event.to for event in passes[4 * k : 4 * k + 4]}
        assert given == {SEATS[n]: SEATS[(n + step) % 4] for n in range(4)}


def test_the_second_charleston_goes_the_other_way_and_the_courtesy_across() -> None:
    deal = dealt()
    for _ in range(7):
        deal.pass_tiles()
    passes = [event for event in deal.told if isinstance(event, Passed)]
    east = [event.to for event in passes if event.seat is Seat.EAST]
    assert east == [S, W, N, N, W, S, W]


def test_a_pass_is_dated_when_the_tiles_left() -> None:
    deal = dealt()
    left_s = deal.now_s
    deal.pass_tiles()
    passes = [event for event in deal.told if isinstance(event, Passed)]
    assert passes[0].at == pytest.approx(left_s)
    assert [event.at for event in passes] == sorted(event.at for event in passes)
    assert all(event.known > event.at for event in passes)


def test_sorting_and_single_tiles_are_no_pass() -> None:
    deal = dealt()
    for seat in range(4):
        full = deal.racks[seat].total or 0
        deal.rest(seat, full - 1).wait(0.8).rest(seat, full).wait(1.0)
    deal.rest(WEST, 10).wait(0.6).rest(WEST, 13).wait(20.0)
    assert deal.told == []
    assert deal.hand.rounds == 0


def test_each_seat_is_told_soon_after_it_gave() -> None:
    """The log follows the play: who has given is told before the others have, and before anything is racked."""
    deal = dealt()
    for seat in range(4):
        deal.rest(seat, (deal.racks[seat].total or 0) - 3).wait(5.0)
        passes = [event for event in deal.told if isinstance(event, Passed)]
        assert [event.seat for event in passes] == list(SEATS[: seat + 1])
        assert deal.now_s - passes[-1].known > 0.5
    assert deal.hand.rounds == 0


def test_who_racks_three_tiles_shows_that_they_were_given() -> None:
    deal = dealt()
    deal.rest(EAST, 11).wait(0.3)
    assert deal.told == []
    deal.rest(SOUTH, 16)
    (told,) = deal.told
    assert isinstance(told, Passed)
    assert (told.seat, told.to) == (E, S)


def test_three_tiles_that_come_back_although_none_were_given_were_sorted() -> None:
    deal = dealt()
    deal.rest(WEST, 10).wait(2.5).rest(WEST, 13).wait(3.0)
    standing = [event for event in deal.told if event not in deal.hand.taken_back()]
    assert [event for event in standing if isinstance(event, Passed)] == []
    assert deal.hand.rounds == 0


def test_a_pass_is_not_over_while_a_tile_is_missing() -> None:
    deal = dealt()
    for seat in range(4):
        deal.rest(seat, (deal.racks[seat].total or 0) - 3).wait(0.7)
    deal.wait(2.0)
    for seat, count in enumerate((14, 13, 12, 13)):
        deal.rest(seat, count).wait(0.5)
    deal.wait(8.0)
    assert deal.kinds() == ["Passed"] * 4
    assert deal.hand.rounds == 0
    deal.rest(WEST, 13).wait(3.0)
    assert deal.hand.rounds == 1


@pytest.mark.parametrize("blind", [(SOUTH,), (NORTH, EAST)])
def test_who_passes_on_blindly_is_known_by_what_the_next_seat_racks(blind: tuple[int, ...]) -> None:
    """In the third pass three tiles may go on without ever touching the rack."""
    deal = dealt().pass_tiles().pass_tiles()
    deal.told.clear()
    before = [rack.total or 0 for rack in deal.racks]
    giving = [seat for seat in range(4) if seat not in blind]
    for seat in giving:
        deal.rest(seat, before[seat] - 3).wait(0.7)
    deal.wait(3.0)
    for seat in giving:
        deal.rest(seat, before[seat]).wait(0.6)
    deal.wait(2.0)
    given = {event.seat: event.to for event in deal.told if isinstance(event, Passed)}
    assert given == {SEATS[k]: SEATS[(k + 3) % 4] for k in range(4)}
    assert deal.hand.rounds == 3


@pytest.mark.parametrize("n", [1, 2, 3])
def test_opposite_seats_exchange_equal_numbers_in_the_courtesy(n: int) -> None:
    deal = dealt()
    for _ in range(6):
        deal.pass_tiles()
    deal.told.clear()
    deal.rest(WEST, 13 - n).wait(2.0).rest(EAST, 14 - n).wait(1.5).rest(EAST, 14).wait(0.7).rest(WEST, 13).wait(6.0)
    given = {event.seat: event.to for event in deal.told if isinstance(event, Passed)}
    assert given == {E: W, W: E}
    assert deal.hand.start(deal.now_s) is None


def test_a_courtesy_may_be_exchanged_within_one_touch_of_a_rack() -> None:
    """South's three tiles were away for long; North's rack was touched all the while and rests as it did."""
    deal = dealt()
    for _ in range(6):
        deal.pass_tiles()
    deal.told.clear()
    deal.rest(SOUTH, 10).wait(9.0).rest(SOUTH, 13).wait(3.0)
    given = {event.seat: event.to for event in deal.told if isinstance(event, Passed)}
    assert given == {S: N, N: S}


def test_a_rack_is_off_where_all_tiles_lie_on_the_racks_and_not_where_they_should() -> None:
    deal = dealt().rest(WEST, 14)
    assert not deal.hand.is_off(WEST)  # a tile too many in all: a hand lies there
    deal.rest(SOUTH, 12)
    assert [deal.hand.is_off(seat) for seat in range(4)] == [False, True, True, False]


def test_who_passes_four_leaves_two_racks_wrong_and_the_passes_go_on() -> None:
    """South gives four to West: that is what the racks are then held to."""
    deal = dealt()
    for seat, count in enumerate((11, 9, 10, 10)):
        deal.rest(seat, count).wait(0.7)
    deal.wait(2.5)
    for seat, count in enumerate((14, 12, 14, 13)):
        deal.rest(seat, count).wait(0.6)
    deal.wait(8.0)
    assert deal.kinds() == ["Passed"] * 4
    assert deal.hand.rounds == 1
    assert not deal.hand.exceeds(WEST)
    deal.told.clear()
    deal.pass_tiles()
    assert deal.kinds() == ["Passed"] * 4
    assert deal.hand.rounds == 2


def test_more_tiles_than_a_rack_should_have_are_not_told_at_once() -> None:
    deal = dealt()
    deal.rest(SOUTH, 14)
    assert deal.hand.overfull(SOUTH, deal.now_s)
    assert not deal.hand.overfull(WEST, deal.now_s)
    deal.wait(6.0)
    assert not deal.hand.overfull(SOUTH, deal.now_s)


@pytest.mark.parametrize(("tiles", "waits"), [(15, True), (16, False), (17, True)])
def test_who_received_a_whole_pass_before_giving_has_so_many(tiles: int, waits: bool) -> None:
    """East has given three: a whole pass more at South is told soon, a part of one may yet grow."""
    deal = dealt()
    deal.rest(EAST, 11).wait(2.0).rest(SOUTH, tiles).wait(1.5)
    assert deal.hand.overfull(SOUTH, deal.now_s) is waits


# ---- play begins


def passed_three() -> Deal:
    deal = dealt()
    for _ in range(3):
        deal.pass_tiles()
    deal.told.clear()
    return deal


def test_a_tile_fewer_at_east_and_one_more_at_south_is_play() -> None:
    """In a courtesy South has only from North, who has given nothing."""
    deal = passed_three()
    dropped_s = deal.now_s
    deal.rest(EAST, 13).wait(1.5)
    assert deal.hand.deciding
    assert deal.hand.start(deal.now_s) is None
    deal.rest(SOUTH, 14).wait(0.3)
    started = deal.hand.start(deal.now_s)
    assert started is not None
    assert started.dropped_s == pytest.approx(dropped_s)
    assert started.rests == (14, 13, 13, 13)


def test_nothing_that_happens_in_the_passes_begins_play() -> None:
    """East sorts a tile, gives the first of three, and gives one in a courtesy after all others have begun theirs."""
    deal = passed_three()
    for count, pause_s in ((13, 2.5), (14, 2.0), (13, 1.0), (11, 4.0)):
        deal.rest(EAST, count).wait(pause_s)
        assert deal.hand.start(deal.now_s) is None
    for seat in (SOUTH, WEST, NORTH):
        deal.rest(seat, 10).wait(1.0)
    for seat, count in enumerate((14, 13, 13, 13)):
        deal.rest(seat, count).wait(1.0)
        assert deal.hand.start(deal.now_s) is None
    assert deal.hand.rounds == 4


# ---- the end


def sweep(deal: Deal, *seats: int, pause_s: float = 1.0) -> Deal:
    for seat in seats:
        deal.rest(seat, 0).wait(pause_s)
    return deal


@pytest.mark.parametrize(
    ("phase", "how"),
    [(Phase.PASSING, HandEnd.REDEAL), (Phase.PLAYING, HandEnd.WALL), (Phase.SHOWN, HandEnd.MAH_JONGG)],
)
def test_two_racks_swept_end_the_hand(phase: Phase, how: HandEnd) -> None:
    deal = dealt()
    if phase is Phase.PLAYING:
        deal.hand.play()
    elif phase is Phase.SHOWN:
        deal.hand.shown()
    assert deal.hand.phase is phase
    swept_s = deal.now_s
    sweep(deal, SOUTH, WEST)
    (ended,) = deal.of(HandEnded)
    assert isinstance(ended, HandEnded)
    assert ended.how is how
    assert ended.at == pytest.approx(swept_s)
    sweep(deal, EAST, NORTH).wait(1.0)
    assert deal.hand.phase is Phase.SETUP
    assert len(deal.of(HandEnded)) == 1
    deal.deal(13, 14, 13, 13).wait(2.0)
    assert deal.hand.east == SOUTH


def test_one_rack_emptied_is_no_end() -> None:
    deal = dealt()
    deal.hand.play()
    sweep(deal, SOUTH).wait(60.0)
    assert deal.told == []
    assert deal.hand.phase is Phase.PLAYING


def test_racks_emptied_long_apart_or_filled_again_are_no_end() -> None:
    deal = dealt()
    deal.hand.play()
    sweep(deal, SOUTH).wait(SWEEP_S + 1.0)
    sweep(deal, WEST)
    assert deal.of(HandEnded) == []
    deal.rest(SOUTH, 13).rest(WEST, 13).wait(1.0)
    sweep(deal, NORTH).rest(NORTH, 13)
    sweep(deal, EAST)
    assert deal.of(HandEnded) == []


def test_a_new_hand_begins_whatever_was_before() -> None:
    deal = dealt()
    deal.hand.play()
    deal.hand.restart()
    assert deal.hand.phase is Phase.UNKNOWN
    assert deal.hand.dealt == (0, 0, 0, 0)
    for seat in range(4):
        deal.rest(seat, 0)
    deal.wait(2.0).deal(14, 13, 13, 13).wait(2.0)
    assert deal.kinds()[-1] == "Dealt"


def test_a_rack_that_cannot_be_known_tells_nothing() -> None:
    deal = dealt()
    deal.rest(SOUTH, None, reason="stale").wait(30.0)
    assert deal.told == []
    assert deal.hand.seen == [EAST, WEST, NORTH]
