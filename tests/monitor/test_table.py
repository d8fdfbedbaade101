"""The table as a whole: arrivals and time in, numbered records out, the same twice; silence, repeats, inputs, faults.

Whole hands are played in tests/scenarios.
"""

import json
from itertools import pairwise

import msgspec
import pytest
from msgspec.structs import replace

from firmware_bridge.arrival import Arrival
from firmware_bridge.clock import TickMap
from firmware_bridge.messages import ButtonEdge, ButtonName, Channel, Input, InputName, Place, Readings, WeightSample
from firmware_bridge.received import Published
from firmware_bridge.topics import input_topic
from hw.calibration import CellCalibration, TableSetup
from hw.simulator.options import Options, Tier
from monitor.alerts import Alert, AlertState, Rule
from monitor.events import Called, CountChanged, DirectorCalled, Discarded, Event, Racked, Seat, Zone
from monitor.inference.inputs import event_of
from monitor.table import SILENT_S, Numbers, Record, Table
from tests.scenarios.stage import Received, Shown, changed, played, text, watched

SEATS = (Place.EAST, Place.SOUTH, Place.WEST, Place.NORTH)
HYBRID = Options(seed=2, tier=Tier.HYBRID, discards=4)
WEIGHT = replace(HYBRID, tier=Tier.WEIGHT10)


class Rig:
    """A table with four racks on scales, whose nodes speak ten times a second with what is laid on them."""

    def __init__(self) -> None:
        cells = {f"{seat.value}.rack": CellCalibration(400.0, 50_000.0, 12.0) for seat in SEATS}
        self.table = Table(TableSetup("T1", "weight10", cells))
        self.now_s = 1.0
        self.tiles = dict.fromkeys(SEATS, 13)
        self.quiet: set[Place] = set()
        self.records: list[Record] = []
        self._seq = dict.fromkeys(SEATS, 0)
        self._boot = dict.fromkeys(SEATS, 1)

    def run(self, seconds: float) -> "Rig":
        """Nodes speak and time passes."""
        for _ in range(round(seconds * 10)):
            self.now_s += 0.1
            self.records += self.table.advance(self.now_s)
            for seat in SEATS:
                if seat not in self.quiet:
                    self.say(seat)
        return self

    def say(self, seat: Place, **more: object) -> None:
        self._seq[seat] += 1
        ticks = round(self.now_s * 1e6)
        wobble = (7 * self._seq[seat]) % 5 - 2
        raw = round(50_000 + 400.0 * 12.0 * self.tiles[seat]) + 8 * wobble
        row = WeightSample(ticks - 1000, Channel.RACK, raw)
        readings = Readings(f"t1-{seat}", self._boot[seat], self._seq[seat], ticks, weight=(row,), **more)  # type: ignore[arg-type]
        self.records += self.table.feed(Arrival(self.now_s + 0.003, "T1", seat, readings))

    def reboot(self, seat: Place) -> None:
        self._seq[seat] = 0
        self._boot[seat] += 1

    def hear(self, place: Place | None, said: Input, **more: bool) -> list[Record]:
        """An input."""
        told = self.table.feed(Arrival(self.now_s + 0.01, "T1", place, said, **more))  # type: ignore[arg-type]
        self.records += told
        return told

    def press(self, seat: Place, name: ButtonName) -> None:
        edge = ButtonEdge(round(self.now_s * 1e6) - 500, name, True)
        self.say(seat, button=(edge,))

    def counts(self, seat: Place) -> list[int | None]:
        return [
            record.count
            for record in self.records
            if isinstance(record, CountChanged) and record.zone is Zone.RACK and record.seat == Seat(seat.value)
        ]

    def faults(self) -> list[Alert]:
        return [r for r in self.records if isinstance(r, Alert) and r.rule is Rule.SENSOR_FAULT]


# ---- numbers


@pytest.mark.parametrize("options", [HYBRID, WEIGHT])
def test_records_of_each_stream_are_numbered_without_a_gap(options: Options) -> None:
    shown = played(options)
    assert [event.seq for event in shown.events] == list(range(1, len(shown.events) + 1))
    assert [alert.seq for alert in shown.alerts] == list(range(1, len(shown.alerts) + 1))
    assert all(record.table == "T1" for record in shown.records)


