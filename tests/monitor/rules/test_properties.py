"""What must hold for every hand: by the rules no ruling ever, with one fault that ruling and no other, and more."""

import random
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec import Struct
from msgspec.structs import replace

from monitor.alerts import Alert, Rule
from monitor.events import SEATS, Event, Seat, Tick
from monitor.rules.court import Court
from monitor.rules.judge import State, judge
from monitor.rules.profile import LEAGUE, Profile, keys_of_profile, parse_profile

from .script import heard, standing
from .table import Style, Table

QUIET = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
THINK = st.floats(0.5, 4.0)
SEAT = st.sampled_from(SEATS)


def alarms(alerts: list[Alert]) -> list[Alert]:
    return [alert for alert in alerts if alert.rule is not Rule.WINDOW_CLOSED]


class LegalPlay(RuleBasedStateMachine):
    """Players who do whatever the articles allow, hand after hand: not one ruling, at no moment."""

    def __init__(self) -> None:
        super().__init__()
        self.court = Court(table="T1")
        self.records: list[Event | Alert] = []
        self.table = Table(self.hear)

    def hear(self, event: Event) -> None:
        self.records += self.court.hear(event)

    @initialize(told=st.booleans(), east=SEAT)
    def sit_down(self, told: bool, east: Seat) -> None:
        self.table.told_picks, self.table.east = told, east

    @precondition(lambda self: self.table.last is None)
    @rule(
        passes=st.lists(st.integers(1, 3), max_size=6),
        haste=st.floats(0.2, 2.0),
        sorting=st.lists(st.tuples(SEAT, st.integers(1, 6)), max_size=3),
        think=THINK,
    )
    def deal(self, passes: list[int], haste: float, sorting: list[tuple[Seat, int]], think: float) -> None:
        self.table.deal()
        for places in passes:
            self.table.charleston_pass(places, haste)
        for seat, tiles in sorting:
            self.table.sorts(seat, tiles, think * 3)
        self.table.first_discard(think)

    in_play = precondition(lambda self: self.table.last is not None)

    @in_play
    @rule(style=st.sampled_from(Style), think=THINK)
    def turn(self, style: Style, think: float) -> None:
        self.table.turn(style, think)

    @precondition(lambda self: self.table.last is not None and not self.table.told_picks)
    @rule()
    def unseen_turn(self) -> None:
        self.table.unseen_turn()

    @in_play
    @rule(
        seat=SEAT, size=st.integers(3, 6), think=THINK, button=st.booleans(), picked=st.booleans(), racked=st.booleans()
    )
    def claim(self, seat: Seat, size: int, think: float, button: bool, picked: bool, racked: bool) -> None:
        if seat not in (self.table.last, *self.table.dead):
            self.table.claim(seat, size, think, button=button, picked=picked, racked=racked)

    @in_play
    @rule(seat=SEAT)
    def mistaken_call(self, seat: Seat) -> None:
        if seat not in self.table.dead:
            self.table.mistaken_call(seat)

    @precondition(lambda self: self.table.last is not None and self.table.exposers)
    @rule(jokers=st.integers(1, 3), think=THINK, which=st.integers(0, 20))
    def exchange(self, jokers: int, think: float, which: int) -> None:
        self.table.exchange_turn(jokers, self.table.exposers[which % len(self.table.exposers)], think)

    @in_play
    @rule(seat=SEAT, tiles=st.integers(1, 6), seconds=st.floats(0.2, 4.5))
    def rearranges_off_turn(self, seat: Seat, tiles: int, seconds: float) -> None:
        if seat is not self.table.next and self.table.counts[seat] >= tiles:
            self.table.sorts(seat, tiles, seconds)

    @precondition(lambda self: self.table.last is not None and len(self.table.alive) > 2)
    @rule(seat=SEAT, by_director=st.booleans())
    def dies(self, seat: Seat, by_director: bool) -> None:
        others = [other for other in self.table.alive if other is not seat]
        if seat in self.table.alive:
            self.table.dies(seat, "director" if by_director else others[0].value)

    @in_play
    @rule()
    def wins(self) -> None:
        self.table.wins()

    @in_play
    @rule()
    def ends_in_a_wall_game(self) -> None:
        self.table.ends("wall")

    @rule(seconds=st.floats(0.0, 60.0))
    def time_passes(self, seconds: float) -> None:
        self.table.wait(seconds)
        self.hear(Tick(at=self.table.now, table="T1"))

    @invariant()
    def no_ruling(self) -> None:
        assert alarms([record for record in self.records if isinstance(record, Alert)]) == []

    def teardown(self) -> None:
        self.hear(Tick(at=self.table.now + 60, table="T1"))
        self.no_ruling()


TestLegalPlay = LegalPlay.TestCase
TestLegalPlay.settings = settings(QUIET, max_examples=60, stateful_step_count=30)


