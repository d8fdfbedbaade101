"""Where each enrolled tile of one table is, from inventories and tag reads.

Owns the antennas of a table, who feeds whom, and what is asked from outside. Refuses to know turns, phases and rules:
it says that a tile rests on a slope, not that it was racked. Its place in the flow: deliveries -> **observations of
tiles** -> fusion and inference.

    node's readings ── rounds (`rfid_antenna`; reads become rounds in `rfid_stream`)
        └─ beliefs of the tiles they put in question (`rfid_belief`, with what is learned of silences, `rfid_silence`,
           │  and of tiles held in hands, `rfid_held`)
             └─ decisions (`rfid_moves`) with their dates (`rfid_dating`) -> `TileMoved`

Three designs were tried on generated hands in which present tags fall silent now and then: log-odds with forgetting,
SMURF's adaptive window, and this hidden Markov model with a learned law of silences. The first two took many resting
tiles for gone; only the last is kept.
"""

from collections.abc import Mapping

from msgspec import Struct

from firmware_bridge.messages import Antenna, Place
from firmware_bridge.session import Delivery
from hw.observations import SensorHealth, TileMoved, Unheard, Zone
from hw.rfid_antenna import SIBLING_OF_ANTENNA, AntennaWatch, Condition, Round
from hw.rfid_moves import TileMoves
from hw.rfid_stream import ReaderPace, ReadStream
from hw.rfid_unheard import TilesUnheard

MOVING_ABOVE = 0.1
"""A tile is in motion at a place while the probability that what is said of it is wrong exceeds this. Our choice."""
LONGEST_ROUND_S = 0.5
"""An inventory takes no longer than this: hobby stacks take 0.15-0.5 s a rack (research: RFID)."""
READER_GAP_S = 1.5
"""After a longer pause of a streaming reader, what it did not read meanwhile proves nothing. Our choice."""
TOLD_ONCE_S = 2.0
"""A reader that tells of a tag once is believed when it has said nothing more about it for so long. Our choice."""


class ZoneCount(Struct, frozen=True):
    """Enrolled tiles said to be at a place, how sure that number is, and how many tiles are in question there.

    `confidence` is 0 where an antenna of the place is silent or deaf, or there is none: the number cannot be known.
    """

    tiles: int
    confidence: float
    moving: int


class Doubt(Struct, frozen=True):
    """A tile in question that is, or was lately, said to be at a place.

    `here`: probability that it rests there now. `silent_since_s`: when the antenna it rested at heard it last.
    """

    uid: str
    zone: Zone | None
    here: float
    silent_since_s: float


