"""Figures of many evenings: what each is called, how it is worked out, what is aimed at, which way is better.

Owns the list of measures; table, page and comparison all walk it. A measure of nothing is None.
"""

import math
from collections.abc import Callable, Sequence
from enum import StrEnum
from statistics import median

from msgspec import Struct

from bench.accuracy import reliability
from bench.accuracy.rulings import JUDGED
from bench.accuracy.scoring import Dated, Score
from bench.accuracy.watching import Outcome
from hw.simulator.options import Tier
from monitor.alerts import Rule

Scores = Sequence[Score]


class Better(StrEnum):
    """Which way a figure should go."""

    MORE = "more"
    LESS = "less"


class Evenings(Struct, frozen=True):
    """The evenings that a figure is of."""

    scores: tuple[Score, ...]
    hands: int
    crashes: int = 0


class Measure(Struct, frozen=True):
    """One row of figures. `aims`: by tier, where the project states one. `beside`: the baseline can have it too."""

    name: str
    digits: int
    better: Better
    of: Callable[[Evenings], float | None]
    aims: dict[Tier, float] = {}
    beside: bool = True
    spelled: Callable[[Evenings], str] | None = None

    def words(self, them: Evenings) -> str:
        """The figure of some evenings as it is shown."""
        return self.text(self.of(them)) if self.spelled is None else self.spelled(them)

    def text(self, value: float | None) -> str:
        """The figure as it is written."""
        return "–" if value is None else f"{value:.{self.digits}f}"

    def meets(self, tier: Tier, value: float | None) -> bool | None:
        """Is the aim met? None where there is no aim or no figure."""
        aim = self.aims.get(tier)
        if aim is None or value is None:
            return None
        return value >= aim if self.better is Better.MORE else value <= aim


def evenings(outcomes: Sequence[Outcome]) -> Evenings:
    """What the monitor made of some evenings."""
    scores = tuple(outcome.ours for outcome in outcomes if outcome.ours is not None)
    hands = sum(outcome.hands for outcome in outcomes if outcome.ours is not None)
    return Evenings(scores, hands, sum(outcome.ours is None for outcome in outcomes))


def naive_evenings(outcomes: Sequence[Outcome]) -> Evenings:
    """What the baseline made of them."""
    scored = [outcome for outcome in outcomes if outcome.naive is not None]
    return Evenings(tuple(one.naive for one in scored if one.naive is not None), sum(one.hands for one in scored))


def false_rulings(rule: Rule) -> Callable[[Evenings], float | None]:
    """False alerts of a rule that stood in the end, a hand."""

    def of(them: Evenings) -> float | None:
        return sum(score.rulings[rule].false for score in them.scores) / them.hands if them.hands else None

    return of


def taken_back(rule: Rule) -> Callable[[Evenings], float | None]:
    """Alerts of a rule that were raised and withdrawn, a hand."""

    def of(them: Evenings) -> float | None:
        return sum(score.rulings[rule].withdrawn for score in them.scores) / them.hands if them.hands else None

    return of


def found_share(rule: Rule) -> Callable[[Evenings], float | None]:
    """Share of the faults of a rule that were found."""

    def of(them: Evenings) -> float | None:
        due = sum(score.rulings[rule].due for score in them.scores)
        found = sum(score.rulings[rule].found for score in them.scores)
        return found / due if due else None

    return of


def found_words(rule: Rule) -> Callable[[Evenings], str]:
    """How many of how many faults were found."""

    def of(them: Evenings) -> str:
        due = sum(score.rulings[rule].due for score in them.scores)
        return f"{sum(score.rulings[rule].found for score in them.scores)}/{due}" if due else "–"

    return of


def f1(kind: str) -> Callable[[Evenings], float | None]:
    """Harmonic mean of precision and recall of a kind of event."""

    def of(them: Evenings) -> float | None:
        hit = sum(score.tallies[kind].hit for score in them.scores)
        want = sum(score.tallies[kind].want for score in them.scores)
        extra = sum(score.tallies[kind].extra for score in them.scores)
        return 2 * hit / (want + hit + extra) if want + extra else None

    return of


def count_right(them: Evenings) -> float | None:
    """Share of quiet seat-seconds with the right number, averaged over evenings."""
    shares = [score.seconds.right / max(1, score.seconds.quiet) for score in them.scores]
    return sum(shares) / len(shares) if shares else None


def rackings(them: Evenings) -> list[Dated]:
    """Every racking that was told."""
    return [one for score in them.scores for one in score.racked]


