"""Two witnesses of one move: what the load cells and the tags of one rack say, told once.

Owns the fusion of weight and tags for a rack: tags tell which tile and where, weight tells when, and that a tile moved
whose tag is silent. Observations -> **witnesses** -> moves. Refuses to know phases and turns.

Theory of operation. A rack that is only weighed moves by the steps of its cells, those of slope and ledge read
together, what left before what came. A rack that is only read by antennas moves by its tags. Where both watch, tags
lead: each tag's move takes the moment of a weight step of the same sign near it, and is none where the scales lay still
all the while. What the scales
gained or lost, all in all, and no tag explains within `UNHEARD_S` was a tile without a voice; should its tag speak up
later, that is no second move.
"""

from msgspec import Struct
from msgspec.structs import replace

from hw.observations import Moment, Step, Zone
from monitor.inference.moves import Move

APART_S = 2.5
"""A zone's step waits so long for the other zone of its rack to come to rest (our choice)."""

NEAR_S = 0.6
"""A weight step this near a tag's bounds is the same move (inventory rounds and hands take so long)."""

UNHEARD_S = 2.5
"""After so long a weight step that no tag explained stands by itself (twice a slow scan's decision)."""

WAIT_S = 0.5
"""A tag's move waits so long for the scales to come to rest and date it."""

REMEMBERED_S = 12.0
SAME_S = 0.005
"""Two moments of one step that are so near each other are one."""

UNSURE_SHARE = 0.25
"""A tag's best estimate of when it moved counts so much of what its bounds do (our choice)."""

NOT_PLAIN_S = 0.4
"""A moment at which no tile came to stay, all in all, must fit better by so much (our choice)."""

MOST_SILENT = 8

MOST_LIFTED = 16
"""Tiles that may leave a rack within one disturbance of its scales: more than a rack holds."""


class Date(Struct):
    """A moment of the scales that may be a tag's: a landing or a lifting.

    `plain`: its step went that way all in all, so a tile did move then. `tiles`: how many tags it may still date.
    """

    moment: Moment
    up: bool
    plain: bool
    tiles: int
    seen_s: float


class Owed(Struct, frozen=True):
    """Tiles that one witness told and the other has not yet: `tiles` more (or fewer) by the scales than by the tags."""

    move: Move
    tiles: int


