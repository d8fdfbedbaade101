"""The deal from counts of racks: complete, short, sorted before its last tile, seen by fewer than four racks."""

import pytest

from monitor.events import SEATS, Dealt, HandStarted
from monitor.inference.deal import COMPLETE_REST_S, GIVEN_S, NO_EAST_S, OFF_REST_S, SHORT_REST_S
from monitor.inference.phases import Phase

from .rig import Deal
from .script import EAST, NORTH, SOUTH, WEST

E, S, W, N = SEATS


@pytest.mark.parametrize("seen", [(SOUTH,), (WEST, NORTH), (SOUTH, WEST, NORTH)])
def test_without_a_look_at_all_four_racks_the_first_that_fills_is_not_taken_for_east(seen: tuple[int, ...]) -> None:
    deal = Deal(*(0 if seat in seen else None for seat in range(4))).wait(1.0)
    for count in (4, 8, 12, 13):
        for seat in seen:
            deal.rest(seat, count).wait(0.5)
    deal.wait(3.0)
    (told,) = deal.of(Dealt)
    assert isinstance(told, Dealt)
    assert told.east is None


def test_empty_racks_fill_and_all_is_dealt() -> None:
    deal = Deal(0, 0, 0, 0)
    phases = [deal.hand.phase]
    deal.wait(1.0).deal(14, 13, 13, 13)
    phases.append(deal.hand.phase)
    deal.wait(COMPLETE_REST_S + 0.2)
    phases.append(deal.hand.phase)
    assert phases == [Phase.SETUP, Phase.DEALING, Phase.PASSING]
    assert deal.kinds() == ["HandStarted", "Dealt"]
    started, done = deal.told
    assert isinstance(started, HandStarted)
    assert isinstance(done, Dealt)
    assert started.at == pytest.approx(11.0)
    assert done.east is E
    assert done.at <= done.known
    assert done.known - done.at < 1.5


@pytest.mark.parametrize("east", range(4))
def test_east_is_who_has_fourteen_whoever_was_dealt_to_first(east: int) -> None:
    full = [13, 13, 13, 13]
    full[east] = 14
    deal = Deal(0, 0, 0, 0).wait(1.0).deal(*full).wait(2.0)
    done = deal.told[-1]
    assert isinstance(done, Dealt)
    assert done.east is SEATS[east]
    assert deal.hand.east == east


def test_a_forgotten_tile_on_a_rack_is_no_hand() -> None:
    deal = Deal(2, 0, 1, 0).wait(5.0)
    assert (deal.hand.phase, deal.told) == (Phase.SETUP, [])


def test_full_racks_at_the_start_are_a_hand_begun_before_and_tell_nothing() -> None:
    deal = Deal(13, 14, 13, 13).wait(60.0)
    assert (deal.hand.phase, deal.told) == (Phase.UNKNOWN, [])
    deal.rest(1, 13).wait(5.0).rest(2, 14).wait(60.0)
    assert deal.told == []


@pytest.mark.parametrize("short", [SOUTH, WEST, NORTH])
def test_a_short_deal_is_believed_late_but_with_what_the_racks_had(short: int) -> None:
    full = [14, 13, 13, 13]
    full[short] = 12
    deal = Deal(0, 0, 0, 0).wait(1.0).deal(*full)
    deal.wait(OFF_REST_S + 2.0)
    assert deal.kinds() == ["HandStarted"]
    deal.wait(SHORT_REST_S)
    assert deal.kinds() == ["HandStarted", "Dealt"]
    assert list(deal.hand.dealt) == full
    done = deal.told[-1]
    assert isinstance(done, Dealt)
    assert done.east is E
    assert done.known - done.at > 5.0


def test_the_missing_tile_taken_in_time_makes_the_deal_whole() -> None:
    deal = Deal(0, 0, 0, 0).wait(1.0).deal(14, 13, 13, 12).wait(6.0).rest(NORTH, 13).wait(2.0)
    assert deal.kinds() == ["HandStarted", "Dealt"]
    assert deal.hand.dealt == (14, 13, 13, 13)


def test_a_short_deal_is_believed_at_once_when_somebody_passes() -> None:
    deal = Deal(0, 0, 0, 0).wait(1.0).deal(14, 13, 13, 12).wait(OFF_REST_S + 1.0)
    deal.rest(SOUTH, 10).wait(GIVEN_S + 0.5)
    assert deal.kinds() == ["HandStarted", "Dealt"]
    assert deal.hand.dealt == (14, 13, 13, 12)


