"""Playing hands for tests, and reading a physical happening at a moment."""

from collections import Counter

import numpy as np

from firmware_bridge.messages import Place
from hw.simulator.options import Options
from hw.simulator.physical import Happening, Spot, is_rack
from hw.simulator.script import Performance, perform


def played(options: Options) -> Performance:
    return perform(options, np.random.default_rng(options.seed))


def lying(happening: Happening, at_s: float) -> dict[int, Spot | None]:
    """Where each tile lies at a moment; None: in a hand. Worked out move by move, unlike the code under test."""
    where: dict[int, Spot | None] = dict(enumerate(happening.start))
    for move in happening.moves:
        if move.landed_s <= at_s:
            where[move.tile] = move.target
        elif move.lifted_s <= at_s:
            where[move.tile] = None
    return where


def owned(happening: Happening, at_s: float) -> Counter[Place]:
    """Tiles each seat has in or on its rack, counting those that a hand is just bringing there."""
    count: Counter[Place] = Counter()
    for spot in lying(happening, at_s).values():
        if spot is not None and is_rack(spot) and spot.seat is not None:
            count[spot.seat] += 1
    for move in happening.moves:
        if move.lifted_s <= at_s < move.landed_s and is_rack(move.target) and move.target.seat is not None:
            count[move.target.seat] += 1
    return count
