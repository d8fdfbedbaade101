"""When a tile came and when it went: the posterior of one change, from the rounds around it.

Owns the arithmetic from what was heard to a `Moment` with 99 % bounds. Pure functions; refuses to know beliefs and
decisions. A change lies between two rounds. Each such interval's weight is the joint probability of all that was heard
before and after it, under the hidden Markov model that also made the decision (`hw.rfid_belief`) and averaged over what
the tag's hearing rate may be; the bounds are quantiles of that.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from math import exp, log
from typing import NamedTuple

from hw.observations import Moment
from hw.rfid_belief import HUSHED_HEARD, LONGEST_STEP_S, NEAR_HEARD, TOUCH_HEARD

PLACED_PER_S = 0.5
TOUCHED_PER_S = 0.04
NEARED_PER_S = 0.2
"""How often a tile on its way to an antenna is placed there, touches it first, or is held near it. Our choice."""
TOUCH_S = 0.08
TOUCH_RESTS = 0.1
NEAR_S = 0.5
NEAR_RESTS = 0.5
"""Mean time of a touch and of being held near, and the shares that end in the tile being placed. Our choice."""
LEAVES_NEAR = 0.4
LEFT_NEAR_S = 0.3
"""A tile lifted stays within hearing in this share of cases, for this mean time. Our choice."""
HELD_DENSE = 4
HELD_FROM_S = 2.5
HELD_TO_S = 1.0
"""Hearing is dense when so many rounds in a row heard the tile; it was in a hand for so long before. Our choice."""
HELD_USUAL = 0.03
HELD_PRIOR = 0.005
HELD_PRIOR_ROUNDS = 200.0
"""Share of rounds in the second before it is placed in which a tile is heard: where the rates above hold; and what is
assumed at first, with the readings it weighs as. Our choice."""
HANDLED_S = 0.2
HANDLED_HEARD = 0.8
"""A tile just placed, or about to be lifted, is heard this much as often for this mean time: a hand detunes it. Our
choice."""
HUSHED_PER_S = 0.003
HUSH_S = 1.2
"""A tile at rest falls silent so often, for this mean time, while it is being dated. Our choice."""
LIFTED_PER_S = 0.03
"""How often a tile that came to rest is lifted again while it is being dated. Our choice."""
RATES = (0.4, 0.6, 0.75, 0.85, 0.92, 0.97)
"""Hearing rates that dating tries. Our choice."""
KNOWN_READINGS = 120.0
"""A tag with so many readings has one rate, its own. Our choice."""
TAIL = 0.0045
"""Probability left outside each bound: less than the 0.005 that 99 % asks, since the model is not the world. Our
choice."""
NEGLIGIBLE = 18.0
"""Intervals whose log weight is this far below the best one's are left out. Our choice."""


class Word(NamedTuple):
    """What one round that proves something says of one tile. `own`: by the antenna of the rest, else by its sibling."""

    host_s: float
    own: bool
    heard: bool


class HeldTiles:
    """How much a tile held in a hand before a rack is heard there: learned, since it differs most between antennas."""

    __slots__ = ("_heard", "_rounds")

    def __init__(self) -> None:
        self._heard = HELD_PRIOR * HELD_PRIOR_ROUNDS
        self._rounds = HELD_PRIOR_ROUNDS

    @property
    def share(self) -> float:
        """By how much the rates of being near a rack are to be scaled, 0 to 1."""
        return min(1.0, self._heard / self._rounds / HELD_USUAL)

    def learn(self, words: Sequence[Word]) -> None:
        """These words end in a rest; was the tile heard before, while it can hardly have lain there yet?

        That is judged before the hearing became dense, whatever the date will be: else the two would agree on an error.
        """
        own = [each for each in words if each.own]
        dense = len(own)
        while dense > 0 and own[dense - 1].heard:
            dense -= 1
        if len(own) - dense < HELD_DENSE:
            return
        dense_s = own[dense].host_s
        for each in own:
            if dense_s - HELD_FROM_S < each.host_s < dense_s - HELD_TO_S:
                self._rounds += 1.0
                self._heard += each.heard


class Hearing(NamedTuple):
    """How the tile being dated is heard.

    `heard`, `missed`: its readings at rest so far, more than none of each. `cross`: how often the sibling hears it at
    rest; `stray`: how often an antenna does while it is away; `held`: see `HeldTiles.share`.
    """

    heard: float
    missed: float
    cross: float
    stray: float
    held: float


