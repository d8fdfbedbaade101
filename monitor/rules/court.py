"""One table's stream: records in, numbered records, derived window events and alert lines out.

Owns the numbers. `Court.hear` numbers what it hears and what the rules derive from it in one stream, and alert lines in
another. A live table and `rackwatch judge` use this same object. Knows no rule; does no I/O.

Numbers. An input that has a `seq` keeps it; one that has none gets the next of the stream. Live, derived events take
their numbers from the same count. Where inputs bring their own numbers (a file judged again: line numbers, or the
numbers of an exported log) a derived event's number must not meet one that is yet to come, so they are counted from
`DERIVED_FROM` on. A derived event that changes is told by `corrected`, whose `replaces` is the number of the latest
record about that window, just as for any other event.

Hands are numbered too, since a finding's id stands for it in its hand. A court that goes on where a log ended begins
with a hand number beyond every number given before, so no id comes twice.

A hand that begins long before the latest moment known is told by another clock, as after a restart of the host; it is
read by itself.

A log judged again already holds window events; they are what an earlier judgement derived, so they and the corrections
of them are dropped and derived anew.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import assert_never

from msgspec import Struct

from monitor.alerts import Alert, AlertState, Authority, Fact, Level, Rule
from monitor.event_lines import read_event
from monitor.events import (
    Corrected,
    Event,
    HandStarted,
    NewHand,
    Tick,
    WindowClosed,
    WindowOpened,
)
from monitor.foreign_text import without_bom
from monitor.rules.claim_window import UNSEEN
from monitor.rules.explain import message
from monitor.rules.judge import Ruling, State, beginning, concluded, judge
from monitor.rules.profile import LEAGUE, Profile
from monitor.rules.state import Closed, Finding, Opened, Place, Reading, in_time, replace

DERIVED_FROM = 1_000_000_001
"""The first number of a derived event where inputs bring their own. Our choice: no file has so many lines."""


NEW_CLOCK_S = 600.0
"""Our choice: no hand's beginning becomes known so much later than what came after it."""


@dataclass(slots=True)
class Count:
    """A running number. `next()` gives the next."""

    last: int = 0

    def next(self) -> int:
        """Count one on."""
        self.last += 1
        return self.last


@dataclass(slots=True)
class Court:
    """The rules at one table. Not pure but small: it holds the state, the numbers, and what was told of each window."""

    profile: Profile = LEAGUE
    table: str = ""
    events: Count = field(default_factory=Count)
    derived: Count | None = None
    alerts: Count = field(default_factory=Count)
    state: State = field(default_factory=State)
    _windows: dict[Place, int] = field(default_factory=dict)
    _dropped: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.events.last:
            self.state = beginning(self.events.last + 1)

    def hear(self, event: Event) -> list[Event | Alert]:
        """Take the next record in order of knowledge; return it, numbered, then what the rules say to it.

        A tick, and a window event of an earlier judgement, are not returned.
        """
        if event.seq == 0 and not isinstance(event, Tick):
            event = replace(event, seq=self.events.next())
        elif event.seq > self.events.last and self.derived is None:
            self.events.last = event.seq
        if not self.table and event.table:
            self.table = event.table
        if self._is_derived(event):
            return []
        if isinstance(event, HandStarted | NewHand) and event.known < self.state.now_s - NEW_CLOCK_S:
            self.state = beginning(self.state.reading.hand.number + 1)
        hand = self.state.reading.hand.number
        self.state, rulings = judge(self.state, event, self.profile)
        if self.state.reading.hand.number > hand:
            self._windows = {place: seq for place, seq in self._windows.items() if place.hand >= hand}
        heard = [] if isinstance(event, Tick) else [event]
        return [*heard, *self._records(rulings)]

    def conclude(self) -> list[Event | Alert]:
        """Nothing more will become known: return what waited for later news alone."""
        self.state, rulings = concluded(self.state, self.profile)
        return self._records(rulings)

    def _records(self, rulings: Iterable[Ruling]) -> list[Event | Alert]:
        """Derived events first, then alert lines."""
        events: list[Event | Alert] = []
        lines: list[Event | Alert] = []
        for ruling in rulings:
            outcome = ruling.outcome
            match outcome:
                case Finding():
                    lines.append(self._alert(ruling, outcome))
                case Opened():
                    events.append(self._opened(ruling, outcome))
                case Closed():
                    events.append(self._closed(ruling, outcome))
                    lines.append(self._closed_notice(ruling, outcome))
                case _:
                    assert_never(outcome)
        return [*events, *lines]

    @property
    def reading(self) -> Reading:
        """The table as the rules read it now: phase, turn, window, seats."""
        return self.state.reading

    def _is_derived(self, event: Event) -> bool:
        if isinstance(event, WindowOpened | WindowClosed) or (
            isinstance(event, Corrected) and event.replaces in self._dropped
        ):
            self._dropped.add(event.seq)
            return True
        return False

    # ---- derived events

    def _number(self) -> int:
        return (self.derived or self.events).next()

    def _opened(self, ruling: Ruling, outcome: Opened) -> Event:
        fact = outcome.moment
        opened = WindowOpened(
            at=fact.at,
            seat=fact.seat,
            table=self.table,
            earliest=_bound(fact.earliest, fact.at),
            latest=_bound(fact.latest, fact.at),
            confidence=outcome.confidence,
        )
        return self._told(ruling, opened)

    def _closed(self, ruling: Ruling, outcome: Closed) -> Event:
        fact = outcome.moment
        closed = WindowClosed(
            at=fact.at,
            seat=fact.seat,
            table=self.table,
            earliest=_bound(fact.earliest, fact.at),
            latest=_bound(fact.latest, fact.at),
            cause=outcome.cause,
        )
        return self._told(ruling, closed)

    def _told(self, ruling: Ruling, event: WindowOpened | WindowClosed) -> Event:
        """The window event itself the first time, a correction of the latest record about it from then on."""
        now_s, before = self.state.now_s, self._windows.get(ruling.place)
        seq = self._windows[ruling.place] = self._number()
        seen_at = None if now_s == event.at else now_s
        if before is None:
            return replace(event, seq=seq, seen_at=seen_at)
        return Corrected(
            at=event.at,
            seq=seq,
            table=self.table,
            seat=event.seat,
            earliest=event.earliest,
            latest=event.latest,
            seen_at=now_s,
            replaces=before,
            struck=ruling.state is AlertState.WITHDRAWN,
            cause=event.cause if isinstance(event, WindowClosed) else None,
        )

    # ---- alert lines

    def _id(self, ruling: Ruling) -> str:
        return f"{self.table or 'table'}-{ruling.place.hand}-{ruling.place.key}"

    def _alert(self, ruling: Ruling, found: Finding) -> Alert:
        return Alert(
            id=self._id(ruling),
            rule=found.rule,
            at=found.moment.at,
            raised_at=ruling.raised_s,
            article=found.article,
            authority=found.authority,
            level=found.level,
            message=message(found),
            state=ruling.state,
            seq=self.alerts.next(),
            table=self.table,
            seat=found.seat,
            earliest=_bound(found.moment.earliest, found.moment.at),
            latest=_bound(found.moment.latest, found.moment.at),
            expected=found.expected,
            count=found.count,
            verdict=found.verdict,
            evidence=_evidence(found.facts),
            rests_on=found.rests_on,
            facts=found.facts,
        )

    def _closed_notice(self, ruling: Ruling, closed: Closed) -> Alert:
        facts = in_time(closed.discard, closed.moment)
        return Alert(
            id=self._id(ruling).replace("-closed-", f"-{Rule.WINDOW_CLOSED}-"),
            rule=Rule.WINDOW_CLOSED,
            at=closed.moment.at,
            raised_at=ruling.raised_s,
            article="107",
            authority=Authority.LEAGUE,
            level=Level.NOTICE,
            message=message(closed),
            state=ruling.state,
            seq=self.alerts.next(),
            table=self.table,
            seat=closed.moment.seat,
            earliest=_bound(closed.moment.earliest, closed.moment.at),
            latest=_bound(closed.moment.latest, closed.moment.at),
            evidence=_evidence(facts),
            facts=facts,
        )


