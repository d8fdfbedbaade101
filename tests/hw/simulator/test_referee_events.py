"""The referee's log as events: lines that the product's own decoder takes, with every rack's rests."""

import pytest

from hw.simulator.evening import Evening, simulate_evening
from hw.simulator.options import Noise, Options, Pace, RuleFault, Tier
from hw.simulator.referee_events import judge_lines
from hw.simulator.truth import Heading, truth_of
from monitor.alerts import Alert, AlertState
from monitor.events import CountChanged, Dealt, Discarded, Tick, Zone, parse_event
from monitor.rules.court import judge_lines as judge
from tests.hw.simulator.hands import played

HEADING = Heading(name="x", tier="weight10", seed=0, fault=None, chaos=(), trouble=())


def test_every_line_is_an_event_in_order_of_time(harsh: Evening) -> None:
    events = [parse_event(line) for line in judge_lines(harsh.truth)]
    assert [e.seq for e in events] == list(range(1, len(events) + 1))
    assert [e.at for e in events] == sorted(e.at for e in events)
    assert isinstance(events[-1], Tick)
    discarded = [e for e in events if isinstance(e, Discarded)]
    assert len(discarded) == sum(e.kind == "discarded" for e in harsh.truth.events)
    dealt = next(e for e in events if isinstance(e, Dealt))
    assert dealt.east == harsh.options.first_east.value
    assert all(e.zone is Zone.RACK for e in events if isinstance(e, CountChanged))


def test_a_wrong_rack_is_reported_at_rest_with_its_wrong_number() -> None:
    evening = simulate_evening(Options(seed=2, tier=Tier.WEIGHT10, rule_fault=RuleFault.DOUBLE_PICK))
    fault = evening.truth.faults[0]
    counts = [e for e in map(parse_event, judge_lines(evening.truth)) if isinstance(e, CountChanged)]
    of_seat = [e.count for e in counts if e.seat == fault.seat.value and e.at <= fault.at + 0.01]
    assert of_seat[-1] == fault.count


RULED = {
    RuleFault.NORTH_SHORT: {"missing_tile", "wrong_count"},
    RuleFault.NORTH_TAKES_TILE: {"missing_tile"},
    RuleFault.OTHER_SHORT: {"missing_tile", "wrong_count"},
    RuleFault.DOUBLE_PICK: {"wrong_count"},
    RuleFault.NO_PICK: {"wrong_count"},
    RuleFault.TWO_WRONG_IN_PLAY: {"wrong_count"},
    RuleFault.DECLARED_DEAD: {"wrong_count"},
    RuleFault.LATE_CALL: {"late_call"},
    RuleFault.SIMULTANEOUS_CALL: {"simultaneous_call"},
    RuleFault.EARLY_CALL: set(),
    RuleFault.WRONG_EXPOSURE: {"wrong_exposure"},
    RuleFault.OUT_OF_TURN: {"out_of_turn"},
    RuleFault.DEAD_HAND_ACTS: {"wrong_count", "dead_hand_acts"},
    RuleFault.OWN_DEATH: {"wrong_count", "invalid_declaration"},
    RuleFault.MAH_JONGG_IN_ERROR: {"wrong_count", "invalid_declaration"},
    None: set(),
}


REDEALT = (RuleFault.TWO_WRONG_AT_DEAL, RuleFault.OVERPASS, RuleFault.UNDERPASS)


def standing(options: Options) -> set[str]:
    """The rules of all alerts that the rules core lets stand on a perfect log of the evening, notices apart."""
    performance = played(options)
    truth = truth_of(HEADING, performance.happening, performance.referee, tuple(map(str, range(152))))
    alerts = {a.id: a for a in judge(judge_lines(truth)) if isinstance(a, Alert)}
    return {a.rule.value for a in alerts.values() if a.state is not AlertState.WITHDRAWN} - {"window_closed"}


@pytest.mark.parametrize("fault", RULED)
def test_the_rules_find_in_a_perfect_log_what_was_put_in_and_nothing_else(fault: RuleFault | None) -> None:
    for seed in range(12):
        options = Options(seed=seed, pace=list(Pace)[seed % 3], noise=list(Noise)[seed % 4], rule_fault=fault)
        assert standing(options) == RULED[fault], seed


@pytest.mark.parametrize("fault", REDEALT)
def test_the_rules_throw_in_what_is_wrong_in_the_charleston(fault: RuleFault) -> None:
    """Where the table plays on all the same, the racks stay wrong."""
    for seed in range(8):
        assert standing(Options(seed=seed, rule_fault=fault, hands=2, discards=6)) == {"redeal"}, seed
        assert {"redeal"} <= standing(Options(seed=seed, rule_fault=fault)) <= {"redeal", "wrong_count"}, seed