class Clock(NamedTuple):
    """Bounds of a node's clock."""

    early_s: float
    late_s: float


def date_arrival(words: Sequence[Word], hearing: Hearing, not_before_s: float, clock: Clock) -> Moment:
    """When the tile came to its present rest.

    `words` are in order, from a time at which it was not yet at rest until now; it was elsewhere until `not_before_s`.
    """
    logs: list[list[float]] = []
    for rate, log_weight in _rates(hearing.heard, hearing.missed):
        logs.append([each + log_weight for each in _arrivals(words, rate, hearing)])
    highest = max(map(max, logs))
    weights = [
        sum(exp(each - highest) for each in column if each > highest - NEGLIGIBLE) for column in zip(*logs, strict=True)
    ]
    return _moment(words, weights, not_before_s, float("inf"), clock)


def date_departure(words: Sequence[Word], hearing: Hearing, not_after_s: float, clock: Clock) -> Moment:
    """When the tile left its rest.

    `words` are in order, from a time at which it rested here until now; it was somewhere else by `not_after_s`.
    """
    likely: dict[tuple[bool, bool], tuple[float, ...]] = {}
    for own, at_rest in ((True, _rate(hearing)), (False, hearing.cross)):
        shares = (at_rest, at_rest * HANDLED_HEARD, at_rest * NEAR_HEARD, hearing.stray)
        likely[own, True] = shares
        likely[own, False] = tuple(1.0 - share for share in shares)
    leaves_near = LEAVES_NEAR * hearing.held
    after: list[float] = []
    if_near = if_away = 1.0
    log_scale = 0.0
    later_s = words[-1].host_s
    for host_s, own, heard in reversed(words):
        parted = 1.0 - exp((host_s - later_s) / LEFT_NEAR_S)
        later_s = host_s
        _, _, near, away = likely[own, heard]
        if_near = near * ((1.0 - parted) * if_near + parted * if_away)
        if_away *= away
        after.append(log(leaves_near * if_near + (1.0 - leaves_near) * if_away) + log_scale)
        scale = if_near + if_away
        log_scale += log(scale)
        if_near, if_away = if_near / scale, if_away / scale
    after.reverse()
    logs: list[float] = []
    resting = handled = 1.0
    log_scale = 0.0
    previous_s = words[0].host_s
    if_rest = if_handled = 1.0
    for (host_s, own, heard), log_after in zip(words, after, strict=True):
        elapsed = host_s - previous_s
        previous_s = host_s
        remains = exp(-elapsed / HANDLED_S)
        resting *= if_rest
        handled = remains * handled * if_handled + (1.0 - remains) * resting
        logs.append(log(handled * elapsed) + log_scale + log_after if elapsed > 0.0 else float("-inf"))
        log_scale += log(handled)
        resting, handled = resting / handled, 1.0
        if_rest, if_handled, _, _ = likely[own, heard]
    highest = max(logs)
    weights = [exp(each - highest) if each > highest - NEGLIGIBLE else 0.0 for each in logs]
    return _moment(words, weights, float("-inf"), not_after_s, clock)


def _bounded(rate: float) -> float:
    return min(RATES[-1], max(RATES[0], rate))


def _rate(hearing: Hearing) -> float:
    return _bounded(hearing.heard / (hearing.heard + hearing.missed))


def _rates(heard: float, missed: float) -> Sequence[tuple[float, float]]:
    """What a tag's rate may be after these readings, each with the log of its probability (Beta, in points)."""
    if heard + missed > KNOWN_READINGS:
        return ((_bounded(heard / (heard + missed)), 0.0),)
    found: list[tuple[float, float]] = []
    for k, rate in enumerate(RATES):
        width = RATES[min(k + 1, len(RATES) - 1)] - RATES[max(k - 1, 0)]
        found.append((rate, (heard - 1.0) * log(rate) + (missed - 1.0) * log(1.0 - rate) + log(width)))
    highest = max(each for _, each in found)
    return [(rate, each - highest) for rate, each in found if each > highest - 7.0]