def _evidence(facts: Iterable[Fact]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(fact.seq for fact in facts if fact.seq != UNSEEN))


def _bound(bound: float, at: float) -> float | None:
    return None if bound == at else bound


class Unreadable(Struct, frozen=True):
    """What is wrong with a line of the input, in a sentence; `skipped` unless it could be used all the same."""

    line: int
    why: str
    skipped: bool = True


class Unmatched(Struct, frozen=True):
    """Corrections that found nothing to correct: how many, and the line and the `replaces` of the first."""

    count: int
    line: int
    replaces: int


def judge_lines(
    lines: Iterable[str | bytes], profile: Profile = LEAGUE
) -> Iterator[Event | Alert | Unreadable | Unmatched]:
    """Judge a file's lines by themselves: events out as they stand in the stream, alerts, and what could not be read.

    An event that has no `seq` gets its line's number. Each table that the lines speak of is judged by itself, and time
    passes for all of them with a tick that names none; alert lines are numbered together. Ticks come out too, so that
    what comes out can be judged again and says the same. Empty lines are passed over.
    """
    courts: dict[str, Court] = {}
    derived, alerts = Count(DERIVED_FROM - 1), Count()
    unmatched: Unmatched | None = None
    for number, line in enumerate(lines, 1):
        text = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
        if number == 1:
            text = without_bom(text)
        if not text.strip():
            continue
        read = read_event(text)
        if isinstance(read, str):
            yield Unreadable(number, read)
            continue
        yield from (Unreadable(number, what, skipped=False) for what in read.done)
        event = read.event if read.event.seq else replace(read.event, seq=number)
        if isinstance(event, Tick):
            yield event
        if isinstance(event, Tick) and not event.table:
            for court in courts.values():
                yield from court.hear(event)
            continue
        court = courts.get(event.table) or courts.setdefault(
            event.table, Court(profile, derived=derived, alerts=alerts)
        )
        before = court.state.ledger.unmatched
        yield from court.hear(event)
        if isinstance(event, Corrected) and court.state.ledger.unmatched > before:
            first = unmatched or Unmatched(0, number, event.replaces)
            unmatched = replace(first, count=first.count + 1)
    for court in courts.values():
        yield from court.conclude()
    if unmatched is not None:
        yield unmatched
