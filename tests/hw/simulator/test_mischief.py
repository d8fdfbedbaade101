"""Every rule fault leaves its entry in the truth, and the physical world agrees with what the entry says."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hw.simulator.options import Options, Pace, RuleFault
from hw.simulator.physical import SEATS, right_of
from hw.simulator.script import Performance
from hw.simulator.truth import TruthEvent, TruthFault
from tests.hw.simulator.hands import owned, played

EXPECTED = {
    RuleFault.NORTH_SHORT: ["missing_tile", "wrong_count"],
    RuleFault.NORTH_TAKES_TILE: ["missing_tile"],
    RuleFault.OTHER_SHORT: ["missing_tile", "wrong_count"],
    RuleFault.TWO_WRONG_AT_DEAL: ["redeal"],
    RuleFault.OVERPASS: ["redeal"],
    RuleFault.UNDERPASS: ["redeal"],
    RuleFault.DOUBLE_PICK: ["wrong_count"],
    RuleFault.NO_PICK: ["wrong_count"],
    RuleFault.TWO_WRONG_IN_PLAY: ["wrong_count", "wrong_count"],
    RuleFault.DECLARED_DEAD: ["wrong_count", "dead"],
    RuleFault.LATE_CALL: ["late_call"],
    RuleFault.SIMULTANEOUS_CALL: ["simultaneous"],
    RuleFault.EARLY_CALL: ["close_call"],
    RuleFault.WRONG_EXPOSURE: ["wrong_exposure"],
    RuleFault.OUT_OF_TURN: ["out_of_turn"],
    RuleFault.DEAD_HAND_ACTS: ["wrong_count", "dead", "dead_hand_acts"],
    RuleFault.OWN_DEATH: ["wrong_count", "invalid_declaration"],
    RuleFault.MAH_JONGG_IN_ERROR: ["wrong_count", "invalid_declaration"],
}
_TELLING = {"simultaneous", "close_call", "dead"}


def entries(performance: Performance) -> list[TruthEvent | TruthFault]:
    events = [e for e in performance.referee.events if e.kind in _TELLING]
    return sorted([*performance.referee.faults, *events], key=lambda e: e.at)


def test_every_fault_is_expected_to_leave_something() -> None:
    assert set(EXPECTED) == set(RuleFault)


@settings(max_examples=40, deadline=None)
@given(fault=st.sampled_from(RuleFault), seed=st.integers(0, 2**32 - 1), pace=st.sampled_from(Pace))
def test_each_fault_leaves_its_entries_and_no_others(fault: RuleFault, seed: int, pace: Pace) -> None:
    performance = played(Options(seed=seed, pace=pace, rule_fault=fault))
    assert [e.kind for e in entries(performance)] == EXPECTED[fault]


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), pace=st.sampled_from(Pace))
def test_lawful_hands_leave_none(seed: int, pace: Pace) -> None:
    assert entries(played(Options(seed=seed, pace=pace))) == []


@settings(max_examples=25, deadline=None)
@given(fault=st.sampled_from(RuleFault), seed=st.integers(0, 2**32 - 1))
def test_the_numbers_in_the_entries_are_the_racks(fault: RuleFault, seed: int) -> None:
    performance = played(Options(seed=seed, rule_fault=fault))
    for entry in performance.referee.faults:
        held = owned(performance.happening, entry.at)
        if isinstance(entry.counts, dict):
            assert {seat.value: n for seat, n in held.items() if seat.value in entry.counts} == entry.counts
        elif isinstance(entry.count, int) and entry.kind != "wrong_exposure":
            assert held[entry.seat] == entry.count != entry.expected


@pytest.mark.parametrize("seed", range(8))
def test_calls_race_with_the_racking_as_the_contract_says(seed: int) -> None:
    late = played(Options(seed=seed, rule_fault=RuleFault.LATE_CALL)).referee.faults[0]
    assert isinstance(late.racked, float)
    assert 0.6 <= late.at - late.racked <= 1.4
    for fault, low_s, high_s in (
        (RuleFault.SIMULTANEOUS_CALL, -0.02, 0.02),
        (RuleFault.EARLY_CALL, -0.6, -0.15),
    ):
        performance = played(Options(seed=seed, rule_fault=fault))
        call = next(e for e in performance.referee.events if e.kind in _TELLING)
        assert isinstance(call.racked, float)
        assert low_s - 1e-9 <= call.at - call.racked <= high_s + 1e-9
        assert any(press.seat == call.seat and press.down_s == call.at for press in performance.happening.presses)
        assert any(e.kind == "returned" and e.at > call.at for e in performance.referee.events)


def test_a_dead_hand_is_skipped() -> None:
    for seed in range(5):
        performance = played(Options(seed=seed, rule_fault=RuleFault.DECLARED_DEAD, discards=30))
        dead = next(e for e in performance.referee.events if e.kind == "dead")
        later = [e.seat for e in performance.referee.events if e.kind in ("picked", "discarded") and e.at > dead.at]
        assert dead.seat is not None
        assert later
        assert dead.seat not in later
        assert right_of(dead.seat) in later
        assert any(t.about == dead.seat.value and '"dead"' in t.payload for t in performance.happening.typed)


def test_a_redeal_is_thrown_in_where_the_evening_goes_on() -> None:
    performance = played(Options(seed=5, hands=2, rule_fault=RuleFault.OVERPASS, discards=8))
    kinds = [e.kind for e in sorted(performance.referee.events, key=lambda e: e.at)]
    assert "thrown_in" in kinds
    assert kinds.index("thrown_in") < kinds.index("play_started")
    easts = [e.seat for e in performance.referee.events if e.kind == "hand_started"]
    assert easts == [SEATS[0], SEATS[0]]
