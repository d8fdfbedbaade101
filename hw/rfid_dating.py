"""When a tile came and when it went: the posterior of one change, from the rounds around it.

Owns the arithmetic from what was heard to a `Moment` with 99 % bounds. Pure functions; refuses to know beliefs and
decisions. A change lies between two rounds. Each such interval's weight is the joint probability of all that was heard
before and after it, under a hidden Markov model of a hand that brings or takes a tile, averaged over what the tag's
hearing rate may be and over how well a held tile is heard (`hw.rfid_held`); the bounds are quantiles of that.

A round hears each tile at some moment between its beginning and its end, and which is not known. So a tile heard first
by one round may have landed while that round, or the one before it, was under way.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from math import exp, log
from typing import NamedTuple, Protocol

from hw.observations import Moment
from hw.rfid_belief import BESIDE_SHARE, HUSHED_HEARD, LONGEST_STEP_S, TOUCH_HEARD
from hw.rfid_held import HELD_SHARES

NEARED_PER_S = 0.2
LOOKED_PER_S = 0.06
PLACED_PER_S = 0.04
TOUCHED_PER_S = 0.02
"""How often a tile on its way to an antenna is brought near to be placed, is held near to be looked at, is placed at
once, or touches the rack first. Our choice."""
NEAR_S = 0.25
NEAR_RESTS = 0.8
NEAR_TOUCHES = 0.05
"""Mean time of being brought near, and the shares that end in the tile being placed and in a touch. Our choice."""
LOOK_S = 0.8
LOOK_NEARS = 0.4
"""Mean time of being looked at, and the share that ends in the tile being brought nearer; else it goes away. Our
choice."""
TOUCH_S = 0.1
TOUCH_RESTS = 0.1
"""Mean time of a touch, and the share that ends in the tile being placed. Our choice."""
LEAVES_NEAR = 0.9
LEFT_NEAR_S = 0.3
"""A tile lifted stays near in this share of cases, for this mean time. Our choice."""
HANDLED_S = 0.2
HANDLED_HEARD = 0.85
HANDLED = 0.5
"""A tile just placed, or about to be lifted, is heard this much as often for this mean time in this share of cases: a
hand detunes it. Our choice."""
HUSHED_PER_S = 0.003
HUSH_S = 1.2
"""A tile at rest falls silent so often, for this mean time, while it is being dated. Our choice."""
LIFTED_PER_S = 0.03
"""How often a tile that came to rest is lifted again while it is being dated. Our choice."""
RATES = (0.14, 0.25, 0.4, 0.6, 0.75, 0.85, 0.92, 0.97)
"""Hearing rates that dating tries. Our choice."""
KNOWN_READINGS = 25.0
"""A tag's readings weigh no more than this: how it lies makes a difference each time. Our choice."""
TAIL = 0.0045
"""Probability left outside each bound: less than the 0.005 that 99 % asks, since the model is not the world. Our
choice."""
NEGLIGIBLE = 18.0
"""Intervals whose log weight is this far below the best one's are left out. Our choice."""


class Word(NamedTuple):
    """What one round of the antenna of the rest says of one tile, and its sibling's rounds since the round before.

    The round took from `began_s` to `host_s`. `beside_heard`, `beside_missed`: rounds of the sibling that heard the
    tile and that, being complete, did not.
    """

    began_s: float
    host_s: float
    heard: bool
    beside_heard: int = 0
    beside_missed: int = 0


class Hearing(NamedTuple):
    """How the tile being dated is heard.

    `heard`, `missed`: its readings at rest so far, more than none of each. `cross`: how often the sibling hears it at
    rest. While it is away, `stray` is how often this antenna hears it and `beside` how often the sibling does. `held`:
    the figures of `HELD_SHARES`, by index, that are tried, with the probability of each in `held_weights`. `rested`:
    the words may begin before the tile left this same place.
    """

    heard: float
    missed: float
    cross: float
    stray: float
    beside: float
    held: Sequence[int]
    held_weights: Sequence[float]
    rested: bool = False


