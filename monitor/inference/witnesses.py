"""Two witnesses of one move: what the load cells and the tags of one rack say, told once.

Owns when what they say is told. Observations -> **witnesses** -> moves. Refuses to know phases and turns, and which tag
belongs to which touch: that is asked of `books`.

Theory of operation. A rack that is only weighed moves by the steps of its cells, those of slope and ledge read
together, what left before what came. A rack that is only read by antennas moves by its tags. Where both watch, the
scales keep the books and the tags name the tiles: a tag's move is told once its touch is plain (or plainest after
`LAG_S`), dated by it. One that belongs to no touch waits:

    came: a tile in a hand over the antenna     told by the touch that lands it, dropped if it goes away
    left: a tag that fell silent                told once it is heard elsewhere, dropped if it is heard here again

What a touch gained or lost, all in all, and no tag explains within `UNHEARD_S` was a tile without a voice; should its
tag speak up later, that is no second move.
"""

from msgspec import Struct
from msgspec.structs import replace

from hw.observations import Moment, Step, Zone
from monitor.inference.books import (
    DOUBT,
    UNHEARD_S,
    Balance,
    Heard,
    Touch,
    balance,
    hull,
    touch_of,
    under_way,
    unexplained,
)
from monitor.inference.moves import Move

APART_S = 2.5
"""A zone's step waits so long for the other zone of its rack to come to rest (our choice)."""

NEAR_S = 0.6
"""A weight step this near a tag's bounds is the same move (inventory rounds and hands take so long)."""

WAIT_S = 0.5
"""A tag's move waits so long for the scales to come to rest and date it."""

SURE = 1.6
"""A tag is told at once where its next best place costs so much more (our choice: five to one)."""

LAG_S = UNHEARD_S + 0.1
"""A tag is told at its best place after so long, however near the next best: no other tag will speak of that touch."""

HOVERS_S = 12.0
"""A tag that came and belongs to no touch is held so long: a tile is looked at and tapped for less (our choice)."""

MOST_UNHEARD_S = 6.0
"""A touch that no tag explained waits so long for a younger one that may undo it (our choice: three of a turn)."""

REMEMBERED_S = 12.0
MOST_SILENT = 8
MOST_HEARD = 10
"""Tags that wait at most; the oldest that belong to no touch go first."""


class Owed(Struct, frozen=True):
    """Tiles that the scales told and no tag named: `tiles` more or fewer."""

    move: Move
    tiles: int


