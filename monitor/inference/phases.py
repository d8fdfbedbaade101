"""The phases of a hand from counts alone: racks fill, tiles are passed, play begins, racks are swept.

Owns the hand's phase. Racks' counts -> **phases** -> deal, passes, start and end of play. Refuses to know turns: play
itself is read by `turns`.

    UNKNOWN --all racks empty for a while--> SETUP --tiles arrive--> DEALING --all full, or short and at rest--> PASSING
    PASSING --East one fewer, the others as they were--> PLAYING --mah jongg--> SHOWN --racks swept--> OVER --> SETUP
    UNKNOWN --tiles come and go one at a time--> PLAYING (late start: nobody knows whose turn it is)
"""

from enum import Enum, auto

from monitor.events import SEATS, Dealt, Event, HandEnd, HandEnded, HandStarted, Passed, Seat
from monitor.inference.racks import Rack

EMPTY_TILES = 2
"""So few tiles on every rack that is seen: no hand is there (a forgotten tile or two may lie on one)."""
EMPTY_REST_S = 1.5
"""When nothing is known, racks are empty after so long: tags that were there all along are heard within a second."""
CLEARED_S = 90.0
"""Racks that were not cleared so long after a hand's end: nobody knows what is played on them."""

SHORT_TILES, LONG_TILES = 11, 15
"""A deal in error is off by a tile or two on a rack; more is still being dealt, or passed already."""

COMPLETE_REST_S = 0.6
"""A complete deal is told after so long without another tile."""

SHORT_REST_S = 15.0
"""An incomplete deal is believed after so long without another tile: sorting and chatting come first (our choice)."""

DEAL_LOST_S = 45.0
"""So long after the last tile came nobody can tell any more what was dealt: the passes are under way unseen."""

SHORT_STILL_S = 3.0
"""And all racks must rest together so long."""

NO_EAST_S = 25.0
"""Where nobody has fourteen, East is short: that is believed later still."""

GIVEN_S = 1.5
"""A rack that rests so long with fewer tiles gave them away; a shorter dip was sorting."""

BOUNDARY_REST_S = 1.0
"""Between passes all racks rest so long with the counts they should have."""

DOUBTED_REST_S = 9.0
"""With other counts they must rest longer, or come back to the same counts after another round: a tile may be held."""

OVERFULL_S = 0.8
"""More tiles than a rack should have in the passes are told after so long: a hand that brings tiles may lie there."""

PICKED_S = 8.0
"""Who has picked discards again within about so long; a tile too many of a pass stays (our choice)."""

MOST_OFF = 2
"""A pass in error leaves a rack off by a tile or two; three are a whole pass on its way."""