class Clock(NamedTuple):
    """Bounds of a node's clock."""

    early_s: float
    late_s: float


class Dated(NamedTuple):
    """A date, and the log-probability of its words under each figure of `Hearing.held`."""

    moment: Moment
    evidence: Sequence[float]


def date_arrival(words: Sequence[Word], hearing: Hearing, not_before_s: float, clock: Clock) -> Dated:
    """When the tile came to its present rest.

    `words` are in order, from a time at which it was not yet at rest until now; it was elsewhere until `not_before_s`.
    """
    rates = _rates(hearing.heard, hearing.missed)
    return _dated(words, hearing, rates, _arrivals, (not_before_s, float("inf")), clock)


def date_departure(words: Sequence[Word], hearing: Hearing, not_after_s: float, clock: Clock) -> Dated:
    """When the tile left its rest.

    `words` are in order, from a time at which it rested here until now; it was somewhere else by `not_after_s`.
    """
    rates = ((_bounded(hearing.heard / (hearing.heard + hearing.missed)), 0.0),)
    return _dated(words, hearing, rates, _departures, (float("-inf"), not_after_s), clock)


class _Weigh(Protocol):
    """Logs of the joint probability of all words with the change in the interval before each of them."""

    def __call__(self, words: Sequence[Word], rate: float, held: float, hearing: Hearing) -> list[float]: ...


def _dated(
    words: Sequence[Word],
    hearing: Hearing,
    rates: Sequence[tuple[float, float]],
    weigh: _Weigh,
    span: tuple[float, float],
    clock: Clock,
) -> Dated:
    """The change under every rate and every figure for held tiles, each with its probability; within `span`."""
    logs: list[list[float]] = []
    owners: list[int] = []
    for k, held in enumerate(hearing.held):
        log_held = log(hearing.held_weights[k])
        for rate, log_rate in rates:
            found = weigh(words, rate, HELD_SHARES[held], hearing)
            logs.append([each + log_rate + log_held for each in found])
            owners.append(k)
    highest = max(map(max, logs))
    weights = [0.0] * len(words)
    sums = [0.0] * len(hearing.held)
    for row, owner in zip(logs, owners, strict=True):
        for k, each in enumerate(row):
            if each > highest - NEGLIGIBLE:
                weight = exp(each - highest)
                weights[k] += weight
                sums[owner] += weight
    evidence = [log(max(total, 1e-12) / weight) for total, weight in zip(sums, hearing.held_weights, strict=True)]
    return Dated(_moment(words, weights, span, clock), evidence)


def _bounded(rate: float) -> float:
    return min(RATES[-1], max(RATES[0], rate))


def _rates(heard: float, missed: float) -> Sequence[tuple[float, float]]:
    """What a tag's rate may be after these readings, each with the log of its probability (Beta, in points)."""
    scale = min(1.0, KNOWN_READINGS / (heard + missed))
    heard, missed = heard * scale, missed * scale
    found: list[tuple[float, float]] = []
    for k, rate in enumerate(RATES):
        width = RATES[min(k + 1, len(RATES) - 1)] - RATES[max(k - 1, 0)]
        found.append((rate, (heard - 1.0) * log(rate) + (missed - 1.0) * log(1.0 - rate) + log(width)))
    highest = max(each for _, each in found)
    total = sum(exp(each - highest) for _, each in found)
    return [(rate, each - highest - log(total)) for rate, each in found if each > highest - 5.0]


class _Likely:
    """How likely a word is in each state: at rest, hushed, handled, touching, near, away."""

    def __init__(self, rate: float, held: float, hearing: Hearing) -> None:
        stray, cross = hearing.stray, hearing.cross
        near = max(stray, rate * held)
        self._own = (rate, HUSHED_HEARD, rate * HANDLED_HEARD, rate * TOUCH_HEARD, near, stray)
        beside = max(stray, near * BESIDE_SHARE)
        self._beside = (cross, min(cross, HUSHED_HEARD), cross, max(cross, beside), beside, hearing.beside)
        self._known: dict[tuple[bool, int, int], tuple[float, ...]] = {}

    def of(self, word: Word) -> tuple[float, ...]:
        """The likelihoods, in that order."""
        key = word[2:]
        found = self._known.get(key)
        if found is None:
            heard, beside_heard, beside_missed = key
            found = self._known[key] = tuple(
                (own if heard else 1.0 - own) * beside**beside_heard * (1.0 - beside) ** beside_missed
                for own, beside in zip(self._own, self._beside, strict=True)
            )
        return found


