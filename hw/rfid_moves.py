"""When is a tile said to have moved: decisions over beliefs, and their dates.

Owns the beliefs of all tiles of a table and every decision about them. Refuses to know nodes, clocks' making and wires;
and of the game, everything. Its place in the flow: rounds of antennas -> **moves of tiles** -> observations.

A tile at rest that goes on being heard costs nothing: each round is compared with the set of tiles that rest at its
antenna, and only the differences, and tiles already in question, are thought about.
"""

from collections import deque
from collections.abc import Iterable, Set
from typing import NamedTuple

from firmware_bridge.messages import Antenna
from hw.observations import Moment, TileMoved
from hw.rfid_antenna import STRAY, TAG_PRIOR_READINGS, AntennaWatch, Round
from hw.rfid_belief import FAINT_HEARD, FAINT_READINGS, LONGEST_STEP_S, Candidate, TileBelief
from hw.rfid_dating import Clock, Hearing, Word, date_arrival, date_departure
from hw.rfid_held import HeldShare
from hw.rfid_silence import COMPANY_S, GONE_AFTER_S, SilenceLaw

ARRIVED = 0.99
"""Probability at which a tile is said to have come to rest somewhere. Our choice."""
ARRIVED_LATE = 0.95
ARRIVED_LATE_S = 2.5
"""The same for a tile that has been in question for so long: what a rack is taken to hold should not wait. Our
choice."""
BACK = 0.9
"""Probability at which a tile that left is said to be back at rest where it was: a tap is unlikely there. Our
choice."""
DEPARTED = 0.99
"""Probability at which a tile is said to have left where it was. Our choice."""
PATIENCE_S = 2.4
DEPARTED_LATE = 0.7
"""A silence that has lasted so long must be called one or the other: then this probability suffices. Our choice: a
count is looked at when a rack has been left alone for about two seconds, and by then a discarded tile should be out
of it. A marginal tag is never called gone on this weaker ground."""
DEPARTED_LONG = 0.5
"""One that has lasted so long that it is counted as a tile gone must be called so where that is likelier than not, of a
marginal tag too. Our choice."""
EPISODE_BELOW = 0.1
"""A silence is an episode, and no chance, when this little is left of the belief that the tile could be heard. Our
choice."""
EPISODE_MISSES = 3
"""So many misses of a silence that ended count as the tag's usual ones, the others to the silence. Our choice."""
QUALITY_PRIOR = 3.0
"""How many tiles heard as usual a round's quality is weighed with: few tiles tell little of it. Our choice."""
CLOSED = 0.9995
SETTLED = 0.998
CLOSED_AWAY = 0.9
FORGOTTEN_S = 1.5
"""How likely a tile out of question is where it is said to be; probability at which one is out of question again; and
for one that is away, and how long nothing has heard it then. Our choice."""
NEGLIGIBLE = 0.01
"""An antenna at which a tile is believed less than this is dropped once it is silent. Our choice."""
DATING_LEAD_S = 3.0
FAINT_LEAD_S = 8.0
"""Dating looks back this long before the tile came into question; and where its tag is weak. Our choice."""
BESIDE_RESTS = 0.5
"""How often the sibling hears a tile on its way from there to here, where it may still lie at first. Our choice."""
SPREAD_READINGS = 30.0
SPREAD_TAGS = 16
SPREAD_MOST = 40.0
"""How much tags differ is known once so many have so many readings; their mean is never worth more than this. Our
choice."""


class _Episode(NamedTuple):
    """A silence that will be counted as a tile gone at `due_s`, unless it has ended by then."""

    due_s: float
    uid: str
    at: AntennaWatch
    since_s: float


