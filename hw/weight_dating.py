r"""When a tile came or went, read from what one load cell felt during one touch.

Owns the dating of edges and their 99 % bounds. Refuses to know counting, rest and faults. Samples of a touch ->
**weight_dating** -> moments of a step.

Theory of operation. A converter tells every force late and smeared: a chip that settles in four conversions shows a
step as a ramp of four samples (HX711), one that does not shows it at once, and which of them it is nobody said. So a
moment is bounded by what both could have meant, and the touch itself says how much of that is possible: no converter
settles slower than the whole touch took.

Hands press while tiles move, and hide them. What they cannot hide bounds the change: while the load was still at its
old level with no hand on it, nothing had changed (`_before`); once it is at its new level, all had (`_by`). Between the
two, a tile that lands hits the rack, a tile that leaves takes the pressing finger with it.

       grams                 hand        tile lands         `old_g`, `new_g`: the rests before and after
    new_g ............................/\.._________         0: last sample at rest
    old_g ___0/\___..............____/   \/       rest      _before: still old;  _by, rest: new
"""

from msgspec import Struct

from hw.observations import Moment

MOST_RISES = 8
"""Rises that are told of one touch: so many of its first, for a tile that is brought and then sorted in, and so many of
its last (our choice)."""

CONTACT_S = 0.06
"""A hand touches the rack at most so long before the tile it brings lands (our choice)."""

BOUNCE_SAMPLES = 2.5
"""Where conversions are further apart, a tile that bounces has touched the rack so long before (our choice)."""

STEEP_TILES = 0.8
"""A rise of so many tiles within a sample is steep: impacts of a landing tile are more. Our choice."""

SETTLING = 3.9
"""Conversions within which a converter has settled but for a trace (HX711: 400 ms at 10 a second, 50 ms at 80)."""

LIKELY_SETTLING = 3.0
TELLING_SPAN = 8.0
"""A touch of more conversions says nothing of the converter; one that settles in three is then the guess (our choice:
between chips that settle in four and boards that read them slower than they convert)."""

FOOT_LAG = 0.1
"""Conversions from the last sample at rest to an edge: between the slowest converter, which hides more than one, and
one that settles at once and leaves half a one on average."""

AT_ONCE = 0.7
"""No converter that settles in four conversions shows more of a step between two of them; a chip's own filter 0.6."""

FOOT_SAMPLES = 4
"""The foot of a rise is looked for so many samples back: as long as a converter settles."""

SMOOTHED_FOOT_SAMPLES = 8
"""Smoothing of 16 conversions, the most that common libraries do, hides an edge's first 40 % for so many samples."""

LEVEL_TILES = 0.4
"""A load within so many tiles of a level is at it: no tile came or went (our choice)."""

QUIET_S = 0.15
"""So long must a load stay at a level to be at it rather than to pass through it: impacts ring at 20 Hz and more, and
fingers that let go by and by take a tenth of a second (our choice)."""

LET_GO_S = 0.06
"""A finger leaves the rack at most so long after the tile that it lifts (our choice)."""

PRESS_TILES = 15.0
"""More than a landing tile and the hand that brings it weigh, averaged over a tenth of a second (our choice)."""

SHORTEST_PRESS = 1.5
"""Conversions of 10 a second that a press takes before a lifting (0.15 s is the middle of what was measured)."""

HANDLING_S = 0.5
"""A finger presses for less than this before it lifts a tile (measured presses last 0.1 to 0.2 s). A hand that was
there for longer may have lifted it at any time."""


class Touch(Struct, frozen=True):
    """What one cell felt from the last sample at rest (`times[0]`) to the first of the new rest (`times[rest]`).

    `times` in host seconds, `grams` of load above the cell's zero, both of the same length, later samples ignored.
    `old_g`, `new_g`: levels of the rests. `band_g`: what is no disturbance. `period_s`: of conversions. `early_s`,
    `late_s`: the clock's doubt.
    """

    times: list[float]
    grams: list[float]
    rest: int
    old_g: float
    new_g: float
    tile_g: float
    band_g: float
    period_s: float
    early_s: float
    late_s: float

    def bounded(self, at_s: float, earliest_s: float, latest_s: float) -> Moment:
        """A moment with the clock's doubt added to its bounds."""
        earliest_s = min(earliest_s, latest_s)
        return Moment(min(max(at_s, earliest_s), latest_s), earliest_s - self.early_s, latest_s + self.late_s)


def onset(touch: Touch) -> Moment:
    """When the rack was first touched: since the last sample at rest, or as long before as a slow converter hid it."""
    times, grams = touch.times, touch.grams
    force_g = max(touch.band_g, *(abs(g - touch.old_g) for g in grams[1 : 2 + FOOT_SAMPLES]))
    return touch.bounded((times[0] + times[1]) / 2, times[0] - _hidden_s(touch, 0, force_g), times[1])


