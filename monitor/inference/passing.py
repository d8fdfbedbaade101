"""What may happen to four racks from the deal to the first turns of play, and at what odds: tiles passed, or sorted.

Owns the grammar of the Charleston in counts. Counts of racks -> `charleston` asks **passing** -> readings. Refuses to
know sensors, tags and what of it is told.

A `Reading` is one explanation of all that the racks did since the deal. A rack that loses tiles gives some of them and
lifts the others to sort them; one that gains tiles puts back what it lifted and racks what it was given. Tiles do not
come from nowhere, and that is what tells readings apart: whoever racks three tiles was given three.

    seat, in pass `passes`:  --gives--> out 1..3 --racks--> got 1..3 --all given, all racked--> next pass
    pass:   right, across, left; then left, across, right, or at once the courtesy, across (procedure, row 3)
    blind:  in the third and the sixth pass what is given may never have touched the giver's rack
    play:   --East one fewer, no tile under way--> turn of the next --a tile more--> holding --a tile fewer--> next

The odds are in `passing_odds`.
"""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from monitor.inference.beam import Scored
from monitor.inference.deal import WHOLE_PASS
from monitor.inference.passing_odds import (
    AWAY_S,
    BETWEEN_S,
    GIVES_S,
    HOLDING_S,
    LEFT_S,
    LONG_AWAY_S,
    OPPOSITE_S,
    P_AHEAD,
    P_ANEW,
    P_ANEW_RESTING,
    P_ANEW_UNREAD,
    P_BACK,
    P_BLIND,
    P_CLAIM,
    P_COURTESY,
    P_COURTESY_N,
    P_DISCARD,
    P_DISCARD_FIRST,
    P_EXCHANGED,
    P_HELD,
    P_LIFT,
    P_LIFT_MORE,
    P_MISCOUNTED,
    P_MISSING_TAKEN,
    P_ONE_TOO_MANY,
    P_PART,
    P_PART_BACK,
    P_PART_RACKED,
    P_PICK,
    P_PLAY,
    P_PLAY_COURTESY,
    P_PLAY_EARLY,
    P_RACKED,
    P_REST,
    P_SECOND,
    P_UNEXPLAINED,
    P_UNEXPLAINED_TILE,
    P_UNSEEN_TURN,
    P_WHILE_RACKED,
    P_WHOLE,
    PART_S,
    RACKS_S,
    SORTED_S,
    TURN_S,
)

RIGHT, ACROSS, LEFT = 1, 2, 3
FIRST = (RIGHT, ACROSS, LEFT)
SECOND = (LEFT, ACROSS, RIGHT)
BLIND = (2, 5)
"""Passes in which tiles may go on unseen: the first left and the last right."""
NO_COURTESY = -1
MOST_PASSES = 7


class Part(Struct, frozen=True):
    """One seat's part: passes it is done with, tiles given and racked in the one it is in, tiles in its hands.

    `gave_s`: when its first tile of this pass left. `gave_last`: how many it gave in the pass before.
    """

    passes: int = 0
    out: int = 0
    got: int = 0
    away: int = 0
    lifted_s: float = 0.0
    gave_s: float = 0.0
    gave_last: int = WHOLE_PASS


class Given(Struct, frozen=True):
    """A seat's tiles left for its `index`th pass."""

    seat: int
    index: int
    to: int
    at_s: float


