"""Where each enrolled tile of one table is, from inventories and tag reads.

Owns the beliefs of all tiles, the decision that one has moved, and the health of the antennas. Refuses to know turns,
phases and rules: it says that a tile rests on a slope, not that it was racked.
"""

from collections.abc import Mapping
from itertools import islice

from msgspec import Struct

from firmware_bridge.messages import Antenna, Place
from firmware_bridge.session import Delivery
from hw.observations import Moment, SensorHealth, TileMoved, Zone
from hw.rfid_antenna import STRAY, AntennaWatch, Round
from hw.rfid_belief import Candidate, TileBelief
from hw.rfid_dating import date_arrival, date_departure

DECIDED = 0.99
"""Probability at which a tile is said to have moved. Our choice."""
CLOSED = 0.9995
"""Probability at which a tile is out of question again. Our choice."""
MOVING_ABOVE = 0.1
"""A tile counts as in motion at a zone while its belief there is between this and one less this. Our choice."""
DATING_LEAD_S = 2.0
"""Dating looks back this long before the tile came into question. Our choice."""


def _rest(candidate: Candidate) -> float:
    return candidate.rest


class ZoneCount(Struct, frozen=True):
    """Enrolled tiles believed at a zone, how sure that number is, and how many tiles there are in question."""

    tiles: int
    confidence: float
    moving: int


