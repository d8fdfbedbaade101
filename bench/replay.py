"""Replay: how much quicker than life one core is, from recorded bytes to rulings, for every tier."""

from collections.abc import Iterator

from bench import Row, best_of
from firmware_bridge.routing import Router
from hw.simulator.case import received_of, simulate_evening
from hw.simulator.options import Options, Tier
from monitor.replay import replay
from monitor.table import Table

_SEED = 9001
"""Tests use seeds below 1000."""


def rows() -> Iterator[Row]:
    """One simulated hand a tier."""
    for tier in Tier:
        evening = simulate_evening(Options(seed=_SEED, tier=tier))
        received = received_of(evening)
        setup = evening.furniture.setup
        records = 0

        def work() -> None:
            nonlocal records
            table, router = Table(setup), Router(frozenset({setup.table}))  # noqa: B023
            records = sum(1 for _ in replay(table, router, received, lambda _: None))  # noqa: B023

        spent_s, played_s = best_of(2, work), received[-1].at_s
        figure = f"{played_s:.0f} s of play in {spent_s:.2f} s, {records} records"
        yield Row(f"replay {tier}", figure, played_s / spent_s, "real time")
