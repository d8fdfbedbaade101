"""The phases of a hand from counts alone: racks fill, tiles are passed, play begins, racks are swept.

Owns the hand's phase. Racks' counts -> **phases** -> deal, passes, start and end of play. Refuses to know turns: play
itself is read by `turns`; what a deal is knows `deal`, which passes were given and whether East has discarded knows
`charleston`.

    UNKNOWN --all racks empty for a while--> SETUP --tiles arrive--> DEALING --all full, or short and at rest--> PASSING
    PASSING --East's first discard--> PLAYING --mah jongg--> SHOWN --racks swept--> OVER --> SETUP
    PLAYING --it was a pass after all--> PASSING
    UNKNOWN --two whole turns, or discards that land--> PLAYING (`joining`: nobody knows whose turn it is)
"""

from enum import Enum, auto

from monitor.events import SEATS, Dealt, Event, HandEnd, HandEnded, HandStarted, Passed
from monitor.inference.charleston import Charleston, Evidence, Start
from monitor.inference.deal import LONG_TILES, WHOLE_DEAL, WHOLE_PASS, Deal, Dealing, Progress
from monitor.inference.passing import Given, Rules
from monitor.inference.racks import Rack

EMPTY_TILES = 2
"""So few tiles on every rack that is seen: no hand is there (a forgotten tile or two may lie on one)."""
EMPTY_REST_S = 1.5
"""When nothing is known, racks are empty after so long: tags that were there all along are heard within a second."""
CLEARED_S = 90.0
"""Racks that were not cleared so long after a hand's end: nobody knows what is played on them."""

OVERFULL_S = 0.8
"""More tiles than a rack should have in the passes are told after so long: a hand that brings tiles may lie there."""
UNDER_WAY_S = 5.0
"""And after so long while tiles are under way: the rest of a pass comes, or the own three leave. But a whole pass more
is what a seat has that received before it gave."""

UNPLAY_S = 40.0
"""So long after East's first discard it may prove to have been none."""
NO_PLAY = 0.2
"""It was none when so little of the probability holds that it was."""

FIRST_CHARLESTON = 3
"""Passes that are compulsory: play may begin after them (procedure)."""

SWEPT_TILES = 5
"""A rack that falls to this was swept, or its player walked off with it."""

SWEEP_S = 20.0
"""Two racks swept within this are the end of the hand."""


class Phase(Enum):
    """Where a hand stands."""

    UNKNOWN = auto()
    SETUP = auto()
    DEALING = auto()
    PASSING = auto()
    PLAYING = auto()
    SHOWN = auto()
    OVER = auto()