_LEAST = 1e-300


def _log(x: float) -> float:
    """The logarithm of what may be so improbable that it is none: a node's clock may run a thousand times too fast."""
    return log(max(_LEAST, x))


def _middles(words: Sequence[Word]) -> list[float]:
    """The middle of each round, never before the one before it: a node's clock is learned, and what was read of it
    earlier may have been dated a little late."""
    return list(accumulate(((word.began_s + word.host_s) / 2.0 for word in words), max))


def _arrivals(words: Sequence[Word], rate: float, held: float, hearing: Hearing) -> list[float]:
    """Log of the joint probability of all words with the last arrival in the interval before each of them.

    Forward over the states before the arrival (away, brought near, looked at, touching, at rest for a while), backward
    over those after it (at rest, hushed, handled), and a product where they meet.
    """
    likely = _Likely(rate, held, hearing)
    shares = [likely.of(word) for word in words]
    times = _middles(words)
    after: list[float] = []
    if_resting = if_hushed = if_placed = 1.0
    log_scale = 0.0
    later_s = times[-1]
    for at_s, share in zip(reversed(times), reversed(shares), strict=True):
        elapsed = later_s - at_s
        later_s = at_s
        hush = min(1.0, HUSHED_PER_S * elapsed)
        end = elapsed / (HUSH_S + elapsed)
        release = elapsed / (HANDLED_S + elapsed)
        if_rest, if_hush, if_place, _, _, _ = share
        if_rested = if_rest * ((1.0 - hush) * if_resting + hush * if_hushed)
        if_placed = if_place * ((1.0 - release) * if_placed + release * if_resting)
        if_hushed = if_hush * ((1.0 - end) * if_hushed + end * if_resting)
        after.append(_log(HANDLED * if_placed + (1.0 - HANDLED) * if_rested) + log_scale)
        scale = max(_LEAST, if_rested + if_hushed + if_placed)
        log_scale += log(scale)
        if_resting, if_hushed, if_placed = if_rested / scale, if_hushed / scale, if_placed / scale
    after.reverse()
    logs: list[float] = []
    touching = nearing = looking = 0.0
    resting = 0.5 if hearing.rested else 0.0
    away = 1.0 - resting
    log_scale = 0.0
    previous_s = times[0]
    for at_s, share, log_after in zip(times, shares, after, strict=True):
        elapsed = at_s - previous_s
        previous_s = at_s
        if elapsed > LONGEST_STEP_S:
            elapsed = LONGEST_STEP_S
        let_go = touching * (1.0 - exp(-elapsed / TOUCH_S))
        put = nearing * (1.0 - exp(-elapsed / NEAR_S))
        placed = away * PLACED_PER_S * elapsed
        touched = away * TOUCHED_PER_S * elapsed
        neared = away * NEARED_PER_S * elapsed
        looked = away * LOOKED_PER_S * elapsed
        seen = looking * (1.0 - exp(-elapsed / LOOK_S))
        lifted = resting * LIFTED_PER_S * elapsed
        entered = placed + let_go * TOUCH_RESTS + put * NEAR_RESTS
        logs.append(log(entered) + log_scale + log_after if entered > 0.0 else float("-inf"))
        if_rest, _, _, if_touch, if_near, if_away = share
        away += put * (1.0 - NEAR_RESTS - NEAR_TOUCHES) + seen * (1.0 - LOOK_NEARS) - placed - touched - neared - looked
        touching += touched + put * NEAR_TOUCHES - let_go
        nearing += neared + seen * LOOK_NEARS + let_go * (1.0 - TOUCH_RESTS) - put
        looking += looked + lifted - seen
        resting += entered - lifted
        away *= if_away
        touching *= if_touch
        nearing *= if_near
        looking *= if_near
        resting *= if_rest
        total = away + touching + nearing + looking + resting
        away, touching, nearing = away / total, touching / total, nearing / total
        looking, resting = looking / total, resting / total
        log_scale += log(total)
    return logs


