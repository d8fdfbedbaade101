"""The pure core: a state is a value, a ruling is a difference, and each event costs what it touches."""

import copy

import pytest

from monitor.alerts import AlertState, Rule
from monitor.events import Event, Seat, Tick
from monitor.rules.judge import Ruling, State, judge
from monitor.rules.profile import LEAGUE
from monitor.rules.state import Closed, Ending, Finding, Opened

from .script import cases

CASES = {case.name: case for case in cases()}


def judged(events: list[Event], state: State | None = None) -> tuple[State, list[Ruling]]:
    state = state or State()
    told: list[Ruling] = []
    for event in events:
        state, rulings = judge(state, event)
        told += rulings
    return state, told


def findings(rulings: list[Ruling]) -> list[tuple[Rule, AlertState]]:
    return [(r.outcome.rule, r.state) for r in rulings if isinstance(r.outcome, Finding)]


def test_the_same_state_judged_twice_says_the_same() -> None:
    for case in CASES.values():
        state = State()
        for event in case.events:
            once, twice = judge(state, event, case.profile), judge(state, event, case.profile)
            assert once == twice
            state = once[0]


def test_a_state_is_never_changed() -> None:
    for case in CASES.values():
        states, kept = [State()], [copy.deepcopy(State())]
        for event in case.events[-12:]:
            after, _ = judge(states[-1], event, case.profile)
            states.append(after)
            kept.append(copy.deepcopy(after))
        assert states == kept


def test_time_only_moves_forward() -> None:
    state, _ = judged([Tick(at=5.0)])
    assert state.now_s == 5.0
    state, _ = judge(state, Tick(at=3.0), LEAGUE)
    assert state.now_s == 5.0
    state, _ = judge(state, Tick(at=4.0, seen_at=7.0), LEAGUE)
    assert state.now_s == 7.0


def test_raised_once_then_silence() -> None:
    state, told = judged(CASES["racking closes"].events)
    assert findings(told) == [(Rule.LATE_CALL, AlertState.RAISED)]
    assert [type(r.outcome) for r in told if not isinstance(r.outcome, Finding)] == [Opened, Closed]
    for at in (107.0, 120.0, 500.0):
        state, again = judge(state, Tick(at=at))
        assert again == ()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "north takes the missing tile before the first pass",
            [(Rule.MISSING_TILE, AlertState.RAISED), (Rule.MISSING_TILE, AlertState.RESOLVED)],
        ),
        (
            "a wrong count that was a misreading is taken back",
            [(Rule.WRONG_COUNT, AlertState.RAISED), (Rule.WRONG_COUNT, AlertState.WITHDRAWN)],
        ),
        (
            "a wrong count corrected to another wrong count is confirmed",
            [(Rule.WRONG_COUNT, AlertState.RAISED), (Rule.WRONG_COUNT, AlertState.RAISED)],
        ),
        (
            "a call corrected to before the racking is in time",
            [],
        ),
        (
            "a call at another seat after all",
            [(Rule.LATE_CALL, AlertState.RAISED)],
        ),
        (
            "a correction of a correction counts",
            [(Rule.LATE_CALL, AlertState.RAISED)],
        ),
        (
            "the turn went elsewhere, the finding stays",
            [(Rule.WRONG_COUNT, AlertState.RAISED)],
        ),
        (
            "a hand's end struck",
            [
                (Rule.WRONG_COUNT, AlertState.RAISED),
                (Rule.WRONG_COUNT, AlertState.RESOLVED),
                (Rule.WRONG_COUNT, AlertState.RAISED),
            ],
        ),
    ],
)
def test_how_findings_are_told(name: str, told: list[tuple[Rule, AlertState]]) -> None:
    assert findings(judged(CASES[name].events)[1]) == told


def test_found_and_ended_at_once_is_told_as_both() -> None:
    """North was short when the deal was judged, and had taken the tile by then."""
    case = CASES["north takes the missing tile before the first pass"]
    events = [event for event in case.events if not isinstance(event, Tick)]
    _, told = judged([*events, Tick(at=60.0)])
    assert findings(told) == [(Rule.MISSING_TILE, AlertState.RAISED), (Rule.MISSING_TILE, AlertState.RESOLVED)]
    raised, resolved = (r.outcome for r in told if isinstance(r.outcome, Finding))
    assert isinstance(raised, Finding)
    assert isinstance(resolved, Finding)
    assert (raised.ending, resolved.ending) == (Ending.NOT_YET, Ending.TILE_TAKEN)


def test_when_it_was_first_raised_stays() -> None:
    _, told = judged(CASES["a wrong count corrected to another wrong count is confirmed"].events)
    raised = [r.raised_s for r in told if isinstance(r.outcome, Finding)]
    assert raised == [114.0, 114.0]


def test_rulings_come_in_a_stable_order() -> None:
    """Two racks found wrong by one tick are told by seat, in the order of their keys."""
    case = CASES["two wrong in play stand each for itself"]
    events = [event for event in case.events if not isinstance(event, Tick)]
    _, told = judged([*events, Tick(at=200.0)])
    seats = [r.outcome.seat for r in told if isinstance(r.outcome, Finding)]
    assert seats == [Seat.SOUTH, Seat.WEST]
    state, _ = judged(list(reversed(events)))
    _, rulings = judge(state, Tick(at=200.0))
    assert [r.place.key for r in rulings] == sorted(r.place.key for r in rulings)


def test_what_older_hands_held_is_forgotten() -> None:
    """Memory is bounded: the hand before is kept, those before it are closed for good, without a word."""
    state, told = State(), []
    sizes = []
    for hand in range(6):
        for event in CASES["each hand begins anew"].events:
            state, rulings = judge(state, event.__class__(**{**_fields(event), "at": event.at + 1000 * hand, "seq": 0}))
            told += rulings
        sizes.append((len(state.told), len(state.ledger.whole().entries)))
    assert sizes[2] == sizes[5]
    assert not [r for r in told if r.state is AlertState.WITHDRAWN]


def _fields(event: Event) -> dict[str, object]:
    return {name: getattr(event, name) for name in event.__struct_fields__}
