"""Two witnesses of one move: what the load cells and the tags of one rack say, told once.

Owns the fusion of weight and tags for a rack: tags tell which tile and where, weight tells when, and that a tile moved
whose tag is silent. Observations -> **witnesses** -> moves. Refuses to know phases and turns.

Theory of operation. A rack that is only weighed moves by the steps of its cells, those of slope and ledge read
together, what left before what came. A rack that is only read by antennas moves by its tags. Where both watch, tags
lead: each tag's move takes the moment of a weight step of the same sign near it, and is none where the scales lay still
all the while. What the scales gained or lost and no
tag explains within `UNHEARD_S` was a tile without a voice; should its tag speak up later, that is no second move.
"""

from collections.abc import Iterator

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
MOST_SILENT = 8


class Witnesses:
    """The moves of one rack. Moves come out unnumbered (`number` 0), in order of knowledge."""

    def __init__(self, seat: int) -> None:
        self._seat = seat
        self._steps: list[Step] = []
        self._dates: list[Step] = []
        self._waiting: list[Move] = []
        self._unheard: list[tuple[Step, int]] = []
        self._silent: list[tuple[Step, int]] = []
        self._tagged = False
        self._weighed = False
        self._resting = True

    def weighed(self, step: Step, *, resting: bool) -> list[Move]:
        """A cell's step. `resting`: whether the whole rack is at rest now."""
        if self._tagged:
            tiles = step.after - step.before
            self._dates.append(step)
            if tiles:
                self._unheard.append((step, tiles))
            return self._release(step.seen_s)
        self._steps.append(step)
        return self._flush(step.seen_s) if resting else []

    def heard(self, move: Move, *, weighed: bool) -> list[Move]:
        """A tag's move: one tile came or went. `weighed`: whether the rack's load is known now."""
        self._tagged = True
        self._weighed = weighed
        for k, (step, tiles) in enumerate(self._silent):
            near = move.moment.earliest_s - NEAR_S <= step.edge.at_s <= move.moment.latest_s + NEAR_S
            if near and (tiles > 0) == (move.tiles > 0):
                left = tiles - move.tiles
                self._silent[k : k + 1] = [(step, left)] if left else []
                return []
        self._waiting.append(move)
        return self._release(move.seen_s)

    def awaits(self, uid: str) -> bool:
        """Whether a move of this tile is still held back."""
        return any(move.uid == uid for move in self._waiting)

    def advance(self, now_s: float, *, resting: bool) -> list[Move]:
        """Let time pass. `resting`: whether the rack is at rest now, so that all its steps are told."""
        self._resting = resting
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
        self._dates = [s for s in self._dates if now_s - s.seen_s < REMEMBERED_S]
        freed: list[Move] = []
        while self._waiting:
            move = self._waiting[0]
            moment = self._date(move)
            age_s = now_s - move.seen_s
            if moment is None and self._weighed and not move.shifted:
                if age_s < WAIT_S or (not self._resting and age_s < UNHEARD_S):
                    break
                if not self._touched(move):
                    del self._waiting[0]
                    continue
            del self._waiting[0]
            self._explain(move.tiles)
            freed.append(replace(move, moment=moment or move.moment, seen_s=now_s))
        freed += self._unexplained(now_s)
        return freed

    def _date(self, move: Move) -> Moment | None:
        """The weight's moment for a tag's move, where one fits."""
        low, high = move.moment.earliest_s - NEAR_S, move.moment.latest_s + NEAR_S
        best: Moment | None = None
        for moment in self._moments(move.tiles > 0):
            if low <= moment.at_s <= high and (
                best is None or abs(moment.at_s - move.moment.at_s) < abs(best.at_s - move.moment.at_s)
            ):
                best = moment
        return best

    def _touched(self, move: Move) -> bool:
        """Whether anything at all disturbed the scales when the tag says its tile moved.

        Where nothing did, the tile lay there before: a tag that had been silent spoke up, or fell silent.
        """
        low, high = move.moment.earliest_s - NEAR_S, move.moment.latest_s + NEAR_S
        return not self._resting or any(s.onset.earliest_s <= high and s.rest_s >= low for s in self._dates)

    def _moments(self, up: bool) -> Iterator[Moment]:
        for step in self._dates:
            if up:
                if step.after > step.before and len(step.rises) < 2:
                    yield step.edge
                yield from step.rises
            elif step.after < step.before:
                yield step.edge

    def _explain(self, tiles: int) -> None:
        for k, (step, left) in enumerate(self._unheard):
            if (left > 0) == (tiles > 0):
                self._unheard[k : k + 1] = [(step, left - tiles)] if left != tiles else []
                return

    def _unexplained(self, now_s: float) -> list[Move]:
        freed: list[Move] = []
        # a tile lifted and put back without a tag's word leaves two steps that cancel
        net = sum(left for _, left in self._unheard)
        old = [(step, left) for step, left in self._unheard if now_s - step.seen_s > UNHEARD_S]
        if not old:
            return []
        if net == 0:
            self._unheard = []
            return []
        for step, left in old:
            if (left > 0) == (net > 0):
                self._silent.append((step, left))
                del self._silent[:-MOST_SILENT]
                freed.append(self._plain(step, left, now_s))
        self._unheard = [u for u in self._unheard if now_s - u[0].seen_s <= UNHEARD_S]
        return freed
