"""The table is the unit: arrivals and time in, events and alerts out. Pure: reads no clock and does no I/O.

Owns the order in which a table's parts speak, the numbers of its events, and what a sick sensor says. Arrivals ->
sessions -> sensors -> tracker -> rules -> **records**. Live run, replay, tests and benchmark use this same object, so
the same arrivals give the same records.
"""

from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.arrival import Arrival
from firmware_bridge.messages import Input, Place
from firmware_bridge.nodes import (
    NodeBack,
    NodeElsewhere,
    NodeIntroduced,
    NodeSilent,
    Notice,
    PlaceContested,
    PlaceTakenOver,
    TableNodes,
)
from firmware_bridge.session import Delivery
from hw.calibration import TableSetup
from hw.observations import Observation, Quality, SensorHealth
from hw.sensors import TableSensors
from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.events import Corrected, Discarded, Event, Exposed, Seat, Tick
from monitor.inference.belief import Key
from monitor.inference.findings import Finding
from monitor.inference.inputs import event_of
from monitor.inference.tracker import Tracker
from monitor.rules.court import Count, Court
from monitor.rules.profile import LEAGUE, Profile

Record = Event | Alert

TICK_S = 0.25
"""The rules hear of the time at least so often."""

SILENT_S = 5.0
"""A node that says nothing for so long is silent: what its rack holds is unknown (nodes speak ten times a second)."""


class Numbers(Struct, frozen=True):
    """The last `seq` of a table's events and of its alert lines; numbers go on from there, and so do alerts' ids."""

    event: int = 0
    alert: int = 0


NONE_YET = Numbers()


class Table:
    """One table from arrivals to rulings."""

    def __init__(self, setup: TableSetup, profile: Profile = LEAGUE, last: Numbers = NONE_YET) -> None:
        """`last`: where records of this table end that were made before."""
        self._setup = setup
        self._nodes = TableNodes(silence_s=SILENT_S)
        self._sensors = TableSensors(setup)
        self._tracker = Tracker()
        self._court = Court(profile, setup.table, events=Count(last.event))
        self._alert_seq = last.alert
        self._published: set[str] = set()
        self._numbers: dict[Key, int] = {}
        self._faults: dict[tuple[Place, str], Alert] = {}
        self._fault_count = last.alert
        self._ticked_s = 0.0

    @property
    def last(self) -> Numbers:
        """The numbers of the last records made here."""
        return Numbers(self._court.events.last, self._alert_seq)

    @property
    def tracker(self) -> Tracker:
        """The table's tracker, for screens and tests."""
        return self._tracker

    @property
    def court(self) -> Court:
        """The rules at this table, and their reading of it."""
        return self._court

    @property
    def nodes(self) -> TableNodes:
        """The table's nodes and the conversations with them."""
        return self._nodes

    def feed(self, arrival: Arrival) -> list[Record]:
        """Take one arrival (in order of `at_s`); return the records it brings, numbered, in order of knowledge."""
        return self._publish(self._fed(arrival))

    def advance(self, now_s: float) -> list[Record]:
        """Let time pass to `now_s`; return what silence alone brings."""
        return self._publish(self._advanced(now_s))

    def _fed(self, arrival: Arrival) -> list[Record]:
        message = arrival.message
        if isinstance(message, Input):
            return self._input(arrival, message)
        if arrival.place is None:
            return []
        return self._heard(self._nodes.feed(arrival), arrival.at_s)

    def _advanced(self, now_s: float) -> list[Record]:
        records = self._heard(self._nodes.advance(now_s), now_s)
        for observation in self._sensors.advance(now_s):
            records += self._observe(observation, now_s)
        records += self._number(self._tracker.advance(now_s), now_s)
        if now_s - self._ticked_s >= TICK_S:
            self._ticked_s = now_s
            records += self._court.hear(Tick(at=now_s))
        return records

    def _publish(self, records: list[Record]) -> list[Record]:
        """Number the alert lines. What one moment's knowledge raises and takes back again was never an alert.

        Several findings become known at once, and the rules hear them one by one: between East's first discard and the
        count that goes with it, say, a rack looks wrong that is not.
        """
        if not any(isinstance(record, Alert) for record in records):
            return records
        last = {record.id: record.state for record in records if isinstance(record, Alert)}
        published: list[Record] = []
        for record in records:
            if isinstance(record, Alert):
                if record.id not in self._published and last[record.id] is AlertState.WITHDRAWN:
                    continue
                self._alert_seq += 1
                record = replace(record, seq=self._alert_seq)  # noqa: PLW2901
            published.append(record)
        self._published.update(id_ for id_, state in last.items() if state is not AlertState.WITHDRAWN)
        return published

    def _heard(self, news: list[Delivery | Notice], now_s: float) -> list[Record]:
        records: list[Record] = []
        for item in news:
            if isinstance(item, Delivery):
                for observation in self._sensors.feed(item):
                    records += self._observe(observation, now_s)
                continue
            health = _health_of(item)
            if health is not None:
                records += self._observe(health, now_s)
            if isinstance(item, PlaceTakenOver):
                self._sensors.replaced(item.place)
        return records

    def _observe(self, observation: Observation, now_s: float) -> list[Record]:
        records: list[Record] = []
        if isinstance(observation, SensorHealth):
            records += self._fault(observation)
        return records + self._number(self._tracker.observe(observation), now_s)

    def _input(self, arrival: Arrival, message: Input) -> list[Record]:
        if arrival.retained:
            return []
        seat = None if arrival.place in {None, Place.FLOOR} else Seat(str(arrival.place))
        event = event_of(message, seat, arrival.at_s)
        return self._number(self._tracker.input(event), arrival.at_s)

    def _number(self, findings: list[Finding], now_s: float) -> list[Record]:
        """Number what the tracker found and let the rules hear it."""
        records: list[Record] = []
        for finding in findings:
            event = finding.event
            if finding.struck:
                number = self._numbers.pop(finding.key, None)
                if number is None:
                    continue
                event = Corrected(at=event.at, seat=event.seat, replaces=number, struck=True, seen_at=now_s)
            elif finding.again:
                event = _corrected(event, self._numbers[finding.key])
            elif isinstance(event, Discarded) and event.uid is not None:
                event = replace(event, face=self._setup.tiles.get(event.uid))
            heard = self._court.hear(replace(event, table=self._setup.table))
            if not finding.struck:
                self._numbers[finding.key] = next(r.seq for r in heard if not isinstance(r, Alert))
            records += heard
        return records

    def _fault(self, health: SensorHealth) -> list[Record]:
        """A sensor's condition as a technical alert: raised once, resolved when it is well again."""
        key = (health.place, health.sensor)
        standing = self._faults.pop(key, None)
        where = f"{health.place.value} {health.sensor}"
        if health.quality is Quality.GOOD:
            if standing is None:
                return []
            message = f"The {where} is well again."
            return [replace(standing, state=AlertState.RESOLVED, message=message)]
        if standing is None:
            self._fault_count += 1
        alert = Alert(
            id=standing.id if standing else f"{self._setup.table}-sensor-{self._fault_count}",
            rule=Rule.SENSOR_FAULT,
            table=self._setup.table,
            seat=None if health.place is Place.FLOOR else Seat(health.place.value),
            at=health.at_s,
            raised_at=standing.raised_at if standing else health.at_s,
            article="",
            authority=Authority.LEAGUE,
            level=Level.TECHNICAL,
            message=f"The {where} is {health.quality.value}: {health.detail or 'no reading can be trusted'}.",
            state=AlertState.RAISED,
        )
        self._faults[key] = alert
        return [alert]