# ---- whole hands, by a seed


class Played(Struct, frozen=True):
    """A hand's events and what must stand in the end."""

    events: tuple[Event, ...]
    wanted: frozenset[tuple[Rule, Seat | None]]


Fault = Callable[[Table, random.Random], set[tuple[Rule, Seat | None]]]


def _other(table: Table, rng: random.Random) -> Seat:
    return rng.choice([seat for seat in table.alive if seat not in (table.last, table.next)])


def _late_call(table: Table, rng: random.Random) -> set[tuple[Rule, Seat | None]]:
    return {(Rule.LATE_CALL, table.late_call(_other(table, rng), rng.uniform(0.2, 2), 2))}


def _wrong_exposure(table: Table, rng: random.Random) -> set[tuple[Rule, Seat | None]]:
    return {(Rule.WRONG_EXPOSURE, table.wrong_exposure(_other(table, rng), rng.choice([1, 2, 7]), 2))}


def _mah_jongg_in_error(table: Table, rng: random.Random) -> set[tuple[Rule, Seat | None]]:
    seat = table.double_pick(2)
    for _ in range(rng.randint(3, 6)):
        table.turn(Style.PLAIN, 3)
    table.wait(1)
    table.event("declared", seat)
    table.wait(1)
    table.event("declaration_withdrawn", seat)
    return {(Rule.WRONG_COUNT, seat), (Rule.INVALID_DECLARATION, seat)}


def _simultaneous_call(table: Table, rng: random.Random) -> set[tuple[Rule, Seat | None]]:
    caller = table.simultaneous_call(_other(table, rng), rng.uniform(-0.09, 0.09), rng.randint(3, 5), 2)
    return {(Rule.SIMULTANEOUS_CALL, caller)}


FAULTS: dict[str, Fault] = {
    "none": lambda table, rng: set(),
    "double_pick": lambda table, rng: {(Rule.WRONG_COUNT, table.double_pick(2))},
    "no_pick": lambda table, rng: {(Rule.WRONG_COUNT, table.no_pick(2))},
    "late_call": _late_call,
    "simultaneous_call": _simultaneous_call,
    "out_of_turn": lambda table, rng: {(Rule.OUT_OF_TURN, table.picks_out_of_turn(_other(table, rng)))},
    "wrong_exposure": _wrong_exposure,
    "kills_itself": lambda table, rng: {(Rule.INVALID_DECLARATION, table.kills_itself(rng.choice(table.alive)))},
    "dead_hand_acts": lambda table, rng: {(Rule.DEAD_HAND_ACTS, table.dead_hand_picks())},
    "mah_jongg_in_error": _mah_jongg_in_error,
}

DEALS: dict[str, tuple[int, Rule | None]] = {
    "none": (0, None),
    "north_short": (-1, Rule.MISSING_TILE),
    "overpass": (0, Rule.REDEAL),
}


def some_turns(table: Table, rng: random.Random, turns: int) -> None:
    for _ in range(turns):
        match rng.randrange(8):
            case 0 if table.exposers:
                table.exchange_turn(rng.randint(1, 2), rng.choice(table.exposers), rng.uniform(0.5, 4))
            case 1:
                claimer = rng.choice([s for s in table.alive if s is not table.last])
                flags = [rng.random() < 0.5 for _ in range(3)]
                table.claim(claimer, rng.randint(3, 5), 2, button=flags[0], picked=flags[1], racked=flags[2])
            case 2:
                table.mistaken_call(rng.choice(table.alive))
            case 3:
                off = rng.choice([s for s in SEATS if s is not table.next])
                table.sorts(off, rng.randint(1, 5), rng.uniform(0.3, 4.5))
            case _:
                table.turn(rng.choice(list(Style)), rng.uniform(0.5, 4))


def played(seed: int, fault: str = "none", deal: str = "none", *, told_picks: bool = True) -> Played:
    """A hand with at most one fault, then more turns by the rules."""
    rng, events = random.Random(seed), []
    table = Table(events.append, told_picks=told_picks, east=rng.choice(SEATS))
    wanted: set[tuple[Rule, Seat | None]] = set()
    north = SEATS[(SEATS.index(table.east) + 3) % 4]
    off, ruled = DEALS[deal]
    table.deal(off={north: off} if off else None)
    passes = rng.randint(1, 4)
    for i in range(passes):
        extra = rng.choice(SEATS) if deal == "overpass" and i == passes - 1 else None
        table.charleston_pass(rng.randint(1, 3), rng.uniform(0.2, 2), extra=extra)
    if ruled is Rule.REDEAL:
        return Played(tuple(events), frozenset({(Rule.REDEAL, None)}))
    if ruled is Rule.MISSING_TILE:
        wanted |= {(Rule.MISSING_TILE, north), (Rule.WRONG_COUNT, north)}
    table.first_discard(rng.uniform(1, 10))
    some_turns(table, rng, rng.randint(1, 10))
    wanted |= FAULTS[fault](table, rng)
    some_turns(table, rng, rng.randint(0, 8))
    for _ in range(5):  # everybody rests for a while: in the own turn nothing is judged
        table.turn(Style.PLAIN, 2)
    table.wait(30)
    return Played(tuple(events), frozenset(wanted))


