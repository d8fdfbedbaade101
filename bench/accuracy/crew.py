"""Evenings shared out to some processes, which leave the machine to others where it is wanted.

Owns processes and nothing else. A module of its own: what a spawned worker begins with is looked up by name, and the
`__main__` of a package has none there.
"""

import os
import signal
from collections.abc import Iterator, Sequence
from multiprocessing import get_context

from bench.accuracy.scenarios import Scenario
from bench.accuracy.watching import Outcome, outcome


def played(scenarios: Sequence[Scenario], processes: int) -> Iterator[Outcome]:
    """Outcomes as they come, in any order."""
    if processes <= 1 or len(scenarios) <= 1:
        yield from map(outcome, scenarios)
        return
    with get_context("spawn").Pool(min(processes, len(scenarios)), initializer=step_back) as pool:
        yield from pool.imap_unordered(outcome, scenarios)


def step_back() -> None:
    """A worker yields to what else runs, and leaves stopping to the process that shares the work out."""
    os.nice(10)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
