"""The referee's log as events: what a monitor that errs in nothing would have written.

Owns the translation of a truth into the JSON lines that `rackwatch judge` reads, so that the rules can be tried on
whole hands without sensors and inference. Refuses to judge. truth -> **referee_events** -> rules.
"""

from collections.abc import Iterator

import msgspec
from msgspec import UNSET, Struct, UnsetType

from firmware_bridge.messages import Place
from hw.simulator.physical import SEATS
from hw.simulator.truth import Truth, TruthEvent

_SETTLES_S = 0.1
"""A rack none of whose tiles has been in a hand for so long has come to rest (our choice: the referee sees at once)."""
_CALLS = frozenset({"called", "simultaneous", "close_call"})
_UNCHANGED = frozenset(
    {
        "play_started",
        "picked",
        "racked",
        "discarded",
        "exposed",
        "joker_exchanged",
        "returned",
        "declared",
        "call_withdrawn",
        "director_called",
    }
)


class JudgeEvent(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One input line of `rackwatch judge` (contract: spec of outputs). Exact times: no bounds."""

    seq: int
    kind: str
    at: float
    table: str = "T1"
    seat: Place | None = None
    zone: str | UnsetType = UNSET
    count: int | UnsetType = UNSET
    n: int | UnsetType = UNSET
    owners: tuple[Place, ...] | UnsetType = UNSET
    to: Place | UnsetType = UNSET
    via: str | UnsetType = UNSET
    by: str | UnsetType = UNSET
    how: str | UnsetType = UNSET
    east: Place | UnsetType = UNSET


def judge_lines(truth: Truth, table: str = "T1") -> tuple[bytes, ...]:
    """The whole log as lines for `judge`, in order of time, closed by ticks until everything due must have come."""
    events = sorted([*_events(truth), *_rests(truth)], key=lambda e: (e.at, e.kind == "count_changed"))
    last_s = max(truth.end, events[-1].at if events else 0.0)
    ticks = [JudgeEvent(seq=0, kind="tick", at=last_s + k) for k in (5.0, 20.0)]
    encoder = msgspec.json.Encoder()
    return tuple(
        encoder.encode(msgspec.structs.replace(event, seq=k + 1, table=table))
        for k, event in enumerate([*events, *ticks])
    )


def _events(truth: Truth) -> Iterator[JudgeEvent]:
    for event in truth.events:
        yield from _one(event)
    for fault in truth.faults:
        if fault.kind == "late_call":
            yield JudgeEvent(seq=0, kind="called", at=fault.at, seat=fault.seat, via="button")
        elif fault.kind == "invalid_declaration" and isinstance(fault.by, str):
            yield JudgeEvent(seq=0, kind="dead", at=fault.at, seat=fault.seat, by=fault.by)


def _one(event: TruthEvent) -> Iterator[JudgeEvent]:
    match event.kind:
        case "hand_started" | "dealt":
            east = event.seat if event.seat is not None else UNSET
            yield JudgeEvent(seq=0, kind=event.kind, at=event.at, east=east)
        case "passed":
            yield JudgeEvent(seq=0, kind="passed", at=event.at, seat=event.seat, to=event.to, n=event.n)
        case kind if kind in _CALLS:
            via = event.via if isinstance(event.via, str) else "button"
            yield JudgeEvent(seq=0, kind="called", at=event.at, seat=event.seat, via=via)
        case "hand_ended" | "thrown_in":
            yield JudgeEvent(seq=0, kind=event.kind, at=event.at, how=event.how)
        case "dead":
            yield JudgeEvent(seq=0, kind="dead", at=event.at, seat=event.seat, by=event.by)
        case "exposed":
            n = len(event.tiles) if isinstance(event.tiles, tuple) else UNSET
            yield JudgeEvent(seq=0, kind="exposed", at=event.at, seat=event.seat, n=n)
        case kind if kind in _UNCHANGED:
            yield JudgeEvent(seq=0, kind=kind, at=event.at, seat=event.seat, n=event.n, owners=event.owners)
        case _:
            return


def _rests(truth: Truth) -> Iterator[JudgeEvent]:
    """A count for each rack whenever it has come to rest with another number than before.

    It rests where none of its tiles has been in a hand for a while; the count is as old as the rest.
    """
    for seat in SEATS:
        rows = [row for row in truth.counts if row.seat == seat]
        spells = sorted((busy.from_s, busy.to_s) for busy in truth.busy if busy.seat == seat)
        reported, upto, rests_from_s = 0, 0, 0.0
        for from_s, to_s in (*spells, (truth.end, truth.end)):
            if from_s - rests_from_s >= _SETTLES_S:
                while upto < len(rows) and rows[upto].at <= rests_from_s:
                    upto += 1
                total = rows[upto - 1].slope + rows[upto - 1].ledge if upto else 0
                if total != reported:
                    reported = total
                    yield JudgeEvent(seq=0, kind="count_changed", at=rests_from_s, seat=seat, zone="rack", count=total)
            rests_from_s = max(rests_from_s, to_s)