class Reading(Scored, frozen=True):
    """One explanation. `courtesy`: which pass is the courtesy, `NO_COURTESY` while that is open.

    `turn`: the seat whose turn it is in play, -1 before. `holding`: who has picked, -1 for nobody. `rests`: what the
    racks held as play began, East a tile more; `dropped_s`: when East's first discard left.
    """

    parts: tuple[Part, ...]
    courtesy: int = NO_COURTESY
    turn: int = -1
    holding: int = -1
    rests: tuple[int, ...] = ()
    dropped_s: float = 0.0
    given: tuple[Given, ...] = ()

    @property
    def facts(self) -> tuple[object, ...]:
        """What makes two readings one."""
        parts = tuple((p.passes, p.out, p.got, p.away, p.gave_last) for p in self.parts)
        return parts, self.courtesy, self.turn, self.holding, self.rests

    @property
    def in_play(self) -> bool:
        """Whether play has begun."""
        return self.turn >= 0

    @property
    def still(self) -> bool:
        """Whether no tile of a pass is under way: all have given and racked equally often."""
        if len({p.passes for p in self.parts}) > 1:
            return False
        if self.courtesy == self.parts[0].passes:
            return all(p.out == self.parts[(k + 2) % 4].out == p.got for k, p in enumerate(self.parts))
        return not any(p.out or p.got for p in self.parts)

    def with_part(self, seat: int, part: Part, cost: float = 0.0) -> "Reading":
        """The same with another part of a seat."""
        parts = (*self.parts[:seat], part, *self.parts[seat + 1 :])
        return replace(self, parts=parts, score=self.score + cost)


class Rules(Struct, frozen=True):
    """What holds for a hand: who is East, which racks are not seen, and who was dealt a tile too few."""

    east: int | None
    unseen: frozenset[int] = frozenset()
    short: frozenset[int] = frozenset()


class Change(Struct, frozen=True):
    """A rack came to rest with `tiles` more or fewer, and all four hold `totals` now."""

    seat: int
    tiles: int
    at_s: float
    totals: tuple[int, ...]


def readings(e: Reading, change: Change, rules: Rules) -> Iterator[Reading]:
    """What a change may have been."""
    seat, n = change.seat, change.tiles
    yield replace(e, score=e.score + P_UNEXPLAINED + P_UNEXPLAINED_TILE * abs(n))
    if n > 0 and seat in rules.short:
        yield replace(e, score=e.score + P_MISSING_TAKEN)
    if e.in_play:
        yield from _in_play(e, change)
    elif n < 0:
        yield from _losing(e, change, rules)
    else:
        yield from _gaining(e, change, rules)


def anew(e: Reading, at_s: float, *, resting: bool) -> Reading:
    """All racks rest with all tiles: whatever pass was under way is over."""
    done = min(max(min(p.passes for p in e.parts) + 1, *(p.passes for p in e.parts)), MOST_PASSES)
    unread = sum(p.passes < done and p.out == 0 for p in e.parts)
    cost = (P_ANEW_RESTING if resting else P_ANEW) + P_ANEW_UNREAD * unread
    given = e.given
    for k, p in enumerate(e.parts):
        for missed in range(p.passes, done):
            if not any(g.seat == k and g.index == missed for g in given):
                given = (*given, Given(k, missed, _to(e, k, missed), p.gave_s or at_s))
    parts = tuple(Part(passes=done, gave_last=WHOLE_PASS) for _ in e.parts)
    return replace(e, parts=parts, score=e.score + cost, given=given)


def step_of(e: Reading, index: int) -> int:
    """How many seats to the right the tiles of a pass go."""
    if index == e.courtesy or index >= MOST_PASSES - 1:
        return ACROSS
    return (FIRST + SECOND)[index]


def _to(e: Reading, seat: int, index: int) -> int:
    return (seat + step_of(e, index)) % 4


# ---- before play


def _losing(e: Reading, change: Change, rules: Rules) -> Iterator[Reading]:
    seat, n, at_s = change.seat, -change.tiles, change.at_s
    yield _lifted(e, seat, n, at_s)
    if seat == rules.east and _all_given(e):
        yield from _first_discard(e, change, rules)
    for begun in _begun(e, seat):
        p = begun.parts[seat]
        for give in range(1, n + p.away + 1):
            cost = _giving(begun, seat, give)
            if cost is None:
                break
            # tiles that were lifted before may be among them
            held = max(0, give - n)
            if p.out == 0:
                cost += P_AHEAD * sum(q.passes + (q.out >= WHOLE_PASS) < p.passes for q in begun.parts)
            part = replace(p, out=p.out + give, away=p.away - held, gave_s=p.gave_s or at_s)
            one = begun.with_part(seat, part, cost + (P_HELD if held else 0.0))
            one = _lifted(one, seat, n - give, at_s) if n > give else one
            yield _settled(_noted(one, seat, part.gave_s), rules)


