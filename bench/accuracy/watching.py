"""One evening from its options to its figures: simulated, fed to the monitor and to the baseline, scored.

Owns what is fed to whom. Both get the same receptions; what goes wrong inside the monitor is a figure too, not the end
of the run.
"""

import traceback
from collections.abc import Iterable, Iterator
from time import perf_counter

from msgspec import Struct

from bench.accuracy.baseline import watched_naively
from bench.accuracy.deciding import Decisions, decisions
from bench.accuracy.scenarios import Family, Scenario
from bench.accuracy.scoring import Score, score
from bench.accuracy.standing import settled
from firmware_bridge.received import Received
from firmware_bridge.routing import Router
from hw.calibration import TableSetup
from hw.simulator.case import received_of, simulate_evening
from hw.simulator.evening import Evening
from hw.simulator.options import Options
from hw.simulator.truth import Truth
from monitor.replay import replay
from monitor.table import Record, Table


class Outcome(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One evening's figures. `crash`: where the monitor raised. `spent_s`: of this machine, for the monitor alone."""

    key: str
    family: Family
    options: Options
    ours: Score | None = None
    naive: Score | None = None
    decisions: tuple[Decisions, ...] = ()
    crash: str = ""
    played_s: float = 0.0
    spent_s: float = 0.0
    hands: int = 1

    @property
    def off(self) -> tuple[str, ...]:
        """What went wrong: rulings, or a crash."""
        if self.ours is None:
            return (f"crash {self.crash.strip().splitlines()[-1] if self.crash else ''}".strip(),)
        return self.ours.off(bad_day=bool(self.options.sensor_faults))


class Told(Struct, frozen=True):
    """A record, and when it was told."""

    known_s: float
    record: Record


class Watched(Struct, frozen=True):
    """An evening with everything that the monitor told of it."""

    evening: Evening
    received: tuple[Received, ...]
    told: tuple[Told, ...]
    spent_s: float

    @property
    def records(self) -> tuple[Record, ...]:
        """All records, in order of knowledge."""
        return tuple(one.record for one in self.told)

    @property
    def truth(self) -> Truth:
        """The referee's log."""
        return self.evening.truth

    @property
    def setup(self) -> TableSetup:
        """What the monitor knows of the table."""
        return self.evening.furniture.setup


def watch(options: Options) -> Watched:
    """Simulate an evening and replay it."""
    evening = simulate_evening(options)
    received = tuple(received_of(evening))
    began = perf_counter()
    told = tuple(_replayed(evening.furniture.setup, received))
    return Watched(evening, received, told, perf_counter() - began)


def _replayed(setup: TableSetup, received: Iterable[Received]) -> Iterator[Told]:
    now_s = 0.0

    def lines() -> Iterator[Received]:
        nonlocal now_s
        for one in received:
            now_s = one.at_s
            yield one

    for record in replay(Table(setup), Router(frozenset({setup.table})), lines(), lambda _: None):
        yield Told(now_s, record)


def outcome(scenario: Scenario) -> Outcome:
    """Play an evening and score it."""
    key, options = scenario.key, scenario.options
    try:
        watched = watch(options)
        ours = score(watched.truth, settled(watched.records))
    except Exception:  # whatever the monitor raises is what is measured here
        return Outcome(key=key, family=scenario.family, options=options, crash=traceback.format_exc(limit=-3))
    return Outcome(
        key=key,
        family=scenario.family,
        options=options,
        ours=ours,
        naive=score(watched.truth, settled(watched_naively(watched.setup, watched.received))),
        decisions=decisions(watched.evening) if scenario.timed else (),
        played_s=round(watched.truth.end, 3),
        spent_s=round(watched.spent_s, 3),
        hands=max(1, sum(event.kind == "hand_started" for event in watched.truth.events)),
    )