def found(events: tuple[Event, ...] | list[Event], profile: Profile = LEAGUE) -> set[tuple[Rule, Seat | None]]:
    end = Tick(at=max(event.at for event in events) + 60, table="T1")
    return {(alert.rule, alert.seat) for alert in alarms(standing(heard([*events, end], profile)))}


SEED = st.integers(0, 10**6)


ONE_FAULT = st.sampled_from([*((fault, "none") for fault in sorted(FAULTS)), ("none", "north_short")])


@QUIET
@given(seed=SEED, one=ONE_FAULT)
def test_one_fault_gives_that_ruling_and_no_other(seed: int, one: tuple[str, str]) -> None:
    hand = played(seed, *one)
    assert found(hand.events) == hand.wanted


@QUIET
@given(seed=SEED, fault=st.sampled_from(["none", "double_pick", "no_pick", "wrong_exposure"]))
def test_the_same_where_picks_are_not_told(seed: int, fault: str) -> None:
    hand = played(seed, fault, told_picks=False)
    assert found(hand.events) == hand.wanted


@QUIET
@given(seed=SEED)
def test_a_pass_too_many_is_a_redeal(seed: int) -> None:
    hand = played(seed, deal="overpass")
    assert found(hand.events) == hand.wanted


@QUIET
@given(seed=SEED, fault=st.sampled_from(sorted(FAULTS)), cut=st.floats(0.0, 1.0))
def test_judging_a_prefix_then_the_rest_equals_judging_at_once(seed: int, fault: str, cut: float) -> None:
    events = numbered(played(seed, fault).events)
    place = int(cut * len(events))
    state, at_once = State(), []
    for event in events:
        state, rulings = judge(state, event)
        at_once += rulings
    first = State()
    told = []
    for event in events[:place]:
        first, rulings = judge(first, event)
        told += rulings
    kept, again = first, []
    for event in reversed(events[place:]):  # another course of the same hand, judged from the same state
        first, _ = judge(first, event)
    for event in events[place:]:
        kept, rulings = judge(kept, event)
        again += rulings
    assert told + again == at_once
    assert kept == state


def numbered(events: tuple[Event, ...]) -> list[Event]:
    return [replace(event, seq=i + 1) for i, event in enumerate(events)]


@QUIET
@given(seed=SEED, fault=st.sampled_from(sorted(FAULTS)), shuffle=SEED, lag=st.floats(0.0, 20.0))
def test_the_order_of_knowledge_does_not_matter(seed: int, fault: str, shuffle: int, lag: float) -> None:
    """Whatever becomes known late, in whatever order, the same stands in the end, at the same moments."""
    events = numbered(played(seed, fault).events)
    rng = random.Random(shuffle)
    late = sorted(events, key=lambda event: event.at + rng.uniform(0, lag))
    assert ends(late) == ends(events)


def ends(events: list[Event]) -> set[tuple[str, float, str, str]]:
    end = Tick(at=max(event.at for event in events) + 60, table="T1")
    return {(a.id, a.at, a.state.value, a.message) for a in standing(heard([*events, end]))}


@QUIET
@given(seed=SEED, told=st.booleans(), shuffle=SEED)
def test_knowledge_a_second_late_raises_nothing_in_a_hand_by_the_rules(seed: int, told: bool, shuffle: int) -> None:
    """Not even for a moment: what decides is waited for."""
    rng = random.Random(shuffle)
    delayed = [replace(event, seen_at=event.at + _lag(event, rng)) for event in played(seed, told_picks=told).events]
    delayed.sort(key=lambda event: event.known)
    court, alerts = Court(table="T1"), []
    for event in numbered(tuple(delayed)):
        alerts += [record for record in court.hear(event) if isinstance(record, Alert)]
    assert alarms(alerts) == []


def _lag(event: Event, rng: random.Random) -> float:
    at_once = type(event).__name__ in ("Called", "CallWithdrawn", "Declared", "Dead")
    return 0.0 if at_once else rng.uniform(0.3, 1.2)


