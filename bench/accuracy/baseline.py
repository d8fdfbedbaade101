"""The naive monitor beside which ours is shown: what an engineer wires up in an afternoon.

Weight: a moving average of one second, divided by the tile's weight and rounded. RFID: a tile is where the last
inventory (or the last second of reads) has it. A rack's number goes from 13 to 14: racked; back: discarded; three tiles
more on the ledge: exposed. Once all four racks have held 13 for a second East has discarded, and from then on a
number that is wrong for three seconds is an alarm. Times are those of arrival.

It knows decoding, calibration and enrolment as ours does, and nothing of node clocks, hands, Charleston or what tags
leave unsaid. It does not attempt what takes an idea of the deal (`missing_tile`, `redeal`). Nothing here is made worse
on purpose.
"""

from collections import deque
from collections.abc import Iterable

from msgspec.structs import replace

from firmware_bridge.messages import Antenna, ButtonName, Channel, Place, Readings
from firmware_bridge.received import Received
from firmware_bridge.routing import Router
from hw.calibration import TableSetup
from monitor.alerts import Alert, AlertState, Authority, Level, Rule, Verdict
from monitor.events import SEATS, CountChanged, Discarded, Event, Exposed, JokerExchanged, Racked, Seat

SMOOTHING_S = 1.0
ALARM_S = 3.0
EXPOSED_S = 1.0
"""A ledge that has not changed for so long is read."""
LEVEL_S = 1.0
"""All racks alike for so long: East's first discard."""
TOGETHER_S = 0.1
FULL = 13
_LEAST_EXPOSED = 3


class _Scale:
    """One cell: the mean of its last second, in tiles."""

    def __init__(self, counts_per_g: float, zero_counts: float, tile_g: float) -> None:
        self._per_tile = counts_per_g * tile_g
        self._zero = zero_counts
        self._samples: deque[tuple[float, int]] = deque()
        self._sum = 0

    def take(self, at_s: float, raw: int) -> None:
        """A sample, and the end of those that are older than a second."""
        self._samples.append((at_s, raw))
        self._sum += raw
        while self._samples[0][0] < at_s - SMOOTHING_S:
            self._sum -= self._samples.popleft()[1]

    @property
    def tiles(self) -> float:
        """What lies there, in tiles."""
        return (self._sum / len(self._samples) - self._zero) / self._per_tile if self._samples else 0.0