def _giving(e: Reading, seat: int, give: int) -> float | None:
    """What it costs that a seat gives so many tiles; None if it cannot."""
    p = e.parts[seat]
    out = p.out + give
    if e.courtesy == p.passes:
        done = p.out > 0 and p.out == p.got == e.parts[(seat + 2) % 4].out
        return None if done or out > WHOLE_PASS else P_COURTESY_N if p.out == 0 else P_REST
    if out > WHOLE_PASS + 1:
        return None
    if out > WHOLE_PASS:
        return P_ONE_TOO_MANY
    if out == WHOLE_PASS:
        return P_WHOLE if p.out == 0 else P_REST
    return P_PART if p.out == 0 else 2 * P_REST


def _begun(e: Reading, seat: int) -> Iterator[Reading]:
    """The pass that this seat is in, or may begin: after the first Charleston the second, or a courtesy."""
    index = e.parts[seat].passes
    if e.still and (index >= MOST_PASSES or (e.courtesy == index and any(p.out for p in e.parts))):
        again = tuple(Part(passes=MOST_PASSES - 1, away=p.away, lifted_s=p.lifted_s) for p in e.parts)
        yield replace(e, parts=again, courtesy=MOST_PASSES - 1, score=e.score + P_MISCOUNTED)
    if index >= MOST_PASSES or (e.courtesy != NO_COURTESY and index > e.courtesy):
        return
    if e.courtesy == index:
        yield e
        return
    if index < MOST_PASSES - 1:
        first = index == len(FIRST) and not any(p.out or p.got or p.passes > index for p in e.parts)
        yield replace(e, score=e.score + (P_SECOND if first else 0.0))
    if index in (3, 6) and not any(q.passes == index and (q.out or q.got) for q in e.parts):
        yield replace(e, courtesy=index, score=e.score + P_COURTESY[index == 6])


def _noted(e: Reading, seat: int, at_s: float) -> Reading:
    """The seat's tiles are noted as passed once all of them have left."""
    p = e.parts[seat]
    if e.courtesy == p.passes:
        other = (seat + 2) % 4
        if e.parts[other].out != p.out:
            return e
        e = _note(e, other, p.passes, e.parts[other].gave_s)
    elif p.out < WHOLE_PASS:
        return e
    return _note(e, seat, p.passes, at_s)


def _note(e: Reading, seat: int, index: int, at_s: float) -> Reading:
    if any(g.seat == seat and g.index == index for g in e.given):
        return e
    return replace(e, given=(*e.given, Given(seat, index, _to(e, seat, index), at_s)))


def _lifted(e: Reading, seat: int, n: int, at_s: float) -> Reading:
    p = e.parts[seat]
    cost = P_LIFT + P_LIFT_MORE * max(0, n - 4)
    return e.with_part(seat, replace(p, away=p.away + n, lifted_s=p.lifted_s if p.away else at_s), cost)


def _gaining(e: Reading, change: Change, rules: Rules) -> Iterator[Reading]:
    seat, n = change.seat, change.tiles
    p = e.parts[seat]
    for back in range(min(n, p.away) + 1):
        cost = 0.0 if not back else P_BACK if back == p.away else P_PART_BACK
        one = e.with_part(seat, replace(p, away=p.away - back), cost)
        if back == n:
            yield one
            continue
        taken = _taken(one, seat, n - back, change.at_s, rules)
        if taken is not None:
            whole = taken.parts[seat].got >= WHOLE_PASS or taken.courtesy == p.passes
            taken = replace(taken, score=taken.score + (P_RACKED if whole else P_PART_RACKED))
            yield _settled(taken, rules)


def under_way(e: Reading, seat: int, rules: Rules) -> int:
    """Tiles that were given to this seat in the pass it is in and that it has not racked."""
    p = e.parts[seat]
    giver = (seat - step_of(e, p.passes)) % 4
    return _gave(e, giver, p.passes, rules) - p.got