def test_numbers_go_on_where_the_log_ends() -> None:
    shown = played(WEIGHT)
    table = Table(shown.setup, last=Numbers(1000, 70))
    records = [r for one in shown.received for r in _one(table, one)]
    events = [r.seq for r in records if not isinstance(r, Alert)]
    alerts = [r.seq for r in records if isinstance(r, Alert)]
    assert events == list(range(1001, 1001 + len(shown.events)))
    assert alerts == list(range(71, 71 + len(shown.alerts)))


def _one(table: Table, one: Received) -> list[Record]:
    from firmware_bridge.routing import Router

    records = table.advance(one.at_s)
    for arrival in Router(frozenset({"T1"})).route(one):
        records += table.feed(arrival)
    return records


def test_what_is_replaced_or_evidence_was_told_before() -> None:
    for options in (HYBRID, WEIGHT):
        known: set[int] = set()
        for record in played(options).records:
            if isinstance(record, Alert):
                assert set(record.evidence) <= known
            else:
                known.add(record.seq)
                assert getattr(record, "replaces", record.seq) in known


# ---- the same twice


@pytest.mark.parametrize("options", [HYBRID, WEIGHT])
def test_the_same_arrivals_give_the_same_bytes(options: Options) -> None:
    shown = played(options)
    assert text(shown)
    again = Shown(shown.truth, shown.setup, shown.received, watched(shown.setup, shown.received))
    assert text(again) == text(shown)


def test_records_come_in_order_of_knowledge() -> None:
    """Nothing is told before it is known, or before the call that knew it."""
    shown = played(HYBRID)
    known = [event.known for event in shown.events if not isinstance(event, CountChanged)]
    assert all(later >= earlier - 0.5 for earlier, later in pairwise(known))
    assert all(event.at <= event.known + 1e-9 for event in shown.standing)
    assert all(event.low <= event.at <= event.high for event in shown.standing)


def test_any_size_of_steps_in_time_finds_the_same_hand() -> None:
    """Time that passes ten times as often changes when things are told, not what they are."""
    shown = played(WEIGHT)
    table = Table(shown.setup)
    records: list[Record] = []
    for before, one in pairwise(shown.received):
        span_s = one.at_s - before.at_s
        for k in range(1, 10):
            records += table.advance(before.at_s + span_s * k / 10)
        records += _one(table, one)

    def hand(events: list[Record]) -> list[tuple[str, Seat | None, float]]:
        kinds = (Racked, Discarded)
        return [(type(e).__name__, e.seat, round(e.at, 3)) for e in events if isinstance(e, kinds)]

    assert hand(records) == hand(list(shown.events))


# ---- what is no event


def test_redelivered_and_retained_messages_make_no_event() -> None:
    """Every message twice, some a second late, and an old state before anything else: the same records."""

    def spoil(received: list[Received]) -> list[Received]:
        out: list[Received] = []
        for k, one in enumerate(received):
            out.append(one)
            assert isinstance(one, Published)
            out.append(one)
            if k % 7 == 3:
                out.append(replace(received[max(0, k - 40)], at_s=one.at_s))
            if k % 11 == 5:
                out.append(replace(one, retain=True))
        return out

    assert text(changed(WEIGHT, spoil)) == text(played(WEIGHT))


def test_retained_messages_alone_are_nothing() -> None:
    def retained(received: list[Received]) -> list[Received]:
        return [replace(one, retain=True) for one in received if isinstance(one, Published)]

    assert changed(WEIGHT, retained).records == []
    rig = Rig().run(3.0)
    assert rig.hear(Place.WEST, Input(input=InputName.MAH_JONGG), retained=True) == []


def test_a_node_without_a_place_is_not_heard() -> None:
    rig = Rig().run(3.0)
    readings = Readings("t1-west", 1, 31, 0)
    assert rig.table.feed(Arrival(5.0, "T1", None, readings)) == []


# ---- inputs and buttons


