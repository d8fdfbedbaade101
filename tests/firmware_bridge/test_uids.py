"""Uids in one canonical form; rows 23 and 25 of the faults seen in the field."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.uids import ByteOrder, UidForms, reversed_bytes, well_formed

TILE = "E0040100A1B2C3D4"


@pytest.mark.parametrize("text", [TILE, TILE.lower(), "e0:04:01:00:a1:b2:c3:d4", "E0 04 01 00 A1 B2 C3 D4"])
def test_one_form_for_every_spelling(text: str) -> None:
    assert UidForms().canonical("n", text) == TILE


@pytest.mark.parametrize(
    "text",
    ["", "E0", "E00401", "E0040100A1B2C3D", "E0040100A1B2C3D400", "G0040100A1B2C3D4", "0" * 16, "F" * 16, "٠" * 16],
)
def test_what_is_no_whole_uid_is_none(text: str) -> None:
    assert UidForms().canonical("n", text) is None


@pytest.mark.parametrize(
    "text", ["04A1B2C3", "04A1B2C3D4E5F6", TILE, "04A1B2C3D4E5F6A7B8C9", "30395DFA81A1C40000000001"]
)
def test_lengths_of_real_tags_pass(text: str) -> None:
    assert well_formed(text) == text


def test_fault_23_a_seven_byte_uid_cut_to_88_and_three_bytes_is_rejected() -> None:
    assert UidForms().canonical("n", "8804A1B2") is None
    assert UidForms().canonical("n", "0488A1B2") == "0488A1B2"


def test_fault_25_either_byte_order_comes_out_in_one_form() -> None:
    forms = UidForms()
    assert forms.canonical("highest", TILE) == TILE
    assert forms.canonical("lowest", reversed_bytes(TILE)) == TILE
    assert forms.order("highest") is ByteOrder.HIGHEST_FIRST
    assert forms.order("lowest") is ByteOrder.LOWEST_FIRST


def test_fault_25_a_uid_that_looks_right_both_ways_follows_its_reader() -> None:
    both_ways = "E0040100A1B2C3E0"
    forms = UidForms()
    assert forms.canonical("lowest", both_ways) == both_ways
    forms.canonical("lowest", reversed_bytes(TILE))
    assert forms.canonical("lowest", reversed_bytes(both_ways)) == both_ways
    assert not forms.all_canonical("lowest", [both_ways])
    assert forms.canonical("highest", both_ways) == both_ways
    assert forms.all_canonical("highest", [both_ways])


@given(st.binary(min_size=7, max_size=7), st.booleans())
def test_any_iso_15693_uid_survives_either_order(rest: bytes, lowest_first: bool) -> None:
    uid = (b"\xe0" + rest).hex().upper()
    forms = UidForms()
    forms.canonical("n", reversed_bytes(TILE) if lowest_first else TILE)
    assert forms.canonical("n", reversed_bytes(uid) if lowest_first else uid) == uid


@given(st.text(max_size=40))
def test_any_text_gives_a_canonical_uid_or_none(text: str) -> None:
    uid = UidForms().canonical("n", text)
    assert uid is None or UidForms().canonical("n", uid) == uid


def test_memory_of_uids_is_bounded() -> None:
    forms = UidForms()
    for number in range(10_000):
        forms.canonical(f"node {number}", f"E004{number:012X}")
    assert len(forms._canonical) <= 4096
    assert len(forms._orders) <= 4096