def abroad(e: Reading, rules: Rules) -> int:
    """Tiles that lie on no rack: given and not racked yet, or in somebody's hands."""
    given = sum(0 if k in rules.unseen else under_way(e, k, rules) for k in range(4))
    return given + sum(p.away for p in e.parts)


def _gave(e: Reading, giver: int, index: int, rules: Rules) -> int:
    """How many tiles a seat has given in a pass so far."""
    if giver in rules.unseen:
        return WHOLE_PASS
    p = e.parts[giver]
    return p.out if p.passes == index else p.gave_last if p.passes > index else 0


def _taken(e: Reading, seat: int, n: int, at_s: float, rules: Rules, depth: int = 0) -> Reading | None:
    """`n` tiles that were given to the seat are taken; None if there are none.

    Some may have been passed on to it without touching the giver's rack, or the giver racked as many as it gave with
    one touch.
    """
    p = e.parts[seat]
    lacking = n - under_way(e, seat, rules)
    if lacking > 0:
        giver = (seat - step_of(e, p.passes)) % 4
        g = e.parts[giver]
        if 0 < lacking <= g.away and g.out + lacking <= WHOLE_PASS and g.passes == p.passes:
            part = replace(g, out=g.out + lacking, away=g.away - lacking, gave_s=g.gave_s or g.lifted_s)
            e = _noted(e.with_part(giver, part, P_HELD), giver, part.gave_s)
            return e.with_part(seat, replace(p, got=p.got + n))
        if p.passes == e.courtesy == g.passes and not g.out and lacking == n == p.out:
            part = replace(g, out=n, got=n, gave_s=at_s)  # opposite seats exchange as many
            e = _noted(e.with_part(giver, part, P_EXCHANGED), giver, at_s)
            return e.with_part(seat, replace(p, got=n))
        may_pass_on = p.passes != e.courtesy and g.passes == p.passes and g.out + lacking <= WHOLE_PASS
        blind = p.passes in BLIND
        if not may_pass_on or depth > 2 or not (blind or lacking == WHOLE_PASS):
            return None
        through = _taken(e, giver, lacking, at_s, rules, depth + 1)
        if through is None:
            return None
        g = through.parts[giver]
        gave_s = g.gave_s or at_s
        cost = P_BLIND if blind else P_EXCHANGED
        e = through.with_part(giver, replace(g, out=g.out + lacking, gave_s=gave_s), cost)
        e = _noted(e, giver, gave_s)
        p = e.parts[seat]
    return e.with_part(seat, replace(p, got=p.got + n))


def _settled(e: Reading, rules: Rules) -> Reading:
    """Seats that have given and racked all of a pass are in the next."""
    parts = list(e.parts)
    for k, p in enumerate(parts):
        if k in rules.unseen or e.courtesy == p.passes or p.passes >= MOST_PASSES - 1:
            continue
        giver = (k - step_of(e, p.passes)) % 4
        g = e.parts[giver]
        all_there = giver in rules.unseen or g.passes + (g.out >= WHOLE_PASS) > p.passes
        if p.out >= WHOLE_PASS and all_there and p.got == _gave(e, giver, p.passes, rules):
            parts[k] = replace(p, passes=p.passes + 1, out=0, got=0, gave_s=0.0, gave_last=p.out)
    seen = [p.passes for k, p in enumerate(parts) if k not in rules.unseen]
    for k in rules.unseen:
        parts[k] = Part(passes=min(seen))
    return replace(e, parts=tuple(parts))


# ---- play begins


def _all_given(e: Reading) -> bool:
    """Whether all have given equally often, though some may have yet to rack."""
    if e.courtesy != NO_COURTESY and any(p.passes == e.courtesy for p in e.parts):
        outs = [p.out if p.passes == e.courtesy else 0 for p in e.parts]
        return all(n == outs[(k + 2) % 4] for k, n in enumerate(outs)) and all(
            p.passes == e.courtesy or p.out >= WHOLE_PASS for p in e.parts
        )
    return len({p.passes + (p.out >= WHOLE_PASS) for p in e.parts}) == 1 and all(
        p.out in (0, WHOLE_PASS) for p in e.parts
    )


