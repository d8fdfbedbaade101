"""Racks counted by tags that may hold one more, hardly heard: a number too small is told in doubt, others are not."""

import pytest

from firmware_bridge.messages import Place
from hw.observations import CountSettled, TileMoved, Unheard, Zone
from monitor.events import SEATS, CountChanged, Dealt, Event
from monitor.events import Zone as RackZone
from monitor.inference.deal import SHORT_REST_S
from monitor.inference.proof import PROVEN, UNPROVEN
from monitor.inference.tracker import Tracker

from .script import EAST, NORTH, SOUTH, moment

PLACES = (Place.EAST, Place.SOUTH, Place.WEST, Place.NORTH)


class Tags:
    """Four racks counted by tags that are told half a second after they landed."""

    def __init__(self) -> None:
        self.tracker = Tracker()
        self.now_s = 10.0
        self.told: list[Event] = []
        self.counts = [0, 0, 0, 0]
        for place in PLACES:
            self.tracker.observe(CountSettled(place, Zone.SLOPE, 0, moment(self.now_s), self.now_s))
        self.wait(2.0)

    def wait(self, seconds: float) -> "Tags":
        end_s = self.now_s + seconds
        while self.now_s < end_s - 1e-9:
            self.now_s = min(self.now_s + 0.1, end_s)
            self.told += [finding.event for finding in self.tracker.advance(self.now_s)]
        return self

    def unheard(self, seat: int, likely: bool = True) -> "Tags":
        found = self.tracker.observe(Unheard(PLACES[seat], likely, self.now_s))
        self.told += [finding.event for finding in found]
        return self

    def deal(self, *full: int) -> "Tags":
        for block in (4, 8, 12, 14):
            for seat in range(4):
                self._land(seat, min(block, full[seat]) - self.counts[seat])
        return self

    def _land(self, seat: int, tiles: int) -> None:
        for _ in range(tiles):
            self.counts[seat] += 1
            uid, at_s = f"E00401{seat}{self.counts[seat]:09d}", self.now_s - 0.5
            moved = TileMoved(uid, PLACES[seat], Zone.SLOPE, moment(at_s), self.now_s, 0.99)
            self.told += [finding.event for finding in self.tracker.observe(moved)]
            self.wait(0.1)
        self.wait(0.6)

    def goes(self, seat: int, place: Place | None) -> "Tags":
        """A tile leaves a rack, for the floor or for where nothing hears it."""
        uid, at_s = f"E00401{seat}{self.counts[seat]:09d}", self.now_s - 0.5
        self.counts[seat] -= 1
        found = self.tracker.observe(TileMoved(uid, None, None, moment(at_s), self.now_s, 0.99))
        if place is not None:
            self.wait(0.3)
            found += self.tracker.observe(TileMoved(uid, place, None, moment(self.now_s - 0.3), self.now_s, 0.99))
        self.told += [finding.event for finding in found]
        return self

    def last(self, seat: int) -> CountChanged:
        """The rack's number as it was told last."""
        counts = [e for e in self.told if isinstance(e, CountChanged) and e.zone is RackZone.RACK]
        return [e for e in counts if e.seat is SEATS[seat]][-1]


@pytest.mark.parametrize("likely", [True, False])
def test_a_short_deal_is_in_doubt_while_a_tag_may_be_unheard(likely: bool) -> None:
    table = Tags().deal(14, 13, 13, 12)
    if likely:
        table.unheard(NORTH)
    table.wait(SHORT_REST_S + 5.0)
    assert [type(e) for e in table.told].count(Dealt) == 1
    last = table.last(NORTH)
    assert last.count == 12
    assert (last.confidence == UNPROVEN) is likely


def test_another_racks_weak_tag_is_no_excuse() -> None:
    table = Tags().deal(14, 13, 13, 12).unheard(EAST).wait(SHORT_REST_S + 5.0)
    assert table.last(NORTH).confidence != UNPROVEN
    assert table.last(EAST).count == 14
    assert table.last(EAST).confidence != UNPROVEN


def test_the_doubt_ends_with_what_gave_rise_to_it() -> None:
    table = Tags().deal(14, 13, 13, 12).unheard(NORTH).wait(SHORT_REST_S + 5.0)
    assert table.last(NORTH).confidence == UNPROVEN
    table.unheard(NORTH, likely=False).wait(1.0)
    last = table.last(NORTH)
    assert last.count == 12
    assert last.confidence != UNPROVEN


def test_a_discard_without_a_pick_makes_one() -> None:
    table = Tags().deal(14, 13, 13, 13).wait(5.0).goes(EAST, Place.FLOOR).wait(20.0)
    table.goes(SOUTH, Place.FLOOR).wait(40.0)
    assert table.last(SOUTH).count == 12
    assert table.last(SOUTH).confidence == PROVEN
