"""A simulated evening as a case: in memory, and on disk in exactly the handed cases' form.

Owns the three files. evening -> reception -> **case**.
"""

import gzip
from pathlib import Path

import msgspec
from msgspec import Struct

from firmware_bridge.recording import encode_line
from hw.calibration import TableSetup
from hw.simulator.evening import Evening, simulate_evening
from hw.simulator.options import Options
from hw.simulator.reception import received_of
from hw.simulator.truth import Truth

__all__ = ["Case", "lines_of", "received_of", "simulate", "simulate_evening", "write_case"]


class Case(Struct, frozen=True):
    """An evening as a recording. `lines` are JSON texts without line ends, in order of arrival."""

    name: str
    lines: tuple[bytes, ...]
    setup: TableSetup
    truth: Truth


def lines_of(evening: Evening) -> tuple[bytes, ...]:
    """The recording of an evening, as the product's own recorder writes it."""
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