@pytest.mark.parametrize("name", InputName)
@pytest.mark.parametrize("place", [Place.SOUTH, None])
def test_every_input_is_its_event_at_once(name: InputName, place: Place | None) -> None:
    rig = Rig().run(3.0)
    said = Input(input=name, by="director", n=1, owners=("east",), how="wall", other="north")
    told = rig.hear(place, said)
    assert told
    event = told[0]
    assert not isinstance(event, Alert)
    seat = None if place is None else Seat.SOUTH
    expected = event_of(said, seat, rig.now_s + 0.01)
    assert event == replace(expected, table="T1", seq=event.seq)


def test_inputs_come_by_their_topics() -> None:
    def say(received: list[Received]) -> list[Received]:
        first = received[0].at_s
        word = json.dumps({"input": "east_is"}).encode()
        return [*received[:1], Published(first, input_topic("T1", Place.WEST), word), *received[1:40]]

    kinds = [type(event).__name__ for event in changed(WEIGHT, say).events]
    assert kinds.count("EastIs") == 1


def test_the_director_s_button_calls_the_director_and_tells_nobody_s_fault() -> None:
    rig = Rig().run(3.0)
    before = len(rig.records)
    rig.press(Place.NORTH, ButtonName.DIRECTOR)
    rig.run(2.0)
    (called,) = [r for r in rig.records[before:] if not isinstance(r, CountChanged)]
    assert isinstance(called, DirectorCalled)
    assert called.seat is Seat.NORTH


def test_a_call_out_of_play_is_told_once() -> None:
    rig = Rig().run(3.0)
    rig.press(Place.NORTH, ButtonName.CALL)
    rig.run(5.0)
    calls = [r for r in rig.records if isinstance(r, Called)]
    assert [(call.seat, call.via) for call in calls] == [(Seat.NORTH, "button")]


# ---- identities


def test_identities_are_in_events_and_never_in_alerts() -> None:
    """Not under any key, and not in any sentence."""
    shown = played(replace(HYBRID, rule_fault=None))
    uids, faces = set(shown.setup.tiles), set(shown.setup.tiles.values())
    assert any(isinstance(event, Discarded) and event.uid in uids and event.face in faces for event in shown.events)
    assert any(isinstance(event, Racked) and event.uid in uids for event in shown.events)
    long_faces = {face for face in faces if "-" in face} | {"joker", "flower"}
    for alert in shown.alerts:
        line = msgspec.json.encode(alert).decode()
        assert not any(uid in line for uid in uids)
        assert not any(face in line for face in long_faces)
    assert shown.alerts


# ---- alerts of one moment


def test_what_one_moment_raises_and_takes_back_is_never_published() -> None:
    for options in (HYBRID, WEIGHT):
        published: set[str] = set()
        for batch in played(options).batches:
            for alert in (record for record in batch if isinstance(record, Alert)):
                last = next(r for r in reversed(batch) if isinstance(r, Alert) and r.id == alert.id)
                assert last.state is not AlertState.WITHDRAWN or alert.id in published
            published |= {record.id for record in batch if isinstance(record, Alert)}


def alert(id_: str, state: AlertState, rule: Rule = Rule.WRONG_COUNT) -> Alert:
    return Alert(
        id=id_, rule=rule, at=1.0, raised_at=2.0, article="205", authority="league", level="notice", message="",  # type: ignore[arg-type]
        state=state,
    )  # fmt: skip


def test_published_lines_are_counted_and_unpublished_ones_are_not() -> None:
    table = Rig().table
    raised, withdrawn, resolved = AlertState.RAISED, AlertState.WITHDRAWN, AlertState.RESOLVED
    event: Event = DirectorCalled(at=1.0, seq=1)
    first = table._publish([alert("a", raised), event, alert("b", raised), alert("a", withdrawn)])
    assert [(r.seq, getattr(r, "id", "event")) for r in first] == [(1, "event"), (1, "b")]
    later = table._publish([alert("b", withdrawn), alert("c", raised), alert("c", resolved)])
    assert [(r.seq, getattr(r, "id", ""), getattr(r, "state", "")) for r in later] == [
        (2, "b", "withdrawn"),
        (3, "c", "raised"),
        (4, "c", "resolved"),
    ]
    assert table._publish([event]) == [event]
    again = table._publish([alert("a", raised)])
    assert [(r.seq, getattr(r, "id", "")) for r in again] == [(5, "a")]


