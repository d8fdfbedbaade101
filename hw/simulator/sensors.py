"""A table's sensors as mounted: which cells, antennas and buttons each node has, and all they report of an evening.

Owns the furniture of the five tiers and of mixed tables, and the calibration that a set-up states (with its errors).
happening -> **sensors** -> rows of every node -> faults -> node.
"""

import numpy as np
from msgspec import Struct
from numpy.random import Generator
from numpy.typing import NDArray

from firmware_bridge.messages import Antenna, ButtonEdge, Channel, InventoryRound, Place, TagRead, WeightSample
from hw.calibration import CellCalibration, TableSetup
from hw.simulator.antenna import Tags, appearances, inventories, stream
from hw.simulator.load_cell import Cell, Samples, weigh
from hw.simulator.node import Timed
from hw.simulator.noise import NoiseProfile
from hw.simulator.options import Options, Reader, Tier
from hw.simulator.physical import SEATS, Happening
from hw.simulator.tiles import uids

_ANTENNAS = (Antenna.SLOPE, Antenna.LEDGE)
_RATES = {Tier.WEIGHT10: 10, Tier.WEIGHT80: 80, Tier.HYBRID: 80}
_CHANNELS = {
    Tier.WEIGHT10: (Channel.RACK,),
    Tier.WEIGHT80: (Channel.SLOPE, Channel.LEDGE),
    Tier.HYBRID: (Channel.RACK,),
}
_RFID = frozenset({Tier.RFID, Tier.RFID_FLOOR, Tier.HYBRID})
_WITH_FLOOR = frozenset({Tier.RFID_FLOOR, Tier.HYBRID})


class NodePlan(Struct, frozen=True):
    """What one node carries."""

    name: str
    place: Place
    cells: tuple[Cell, ...]
    antennas: tuple[Antenna, ...]
    buttons: bool


class Furniture(Struct, frozen=True):
    """A table's nodes, its tiles as they really are, and what the set-up says of both."""

    nodes: tuple[NodePlan, ...]
    masses_g: tuple[float, ...]
    tags: Tags
    setup: TableSetup


class Weighed(Struct, frozen=True):
    """One cell's samples."""

    cell: Cell
    samples: Samples


class NodeRows(Struct, frozen=True):
    """Everything one node's sensors report: samples kept apart, the rest as rows."""

    plan: NodePlan
    weighed: tuple[Weighed, ...]
    rows: tuple[Timed, ...]


def furnish(options: Options, faces: tuple[str, ...], noise: NoiseProfile, rng: Generator) -> Furniture:
    """Build the table: real cells and tags, and a calibration that is nearly right."""
    ids = uids(rng)
    mean_g = float(rng.uniform(10.5, 13.0))
    masses = mean_g * (1.0 + rng.normal(0.0, noise.tile_spread, len(faces)))
    strength = np.clip(1.0 - rng.exponential(0.01, len(faces)), 0.2, 1.0)
    weak = rng.permutation(len(faces))[: noise.weak_tags]
    strength[weak] = rng.uniform(0.15, 0.5, weak.size)
    stated_g = float(round(mean_g * (1.0 + float(rng.normal(0.0, noise.tile_error))), 2))
    nodes: list[NodePlan] = []
    calibration: dict[str, CellCalibration] = {}
    for place in SEATS:
        plan, stated = _rack(options, place, stated_g, noise, rng)
        if place in options.silent_racks:
            continue
        nodes.append(plan)
        calibration |= stated
    if options.tier in _WITH_FLOOR:
        floor = (Antenna.DISCARD, Antenna.WALL) if options.wall_antenna else (Antenna.DISCARD,)
        nodes.append(NodePlan(f"{options.table.lower()}-floor", Place.FLOOR, (), floor, buttons=False))
    enrolled = dict(zip(ids, faces, strict=True)) if options.tier in _RFID else {}
    setup = TableSetup(table=options.table, tier=options.tier.value, calibration=calibration, tiles=enrolled)
    return Furniture(tuple(nodes), tuple(float(m) for m in masses), Tags(ids, strength), setup)


