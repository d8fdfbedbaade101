"""Legal hands raise nothing, on every tier: a false alarm in an evening, and a club switches the monitor off."""

import pytest

from hw.simulator.options import Noise, Options, Tier
from monitor.alerts import Level
from monitor.events import SEATS, Dealt, Discarded, Passed, PlayStarted, Racked

from .stage import played


def hand(tier: Tier, noise: Noise, seed: int) -> Options:
    return Options(seed=seed, tier=tier, noise=noise, discards=8)


HANDS = [hand(tier, Noise.NORMAL, 8) for tier in Tier] + [
    hand(tier, Noise.QUIET, 2) for tier in (Tier.WEIGHT80, Tier.RFID)
]


@pytest.mark.parametrize("options", HANDS, ids=lambda one: f"{one.tier}-{one.noise}")
def test_a_legal_hand_raises_no_alarm(options: Options) -> None:
    shown = played(options)
    assert shown.false_alarms == []
    assert shown.truth.faults == ()


@pytest.mark.parametrize("tier", Tier)
def test_a_legal_hand_is_seen_from_the_deal_to_its_turns(tier: Tier) -> None:
    """Not silence but knowledge: the deal, passes, East's first discard, and most rackings."""
    shown = played(hand(tier, Noise.NORMAL, 8))
    assert len(shown.of(Dealt)) == 1
    assert {event.seat for event in shown.of(Passed)} == set(SEATS)
    (started,) = shown.of(PlayStarted)
    truth = {
        kind: [e for e in shown.truth.events if e.kind == kind] for kind in ("play_started", "racked", "discarded")
    }
    assert abs(started.at - truth["play_started"][0].at) < 2.0
    assert started.seat == str(truth["play_started"][0].seat)
    found = [(event.seat, event.at) for event in shown.of(Racked)]
    seen = [e for e in truth["racked"] if any(s == str(e.seat) and abs(at - e.at) < 1.0 for s, at in found)]
    assert len(seen) >= 0.7 * len(truth["racked"])
    assert len(shown.of(Discarded)) >= 0.6 * len(truth["discarded"])


@pytest.mark.parametrize("options", HANDS, ids=lambda one: f"{one.tier}-{one.noise}")
def test_whatever_is_told_of_a_legal_hand_wants_nothing_of_the_director(options: Options) -> None:
    shown = played(options)
    levels = {alert.level for alert in shown.raised(*{a.rule for a in shown.alerts})}
    assert levels <= {Level.NOTICE, Level.TECHNICAL}