def _arrivals(words: Sequence[Word], rate: float, hearing: Hearing) -> list[float]:
    """Log of the joint probability of all words with the last arrival in the interval before each of them.

    Forward over the states before the arrival (away, hovering, at rest for a while), backward over those after it (at
    rest, hushed), and a product where they meet.
    """
    likely: dict[tuple[bool, bool], tuple[float, ...]] = {}
    for own, at_rest in ((True, rate), (False, hearing.cross)):
        shares = (
            at_rest,
            HUSHED_HEARD,
            at_rest * HANDLED_HEARD,
            at_rest * TOUCH_HEARD,
            at_rest * NEAR_HEARD,
            hearing.stray,
        )
        likely[own, True] = shares
        likely[own, False] = tuple(1.0 - share for share in shares)
    after: list[float] = []
    if_resting = if_hushed = if_placed = 1.0
    log_scale = 0.0
    later_s = words[-1].host_s
    for host_s, own, heard in reversed(words):
        elapsed = later_s - host_s
        later_s = host_s
        hush = HUSHED_PER_S * elapsed
        end = elapsed / (HUSH_S + elapsed)
        release = elapsed / (HANDLED_S + elapsed)
        if_rest, if_hush, if_place, _, _, _ = likely[own, heard]
        if_rested = if_rest * ((1.0 - hush) * if_resting + hush * if_hushed)
        if_placed = if_place * ((1.0 - release) * if_placed + release * if_resting)
        if_hushed = if_hush * ((1.0 - end) * if_hushed + end * if_resting)
        after.append(log(if_placed) + log_scale)
        scale = if_rested + if_hushed + if_placed
        log_scale += log(scale)
        if_resting, if_hushed, if_placed = if_rested / scale, if_hushed / scale, if_placed / scale
    after.reverse()
    logs: list[float] = []
    away, touching, nearing, resting = 1.0, 0.0, 0.0, 0.0
    log_scale = 0.0
    previous_s = words[0].host_s
    for (host_s, own, heard), log_after in zip(words, after, strict=True):
        elapsed = host_s - previous_s
        previous_s = host_s
        if elapsed > LONGEST_STEP_S:
            elapsed = LONGEST_STEP_S
        let_go = touching * (1.0 - exp(-elapsed / TOUCH_S))
        put = nearing * (1.0 - exp(-elapsed / NEAR_S))
        placed = away * PLACED_PER_S * elapsed
        touched = away * TOUCHED_PER_S * elapsed
        neared = away * hearing.held * NEARED_PER_S * elapsed
        lifted = resting * LIFTED_PER_S * elapsed
        entered = placed + let_go * TOUCH_RESTS + put * NEAR_RESTS
        logs.append(log(entered) + log_scale + log_after if entered > 0.0 else float("-inf"))
        if_rest, _, _, if_touch, if_near, if_away = likely[own, heard]
        away += let_go * (1.0 - TOUCH_RESTS) + put * (1.0 - NEAR_RESTS) + lifted - placed - touched - neared
        away *= if_away
        touching = (touching - let_go + touched) * if_touch
        nearing = (nearing - put + neared) * if_near
        resting = (resting - lifted + entered) * if_rest
        total = away + touching + nearing + resting
        away, touching, nearing, resting = away / total, touching / total, nearing / total, resting / total
        log_scale += log(total)
    return logs


def _moment(
    words: Sequence[Word], weights: Sequence[float], not_before_s: float, not_after_s: float, clock: Clock
) -> Moment:
    """Mean and quantiles of a change in the interval before word k with weight k, uniform inside each interval."""
    spans: list[tuple[float, float]] = []
    kept: list[float] = []
    previous_s = words[0].host_s
    for each, weight in zip(words, weights, strict=True):
        low, high = max(previous_s, not_before_s), min(each.host_s, not_after_s)
        if weight > 0.0 and high > low:
            spans.append((low, high))
            kept.append(weight * (high - low) / (each.host_s - previous_s))
        previous_s = each.host_s
    if not spans:
        edge = min(max(words[-1].host_s, not_before_s), not_after_s)
        first = min(words[0].host_s, edge)
        return Moment((first + edge) / 2, first - clock.early_s, edge + clock.late_s)
    sums = list(accumulate(kept))
    mean = sum(w * (low + high) / 2 for w, (low, high) in zip(kept, spans, strict=True)) / sums[-1]

    def quantile(share: float) -> float:
        wanted = share * sums[-1]
        k = min(bisect_left(sums, wanted), len(spans) - 1)
        low, high = spans[k]
        return low + (high - low) * min(1.0, max(0.0, (wanted - sums[k] + kept[k]) / kept[k]))

    return Moment(mean, quantile(TAIL) - clock.early_s, quantile(1.0 - TAIL) + clock.late_s)
