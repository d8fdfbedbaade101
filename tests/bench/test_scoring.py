"""Events beside the truth: what counts as told, what is asked of which tier, and the figures of a racking."""

import pytest

from bench.accuracy.scoring import Tally, score
from bench.accuracy.standing import Settled
from firmware_bridge.messages import Place
from hw.simulator.truth import CountRow, TruthEvent
from monitor.events import CountChanged, Discarded, Event, Racked, Seat, Zone

from .hand import truth


def told(*events: Event) -> Settled:
    return Settled(events, (), ())


def racked(at: float) -> TruthEvent:
    return TruthEvent(at=at, kind="racked", seat=Place.SOUTH)


def thrown(at: float, *, through: bool = False) -> TruthEvent:
    return TruthEvent(at=at, kind="discarded", seat=Place.SOUTH, lifted=at - 0.5, through=through)


@pytest.mark.parametrize(("off_s", "hit"), [(0.9, 1), (-0.9, 1), (1.1, 0)])
def test_a_racking_is_told_within_a_second(off_s: float, hit: int) -> None:
    scored = score(truth((racked(20.0),)), told(Racked(at=20.0 + off_s, seat=Seat.SOUTH)))
    assert scored.tallies["racked"] == Tally(1, hit, 1 - hit)


def test_another_seats_racking_is_none() -> None:
    assert score(truth((racked(20.0),)), told(Racked(at=20.0, seat=Seat.WEST))).tallies["racked"] == Tally(1, 0, 1)


def test_each_racking_takes_the_nearest_and_only_one() -> None:
    scored = score(
        truth((racked(20.0), racked(20.8))),
        told(Racked(at=20.7, seat=Seat.SOUTH), Racked(at=20.1, seat=Seat.SOUTH), Racked(at=20.2, seat=Seat.SOUTH)),
    )
    assert scored.tallies["racked"] == Tally(2, 2, 1)
    assert sorted(one.error_s for one in scored.racked) == [pytest.approx(-0.1), pytest.approx(0.1)]


def test_nothing_is_asked_before_play() -> None:
    scored = score(truth((racked(4.0),)), told(Racked(at=4.0, seat=Seat.SOUTH)))
    assert scored.tallies["racked"] == Tally(0, 0, 0)


def test_error_bounds_and_lag_of_a_racking() -> None:
    event = Racked(at=20.2, seat=Seat.SOUTH, earliest=20.1, latest=20.4, seen_at=21.5)
    (dated,) = score(truth((racked(20.0),)), told(event)).racked
    assert (dated.error_s, dated.width_s, dated.inside, dated.lag_s) == (0.2, 0.3, False, 1.5)
    (dated,) = score(truth((racked(20.3),)), told(event)).racked
    assert dated.inside


@pytest.mark.parametrize(("tier", "want"), [("weight10", Tally(1, 1, 0)), ("rfid_floor", Tally(2, 1, 0))])
def test_a_tile_thrown_on_unracked_is_asked_only_of_those_that_can_see_it(tier: str, want: Tally) -> None:
    scored = score(
        truth((thrown(20.0), thrown(40.0, through=True)), tier=tier), told(Discarded(at=20.0, seat=Seat.SOUTH))
    )
    assert scored.tallies["discarded"] == want


def test_a_good_guess_of_it_is_held_against_nobody() -> None:
    scored = score(truth((thrown(40.0, through=True),), tier="weight10"), told(Discarded(at=40.1, seat=Seat.SOUTH)))
    assert scored.tallies["discarded"] == Tally(0, 0, 0)


def test_confidence_of_what_was_so_and_what_was_not() -> None:
    scored = score(
        truth((racked(20.0),)),
        told(Racked(at=20.0, seat=Seat.SOUTH, confidence=0.95), Racked(at=60.0, seat=Seat.SOUTH, confidence=0.95)),
    )
    (one,) = [one for one in scored.confidence["racked"] if one.n]
    assert (one.n, one.right) == (2, 1)


@pytest.mark.parametrize(("at", "count", "right"), [(30.0, 13, 1), (30.0, 14, 0), (20.4, 14, 1)])
def test_a_count_is_right_if_it_was_so_about_then(at: float, count: int, right: int) -> None:
    counts = (CountRow(5.0, Place.SOUTH, 14, 0), CountRow(20.0, Place.SOUTH, 13, 0))
    event = CountChanged(at=at, seat=Seat.SOUTH, count=count, zone=Zone.RACK)
    (one,) = [one for one in score(truth(counts=counts), told(event)).confidence["count_changed"] if one.n]
    assert one.right == right
