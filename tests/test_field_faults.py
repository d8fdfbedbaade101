"""Every fault that was seen in the field has a test that names it.

The list is the project's own, gathered from public reports about load-cell, RFID, serial and MQTT software; here stands
what arrives, by number. A test names its rows as `row_4`, `rows_1_4_and_7` or `fault_4`. What the simulator's tests
name does not count: they show that it can make the fault, not that anybody bears it.
"""

import re
from pathlib import Path

import pytest

ROWS = {
    1: "one to five in a hundred load-cell reads are 2^n-1 or 0",
    2: "one sample 171, -143, 171",
    4: "raw codes beyond 24 bits",
    5: "-459744 then 5307",
    7: "a chip asleep: all ones",
    9: "single readings doubled",
    10: "a converter settling just after a step",
    11: "the first five samples after the start are off",
    12: "a moving average turns a step into a ramp of 16",
    13: "smoothing delays by 1.8 s",
    15: "drift with temperature",
    16: "the baseline steps after a power cycle",
    18: "the same sample again and again",
    19: "a tag present and absent at every poll",
    20: "a tag flaps",
    21: "a tag reported once, then silence",
    23: "a 7-byte uid cut to 0x88 and 3 bytes",
    25: "an ISO 15693 uid in either byte order",
    26: "a neighbour's tag, uids shifted without a CRC error",
    28: "a collision of several tags",
    30: "two USB readers swap names",
    31: "an empty tag report",
    32: "a bad CRC with five tags",
    33: "USB unplugged: an endless loop of exceptions",
    35: "boot garbage that is no UTF-8",
    36: "a boot log spliced into a frame",
    37: "opening the port resets the board",
    38: "retained messages replayed on connect",
    40: "QoS 1 redelivery without the DUP flag",
    42: "nan in JSON",
    43: "a topic or payload that is no UTF-8",
    45: "a sensor stops after 49 days",
    47: "the wall clock steps back",
    49: "tiles swept together at the end of a hand",
}

TESTS = Path(__file__).parent
SIMULATOR = TESTS / "hw" / "simulator"
NAMED = re.compile(r"(?:row|fault)s?((?:_and)?(?:_\d+)+(?:_and_\d+)?)(?=_|$)")


def rows_named(test: str) -> set[int]:
    """The rows that the name of a test speaks of."""
    return {int(number) for numbers in NAMED.findall(test) for number in re.findall(r"\d+", numbers)}


def _tests() -> dict[int, list[str]]:
    found: dict[int, list[str]] = {number: [] for number in ROWS}
    for path in sorted(TESTS.rglob("test_*.py")):
        if SIMULATOR in path.parents or path == Path(__file__):
            continue
        for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            for number in rows_named(name):
                found.setdefault(number, []).append(f"{path.relative_to(TESTS)}::{name}")
    return found


FOUND = _tests()


@pytest.mark.parametrize(
    ("test", "rows"),
    [
        ("test_row_1_codes", {1}),
        ("test_rows_1_4_and_7_no_weight", {1, 4, 7}),
        ("test_rows_21_and_31_tags", {21, 31}),
        ("test_fault_47", {47}),
        ("test_row_16_and_nothing_else", {16}),
        ("test_two_rows_in_a_table", set()),
        ("test_a_row_cut_short", set()),
    ],
)
def test_rows_are_read_from_names(test: str, rows: set[int]) -> None:
    assert rows_named(test) == rows


@pytest.mark.parametrize("number", ROWS)
def test_each_row_is_named_by_a_test(number: int) -> None:
    assert FOUND[number], f"no test names row {number}: {ROWS[number]}"


def test_no_test_names_a_row_that_is_not_in_the_list() -> None:
    assert set(FOUND) == set(ROWS)