class Rfid:
    """The RFID model of one table, fed with the deliveries of all its nodes. Deterministic; reads no clock."""

    def __init__(self, tiles: Mapping[str, str]) -> None:
        """`tiles`: enrolled uids and their faces (unused: a face says nothing about where a tile is)."""
        self._moves = TileMoves(tiles)
        self._enrolled = frozenset(tiles)
        self._unheard = TilesUnheard(self._moves.tiles.values())
        self._antennas: dict[tuple[Place, Antenna], AntennaWatch] = {}
        self._reported: dict[AntennaWatch, Condition] = {}
        self._streams: dict[AntennaWatch, ReadStream] = {}
        self._paces: dict[Place, ReaderPace] = {}
        self._read_until_s: dict[Place, float] = {}
        self._inventory_s: dict[Place, float] = {}
        """When the last inventory of a node's antennas ended: the next one begins then."""
        self.unknown_reads = 0
        """Reads of ids that are no enrolled tile: counted, never matched to one."""
        self.late_rounds = 0
        """Rounds dropped because they were no newer than what their antenna had said before."""

    def feed(self, delivery: Delivery) -> list[TileMoved | SensorHealth]:
        """Take one delivery; what it made certain, in order of knowledge.

        Of a node with a streaming reader give every delivery: one without reads says that there was nothing to read.
        """
        moves, clock = self._moves, delivery.clock
        moves.now_s = max(moves.now_s, delivery.arrived_s)
        for each in delivery.readings.inventory:
            antenna = self._antenna(delivery, each.antenna)
            heard = self._enrolled.intersection(each.uids)
            self.unknown_reads += len(each.uids) - len(heard)
            ended_s = clock.at(each.ticks)
            began_s = max(ended_s - LONGEST_ROUND_S, self._inventory_s.get(delivery.place, ended_s))
            self._inventory_s[delivery.place] = ended_s
            self._take(antenna, Round(min(began_s, ended_s), ended_s, heard, each.complete))
        if delivery.readings.reads or self._streams:
            self._read(delivery)
        moves.end_episodes()
        told: list[TileMoved | SensorHealth] = list(moves.told)
        moves.told.clear()
        return told

    def advance(self, now_s: float) -> list[TileMoved | Unheard | SensorHealth]:
        """Time has passed: what an antenna's silence makes known. Call it about once a second."""
        moves = self._moves
        moves.now_s = max(moves.now_s, now_s)
        moves.end_episodes()
        for antenna, stream in self._streams.items():
            if stream.pace.tells_once and antenna.open:
                moves.believe(antenna, TOLD_ONCE_S)
        told: list[TileMoved | Unheard | SensorHealth] = list(moves.told)
        moves.told.clear()
        told += [Unheard(place, likely, moves.now_s) for place, likely in self._unheard.changes(moves.now_s)]
        spread = moves.tag_spread()
        for antenna in self._antennas.values():
            antenna.tag_prior_readings = spread
            health = antenna.health(moves.now_s, self._reported[antenna])
            if health is not None:
                self._reported[antenna] = antenna.condition
                told.append(health)
        return told

    def count(self, place: Place, zone: Zone | None = None) -> ZoneCount:
        """Tiles said to be at `place`: on a zone of a rack (`Zone.RACK`: both), or on the discard floor (no zone)."""
        antennas = [a for a in self._antennas.values() if a.place is place and _belongs(a, zone)]
        tiles = moving = 0
        confidence = 1.0 if antennas else 0.0
        asked: set[str] = set()
        for antenna in antennas:
            tiles += len(antenna.expected)
            asked |= antenna.open
            if antenna.condition in (Condition.DEAF, Condition.SILENT):
                confidence = 0.0
        for uid in sorted(asked):
            tile = self._moves.tiles[uid]
            here = min(1.0, sum(map(tile.rest_at, antennas)))
            said = tile.home in antennas
            tiles += said
            confidence *= here if said else 1.0 - here
            moving += (here < 1.0 - MOVING_ABOVE) if said else (here > MOVING_ABOVE)
        return ZoneCount(tiles, confidence, moving)

    def doubts(self, place: Place) -> list[Doubt]:
        """The tiles in question that are said to be at `place`, or were until lately: for whoever knows the game."""
        found: list[Doubt] = []
        for antenna in self._antennas.values():
            if antenna.place is place:
                for uid in sorted(antenna.open):
                    tile = self._moves.tiles[uid]
                    if tile.anchor is antenna:
                        found.append(Doubt(uid, antenna.zone, min(1.0, tile.rest_at(antenna)), tile.silent_since_s))
        return found

    def _antenna(self, delivery: Delivery, antenna: Antenna) -> AntennaWatch:
        place, clock = delivery.place, delivery.clock
        watch = self._antennas.get((place, antenna))
        if watch is None:
            watch = AntennaWatch(len(self._antennas), place, antenna)
            self._antennas[place, antenna] = watch
            self._reported[watch] = Condition.WORKS
            pair = SIBLING_OF_ANTENNA[antenna]
            sibling = self._antennas.get((place, pair)) if pair is not None else None
            if sibling is not None:
                watch.sibling, sibling.sibling = sibling, watch
        watch.clock_early_s, watch.clock_late_s = clock.early_s, clock.late_s
        return watch

    def _take(self, antenna: AntennaWatch, each: Round) -> None:
        """One round: what it puts, or leaves, in question is thought about."""
        if not antenna.take(each):
            self.late_rounds += 1
            return
        expected, sibling = antenna.expected, antenna.sibling
        new = each.heard - expected
        missing = expected - each.heard
        if sibling is not None and each.complete and sibling.expected:
            antenna.learn_cross(len(sibling.expected), len(new & sibling.expected) if new else 0)
        if antenna.zone is not None:
            self._unheard.heard(antenna.place, new, each.host_s)
        if new or missing or antenna.open:
            self._moves.take(antenna, each, new, missing, antenna.judge(each, missing))

    def _read(self, delivery: Delivery) -> None:
        """The reads of a delivery, and the windows that its time closes."""
        clock = delivery.clock
        for each in delivery.readings.reads:
            antenna = self._antenna(delivery, each.antenna)
            stream = self._streams.get(antenna)
            if stream is None:
                pace = self._paces.setdefault(delivery.place, ReaderPace())
                stream = self._streams[antenna] = ReadStream(pace)
            if each.uid in self._enrolled:
                stream.add(clock.at(each.ticks), each.uid, each.rssi_dbm, antenna.expected)
            else:
                self.unknown_reads += 1
        until_s = clock.at(delivery.readings.ticks)
        whole = delivery.lost == 0 and until_s - self._read_until_s.get(delivery.place, until_s) < READER_GAP_S
        self._read_until_s[delivery.place] = until_s
        for antenna, stream in self._streams.items():
            if antenna.place is delivery.place:
                for window in stream.close(until_s, antenna.expected, whole):
                    self._take(antenna, window)


def _belongs(antenna: AntennaWatch, zone: Zone | None) -> bool:
    if zone is Zone.RACK:
        return antenna.zone is not None
    return antenna.zone is zone and antenna.antenna is not Antenna.WALL
