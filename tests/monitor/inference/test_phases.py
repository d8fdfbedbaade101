"""The phases of a hand from counts of racks: deal, passes, sweep; sorting and doubt are none of them."""

import pytest

from hw.observations import Zone
from monitor.events import SEATS, Dealt, Event, HandEnd, HandEnded, HandStarted, Passed, Seat
from monitor.inference.deal import COMPLETE_REST_S, GIVEN_S, NO_EAST_S, OFF_REST_S, SHORT_REST_S
from monitor.inference.phases import SWEEP_S, Hand, Phase
from monitor.inference.racks import four_racks

from .script import EAST, NORTH, SOUTH, WEST

E, S, W, N = SEATS


class Deal:
    """Four racks whose counts are set by hand; time passes in tenths of a second."""

    def __init__(self, *counts: int | None) -> None:
        self.racks = four_racks()
        self.hand = Hand(self.racks)
        self.now_s = 8.0
        self.told: list[Event] = []
        for seat, count in enumerate(counts):
            if count is not None:
                self.rest(seat, count)
        self.wait(2.0)

    def rest(self, seat: int, count: int | None, *, reason: str = "") -> "Deal":
        """A rack comes to rest with a count."""
        self.racks[seat].set(Zone.RACK, count, self.now_s, self.now_s, reason)
        self.told += self.hand.changed(seat, self.now_s)
        return self

    def touch(self, seat: int) -> "Deal":
        """A rack is being touched."""
        self.racks[seat].moving(Zone.RACK, self.now_s)
        return self

    def wait(self, seconds: float) -> "Deal":
        """Time passes."""
        end_s = self.now_s + seconds
        while self.now_s < end_s - 1e-9:
            self.now_s = min(self.now_s + 0.1, end_s)
            self.told += self.hand.advance(self.now_s)
        return self

    def deal(self, *full: int) -> "Deal":
        """Blocks of four, three rounds, then the last tiles."""
        for block in (4, 8, 12):
            for seat in range(4):
                self.rest(seat, min(block, full[seat])).wait(0.5)
        for seat in range(4):
            if full[seat] > 12:
                self.rest(seat, full[seat]).wait(0.5)
        return self

    def pass_tiles(self, n: int = 3, back: tuple[int, int, int, int] | None = None) -> "Deal":
        """Everybody gives, then everybody racks what came."""
        before = [rack.total or 0 for rack in self.racks]
        after = back or (before[0], before[1], before[2], before[3])
        for seat in range(4):
            self.rest(seat, before[seat] - n).wait(0.7)
        self.wait(GIVEN_S + 0.5)
        for seat in range(4):
            self.rest(seat, after[seat]).wait(0.6)
        return self.wait(3.0)

    def kinds(self) -> list[str]:
        return [type(event).__name__ for event in self.told]

    def of(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.told if type(event) is kind]


def dealt(*full: int) -> Deal:
    """An empty table, dealt; the telling so far is forgotten."""
    deal = Deal(0, 0, 0, 0).wait(1.0).deal(*(full or (14, 13, 13, 13))).wait(2.0)
    assert deal.hand.phase is Phase.PASSING
    deal.told.clear()
    return deal


# ---- deal


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


# ---- passes


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