# ---- sensors and nodes in trouble


def test_a_silent_node_makes_its_rack_unknown_and_says_so_until_it_is_heard_again() -> None:
    rig = Rig().run(5.0)
    assert rig.counts(Place.SOUTH) == [13]
    rig.quiet.add(Place.SOUTH)
    rig.run(SILENT_S + 1.0)
    assert rig.counts(Place.SOUTH) == [13, None]
    (fault,) = rig.faults()
    assert (fault.seat, fault.state, fault.level) == (Seat.SOUTH, AlertState.RAISED, "technical")
    assert "south node" in fault.message
    rig.quiet.clear()
    rig.run(8.0)
    assert rig.counts(Place.SOUTH) == [13, None, 13]
    assert [(a.id, a.state) for a in rig.faults()] == [(fault.id, AlertState.RAISED), (fault.id, AlertState.RESOLVED)]
    assert rig.counts(Place.WEST) == [13]


def test_silence_is_told_within_its_time_and_once() -> None:
    rig = Rig().run(5.0)
    rig.quiet.add(Place.SOUTH)
    fell_s = rig.now_s
    rig.run(60.0)
    (fault,) = rig.faults()
    assert SILENT_S < fault.at - fell_s < SILENT_S + 0.5


def test_a_node_that_starts_anew_is_no_fault_and_changes_no_count() -> None:
    rig = Rig().run(5.0)
    rig.reboot(Place.WEST)
    rig.run(5.0)
    assert rig.counts(Place.WEST) in ([13], [13, 13])
    assert rig.faults() == []


def test_a_stuck_scale_is_a_fault_and_its_rack_unknown() -> None:
    rig = Rig().run(5.0)

    def stuck(seconds: float) -> None:
        for _ in range(round(seconds * 10)):
            rig.now_s += 0.1
            rig.records.extend(rig.table.advance(rig.now_s))
            for seat in SEATS:
                if seat is Place.EAST:
                    rig._seq[seat] += 1
                    row = WeightSample(round(rig.now_s * 1e6) - 1000, Channel.RACK, 112_345)
                    readings = Readings(f"t1-{seat}", 1, rig._seq[seat], round(rig.now_s * 1e6), weight=(row,))
                    rig.records.extend(rig.table.feed(Arrival(rig.now_s + 0.003, "T1", seat, readings)))
                else:
                    rig.say(seat)

    stuck(8.0)
    assert rig.counts(Place.EAST)[-1] is None
    (fault,) = rig.faults()
    assert (fault.seat, fault.rule, fault.article) == (Seat.EAST, Rule.SENSOR_FAULT, "")
    assert "stale" in fault.message
    rig.run(4.0)
    assert rig.counts(Place.EAST)[-1] == 13
    assert rig.faults()[-1].state is AlertState.RESOLVED


def test_a_rack_that_is_not_calibrated_is_silent_and_never_a_count() -> None:
    setup = TableSetup("T1", "", {"east.rack": CellCalibration(400.0, 50_000.0, 12.0)})
    rig = Rig()
    rig.table = Table(setup)
    rig.run(5.0)
    assert {r.seat for r in rig.records if isinstance(r, CountChanged)} == {Seat.EAST}


def test_time_alone_says_nothing_of_a_table_that_was_never_heard() -> None:
    table = Rig().table
    assert [r for k in range(600) for r in table.advance(float(k))] == []


def test_a_clock_as_the_session_draws_it_dates_the_counts() -> None:
    """The rack's count is dated when the tiles came to rest, not when the message came."""
    rig = Rig().run(5.0)
    rig.tiles[Place.NORTH] = 12
    moved_s = rig.now_s
    rig.run(3.0)
    (change,) = [r for r in rig.records if isinstance(r, CountChanged) and r.seat is Seat.NORTH and r.previous == 13]
    assert change.count == 12
    assert moved_s <= change.at <= moved_s + 0.5
    assert change.known > change.at
    assert isinstance(rig.table.nodes.holder(Place.NORTH).clock.map, TickMap)  # type: ignore[union-attr]
