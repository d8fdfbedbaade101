"""Whole evenings of the simulator through one table, and what is asked of the records in the end."""

from collections.abc import Callable, Iterable
from functools import lru_cache

import msgspec
from msgspec import Struct

from firmware_bridge.received import LineBytes, Published
from firmware_bridge.routing import Router
from hw.calibration import TableSetup
from hw.simulator.case import received_of, simulate_evening
from hw.simulator.options import Options
from hw.simulator.truth import Truth
from monitor.alerts import Alert, AlertState, Rule
from monitor.events import Corrected, Event
from monitor.table import Record, Table

FALSE_ALARMS = frozenset({Rule.WRONG_COUNT, Rule.LATE_CALL, Rule.REDEAL, Rule.MISSING_TILE})
"""What a legal hand must never raise."""

Received = Published | LineBytes
Change = Callable[[list[Received]], Iterable[Received]]


class Shown(Struct, frozen=True):
    """What a table made of an evening. `batches`: the records of each call, in order; empty ones left out."""

    truth: Truth
    setup: TableSetup
    received: tuple[Received, ...]
    batches: tuple[tuple[Record, ...], ...]

    @property
    def records(self) -> list[Record]:
        return [record for batch in self.batches for record in batch]

    @property
    def events(self) -> list[Event]:
        return [record for record in self.records if not isinstance(record, Alert)]

    @property
    def alerts(self) -> list[Alert]:
        return [record for record in self.records if isinstance(record, Alert)]

    @property
    def standing(self) -> list[Event]:
        """Events as they stand in the end: what a correction struck is gone."""
        kept = {event.seq: event for event in self.events if not isinstance(event, Corrected)}
        for event in self.events:
            if isinstance(event, Corrected) and event.struck:
                kept.pop(event.replaces, None)
        return list(kept.values())

    def of(self, *kinds: type[Event]) -> list[Event]:
        """Standing events of some kinds, in order of time."""
        return sorted((event for event in self.standing if type(event) in kinds), key=lambda event: event.at)

    def raised(self, *rules: Rule) -> list[Alert]:
        """First lines of the alerts of some rules that were not withdrawn."""
        first: dict[str, Alert] = {}
        last: dict[str, AlertState] = {}
        for alert in self.alerts:
            first.setdefault(alert.id, alert)
            last[alert.id] = alert.state
        kept = [alert for id_, alert in first.items() if last[id_] is not AlertState.WITHDRAWN]
        return [alert for alert in kept if alert.rule in rules]

    @property
    def false_alarms(self) -> list[str]:
        """Alerts that nothing in the truth explains; racks that a thrown-in Charleston left wrong stay wrong."""
        faults = self.truth.faults
        due = {(fault.kind, str(fault.seat)) for fault in faults}
        for fault in faults:
            if isinstance(fault.counts, dict):
                due |= {(kind, seat) for seat in fault.counts for kind in ("redeal", "wrong_count")}
        kinds = {kind for kind, _ in due}
        return [
            f"{alert.rule.value} {alert.seat} at {alert.at:.1f}: {alert.message}"
            for alert in self.raised(*FALSE_ALARMS)
            if not (alert.rule in kinds if alert.rule is Rule.REDEAL else (alert.rule, str(alert.seat)) in due)
        ]


def watched(setup: TableSetup, received: Iterable[Received]) -> tuple[tuple[Record, ...], ...]:
    """The records that receptions bring, as replay feeds them: time passes to each, then it is taken."""
    table, router = Table(setup), Router(frozenset({setup.table}))
    batches: list[list[Record]] = []
    for one in received:
        batches.append(table.advance(one.at_s))
        batches += [table.feed(arrival) for arrival in router.route(one)]
    return tuple(tuple(batch) for batch in batches if batch)


@lru_cache(maxsize=32)
def played(options: Options) -> Shown:
    """An evening as the table saw it."""
    return changed(options, lambda received: received)


def changed(options: Options, change: Change) -> Shown:
    """The same with something done to what is received."""
    evening = simulate_evening(options)
    received = list(change(list(received_of(evening))))
    setup = evening.furniture.setup
    return Shown(evening.truth, setup, tuple(received), watched(setup, received))


def text(shown: Shown) -> bytes:
    """All records as they are written, a line each."""
    return b"\n".join(msgspec.json.encode(record) for record in shown.records)
