"""Where each enrolled tile of one table is, from inventories and tag reads.

Owns the beliefs of all tiles, the decision that one has moved, and the health of the antennas. Refuses to know turns,
phases and rules: it says that a tile rests on a slope, not that it was racked. Its place in the flow:
deliveries -> **observations of tiles** -> fusion and inference.

A tile at rest that goes on being heard costs nothing: each round is compared with the set of tiles that rest at its
antenna, and only the differences, and tiles already in question, are thought about.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct

from firmware_bridge.messages import Antenna, Place
from firmware_bridge.session import Delivery
from hw.observations import Moment, SensorHealth, TileMoved, Zone
from hw.rfid_antenna import SIBLING_OF_ANTENNA, STRAY, TAG_PRIOR_READINGS, AntennaWatch, Condition, Round
from hw.rfid_belief import Candidate, TileBelief
from hw.rfid_dating import Clock, HeldTiles, Word, date_arrival, date_departure
from hw.rfid_silence import COMPANY_S, GONE_AFTER_S, SilenceLaw

ARRIVED = 0.99
"""Probability at which a tile is said to have come to rest somewhere. Our choice."""
BACK = 0.9
"""Probability at which a tile that left is said to be back at rest where it was: a tap is unlikely there. Our choice."""
DEPARTED = 0.99
"""Probability at which a tile is said to have left where it was. Our choice: silence alone is weak evidence, and waiting
for more would leave a discarded tile in the count for longer than the silences that would be mistaken."""
CLOSED = 0.9995
"""Probability at which a tile is out of question again. Our choice."""
CLOSED_AWAY = 0.9
FORGOTTEN_S = 1.5
"""A tile is away beyond question when it is believed so and nothing has heard it for so long. Our choice."""
PATIENCE_S = 2.4
DEPARTED_LATE = 0.7
"""A silence that has lasted so long must be called one or the other: then this probability suffices. Our choice."""
EPISODE_BELOW = 0.1
"""A silence is an episode, and no chance, when this little is left of the belief that the tile could be heard. Our choice."""
NEGLIGIBLE = 0.01
"""A candidate believed less than this is dropped once it is silent. Our choice."""
MOVING_ABOVE = 0.1
"""A tile counts as in motion at a place while its belief there is between this and one less this. Our choice."""
SPREAD_READINGS = 30.0
SPREAD_TAGS = 16
SPREAD_MOST = 40.0
"""How much tags differ is known once so many have so many readings; their mean is never worth more than this. Our choice."""
DATING_LEAD_S = 3.0
"""Dating looks back this long before the tile came into question. Our choice."""


class ZoneCount(Struct, frozen=True):
    """Enrolled tiles said to be at a place, how sure that number is, and how many tiles are in question there.

    `confidence` is 0 where an antenna of the place is silent or deaf: the number cannot be known.
    """

    tiles: int
    confidence: float
    moving: int


class _Episode(NamedTuple):
    """A silence that will be counted as a tile gone at `due_s`, unless it has ended by then."""

    due_s: float
    uid: str
    at: AntennaWatch
    since_s: float


class Rfid:
    """The RFID model of one table. Feed it the deliveries of all its nodes; deterministic, and clock-free but for these."""

    def __init__(self, tiles: Mapping[str, str]) -> None:
        """`tiles`: enrolled uids and their faces (unused: a face says nothing about where a tile is)."""
        self._tiles = {uid: TileBelief(uid) for uid in tiles}
        self._enrolled = frozenset(tiles)
        self._antennas: dict[tuple[Place, Antenna], AntennaWatch] = {}
        self._reported: dict[tuple[Place, Antenna], Condition] = {}
        self._law = SilenceLaw()
        self._held = HeldTiles()
        self._episodes: deque[_Episode] = deque()
        self._now_s = float("-inf")
        self.unknown_reads = 0
        """Reads of ids that are no enrolled tile: counted, never matched to one."""
        self.late_rounds = 0
        """Rounds dropped because they were no newer than what their antenna had said before."""

    def feed(self, delivery: Delivery) -> list[TileMoved | SensorHealth]:
        """Take one delivery; what it made certain, in order of knowledge."""
        out: list[TileMoved | SensorHealth] = []
        clock = delivery.clock
        self._now_s = max(self._now_s, delivery.arrived_s)
        for each in delivery.readings.inventory:
            antenna = self._antenna(delivery.place, each.antenna)
            antenna.clock_early_s, antenna.clock_late_s = clock.early_s, clock.late_s
            heard = self._enrolled.intersection(each.uids)
            self.unknown_reads += len(each.uids) - len(heard)
            self._take(antenna, Round(clock.at(each.ticks), heard, each.complete), out)
        self._end_episodes()
        return out

    def advance(self, now_s: float) -> list[TileMoved | SensorHealth]:
        """Time has passed: what an antenna's silence makes known. Call it about once a second."""
        self._now_s = max(self._now_s, now_s)
        out: list[TileMoved | SensorHealth] = []
        prior_readings = _spread([(t.tag_heard, t.tag_readings) for t in self._tiles.values()])
        for key, antenna in self._antennas.items():
            antenna.tag_prior_readings = prior_readings
            health = antenna.health(self._now_s, self._reported[key])
            if health is not None:
                self._reported[key] = antenna.condition
                out.append(health)
        return out

    def count(self, place: Place, zone: Zone | None = None) -> ZoneCount:
        """Tiles said to be at `place`: on a zone of a rack (`Zone.RACK`: both), or with no zone on the discard floor."""
        antennas = [a for a in self._antennas.values() if a.place is place and _belongs(a, zone)]
        tiles, moving = 0, 0
        confidence = 1.0
        asked: set[str] = set()
        for antenna in antennas:
            tiles += len(antenna.expected)
            asked |= antenna.open
            if antenna.condition in (Condition.DEAF, Condition.SILENT):
                confidence = 0.0
        for uid in sorted(asked):
            tile = self._tiles[uid]
            here = sum(map(tile.rest_at, antennas))
            said = tile.home in antennas
            tiles += said
            confidence *= here if said else 1.0 - here
            moving += MOVING_ABOVE < here < 1.0 - MOVING_ABOVE
        return ZoneCount(tiles, confidence if antennas else 0.0, moving)

    def _antenna(self, place: Place, antenna: Antenna) -> AntennaWatch:
        watch = self._antennas.get((place, antenna))
        if watch is None:
            watch = AntennaWatch(len(self._antennas), place, antenna)
            self._antennas[place, antenna] = watch
            self._reported[place, antenna] = Condition.WORKS
            pair = SIBLING_OF_ANTENNA[antenna]
            sibling = self._antennas.get((place, pair)) if pair is not None else None
            if sibling is not None:
                watch.sibling, sibling.sibling = sibling, watch
        return watch

    def _take(self, antenna: AntennaWatch, each: Round, out: list[TileMoved | SensorHealth]) -> None:
        """One round: think about the tiles that it puts, or leaves, in question."""
        if not antenna.take(each):
            self.late_rounds += 1
            return
        heard = each.heard
        expected = antenna.expected
        new = heard - expected
        missing = expected - heard
        sibling = antenna.sibling
        if sibling is not None and each.complete and sibling.expected:
            antenna.learn_cross(len(sibling.expected), len(new & sibling.expected) if new else 0)
        if not new and not missing and not antenna.open:
            return
        asked = (new | antenna.open | missing) if antenna.judge(each, missing) else new
        for uid in sorted(asked):
            tile = self._tiles[uid]
            if not tile.is_open:
                self._open(tile, antenna)
            self._hear(tile, antenna, uid in heard, each.host_s)
            self._decide(tile, out)

    def _open(self, tile: TileBelief, by: AntennaWatch) -> None:
        """The tile comes into question by the newest round of `by`."""
        tile.is_open = True
        tile.updated_s = by.previous_s
        tile.pending_heard = tile.pending_missed = tile.misses_in_row = 0
        anchor = tile.anchor
        tile.still, tile.hushed, tile.away = 0.0, 0.0, 1.0
        if anchor is None:
            return
        last_heard_s = anchor.previous_s if anchor is by else anchor.last_s
        rounds = anchor.rounds - tile.rested_from_rounds - (anchor is by)
        if rounds > 0:
            tile.learn(rounds, rounds)
            anchor.learn_heard(rounds, rounds)
            self._law.rested(last_heard_s - tile.rested_from_s)
        anchor.expected.discard(tile.uid)
        anchor.open.add(tile.uid)
        tile.candidates.append(Candidate(anchor, by.previous_s))
        tile.still, tile.away = CLOSED, 1.0 - CLOSED
        tile.sure_s = tile.silent_since_s = last_heard_s

    def _hear(self, tile: TileBelief, by: AntennaWatch, heard: bool, at_s: float) -> None:
        """One round's word about a tile in question."""
        if heard:
            tile.heard_s = at_s
            if tile.uid not in by.open:
                by.open.add(tile.uid)
                tile.candidates.append(Candidate(by, by.previous_s))
        tile.observe(by, heard, at_s, self._law)
        if len(tile.candidates) > 1:
            _prune(tile, at_s)
        if tile.anchor is not by:
            return
        if not heard:
            tile.pending_missed += 1
            tile.misses_in_row += 1
            if tile.still < EPISODE_BELOW and tile.home is by and by.silences.get(tile.uid) != tile.silent_since_s:
                by.silences[tile.uid] = tile.silent_since_s
                self._episodes.append(_Episode(at_s + GONE_AFTER_S, tile.uid, by, tile.silent_since_s))
            return
        if by.silences.get(tile.uid) == tile.silent_since_s:
            self._law.ended(at_s - tile.silent_since_s, self._companions(tile))
            del by.silences[tile.uid]
            tile.pending_missed -= tile.misses_in_row
        tile.pending_heard += 1
        tile.misses_in_row = 0
        tile.silent_since_s = at_s

    def _companions(self, tile: TileBelief) -> int:
        """How many other tiles of its anchor fell silent when this one did."""
        if tile.anchor is None:
            return 0
        since = tile.silent_since_s
        silences = tile.anchor.silences
        return sum(abs(other - since) <= COMPANY_S for other in silences.values()) - (tile.uid in silences)

    def _end_episodes(self) -> None:
        """Silences that have lasted long are tiles gone."""
        while self._episodes and self._episodes[0].due_s < self._now_s:
            episode = self._episodes.popleft()
            tile = self._tiles[episode.uid]
            if tile.anchor is episode.at and tile.silent_since_s == episode.since_s:
                self._law.gone(self._companions(tile))
                if tile.home is None:
                    tile.anchor = None
                    tile.away += tile.still + tile.hushed
                    tile.still = tile.hushed = 0.0
                    tile.misses_in_row = 0
            if episode.at.silences.get(episode.uid) == episode.since_s:
                del episode.at.silences[episode.uid]

    def _decide(self, tile: TileBelief, out: list[TileMoved | SensorHealth]) -> None:
        """Say what is decisive by now."""
        anchor = tile.anchor
        if tile.home is not None:
            if tile.still > CLOSED:
                self._close(tile)
                return
            stays = tile.still + tile.hushed
            if tile.still < EPISODE_BELOW:
                tiles = len(tile.home.expected) + len(tile.home.open)
                hushed = tile.hushed * self._law.doubt(self._companions(tile), tiles)
                stays = (tile.still + hushed) / (1.0 - tile.hushed + hushed)
            if stays < 1.0 - (DEPARTED if tile.updated_s - tile.silent_since_s < PATIENCE_S else DEPARTED_LATE):
                self._leave(tile, tile.home, 1.0 - stays, out)
        best: Candidate | None = None
        most = 0.0
        for candidate in tile.candidates:
            here = candidate.rest + candidate.faint
            if candidate.at is anchor:
                here += tile.still
            if here > most:
                best, most = candidate, here
        if best is None or (tile.home is not None and best.at is tile.home):
            if most > CLOSED:
                self._close(tile)
        elif most > (BACK if best.at is anchor else ARRIVED):
            if tile.home is not None:
                self._leave(tile, tile.home, most, out)
            self._arrive(tile, best, most, out)
        if (
            tile.anchor is None
            and tile.is_open
            and tile.away > CLOSED_AWAY
            and tile.updated_s - tile.heard_s > FORGOTTEN_S
        ):
            self._close(tile)

    def _close(self, tile: TileBelief) -> None:
        """The tile is out of question: it is where it is said to be."""
        tile.is_open = False
        for candidate in tile.candidates:
            candidate.at.open.discard(tile.uid)
        tile.candidates = []
        home = tile.home
        if home is None:
            return
        home.expected.add(tile.uid)
        tile.rested_from_rounds = home.rounds
        tile.rested_from_s = home.last_s
        readings = tile.pending_heard + tile.pending_missed
        tile.learn(readings, tile.pending_heard)
        home.learn_heard(readings, tile.pending_heard)

    def _leave(
        self, tile: TileBelief, home: AntennaWatch, confidence: float, out: list[TileMoved | SensorHealth]
    ) -> None:
        words = _words(tile, home, tile.sure_s - DATING_LEAD_S)
        cross = home.sibling.cross_rate if home.sibling is not None else STRAY
        moment = date_departure(words, tile.hearing_rate(home), cross, STRAY, self._held.share, float("inf"), _clock(home))
        tile.home = None
        tile.left_s = moment.earliest_s
        self._say(tile, moment, confidence, out)

    def _arrive(
        self,
        tile: TileBelief,
        to: Candidate,
        confidence: float,
        out: list[TileMoved | SensorHealth],
    ) -> None:
        at = to.at
        words = _words(tile, at, max(to.unlikely_s - DATING_LEAD_S, tile.left_s))
        prior = at.tag_prior_readings
        heard = prior * at.heard_rate + tile.tag_heard
        missed = prior * (1.0 - at.heard_rate) + tile.tag_readings - tile.tag_heard
        cross = at.sibling.cross_rate if at.sibling is not None else STRAY
        moment = date_arrival(words, heard, missed, cross, STRAY, self._held.share, tile.left_s, _clock(at))
        self._held.learn(words, moment.at_s)
        if tile.anchor is not None and tile.anchor is not at:
            self._law.gone(self._companions(tile))
        tile.home = tile.anchor = at
        if to.faint > to.rest:
            tile.be_faint()
        tile.still, tile.hushed, to.rest, to.faint = confidence, 0.0, 0.0, 0.0
        tile.sure_s = tile.silent_since_s = at.last_s
        tile.misses_in_row = tile.pending_heard = tile.pending_missed = 0
        self._say(tile, moment, confidence, out)

    def _say(self, tile: TileBelief, moment: Moment, confidence: float, out: list[TileMoved | SensorHealth]) -> None:
        home = tile.home
        place, zone = None, None
        if home is not None and home.antenna is not Antenna.WALL:
            place, zone = home.place, home.zone
        out.append(TileMoved(tile.uid, place, zone, moment, max(self._now_s, moment.at_s), min(confidence, 0.9999)))


