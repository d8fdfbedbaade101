"""The referee's log as events: lines that the product's own decoder takes, with every rack's rests."""

from hw.simulator.evening import Evening, simulate_evening
from hw.simulator.options import Options, Pace, RuleFault
from hw.simulator.referee_events import judge_lines
from monitor.events import CountChanged, Dealt, Discarded, Tick, Zone, parse_event


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
    evening = simulate_evening(Options(seed=2, pace=Pace.NORMAL, rule_fault=RuleFault.DOUBLE_PICK))
    fault = evening.truth.faults[0]
    counts = [e for e in map(parse_event, judge_lines(evening.truth)) if isinstance(e, CountChanged)]
    of_seat = [e.count for e in counts if e.seat == fault.seat.value and e.at <= fault.at + 0.01]
    assert of_seat[-1] == fault.count
