"""What a referee who saw everything logs: events, faults, counts, busy spells, in the handed cases' form.

Owns the truth's shape and spelling. Refuses to know sensors. Scripts write to the `Referee`; `truth_of` joins its log
with the physical timeline.
"""

import msgspec
from msgspec import UNSET, Struct, UnsetType

from firmware_bridge.messages import Place
from hw.simulator.physical import SEATS, Happening, count_steps, is_rack


class TruthEvent(Struct, frozen=True, kw_only=True):
    """One thing the referee saw. Unset keys are left out."""

    at: float
    kind: str
    seat: Place | None
    tile: str | UnsetType = UNSET
    lifted: float | UnsetType = UNSET
    through: bool | UnsetType = UNSET
    tiles: tuple[str, ...] | UnsetType = UNSET
    to: Place | UnsetType = UNSET
    n: int | UnsetType = UNSET
    owners: tuple[Place, ...] | UnsetType = UNSET
    racked: float | UnsetType = UNSET
    by: str | UnsetType = UNSET
    how: str | UnsetType = UNSET
    via: str | UnsetType = UNSET


class TruthFault(Struct, frozen=True, kw_only=True):
    """One ruling that is due. `kind` is the alert's rule."""

    at: float
    kind: str
    seat: Place
    count: int | UnsetType = UNSET
    expected: int | UnsetType = UNSET
    counts: dict[str, int] | UnsetType = UNSET
    phase: str | UnsetType = UNSET
    racked: float | UnsetType = UNSET
    by: str | UnsetType = UNSET


class SensorTrouble(Struct, frozen=True, kw_only=True):
    """One fault of a sensor, node or link that was put in: what, where, when, and how much of it."""

    fault: str
    place: Place | None = None
    sensor: str = ""
    from_s: float = 0.0
    to_s: float | None = None
    n: int = 0


class CountRow(Struct, frozen=True, array_like=True):
    """`[at, seat, slope, ledge]`."""

    at: float
    seat: Place
    slope: int
    ledge: int


class BusyRow(Struct, frozen=True, array_like=True):
    """`[seat, from, to]`: one of the seat's tiles was in a hand."""

    seat: Place
    from_s: float
    to_s: float


class Truth(Struct, frozen=True, kw_only=True):
    """The referee's log of a recording; `chaos` names the sensor faults, `trouble` tells them in detail."""

    name: str
    tier: str
    seed: int
    fault: str | None
    chaos: tuple[str, ...]
    end: float
    counts: tuple[CountRow, ...]
    busy: tuple[BusyRow, ...]
    events: tuple[TruthEvent, ...]
    faults: tuple[TruthFault, ...]
    trouble: tuple[SensorTrouble, ...] = ()


class Referee:
    """Collects events and faults in whatever order the scripts find them."""

    def __init__(self) -> None:
        self.events: list[TruthEvent] = []
        self.faults: list[TruthFault] = []

    def log(self, event: TruthEvent) -> None:
        """Take down an event."""
        self.events.append(event)

    def fault(self, fault: TruthFault) -> None:
        """Take down a fault."""
        self.faults.append(fault)


class Heading(Struct, frozen=True, kw_only=True):
    """What a truth is about."""

    name: str
    tier: str
    seed: int
    fault: str | None
    chaos: tuple[str, ...]
    trouble: tuple[SensorTrouble, ...]


def truth_of(heading: Heading, happening: Happening, referee: Referee, uids: tuple[str, ...]) -> Truth:
    """Join the log and the physical timeline; tile numbers in events become uids."""
    end_s = happening.end_s
    busy = [
        BusyRow(seat, round(move.lifted_s, 3), round(move.landed_s, 3))
        for move in happening.moves
        for seat in SEATS
        if seat == move.hand or any(is_rack(spot) and spot.seat == seat for spot in (move.source, move.target))
    ]
    counts = [CountRow(round(s.at_s, 3), s.rack, s.slope, s.ledge) for s in count_steps(happening)]
    events = sorted((_named(e, uids) for e in referee.events if e.at <= end_s), key=lambda e: e.at)
    faults = sorted((f for f in referee.faults if f.at <= end_s), key=lambda f: f.at)
    return Truth(
        name=heading.name,
        tier=heading.tier,
        seed=heading.seed,
        fault=heading.fault,
        chaos=heading.chaos,
        end=end_s,
        counts=tuple(counts),
        busy=tuple(busy),
        events=tuple(events),
        faults=tuple(msgspec.structs.replace(f, at=round(f.at, 3)) for f in faults),
        trouble=heading.trouble,
    )


def begun_later(truth: Truth, from_s: float) -> Truth:
    """The same evening to a monitor that was switched on at `from_s`, which becomes 0.

    What was over before is left out; the counts of that moment stand at 0.
    """

    def at(time_s: float) -> float:
        return round(max(0.0, time_s - from_s), 3)

    shift = msgspec.structs.replace
    standing = {row.seat: shift(row, at=0.0) for row in truth.counts if row.at <= from_s}
    counts = [*standing.values(), *(shift(row, at=at(row.at)) for row in truth.counts if row.at > from_s)]
    busy = [BusyRow(b.seat, at(b.from_s), at(b.to_s)) for b in truth.busy if b.to_s > from_s]
    events = [_earlier(event, from_s) for event in truth.events if event.at >= from_s]
    faults = [_earlier_fault(fault, from_s) for fault in truth.faults if fault.at >= from_s]
    trouble = [
        shift(t, from_s=at(t.from_s), to_s=None if t.to_s is None else at(t.to_s))
        for t in truth.trouble
        if t.to_s is None or t.to_s > from_s
    ]
    return shift(
        truth,
        end=truth.end - from_s,
        counts=tuple(counts),
        busy=tuple(busy),
        events=tuple(events),
        faults=tuple(faults),
        trouble=tuple(trouble),
    )


def _earlier(event: TruthEvent, by_s: float) -> TruthEvent:
    event = msgspec.structs.replace(event, at=round(event.at - by_s, 3))
    if isinstance(event.lifted, float):
        event = msgspec.structs.replace(event, lifted=event.lifted - by_s)
    if isinstance(event.racked, float):
        event = msgspec.structs.replace(event, racked=event.racked - by_s)
    return event


def _earlier_fault(fault: TruthFault, by_s: float) -> TruthFault:
    fault = msgspec.structs.replace(fault, at=round(fault.at - by_s, 3))
    return msgspec.structs.replace(fault, racked=fault.racked - by_s) if isinstance(fault.racked, float) else fault


def _named(event: TruthEvent, uids: tuple[str, ...]) -> TruthEvent:
    event = msgspec.structs.replace(event, at=round(event.at, 3))
    if isinstance(event.tile, str):
        event = msgspec.structs.replace(event, tile=uids[int(event.tile)])
    if isinstance(event.tiles, tuple):
        event = msgspec.structs.replace(event, tiles=tuple(uids[int(tile)] for tile in event.tiles))
    return event
