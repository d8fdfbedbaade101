"""All sensors of one table: deliveries of its nodes in, observations out.

Owns which cell, antenna and button a reading belongs to. Session -> **sensors** (weight, rfid, buttons) -> inference.
Refuses to know turns, phases and rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from firmware_bridge.messages import Antenna, Channel, Place, WeightSample
from firmware_bridge.session import Delivery
from hw.calibration import TableSetup
from hw.observations import CountSettled, Moment, Observation, Pressed, SensorHealth, TileMoved, Unheard, Zone
from hw.rfid import Rfid
from hw.weight import LoadCell

BOUNCE_S = 0.05
"""Edges of a button closer than this are one: contacts bounce for some milliseconds, going down and coming up."""

FIRST_LOOK_S = 1.0
HEARD_SHARE = 0.3
"""An antenna that hears a tile in fewer than this share of its rounds, for so long at first, lies under nothing: a
resting tile is heard in most rounds, and there are several a second. Our choice."""

_ZONES = {Antenna.SLOPE: Zone.SLOPE, Antenna.LEDGE: Zone.LEDGE}

FLOOR_LOOK_S = 0.5
"""A tile whose coming to the floor is dated so soon after the floor was first heard lay there before. Our choice."""


@dataclass(slots=True)
class _FirstLook:
    """What an antenna said since it began to listen: rounds, and those of them in which it heard an enrolled tile."""

    since_s: float
    rounds: int = 0
    heard: int = 0


class TableSensors:
    """The sensor models of a table. Feed it every delivery; readings without a calibration are counted and left."""

    def __init__(self, setup: TableSetup) -> None:
        self.uncalibrated = 0
        self._cells: dict[tuple[Place, Channel], LoadCell] = {}
        for key, calibration in setup.calibration.items():
            place, _, channel = key.partition(".")
            cell = LoadCell(Place(place), Zone(channel), calibration)
            self._cells[Place(place), Channel(channel)] = cell
        self._enrolled = frozenset(setup.tiles)
        self._rfid = Rfid(setup.tiles) if setup.tiles else None
        self._weighed = {place for place, _ in self._cells}
        self._looks: dict[tuple[Place, Antenna], _FirstLook] = {}
        self._looked: set[tuple[Place, Antenna]] = set()
        self._floor_since_s: float | None = None
        self._edge_s: dict[tuple[Place, str], float] = {}

    @property
    def rfid(self) -> Rfid | None:
        """The model of tags, where tiles are enrolled."""
        return self._rfid

    @property
    def cells(self) -> dict[tuple[Place, Channel], LoadCell]:
        """The load cells, by place and channel."""
        return self._cells

    def replaced(self, place: Place) -> None:
        """Another board speaks for a place: its cells may have another zero."""
        for (where, _), cell in self._cells.items():
            if where is place:
                cell.reboot()

    def feed(self, delivery: Delivery) -> list[Observation]:
        """Take one delivery of one node; return what its readings tell, in order of knowledge."""
        told: list[Observation] = []
        readings, place = delivery.readings, delivery.place
        if delivery.rebooted:
            self.replaced(place)
        if readings.weight or place in self._weighed:
            self._weigh(delivery, told)
        if self._rfid is not None:
            self._first_look(delivery, told)
            told.extend(each for each in _in_time(self._rfid.feed(delivery)) if not self._lay_there(each))
        for edge in readings.button:
            at_s = delivery.clock.at(edge.ticks)
            key = (place, edge.name)
            bounced = at_s - self._edge_s.get(key, at_s - 1.0) < BOUNCE_S
            if edge.pressed or key in self._edge_s:
                self._edge_s[key] = at_s
            if bounced or not edge.pressed:
                continue
            moment = Moment(at_s, at_s - delivery.clock.early_s, at_s + delivery.clock.late_s)
            told.append(Pressed(place, edge.name, moment, delivery.arrived_s))
        return told

    def advance(self, now_s: float) -> list[Observation]:
        """Let time pass: silence of antennas shows only so."""
        if self._rfid is None:
            return []
        return [each for each in _in_time(self._rfid.advance(now_s)) if not self._lay_there(each)]

    def _first_look(self, delivery: Delivery, told: list[Observation]) -> None:
        """A zone in which its antenna has heard next to nothing since it began to listen is empty: that is a count."""
        place, readings = delivery.place, delivery.readings
        if place is Place.FLOOR:
            if self._floor_since_s is None:
                self._floor_since_s = delivery.clock.at(readings.ticks)
            return
        looks = [(row.antenna, row.ticks, not self._enrolled.isdisjoint(row.uids)) for row in readings.inventory]
        looks += [(read.antenna, read.ticks, read.uid in self._enrolled) for read in readings.reads]
        if not looks and place not in self._weighed:
            looks = [(Antenna.SLOPE, readings.ticks, False)]  # a streaming reader has nothing to say of an empty rack
        for antenna, ticks, heard in looks:
            zone, key = _ZONES.get(antenna), (place, antenna)
            if zone is None or key in self._looked:
                continue
            look = self._looks.setdefault(key, _FirstLook(delivery.clock.at(ticks)))
            look.rounds += 1
            look.heard += heard
            if delivery.clock.at(ticks) - look.since_s <= FIRST_LOOK_S:
                continue
            self._looked.add(key)
            del self._looks[key]
            if look.heard < look.rounds * HEARD_SHARE:
                since = Moment(look.since_s, look.since_s, look.since_s)
                told.append(CountSettled(place, zone, 0, since, delivery.arrived_s))

    def _lay_there(self, told: TileMoved | Unheard | SensorHealth) -> bool:
        """Whether a tile on the discard floor is one that lay there when its antenna began to listen: no discard."""
        if not isinstance(told, TileMoved) or told.place is not Place.FLOOR or self._floor_since_s is None:
            return False
        return told.moment.at_s - self._floor_since_s < FLOOR_LOOK_S

    def _weigh(self, delivery: Delivery, told: list[Observation]) -> None:
        samples = delivery.readings.weight
        place = delivery.place
        channels: dict[Channel, list[WeightSample]] = {}
        for sample in samples:
            row = channels.get(sample.channel)
            if row is None:
                channels[sample.channel] = [sample]
            else:
                row.append(sample)
        for channel, row in channels.items():
            cell = self._cells.get((place, channel))
            if cell is None:
                self.uncalibrated += len(row)
            else:
                told.extend(cell.feed(row, delivery.clock, delivery.arrived_s))
        for (where, channel), cell in self._cells.items():
            if where is place and channel not in channels:
                told.extend(cell.unheard(delivery.clock.at(delivery.readings.ticks), delivery.arrived_s))


def _in_time(told: Sequence[TileMoved | Unheard | SensorHealth]) -> list[TileMoved | Unheard | SensorHealth]:
    """Moves that became known together, in the order in which they happened."""
    return sorted(told, key=_happened_s)


def _happened_s(told: TileMoved | Unheard | SensorHealth) -> float:
    match told:
        case TileMoved(moment=moment):
            return moment.at_s
        case Unheard(seen_s=seen_s):
            return seen_s
        case SensorHealth(at_s=at_s):
            return at_s