PASS_SPREAD_S = 8.0
"""Players of one pass give their tiles within about so long of each other."""

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
    """The phase of the hand at one table, from its racks."""

    def __init__(self, racks: tuple[Rack, Rack, Rack, Rack]) -> None:
        self.racks = racks
        self.phase = Phase.UNKNOWN
        self.east: int | None = None
        self.dealt: list[int] = [0, 0, 0, 0]
        self.dealt_s = 0.0
        self.boundary: list[int] = [0, 0, 0, 0]
        self.boundary_s = 0.0
        self.rest: list[int] = [0, 0, 0, 0]
        self.rest_s = 0.0
        self.dropped_s: float | None = None
        self._east_gave = False
        self.rounds = 0
        self._risen_s = 0.0
        self._short: list[int] | None = None
        self._short_s = 0.0
        self._dipped_s: list[float | None] = [None] * 4
        self._below_s: list[float] = [0.0] * 4
        self._fell: list[tuple[int, int]] = [(0, 0)] * 4  # what each rack held before it last began to fall, and holds
        self._doubted: list[list[int]] = []
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
        match self.phase:
            case Phase.SETUP:
                told += self._filling(seat, total, rack.since_s, now_s)
            case Phase.DEALING:
                if total > self.dealt[seat] and total <= 14:
                    self.dealt[seat] = total
                    self._risen_s = max(self._risen_s, rack.since_s)
            case Phase.PASSING:
                if seat == self.east:
                    self._east_changed(total, rack.since_s)
                high, last = self._fell[seat]
                if last > total <= high - 2:
                    self._dipped_s[seat] = rack.since_s  # the last time: what fell before was sorted, and came back
            case Phase.UNKNOWN | Phase.PLAYING | Phase.SHOWN | Phase.OVER:
                pass
        high, last = self._fell[seat]
        self._fell[seat] = (high if total <= last else total, total)
        told += self._sweeping(seat, total, rack.since_s, now_s)
        told += self.advance(now_s)
        return told

    def advance(self, now_s: float) -> list[Event]:
        """Time passes."""
        if self.phase in {Phase.UNKNOWN, Phase.SHOWN, Phase.OVER}:
            if self._empty_at(now_s):
                self._clear()
            elif self.phase is Phase.OVER and now_s - self._over_s > CLEARED_S:
                self.phase = Phase.UNKNOWN
            return []
        if self.phase is Phase.DEALING:
            return self._dealing(now_s)
        if self.phase is Phase.PASSING:
            return self._passing(now_s)
        return []

    @property
    def deciding(self) -> bool:
        """Whether East has a tile fewer and it is not known yet whether it was discarded or passed."""
        east = self.east
        return (
            self.phase is Phase.PASSING
            and self.dropped_s is not None
            and east is not None
            and self.racks[east].total == self.rest[east] - 1
        )

    def passed_on(self, seat: int, now_s: float) -> None:
        """A tile of `seat` came onto another slope: it was passed."""
        self._below_s[seat] = now_s
        if seat == self.east:
            self.dropped_s = None

    def overfull(self, seat: int, now_s: float) -> bool:
        """Whether a rack has more than it should in the passes, and not for long: a hand may be there."""
        rack = self.racks[seat]
        more = self.phase is Phase.PASSING and (rack.total or 0) > self.boundary[seat]
        return more and now_s - rack.since_s < OVERFULL_S

    def may_have_picked(self, seat: int, now_s: float) -> bool:
        """Whether East has a tile fewer and this rack one more, not for long: that is how play looks as it begins."""
        east = self.east
        if self.phase is not Phase.PASSING or east is None or seat == east:
            return False
        fewer = self.racks[east].total == self.rest[east] - 1
        more = self.racks[seat].total == self.rest[seat] + 1
        return fewer and more and now_s - self.racks[seat].since_s < PICKED_S

    def passed_since(self, since_s: float, seat: int) -> bool:
        """Whether another rack gave tiles around or after `since_s`: a pass is under way.

        One tile is enough across from East, where a courtesy pass would go.
        """
        return any(s > max(self.rest_s, since_s - PASS_SPREAD_S) for k, s in enumerate(self._below_s) if k != seat)

    def play(self) -> None:
        """Play has begun."""
        self.phase = Phase.PLAYING

    def back_to_passing(self, dipped: list[int]) -> None:
        """What looked like play was a pass: `dipped` are the seats whose tiles have left."""
        self.phase = Phase.PASSING
        for k in dipped:
            self._dipped_s[k] = self.racks[k].since_s

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
        self.dealt = [0, 0, 0, 0]
        self.dealt_s = 0.0
        self._short = None
        self.rounds = 0
        self._dipped_s = [None] * 4
        self.dropped_s = None
        self._doubted = []
        self._swept = {}

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
        self.dealt = [rack.total or 0 for rack in self.racks]
        self._risen_s = since_s
        self.east = seat
        # who is East shows only when the deal is over: a quick dealer's first four tiles may never rest
        return [HandStarted(at=since_s, seen_at=now_s)]

    def _dealing(self, now_s: float) -> list[Event]:
        """The deal is over when all racks rest with what they should have, or long with less."""
        seen = self.seen
        if not seen:
            return []
        totals = [rack.total or 0 for rack in self.racks]
        full = [totals[k] for k in seen]
        fourteen = [k for k in seen if totals[k] == 14]
        since_s = max(self.racks[k].since_s for k in seen)
        complete = all(n >= 13 for n in full) and (len(seen) < 4 or (sum(full) == 53 and len(fourteen) == 1))
        if now_s - self._risen_s > DEAL_LOST_S:
            self.phase = Phase.UNKNOWN
            return []
        if complete:
            if now_s - since_s < COMPLETE_REST_S:
                return []
        else:
            short = self._short_deal(totals, since_s, now_s)
            if short is None:
                return []
            totals = short
            fourteen = [k for k in seen if totals[k] == 14]
        if len(fourteen) == 1:
            self.east = fourteen[0]
        elif len(seen) < len(self.racks):
            self.east = None  # the rack that was filled first is East's only among four
        self.phase = Phase.PASSING
        self.dealt = totals
        self.dealt_s = max(self._risen_s, since_s) if complete else self._short_s
        self.boundary = list(totals)
        self.boundary_s = since_s
        self.rest, self.rest_s = list(totals), now_s
        self._dipped_s = [None] * 4
        east = None if self.east is None else SEATS[self.east]
        return [Dealt(at=self.dealt_s, seat=east, east=east, seen_at=now_s)]

    def _east_changed(self, total: int, since_s: float) -> None:
        """East's rack came to rest otherwise: one tile fewer may be the first discard, unless it gave a pass before."""
        if total >= self.rest[self.east or 0]:
            self.dropped_s = None
            self._east_gave = False
        elif total == self.rest[self.east or 0] - 1 and self.dropped_s is None and not self._east_gave:
            self.dropped_s = since_s

    def _short_deal(self, totals: list[int], since_s: float, now_s: float) -> list[int] | None:
        """What the racks had while all rested together, where that was too few or too many and stayed so for long.

        Sorting may have begun since: a dip does not change what was dealt, another tile does.
        """
        seen = self.seen
        full = [totals[k] for k in seen]
        plausible = min(full) >= SHORT_TILES and max(full) <= LONG_TILES and sum(n != 13 for n in full) <= 3
        # a rack whose count surprises must rest; the others may be sorted meanwhile
        sure = all(self.racks[k].resting for k in seen if totals[k] not in (13, 14))
        if plausible and sure and now_s - since_s > SHORT_STILL_S:
            self._short, self._short_s = list(totals), since_s
        if self._short is None:
            return None
        if any(totals[k] > self._short[k] for k in seen):
            self._short = None
            return None
        passed = any(
            self.racks[k].resting and totals[k] <= self._short[k] - 3 and now_s - self.racks[k].since_s > GIVEN_S
            for k in seen
        )
        waited_s = now_s - self._risen_s
        enough = waited_s > (SHORT_REST_S if 14 in self._short else NO_EAST_S)
        return self._short if passed or enough else None

    def _passing(self, now_s: float) -> list[Event]:
        if self.east is None and sorted(rack.total or 0 for rack in self.racks) == [13, 13, 13, 14]:
            self.east = next(k for k, rack in enumerate(self.racks) if rack.total == 14)  # not seen at the deal
        for k, rack in enumerate(self.racks):
            across = self.east is not None and k == (self.east + 2) % 4
            given = rack.total is not None and rack.total <= self.rest[k] - (1 if across else 2)
            if given and rack.resting and now_s - rack.since_s > GIVEN_S:
                self._below_s[k] = now_s
                if k == self.east:
                    self._east_gave = True
                    self.dropped_s = None
        totals = [rack.total or 0 for rack in self.racks]
        if len(self.seen) < 4:
            return []
        complete = sum(totals) == 53 and self.east is not None and totals[self.east] == 14 and min(totals) == 13
        if complete and sum(self.dealt) != 53:
            self.dealt = list(totals)  # a rack that was not seen at the deal, or North took the missing tile
        if not (complete or totals == self.boundary or all(rack.resting for rack in self.racks)):
            return []
        due = sum(self.dealt)
        if sum(totals) not in (due, due + 1 if due < 53 else due):
            return []
        if any(abs(n - m) > MOST_OFF for n, m in zip(totals, self.dealt, strict=True)):
            return []  # tiles of a pass lie on a rack that has yet to give its own
        gave = sum(s > self.rest_s for s in self._below_s)
        if totals != self.rest and sum(totals) == sum(self.rest) and (gave < 2 or self.dropped_s is not None):
            return []  # East's discard and the next pick leave the sum as it was
        self.rest, self.rest_s = totals, now_s
        self.dropped_s = None
        since_s = max(rack.since_s for rack in self.racks)
        rest_s = now_s - since_s
        if complete and totals != self.boundary and any(d is None for d in self._dipped_s):
            self.boundary, self.boundary_s = totals, since_s
        if totals == self.boundary and any(d is None for d in self._dipped_s):
            return []
        if any(d is None for d in self._dipped_s):
            if sum(totals) == due + 1 and totals != self.boundary and rest_s > BOUNDARY_REST_S:
                self.boundary = totals  # the missing tile was taken
            return []
        if totals != self.boundary and rest_s < DOUBTED_REST_S:
            if rest_s < BOUNDARY_REST_S:
                return []
            if totals not in self._doubted:
                self._doubted.append(totals)
                return []
            if now_s - self.boundary_s < 2 * DOUBTED_REST_S:
                return []
        told: list[Event] = [
            Passed(at=at_s, seat=SEATS[k], to=self._receiver(k), n=None, seen_at=now_s)
            for k, at_s in enumerate(self._dipped_s)
            if at_s is not None
        ]
        told.sort(key=lambda e: e.at)
        self.rounds += 1
        self.boundary = totals
        self.boundary_s = since_s
        self._dipped_s = [None] * 4
        return told

    def _receiver(self, seat: int) -> Seat:
        """First right, across, left; then left, across, right; then across."""
        step = (1, 2, 3, 3, 2, 1, 2)[min(self.rounds, 6)]
        return SEATS[(seat + step) % 4]

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
