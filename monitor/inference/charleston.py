"""The Charleston and the first turns of play as a search: which reading of the racks' counts fits best.

Owns the handful of readings that are kept, and what nearly all of them agree on: which seats have given, whether play
has begun. Counts -> **charleston** (asks `passing`) -> phases. Refuses to know sensors, tags and rules.

A tile that East's rack has lost may be the first discard, the first tile of another pass, one of a courtesy, or lifted
to be sorted. Each is a reading with its odds; every change of a rack branches them, time costs those that wait for
something, and the best `WIDTH` survive. The probability that play has begun is the share of the readings that hold so.
"""

from enum import Enum
from math import exp

from msgspec import Struct
from msgspec.structs import replace

from monitor.inference.beam import best_of
from monitor.inference.deal import WHOLE_DEAL, WHOLE_PASS
from monitor.inference.passing import Change, Given, Part, Reading, Rules, abroad, anew, readings, waiting

WIDTH = 40
"""Readings kept (our choice)."""
FAR_OFF = 12.0
"""A reading so much worse than the best is dropped (logarithm)."""

BEGUN = 0.96
"""Share that says that play has begun; a false start makes false rulings, a late one only late news."""
DOUBTFUL_S, BEGUN_IN_DOUBT = 7.0, 0.85
"""In doubt it is believed so late, with this share."""
OPEN = 0.03
"""Below this share nobody takes East's tile for a discard."""
GIVEN, NOT_GIVEN = 0.85, 0.3
"""A pass is told with this share, and taken back below that."""
ANEW_S = 1.0
"""All racks rest with all tiles for so long before a pass may be taken for over, however it was read."""
P_UNSEEN_PASS = (-4.0, -1.5)
"""A pass was given before the deal was known to be over; where that was late, the second (logarithm)."""
P_BOOKS = -4.0
"""All racks rest, and what they lack is not what should be under way: one of them is misread, or the reading is wrong
(logarithm)."""
STEP_S = 0.2
"""Time passes in steps of so much."""


class Evidence(Enum):
    """What speaks for play beside the counts, as the logarithm of its odds (our choice)."""

    LANDED = 12.0
    """A tile of East's was seen to land on the floor."""
    CALLED = 6.0
    """Somebody calls: buttons are pressed by mistake now and then."""
    PASSED_ON = -6.0
    """A tile was seen to go from slope to slope."""


class Start(Struct, frozen=True):
    """East's first discard left at `dropped_s`; just before, the racks rested with `rests`."""

    dropped_s: float
    rests: tuple[int, ...]


class News(Struct, frozen=True):
    """Passes that have become sure, and such as were told and are no longer."""

    new: list[Given]
    gone: list[Given]