class Hand:
    """The phase of the hand at one table, from its racks.

    `dealt`: what each rack was dealt. `started`: East's first discard.
    """

    def __init__(self, racks: tuple[Rack, Rack, Rack, Rack]) -> None:
        self.racks = racks
        self.phase = Phase.UNKNOWN
        self.east: int | None = None
        self.dealt: tuple[int, ...] = (0, 0, 0, 0)
        self.dealt_s = 0.0
        self.started: Start | None = None
        self._deal: Deal | None = None
        self._charleston: Charleston | None = None
        self._passed: dict[Given, Passed] = {}
        self._struck: list[Passed] = []
        self._swept: dict[int, float] = {}
        self._over_s = 0.0

    @property
    def seen(self) -> list[int]:
        """Seats whose count is known."""
        return [k for k, rack in enumerate(self.racks) if rack.total is not None]

    def changed(self, seat: int, now_s: float) -> list[Event]:
        """A rack came to rest with another count; return what that tells of the hand."""
        rack = self.racks[seat]
        total = rack.total
        if total is None:
            return []
        told: list[Event] = []
        if self.phase is Phase.SETUP:
            told += self._filling(seat, total, rack.since_s, now_s)
        elif self._deal is not None:
            self._deal.changed(seat)
        elif self._charleston is not None and self.phase in {Phase.PASSING, Phase.PLAYING}:
            self._charleston.changed(seat, total, rack.since_s, now_s)
        told += self._sweeping(seat, total, rack.since_s, now_s)
        told += self.advance(now_s)
        return told

    def advance(self, now_s: float) -> list[Event]:
        """Time passes."""
        match self.phase:
            case Phase.UNKNOWN | Phase.SHOWN | Phase.OVER:
                if self._empty_at(now_s):
                    self._clear()
                elif self.phase is Phase.OVER and now_s - self._over_s > CLEARED_S:
                    self.phase = Phase.UNKNOWN
            case Phase.DEALING:
                return self._dealing(now_s)
            case Phase.PASSING | Phase.PLAYING:
                return self._passing(now_s)
            case Phase.SETUP:
                pass
        return []

    # what the racks say of the passes and of play

    @property
    def rounds(self) -> int:
        """Passes that all have given and racked."""
        return 0 if self._charleston is None else self._charleston.rounds

    @property
    def deciding(self) -> bool:
        """Whether it is open if East has discarded or passed a tile."""
        return self.phase is Phase.PASSING and self._charleston is not None and self._charleston.may_be_play

    def overfull(self, seat: int, now_s: float) -> bool:
        """Whether a rack has more than it should in the passes, and not for long: a hand, or a pass, may be there."""
        if self.phase is not Phase.PASSING or self._charleston is None:
            return False
        rack = self.racks[seat]
        more = (rack.total or 0) - self._charleston.bases[seat]
        partly = self._charleston.under_way and more != WHOLE_PASS
        return more > 0 and now_s - rack.since_s < (UNDER_WAY_S if partly else OVERFULL_S)

    def is_off(self, seat: int) -> bool:
        """Whether a rack has another number than between passes though all tiles seem to lie on the racks, or since the
        deal.

        That is a wrong number if it lies still, and nothing if it is being touched.
        """
        if self._charleston is None or self.phase is not Phase.PASSING or self.racks[seat].total == self.due(seat):
            return False
        since_deal = self.racks[seat].total == self.dealt[seat]
        return since_deal or (self._charleston.is_whole and not self.deciding)

    @property
    def looks_like_play(self) -> bool:
        """Whether the racks are as they are once East has discarded and another has picked, though nobody saw that.

        After the first Charleston that may have happened; four tiles given by East for three look the same.
        """
        if self.east is None or self.rounds < FIRST_CHARLESTON:
            return False
        totals = [rack.total for rack in self.racks]
        return totals[self.east] == 13 and sorted(n or 0 for n in totals) == [13, 13, 13, 14]

    def due(self, seat: int) -> int:
        """What a rack should hold between passes."""
        return 14 if seat == self.east else 13

    def in_motion(self, seat: int) -> bool:
        """Whether a rack has more or fewer tiles for a while, where that could be taken for a missing one.

        After a short deal the number of tiles that all have between passes is not known for sure.
        """
        charleston = self._charleston if self.phase is Phase.PASSING and sum(self.dealt) < WHOLE_DEAL else None
        return charleston is not None and charleston.moves(seat)

    def exceeds(self, seat: int) -> bool:
        """Whether a rack has more tiles than between passes."""
        return self._charleston is not None and (self.racks[seat].total or 0) > self._charleston.bases[seat]

    def start(self, now_s: float) -> Start | None:
        """East's first discard, once it is known."""
        if self.phase is not Phase.PASSING or self._charleston is None or self.east is None:
            return None
        return self._charleston.start(now_s)

    def weigh(self, evidence: Evidence) -> None:
        """Something beside the counts speaks for or against play."""
        if self._charleston is not None:
            self._charleston.weigh(evidence)

    def was_no_play(self, now_s: float) -> bool:
        """Whether what was taken for East's first discard proves to have been part of a pass."""
        if self.started is None or self._charleston is None or now_s - self.started.dropped_s > UNPLAY_S:
            return False
        return self._charleston.play_share < NO_PLAY

    def taken_back(self) -> list[Passed]:
        """Passes that were told and were none; each is returned once."""
        struck, self._struck = self._struck, []
        return struck

    # changes of phase from outside

    def play(self, started: Start | None = None) -> None:
        """Play has begun."""
        self.phase = Phase.PLAYING
        if started is not None:
            self.started = started

    def back_to_passing(self) -> None:
        """What looked like play was a pass."""
        self.phase = Phase.PASSING
        self.started = None

    def shown(self) -> None:
        """Mah jongg was declared."""
        self.phase = Phase.SHOWN

    def restart(self) -> None:
        """A new hand begins, whatever was before."""
        over = self.phase is Phase.OVER
        self._clear()
        self.phase = Phase.OVER if over else Phase.UNKNOWN

    def ended(self, now_s: float) -> None:
        """The hand is over: until the racks are cleared, what comes and goes is no play."""
        self._clear()
        self.phase = Phase.OVER
        self._over_s = now_s

    def _clear(self) -> None:
        self.phase = Phase.SETUP
        self.dealt = (0, 0, 0, 0)
        self.dealt_s = 0.0
        self.started = None
        self._deal = None
        self._charleston = None
        self._passed.clear()
        self._swept = {}

    # set-up and deal

    def _empty_at(self, now_s: float) -> bool:
        """Whether all racks that are seen are empty, and have been for long enough that it is no first look."""
        seen = [self.racks[k] for k in self.seen]
        return bool(seen) and all(
            (rack.total or 0) <= EMPTY_TILES
            and rack.resting
            and (self.phase is not Phase.UNKNOWN or now_s - rack.since_s > EMPTY_REST_S)
            for rack in seen
        )

    def _filling(self, seat: int, total: int, since_s: float, now_s: float) -> list[Event]:
        if total <= EMPTY_TILES:
            return []
        self.phase = Phase.DEALING
        self._deal = Deal(self.racks, since_s)
        self.east = seat
        # who is East shows only when the deal is over: a quick dealer's first four tiles may never rest
        return [HandStarted(at=since_s, seen_at=now_s)]

    def _dealing(self, now_s: float) -> list[Event]:
        if self._deal is None:
            return []
        dealing = self._deal.advance(now_s)
        if dealing.progress is Progress.FILLING:
            return []
        deal, self._deal = self._deal, None
        if dealing.progress is Progress.LOST:
            self.phase = Phase.UNKNOWN
            return []
        return self._dealt(dealing, deal, now_s)

    def _dealt(self, dealing: Dealing, deal: Deal, now_s: float) -> list[Event]:
        seen = deal.seen
        most = [k for k in seen if dealing.dealt[k] == (14 if 14 in dealing.dealt else LONG_TILES)]
        if len(most) == 1:
            self.east = most[0]
        elif len(seen) < len(self.racks):
            self.east = None  # the rack that was filled first is East's only among four
        self.phase = Phase.PASSING
        self.dealt, self.dealt_s = dealing.dealt, dealing.at_s
        due = [self.due(k) for k in range(4)]
        rules = Rules(
            self.east,
            frozenset(k for k in range(4) if k not in seen),
            frozenset(k for k in seen if dealing.dealt[k] < due[k]),
        )
        self._charleston = Charleston(dealing.dealt, rules, now_s, late=dealing.late)
        for k, rack in enumerate(self.racks):
            if rack.total is not None:
                self._charleston.changed(k, rack.total, rack.since_s, now_s)
        # a guess is good enough to wait for East's discard by, and not to say that East is short
        sure = self.east is not None and (len(most) == 1 or deal.first_is_east)
        east = SEATS[self.east] if sure and self.east is not None else None
        return [Dealt(at=self.dealt_s, seat=east, east=east, seen_at=now_s)]

    # passes, and the end

    def _passing(self, now_s: float) -> list[Event]:
        charleston = self._charleston
        if charleston is None:
            return []
        if self.phase is Phase.PLAYING:
            if self.started is None or now_s - self.started.dropped_s > UNPLAY_S:
                self._charleston = None
                return []
        elif self.east is None and sorted(rack.total or 0 for rack in self.racks) == [13, 13, 13, 14]:
            self.east = next(k for k, rack in enumerate(self.racks) if rack.total == 14)  # not seen at the deal
            charleston.east_is(self.east)
        charleston.advance(now_s, resting=all(rack.resting for rack in self.racks))
        news = charleston.news()
        self._struck += [self._passed.pop(given) for given in news.gone]
        for given in news.new:
            self._passed[given] = Passed(
                at=given.at_s, seat=SEATS[given.seat], to=SEATS[given.to], n=None, seen_at=now_s
            )
        return [self._passed[given] for given in news.new]

    def _sweeping(self, seat: int, total: int, since_s: float, now_s: float) -> list[Event]:
        if self.phase in {Phase.SETUP, Phase.DEALING, Phase.UNKNOWN, Phase.OVER}:
            return []
        if total > SWEPT_TILES:
            self._swept.pop(seat, None)
            return []
        self._swept.setdefault(seat, since_s)
        begun = [s for s in self._swept.values() if since_s - s < SWEEP_S]
        if len(begun) < min(2, len(self.seen)):
            return []
        how = {Phase.SHOWN: HandEnd.MAH_JONGG, Phase.PASSING: HandEnd.REDEAL}.get(self.phase, HandEnd.WALL)
        at_s = min(begun)
        self.ended(now_s)
        return [HandEnded(at=at_s, how=how, seen_at=now_s)]
