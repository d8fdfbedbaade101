"""From a table's deliveries to what guided calibration and enrolment take: samples of one cell, rounds of antennas.

Owns the choice of channel and antenna and the dates. Deliveries -> **setting up** -> `guided_calibration`, `enrolment`.
"""

from firmware_bridge.messages import Antenna, Channel, Place
from firmware_bridge.session import Delivery
from hw.hold import CellSample
from hw.tag_on_antenna import Heard

SILENT_STREAM_S = 0.5
"""A streaming reader that has read nothing for so long has made an empty round; our choice."""


def cell_samples(delivery: Delivery, place: Place, channel: Channel) -> list[CellSample]:
    """The samples of one cell in a delivery, on the host's clock."""
    if delivery.place is not place:
        return []
    at = delivery.clock.at
    return [CellSample(at(row.ticks), row.raw) for row in delivery.readings.weight if row.channel is channel]


class AntennaRounds:
    """Inventories, and reads as rounds, of the antenna that tiles are laid on (`here`) and of the table's others."""

    def __init__(self, place: Place, antenna: Antenna) -> None:
        self._here = (place, antenna)
        self._streams: dict[tuple[Place, Antenna], float] = {}

    def of(self, delivery: Delivery) -> list[Heard]:
        """The rounds that a delivery brings, in order of time."""
        readings, place, at = delivery.readings, delivery.place, delivery.clock.at
        rounds = [
            Heard(at(row.ticks), row.uids, row.complete, (place, row.antenna) == self._here)
            for row in readings.inventory
        ]
        now_s = at(readings.ticks)
        read: dict[Antenna, list[str]] = {}
        for one in readings.reads:
            read.setdefault(one.antenna, []).append(one.uid)
            self._streams.setdefault((place, one.antenna), now_s)
        for where, since_s in self._streams.items():
            if where[0] is not place:
                continue
            uids = read.get(where[1], [])
            if uids or now_s - since_s >= SILENT_STREAM_S:
                self._streams[where] = now_s
                rounds.append(Heard(now_s, tuple(dict.fromkeys(uids)), here=where == self._here))
        return sorted(rounds, key=lambda heard: heard.at_s)
