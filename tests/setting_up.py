"""Evenings on which no hand is played: a rack is calibrated, a tile set is enrolled. Physics and wire are the
simulator's own; only what people do is ours."""

from collections.abc import Sequence

from msgspec import Struct

from firmware_bridge.messages import Place
from hw.simulator import faults
from hw.simulator.evening import Evening, Life, _sent, dice, simulate_evening
from hw.simulator.node import first_boot
from hw.simulator.noise import PROFILES
from hw.simulator.options import Options
from hw.simulator.physical import Happening, Move, Spot, Surface

FAR = Spot(Surface.WALL, Place.WEST)
SLOPE = Spot(Surface.SLOPE, Place.EAST)


class Lie(Struct, frozen=True):
    """A tile lies on East's slope from one second to another."""

    tile: int
    from_s: float
    to_s: float


def set_up(options: Options, lies: Sequence[Lie], end_s: float) -> Evening:
    """What a table's sensors send while tiles are laid on East's rack and taken off again."""
    played = simulate_evening(options)
    faces = played.happening.faces
    moves = []
    for lie in lies:
        moves.append(Move(lie.tile, lie.from_s - 0.6, lie.from_s, FAR, SLOPE, Place.EAST))
        if lie.to_s < end_s:
            moves.append(Move(lie.tile, lie.to_s, lie.to_s + 0.6, SLOPE, FAR, Place.EAST))
    moves.sort(key=lambda move: move.lifted_s)
    happening = Happening(end_s, faces, (FAR,) * len(faces), tuple(moves), (), (), (), ())
    noise = PROFILES[options.noise]
    plan = faults.Plan(options, played.furniture.nodes, end_s, dice(options, 2))
    lives, messages = [], []
    for k, node in enumerate(played.furniture.nodes):
        rng = dice(options, 3, k)
        lives.append(Life(node, (first_boot(end_s, noise, rng),)))
        messages += _sent(options, happening, played.furniture, lives[-1], plan, rng)
    messages = sorted((m for m in messages if m.arrived_s <= end_s), key=lambda m: m.arrived_s)
    return Evening(options, happening, played.furniture, tuple(lives), tuple(messages), played.truth)


def calibrating(options: Options, first: int = 14, check: int = 7) -> Evening:
    """0 to 8 s nothing, tiles from 9 s, all but `check` taken off at 17 s; ends at 28 s."""
    lies = [Lie(k, 8.0 + 0.05 * k, 28.0 if k < check else 17.0 + 0.05 * k) for k in range(first)]
    return set_up(options, lies, 28.0)


def enrolling(options: Options, tiles: Sequence[int], each_s: float = 4.0, begin_s: float = 4.0) -> Evening:
    """One tile after another lies there for a part of `each_s`."""
    lies = [Lie(tile, begin_s + k * each_s, begin_s + (k + 0.6) * each_s) for k, tile in enumerate(tiles)]
    return set_up(options, lies, begin_s + (len(tiles) + 1) * each_s)