def _rack(
    options: Options, place: Place, stated_g: float, noise: NoiseProfile, rng: Generator
) -> tuple[NodePlan, dict[str, CellCalibration]]:
    cells: list[Cell] = []
    stated: dict[str, CellCalibration] = {}
    weighs = options.tier in _CHANNELS and place not in options.racks_without_weight
    for channel in _CHANNELS.get(options.tier, ()) if weighs else ():
        gain = float(np.exp(rng.uniform(np.log(250.0), np.log(2600.0)))) * float(rng.choice([-1.0, 1.0]))
        zero = float(rng.uniform(-600_000, 600_000))
        cells.append(Cell(place, channel, gain, zero, _RATES[options.tier]))
        stated[f"{place.value}.{channel.value}"] = CellCalibration(
            counts_per_g=round(gain * (1.0 + float(rng.normal(0.0, noise.gain_error))), 4),
            zero_counts=float(round(zero + gain * float(rng.normal(0.0, 2.0 * noise.drift_g)))),
            tile_g=stated_g,
        )
    reads = options.tier in _RFID and place not in options.racks_without_rfid
    name = f"{options.table.lower()}-{place.value}"
    return NodePlan(name, place, tuple(cells), _ANTENNAS if reads else (), buttons=True), stated


def sense(
    happening: Happening, furniture: Furniture, plan: NodePlan, options: Options, noise: NoiseProfile, rng: Generator
) -> NodeRows:
    """Let one node's sensors watch the evening."""
    masses: NDArray[np.float64] = np.array(furniture.masses_g)
    weighed = tuple(Weighed(cell, weigh(happening, masses, cell, noise, rng)) for cell in plan.cells)
    rows: list[Timed] = []
    if plan.antennas and options.reader in (Reader.STREAMING, Reader.CHANGES):
        reads = stream(happening, plan.place, plan.antennas, furniture.tags, noise, rng)
        if options.reader is Reader.CHANGES:
            reads = appearances(reads)
        rows += [Timed(read.at_s, read.out_s, TagRead(0, read.antenna, read.uid, read.rssi_dbm)) for read in reads]
    elif plan.antennas:
        rows += [
            Timed(one.at_s, one.at_s, InventoryRound(0, one.antenna, one.uids, one.complete))
            for one in inventories(happening, plan.place, plan.antennas, furniture.tags, noise, rng, options.reader)
        ]
    if plan.buttons:
        rows.extend(_buttons(happening, plan.place, noise, rng))
    return NodeRows(plan, weighed, tuple(rows))


def _buttons(happening: Happening, place: Place, noise: NoiseProfile, rng: Generator) -> list[Timed]:
    rows: list[Timed] = []

    def edge(at_s: float, press_name: ButtonEdge) -> None:
        rows.append(Timed(at_s, at_s + 1e-4, press_name))

    for press in happening.presses:
        if press.seat != place:
            continue
        down, up = ButtonEdge(0, press.button, pressed=True), ButtonEdge(0, press.button, pressed=False)
        edge(press.down_s, down)
        if rng.random() < noise.bounce:
            gap_s = float(rng.uniform(0.001, 0.008))
            edge(press.down_s + gap_s, up)
            edge(press.down_s + gap_s + float(rng.uniform(0.001, 0.008)), down)
        edge(max(press.up_s, press.down_s + 0.03), up)
    return rows


def weight_rows(weighed: Weighed) -> list[Timed]:
    """A cell's samples as rows."""
    channel = weighed.cell.channel
    return [
        Timed(at_s, at_s, WeightSample(0, channel, raw))
        for at_s, raw in zip(weighed.samples.at_s.tolist(), weighed.samples.raw.tolist(), strict=True)
    ]
