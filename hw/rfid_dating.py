"""When a tile came and when it went: the posterior of one change, from the rounds around it.

Owns the arithmetic from evidence to a `Moment` with 99 % bounds. Pure functions; refuses to know beliefs and decisions.
A change lies between two rounds. Each such interval's weight is the likelihood of all that was heard before and after
it, under the hidden Markov model that also made the decision (`hw.rfid_belief`); the bounds are quantiles of that.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from math import exp, log

from msgspec import Struct

from hw.observations import Moment
from hw.rfid_belief import HOVER_RESTS, HOVER_S, HOVERED_PER_S, LONGEST_STEP, PLACED_PER_S

LIFTED_PER_S = 0.03
"""How often a tile that came to rest is lifted again while it is being dated. Our choice."""
TAIL = 0.0025
"""Probability left outside each bound: less than the 0.005 that 99 % asks, since the model is not the world. Our choice."""
NEGLIGIBLE = 20.0
"""Intervals whose log weight is this far below the best one's are left out. Our choice."""


class Evidence(Struct, frozen=True):
    """One round's word about one tile: how likely it is if the tile rests here, hovers here, or is away."""

    host_s: float
    rest: float
    hover: float
    away: float


def date_arrival(evidence: Sequence[Evidence], not_before_s: float, early_s: float, late_s: float) -> Moment:
    """When the tile came to its present rest.

    `evidence` is in order, from a time at which it was not yet at rest until now; it was elsewhere until `not_before_s`.
    `early_s` and `late_s` bound the node's clock.
    """
    log_weights: list[float] = []
    away, hovering, resting = 1.0, 0.0, 0.0
    log_total = 0.0
    log_rest = 0.0
    previous_s = evidence[0].host_s
    for each in evidence:
        elapsed = each.host_s - previous_s
        previous_s = each.host_s
        drop = elapsed / (HOVER_S + elapsed)
        place = min(LONGEST_STEP, PLACED_PER_S * elapsed)
        hover = min(LONGEST_STEP / 2, HOVERED_PER_S * elapsed)
        lift = min(LONGEST_STEP, LIFTED_PER_S * elapsed)
        entered = away * place + hovering * drop * HOVER_RESTS
        log_weights.append(log(entered) + log_total - log_rest if entered > 0.0 else float("-inf"))
        next_away = away * (1.0 - place - hover) + hovering * drop * (1.0 - HOVER_RESTS) + resting * lift
        hovering = (hovering * (1.0 - drop) + away * hover) * each.hover
        resting = (resting * (1.0 - lift) + entered) * each.rest
        away = next_away * each.away
        total = away + hovering + resting
        away, hovering, resting = away / total, hovering / total, resting / total
        log_total += log(total)
        log_rest += log(each.rest * (1.0 - lift))
    return _moment(evidence, log_weights, not_before_s, float("inf"), early_s, late_s)


def date_departure(evidence: Sequence[Evidence], not_after_s: float, early_s: float, late_s: float) -> Moment:
    """When the tile left its rest.

    `evidence` is in order, from a time at which it rested here until now; it was somewhere else by `not_after_s`.
    """
    log_weights: list[float] = []
    log_odds = 0.0
    previous_s = evidence[0].host_s
    for each in evidence:
        elapsed = each.host_s - previous_s
        previous_s = each.host_s
        log_weights.append(log_odds + log(elapsed) if elapsed > 0.0 else float("-inf"))
        log_odds += log(each.rest / each.away)
    return _moment(evidence, log_weights, float("-inf"), not_after_s, early_s, late_s)


def _moment(
    evidence: Sequence[Evidence],
    log_weights: Sequence[float],
    not_before_s: float,
    not_after_s: float,
    early_s: float,
    late_s: float,
) -> Moment:
    """Mean and quantiles of a change in the interval before round k with weight k, uniform inside each interval."""
    highest = max(log_weights)
    spans: list[tuple[float, float]] = []
    weights: list[float] = []
    previous_s = evidence[0].host_s
    for each, log_weight in zip(evidence, log_weights, strict=True):
        low, high = max(previous_s, not_before_s), min(each.host_s, not_after_s)
        if log_weight > highest - NEGLIGIBLE and high > low:
            spans.append((low, high))
            weights.append(exp(log_weight - highest) * (high - low) / (each.host_s - previous_s))
        previous_s = each.host_s
    if not spans:
        edge = min(max(evidence[-1].host_s, not_before_s), not_after_s)
        first = min(evidence[0].host_s, edge)
        return Moment((first + edge) / 2, first - early_s, edge + late_s)
    sums = list(accumulate(weights))
    mean = sum(w * (low + high) / 2 for w, (low, high) in zip(weights, spans, strict=True)) / sums[-1]

    def quantile(share: float) -> float:
        wanted = share * sums[-1]
        k = min(bisect_left(sums, wanted), len(spans) - 1)
        low, high = spans[k]
        return low + (high - low) * min(1.0, max(0.0, (wanted - sums[k] + weights[k]) / weights[k]))

    return Moment(mean, quantile(TAIL) - early_s, quantile(1.0 - TAIL) + late_s)