@QUIET
@given(seed=SEED, others=st.permutations(SEATS), at=st.floats(200.0, 201.0))
def test_the_order_of_simultaneous_seats_does_not_matter(seed: int, others: list[Seat], at: float) -> None:
    hand = played(seed)
    tail = max(event.at for event in hand.events) + at
    rng = random.Random(seed)
    counts = {seat: rng.choice([12, 13, 14]) for seat in SEATS}

    def together(order: list[Seat]) -> list[Event]:
        events: list[Event] = list(hand.events)
        table = Table(events.append, now=tail)
        for seat in order:
            table.rests(seat, counts[seat])
        for seat in order:
            if seat is not hand.events[0].seat:
                table.event("called", seat, via="button")
        return events

    one, two = found(together(others)), found(together(list(SEATS)))
    assert one == two


# ---- profiles

TOUCHES: dict[str, tuple[str, frozenset[Rule]]] = {
    "window.simultaneous_within_ms": ("900", frozenset({Rule.LATE_CALL, Rule.SIMULTANEOUS_CALL})),
    "window.racked_when": ('"released"', frozenset({Rule.LATE_CALL, Rule.SIMULTANEOUS_CALL})),
    "window.declaration": ('"competes"', frozenset({Rule.LATE_CALL, Rule.SIMULTANEOUS_CALL})),
    "count.monitoring": (
        '"off"',
        frozenset({Rule.MISSING_TILE, Rule.WRONG_COUNT, Rule.REDEAL, Rule.INVALID_DECLARATION}),
    ),
    "count.off_turn_motion_s": ("2", frozenset({Rule.WRONG_COUNT, Rule.INVALID_DECLARATION})),
    "count.held_pick_s": ("1", frozenset({Rule.WRONG_COUNT, Rule.INVALID_DECLARATION})),
    "count.restless_s": ("3", frozenset({Rule.WRONG_COUNT, Rule.INVALID_DECLARATION})),
    "count.boundary_rest_s": ("0.2", frozenset({Rule.MISSING_TILE, Rule.WRONG_COUNT, Rule.REDEAL})),
    "count.wrong_before_play": ('"restart"', frozenset({Rule.MISSING_TILE, Rule.REDEAL})),
    "count.missing_tile_taken_by": ('"north"', frozenset({Rule.MISSING_TILE, Rule.WRONG_COUNT})),
    "count.two_wrong_in_play": ('"restart"', frozenset({Rule.REDEAL})),
    "procedure.joker_exchange": ('"one_at_a_time"', frozenset({Rule.EVENT_PROCEDURE})),
    "procedure.touch_commits": ("true", frozenset({Rule.EVENT_PROCEDURE})),
    "table.empty_seat": ('"north"', frozenset(Rule)),
    "evidence.least_confidence": ("1.0", frozenset(Rule)),
    "evidence.sure_confidence": ("1.0", frozenset({Rule.OUT_OF_TURN})),
    "evidence.ruling_confidence": ("1.0", frozenset({Rule.LATE_CALL, Rule.SIMULTANEOUS_CALL, Rule.WRONG_COUNT})),
    "evidence.fastest_turn_s": ("3", frozenset({Rule.OUT_OF_TURN})),
    "evidence.unseen_turn_s": ("9", frozenset({Rule.LATE_CALL, Rule.SIMULTANEOUS_CALL, Rule.OUT_OF_TURN})),
    "evidence.crossing_hands_s": ("0.1", frozenset({Rule.OUT_OF_TURN, Rule.WRONG_COUNT, Rule.DEAD_HAND_ACTS})),
    "evidence.late_news_s": ("5", frozenset({Rule.MISSING_TILE, Rule.REDEAL, Rule.LATE_CALL})),
    "evidence.slow_news_s": ("9", frozenset({Rule.LATE_CALL, Rule.SIMULTANEOUS_CALL})),
    "evidence.quick_discard_s": ("0.1", frozenset({Rule.LATE_CALL, Rule.SIMULTANEOUS_CALL})),
    "evidence.unknown_count_s": ("1", frozenset({Rule.SENSOR_FAULT})),
    "title": ('"Ours"', frozenset()),
}
"""For each profile key another value, and the only rulings that it may touch."""


def test_every_key_is_said_to_touch_something() -> None:
    assert set(TOUCHES) == set(keys_of_profile())


@pytest.mark.parametrize("key", sorted(TOUCHES))
@settings(QUIET, max_examples=12)
@given(seed=SEED, fault=st.sampled_from(sorted(FAULTS)), deal=st.sampled_from(["none", "north_short", "overpass"]))
def test_a_profile_key_touches_only_the_rulings_it_names(key: str, seed: int, fault: str, deal: str) -> None:
    value, rules = TOUCHES[key]
    section, _, name = key.rpartition(".")
    profile = parse_profile(f"[{section}]\n{name} = {value}" if section else f"{name} = {value}")
    events = played(seed, fault, deal).events
    changed = found(events) ^ found(events, profile)
    assert {ruling for ruling, _ in changed} <= rules
