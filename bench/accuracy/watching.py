"""One evening from its options to its figures: simulated, fed to the monitor and to the baseline, scored.

Owns what is fed to whom. Both get the same receptions; what goes wrong inside the monitor is a figure too, not the end
of the run.
"""

import traceback
from collections.abc import Iterable
from time import perf_counter

from msgspec import Struct

from bench.accuracy.baseline import watched_naively
from bench.accuracy.scenarios import Family, Scenario
from bench.accuracy.scoring import Score, score
from bench.accuracy.standing import settled
from firmware_bridge.received import Received
from firmware_bridge.routing import Router
from hw.calibration import TableSetup
from hw.simulator.case import received_of, simulate_evening
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


class Watched(Struct, frozen=True):
    """An evening with everything that the monitor told of it."""

    truth: Truth
    setup: TableSetup
    received: tuple[Received, ...]
    records: tuple[Record, ...]
    spent_s: float


def watch(options: Options) -> Watched:
    """Simulate an evening and replay it."""
    evening = simulate_evening(options)
    received = tuple(received_of(evening))
    setup = evening.furniture.setup
    began = perf_counter()
    records = tuple(_replayed(setup, received))
    return Watched(evening.truth, setup, received, records, perf_counter() - began)


def _replayed(setup: TableSetup, received: Iterable[Received]) -> Iterable[Record]:
    return replay(Table(setup), Router(frozenset({setup.table})), received, lambda _: None)


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
        played_s=round(watched.truth.end, 3),
        spent_s=round(watched.spent_s, 3),
        hands=max(1, sum(event.kind == "hand_started" for event in watched.truth.events)),
    )