class Witnesses:
    """The moves of one rack. Moves come out unnumbered (`number` 0), in order of knowledge."""

    def __init__(self, seat: int) -> None:
        self._seat = seat
        self._steps: list[Step] = []
        self._touches: list[Touch] = []
        self._heard: list[Heard] = []
        self._silent: list[Owed] = []
        self._tagged = False
        self._resting = True
        self._moving_s = 0.0
        self._ahead = 0
        self._next_s = 0.0

    def weighed(self, step: Step, *, resting: bool) -> list[Move]:
        """A cell's step. `resting`: whether the whole rack is at rest now."""
        self._resting = resting
        if self._tagged:
            touch = touch_of(step, self._plain(step, step.seen_s))
            touch.left -= self._ahead
            self._ahead = 0
            self._touches.append(touch)
            return self._settle(step.seen_s)
        self._steps.append(step)
        return self._flush(step.seen_s) if resting else []

    def heard(self, move: Move, *, weighed: bool, elsewhere: bool = False) -> list[Move]:
        """A tag's move: one tile came or went. `weighed`: whether the rack's load is known now. `elsewhere`: it went,
        and is heard at another place."""
        self._tagged = True
        if not weighed:
            return [*self._all_told(move.seen_s), move]
        if move.shifted:
            return [self._dated(move)]
        if self._named_late(move, elsewhere=elsewhere):
            return []
        before = next((one for one in self._heard if one.move.uid == move.uid), None)
        if before is not None:
            self._heard.remove(before)
            if before.move.zone is move.zone:
                return []  # it takes back what it said, and no touch had room for that: nothing happened
            return [replace(self._dated(each), shifted=True, seen_s=move.seen_s) for each in (before.move, move)]
        self._heard.append(Heard(move, elsewhere))
        del self._heard[:-MOST_HEARD]
        return self._settle(move.seen_s)

    def elsewhere(self, uid: str, at: Moment, seen_s: float) -> list[Move]:
        """A tile was heard at another place, where it came `at`: if its tag fell silent here, it has left by then."""
        for one in self._heard:
            if one.move.uid == uid and one.move.tiles < 0 and not one.elsewhere:
                silent = one.move.moment
                moment = Moment(silent.at_s, silent.earliest_s, max(silent.latest_s, at.latest_s))
                one.move = replace(one.move, moment=moment)
                one.elsewhere = True
                return self._settle(seen_s)
        return []

    @property
    def unsettled(self) -> bool:
        """Whether one witness has spoken and the other not yet: what happened on the rack is about to be known."""
        return bool(self._steps or any(touch.left for touch in self._touches) or self._asking)

    def awaits(self, uid: str) -> bool:
        """Whether a move of this tile is still held back."""
        return any(one.move.uid == uid for one in self._heard)

    def advance(self, now_s: float, *, resting: bool, moving_s: float = 0.0) -> list[Move]:
        """Let time pass. `resting`: whether the rack is at rest now, so that all its steps are told; else it has been
        touched since `moving_s`."""
        rested = resting and not self._resting
        self._resting = resting
        self._moving_s = moving_s
        if self._steps and now_s - self._steps[0].seen_s > APART_S:
            return self._flush(now_s)
        if (self._touches or self._heard) and (rested or now_s >= self._next_s):
            return self._settle(now_s)
        return []

    # scales alone

    def _flush(self, now_s: float) -> list[Move]:
        steps = sorted(self._steps, key=lambda s: (s.after > s.before, s.zone is Zone.LEDGE))
        self._steps = []
        return [self._plain(step, now_s) for step in steps]

    def _plain(self, step: Step, now_s: float) -> Move:
        return Move(
            number=0,
            seat=self._seat,
            zone=step.zone,
            tiles=step.after - step.before,
            moment=step.edge,
            seen_s=now_s,
            landings=step.rises,
            residue_g=step.residue_g,
            noise_g=step.noise_g,
            raised=step.high - max(step.before, step.after),
            until_s=step.rest_s,
        )

    # both

    @property
    def _asking(self) -> bool:
        """Whether a tag's move is about to be told or held for good."""
        return any(one.elsewhere or one.move.seen_s + LAG_S > self._next_s for one in self._heard)

    def _settle(self, now_s: float) -> list[Move]:
        """Tell what the books are sure of by now."""
        self._next_s = now_s + 0.2
        told: list[Move] = []
        while self._heard:
            touches = list(self._touches)
            if not self._resting and self._moving_s:
                touches.append(under_way(self._heard[0].move, self._moving_s, now_s))
            books = balance(self._heard, touches, now_s)
            n = next((n for n in range(len(self._heard)) if self._is_plain(n, books, touches, now_s)), None)
            if n is None:
                break
            k = books.best.where[n]
            others = [touches[j] for j, margin in books.others[n].items() if j >= 0 and margin < DOUBT]
            told.append(self._tell(self._heard.pop(n), None if k < 0 else touches[k], others, now_s))
        told += self._without_voice(now_s)
        self._heard = [one for one in self._heard if one.move.tiles < 0 or now_s - one.move.seen_s < HOVERS_S]
        self._touches = [touch for touch in self._touches if touch.left or now_s - touch.seen_s < REMEMBERED_S]
        return sorted(told, key=lambda move: move.moment.at_s)

    def _is_plain(self, n: int, books: Balance, touches: list[Touch], now_s: float) -> bool:
        """Whether a tag's place is known well enough to be told."""
        one, k = self._heard[n], books.best.where[n]
        if k < 0:
            return one.elsewhere and now_s - one.move.seen_s > WAIT_S
        age_s = now_s - (one.move.seen_s if touches[k].open else max(one.move.seen_s, touches[k].seen_s))
        if touches[k].open:  # what it comes to is waited for, a tile in a hand above all
            return age_s > (LAG_S if one.move.tiles < 0 else MOST_UNHEARD_S)
        # which touch it was matters for what a racking is dated by, and little for everything else
        new = one.move.tiles > 0 and not one.move.own
        margin = books.margin(n) if new else books.others[n].get(-1, SURE + 1.0)
        return margin > SURE or age_s > LAG_S

    def _tell(self, one: Heard, touch: Touch | None, others: list[Touch], now_s: float) -> Move:
        """A tag's move, dated by the touch it was part of (bounded by `others` that it may belong to), and booked."""
        if touch is None:
            return replace(one.move, seen_s=now_s)
        if touch.open:
            self._ahead += one.move.tiles
        touch.left -= one.move.tiles
        doubt = [dated[0][1].moment for other in others if (dated := other.dated(one))]
        return replace(one.move, moment=hull(touch.take(one), doubt), seen_s=now_s)

    def _dated(self, move: Move) -> Move:
        """A tile that only changed its zone weighs what it did: a touch near it dates it all the same."""
        near = [
            date.moment
            for touch in self._touches
            for date in touch.fits(move)
            if move.moment.earliest_s - NEAR_S <= date.moment.at_s <= move.moment.latest_s + NEAR_S
        ]
        best = min(near, key=lambda moment: abs(moment.at_s - move.moment.at_s), default=move.moment)
        return replace(move, moment=best)

    def _all_told(self, now_s: float) -> list[Move]:
        """The load is not known any more: what waits for it is told by the tags alone."""
        told = [replace(one.move, seen_s=now_s) for one in self._heard]
        self._heard.clear()
        self._touches.clear()
        return told

    def _named_late(self, move: Move, *, elsewhere: bool) -> bool:
        """Whether a tag speaks of a tile that was told without it."""
        low_s, high_s = move.moment.earliest_s - NEAR_S, move.moment.latest_s + NEAR_S
        for k, owed in enumerate(self._silent):
            if (move.came_s if elsewhere else low_s) <= owed.move.moment.at_s <= high_s and owed.tiles * move.tiles > 0:
                left = owed.tiles - move.tiles
                self._silent[k : k + 1] = [Owed(owed.move, left)] if left else []
                return True
        return False

    def _without_voice(self, now_s: float) -> list[Move]:
        """Tiles without a voice: what the scales gained or lost, all in all, and no tag explains."""
        if not self._resting:
            return []  # the scales have yet to say what they felt
        open_ = [touch for touch in self._touches if touch.left]
        old = [touch for touch in open_ if now_s - touch.seen_s > UNHEARD_S]
        if not old or (len(old) < len(open_) and now_s - old[0].seen_s < MOST_UNHEARD_S):
            return []
        rest = unexplained([touch.left for touch in open_], open_)
        owed = []
        for touch, left in zip(open_, rest, strict=True):
            touch.left = left
            if left and touch in old:
                owed.append(Owed(touch.move, left))
                touch.left = 0
        self._silent += owed
        del self._silent[:-MOST_SILENT]
        return [replace(one.move, uid=None, own=False, tiles=one.tiles, seen_s=now_s) for one in owed]
