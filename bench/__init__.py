"""Measurements, each beside something plain in the same run: ratios hold where absolute figures drift.

A module here has `rows()`, which measures and yields `Row`s; `python -m bench.run` prints them all.
"""

from collections.abc import Callable
from time import perf_counter

from msgspec import Struct


class Row(Struct, frozen=True):
    """One measurement. `ratio` is `figure` over the plain thing's, or over real time: `beside` says which."""

    what: str
    figure: str
    ratio: float
    beside: str


def best_of(runs: int, work: Callable[[], object]) -> float:
    """Seconds of the quickest of some runs: what else the machine did is not ours."""
    seconds = []
    for _ in range(runs):
        began = perf_counter()
        work()
        seconds.append(perf_counter() - began)
    return min(seconds)