def _departures(words: Sequence[Word], rate: float, held: float, hearing: Hearing) -> list[float]:
    """Log of the joint probability of all words with the departure in the interval before each of them."""
    likely = _Likely(rate, held, hearing)
    shares = [likely.of(word) for word in words]
    times = _middles(words)
    after: list[float] = []
    if_near = if_away = 1.0
    log_scale = 0.0
    later_s = times[-1]
    for at_s, share in zip(reversed(times), reversed(shares), strict=True):
        parted = 1.0 - exp((at_s - later_s) / LEFT_NEAR_S)
        later_s = at_s
        _, _, _, _, near, away = share
        if_near = near * ((1.0 - parted) * if_near + parted * if_away)
        if_away *= away
        after.append(_log(LEAVES_NEAR * if_near + (1.0 - LEAVES_NEAR) * if_away) + log_scale)
        scale = max(_LEAST, if_near + if_away)
        log_scale += log(scale)
        if_near, if_away = if_near / scale, if_away / scale
    after.reverse()
    logs: list[float] = []
    resting = handled = 1.0
    log_scale = 0.0
    previous_s = times[0]
    if_rest = if_handled = 1.0
    for at_s, share, log_after in zip(times, shares, after, strict=True):
        elapsed = at_s - previous_s
        previous_s = at_s
        remains = exp(-elapsed / HANDLED_S)
        resting *= if_rest
        handled = remains * handled * if_handled + (1.0 - remains) * resting
        leaving = HANDLED * handled + (1.0 - HANDLED) * resting
        logs.append(_log(leaving * elapsed) + log_scale + log_after if elapsed > 0.0 else float("-inf"))
        scale = max(_LEAST, resting + handled)
        log_scale += log(scale)
        resting, handled = resting / scale, handled / scale
        if_rest, _, if_handled, _, _, _ = share
    return logs


def _moment(words: Sequence[Word], weights: Sequence[float], span: tuple[float, float], clock: Clock) -> Moment:
    """Mean and quantiles of a change in the interval before word k with weight k.

    A change between two rounds is as likely at each moment between the two hearings; these may have been at any moment
    of their rounds. So its density rises over the first round, is level between them and falls over the second: each
    round is taken in two halves.
    """
    not_before_s, not_after_s = span
    spans: list[tuple[float, float]] = []
    kept: list[float] = []

    def add(low: float, high: float, density: float) -> None:
        low, high = max(low, not_before_s), min(high, not_after_s)
        if density > 0.0 and high > low:
            spans.append((low, high))
            kept.append(density * (high - low))

    previous: Word | None = None
    density = 0.0
    for word, weight in zip(words, weights, strict=True):
        began_s, ended_s = word.began_s, word.host_s
        following = 0.0
        if previous is not None:
            elapsed = (began_s + ended_s - previous.began_s - previous.host_s) / 2
            following = weight / elapsed if elapsed > 0.0 else 0.0
            middle_s = (previous.began_s + previous.host_s) / 2
            add(previous.began_s, middle_s, 0.75 * density + 0.25 * following)
            add(middle_s, previous.host_s, 0.25 * density + 0.75 * following)
            add(previous.host_s, began_s, following)
        previous, density = word, following
    assert previous is not None
    middle_s = (previous.began_s + previous.host_s) / 2
    add(previous.began_s, middle_s, 0.75 * density)
    add(middle_s, previous.host_s, 0.25 * density)
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

    earliest_s, latest_s = quantile(TAIL) - clock.early_s, quantile(1.0 - TAIL) + clock.late_s
    return Moment(min(max(mean, earliest_s), latest_s), earliest_s, latest_s)
