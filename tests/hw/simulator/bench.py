"""A table with one rack and a few tiles, for tests of single sensors."""

from msgspec.structs import replace

from firmware_bridge.messages import Channel, Place
from hw.simulator.load_cell import Cell
from hw.simulator.noise import PROFILES, NoiseProfile
from hw.simulator.options import Noise
from hw.simulator.physical import Happening, Hover, Move, Push, Spot, Surface

WALL = Spot(Surface.WALL, Place.EAST)
SLOPE = Spot(Surface.SLOPE, Place.EAST)
LEDGE = Spot(Surface.LEDGE, Place.EAST)
FLOOR = Spot(Surface.FLOOR)

IDEAL = replace(
    PROFILES[Noise.QUIET],
    cell_rms_g=0.0, drift_g=0.0, creep=0.0, eccentricity=0.0, hysteresis=0.0, heard=1.0, crosstalk=0.0,
    neighbour=0.0, wall_seen=0.0, incomplete=0.0, phantom=0.0,
)  # fmt: skip
"""Sensors without any fault of their own."""


def scene(
    *moves: Move,
    end_s: float = 20.0,
    tiles: int = 4,
    start: Spot = WALL,
    pushes: tuple[Push, ...] = (),
    hovers: tuple[Hover, ...] = (),
) -> Happening:
    faces = ("1-bam",) * tiles
    return Happening(end_s, faces, (start,) * tiles, moves, hovers, pushes, (), ())


def rack_cell(rate: int = 80, channel: Channel = Channel.RACK, counts_per_g: float = 400.0) -> Cell:
    return Cell(Place.EAST, channel, counts_per_g, 100_000.0, rate)


def noisy(noise: Noise) -> NoiseProfile:
    return PROFILES[noise]
