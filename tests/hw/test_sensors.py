"""Deliveries of a table's nodes to observations: which cell, antenna and button a reading belongs to, in which order.

What the single models make of their readings is tested with them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.clock import TickMap
from firmware_bridge.messages import (
    Antenna,
    ButtonEdge,
    ButtonName,
    Channel,
    InventoryRound,
    Place,
    Readings,
    TagRead,
    WeightSample,
)
from firmware_bridge.session import Delivery
from hw.calibration import CellCalibration, TableSetup
from hw.observations import CountSettled, Observation, Pressed, Quality, SensorHealth, Step, TileMoved, Zone
from hw.sensors import BOUNCE_S, TableSensors
from hw.weight_codes import SILENT_S
from tests.hw.weight_signal import EARLY_S, LATE_S, TILE_G, Rack, Samples

GAINS = {"east.slope": 410.0, "east.ledge": -380.0, "south.rack": 900.0}
ZEROS = {"east.slope": 20_000.0, "east.ledge": -7_000.0, "south.rack": 150_000.0}
TILES = {f"E00401000000{n:04X}": "1-bam" for n in range(8)}


def setup(*, tiles: dict[str, str] | None = None) -> TableSetup:
    cells = {key: CellCalibration(GAINS[key], ZEROS[key], TILE_G) for key in GAINS}
    return TableSetup("T1", "", cells, tiles or {})


def delivery(place: Place, at_s: float, *, rebooted: bool = False, **rows: tuple[object, ...]) -> Delivery:
    readings = Readings(f"t1-{place}", 1, 1, round(at_s * 1e6), **rows)  # type: ignore[arg-type]
    clock = TickMap(readings.ticks, at_s, 1e-6, EARLY_S, LATE_S)
    return Delivery(place, readings.node, at_s + 0.02, readings, clock, rebooted)


def sample(at_s: float, key: str, grams: float) -> WeightSample:
    channel = Channel(key.partition(".")[2])
    return WeightSample(round(at_s * 1e6), channel, round(ZEROS[key] + GAINS[key] * grams))


def weighed(key: str, rack: Rack) -> list[WeightSample]:
    """A signal of 80 samples a second as rows of one channel."""
    samples: Samples = rack.sampled(80)
    grams = (samples.raw - 152_311.0) / -412.7
    return [sample(float(at_s), key, float(g)) for at_s, g in zip(samples.at_s, grams, strict=True)]


def fed(sensors: TableSensors, place: Place, rows: Iterable[WeightSample]) -> list[Observation]:
    """Rows in messages of a tenth of a second."""
    told: list[Observation] = []
    batch: list[WeightSample] = []
    for each in sorted(rows, key=lambda r: r.ticks):
        if batch and each.ticks // 100_000 != batch[0].ticks // 100_000:
            told += sensors.feed(delivery(place, batch[-1].ticks * 1e-6, weight=tuple(batch)))
            batch = []
        batch.append(each)
    return told + sensors.feed(delivery(place, batch[-1].ticks * 1e-6, weight=tuple(batch)))


def press(at_s: float, name: ButtonName = ButtonName.CALL, *, pressed: bool = True) -> ButtonEdge:
    return ButtonEdge(round(at_s * 1e6), name, pressed)


def presses(told: list[Observation]) -> list[Pressed]:
    return [o for o in told if isinstance(o, Pressed)]


# ---- weight


def test_each_channel_has_a_cell_of_its_own() -> None:
    """Slope and ledge of one rack in the same messages, another rack beside it."""
    sensors = TableSensors(setup())
    slope, ledge = Rack(1, end_s=6.0, tiles=10), Rack(2, end_s=6.0, tiles=3)
    slope.place(3.0)
    ledge.lift(4.5)
    told = fed(sensors, Place.EAST, weighed("east.slope", slope) + weighed("east.ledge", ledge))
    told += fed(sensors, Place.SOUTH, weighed("south.rack", Rack(3, end_s=6.0, tiles=13)))
    rests = {(o.place, o.zone): o.count for o in told if isinstance(o, CountSettled)}
    assert rests == {
        (Place.EAST, Zone.SLOPE): 10,
        (Place.EAST, Zone.LEDGE): 3,
        (Place.SOUTH, Zone.RACK): 13,
    }
    steps = [(o.place, o.zone, o.before, o.after) for o in told if isinstance(o, Step)]
    assert steps == [(Place.EAST, Zone.SLOPE, 10, 11), (Place.EAST, Zone.LEDGE, 3, 2)]
    assert sensors.uncalibrated == 0
    counts = {key: cell.count for key, cell in sensors.cells.items()}
    assert counts[Place.EAST, Channel.SLOPE] == 11
    assert counts[Place.EAST, Channel.LEDGE] == 2
    assert counts[Place.SOUTH, Channel.RACK] == 13


def test_readings_without_a_calibration_are_counted_and_left() -> None:
    sensors = TableSensors(setup())
    rows = tuple(WeightSample(k * 12_500, Channel.RACK, 100_000) for k in range(7))
    assert sensors.feed(delivery(Place.WEST, 0.1, weight=rows)) == []
    assert sensors.uncalibrated == 7
    mixed = (*rows, sample(0.1, "east.slope", 120.0))
    assert sensors.feed(delivery(Place.EAST, 0.2, weight=mixed)) == []
    assert sensors.uncalibrated == 14
    assert (Place.EAST, Channel.RACK) not in sensors.cells


def test_a_reboot_concerns_the_cells_of_its_own_node_alone() -> None:
    sensors = TableSensors(setup())
    fed(sensors, Place.EAST, weighed("east.slope", Rack(1, end_s=3.0, tiles=10)))
    fed(sensors, Place.SOUTH, weighed("south.rack", Rack(3, end_s=3.0)))
    assert all(sensors.cells[key].resting for key in ((Place.EAST, Channel.SLOPE), (Place.SOUTH, Channel.RACK)))
    sensors.feed(delivery(Place.EAST, 3.1, rebooted=True))
    assert not sensors.cells[Place.EAST, Channel.SLOPE].resting
    assert sensors.cells[Place.SOUTH, Channel.RACK].resting


@dataclass
class Stopping:
    """A rack of thirteen whose node speaks ten times a second until `end_s`, with weight but from 5 s to `stops_s`."""

    stops_s: float
    end_s: float
    pause_s: float = 0.0

    def told(self, later: Rack | None = None) -> list[Observation]:
        rack = Rack(45, end_s=self.end_s, tiles=13)
        rows = weighed("south.rack", rack)
        if later is not None:
            rows = [r for r in rows if r.ticks < 5_000_000]
            rows += [r for r in weighed("south.rack", later) if r.ticks >= self.stops_s * 1e6]
        sensors = TableSensors(setup())
        told: list[Observation] = []
        for k in range(1, round(self.end_s * 10)):
            at_s = k / 10
            if 5.0 <= at_s < 5.0 + self.pause_s:
                continue
            here = tuple(r for r in rows if at_s - 0.1 <= r.ticks * 1e-6 < at_s)
            if 5.0 < at_s <= self.stops_s:
                here = ()
            told += sensors.feed(delivery(Place.SOUTH, at_s, weight=here))
        return told


def test_row_45_a_cell_that_stops_while_its_node_goes_on_is_silent_and_its_count_unknown() -> None:
    """Nodes have counted milliseconds in 32 bits, and read no sensor any more after 49 days."""
    told = Stopping(stops_s=20.0, end_s=21.0).told(Rack(46, end_s=21.0, tiles=13))
    (silent,) = [o for o in told if isinstance(o, SensorHealth) and o.quality is Quality.SILENT]
    assert (silent.place, silent.sensor) == (Place.SOUTH, "rack cell")
    assert silent.at_s == pytest.approx(5.0 + SILENT_S, abs=0.3)
    counts = [(o.count, o.reason) for o in told if isinstance(o, CountSettled)]
    assert counts[:2] == [(13, ""), (None, "silent")]


def test_row_45_what_changed_while_a_cell_was_silent_is_counted_and_has_no_date() -> None:
    told = Stopping(stops_s=20.0, end_s=26.0).told(Rack(46, end_s=26.0, tiles=11))
    assert [o.quality for o in told if isinstance(o, SensorHealth)] == [Quality.SILENT, Quality.GOOD]
    assert [o.count for o in told if isinstance(o, CountSettled)] == [13, None, 11]
    assert [o for o in told if isinstance(o, Step)] == []


def test_a_node_that_pauses_has_no_silent_cells() -> None:
    """That is told of the node. A second without a sample, before and after, is nothing either."""
    told = Stopping(stops_s=31.0, end_s=36.0, pause_s=25.0).told()
    assert [o for o in told if isinstance(o, SensorHealth)] == []
    assert {o.count for o in told if isinstance(o, CountSettled)} == {13}


def test_a_cell_that_never_spoke_is_not_told_to_have_stopped() -> None:
    sensors = TableSensors(setup())
    assert [one for k in range(100) for one in sensors.feed(delivery(Place.SOUTH, k / 10))] == []


# ---- buttons


def test_a_press_is_told_with_the_clock_s_bounds_and_a_release_is_not() -> None:
    sensors = TableSensors(setup())
    told = sensors.feed(delivery(Place.WEST, 5.0, button=(press(4.9), press(4.98, pressed=False))))
    assert len(told) == 1
    (one,) = presses(told)
    assert (one.place, one.button, one.seen_s) == (Place.WEST, ButtonName.CALL, 5.02)
    moment = one.moment
    assert abs(moment.at_s - 4.9) < 1e-9
    assert abs(moment.earliest_s - (4.9 - EARLY_S)) < 1e-9
    assert abs(moment.latest_s - (4.9 + LATE_S)) < 1e-9


def test_contacts_that_bounce_are_one_press() -> None:
    """Within a message and across two."""
    sensors = TableSensors(setup())
    bouncing = (press(4.900), press(4.904, pressed=False), press(4.909), press(4.913, pressed=False))
    told = sensors.feed(delivery(Place.WEST, 4.915, button=bouncing))
    told += sensors.feed(delivery(Place.WEST, 5.0, button=(press(4.918), press(5.0, pressed=False))))
    assert [one.moment.at_s for one in presses(told)] == [4.9]


def test_contacts_that_bounce_when_the_button_comes_up_are_no_second_press() -> None:
    sensors = TableSensors(setup())
    held = (press(4.9), press(5.400, pressed=False), press(5.404), press(5.408, pressed=False))
    told = sensors.feed(delivery(Place.WEST, 5.6, button=held))
    assert len(presses(told)) == 1
    assert abs(presses(told)[0].moment.at_s - 4.9) < 1e-6


def test_a_second_press_after_the_bounce_counts() -> None:
    sensors = TableSensors(setup())
    again_s = 4.92 + BOUNCE_S + 0.001
    told = sensors.feed(delivery(Place.WEST, 5.1, button=(press(4.9), press(4.92, pressed=False), press(again_s))))
    assert len(presses(told)) == 2


def test_buttons_and_seats_do_not_hide_each_other() -> None:
    sensors = TableSensors(setup())
    told = sensors.feed(
        delivery(
            Place.WEST, 5.0, button=(press(4.90), press(4.91, ButtonName.MAH_JONGG), press(4.92, ButtonName.DIRECTOR))
        )
    )
    told += sensors.feed(delivery(Place.NORTH, 5.0, button=(press(4.92),)))
    assert [(one.place, one.button) for one in presses(told)] == [
        (Place.WEST, ButtonName.CALL),
        (Place.WEST, ButtonName.MAH_JONGG),
        (Place.WEST, ButtonName.DIRECTOR),
        (Place.NORTH, ButtonName.CALL),
    ]


@given(st.lists(st.tuples(st.floats(0.0, 20.0), st.booleans()), max_size=30))
def test_presses_of_a_button_are_never_closer_than_a_bounce(edges: list[tuple[float, bool]]) -> None:
    """Whatever a broken contact sends, each told press was one, and the first is always told."""
    sensors = TableSensors(setup())
    rows = [press(at_s, pressed=down) for at_s, down in sorted(edges)]
    told = [one for row in rows for one in presses(sensors.feed(delivery(Place.EAST, row.ticks * 1e-6, button=(row,))))]
    times = [one.moment.at_s for one in told]
    downs = [row.ticks * 1e-6 for row in rows if row.pressed]
    assert all(later - earlier >= BOUNCE_S - 1e-6 for earlier, later in pairwise(times))
    assert all(min(abs(at_s - down) for down in downs) < 1e-6 for at_s in times)
    assert (abs(times[0] - downs[0]) < 1e-6) if downs else times == []


# ---- tags


def rounds(at_s: float, seen: dict[Antenna, tuple[str, ...]]) -> tuple[InventoryRound, ...]:
    return tuple(
        InventoryRound(round((at_s + 0.01 * k) * 1e6), antenna, uids, complete=True)
        for k, (antenna, uids) in enumerate(seen.items())
    )


def test_without_enrolled_tiles_there_are_no_tags_and_time_tells_nothing() -> None:
    sensors = TableSensors(setup())
    assert sensors.rfid is None
    seen = rounds(1.0, {Antenna.SLOPE: tuple(TILES)})
    assert sensors.feed(delivery(Place.EAST, 1.1, inventory=seen)) == []
    assert sensors.advance(30.0) == []


def test_tags_of_an_inventory_are_told_at_their_place_and_in_order_of_time() -> None:
    """Two tiles come to a slope, one goes on to the ledge; strangers are no tile."""
    sensors = TableSensors(setup(tiles=TILES))
    first, second = list(TILES)[:2]
    told: list[Observation] = []
    for k in range(80):
        at_s = 1.0 + 0.15 * k
        slope = tuple(uid for uid, from_s, to_s in ((first, 2.0, 99.0), (second, 3.0, 8.0)) if from_s <= at_s < to_s)
        ledge = (second,) if at_s >= 9.0 else ()
        seen = rounds(at_s, {Antenna.SLOPE: (*slope, "E004FFFFFFFFFFFF"), Antenna.LEDGE: ledge})
        told += sensors.feed(delivery(Place.EAST, at_s + 0.1, inventory=seen))
        told += sensors.advance(at_s + 0.13)
    moves = [o for o in told if isinstance(o, TileMoved)]
    path = [(o.uid, o.place, o.zone) for o in moves if o.place is not None]
    assert path == [
        (first, Place.EAST, Zone.SLOPE),
        (second, Place.EAST, Zone.SLOPE),
        (second, Place.EAST, Zone.LEDGE),
    ]
    assert {o.uid for o in moves} == {first, second}
    assert all(a.seen_s <= b.seen_s for a, b in pairwise(moves))
    assert sensors.rfid is not None
    assert sensors.rfid.unknown_reads == 80


def test_what_becomes_known_together_is_told_in_the_order_in_which_it_happened() -> None:
    """A silence is believed later than a tile that is heard; a message that was long on its way brings both."""
    sensors = TableSensors(setup(tiles=TILES))
    goes, comes = list(TILES)[:2]
    told: list[Observation] = []
    late: list[InventoryRound] = []
    for k in range(100):
        at_s = 1.0 + 0.15 * k
        here = tuple(uid for uid, there in ((goes, at_s < 9.0), (comes, at_s > 9.2)) if there)
        seen = rounds(at_s, {Antenna.SLOPE: here, Antenna.LEDGE: ()})
        if at_s < 8.0:
            told += sensors.feed(delivery(Place.EAST, at_s + 0.1, inventory=seen))
        else:
            late += seen
    assert [o.uid for o in told if isinstance(o, TileMoved)] == [goes]
    moves = [o for o in sensors.feed(delivery(Place.EAST, 16.2, inventory=tuple(late))) if isinstance(o, TileMoved)]
    assert [(o.uid, o.place) for o in moves] == [(goes, None), (comes, Place.EAST)]
    assert moves[0].moment.at_s < moves[1].moment.at_s


def test_a_streaming_reader_is_heard_too() -> None:
    sensors = TableSensors(setup(tiles=TILES))
    uid = next(iter(TILES))
    told: list[Observation] = []
    for k in range(100):
        at_s = 1.0 + 0.1 * k
        reads = tuple(TagRead(round((at_s + 0.02 * n) * 1e6), Antenna.SLOPE, uid, -52.0) for n in range(4))
        told += sensors.feed(delivery(Place.EAST, at_s + 0.1, reads=reads))
        told += sensors.advance(at_s + 0.12)
    moves = [o for o in told if isinstance(o, TileMoved)]
    assert [(o.uid, o.place, o.zone) for o in moves if o.place is not None] == [(uid, Place.EAST, Zone.SLOPE)]


def test_one_message_tells_weight_then_tags_then_buttons() -> None:
    """Each delivery's observations carry the time of its arrival, so the table knows them in order."""
    sensors = TableSensors(setup(tiles=TILES))
    uid = next(iter(TILES))
    weight = weighed("east.slope", Rack(1, end_s=4.0, tiles=10))
    inventory = tuple(r for k in range(26) for r in rounds(0.1 + 0.15 * k, {Antenna.SLOPE: (uid,) if k > 9 else ()}))
    told = sensors.feed(delivery(Place.EAST, 4.0, weight=tuple(weight), inventory=inventory, button=(press(3.5),)))
    kinds = [type(o) for o in told]
    assert kinds == [CountSettled, CountSettled, TileMoved, Pressed], "the scales, the empty slope, the tag, the button"
    assert {o.seen_s for o in told if isinstance(o, CountSettled | TileMoved | Pressed)} == {4.02}
