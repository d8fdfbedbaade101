"""What of a hand is drawn as a mark on a seat's row: which events, with which shape and word, and where the word fits.

Owns the choice and the placing. A mark that rests the alert is filled; what else happened is hollow.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from monitor.alerts import Alert, Fact, What
from monitor.events import (
    Called,
    CallWithdrawn,
    Dead,
    DeclarationWithdrawn,
    Declared,
    Discarded,
    Exposed,
    JokerExchanged,
    Named,
    Passed,
    Picked,
    Racked,
    Returned,
    Seat,
)
from monitor.pictures.drawing import width_of
from monitor.pictures.frame import Frame
from monitor.standing import Standing

LANES: Final = 2
LABEL_SIZE: Final = 10.5
_GAP: Final = 9.0


class Look(Struct, frozen=True):
    """A mark's shape, as the steps of an SVG path from its middle, and its word."""

    shape: str
    word: str


_DOWN = "m-5,-4.5 h10 l-5,9 z"
_UP = "m-5,4.5 h10 l-5,-9 z"
_SQUARE = "m-4.5,-4.5 h9 v9 h-9 z"
_DIAMOND = "m0,-5.5 l5.5,5.5 l-5.5,5.5 l-5.5,-5.5 z"
_CIRCLE = "m-5,0 a5,5 0 1,0 10,0 a5,5 0 1,0 -10,0 z"
_CROSS = "m-4.5,-4.5 l9,9 m0,-9 l-9,9"

LOOKS: Final[dict[type, Look]] = {
    Discarded: Look(_DOWN, "discarded"),
    Racked: Look(_SQUARE, "racked"),
    Called: Look(_CIRCLE, "called"),
    Exposed: Look(_UP, "exposed"),
    Picked: Look(_DIAMOND, "picked"),
    Named: Look(_DIAMOND, "named"),
    Passed: Look(_DIAMOND, "passed"),
    JokerExchanged: Look(_DIAMOND, "joker exchange"),
    Returned: Look(_DIAMOND, "put back"),
    Declared: Look(_CIRCLE, "declared mah jongg"),
    DeclarationWithdrawn: Look(_CROSS, "took it back"),
    CallWithdrawn: Look(_CROSS, "call withdrawn"),
    Dead: Look(_CROSS, "declared dead"),
}
_FACTS: Final[dict[What, type]] = {
    What.DISCARDED: Discarded,
    What.RACKED: Racked,
    What.CALLED: Called,
    What.EXPOSED: Exposed,
    What.PICKED: Picked,
    What.NAMED: Named,
    What.PASSED: Passed,
    What.JOKER_EXCHANGED: JokerExchanged,
    What.RETURNED: Returned,
    What.DECLARED: Declared,
    What.WITHDRAWN: DeclarationWithdrawn,
    What.DEAD: Dead,
}


class Mark(Struct, frozen=True):
    """One mark: where and how long its moment may lie, its look, whether the alert rests on it."""

    seat: Seat
    at: float
    earliest: float
    latest: float
    look: Look
    evidence: bool
    guess: bool = False


class Placed(Struct, frozen=True):
    """A mark with its lane, 0 the upper one; `worded`: whether its word fits beside it."""

    mark: Mark
    lane: int
    worded: bool


def marks_of(events: Iterable[Standing], frame: Frame, alert: Alert | None = None) -> list[Mark]:
    """The marks in the picture, in order of time; `alert`: the one that the picture is about."""
    marks = []
    drawn: set[int] = set()
    evidence = set() if alert is None else set(alert.evidence)
    for one in events:
        event = one.event
        look = LOOKS.get(type(event))
        if look is not None and event.seat is not None and frame.holds(event.at):
            known = bool(evidence & set(one.seqs))
            drawn.update(one.seqs)
            marks.append(Mark(event.seat, event.at, event.low, event.high, look, known))
    missing = [] if alert is None else [fact for fact in alert.facts if _is_missing(fact, drawn, frame)]
    marks += [_fact(fact, fact.seat) for fact in missing if fact.seat is not None]
    return sorted(marks, key=lambda mark: mark.at)


def _is_missing(fact: Fact, drawn: set[int], frame: Frame) -> bool:
    return fact.what in _FACTS and fact.seq not in drawn and frame.holds(fact.at)


def _fact(fact: Fact, seat: Seat) -> Mark:
    """What the alert rests on and no event tells of: a turn that nobody saw."""
    return Mark(seat, fact.at, fact.earliest, fact.latest, LOOKS[_FACTS[fact.what]], evidence=True, guess=fact.seq == 0)


def placed(marks: Iterable[Mark], frame: Frame) -> list[Placed]:
    """A seat's marks on lanes, so that words lie over each other as little as may be; evidence is worded first."""
    ends = [float("-inf")] * LANES
    out = []
    for mark in marks:
        x = frame.x(mark.at)
        start = min(frame.x(mark.earliest), x - 6)
        lane = next((number for number, end in enumerate(ends) if end + _GAP <= start), None)
        worded = lane is not None
        if lane is None:
            lane = ends.index(min(ends))
        wide = width_of(word(mark), LABEL_SIZE) + 10 if worded else 6
        ends[lane] = max(ends[lane], frame.x(mark.latest), x + wide)
        out.append(Placed(mark, lane, worded))
    return out


def word(mark: Mark) -> str:
    """What stands beside a mark."""
    return f"{mark.look.word}?" if mark.guess else mark.look.word