class _Rack:
    """One seat: what lies on it by its scales or its tags, and since when it is wrong."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.scales: dict[Channel, _Scale] = {}
        self.tags: dict[Antenna, frozenset[str]] = {}
        self.heard_s: dict[tuple[Antenna, str], float] = {}
        self.count = 0
        self.ledge: frozenset[str] | int = 0
        self.ledge_read: frozenset[str] | int = 0
        self.ledge_changed_s = 0.0
        self.wrong_since_s: float | None = None
        self.alarm: Alert | None = None

    def weighed(self) -> int | None:
        """Tiles by weight; None without scales."""
        return round(sum(scale.tiles for scale in self.scales.values())) if self.scales else None

    def present(self, antenna: Antenna) -> frozenset[str]:
        """Tags by antenna."""
        return self.tags.get(antenna, frozenset())

    def number(self) -> int:
        """Tiles: the scales are believed first."""
        weighed = self.weighed()
        return len(self.present(Antenna.SLOPE) | self.present(Antenna.LEDGE)) if weighed is None else weighed

    def on_ledge(self) -> frozenset[str] | int:
        """What lies on the ledge: its tags where it has an antenna, else a number where it has a scale."""
        if Antenna.LEDGE in self.tags:
            return self.tags[Antenna.LEDGE]
        scale = self.scales.get(Channel.LEDGE)
        return 0 if scale is None else round(scale.tiles)


class Baseline:
    """One table. Feed it readings in order of arrival."""

    def __init__(self, setup: TableSetup) -> None:
        self._table = setup.table
        self._enrolled = frozenset(setup.tiles)
        self._racks = {seat: _Rack(seat) for seat in SEATS}
        for key, cell in setup.calibration.items():
            place, _, channel = key.partition(".")
            scale = _Scale(cell.counts_per_g, cell.zero_counts, cell.tile_g)
            self._racks[Seat(place)].scales[Channel(channel)] = scale
        self._dealt = False
        self._playing = False
        self._level_since_s: float | None = None
        self._turn: Seat | None = None
        self._racked: Racked | None = None
        self._number = 0
        self._records: list[Event | Alert] = []

    @property
    def records(self) -> tuple[Event | Alert, ...]:
        """Everything that was told."""
        return tuple(self._records)

    def feed(self, at_s: float, place: Place, readings: Readings) -> None:
        """Take one node's readings."""
        if place is Place.FLOOR:
            return
        rack = self._racks[Seat(place.value)]
        for sample in readings.weight:
            scale = rack.scales.get(sample.channel)
            if scale is not None:
                scale.take(at_s, sample.raw)
        for row in readings.inventory:
            rack.tags[row.antenna] = frozenset(row.uids) & self._enrolled
        for read in readings.reads:
            if read.uid in self._enrolled:
                rack.heard_s[read.antenna, read.uid] = at_s
                rack.tags[read.antenna] = frozenset(
                    uid for (on, uid), s in rack.heard_s.items() if on is read.antenna and s >= at_s - SMOOTHING_S
                )
        self._counted(rack, at_s)
        self._exposed(rack, at_s)
        for edge in readings.button:
            if edge.pressed and edge.name is ButtonName.CALL:
                self._called(rack.seat, at_s)
        self._checked(at_s)

    def _counted(self, rack: _Rack, at_s: float) -> None:
        was, now = rack.count, rack.number()
        if now == was:
            return
        rack.count = now
        self._tell(CountChanged(at=at_s, seat=rack.seat, count=now, previous=was))
        self._dealt = self._dealt or all(one.count >= FULL for one in self._racks.values())
        if not self._dealt:
            return
        if (was, now) == (FULL, FULL + 1):
            self._turn = rack.seat
            self._racked = Racked(at=at_s, seat=rack.seat)
            self._tell(self._racked)
        elif (was, now) == (FULL + 1, FULL):
            self._racked = None
            self._tell(Discarded(at=at_s, seat=rack.seat))

    def _exposed(self, rack: _Rack, at_s: float) -> None:
        """Once the ledge has been still for a second: three tiles more, or as many but other ones."""
        now = rack.on_ledge()
        if now != rack.ledge:
            rack.ledge, rack.ledge_changed_s = now, at_s
        if rack.ledge == rack.ledge_read or at_s - rack.ledge_changed_s < EXPOSED_S:
            return
        more = _how_many(rack.ledge) - _how_many(rack.ledge_read)
        if self._dealt and more >= _LEAST_EXPOSED:
            self._tell(Exposed(at=rack.ledge_changed_s, seat=rack.seat, n=more, seen_at=at_s))
        elif self._dealt and more == 0 and self._turn is not None:
            self._tell(JokerExchanged(at=rack.ledge_changed_s, seat=self._turn, n=1, seen_at=at_s))
        rack.ledge_read = rack.ledge

    def _called(self, seat: Seat, at_s: float) -> None:
        racked = self._racked
        if racked is None or racked.seat is seat:
            return
        if at_s - racked.at > TOGETHER_S:
            self._raise(Rule.LATE_CALL, seat, at_s)
        else:
            self._raise(Rule.SIMULTANEOUS_CALL, seat, at_s, Verdict.SIMULTANEOUS)

    def _checked(self, at_s: float) -> None:
        """Alarm for each rack that has had a wrong number for three seconds; the last to rack may have one more."""
        if not all(rack.count == FULL for rack in self._racks.values()):
            self._level_since_s = None
        elif self._level_since_s is None:
            self._level_since_s = at_s
        elif at_s - self._level_since_s >= LEVEL_S:
            self._playing = True
        for rack in self._racks.values() if self._playing else ():
            if rack.count == FULL or (rack.count == FULL + 1 and rack.seat is self._turn):
                rack.wrong_since_s = rack.alarm = None
                continue
            if rack.wrong_since_s is None:
                rack.wrong_since_s = at_s
            if rack.alarm is None and at_s - rack.wrong_since_s >= ALARM_S:
                rack.alarm = self._raise(Rule.WRONG_COUNT, rack.seat, at_s)

    def _raise(self, rule: Rule, seat: Seat, at_s: float, verdict: Verdict | None = None) -> Alert:
        self._number += 1
        alert = Alert(
            id=f"naive-{self._number}",
            rule=rule,
            at=at_s,
            raised_at=at_s,
            article="",
            authority=Authority.LEAGUE,
            level=Level.RULING_DUE,
            message="",
            state=AlertState.RAISED,
            table=self._table,
            seat=seat,
            verdict=verdict,
        )
        self._records.append(alert)
        return alert

    def _tell(self, event: CountChanged | Racked | Discarded | Exposed | JokerExchanged) -> None:
        self._records.append(replace(event, seq=len(self._records) + 1))


def _how_many(ledge: frozenset[str] | int) -> int:
    return ledge if isinstance(ledge, int) else len(ledge)


def watched_naively(setup: TableSetup, received: Iterable[Received]) -> tuple[Event | Alert, ...]:
    """What the baseline tells of an evening."""
    baseline, router = Baseline(setup), Router(frozenset({setup.table}))
    for one in received:
        for arrival in router.route(one):
            if isinstance(arrival.message, Readings) and arrival.place is not None:
                baseline.feed(arrival.at_s, arrival.place, arrival.message)
    return baseline.records