class TileMoves:
    """The tiles of one table. `told` collects what was decided, in order; whoever feeds rounds takes it out."""

    def __init__(self, uids: Iterable[str]) -> None:
        self.tiles = {uid: TileBelief(uid) for uid in uids}
        self.told: list[TileMoved] = []
        self.now_s = float("-inf")
        """Host time of the newest message: when what is decided now is known."""
        self._law = SilenceLaw()
        self._held = HeldShare()
        self._episodes: deque[_Episode] = deque()

    def take(self, antenna: AntennaWatch, each: Round, new: Set[str], missing: Set[str], silence_counts: bool) -> None:
        """One round that hears `new` tiles, which do not rest there, and not the `missing` ones, which do."""
        asked = (new | antenna.open | missing) if silence_counts else new | (antenna.open & each.heard)
        quality = self._quality(antenna, missing, each) if missing and silence_counts else 1.0
        for uid in sorted(asked):
            tile = self.tiles[uid]
            if not tile.is_open:
                self._open(tile, antenna)
            self._hear(tile, antenna, uid in each.heard, each.host_s, quality)
            self._decide(tile)

    def end_episodes(self) -> None:
        """Silences that have lasted long are tiles gone."""
        while self._episodes and self._episodes[0].due_s < self.now_s:
            _, uid, at, since_s = self._episodes.popleft()
            tile = self.tiles[uid]
            if tile.anchor is at and tile.silent_since_s == since_s:
                self._law.gone(self._companions(tile), float("inf"))
                gone = self._gone(tile, at) if tile.home is at else 0.0
                if gone > DEPARTED_LONG:
                    self._leave(tile, at, gone, float("inf"))
                if tile.home is None:
                    tile.anchor = None
                    tile.away += tile.still + tile.hushed
                    tile.still = tile.hushed = 0.0
                    tile.misses_in_row = 0
            if at.silences.get(uid) == since_s:
                del at.silences[uid]

    def believe(self, antenna: AntennaWatch, silent_for_s: float) -> None:
        """Where silence proves nothing, a tile last heard so long ago is where it was heard, or held, if likely."""
        for uid in sorted(antenna.open):
            tile = self.tiles[uid]
            if tile.home is antenna or self.now_s - tile.heard_s < silent_for_s:
                continue
            for candidate in tile.candidates:
                here = candidate.here + candidate.touch + candidate.near
                if candidate.at is antenna and here > 0.5:
                    self._move(tile, candidate, here)
                    self._close(tile)
                    break

    def tag_spread(self) -> float:
        """How many readings the mean of all tags is worth as a guess at one tag's rate (Beta-binomial, by moments)."""
        known = [
            (tile.tag_heard / tile.tag_readings, tile.tag_readings)
            for tile in self.tiles.values()
            if tile.tag_readings >= SPREAD_READINGS
        ]
        if len(known) < SPREAD_TAGS:
            return TAG_PRIOR_READINGS
        mean = sum(rate for rate, _ in known) / len(known)
        most = mean * (1.0 - mean)
        chance = most * sum(1.0 / readings for _, readings in known) / len(known)
        spread = sum((rate - mean) ** 2 for rate, _ in known) / (len(known) - 1) - chance
        return min(SPREAD_MOST, max(TAG_PRIOR_READINGS, most / spread - 1.0)) if spread > 0.0 else SPREAD_MOST

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

    def _quality(self, antenna: AntennaWatch, missing: Set[str], each: Round) -> float:
        """How much of its usual hearing the antenna had in this round: a hand over a rack weakens it for all tiles.

        Tiles that have been silent for a while bear no witness: they may be gone.
        """
        there, heard = len(antenna.expected), len(antenna.expected) - len(missing)
        for uid in antenna.open:
            tile = self.tiles[uid]
            if tile.anchor is antenna and tile.still > EPISODE_BELOW:
                there += 1
                heard += uid in each.heard
        return min(1.0, (heard + QUALITY_PRIOR) / (there * antenna.heard_rate + QUALITY_PRIOR))

    def _hear(self, tile: TileBelief, by: AntennaWatch, heard: bool, at_s: float, quality: float) -> None:
        """One round's word about a tile in question."""
        if heard:
            tile.heard_s = at_s
            if tile.uid not in by.open:
                by.open.add(tile.uid)
                tile.candidates.append(Candidate(by, by.previous_s))
        tile.observe(by, heard, at_s, self._law, self._held.mean, quality)
        if len(tile.candidates) > 1:
            _prune(tile, at_s)
        if tile.home is not by:
            return
        if not heard:
            tile.pending_missed += 1
            tile.misses_in_row += 1
            if tile.still < EPISODE_BELOW and by.silences.get(tile.uid) != tile.silent_since_s:
                by.silences[tile.uid] = tile.silent_since_s
                self._episodes.append(_Episode(at_s + GONE_AFTER_S, tile.uid, by, tile.silent_since_s))
            return
        if by.silences.get(tile.uid) == tile.silent_since_s:
            self._law.ended(at_s - tile.silent_since_s, self._companions(tile))
            del by.silences[tile.uid]
            tile.pending_missed -= max(0, tile.misses_in_row - EPISODE_MISSES)
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

    def _decide(self, tile: TileBelief) -> None:
        """Say what is decisive by now."""
        home, anchor = tile.home, tile.anchor
        best: Candidate | None = None
        most = 0.0
        for candidate in tile.candidates:
            here = candidate.here
            if candidate.at is anchor:
                here += tile.still
            if here > most:
                best, most = candidate, here
        if best is not None and best.at is home and most > self._settled(home) and tile.misses_in_row == 0:
            self._close(tile)
            return
        late = best is not None and tile.updated_s - best.unlikely_s > ARRIVED_LATE_S
        enough = ARRIVED_LATE if late else ARRIVED
        if best is not None and best.at is not home and most > (BACK if best.at is anchor else enough):
            self._move(tile, best, most)
        elif home is not None:
            gone = self._gone(tile, home)
            silent_s = tile.updated_s - tile.silent_since_s
            late = silent_s >= PATIENCE_S and not tile.is_marginal(home)
            if gone > (DEPARTED_LATE if late else DEPARTED):
                self._leave(tile, home, gone, float("inf"))
        elif tile.anchor is None and tile.away > CLOSED_AWAY and tile.updated_s - tile.heard_s > FORGOTTEN_S:
            self._close(tile)

    def _settled(self, home: AntennaWatch) -> float:
        """Probability at which a tile at home is out of question: of a slow reader no more can be asked than a round
        can say, for a tile may have been lifted since the one before, and is heard in a hand as well.
        """
        return min(SETTLED, 1.0 - self._law.lift_per_s * min(home.period_s, LONGEST_STEP_S))

    def _gone(self, tile: TileBelief, home: AntennaWatch) -> float:
        """Probability that the tile is not at home, given its company and that it is found nowhere else."""
        hushed = tile.hushed
        still = tile.rest_at(home) - hushed
        gone = 1.0 - still - hushed
        if tile.still < EPISODE_BELOW:
            companions = self._companions(tile)
            hushed *= self._law.doubt(companions, len(home.expected) + len(home.open))
            gone *= self._law.unfound(tile.updated_s - tile.silent_since_s, companions)
        return gone / (still + hushed + gone)

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

    def _move(self, tile: TileBelief, to: Candidate, confidence: float) -> None:
        """The tile rests at `to`: it left where it was, and came here."""
        at, home = to.at, tile.home
        faint = to.faint > to.rest + to.dull
        from_s = to.unlikely_s - (FAINT_LEAD_S if faint else DATING_LEAD_S)
        not_before_s = tile.left_s
        if home is not None:
            not_before_s = tile.sure_s if home.place is at.place else float("-inf")
        words = _words(tile, at, max(from_s, not_before_s))
        hearing = self._hearing(tile, at)
        if faint:
            hearing = hearing._replace(heard=FAINT_READINGS * FAINT_HEARD, missed=FAINT_READINGS * (1.0 - FAINT_HEARD))
        if words:
            moment, evidence = date_arrival(words, hearing, not_before_s, _clock(at))
            if tile.anchor is None or tile.anchor.place is not at.place:
                self._held.learn(hearing.held, evidence)
        else:
            moment = self._some_time(max(to.unlikely_s, not_before_s))
        if home is not None:
            self._leave(tile, home, confidence, moment.at_s)
        if tile.anchor is not None and tile.anchor is not at:
            self._law.gone(self._companions(tile), at.last_s - tile.silent_since_s)
        elif at.silences.get(tile.uid) == tile.silent_since_s:
            self._law.ended(max(0.0, to.unlikely_s - tile.silent_since_s), self._companions(tile))
            del at.silences[tile.uid]
        if faint:
            tile.be_faint()
        tile.home = tile.anchor = at
        tile.still, tile.hushed, to.rest, to.dull, to.faint = confidence, 0.0, 0.0, 0.0, 0.0
        tile.sure_s = tile.silent_since_s = at.last_s
        tile.misses_in_row = tile.pending_heard = tile.pending_missed = 0
        self._tell(tile, moment, confidence)

    def _leave(self, tile: TileBelief, home: AntennaWatch, confidence: float, not_after_s: float) -> None:
        """The tile left `home`; it came to rest elsewhere by `not_after_s`."""
        words = _words(tile, home, tile.sure_s - DATING_LEAD_S)
        hearing = self._hearing(tile, home)
        moment = self._some_time(tile.sure_s)
        if words:
            moment = date_departure(words, hearing, not_after_s, _clock(home)).moment
        tile.home = None
        tile.left_s = moment.earliest_s
        tile.pending_heard = tile.pending_missed = 0
        self._tell(tile, moment, confidence)

    def _some_time(self, since_s: float) -> Moment:
        """Where no round proves anything: at some time since then."""
        since_s = min(since_s, self.now_s) if since_s > float("-inf") else self.now_s
        return Moment((since_s + self.now_s) / 2, since_s, self.now_s)

    def _hearing(self, tile: TileBelief, at: AntennaWatch) -> Hearing:
        """How the tile is heard at `at`, for dating."""
        prior = at.tag_prior_readings
        heard = prior * at.heard_rate + tile.tag_heard
        missed = prior * (1.0 - at.heard_rate) + tile.tag_readings - tile.tag_heard
        cross = at.sibling.cross_rate if at.sibling is not None else STRAY
        held = self._held.asked()
        beside = BESIDE_RESTS if at.sibling is not None and tile.anchor is at.sibling else STRAY
        weights = [self._held.weights[k] for k in held]
        return Hearing(heard, missed, cross, STRAY, beside, held, weights, tile.anchor is at)

    def _tell(self, tile: TileBelief, moment: Moment, confidence: float) -> None:
        home = tile.home
        place, zone = None, None
        if home is not None and home.antenna is not Antenna.WALL:
            place, zone = home.place, home.zone
        seen_s = max(self.now_s, moment.at_s)
        self.told.append(TileMoved(tile.uid, place, zone, moment, seen_s, min(confidence, 0.9999)))


