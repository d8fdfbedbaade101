"""Writing into a set-up: what is new is there, and nothing else has changed."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw.calibration import CellCalibration, Measured, TableSetup
from hw.setup_text import NoSetup, SetupChange, merged_setup, tile_set_text

MEASURED = Measured(1.0, 20.0, 0.1, 9.0, 0.08, 10.0, (14,), "2026-11-30T12:00:00Z")
CELL = CellCalibration(-412.7, 152311.0, 12.0, MEASURED)
TEXT = st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
NUMBER = st.floats(-1e6, 1e6)
CELLS = st.dictionaries(
    st.sampled_from(["east.rack", "south.rack", "west.slope", "north.ledge"]),
    st.builds(CellCalibration, NUMBER, NUMBER, NUMBER, st.none() | st.just(MEASURED)),
)


def written(text: bytes | NoSetup) -> bytes:
    assert isinstance(text, bytes), text
    return text


@given(
    others=st.dictionaries(TEXT.filter(lambda key: key not in TableSetup.__struct_fields__), JSON),
    old=CELLS,
    new=CELLS,
    own=st.dictionaries(TEXT.filter(lambda key: key not in CellCalibration.__struct_fields__), JSON, max_size=2),
    tiles=st.none() | st.dictionaries(TEXT, TEXT, max_size=4),
)  # fmt: skip
def test_everything_else_stays_as_it_was(
    others: dict, old: dict, new: dict, own: dict, tiles: dict[str, str] | None
) -> None:
    before = {
        "table": "T1",
        "tier": "hybrid",
        "calibration": {key: {**msgspec.to_builtins(cell), **own} for key, cell in old.items()},
        "tiles": {"E0": "joker"},
        **others,
    }
    text = written(merged_setup(json.dumps(before).encode(), "T9", SetupChange(calibration=new, tiles=tiles)))
    after = json.loads(text)
    assert {key: after[key] for key in others} == others
    assert after["table"] == "T1"
    assert after["tiles"] == (before["tiles"] if tiles is None else tiles)
    assert list(after)[: len(before)] == list(before)
    read = msgspec.json.decode(text, type=TableSetup)
    assert read.calibration == {**old, **new}
    for key in old:
        assert {name: after["calibration"][key][name] for name in own} == own


def test_a_new_set_up_is_made() -> None:
    text = written(merged_setup(None, "T1", SetupChange(calibration={"east.rack": CELL})))
    assert msgspec.json.decode(text, type=TableSetup) == TableSetup("T1", calibration={"east.rack": CELL})
    again = merged_setup(text, "T1", SetupChange(tiles={"E004010012345678": "joker"}, tile_doubts={"E004": "weak"}))
    read = msgspec.json.decode(written(again), type=TableSetup)
    assert (read.tiles, read.tile_doubts) == ({"E004010012345678": "joker"}, {"E004": "weak"})
    sure = merged_setup(written(again), "T1", SetupChange(tiles=read.tiles))
    assert b"tile_doubts" not in written(sure)


def test_numbers_that_no_float_holds_stay_to_the_digit() -> None:
    text = b'{"table":"T1","more":[123456789012345678901234567890,0.10000000000000000000001]}'
    merged = written(merged_setup(text, "T1", SetupChange(tiles={})))
    assert b"123456789012345678901234567890" in merged
    assert b"0.10000000000000000000001" in merged


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b'{"table":1}', b'{"tier":"x"}', b"\xff", b"[" * 100_000,
                                  b'{"table":"T1","calibration":[]}'])  # fmt: skip
def test_what_is_no_set_up_is_never_written_over(text: bytes) -> None:
    assert isinstance(merged_setup(text, "T1", SetupChange(calibration={"east.rack": CELL})), NoSetup)


def test_a_tile_set_of_its_own_is_a_mapping() -> None:
    assert json.loads(tile_set_text({"E004": "joker"})) == {"E004": "joker"}
