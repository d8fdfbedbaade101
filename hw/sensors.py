"""All sensors of one table: deliveries of its nodes in, observations out.

Owns which cell, antenna and button a reading belongs to. Session -> **sensors** (weight, rfid, buttons) -> inference.
Refuses to know turns, phases and rules.
"""

from firmware_bridge.messages import Antenna, Channel, Place, WeightSample
from firmware_bridge.session import Delivery
from hw.calibration import TableSetup
from hw.observations import CountSettled, Moment, Observation, Pressed, SensorHealth, TileMoved, Zone
from hw.rfid import Rfid
from hw.weight import LoadCell

BOUNCE_S = 0.05
"""Two presses of a button closer than this are one (contacts bounce for some milliseconds)."""

_ZONES = {Antenna.SLOPE: Zone.SLOPE, Antenna.LEDGE: Zone.LEDGE}


class TableSensors:
    """The sensor models of a table. Feed it every delivery; readings without a calibration are counted and left."""

    def __init__(self, setup: TableSetup) -> None:
        self.uncalibrated = 0
        self._cells: dict[tuple[Place, Channel], LoadCell] = {}
        for key, calibration in setup.calibration.items():
            place, _, channel = key.partition(".")
            cell = LoadCell(Place(place), Zone(channel), calibration)
            self._cells[Place(place), Channel(channel)] = cell
        self._rfid = Rfid(setup.tiles) if setup.tiles else None
        self._watched: set[tuple[Place, Antenna]] = set()
        self._pressed_s: dict[tuple[Place, str], float] = {}

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
        if readings.weight:
            self._weigh(delivery, told)
        if self._rfid is not None:
            self._first_look(delivery, told)
            told.extend(_in_time(self._rfid.feed(delivery)))
        for edge in readings.button:
            at_s = delivery.clock.at(edge.ticks)
            key = (place, edge.name)
            if not edge.pressed or at_s - self._pressed_s.get(key, at_s - 1.0) < BOUNCE_S:
                continue
            self._pressed_s[key] = at_s
            moment = Moment(at_s, at_s - delivery.clock.early_s, at_s + delivery.clock.late_s)
            told.append(Pressed(place, edge.name, moment, delivery.arrived_s))
        return told

    def advance(self, now_s: float) -> list[Observation]:
        """Let time pass: silence of antennas shows only so."""
        return [] if self._rfid is None else [*_in_time(self._rfid.advance(now_s))]

    def _first_look(self, delivery: Delivery, told: list[Observation]) -> None:
        """A rack that an antenna watches is empty until tags are heard there: that is a count, no ignorance."""
        place = delivery.place
        if place is Place.FLOOR:
            return
        readings = delivery.readings
        looks = [(row.antenna, row.ticks) for row in readings.inventory]
        looks += [(read.antenna, read.ticks) for read in readings.reads]
        for antenna, ticks in looks:
            zone = _ZONES.get(antenna)
            if zone is None or (place, antenna) in self._watched:
                continue
            self._watched.add((place, antenna))
            at_s = delivery.clock.at(ticks)
            told.append(CountSettled(place, zone, 0, Moment(at_s, at_s, at_s), delivery.arrived_s))

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


def _in_time(told: list[TileMoved | SensorHealth]) -> list[TileMoved | SensorHealth]:
    """Moves that became known together, in the order in which they happened."""
    return sorted(told, key=lambda t: t.moment.at_s if isinstance(t, TileMoved) else t.at_s)