def _prune(tile: TileBelief, now_s: float) -> None:
    """Forget antennas at which the tile is not believed, that have not heard it for a while."""
    kept: list[Candidate] = []
    for each in tile.candidates:
        believed = each.here + each.touch + each.near
        if now_s - each.heard_s < FORGOTTEN_S or each.at is tile.anchor or believed > NEGLIGIBLE:
            kept.append(each)
        else:
            each.at.open.discard(tile.uid)
            tile.away += believed
    tile.candidates = kept


def _clock(antenna: AntennaWatch) -> Clock:
    return Clock(antenna.clock_early_s, antenna.clock_late_s)


def _words(tile: TileBelief, at: AntennaWatch, from_s: float) -> list[Word]:
    """What the rounds of `at` that prove something, and its sibling's between them, say of the tile from `from_s` on.

    The first is the last one before `from_s`.
    """
    uid = tile.uid
    own: list[Round] = []
    for each in reversed(at.history):
        if each.complete or uid in each.heard:
            own.append(each)
            if each.host_s < from_s:
                break
    beside = reversed(at.sibling.history) if at.sibling is not None else iter(())
    other = next(beside, None)
    found: list[Word] = []
    for k, each in enumerate(own):
        before_s = own[k + 1].host_s if k + 1 < len(own) else each.began_s
        heard = missed = 0
        while other is not None and other.host_s > before_s:
            if other.host_s <= each.host_s:
                if uid in other.heard:
                    heard += 1
                elif other.complete:
                    missed += 1
            other = next(beside, None)
        found.append(Word(each.began_s, each.host_s, uid in each.heard, heard, missed))
    found.reverse()
    return found