class Rfid:
    """The RFID model of one table. Feed it deliveries of all its nodes; all methods are deterministic."""

    def __init__(self, tiles: Mapping[str, str]) -> None:
        self._tiles = {uid: TileBelief(uid) for uid in tiles}
        self._enrolled = frozenset(tiles)
        self._antennas: dict[tuple[Place, Antenna], AntennaWatch] = {}
        self._by_zone: dict[tuple[Place, Zone | None], AntennaWatch] = {}
        self._open: set[str] = set()
        self._early_s = 0.0
        self._late_s = 0.0
        self._seen_s = 0.0
        self.unknown_reads = 0
        """Reads of ids that are no enrolled tile, over all antennas."""
        self.late_rounds = 0
        """Rounds dropped because they were older than what their antenna had said before."""

    def feed(self, delivery: Delivery) -> list[TileMoved | SensorHealth]:
        """Take one delivery; what it made certain, in order of knowledge."""
        out: list[TileMoved | SensorHealth] = []
        clock = delivery.clock
        self._early_s, self._late_s = clock.early_s, clock.late_s
        self._seen_s = delivery.arrived_s
        for each in delivery.readings.inventory:
            antenna = self._antenna(delivery.place, each.antenna)
            self._take(antenna, clock.at(each.ticks), frozenset(each.uids), each.complete, out)
        return out

    def advance(self, now_s: float) -> list[TileMoved | SensorHealth]:
        """Time has passed; what silence made certain."""
        self._seen_s = max(self._seen_s, now_s)
        return []

    def count(self, place: Place, zone: Zone | None = None) -> ZoneCount:
        """Tiles believed on `zone` of `place`; for a seat, `Zone.RACK` is slope and ledge together."""
        antennas = [
            watch
            for watch in self._antennas.values()
            if watch.place is place and watch.antenna is not Antenna.WALL and (zone is Zone.RACK or watch.zone is zone)
        ]
        tiles, moving, confidence = 0, 0, 1.0
        asked: set[str] = set()
        for watch in antennas:
            tiles += len(watch.expected)
            asked |= watch.open
        for uid in sorted(asked):
            tile = self._tiles[uid]
            here = sum(tile.rest_at(watch) for watch in antennas)
            tiles += tile.home is not None and tile.home in antennas
            confidence *= max(here, 1.0 - here)
            moving += MOVING_ABOVE < here < 1.0 - MOVING_ABOVE
        return ZoneCount(tiles, confidence, moving)

    def _antenna(self, place: Place, antenna: Antenna) -> AntennaWatch:
        watch = self._antennas.get((place, antenna))
        if watch is None:
            watch = AntennaWatch(len(self._antennas), place, antenna)
            self._antennas[place, antenna] = watch
            pair = {Antenna.SLOPE: Antenna.LEDGE, Antenna.LEDGE: Antenna.SLOPE}.get(antenna)
            sibling = self._antennas.get((place, pair)) if pair else None
            if sibling is not None:
                watch.sibling, sibling.sibling = sibling, watch
        return watch

    def _take(
        self,
        antenna: AntennaWatch,
        at_s: float,
        uids: frozenset[str],
        complete: bool,
        out: list[TileMoved | SensorHealth],
    ) -> None:
        if at_s <= antenna.last_s:
            self.late_rounds += 1
            return
        heard = uids & self._enrolled
        self.unknown_reads += len(uids) - len(heard)
        antenna.previous_s, antenna.last_s = antenna.last_s, at_s
        antenna.history.append(Round(at_s, heard, complete))
        expected = antenna.expected
        new = heard - expected
        missing = expected - heard if complete else frozenset()
        if complete:
            antenna.rounds += 1
        if not new and not missing and not antenna.open:
            return
        asked = sorted(new | antenna.open | missing) if complete else sorted(new)
        for uid in asked:
            tile = self._tiles[uid]
            is_heard = uid in heard
            if not tile.is_open:
                self._reopen(tile, antenna)
            if is_heard and uid not in antenna.open:
                tile.candidates.append(Candidate(antenna, 0.0, antenna.previous_s))
                antenna.open.add(uid)
            tile.observe(antenna, is_heard, at_s)
            if tile.home is antenna:
                if is_heard:
                    tile.pending_heard += 1
                else:
                    tile.pending_missed += 1
            self._decide(tile, out)

    def _reopen(self, tile: TileBelief, by: AntennaWatch) -> None:
        tile.is_open = True
        self._open.add(tile.uid)
        before = by.previous_s if by.previous_s > float("-inf") else by.last_s - 0.1
        tile.updated_s = max(tile.updated_s, before)
        tile.pending_heard = tile.pending_missed = 0
        home = tile.home
        tile.candidates = []
        tile.away = 1.0
        if home is not None:
            quiet = home.rounds - tile.home_rounds - 1
            if quiet > 0:
                tile.learn(quiet, quiet)
                home.learn_heard(quiet, quiet)
            home.expected.discard(tile.uid)
            home.open.add(tile.uid)
            tile.candidates.append(Candidate(home, 0.0, before))
            tile.sure_s = before
            tile.still = CLOSED
            tile.away = 1.0 - CLOSED

    def _decide(self, tile: TileBelief, out: list[TileMoved | SensorHealth]) -> None:
        home = tile.home
        left: Moment | None = None
        if home is not None:
            if tile.still > CLOSED:
                self._close(tile)
                return
            if tile.still < 1.0 - DECIDED:
                left = self._leave(tile, 1.0 - tile.still, out)
                home = None
        best = max(tile.candidates, key=_rest, default=None)
        if best is not None and home is None and best.rest > DECIDED:
            arrived = self._arrival(tile, best, left)
            tile.home = best.at
            tile.still, best.rest = best.rest, 0.0
            tile.pending_heard = tile.pending_missed = 0
            self._say(tile, arrived, tile.still, out)
        elif (home is None and tile.away > CLOSED) or (home is not None and tile.rest_at(home) > CLOSED):
            self._close(tile)

    def _close(self, tile: TileBelief) -> None:
        tile.is_open = False
        self._open.discard(tile.uid)
        for candidate in tile.candidates:
            candidate.at.open.discard(tile.uid)
        tile.candidates = []
        home = tile.home
        if home is not None:
            home.expected.add(tile.uid)
            tile.home_rounds = home.rounds
            n = tile.pending_heard + tile.pending_missed
            if n:
                tile.learn(n, tile.pending_heard)
                home.learn_heard(n, tile.pending_heard)

    def _leave(self, tile: TileBelief, confidence: float, out: list[TileMoved | SensorHealth]) -> Moment:
        home = tile.home
        assert home is not None
        rounds = self._window(home, tile.sure_s)
        hearing = tile.hearing_rate(home)
        stray = max(STRAY, home.cross_rate)
        moment = date_departure(rounds, tile.uid, hearing, stray, float("inf"), self._early_s, self._late_s)
        tile.home = None
        tile.away += tile.still
        tile.still = 0.0
        self._say(tile, moment, confidence, out)
        return moment

    def _arrival(self, tile: TileBelief, candidate: Candidate, left: Moment | None) -> Moment:
        at = candidate.at
        rounds = self._window(at, candidate.unlikely_s)
        not_before = left.earliest_s if left is not None else float("-inf")
        return date_arrival(rounds, tile.uid, tile.hearing_rate(at), STRAY, not_before, self._early_s, self._late_s)

    def _window(self, antenna: AntennaWatch, since_s: float) -> list[Round]:
        start = since_s - DATING_LEAD_S
        history = antenna.history
        k = len(history)
        while k > 0 and history[k - 1].host_s >= start:
            k -= 1
        return list(islice(history, max(0, k - 1), None))

    def _say(self, tile: TileBelief, moment: Moment, confidence: float, out: list[TileMoved | SensorHealth]) -> None:
        home = tile.home
        on_table = home is not None and home.antenna is not Antenna.WALL
        place = home.place if home is not None and on_table else None
        zone = home.zone if home is not None and on_table else None
        out.append(TileMoved(tile.uid, place, zone, moment, max(self._seen_s, moment.at_s), min(confidence, 0.9999)))
