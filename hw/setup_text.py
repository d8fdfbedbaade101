"""A set-up file's text with something new laid into it, and everything else as it was.

Owns the merging: keys that this version does not know, of the file or of a cell, stay to the digit. Refuses to know
files. calibration, enrolment -> **set-up text** -> whoever writes it.
"""

from collections.abc import Mapping

import msgspec
from msgspec import Raw, Struct

from hw.calibration import CellCalibration, TableSetup

_BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class SetupChange(Struct, frozen=True, kw_only=True):
    """What is new: cells are laid over those that are there; a tile set replaces the one that is there."""

    calibration: Mapping[str, CellCalibration] = {}
    tiles: Mapping[str, str] | None = None
    tile_doubts: Mapping[str, str] = {}


class NoSetup(Struct, frozen=True):
    """The text is no set-up of a table, for this reason; nothing may be written over it."""

    problem: str


def merged_setup(text: bytes | None, table: str, change: SetupChange) -> bytes | NoSetup:
    """The set-up `text` (`None`: there is none yet, of `table`) with `change` laid into it, indented, as JSON."""
    try:
        if text is not None:
            msgspec.json.decode(text, type=TableSetup)
        keys = {"table": _raw(table)} if text is None else msgspec.json.decode(text, type=dict[str, Raw])
        if change.calibration:
            cells = _within(keys.get("calibration"))
            for cell, calibration in change.calibration.items():
                kept = {key: raw for key, raw in _within(cells.get(cell)).items() if key != "measured"}
                cells[cell] = _raw({**kept, **_within(_raw(calibration))})
            keys["calibration"] = _raw(cells)
        if change.tiles is not None:
            keys["tiles"] = _raw(dict(change.tiles))
            keys.pop("tile_doubts", None)
            if change.tile_doubts:
                keys["tile_doubts"] = _raw(dict(change.tile_doubts))
    except _BROKEN as problem:
        return NoSetup(str(problem))
    return msgspec.json.format(msgspec.json.encode(keys), indent=1) + b"\n"


def tile_set_text(tiles: Mapping[str, str]) -> bytes:
    """A tile set in a file of its own: uid to face."""
    return msgspec.json.format(msgspec.json.encode(dict(tiles)), indent=1) + b"\n"


def _within(raw: Raw | None) -> dict[str, Raw]:
    return {} if raw is None else msgspec.json.decode(raw, type=dict[str, Raw])


def _raw(value: object) -> Raw:
    return Raw(msgspec.json.encode(value))
