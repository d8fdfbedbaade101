"""The books of a rack: which tag moved in which touch of the scales, so that every touch adds up.

Owns the search for the most plausible assignment of tags' moves to touches, and every number of it. Tags' moves and
touches -> **books** -> where each tag belongs. Refuses to know time's flow, turns and phases: when something is told
is decided in `witnesses`.

A touch of a weighed rack is known to have brought or taken so many tiles, all in all. A tag is known to have come or
gone within bounds, or seems so: a tile in a hand over the antenna is heard like one that lies there, and a tag that
falls silent looks like one that left. Every assignment has a cost: of each tag by how badly a moment of the touch fits
its bounds, or for being no move at all; of each touch by the tiles that no tag explains. The cheapest wins, and how
much the next best costs says how sure that is.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hw.observations import Moment, Step
from monitor.inference.moves import Move

WIDTH = 48
"""Assignments kept while one is searched (our choice)."""

SAME_S = 0.005
"""Two moments of one step that are so near each other are one."""

OUTSIDE = 1.5
BEFORE_S = 0.15
AFTER_S = 0.15
LATE_S = 0.4
"""A moment outside a tag's 99 % bounds costs `OUTSIDE`, and one more for each of these seconds: a landing before or
after them, a lifting before them (a lifting after them as `AFTER_S`)."""

MOST_EARLY_S = 2.0
MOST_LATE_S = 1.0
"""A touch that ended, or began, so far outside a tag's bounds is none of its (our choice)."""

CARRIED_S = 2.0
"""A tile that was heard elsewhere had left before: one more for each so many seconds that it was in a hand."""

INSIDE = 0.25
"""What a moment at the edge of the bounds costs more than one at the tag's best guess."""

HOVERED = 1.0
HOVERING_S = 10.0
"""A tile may be heard in the hand that brings it: it lands later, at this cost and one more for each so many
seconds."""

NOT_FIRST = 1.5
DOUBT = 3.5
"""A tile that comes begins a touch oftener than it is brought into one. Where moments are no further apart than
`DOUBT`, about three in a hundred, the bounds hold them all. Our choice."""

NO_LANDING = 4.0
"""A tile that comes shakes the rack: a touch without a steep rise has hardly any (our choice)."""

SWAP = 0.5
UNHEARD_SWAP = 1.5
"""A tile taken and another put down in one touch, with the tag of the one taken heard to go or not (our choice)."""

PICKED_AMID = 1.0
"""A new tile that lands together with others that were lifted before it: who sorts puts back before picking."""

STILL_HOVERS = 2.5
"""A tag that came may be a tile in a hand: many a pick is looked at over the rack."""

FELL_SILENT = 3.0
"""A tag that left may have fallen silent where it lies."""

KNOWN_ELSEWHERE = 30.0
"""But not if it has been heard at another place since."""

UNHEARD_S = 2.5
"""After so long a touch that no tag explained stands by itself (twice a slow scan's decision)."""

NOT_HEARD_YET = 0.7
NOT_HEARD = 3.0
PUT_BACK = 0.3
"""A tile that no tag explains: until `UNHEARD_S` after its touch, later, and where two touches undo each other."""

PUT_BACK_S = 6.0
"""Tiles that are lifted to be sorted are back within this (our choice)."""

MOST_LIFTED = 16
"""Tiles that may leave a rack within one touch: more than a rack holds."""


class Heard(Struct):
    """A tag's move that is not told yet. `elsewhere`: it left, and has been heard at another place since."""

    move: Move
    elsewhere: bool = False


class Date(Struct):
    """A moment of a touch at which tiles landed (`up`) or were lifted. `tiles`: how many tags it may still date."""

    moment: Moment
    up: bool
    tiles: int