class Charleston:
    """The passes of one hand, from its deal on."""

    def __init__(self, dealt: tuple[int, ...], rules: Rules, now_s: float, *, late: bool = False) -> None:
        self._rules = rules
        self._dealt = sum(dealt)
        self._now_s = now_s
        self._last = list(dealt)
        self._changed_s = now_s
        self._anew = False
        unseen = P_UNSEEN_PASS[late]
        self._beam = [Reading((Part(passes=n),) * 4, score=n * unseen) for n in range(3)]
        self._told: dict[tuple[int, int], Given] = {}
        self._told_of: list[Reading] | None = None
        self._shared: tuple[list[Reading], float] = ([], 0.0)
        self.bases = list(dealt)

    @property
    def rounds(self) -> int:
        """How many passes all have given and racked, by the best reading."""
        return min(p.passes for p in self._beam[0].parts)

    @property
    def play_share(self) -> float:
        """The probability that play has begun."""
        beam, share = self._shared
        if beam is not self._beam:  # it is asked for far more often than anything changes
            weights = [(exp(e.score), e.in_play) for e in self._beam]
            share = sum(w for w, plays in weights if plays) / sum(w for w, _ in weights)
            self._shared = self._beam, share
        return share

    def moves(self, seat: int) -> bool:
        """Whether a rack is a tile or two off what it has between passes because some are in a hand or under way.

        Three or more are plainly a pass, and so are fewer once it has been told that the seat gave: nobody takes them
        for a wrong number.
        """
        off = self._last[seat] - self.bases[seat]
        if off < 0 and (seat, self._beam[0].parts[seat].passes) in self._told:
            return False
        open_yet = self.under_way or self.may_be_play or self._beam[0].parts[seat].away > 0
        return 0 < abs(off) < WHOLE_PASS and open_yet

    def start(self, now_s: float) -> Start | None:
        """East's first discard, once that is sure enough."""
        best = next((e for e in self._beam if e.in_play), None)
        if best is None:
            return None
        share = self.play_share
        late = now_s - best.dropped_s > DOUBTFUL_S and share > BEGUN_IN_DOUBT
        return Start(best.dropped_s, best.rests) if share > BEGUN or late else None

    @property
    def may_be_play(self) -> bool:
        """Whether play may have begun."""
        return self.play_share > OPEN

    @property
    def under_way(self) -> bool:
        """Whether tiles of a pass are under way, by the best reading."""
        return not self._beam[0].still

    @property
    def is_whole(self) -> bool:
        """Whether as many tiles are on the racks as were dealt, or as should have been."""
        return self._dealt <= sum(self._last) <= max(self._dealt, WHOLE_DEAL)

    def changed(self, seat: int, total: int, at_s: float, now_s: float) -> None:
        """A rack rests with another total."""
        if seat in self._rules.unseen:
            self._appears(seat)
        tiles = total - self._last[seat]
        self._last[seat] = total
        if not tiles:
            return
        self.advance(now_s)
        self._changed_s, self._anew = now_s, False
        change = Change(seat, tiles, at_s, tuple(self._last))
        self._keep([one for e in self._beam for one in readings(e, change, self._rules)])
        self._begin_anew(resting=False)
        best = self._beam[0]
        whole = sum(self._last) in (self._dealt, min(self._dealt + 1, WHOLE_DEAL))
        if whole and best.still and not best.in_play and not any(p.away for p in best.parts):
            self.bases = list(self._last)

    def _appears(self, seat: int) -> None:
        """A rack is counted for the first time: by now it may hold another number than the one it was dealt."""
        rules = self._rules
        due = 14 if seat == rules.east else 13
        self._rules = replace(rules, unseen=rules.unseen - {seat})
        self._dealt += due
        self.bases[seat] = self._last[seat] = due

    def weigh(self, evidence: Evidence) -> None:
        """Something beside the counts speaks for or against play."""
        self._beam = best_of(
            [replace(e, score=e.score + evidence.value) if e.in_play else e for e in self._beam], WIDTH, FAR_OFF
        )

    def east_is(self, east: int) -> None:
        """Who is East has become known."""
        self._rules = replace(self._rules, east=east)

    def advance(self, now_s: float, *, resting: bool = False) -> None:
        """Let time pass. `resting`: all racks are at rest."""
        span_s = now_s - self._now_s
        if span_s >= STEP_S:
            self._now_s = now_s
            costs = [waiting(e, now_s, span_s, self._rules) for e in self._beam]
            self._beam = best_of(
                [replace(e, score=e.score + c) for e, c in zip(self._beam, costs, strict=True)], WIDTH, FAR_OFF
            )
        if resting and not self._anew and now_s - self._changed_s > ANEW_S:
            self._anew = True
            self._weigh_books()
            self._begin_anew(resting=True)

    def news(self) -> News:
        """Passes that are sure now, and told ones that are no more."""
        if self._told_of is self._beam:
            return News([], [])
        self._told_of = self._beam
        shares: dict[tuple[int, int], float] = {}
        first: dict[tuple[int, int], Given] = {}
        total = 0.0
        for e in self._beam:
            weight = exp(e.score)
            total += weight
            for g in e.given:
                key = (g.seat, g.index)
                shares[key] = shares.get(key, 0.0) + weight
                first.setdefault(key, g)
        new = [first[key] for key, share in shares.items() if share / total > GIVEN and key not in self._told]
        gone = [given for key, given in self._told.items() if shares.get(key, 0.0) / total < NOT_GIVEN]
        for given in new:
            self._told[given.seat, given.index] = given
        for given in gone:
            del self._told[given.seat, given.index]
        return News(sorted(new, key=lambda g: g.at_s), gone)

    def _weigh_books(self) -> None:
        """All racks rest: a reading whose tiles under way and in hands are not those that the racks lack is wrong."""
        least = self._dealt - sum(self._last)
        most = least + len(self._rules.short)  # who was dealt too few may have taken what was missing
        beam = [
            e if e.in_play or least <= abroad(e, self._rules) <= most else replace(e, score=e.score + P_BOOKS)
            for e in self._beam
        ]
        self._beam = best_of(beam, WIDTH, FAR_OFF)

    def _begin_anew(self, *, resting: bool) -> None:
        """Where all tiles are on the racks a pass may be over, however it was read."""
        if sum(self._last) == self._dealt:
            under_way = [e for e in self._beam if not e.in_play and not e.still]
            self._beam = best_of(
                self._beam + [anew(e, self._changed_s, resting=resting) for e in under_way], WIDTH, FAR_OFF
            )

    def _keep(self, grown: list[Reading]) -> None:
        self._beam = best_of(grown, WIDTH, FAR_OFF)