def _first_discard(e: Reading, change: Change, rules: Rules) -> Iterator[Reading]:
    east, n = change.seat, -change.tiles
    if not e.still:  # what has yet to be racked will come like tiles that were lifted
        parts = tuple(
            replace(p, away=p.away + max(0, 0 if k in rules.unseen else under_way(e, k, rules)), lifted_s=change.at_s)
            for k, p in enumerate(e.parts)
        )
        e = replace(e, parts=parts, score=e.score + P_WHILE_RACKED)
    done = min(p.passes + (p.out >= WHOLE_PASS and p.passes != e.courtesy) for p in e.parts)
    courtesy = e.courtesy == done and any(p.out for p in e.parts)
    cost = P_PLAY_COURTESY if courtesy else P_PLAY.get(done, P_PLAY_EARLY)
    before = [total + p.away for total, p in zip(change.totals, e.parts, strict=True)]
    before[east] += n
    begun = replace(
        e, score=e.score + cost, turn=(east + 1) % 4, rests=tuple(before), dropped_s=change.at_s, holding=-1
    )
    yield _lifted(begun, east, n - 1, change.at_s) if n > 1 else begun


def _in_play(e: Reading, change: Change) -> Iterator[Reading]:
    seat, n, at_s = change.seat, change.tiles, change.at_s
    p = e.parts[seat]
    if n < 0:
        yield _lifted(e, seat, -n, at_s)
        if seat == e.holding or (e.holding < 0 and seat == e.turn):
            cost = P_DISCARD if seat == e.holding else P_DISCARD_FIRST
            after = replace(e, turn=(seat + 1) % 4, holding=-1, score=e.score + cost)
            if seat != e.holding:  # the pick is still in the other hand
                after = after.with_part(seat, replace(p, away=p.away + 1, lifted_s=at_s))
            yield _lifted(after, seat, -n - 1, at_s) if n < -1 else after
        return
    back = min(n, p.away)
    if back == n:
        cost = P_BACK if back == p.away else P_PART_BACK
        yield e.with_part(seat, replace(p, away=p.away - back), cost)
    for returned in {n - 1} & set(range(p.away + 1)):
        if e.holding == seat:
            continue
        skipped = (seat - e.turn) % 4
        cost = P_PICK + P_UNSEEN_TURN * skipped if e.holding < 0 else P_CLAIM + P_UNSEEN_TURN
        one = e.with_part(seat, replace(p, away=p.away - returned), cost + (P_PART_BACK if returned else 0.0))
        yield replace(one, turn=seat, holding=seat)


# ---- time


def waiting(e: Reading, now_s: float, span_s: float, rules: Rules) -> float:
    """What it costs that nothing more happened for `span_s` until `now_s`."""
    rate = 0.0
    for p in e.parts:
        if p.away:
            age_s = now_s - p.lifted_s
            rate += 1 / AWAY_S if age_s < SORTED_S else 1 / LONG_AWAY_S if age_s < LEFT_S else 0.0
    if e.in_play:
        return -span_s * (rate + 1 / (TURN_S if e.holding < 0 else HOLDING_S))
    if e.still:
        return -span_s * (rate + 1 / BETWEEN_S)
    index = max(p.passes for p in e.parts)
    for k, p in enumerate(e.parts):
        if k in rules.unseen:
            continue
        courtesy = p.passes == e.courtesy
        if courtesy:
            other = e.parts[(k + 2) % 4].out
            rate += 1 / OPPOSITE_S if p.out < other else 1 / RACKS_S if p.got < p.out == other else 0.0
        elif 0 < p.out < WHOLE_PASS:
            rate += 1 / PART_S
        elif p.out >= WHOLE_PASS:
            rate += 1 / RACKS_S if under_way(e, k, rules) > 0 else 0.0
        elif p.passes <= index:
            rate += 1 / GIVES_S
    return -span_s * rate