def _corrected(event: Event, number: int) -> Corrected:
    """What is told otherwise now, as the correction of the record with that number."""
    again = Corrected(
        at=event.at,
        earliest=event.earliest,
        latest=event.latest,
        confidence=event.confidence,
        seat=event.seat,
        replaces=number,
        seen_at=event.seen_at,
    )
    return replace(again, n=event.n) if isinstance(event, Exposed) else again


def _health_of(notice: Notice) -> SensorHealth | None:
    """What is said about a node, as the health of a sensor; `None` where it is no news of health."""
    match notice:
        case NodeSilent(place=place, since_s=since_s, seen_s=seen_s):
            return SensorHealth(place, "node", Quality.SILENT, seen_s, f"nothing heard for {seen_s - since_s:.0f} s")
        case NodeBack(place=place, seen_s=seen_s):
            return SensorHealth(place, "node", Quality.GOOD, seen_s, "heard again")
        case PlaceContested(place=place, node=node, rival=rival, seen_s=seen_s):
            detail = f"{rival} speaks for the place of {node} and is not listened to"
            return SensorHealth(place, "node name", Quality.INVALID, seen_s, detail)
        case NodeElsewhere(place=place, node=node, expected=expected, seen_s=seen_s):
            detail = f"{node} belongs to {expected.value}: are cables or names swapped?"
            return SensorHealth(place, "node name", Quality.INVALID, seen_s, detail)
        case PlaceTakenOver(place=place, node=node, previous=previous, seen_s=seen_s):
            return SensorHealth(place, "node name", Quality.REBOOTED, seen_s, f"{node} took over from {previous}")
        case NodeIntroduced():
            return None
        case _ as unreachable:
            assert_never(unreachable)
