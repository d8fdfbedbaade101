"""Reads a recording line by line."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import msgspec

from firmware_bridge.arrival import Arrival
from firmware_bridge.messages import Input, Place, Readings
from monitor.replay import ReplayLine


class _Line(msgspec.Struct):
    at: float
    topic: str = ""
    payload: str = ""
    retain: bool = False


_line = msgspec.json.Decoder(_Line)
_readings = msgspec.json.Decoder(Readings)
_input = msgspec.json.Decoder(Input)


def read(path: Path) -> Iterator[ReplayLine]:
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        for raw in file:
            try:
                line = _line.decode(raw)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
            yield ReplayLine(line.at, _arrival(line))


def _arrival(line: _Line) -> Arrival | None:
    match line.topic.split("/"):
        case ["rackwatch", "v1", table, place, "readings"]:
            try:
                message = _readings.decode(line.payload)
                return Arrival(line.at, table, Place(place), message, retained=line.retain)
            except (msgspec.DecodeError, ValueError):
                return None
        case ["rackwatch", "v1", table, place, "input"]:
            try:
                said = _input.decode(line.payload)
                return Arrival(line.at, table, None if place == "table" else Place(place), said, retained=line.retain)
            except (msgspec.DecodeError, ValueError):
                return None
        case _:
            return None
