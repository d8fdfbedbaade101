"""When a tile came and when it went: the posterior of one change of state, from the rounds of one antenna.

Owns the arithmetic from rounds to a `Moment` with 99 % bounds. Pure functions; refuses to know beliefs and decisions.
The change lies in some interval between two rounds. Each interval's weight is the likelihood of all that was heard
before and after it under the same hidden Markov model that made the decision; the bounds are quantiles of that.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from math import exp, log

from hw.observations import Moment
from hw.rfid_antenna import Round
from hw.rfid_belief import HOVER_HEARD, HOVER_RESTS, HOVER_S, HOVERED_PER_S, LIFTED_PER_S, PLACED_PER_S

TAIL = 0.003
"""Probability left outside each bound: less than the 0.005 that 99 % asks, since the model is not the world."""


def date_arrival(
    rounds: Sequence[Round], uid: str, hearing: float, stray: float, not_before_s: float, early_s: float, late_s: float
) -> Moment:
    """When the tile came to its present rest at the antenna whose `rounds` (in order, the last one now) these are.

    `rounds` begin while the tile is not yet at rest; it was elsewhere until `not_before_s`. `early_s`, `late_s` bound
    the node's clock.
    """
    log_weights: list[float] = []
    away, hovering, resting = 1.0, 0.0, 0.0
    log_scale = 0.0
    log_rest = 0.0
    previous_s = rounds[0].host_s
    for each in rounds:
        elapsed = max(0.0, each.host_s - previous_s)
        previous_s = each.host_s
        drop = elapsed / (HOVER_S + elapsed)
        place = min(0.3, PLACED_PER_S * elapsed)
        hover = min(0.15, HOVERED_PER_S * elapsed)
        lift = min(0.3, LIFTED_PER_S * elapsed)
        entry = away * place + hovering * drop * HOVER_RESTS
        next_away = away * (1.0 - place - hover) + hovering * drop * (1.0 - HOVER_RESTS) + resting * lift
        next_hovering = hovering * (1.0 - drop) + away * hover
        next_resting = resting * (1.0 - lift) + entry
        log_weights.append(log(entry) + log_scale - log_rest if entry > 0.0 else float("-inf"))
        heard = uid in each.heard
        if heard:
            rest_likely, hover_likely, away_likely = hearing, hearing * HOVER_HEARD, stray
        elif each.complete:
            rest_likely, hover_likely, away_likely = 1.0 - hearing, 1.0 - hearing * HOVER_HEARD, 1.0 - stray
        else:
            rest_likely = hover_likely = away_likely = 1.0
        away, hovering, resting = next_away * away_likely, next_hovering * hover_likely, next_resting * rest_likely
        total = away + hovering + resting
        away, hovering, resting = away / total, hovering / total, resting / total
        log_scale += log(total)
        log_rest += log(rest_likely * (1.0 - lift))
    return _moment(rounds, log_weights, not_before_s, early_s, late_s)


def date_departure(
    rounds: Sequence[Round], uid: str, hearing: float, stray: float, not_after_s: float, early_s: float, late_s: float
) -> Moment:
    """When the tile left its rest at the antenna whose `rounds` these are; it rested there at the first of them.

    It was elsewhere, or in a hand, by `not_after_s`.
    """
    log_weights: list[float] = []
    log_rest = 0.0
    log_gone = 0.0
    for each in rounds:
        log_weights.append(log_rest - log_gone)
        if uid in each.heard:
            log_rest += log(hearing)
            log_gone += log(stray)
        elif each.complete:
            log_rest += log(1.0 - hearing)
            log_gone += log(1.0 - stray)
    # a longer gap between two rounds is a likelier place for a change
    for k in range(1, len(rounds)):
        gap = rounds[k].host_s - rounds[k - 1].host_s
        log_weights[k] += log(gap) if gap > 0.0 else float("-inf")
    log_weights[0] = float("-inf")
    return _moment(rounds, log_weights, float("-inf"), early_s, late_s, not_after_s)


def _moment(
    rounds: Sequence[Round],
    log_weights: list[float],
    not_before_s: float,
    early_s: float,
    late_s: float,
    not_after_s: float = float("inf"),
) -> Moment:
    """Mean and quantiles of a change in the interval before round k with weight k, uniform inside the interval."""
    highest = max(log_weights)
    spans: list[tuple[float, float]] = []
    weights: list[float] = []
    previous_s = rounds[0].host_s
    for each, log_weight in zip(rounds, log_weights, strict=True):
        low, high = max(previous_s, not_before_s), min(each.host_s, not_after_s)
        previous_s = each.host_s
        if log_weight > highest - 20.0 and high > low:
            spans.append((low, high))
            weights.append(exp(log_weight - highest))
    if not spans:
        edge = min(max(rounds[-1].host_s, not_before_s), not_after_s)
        first = min(rounds[0].host_s, edge)
        return Moment((first + edge) / 2, first - early_s, edge + late_s)
    sums = list(accumulate(weights))
    total = sums[-1]
    mean = sum(w * (low + high) / 2 for w, (low, high) in zip(weights, spans, strict=True)) / total

    def quantile(share: float) -> float:
        k = min(bisect_left(sums, share * total), len(spans) - 1)
        low, high = spans[k]
        before = sums[k - 1] if k else 0.0
        return low + (high - low) * min(1.0, max(0.0, (share * total - before) / weights[k]))

    return Moment(mean, quantile(TAIL) - early_s, quantile(1.0 - TAIL) + late_s)
