"""Unknown is never an alarm: hands begun before the monitor, silent nodes, reboots, racks without a node, bad lines."""

from functools import partial

import pytest

from firmware_bridge.messages import Place
from hw.simulator.options import BAD_DAY, Noise, Options, SensorFault, Tier
from monitor.alerts import Level, Rule
from monitor.events import CountChanged, Dealt, Discarded, Racked, Zone

from .stage import played

hand = partial(Options, seed=2, noise=Noise.QUIET, discards=8)


@pytest.mark.parametrize("tier", [Tier.WEIGHT10, Tier.WEIGHT80])
def test_a_table_begun_in_the_middle_of_a_hand(tier: Tier) -> None:
    """No deal was seen, so none is told; play is picked up all the same, and nobody is wronged."""
    shown = played(hand(tier=tier, late_start_s=205.0, discards=14))
    assert shown.false_alarms == []
    assert shown.raised(Rule.OUT_OF_TURN) == []
    assert shown.of(Dealt) == []
    turns = [e for e in shown.truth.events if e.kind == "racked"]
    assert len(shown.of(Racked)) >= 0.5 * len(turns) > 0
    assert shown.of(Discarded)


@pytest.mark.parametrize("tier", [Tier.WEIGHT80, Tier.RFID, Tier.HYBRID])
@pytest.mark.parametrize("late_start_s", [30.0, 110.0])
def test_a_table_begun_among_deal_or_passes_tells_of_no_turn_that_was_none(tier: Tier, late_start_s: float) -> None:
    """Tiles that are dealt and passed come one at a time as well; that is not play."""
    shown = played(hand(tier=tier, noise=Noise.NORMAL, late_start_s=late_start_s))
    assert shown.false_alarms == []
    began_s = min(each.at for each in shown.truth.events if each.kind == "discarded")
    assert [event for event in shown.of(Racked, Discarded) if event.at < began_s - 1.0] == []
    assert shown.of(Racked)


@pytest.mark.parametrize("tier", [Tier.WEIGHT10, Tier.RFID])
def test_a_node_that_falls_silent(tier: Tier) -> None:
    """Its rack is unknown meanwhile, the director hears of the node, and the hand goes on."""
    shown = played(hand(tier=tier, sensor_faults=(SensorFault.SILENCE,)))
    assert shown.truth.trouble
    assert shown.false_alarms == []
    seat = str(shown.truth.trouble[0].place)
    unknown = [e for e in shown.events if isinstance(e, CountChanged) and e.count is None and e.reason == "silent"]
    faults = [a for a in shown.alerts if a.rule is Rule.SENSOR_FAULT and a.seat == seat]
    assert {e.seat for e in unknown} <= {seat}
    assert any(f"{seat} node" in a.message for a in faults)
    assert all(a.level is Level.TECHNICAL for a in faults)


@pytest.mark.parametrize(("tier", "seed"), [(Tier.WEIGHT10, 8), (Tier.RFID, 2)])
def test_a_node_that_starts_anew_in_mid_hand(tier: Tier, seed: int) -> None:
    """A reboot is no event: its clock begins at another zero, and so may its scale."""
    shown = played(hand(tier=tier, seed=seed, sensor_faults=(SensorFault.REBOOT,)))
    assert any(trouble.fault == "reboot" for trouble in shown.truth.trouble)
    assert shown.false_alarms == []


@pytest.mark.parametrize(("tier", "seed"), [(Tier.WEIGHT10, 8), (Tier.RFID, 2)])
def test_two_racks_without_a_node(tier: Tier, seed: int) -> None:
    """Half the table is blind: the other half is counted, and nothing is guessed of the blind half."""
    shown = played(hand(tier=tier, seed=seed, silent_racks=(Place.SOUTH, Place.NORTH)))
    assert shown.false_alarms == []
    counted = [e for e in shown.events if isinstance(e, CountChanged) and e.zone is Zone.RACK and e.count is not None]
    assert {str(e.seat) for e in counted} == {"east", "west"}
    assert {e.seat for e in shown.of(Racked)} <= {"east", "west"}


def test_a_bad_day_raises_nothing_but_troubles_of_sensors() -> None:
    """Loss, repeats, disorder, nonsense, silence, a reboot and a dead tag at once."""
    shown = played(hand(tier=Tier.HYBRID, noise=Noise.NORMAL, sensor_faults=BAD_DAY))
    assert shown.false_alarms == []
    assert {a.level for a in shown.alerts} <= {Level.NOTICE, Level.TECHNICAL}
    assert any(a.rule is Rule.SENSOR_FAULT for a in shown.alerts)