def _prune(tile: TileBelief, now_s: float) -> None:
    """Forget antennas at which the tile is not believed, that have not heard it for a while."""
    kept = [
        c
        for c in tile.candidates
        if now_s - c.heard_s < FORGOTTEN_S or c.at is tile.anchor or c.rest + c.faint + c.touch + c.near > NEGLIGIBLE
    ]
    if len(kept) < len(tile.candidates):
        for candidate in tile.candidates:
            if candidate not in kept:
                candidate.at.open.discard(tile.uid)
                tile.away += candidate.rest + candidate.faint + candidate.touch + candidate.near
        tile.candidates = kept


def _belongs(antenna: AntennaWatch, zone: Zone | None) -> bool:
    if zone is Zone.RACK:
        return antenna.zone is not None
    return antenna.zone is zone and antenna.antenna is not Antenna.WALL


def _spread(tags: Iterable[tuple[float, float]]) -> float:
    """How many readings the mean of all tags is worth as a guess at one tag's rate (Beta-binomial, by moments).

    `tags`: rounds that heard each tag at rest, and all its rounds.
    """
    known = [(heard / readings, readings) for heard, readings in tags if readings >= SPREAD_READINGS]
    if len(known) < SPREAD_TAGS:
        return TAG_PRIOR_READINGS
    mean = sum(rate for rate, _ in known) / len(known)
    chance = mean * (1.0 - mean) * sum(1.0 / readings for _, readings in known) / len(known)
    spread = sum((rate - mean) ** 2 for rate, _ in known) / (len(known) - 1) - chance
    most = mean * (1.0 - mean)
    return min(SPREAD_MOST, max(TAG_PRIOR_READINGS, most / spread - 1.0 if spread > 0.0 else SPREAD_MOST))


def _clock(antenna: AntennaWatch) -> Clock:
    return Clock(antenna.clock_early_s, antenna.clock_late_s)


def _words(tile: TileBelief, at: AntennaWatch, from_s: float) -> list[Word]:
    """What the rounds of `at`, and the hearing of its sibling, say of the tile from `from_s` on."""
    found = _since(at, tile.uid, from_s, own=True)
    if at.sibling is not None:
        found += _since(at.sibling, tile.uid, from_s, own=False)
    found.sort()
    return found


def _since(antenna: AntennaWatch, uid: str, from_s: float, own: bool) -> list[Word]:
    """What the rounds that prove something say of a tile, from the last one before `from_s` on."""
    found: list[Word] = []
    for each in reversed(antenna.history):
        heard = uid in each.heard
        if heard or (own and each.complete):
            found.append(Word(each.host_s, own, heard))
            if each.host_s < from_s:
                break
    return found
