"""Reads an evening from a log: every table, every hand in figures, every alert and what became of it.

Owns which hands are the evening's, and the fold. One hand's events are held at a time (and the one's before, which
later knowledge may still correct); what is kept is a few figures a hand and a line an alert. Refuses to know words and
pictures.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Final

from msgspec import Struct

from monitor.acts import Ruling
from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.amended import amendments_of
from monitor.audience import Audience, DirectorsRecords
from monitor.docket import Line, Made, told
from monitor.errors import NothingOnThatDateError
from monitor.events import Seat
from monitor.log.notes import Acted, directors_act
from monitor.log.part import Part
from monitor.log.reader import HandSpan, LogReader
from monitor.log.schema import Stream
from monitor.reports.when import Clock, clock_of, evening_of
from monitor.tally import Dating, HandSummary, Tallies

LONGEST_MESSAGE: Final = 200
Passing = Callable[[Sequence[HandSpan]], Iterable[HandSpan]]


class AlertSummary(Struct, frozen=True):
    """One alert as it stands at the evening's end; `seen` is its sentence when it was raised, `ended` the last one."""

    id: str
    table: str
    hand: int
    rule: Rule
    level: Level
    authority: Authority
    seat: Seat | None
    at_utc_s: float
    state: AlertState
    seen: str
    ended: str


class RulingSummary(Struct, frozen=True):
    """A ruling about an alert of the evening, and whether it was undone."""

    table: str
    hand: int
    rule: Rule
    alert: str
    line: Line


class Session(Struct, frozen=True):
    """An evening: hands in order of table and time; alerts, without closed windows, and rulings in order of time."""

    evening: date
    tables: tuple[str, ...]
    hands: tuple[HandSummary, ...]
    alerts: tuple[AlertSummary, ...]
    runs: tuple[int, ...]
    rulings: tuple[RulingSummary, ...] = ()


def read_session(
    log: LogReader,
    audience: Audience,
    evening: date | None,
    tables: Sequence[str],
    passing: Passing = lambda spans: spans,
) -> Session:
    """The evening, or the log's last one; of these tables, or all. Raises `NothingOnThatDateError`, `LogError`.

    `passing` is given the evening's hands and gives them back as they are read, for whoever shows progress.
    """
    spans = [span for span in log.hands() if not tables or span.table in tables]
    evenings = sorted({evening_of(span.first_utc_us / 1e6) for span in spans})
    chosen = evening if evening is not None else (evenings[-1] if evenings else None)
    if chosen is None or chosen not in evenings:
        raise NothingOnThatDateError(str(log.place), evening, evenings, tables)
    of_evening = [span for span in spans if evening_of(span.first_utc_us / 1e6) == chosen]
    of_evening.sort(key=lambda span: (natural(span.table), span.hand))
    reading = _Reading(log, audience)
    for span in passing(of_evening):
        reading.read(span)
    return Session(
        evening=chosen,
        tables=tuple(dict.fromkeys(span.table for span in of_evening)),
        hands=tuple(reading.tallies.rest()),
        alerts=tuple(sorted(reading.alerts.values(), key=lambda one: (one.at_utc_s, one.id))),
        runs=tuple(sorted(reading.runs)),
        rulings=tuple(_rulings(log, of_evening, audience)),
    )


def _rulings(log: LogReader, spans: Sequence[HandSpan], audience: Audience) -> list[RulingSummary]:
    """What was ruled about these hands, whenever; an undoing may be of another evening."""
    runs, hands = log.runs(), {(span.table, span.hand) for span in spans}
    acted: dict[int, Acted] = {}
    every: list[Made] = []
    for table in sorted({span.table for span in spans}):
        for row in log.records(Part(table=table, stream=Stream.ACT)):
            act = row.record
            if isinstance(act, Acted) and (table, act.hand) in hands and directors_act(act, audience) is not None:
                acted[row.seq] = act
                every.append(Made(row.seq, act.author, runs[row.run].utc_s(act.at), act.reason, act.did))
    found = [
        RulingSummary(act.table, act.hand, act.rule, act.alert, line)
        for line in told(sorted(every, key=lambda made: made.record))
        if isinstance(line.made.did, Ruling)
        for act in (acted[line.made.record],)
    ]
    return sorted(found, key=lambda one: one.line.made.utc_s)


def began_utc_s(hand: HandSummary) -> float:
    """When a hand of a session began: its rows always say when they were written."""
    return hand.began_utc_s if hand.began_utc_s is not None else 0.0


def natural(table: str) -> tuple[str, int, str]:
    """So that T2 comes before T10."""
    word = table.rstrip("0123456789")
    number = table[len(word) :]
    return word, int(number[:9] or 0), table


class _Reading:
    """What has been read of an evening so far."""

    def __init__(self, log: LogReader, audience: Audience) -> None:
        self.tallies = Tallies(amendments_of(log, lambda _: audience), audience)
        self.alerts: dict[str, AlertSummary] = {}
        self.runs: set[int] = set()
        self._log = log
        self._starts = log.runs()
        self._records = DirectorsRecords(audience)

    def read(self, span: HandSpan) -> None:
        """One hand further."""
        for row in self._log.told(Part(table=span.table, hand=span.hand)):
            self.runs.add(row.run)
            if not isinstance(row.record, Alert):
                start = self._starts.get(row.run)
                dating = Dating(clock_of(row).ahead_s, None if start is None else start.utc_s(0.0))
                self.tallies.event(span.table, span.hand, row.record, dating)
            elif (shown := self._records.alert(row.record)) is not None:
                self.tallies.alert(span.table, span.hand, shown)
                self._take_alert(shown, span, clock_of(row))

    def _take_alert(self, shown: Alert, span: HandSpan, clock: Clock) -> None:
        if shown.rule is Rule.WINDOW_CLOSED:
            return
        message = shown.message[:LONGEST_MESSAGE]
        before = self.alerts.get(shown.id)
        raised = shown.state is AlertState.RAISED
        self.alerts[shown.id] = AlertSummary(
            id=shown.id,
            table=span.table,
            hand=span.hand if before is None else before.hand,
            rule=shown.rule,
            level=shown.level,
            authority=shown.authority,
            seat=shown.seat,
            at_utc_s=clock.utc_s(shown.at) if before is None else before.at_utc_s,
            state=shown.state,
            seen=message if raised or before is None else before.seen,
            ended="" if raised else message,
        )
