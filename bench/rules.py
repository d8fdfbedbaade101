"""The rules core: events judged on one core, beside a bare loop that only decodes the same lines."""

from collections.abc import Iterator

from bench import Row, best_of
from hw.simulator.evening import simulate_evening
from hw.simulator.options import Options, Pace, RuleFault, Tier
from hw.simulator.referee_events import judge_lines
from monitor.events import Event, HandStarted, parse_event
from monitor.rules.judge import State, judge

_HANDS = (None, RuleFault.LATE_CALL, RuleFault.DOUBLE_PICK, RuleFault.NORTH_SHORT)


def _lines(seed: int, fault: RuleFault | None) -> tuple[bytes, ...]:
    """A hand's events as a referee who saw all would write them."""
    options = Options(seed=seed, pace=Pace.NORMAL, tier=Tier.WEIGHT10, rule_fault=fault)
    return judge_lines(simulate_evening(options).truth)


def _judged(hands: list[list[Event]]) -> None:
    for events in hands:
        state = State()
        for event in events:
            state, _ = judge(state, event)


def _lag_s(event: Event) -> float:
    return event.seq * 7919 % 2000 / 1000


def rows() -> Iterator[Row]:
    """Events in order of time; and the same with each event known up to two seconds late."""
    lines = [line for seed, fault in enumerate(_HANDS) for line in _lines(9100 + seed, fault)]
    hands: list[list[Event]] = []
    for event in map(parse_event, lines):
        if isinstance(event, HandStarted):
            hands.append([])
        hands[-1].append(event)
    late = [sorted(events, key=lambda event: event.at + _lag_s(event)) for events in hands]

    def decode() -> None:
        for line in lines:
            parse_event(line)

    plain_s = best_of(5, decode) / len(lines)
    for what, streams in (("judge events in order", hands), ("judge events up to 2 s late", late)):
        ours_s = best_of(5, lambda streams=streams: _judged(streams)) / len(lines)  # type: ignore[misc]
        yield Row(what, f"{1 / ours_s / 1e3:.0f} k events/s", ours_s / plain_s, "a bare msgspec decode (cost)")
