"""The alerts the monitor raises: what each rule's name is, who may see it, and the record itself.

Owns the shape of an alert and its audience; contract: the project's specification of outputs. An alert advises; it
never declares a hand dead.
"""

from enum import StrEnum

from msgspec import Struct

from monitor.events import Number, Seat, Seconds


class Rule(StrEnum):
    """What an alert is about."""

    MISSING_TILE = "missing_tile"
    REDEAL = "redeal"
    WRONG_COUNT = "wrong_count"
    WRONG_EXPOSURE = "wrong_exposure"
    LATE_CALL = "late_call"
    SIMULTANEOUS_CALL = "simultaneous_call"
    WINDOW_CLOSED = "window_closed"
    OUT_OF_TURN = "out_of_turn"
    INVALID_DECLARATION = "invalid_declaration"
    DEAD_HAND_ACTS = "dead_hand_acts"
    EVENT_PROCEDURE = "event_procedure"
    SENSOR_FAULT = "sensor_fault"


class Level(StrEnum):
    """How much an alert wants of the director."""

    ADVICE = "advice"
    RULING_DUE = "ruling due"
    NOTICE = "notice"
    TECHNICAL = "technical"


class Authority(StrEnum):
    """Whose rule a ruling rests on."""

    LEAGUE = "league"
    EVENT = "event"


class Verdict(StrEnum):
    """What was found where a claim and the closing were close."""

    SIMULTANEOUS = "simultaneous"
    UNDETERMINED = "undetermined"


class AlertState(StrEnum):
    """`raised`, then perhaps `withdrawn` (the finding proved wrong) or `resolved` (mended or ruled)."""

    RAISED = "raised"
    WITHDRAWN = "withdrawn"
    RESOLVED = "resolved"


PUBLIC_RULES = frozenset({Rule.LATE_CALL, Rule.SIMULTANEOUS_CALL, Rule.WINDOW_CLOSED, Rule.OUT_OF_TURN})
"""Alerts about what happened in the open: public and table screens may show them. All others are the director's."""


class What(StrEnum):
    """What happened at the table, as a fact that a ruling rests on."""

    DEALT = "dealt"
    PASSED = "passed"
    PLAY_STARTED = "play_started"
    PICKED = "picked"
    NAMED = "named"
    RACKED = "racked"
    DISCARDED = "discarded"
    CALLED = "called"
    EXPOSED = "exposed"
    JOKER_EXCHANGED = "joker_exchanged"
    RETURNED = "returned"
    DECLARED = "declared"
    WITHDRAWN = "withdrawn"
    DEAD = "dead"
    RESTED = "rested"
    UNKNOWN_COUNT = "unknown_count"
    ENDED = "ended"


class Fact(Struct, frozen=True, omit_defaults=True):
    """One thing that a ruling rests on, with the bounds of its time; `count` is a number of tiles where one matters.

    `seq` names the event. `by`: who entered or declared it, where that matters. `confidence`: how sure the readings are
    of it, absent: certain. Never tells which tile it was.
    """

    what: What
    at: Seconds
    earliest: Seconds
    latest: Seconds
    seq: Number = 0
    seat: Seat | None = None
    count: int | None = None
    by: str | None = None
    confidence: float | None = None


class Alert(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the alert stream; a later line with the same `id` updates an earlier one.

    `at` is the moment the rule is about (see the contract for each rule), `raised_at` when it was raised. `evidence`
    holds the `seq` of the events it rests on. `rests_on`: the profile key that decided, where one did. `facts`: those
    events in short, in order of time, so that an alert can be explained wherever it is read.
    """

    id: str
    rule: Rule
    at: Seconds
    raised_at: Seconds
    article: str
    authority: Authority
    level: Level
    message: str
    state: AlertState
    seq: Number = 0
    table: str = ""
    seat: Seat | None = None
    earliest: Seconds | None = None
    latest: Seconds | None = None
    confidence: float | None = None
    expected: int | None = None
    count: int | None = None
    verdict: Verdict | None = None
    evidence: tuple[int, ...] = ()
    rests_on: str | None = None
    facts: tuple[Fact, ...] = ()
