"""What goes wrong at the table is found: the rule, the seat, in time, and nothing else beside it."""

import pytest

from hw.simulator.options import Noise, Options, RuleFault, Tier
from monitor.alerts import Alert, AlertState, Rule

from .stage import Shown, played

WEIGHT, TAGS, BOTH = Tier.WEIGHT80, Tier.RFID, Tier.HYBRID


def hand(fault: RuleFault, tier: Tier, seed: int) -> Shown:
    return played(Options(seed=seed, tier=tier, noise=Noise.QUIET, rule_fault=fault, discards=8))


def found(shown: Shown, rule: Rule) -> list[Alert]:
    """Each fault of the rule in the truth has one standing alert of its seat; returns them."""
    due = [fault for fault in shown.truth.faults if fault.kind == rule.value]
    assert due
    alerts = shown.raised(rule)
    for fault in due:
        mine = [a for a in alerts if rule is Rule.REDEAL or a.seat == str(fault.seat)]
        assert len(mine) == 1, (fault, alerts)
    return alerts


@pytest.mark.parametrize(("tier", "seed"), [(WEIGHT, 1), (BOTH, 1)])
def test_two_tiles_picked_and_one_discarded(tier: Tier, seed: int) -> None:
    shown = hand(RuleFault.DOUBLE_PICK, tier, seed)
    (alert,) = found(shown, Rule.WRONG_COUNT)
    assert (alert.count, alert.expected, alert.article) == (14, 13, "205")
    assert shown.false_alarms == []


@pytest.mark.parametrize(("tier", "seed"), [(TAGS, 2)])
def test_a_discard_without_a_pick(tier: Tier, seed: int) -> None:
    shown = hand(RuleFault.NO_PICK, tier, seed)
    (alert,) = found(shown, Rule.WRONG_COUNT)
    assert (alert.count, alert.expected) == (12, 13)
    assert shown.false_alarms == []


@pytest.mark.parametrize(("tier", "seed"), [(WEIGHT, 1), (TAGS, 2)])
def test_a_call_after_the_next_player_racked(tier: Tier, seed: int) -> None:
    shown = hand(RuleFault.LATE_CALL, tier, seed)
    (alert,) = found(shown, Rule.LATE_CALL)
    assert (alert.article, alert.state) == ("107", AlertState.RAISED)
    fault = next(f for f in shown.truth.faults if f.kind == "late_call")
    assert abs(alert.at - fault.at) < 0.5
    assert shown.false_alarms == []


@pytest.mark.parametrize(("tier", "seed"), [(BOTH, 1)])
def test_a_call_in_time_is_none(tier: Tier, seed: int) -> None:
    """Little before the racking: in time, or at worst not to be ordered."""
    shown = hand(RuleFault.EARLY_CALL, tier, seed)
    assert shown.raised(Rule.LATE_CALL) == []
    assert shown.false_alarms == []


@pytest.mark.parametrize(("tier", "seed"), [(WEIGHT, 3), (TAGS, 1)])
def test_north_never_took_the_thirteenth_tile(tier: Tier, seed: int) -> None:
    """Missing since the deal; wrong in play from East's first discard on."""
    shown = hand(RuleFault.NORTH_SHORT, tier, seed)
    (missing,) = found(shown, Rule.MISSING_TILE)
    (wrong,) = found(shown, Rule.WRONG_COUNT)
    assert (missing.expected, missing.count, wrong.count) == (13, 12, 12)
    assert missing.raised_at < wrong.raised_at
    assert shown.false_alarms == []


@pytest.mark.parametrize(("tier", "seed"), [(TAGS, 1)])
def test_four_tiles_passed_is_a_redeal(tier: Tier, seed: int) -> None:
    shown = hand(RuleFault.OVERPASS, tier, seed)
    (alert,) = found(shown, Rule.REDEAL)
    assert alert.article == "205"
    assert shown.false_alarms == []
