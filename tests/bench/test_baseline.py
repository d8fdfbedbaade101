"""The naive monitor: it counts what lies still, and falls for what an afternoon's work falls for."""

from collections.abc import Iterable

from bench.accuracy.baseline import Baseline
from firmware_bridge.messages import (
    Antenna,
    ButtonEdge,
    ButtonName,
    Channel,
    InventoryRound,
    Place,
    Readings,
    WeightSample,
)
from hw.calibration import CellCalibration, TableSetup
from hw.simulator.physical import SEATS
from monitor.alerts import Alert, Rule
from monitor.events import CountChanged, Discarded, Exposed, Racked

TILE = 1000
"""Raw counts a tile."""
SCALES = TableSetup(table="T1", calibration={f"{place}.rack": CellCalibration(100.0, 0.0, 10.0) for place in SEATS})


class Racks:
    """Four racks on scales, ten samples a second."""

    def __init__(self) -> None:
        self.baseline = Baseline(SCALES)
        self.now = 0.0
        self.tiles = dict.fromkeys(SEATS, 13)
        self.tiles[Place.EAST] = 14

    def rest(self, seconds: float) -> None:
        for _ in range(round(seconds * 10)):
            self.now += 0.1
            for place in SEATS:
                weight = (WeightSample(0, Channel.RACK, self.tiles[place] * TILE),)
                self.baseline.feed(self.now, place, Readings(place, 1, 1, 0, weight=weight))

    def change(self, place: Place, by: int, then: float = 2.0) -> float:
        began = self.now
        self.tiles[place] += by
        self.rest(then)
        return began

    def press(self, place: Place) -> None:
        edge = ButtonEdge(0, ButtonName.CALL, pressed=True)
        self.baseline.feed(self.now, place, Readings(place, 1, 1, 0, button=(edge,)))

    def told(self, kind: type) -> list:
        return [record for record in self.baseline.records if type(record) is kind]


def rules(alerts: Iterable[Alert]) -> list[tuple[Rule, str | None]]:
    return [(alert.rule, alert.seat) for alert in alerts]


def playing() -> Racks:
    racks = Racks()
    racks.rest(3.0)
    racks.change(Place.EAST, -1)
    return racks


def test_a_lawful_turn_is_racked_and_discarded_half_a_second_late() -> None:
    racks = playing()
    began = racks.change(Place.SOUTH, 1)
    (racked,) = racks.told(Racked)[-1:]
    assert racked.seat == "south"
    assert 0.3 < racked.at - began < 0.8
    racks.change(Place.SOUTH, -1)
    assert [event.seat for event in racks.told(Discarded)] == ["east", "south"]
    assert racks.told(Alert) == []


def test_a_wrong_number_is_an_alarm_after_three_seconds_and_once() -> None:
    racks = playing()
    racks.change(Place.WEST, -1, then=3.0)
    assert racks.told(Alert) == []
    racks.rest(5.0)
    assert rules(racks.told(Alert)) == [(Rule.WRONG_COUNT, "west")]


def test_a_press_of_a_hand_is_taken_for_tiles() -> None:
    racks = playing()
    racks.change(Place.WEST, 200, then=0.3)
    racks.change(Place.WEST, -200, then=3.0)
    assert {event.count for event in racks.told(CountChanged) if event.seat == "west"} > {13}


def test_a_call_well_after_the_racking_is_late() -> None:
    racks = playing()
    racks.change(Place.SOUTH, 1)
    racks.press(Place.NORTH)
    assert rules(racks.told(Alert)) == [(Rule.LATE_CALL, "north")]


def test_a_tile_is_where_the_last_inventory_has_it() -> None:
    uids = [f"E0{k:014X}" for k in range(13)]
    baseline = Baseline(TableSetup(table="T1", tiles=dict.fromkeys(uids, "1 bam")))

    def inventory(at_s: float, antenna: Antenna, heard: list[str]) -> None:
        rows = (InventoryRound(0, antenna, tuple(heard), complete=True),)
        baseline.feed(at_s, Place.EAST, Readings("n", 1, 1, 0, inventory=rows))

    inventory(1.0, Antenna.SLOPE, [*uids, "E0FFFFFFFFFFFFFF"])
    inventory(2.0, Antenna.SLOPE, uids[:12])
    assert [r.count for r in baseline.records if isinstance(r, CountChanged)] == [13, 12]
    assert not [r for r in baseline.records if isinstance(r, Exposed)]