def racked_rms(them: Evenings) -> float | None:
    """Root mean square error of the time of racking."""
    errors = [one.error_s for one in rackings(them)]
    return math.sqrt(sum(e * e for e in errors) / len(errors)) if errors else None


def racked_inside(them: Evenings) -> float | None:
    """Share of rackings that happened within their bounds, averaged over evenings."""
    shares = [sum(one.inside for one in score.racked) / len(score.racked) for score in them.scores if score.racked]
    return sum(shares) / len(shares) if shares else None


def racked_width(them: Evenings) -> float | None:
    """Median width of those bounds."""
    return median(one.width_s for one in rackings(them)) if rackings(them) else None


def racked_lag(them: Evenings) -> float | None:
    """Median time from a racking to its being known."""
    return median(one.lag_s for one in rackings(them)) if rackings(them) else None


def delays(them: Evenings, rule: Rule) -> list[float]:
    """Seconds from each fault that was found to its alert."""
    return [delay for score in them.scores for delay in score.rulings[rule].delay_s]


def diagram(them: Evenings, kind: str) -> reliability.Diagram:
    """The reliability diagram of a kind of event."""
    whole = reliability.EMPTY
    for score in them.scores:
        whole = reliability.joined(whole, score.confidence.get(kind, reliability.EMPTY))
    return whole


def _aims(weight10: float, weight80: float, rfid: float, rfid_floor: float, hybrid: float) -> dict[Tier, float]:
    return dict(zip(Tier, (weight10, weight80, rfid, rfid_floor, hybrid), strict=True))


_NONE = _aims(0.0, 0.0, 0.0, 0.0, 0.0)
_ALL = _aims(1.0, 1.0, 1.0, 1.0, 1.0)
SHOWN = (
    Rule.WRONG_COUNT,
    Rule.LATE_CALL,
    Rule.REDEAL,
    Rule.MISSING_TILE,
    Rule.SIMULTANEOUS_CALL,
    Rule.OUT_OF_TURN,
)
"""Rules whose false alerts have a row each; the others share one."""
_OTHERS = tuple(rule for rule in JUDGED if rule not in SHOWN)


def _others_false(them: Evenings) -> float | None:
    total = sum(score.rulings[rule].false for score in them.scores for rule in _OTHERS)
    return total / them.hands if them.hands else None


def _crashes(them: Evenings) -> float | None:
    return float(them.crashes)


MEASURES = (
    *(Measure(f"false {rule} a hand", 3, Better.LESS, false_rulings(rule), _NONE) for rule in SHOWN),
    Measure("false, other rules, a hand", 3, Better.LESS, _others_false, _NONE),
    *(Measure(f"{rule} withdrawn a hand", 3, Better.LESS, taken_back(rule), beside=False) for rule in SHOWN),
    *(Measure(f"found: {rule}", 3, Better.MORE, found_share(rule), _ALL, spelled=found_words(rule)) for rule in JUDGED),
    Measure("racked F1", 4, Better.MORE, f1("racked"), _aims(0.96, 0.97, 0.96, 0.975, 0.99)),
    Measure("discarded F1", 4, Better.MORE, f1("discarded"), _aims(0.96, 0.97, 0.96, 0.975, 0.99)),
    Measure("exposed F1", 4, Better.MORE, f1("exposed"), _aims(0.95, 0.97, 0.95, 0.97, 0.98)),
    Measure("joker exchanged F1", 4, Better.MORE, f1("joker_exchanged"), _aims(0.7, 0.85, 0.85, 0.9, 0.95)),
    Measure("count right in quiet seconds", 4, Better.MORE, count_right, _aims(0.999, 0.999, 0.985, 0.99, 0.999)),
    Measure("racked time error rms, s", 3, Better.LESS, racked_rms, _aims(0.12, 0.05, 0.12, 0.12, 0.05)),
    Measure("truth inside bounds", 4, Better.MORE, racked_inside, _aims(0.99, 0.99, 0.99, 0.99, 0.99)),
    Measure("median width of bounds, s", 3, Better.LESS, racked_width, _aims(0.5, 0.3, 0.6, 0.6, 0.3)),
    Measure("median lag, s", 2, Better.LESS, racked_lag, _aims(1.5, 1.0, 1.5, 1.5, 1.0)),
    Measure("crashes", 0, Better.LESS, _crashes, _NONE, beside=False),
)
"""Aims are the project's, for its handed cases."""