class Witnesses:
    """The moves of one rack. Moves come out unnumbered (`number` 0), in order of knowledge."""

    def __init__(self, seat: int) -> None:
        self._seat = seat
        self._steps: list[Step] = []
        self._steps_seen: list[Step] = []
        self._dates: list[Date] = []
        self._waiting: list[Move] = []
        self._unheard: list[Owed] = []
        self._silent: list[Owed] = []
        self._gone: set[str] = set()
        self._hushed: set[str] = set()
        self._tagged = False
        self._weighed = False
        self._resting = True
        self._moving_s = 0.0

    def weighed(self, step: Step, *, resting: bool) -> list[Move]:
        """A cell's step. `resting`: whether the whole rack is at rest now."""
        self._resting = resting
        if self._tagged:
            tiles = step.after - step.before
            self._steps_seen.append(step)
            self._dates += _dates_of(step)
            if tiles:
                self._owe(self._plain(step, tiles, step.seen_s), tiles)
            return self._release(step.seen_s)
        self._steps.append(step)
        return self._flush(step.seen_s) if resting else []

    def heard(self, move: Move, *, weighed: bool) -> list[Move]:
        """A tag's move: one tile came or went. `weighed`: whether the rack's load is known now."""
        self._tagged = True
        self._weighed = weighed
        for k, owed in enumerate(self._silent):
            near = move.moment.earliest_s - NEAR_S <= owed.move.moment.at_s <= move.moment.latest_s + NEAR_S
            if near and (owed.tiles > 0) == (move.tiles > 0):
                left = owed.tiles - move.tiles
                self._silent[k : k + 1] = [Owed(owed.move, left)] if left else []
                return []
        self._waiting.append(move)
        return self._release(move.seen_s)

    @property
    def unsettled(self) -> bool:
        """Whether one witness has spoken and the other not yet: what happened on the rack is about to be known."""
        return bool(self._steps or self._waiting or self._unheard)

    def awaits(self, uid: str) -> bool:
        """Whether a move of this tile is still held back."""
        return any(move.uid == uid for move in self._waiting)

    def advance(self, now_s: float, *, resting: bool, moving_s: float = 0.0) -> list[Move]:
        """Let time pass. `resting`: whether the rack is at rest now, so that all its steps are told; else it has been
        touched since `moving_s`."""
        self._resting = resting
        self._moving_s = moving_s
        if self._steps and now_s - self._steps[0].seen_s > APART_S:
            return self._flush(now_s)
        if self._waiting or self._unheard:
            return self._release(now_s)
        return []

    def _flush(self, now_s: float) -> list[Move]:
        steps = sorted(self._steps, key=lambda s: (s.after > s.before, s.zone is Zone.LEDGE))
        self._steps = []
        return [self._plain(step, step.after - step.before, now_s) for step in steps]

    def _plain(self, step: Step, tiles: int, now_s: float) -> Move:
        return Move(
            number=0,
            seat=self._seat,
            zone=step.zone,
            tiles=tiles,
            moment=step.edge,
            seen_s=now_s,
            landings=step.rises,
            residue_g=step.residue_g,
            noise_g=step.noise_g,
            raised=step.high - max(step.before, step.after),
            until_s=step.rest_s,
        )

    def _release(self, now_s: float) -> list[Move]:
        """Let go of tags' moves that are dated or waited long enough, then of steps that nobody explained."""
        self._steps_seen = [s for s in self._steps_seen if now_s - s.seen_s < REMEMBERED_S]
        self._dates = [d for d in self._dates if now_s - d.seen_s < REMEMBERED_S]
        freed: list[Move] = []
        while self._waiting:
            move = self._waiting[0]
            if move.tiles > 0 and move.uid in self._hushed:  # it never left: it is only heard again
                self._hushed.discard(move.uid)
                del self._waiting[0]
                continue
            date = self._date(move)
            age_s = now_s - move.seen_s
            unsure = date is None or not date.plain or self._may_be_under_way(move)
            if self._weighed and not move.shifted and unsure:
                if age_s < WAIT_S or (not self._resting and age_s < UNHEARD_S):
                    break
                if date is None and not self._believed(move):
                    del self._waiting[0]
                    continue
            del self._waiting[0]
            if date is not None:
                date.tiles -= 1
            moment = None if date is None else date.moment
            if move.uid is not None and move.tiles < 0:
                self._gone.add(move.uid)
            if self._weighed and not move.shifted:
                self._owe(move, -move.tiles)
            freed.append(replace(move, moment=moment or move.moment, seen_s=now_s))
        freed += self._unexplained(now_s)
        return freed

    def _may_be_under_way(self, move: Move) -> bool:
        """Whether the rack is being touched since about when the tag moved, so that its step is yet to come."""
        return not self._resting and move.moment.earliest_s - NEAR_S <= self._moving_s <= move.moment.latest_s + NEAR_S

    def _date(self, move: Move) -> Date | None:
        """The weight's moment for a tag's move, where one fits: the nearest one at which a tile moved that way."""
        low, high = move.moment.earliest_s - NEAR_S, move.moment.latest_s + NEAR_S
        fit = [
            date
            for date in self._dates
            if date.up == (move.tiles > 0) and date.tiles > 0 and low <= date.moment.at_s <= high
        ]
        if fit:
            return min(fit, key=lambda date: _misfit_s(date, move))
        if move.shifted:
            return None
        # a weak tag may speak late: then a step of the scales that nobody explained is its move
        owed = [o.move.moment for o in self._unheard if (o.tiles > 0) == (move.tiles > 0) and o.move.uid is None]
        late = next((moment for moment in owed if moment.at_s >= low), None)
        return None if late is None else Date(late, move.tiles > 0, True, 1, move.seen_s)

    def _believed(self, move: Move) -> bool:
        """Whether a tag's move that no weight step dates is one at all.

        Where nothing disturbed the scales while the tag says its tile moved, the tile lay there all the time: a
        tag that had been silent spoke up, or fell silent. What left by the tag's word comes back by it.
        """
        uid = move.uid or ""
        if move.tiles > 0 and uid in self._gone:
            self._gone.discard(uid)
            return True
        low, high = move.moment.earliest_s - NEAR_S, move.moment.latest_s + NEAR_S
        touched = not self._resting or any(s.onset.earliest_s <= high and s.rest_s >= low for s in self._steps_seen)
        if not touched and move.tiles < 0:
            self._hushed.add(uid)
        return touched

    def _owe(self, move: Move, tiles: int) -> None:
        """Book what one witness told; what the other told before it cancels."""
        for k, owed in enumerate(self._unheard):
            if (owed.tiles > 0) != (tiles > 0):
                left = owed.tiles + tiles
                rest = [Owed(owed.move, left)] if left and (left > 0) == (owed.tiles > 0) else []
                self._unheard[k : k + 1] = rest
                if rest or left == 0:
                    return
                self._owe(move, left)
                return
        self._unheard.append(Owed(move, tiles))

    def _unexplained(self, now_s: float) -> list[Move]:
        """Tiles without a voice: what the scales gained or lost, all in all, and no tag explains."""
        if not self._resting or self._waiting:
            return []  # the scales have yet to say what they felt, or tags are about to be told
        old = [owed for owed in self._unheard if now_s - owed.move.seen_s > UNHEARD_S]
        if not old:
            return []
        self._unheard = [owed for owed in self._unheard if now_s - owed.move.seen_s <= UNHEARD_S]
        self._silent += old
        del self._silent[:-MOST_SILENT]
        return [replace(owed.move, uid=None, own=False, tiles=owed.tiles, seen_s=now_s) for owed in old]


def _misfit_s(date: Date, move: Move) -> float:
    """How badly a moment of the scales fits a tag's move: outside its bounds counts, and a landing of no net tile."""
    at_s, tag = date.moment.at_s, move.moment
    outside_s = max(0.0, tag.earliest_s - at_s, at_s - tag.latest_s)
    return outside_s + UNSURE_SHARE * abs(at_s - tag.at_s) + (0.0 if date.plain else NOT_PLAIN_S)


def _dates_of(step: Step) -> list[Date]:
    """The moments of a step at which tiles landed or were lifted."""
    gained = step.after - step.before
    rises = step.rises if len(step.rises) > 1 or gained <= 0 else (step.edge,)
    if gained > 0:  # the landing that made the change is known best
        rises = tuple(step.edge if abs(rise.at_s - step.edge.at_s) < SAME_S else rise for rise in rises)
    each = max(1, gained, len(rises))  # which of several was whose landing is not known
    dates = [Date(rise, True, gained > 0, each, step.seen_s) for rise in rises]
    if gained < 0:
        is_lift = not step.rises and step.high <= step.before
        dates.append(Date(step.edge, False, True, -gained if is_lift else MOST_LIFTED, step.seen_s))
    return dates