def test_two_tiles_short_is_east_who_has_given_three() -> None:
    deal = Deal(0, 0, 0, 0).wait(1.0).deal(11, 13, 13, 13).wait(1.0)
    deal.rest(NORTH, 10).wait(3.0).rest(WEST, 14).wait(NO_EAST_S + SHORT_REST_S)
    assert deal.hand.phase is not Phase.PASSING or 11 not in deal.hand.dealt


def test_two_tiles_short_where_nobody_has_given_is_a_short_deal() -> None:
    deal = Deal(0, 0, 0, 0).wait(1.0).deal(14, 13, 13, 11).wait(SHORT_REST_S + 2.0)
    assert deal.hand.dealt == (14, 13, 13, 11)


def test_a_short_rack_that_is_sorted_ends_no_deal() -> None:
    """Tiles that are lifted for a few seconds are no pass: the missing one may still be heard."""
    deal = Deal(0, 0, 0, 0).wait(1.0).deal(14, 13, 13, 12).wait(OFF_REST_S + 1.0)
    deal.rest(SOUTH, 10).wait(GIVEN_S - 0.5).rest(SOUTH, 13).wait(0.5)
    assert deal.kinds() == ["HandStarted"]
    deal.rest(NORTH, 13).wait(2.0)
    assert deal.kinds() == ["HandStarted", "Dealt"]
    assert deal.hand.dealt == (14, 13, 13, 13)


def test_where_nobody_has_fourteen_the_rack_that_was_filled_first_is_short() -> None:
    deal = Deal(0, 0, 0, 0).wait(1.0).deal(13, 13, 13, 13).wait(NO_EAST_S + 2.0)
    (told,) = deal.of(Dealt)
    assert isinstance(told, Dealt)
    assert told.east is E


def test_who_piled_the_deal_may_be_east_and_nobody_is_told_to_be_short() -> None:
    """East's tiles come onto the rack when all is dealt, and the first rack that fills is South's."""
    deal = Deal(0, 0, 0, 0).wait(1.0)
    for block in (4, 8, 12, 13):
        for seat in (SOUTH, WEST, NORTH):
            deal.rest(seat, block).wait(0.5)
    for count in (4, 9, 13):
        deal.rest(EAST, count).wait(1.0)
    deal.wait(NO_EAST_S + 2.0)
    (told,) = deal.of(Dealt)
    assert isinstance(told, Dealt)
    assert told.east is None


def test_a_rack_that_falls_to_fourteen_was_passed_tiles() -> None:
    deal = Deal(0, 0, 0, 0).wait(1.0).deal(13, 13, 13, 12).wait(8.0)
    deal.rest(SOUTH, 16).wait(0.6).rest(SOUTH, 14).wait(0.6).rest(SOUTH, 13).wait(NO_EAST_S)
    assert deal.hand.dealt == (13, 13, 13, 12)
    assert deal.hand.east == EAST


def test_a_rack_that_is_first_counted_in_the_passes_was_dealt_what_is_due() -> None:
    deal = Deal(0, 0, 0, None).wait(1.0)
    for block in (4, 8, 12):
        for seat in range(3):
            deal.rest(seat, block).wait(0.5)
    deal.rest(EAST, 14).wait(0.5).rest(SOUTH, 13).wait(0.5).rest(WEST, 13).wait(2.0)
    deal.rest(NORTH, 10).wait(1.0)
    assert not deal.hand.exceeds(NORTH)
    assert not deal.hand.is_off(NORTH)
    deal.rest(NORTH, 13).wait(1.0)
    assert not deal.hand.exceeds(NORTH)


def test_sorting_after_the_deal_is_not_dealt_away() -> None:
    deal = Deal(0, 0, 0, 0).wait(1.0).deal(14, 13, 13, 13).wait(0.2)
    deal.touch(WEST).rest(WEST, 11).wait(0.3).rest(WEST, 13).wait(2.0)
    assert deal.hand.dealt == (14, 13, 13, 13)
    assert deal.kinds() == ["HandStarted", "Dealt"]


def test_three_racks_seen_are_enough_for_a_deal() -> None:
    deal = Deal(0, 0, 0, None).wait(1.0)
    for block in (4, 8, 12):
        for seat in range(3):
            deal.rest(seat, block).wait(0.5)
    deal.rest(EAST, 14).wait(0.5).rest(SOUTH, 13).wait(0.5).rest(WEST, 13).wait(2.0)
    assert deal.kinds() == ["HandStarted", "Dealt"]
    assert deal.hand.east == EAST
