"""Quiet seat-seconds: when a rack is quiet, and whose number stands."""

from bench.accuracy.counting import Seconds, quiet_seconds, whole
from firmware_bridge.messages import Place
from hw.simulator.truth import BusyRow, CountRow, TruthEvent
from monitor.events import CountChanged, Seat, Zone

from .hand import truth

DEALT = TruthEvent(at=0.5, kind="dealt", seat=Place.EAST)


def test_a_rack_is_quiet_two_seconds_after_its_tiles_were_in_a_hand() -> None:
    hand = truth((DEALT,), counts=(CountRow(0.0, Place.EAST, 13, 0),), busy=(BusyRow(Place.EAST, 4.5, 5.0),), end=11.0)
    told = [CountChanged(at=0.0, seat=Seat.EAST, count=13)]
    # Seconds 2 to 10, without 5, 6 and 7.
    assert quiet_seconds(hand, told) == Seconds(quiet=6, right=6)


def test_a_number_counts_from_when_it_was_known() -> None:
    hand = truth((DEALT,), counts=(CountRow(0.0, Place.EAST, 13, 0),), end=11.0)
    told = [CountChanged(at=0.0, seat=Seat.EAST, count=13, seen_at=4.5)]
    assert quiet_seconds(hand, told) == Seconds(quiet=9, right=6)


def test_an_unknown_number_is_no_right_one() -> None:
    hand = truth((DEALT,), counts=(CountRow(0.0, Place.EAST, 0, 0),), end=11.0)
    assert quiet_seconds(hand, [CountChanged(at=0.0, seat=Seat.EAST, count=None)]).right == 0


def test_a_rack_from_its_zones() -> None:
    assert whole({Zone.SLOPE: 10, Zone.LEDGE: 3}) == 13
    assert whole({Zone.SLOPE: 10, Zone.LEDGE: None}) is None
    assert whole({Zone.SLOPE: 10, Zone.RACK: 13}) == 13