class Touch(Struct):
    """One touch in the books: `left` tiles came (or went, negative) in it that are not told yet.

    `move`: what it is told as without tags. It lasted from `onset` to `rest_s`, and is known since `seen_s`. `open`: it
    still goes on, and nobody knows what it will come to.
    """

    move: Move
    left: int
    dates: list[Date]
    onset: Moment
    rest_s: float
    seen_s: float
    open: bool = False

    def fits(self, move: Move) -> list[Date]:
        """The moments of this touch at which a tag may have moved its way, in order of time."""
        return [date for date in self.dates if date.up == (move.tiles > 0) and date.tiles > 0]

    def dated(self, one: Heard) -> list[tuple[float, Date]]:
        """The moments of this touch for a tag's move with what each costs, the likeliest first."""
        fit = self.fits(one.move)
        costs = [_time_cost(date.moment, one) for date in fit]
        first = next((k for k, cost in enumerate(costs) if cost < OUTSIDE), len(fit))
        costs = [cost + (NOT_FIRST if k > first else 0.0) for k, cost in enumerate(costs)]
        return sorted(zip(costs, fit, strict=True), key=lambda each: each[0])

    def take(self, one: Heard) -> Moment:
        """When a tag moved that moved in this touch: at one of its moments, or some time in it."""
        dated = self.dated(one)
        if dated:
            best_cost, best = dated[0]
            best.tiles -= 1
            near = [date.moment for cost, date in dated if cost < best_cost + DOUBT]
            return hull(best.moment, near)
        tag, first, last_s = one.move.moment, self.onset, self.rest_s
        earliest_s, latest_s = max(tag.earliest_s, first.earliest_s), min(tag.latest_s, last_s)
        if earliest_s > latest_s:
            earliest_s, latest_s = first.earliest_s, last_s
        return Moment(min(max(tag.at_s, earliest_s), latest_s), earliest_s, latest_s)


def hull(best: Moment, others: Iterable[Moment]) -> Moment:
    """The best of several moments, with bounds that hold them all."""
    every = [best, *others]
    return Moment(best.at_s, min(m.earliest_s for m in every), max(m.latest_s for m in every))


def touch_of(step: Step, move: Move) -> Touch:
    """A step as an entry in the books. `move`: the step as a move of tiles."""
    gained = step.after - step.before
    rises = step.rises if len(step.rises) > 1 or gained <= 0 else (step.edge,)
    if gained > 0:  # the landing that made the change is known best
        rises = tuple(step.edge if abs(rise.at_s - step.edge.at_s) < SAME_S else rise for rise in rises)
    each = max(1, gained, len(rises))  # which of several was whose landing is not known
    dates = [Date(rise, True, each) for rise in rises]
    if gained < 0:
        is_lift = not step.rises and step.high <= step.before
        dates.append(Date(step.edge, False, -gained if is_lift else MOST_LIFTED))
    return Touch(move, gained, dates, step.onset, step.rest_s, step.seen_s)


def under_way(move: Move, since_s: float, now_s: float) -> Touch:
    """A touch that goes on since `since_s`; `move` stands for what it may come to."""
    onset = Moment(since_s, since_s, since_s)
    return Touch(replace(move, tiles=0, moment=onset), 0, [], onset, now_s, now_s, open=True)


class Assignment(Struct, frozen=True):
    """Where each tag belongs, by its index: a touch's index, or -1 for no move. `left`: what stays of each touch."""

    where: tuple[int, ...]
    left: tuple[int, ...]
    cost: float


class Balance(Struct, frozen=True):
    """The cheapest assignment, and by how much dearer every other place is of each tag that is nearly as likely."""

    best: Assignment
    others: tuple[dict[int, float], ...]

    def margin(self, n: int) -> float:
        """By how much a tag's next best place is dearer."""
        return min(self.others[n].values(), default=NOT_HEARD)


def balance(heard: Sequence[Heard], touches: Sequence[Touch], now_s: float) -> Balance:
    """Assign tags' moves to touches, both in order of time."""
    lefts = tuple(touch.left for touch in touches)
    grown = [Assignment((), lefts, 0.0)]
    for one in heard:
        options = [(-1, _stays_cost(one))]
        options += [(k, cost) for k, touch in enumerate(touches) if (cost := _touch_cost(touch, one)) is not None]
        grown = [_with(each, k, one.move.tiles, cost) for each in grown for k, cost in options]
        grown.sort(key=lambda each: each.cost + _left_cost(each.left, unexplained(each.left, touches), touches, now_s))
        del grown[WIDTH:]
    costs = [_whole_cost(each, heard, touches, now_s) for each in grown]
    order = sorted(range(len(grown)), key=costs.__getitem__)
    best, cost = grown[order[0]], costs[order[0]]
    others: tuple[dict[int, float], ...] = tuple({} for _ in heard)
    for k in order:
        for n, place in enumerate(grown[k].where):
            if place != best.where[n]:
                others[n].setdefault(place, costs[k] - cost)
    return Balance(best, others)


