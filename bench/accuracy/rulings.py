"""Faults found, missed and wrongly raised: alerts beside the referee's list of rulings that are due.

Owns the windows of each rule and what excuses an alert, as the handed cases are scored; for the rules that those leave
out (`out_of_turn` and the ones after it) the same windows, our choice.
"""

from collections.abc import Iterable

from msgspec import Struct

from bench.accuracy.matching import Span, match
from bench.accuracy.standing import Settled
from hw.simulator.truth import Truth, TruthEvent, TruthFault
from monitor.alerts import Alert, Rule, Verdict

JUDGED = (
    Rule.WRONG_COUNT,
    Rule.LATE_CALL,
    Rule.REDEAL,
    Rule.MISSING_TILE,
    Rule.SIMULTANEOUS_CALL,
    Rule.OUT_OF_TURN,
    Rule.DEAD_HAND_ACTS,
    Rule.WRONG_EXPOSURE,
    Rule.INVALID_DECLARATION,
)
"""Every ruling about play. A false one is never excused."""

_BEFORE_S = 2.0
_AFTER_S = 25.0
_TABLE_AFTER_S = 60.0
_CALL_BEFORE_S = 1.0
_CALL_AFTER_S = 10.0
_CLOSE_S = 1.5
"""A call so near to one that was close may be found impossible to put in order."""
_SLOW = frozenset({Rule.REDEAL, Rule.MISSING_TILE})


class Ruled(Struct, frozen=True):
    """One rule in one evening. `told`: what went wrong, in words. `undetermined`: honest doubts about close calls."""

    due: int
    found: int
    false: int
    withdrawn: int
    delay_s: tuple[float, ...]
    told: tuple[str, ...]
    undetermined: int = 0


class _Due(Struct, frozen=True):
    at: float
    seat: str | None


def ruled(rule: Rule, truth: Truth, settled: Settled) -> Ruled:
    """Judge the alerts of one rule."""
    due = _due(rule, truth)
    alerts = [alert for alert in settled.kept if alert.rule is rule]
    if rule is Rule.REDEAL:
        # It concerns the table: the seat does not matter.
        due = [_Due(one.at, None) for one in due]
    found = match(due, [_Raised(alert, blind=rule is Rule.REDEAL) for alert in alerts], lambda one: _window(rule, one))
    extra = [raised.alert for raised in found.extra]
    excused = [alert for alert in extra if _excused(rule, alert, due, truth)]
    doubts = [alert for alert in extra if rule is Rule.SIMULTANEOUS_CALL and _honest_doubt(alert, truth)]
    false = [alert for alert in extra if alert not in excused and alert not in doubts]
    return Ruled(
        due=len(due),
        found=len(found.pairs),
        false=len(false),
        withdrawn=sum(alert.rule is rule for alert in settled.withdrawn),
        delay_s=tuple(round(pair.told.alert.raised_at - pair.true.at, 3) for pair in found.pairs),
        told=tuple(
            [f"false {rule} {alert.seat} at {alert.at:.1f}, raised at {alert.raised_at:.1f}" for alert in false]
            + [f"missed {rule} {one.seat or 'table'} at {one.at:.1f}" for one in found.missed]
        ),
        undetermined=len(doubts),
    )


class _Raised:
    """An alert as something placed; `blind` to whose it is."""

    def __init__(self, alert: Alert, *, blind: bool) -> None:
        self.alert = alert
        self.at = alert.at
        self.seat = None if blind or alert.seat is None else alert.seat.value


def _due(rule: Rule, truth: Truth) -> list[_Due]:
    """What is to be found: a simultaneous call is an event of the referee's log, all others are faults."""
    entries: Iterable[TruthEvent | TruthFault]
    if rule is Rule.SIMULTANEOUS_CALL:
        entries = [event for event in truth.events if event.kind == "simultaneous"]
    else:
        entries = [fault for fault in truth.faults if fault.kind == rule.value]
    return [_Due(entry.at, None if entry.seat is None else entry.seat.value) for entry in entries]


def _window(rule: Rule, one: _Due) -> Span:
    if rule is Rule.SIMULTANEOUS_CALL:
        return Span(one.at - _CALL_BEFORE_S, one.at + _CALL_AFTER_S)
    return Span(one.at - _BEFORE_S, one.at + (_TABLE_AFTER_S if rule in _SLOW else _AFTER_S))


def _excused(rule: Rule, alert: Alert, due: list[_Due], truth: Truth) -> bool:
    """A standing fault told again for its seat is no new false alarm, nor are racks that a thrown-in hand left."""
    if rule is Rule.SIMULTANEOUS_CALL:
        return False
    again = [one for one in due if one.seat is None or one.seat == alert.seat]
    if any(alert.at >= one.at - 1.0 for one in again):
        return True
    if rule not in (Rule.WRONG_COUNT, Rule.MISSING_TILE) or alert.seat not in _faulty(truth):
        return False
    thrown_in = [fault for fault in truth.faults if fault.kind in (Rule.REDEAL.value, Rule.MISSING_TILE.value)]
    return any(alert.at >= fault.at - 2.0 for fault in thrown_in)


def _faulty(truth: Truth) -> set[str]:
    """Every seat that is named in a fault."""
    seats = {fault.seat.value for fault in truth.faults}
    for fault in truth.faults:
        if isinstance(fault.counts, dict):
            seats |= set(fault.counts)
    return seats


def _honest_doubt(alert: Alert, truth: Truth) -> bool:
    """A call close to the racking, or a late one with wide bounds, may be found impossible to put in order."""
    if alert.verdict is not Verdict.UNDETERMINED:
        return False
    close = [_Due(event.at, event.seat) for event in truth.events if event.kind == "close_call"]
    close += [_Due(fault.at, fault.seat) for fault in truth.faults if fault.kind == Rule.LATE_CALL.value]
    return any(abs(alert.at - one.at) <= _CLOSE_S and alert.seat == one.seat for one in close)
