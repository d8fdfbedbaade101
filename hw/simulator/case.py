"""A whole simulated evening: in memory, and on disk in exactly the handed cases' form.

Owns how the parts are put together and seeded: the hand depends on the seed, pace and faults of play alone, so that the
same hand is seen by every tier. options -> script -> sensors -> faults -> node -> **case**.
"""

import gzip
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.random import Generator

from firmware_bridge.received import Published
from firmware_bridge.recording import encode_line
from hw.calibration import TableSetup
from hw.simulator import cell_faults, faults, line_faults, tag_faults
from hw.simulator.node import Outgoing, Timed, batch, first_boot, travel
from hw.simulator.noise import PROFILES
from hw.simulator.options import Options
from hw.simulator.physical import Happening
from hw.simulator.script import perform
from hw.simulator.sensors import Furniture, NodePlan, furnish, sense, weight_rows
from hw.simulator.truth import Heading, Truth, begun_later, truth_of
from hw.simulator.wire import payload_of

_HAND, _TABLE, _FAULTS, _NODE = range(4)
"""Independent streams of dice that one seed yields."""


class Evening(Struct, frozen=True):
    """An evening before it is written or sent: what happened, and every message in order of arrival."""

    options: Options
    happening: Happening
    furniture: Furniture
    messages: tuple[Outgoing, ...]
    truth: Truth


class Case(Struct, frozen=True):
    """An evening as a recording. `lines` are JSON texts without line ends, in order of arrival."""

    name: str
    lines: tuple[bytes, ...]
    setup: TableSetup
    truth: Truth


def _dice(options: Options, stream: int, index: int = 0) -> Generator:
    return np.random.default_rng(np.random.SeedSequence([options.seed, stream, index]))


def simulate_evening(options: Options, name: str = "") -> Evening:
    """Play the hand, let the sensors watch it, put the faults in, send the messages."""
    noise = PROFILES[options.noise]
    performance = perform(options, _dice(options, _HAND))
    happening = performance.happening
    furniture = furnish(options, happening.faces, noise, _dice(options, _TABLE))
    plan = faults.Plan(options.sensor_faults, furniture.nodes, happening.end_s, _dice(options, _FAULTS))
    furniture = replace(furniture, tags=tag_faults.dead_tags(furniture.tags, plan))
    messages: list[Outgoing] = []
    for k, node in enumerate(furniture.nodes):
        messages.extend(_node(options, happening, furniture, node, plan, _dice(options, _NODE, k)))
    messages = [m for m in messages if m.arrived_s <= happening.end_s]
    messages.sort(key=lambda m: m.arrived_s)
    heading = Heading(
        name=name or name_of(options),
        tier=options.tier.value,
        seed=options.seed,
        fault=options.rule_fault.value if options.rule_fault else None,
        chaos=tuple(fault.value for fault in options.sensor_faults),
        trouble=tuple(plan.trouble),
    )
    truth = truth_of(heading, happening, performance.referee, furniture.tags.uids)
    if options.late_start_s > 0.0:
        truth = begun_later(truth, options.late_start_s)
    return Evening(options, happening, furniture, tuple(messages), truth)


def _node(
    options: Options, happening: Happening, furniture: Furniture, node: NodePlan, plan: faults.Plan, rng: Generator
) -> list[Outgoing]:
    noise = PROFILES[options.noise]
    sensed = sense(happening, furniture, node, options, noise, rng)
    boots = line_faults.lives(node.place, first_boot(happening.end_s, noise, rng), plan)
    rows: list[Timed] = tag_faults.spoil_rows(list(sensed.rows), node.place, furniture.tags, plan)
    for weighed in sensed.weighed:
        rows.extend(weight_rows(cell_faults.spoil_cell(cell_faults.glitch(weighed, noise, rng), boots, plan)))
    messages = line_faults.hush(batch(node.name, node.place, rows, boots, rng), node.place, plan)
    return line_faults.damage(travel(messages, options.wiring, noise, rng), node.place, plan)


def name_of(options: Options) -> str:
    """The case's name, spelt as the handed ones are."""
    fault = options.rule_fault.value if options.rule_fault else "legal"
    suffix = "-session" if options.hands > 1 else ""
    return f"{options.tier.value}-{options.seed:03d}-{fault}{suffix}"


def received_of(evening: Evening) -> list[Published]:
    """What the host receives of an evening: readings of nodes and typed inputs, in order of arrival."""
    table = evening.options.table
    received = [
        Published(m.arrived_s, f"rackwatch/v1/{table}/{m.place.value}/readings", payload_of(m), retain=m.retain)
        for m in evening.messages
    ]
    received += [
        Published(typed.at_s, f"rackwatch/v1/{table}/{typed.about}/input", typed.payload.encode())
        for typed in evening.happening.typed
    ]
    received.sort(key=lambda one: one.at_s)
    late_s = evening.options.late_start_s
    return [replace(one, at_s=one.at_s - late_s) for one in received if one.at_s >= late_s] if late_s else received


def lines_of(evening: Evening) -> tuple[bytes, ...]:
    """The recording of an evening, as the product's own recorder writes it; without line ends."""
    return tuple(encode_line(one).rstrip(b"\n") for one in received_of(evening))


def simulate(options: Options, name: str = "") -> Case:
    """An evening as a recording, in memory. Equal options give equal bytes."""
    evening = simulate_evening(options, name)
    return Case(evening.truth.name, lines_of(evening), evening.furniture.setup, evening.truth)


def write_case(folder: Path, name: str, options: Options) -> None:
    """Write NAME.recording.jsonl.gz, NAME.setup.json and NAME.truth.json into a folder, made if need be."""
    case = simulate(options, name)
    folder.mkdir(parents=True, exist_ok=True)
    # No time stamp in the archive: the same options give the same file.
    with (folder / f"{name}.recording.jsonl.gz").open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
        packed.write(b"\n".join(case.lines) + b"\n")
    (folder / f"{name}.setup.json").write_bytes(msgspec.json.format(msgspec.json.encode(case.setup), indent=1))
    (folder / f"{name}.truth.json").write_bytes(msgspec.json.encode(case.truth))