def unexplained(left: Sequence[int], touches: Sequence[Touch]) -> list[int]:
    """What stays of each touch where those that undo each other are left out, the newest first."""
    rest = [0 if touch.open else n for n, touch in zip(left, touches, strict=True)]
    for k, after in enumerate(touches):
        for j in range(k - 1, -1, -1):
            if rest[k] * rest[j] < 0 and after.onset.at_s - touches[j].rest_s < PUT_BACK_S:
                met = min(abs(rest[k]), abs(rest[j])) * (1 if rest[k] > 0 else -1)
                rest[k] -= met
                rest[j] += met
    return rest


def _with(before: Assignment, k: int, tiles: int, cost: float) -> Assignment:
    left = before.left if k < 0 else (*before.left[:k], before.left[k] - tiles, *before.left[k + 1 :])
    return Assignment((*before.where, k), left, before.cost + cost)


def _stays_cost(one: Heard) -> float:
    if one.move.tiles > 0:
        return STILL_HOVERS
    return KNOWN_ELSEWHERE if one.elsewhere else FELL_SILENT


def _touch_cost(touch: Touch, one: Heard) -> float | None:
    """What it costs that a tag moved in this touch, `None` where it cannot have."""
    tag, came = one.move.moment, one.move.tiles > 0
    since_s = one.move.came_s if one.elsewhere else tag.earliest_s - MOST_EARLY_S
    if touch.rest_s < since_s:
        return None
    if touch.onset.at_s > tag.latest_s + MOST_LATE_S and (touch.open or not came):
        return None  # a tile is not missed before it is lifted; what a touch brings is seen when it is over
    fit = touch.fits(one.move)
    if fit:
        return min(_time_cost(date.moment, one) for date in fit)
    nearest_s = min(max(tag.at_s, touch.onset.at_s), touch.rest_s)
    cost = _time_cost(Moment(nearest_s, nearest_s, nearest_s), one)
    return cost + (NO_LANDING if came and not touch.open else 0.0)


def _time_cost(at: Moment, one: Heard) -> float:
    """How badly a moment of the scales fits a tag's bounds."""
    tag, came = one.move.moment, one.move.tiles > 0
    if at.at_s < tag.earliest_s:
        early_s = tag.earliest_s - at.at_s
        cost = OUTSIDE + early_s / (BEFORE_S if came else LATE_S)
        return min(cost, early_s / CARRIED_S) if one.elsewhere else cost
    if at.at_s > tag.latest_s:
        late_s = at.at_s - tag.latest_s
        cost = OUTSIDE + late_s / AFTER_S
        return min(cost, HOVERED + late_s / HOVERING_S) if came else cost
    return INSIDE * abs(at.at_s - tag.at_s) / max(tag.latest_s - tag.at_s, tag.at_s - tag.earliest_s, 0.01)


def _whole_cost(each: Assignment, heard: Sequence[Heard], touches: Sequence[Touch], now_s: float) -> float:
    """What an assignment of all tags costs."""
    rest = unexplained(each.left, touches)
    return each.cost + _left_cost(each.left, rest, touches, now_s) + _swap_cost(each, rest, heard, touches)


def _left_cost(left: Sequence[int], rest: Sequence[int], touches: Sequence[Touch], now_s: float) -> float:
    """What the tiles cost that no tag explains: `left` in each touch, `rest` of them after what others undo."""
    cost = 0.0
    for before, after, touch in zip(left, rest, touches, strict=True):
        if touch.open:
            continue
        each = NOT_HEARD_YET if now_s - touch.seen_s < UNHEARD_S else NOT_HEARD
        cost += abs(after) * each + (abs(before) - abs(after)) * PUT_BACK
    return cost


def _swap_cost(each: Assignment, rest: Sequence[int], heard: Sequence[Heard], touches: Sequence[Touch]) -> float:
    """Touches in which tiles were taken and others put down."""
    placed = list(zip(each.where, (one.move for one in heard), strict=True))
    came = {k for k, move in placed if move.tiles > 0}
    went = {k for k, move in placed if move.tiles < 0}
    new = {k for k, move in placed if move.tiles > 0 and not move.own}
    cost = 0.0
    for k, touch in enumerate(touches):
        if k in new and rest[k] < each.left[k]:
            cost += PICKED_AMID
        taken_unheard = k in came and each.left[k] < 0 <= touch.move.tiles
        put_unheard = k in went and each.left[k] > 0
        if k in came and k in went:
            cost += SWAP
        elif not touch.open and (taken_unheard or put_unheard):
            cost += UNHEARD_SWAP
    return cost