def clean(touch: Touch) -> bool:
    """A plain edge: the load never went to the other side of where it was."""
    loads = touch.grams[: touch.rest + 1]
    stray_g = min(loads) - touch.old_g if touch.new_g > touch.old_g else touch.old_g - max(loads)
    return stray_g > -0.5 * touch.tile_g


def landing(touch: Touch) -> Moment:
    """When tiles came: best guessed the first rise as steep as a tile, and at the latest the last.

    Where no rise is and the touch was short, smoothing hid it and the load began to rise with it. Otherwise the hand
    hid it, and the whole touch is the bound; so it is where conversions are too far apart to show an impact.
    """
    times, before = touch.times, _before(touch)
    by = _by(touch, before)
    span_s, peak_g = times[by] - times[before], max(touch.grams[before : by + 1])
    rises = _steep_rises(touch, before, by)
    if rises:
        likely, earliest_s = rises[0], rises[0].earliest_s
        latest_s = max(rise.latest_s for rise in rises)
        hidden = span_s > HANDLING_S + SETTLING * touch.period_s or peak_g > touch.new_g + PRESS_TILES * touch.tile_g
        if touch.period_s > CONTACT_S and hidden:
            latest_s = max(latest_s, times[by] + touch.late_s)
    else:
        short = peak_g < touch.new_g + 0.5 * touch.tile_g or span_s < HANDLING_S
        until_s = times[before + 1] + CONTACT_S if short else times[by]
        began_s = times[before] - _hidden_s(touch, before)
        likely = touch.bounded((times[before] + times[before + 1]) / 2, began_s, until_s)
        earliest_s, latest_s = likely.earliest_s, likely.latest_s
    if before > 0 or by < touch.rest:
        likely = next(iter(_steep_rises(touch, 0, touch.rest)), likely)
    return Moment(likely.at_s, min(likely.earliest_s, earliest_s), max(likely.latest_s, latest_s))


def steep_rises(touch: Touch) -> tuple[Moment, ...]:
    """Every rise that a landing tile could have made, of a long touch the first and the last `MOST_RISES`."""
    rises = _steep_rises(touch, 0, touch.rest)
    return tuple(rises if len(rises) <= 2 * MOST_RISES else rises[:MOST_RISES] + rises[-MOST_RISES:])


def lifting(touch: Touch) -> Moment:
    """When tiles went: best guessed when the load fell below half-way for good.

    A converter that settles tells so up to `SETTLING` conversions late. A finger that presses meanwhile goes with the
    tile; without one the load begins to fall as the tile goes. A tile that is levered out relieves the rack of more
    than its weight, and is gone when that is over.
    """
    times, period_s, before = touch.times, touch.period_s, _before(touch)
    by = _by(touch, before)
    last = _last_above(touch, before, by)
    gone = last + 1
    while gone < by and touch.grams[gone] < touch.new_g - LEVEL_TILES * touch.tile_g:
        gone += 1
    began_s = times[before] - _hidden_s(touch, before)
    pressing_g = touch.old_g + 0.5 * touch.tile_g
    pressed = next((k for k in range(before, gone) if touch.grams[k] > pressing_g), gone)
    if pressed == gone:
        foot = next((k for k in range(last, before, -1) if touch.grams[k] > touch.old_g - touch.band_g), before)
        at_s = times[foot] + FOOT_LAG * period_s
    else:
        pressed_s = times[last] - times[pressed]
        at_s = times[last + 1] - (0.5 + _likely_settling(touch, before)) * period_s
        if pressed_s <= HANDLING_S + SETTLING * period_s:
            lag_s = min(SETTLING, _span(touch, before)) * period_s
            began_s = max(began_s, times[last] - lag_s - (LET_GO_S if period_s < LET_GO_S else 0.0))
    if by < touch.rest:
        final = _last_above(touch, by, touch.rest)
        if final > by:
            at_s = times[final + 1] - (0.5 + _likely_settling(touch, by)) * period_s
    return touch.bounded(at_s, min(began_s, at_s), max(times[gone], at_s))


def _last_above(touch: Touch, first: int, end: int) -> int:
    """The last sample before `end` at which the load was above half-way between the two rests, or `first`."""
    middle_g = (touch.old_g + touch.new_g) / 2
    return next((k for k in range(end - 1, first, -1) if touch.grams[k] > middle_g), first)


