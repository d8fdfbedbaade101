"""One evening's figures: what was told, in the end, beside the referee's log.

Owns the windows within which an event counts as told and what is asked of which tier. The same as the project's
handed cases are scored, so that figures can be laid side by side.
"""

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from bench.accuracy import reliability
from bench.accuracy.counting import Seconds, quiet_seconds
from bench.accuracy.matching import Matching, Span, match
from bench.accuracy.reliability import Diagram
from bench.accuracy.rulings import JUDGED, Ruled, ruled
from bench.accuracy.standing import Settled
from hw.simulator.options import Tier
from hw.simulator.truth import Truth, TruthEvent
from monitor.alerts import Rule
from monitor.events import CountChanged, Discarded, Event, Exposed, JokerExchanged, Passed, Racked, Zone

KINDS: tuple[type[Event], ...] = (Racked, Discarded, Exposed, JokerExchanged)
SEES_THROWS = frozenset({Tier.RFID_FLOOR.value, Tier.HYBRID.value})
"""Tiers that see a pick thrown on without touching the rack. Others are neither asked for it nor is a good guess
held against them."""
_TRUE_BEFORE_S = 2.0
_TOLD_BEFORE_S = 3.0
_PASS_S = 4.0
"""A pass is told if within so much of it (our choice: an exchange of three takes some seconds)."""
_COUNT_S = 0.5
"""A count is right if it was true at most so long before or after the time it is told of (our choice)."""
_ROUNDING_S = 1e-3


class Tally(Struct, frozen=True, array_like=True):
    """How many happened, how many of them were told, and how many were told that never happened."""

    want: int
    hit: int
    extra: int


class Dated(Struct, frozen=True, array_like=True):
    """One racking that was told: error of its time, width of its bounds, is the truth inside, how long it took."""

    error_s: float
    width_s: float
    inside: bool
    lag_s: float


class Score(Struct, frozen=True):
    """One evening. Keys are kinds of events and names of rules."""

    tallies: dict[str, Tally]
    rulings: dict[Rule, Ruled]
    seconds: Seconds
    racked: tuple[Dated, ...]
    confidence: dict[str, Diagram]

    def off(self, *, bad_day: bool) -> tuple[str, ...]:
        """What went wrong with rulings. Where sensors fail a fault may be missed; a false alarm is never excused."""
        told = [words for one in self.rulings.values() for words in one.told]
        return tuple(words for words in told if not (bad_day and words.startswith("missed")))


def score(truth: Truth, settled: Settled) -> Score:
    """Score an evening."""
    tallies: dict[str, Tally] = {}
    confidence: dict[str, Diagram] = {}
    racked: tuple[Dated, ...] = ()
    for kind in KINDS:
        found = _found(kind, truth, settled.events)
        name = _name(kind)
        tallies[name] = Tally(len(found.pairs) + len(found.missed), len(found.pairs), len(found.extra))
        confidence[name] = _diagram([pair.told for pair in found.pairs], found.extra)
        if kind is Racked:
            racked = tuple(_dated(pair.true.at, pair.told) for pair in found.pairs)
    passes = match(_of("passed", truth), _told(Passed, settled.events), lambda e: Span(e.at - _PASS_S, e.at + _PASS_S))
    confidence["passed"] = _diagram([pair.told for pair in passes.pairs], passes.extra)
    confidence["count_changed"] = _counts(truth, settled.events)
    rulings = {rule: ruled(rule, truth, settled) for rule in JUDGED}
    return Score(tallies, rulings, quiet_seconds(truth, settled.events), racked, confidence)


def plays(truth: Truth) -> tuple[Span, ...]:
    """From East's first discard to the declaration or end, of each hand."""
    ends = [event.at for event in truth.events if event.kind in ("declared", "hand_ended")]
    starts = [event.at for event in truth.events if event.kind == "play_started"]
    return tuple(Span(start, next((end for end in ends if end > start), truth.end)) for start in starts)


def _found(kind: type[Event], truth: Truth, events: Sequence[Event]) -> Matching[TruthEvent, Event]:
    spans = plays(truth)
    want = [event for event in _of(_name(kind), truth) if _inside(spans, event.at, _TRUE_BEFORE_S)]
    told = [event for event in _told(kind, events) if _inside(spans, event.at, _TOLD_BEFORE_S)]
    window = _WINDOWS[kind]
    if kind is not Discarded or truth.tier in SEES_THROWS:
        return match(want, told, window)
    found = match([event for event in want if event.through is not True], told, window)
    guesses = match([event for event in want if event.through is True], found.extra, window)
    return Matching(found.pairs, found.missed, guesses.extra)


def _racked_window(event: TruthEvent) -> Span:
    return Span(event.at - 1.0, event.at + 1.0)


def _discarded_window(event: TruthEvent) -> Span:
    lifted_s = event.lifted if isinstance(event.lifted, float) else event.at
    return Span(lifted_s - 0.8, event.at + 0.8)


def _exposed_window(event: TruthEvent) -> Span:
    return Span(event.at - 3.0, event.at + 2.0)


def _exchange_window(event: TruthEvent) -> Span:
    return Span(event.at - 1.0, event.at + 8.0)


_WINDOWS = {
    Racked: _racked_window,
    Discarded: _discarded_window,
    Exposed: _exposed_window,
    JokerExchanged: _exchange_window,
}


def _dated(true_s: float, event: Event) -> Dated:
    return Dated(
        error_s=round(event.at - true_s, 4),
        width_s=round(event.high - event.low, 4),
        inside=event.low - _ROUNDING_S <= true_s <= event.high + _ROUNDING_S,
        lag_s=round(event.known - true_s, 3),
    )


def _counts(truth: Truth, events: Sequence[Event]) -> Diagram:
    """Every count that was told: was it true about then?"""
    diagram = reliability.EMPTY
    timeline: dict[tuple[str, Zone], list[tuple[float, int]]] = {}
    for row in truth.counts:
        for zone, n in ((Zone.SLOPE, row.slope), (Zone.LEDGE, row.ledge), (Zone.RACK, row.slope + row.ledge)):
            timeline.setdefault((row.seat.value, zone), [(float("-inf"), 0)]).append((row.at, n))
    for event in events:
        if not isinstance(event, CountChanged) or event.count is None or event.seat is None:
            continue
        steps = [*timeline.get((event.seat.value, event.zone), []), (float("inf"), -1)]
        about = Span(event.low - _COUNT_S, event.high + _COUNT_S)
        right = any(
            n == event.count
            for (from_s, n), (to_s, _) in pairwise(steps)
            if from_s <= about.high_s and to_s >= about.low_s
        )
        diagram = reliability.told(diagram, event.confidence, right=right)
    return diagram


def _diagram(right: Sequence[Event], wrong: Sequence[Event]) -> Diagram:
    diagram = reliability.EMPTY
    for event in right:
        diagram = reliability.told(diagram, event.confidence, right=True)
    for event in wrong:
        diagram = reliability.told(diagram, event.confidence, right=False)
    return diagram


def _name(kind: type[Event]) -> str:
    return str(kind.__struct_config__.tag)


def _of(kind: str, truth: Truth) -> list[TruthEvent]:
    return [event for event in truth.events if event.kind == kind]


def _told(kind: type[Event], events: Sequence[Event]) -> list[Event]:
    return [event for event in events if type(event) is kind]


def _inside(spans: tuple[Span, ...], at_s: float, before_s: float) -> bool:
    return any(span.low_s - before_s <= at_s <= span.high_s for span in spans)