def _likely_settling(touch: Touch, before: int) -> float:
    """Conversions in which this converter most likely settles: what a short touch leaves beside a press.

    Of a long touch most is the hand's; then it is near what chips state.
    """
    span = _span(touch, before)
    return max(0.0, min(SETTLING, span - SHORTEST_PRESS - 1.0)) if span < TELLING_SPAN else LIKELY_SETTLING


def _before(touch: Touch) -> int:
    """The last sample at which the load surely was still the old one."""
    times, grams = touch.times, touch.grams
    reach_g = LEVEL_TILES * touch.tile_g
    found, since = 0, 0
    for k in range(1, touch.rest):
        if abs(grams[k] - touch.old_g) > reach_g:
            since = -1
            continue
        if since < 0:
            since = k
        if since == 0:
            found = max(0, k - SMOOTHED_FOOT_SAMPLES)  # the edge itself may have begun in this run
        elif k > since and times[k] - times[since] >= QUIET_S:
            found = k
    return found


def _by(touch: Touch, before: int) -> int:
    """The first sample after `before` at which the load surely was the new one."""
    times, grams = touch.times, touch.grams
    reach_g = LEVEL_TILES * touch.tile_g
    since = -1
    for k in range(before + 1, touch.rest):
        if abs(grams[k] - touch.new_g) > reach_g:
            since = -1
        elif since < 0:
            since = k
        elif times[k] - times[since] >= QUIET_S:
            return since
    return touch.rest


def _span(touch: Touch, before: int) -> float:
    """Conversions from `before` to the new rest: this converter settles in no more."""
    return (touch.times[touch.rest] - touch.times[before]) / touch.period_s


def _hidden_s(touch: Touch, before: int, force_g: float | None = None) -> float:
    """How long an edge of `force_g`, or of one tile, stays within the band of rest in the slowest converter.

    Four conversions averaged four times, as in a chip's own filter, begin as the fourth power of time over 4!.
    """
    share = touch.band_g / (touch.tile_g if force_g is None else force_g)
    # a touch is over for us about as early as it begins late
    slowest = min(1.0, (_span(touch, before) + 2.0) / SETTLING)
    return float(slowest * (24.0 * min(share, 0.5)) ** 0.25 * touch.period_s)


def _steep_rises(touch: Touch, first: int, end: int) -> list[Moment]:
    times, grams = touch.times, touch.grams
    rises: list[Moment] = []
    free_s = times[first]
    for k in range(first, end):
        if times[k] >= free_s and grams[k + 1] - grams[k] > STEEP_TILES * touch.tile_g:
            rises.append(_rise(touch, k, first))
            free_s = times[k] + CONTACT_S
    return rises


def _relieved(touch: Touch, first: int, until: int) -> bool:
    """Whether the load fell below the old rest before: a hand that holds the rack up hides a tile that comes."""
    return any(grams < touch.old_g - 0.5 * touch.tile_g for grams in touch.grams[first + 1 : until + 1])


def _rise(touch: Touch, k: int, first: int) -> Moment:
    """The landing that the steep rise after sample `k` shows.

    A hand touches the rack a little before the tile does, and a slow converter smears the edge: the bound begins at
    the foot of the rise, or with the touch where that began just before, and ends with its steepest step. Where most
    of the rise is one step, that is the impact; where it is spread over several, the foot is nearer the truth.

    Conversions that are further apart than hand and tile tell less: the tile of a sudden rise may still be on its way,
    and the foot alone is a date.
    """
    times, grams, period_s = touch.times, touch.grams, touch.period_s
    foot = k
    while foot > first and foot > k - FOOT_SAMPLES and grams[foot] - grams[foot - 1] > 0.5 * touch.band_g:
        foot -= 1
    steepest = k
    for n in range(k + 1, touch.rest):
        if times[n] > times[k] + CONTACT_S:
            break
        if grams[n + 1] - grams[n] > grams[steepest + 1] - grams[steepest]:
            steepest = n
    contact_s = CONTACT_S if period_s <= CONTACT_S else BOUNCE_SAMPLES * period_s
    hides_s = HANDLING_S if _relieved(touch, first, foot) else contact_s
    touched = first if times[foot] - times[first] <= hides_s else foot
    earliest_s, latest_s = times[touched] - _hidden_s(touch, touched), times[steepest + 1]
    step_g, rise_g = grams[steepest + 1] - grams[steepest], max(grams[steepest + 1 : steepest + 4]) - grams[foot]
    if period_s > CONTACT_S:
        at_s = times[foot] + (0.5 if step_g > AT_ONCE * rise_g else FOOT_LAG) * period_s
        return touch.bounded(at_s, earliest_s, latest_s + (CONTACT_S if foot == steepest else 0.0))
    at = steepest if step_g > 0.5 * rise_g else foot
    return touch.bounded((times[at] + times[at + 1]) / 2, earliest_s, latest_s)
