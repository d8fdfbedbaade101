"""Reads an evening from a log: every table, every hand in figures, every alert and what became of it.

Owns which hands are the evening's, and the fold. One hand's events are held at a time (and the one's before, which
later knowledge may still correct); what is kept is a few figures a hand and a line an alert. Refuses to know words and
pictures.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import Final

from msgspec import Struct

from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.audience import Audience, directors_alert
from monitor.errors import NothingOnThatDateError
from monitor.events import Seat
from monitor.log.part import Part
from monitor.log.reader import HandSpan, LogReader, ToldRecord
from monitor.reports.hand_events import HandEvents
from monitor.reports.hand_summary import HandSummary, summary_of
from monitor.reports.when import Clock, clock_of, evening_of, same_start

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


class Session(Struct, frozen=True):
    """An evening: hands in order of table and time, alerts in order of time, without notices of closed windows."""

    evening: date
    tables: tuple[str, ...]
    hands: tuple[HandSummary, ...]
    alerts: tuple[AlertSummary, ...]
    runs: tuple[int, ...]


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
    hands: list[HandSummary] = []
    alerts: dict[str, AlertSummary] = {}
    runs: set[int] = set()
    for _, of_table in groupby(passing(of_evening), key=lambda span: span.table):
        hands += _hands(log, of_table, audience, alerts, runs)
    return Session(
        evening=chosen,
        tables=tuple(dict.fromkeys(span.table for span in of_evening)),
        hands=tuple(hands),
        alerts=tuple(sorted(alerts.values(), key=lambda one: (one.at_utc_s, one.id))),
        runs=tuple(sorted(runs)),
    )


def natural(table: str) -> tuple[str, int, str]:
    """So that T2 comes before T10."""
    word = table.rstrip("0123456789")
    number = table[len(word) :]
    return word, int(number[:9] or 0), table


class _Open(Struct, frozen=True):
    first: ToldRecord
    events: HandEvents

    def summary(self) -> HandSummary | None:
        """The hand in figures."""
        return summary_of(self.first, self.events.standing, self.events.dropped)


def _hands(
    log: LogReader, spans: Iterable[HandSpan], audience: Audience, alerts: dict[str, AlertSummary], runs: set[int]
) -> Iterator[HandSummary]:
    before: _Open | None = None
    for span in spans:
        current: _Open | None = None
        for row in log.told(Part(table=span.table, hand=span.hand)):
            runs.add(row.run)
            if current is None:
                current = _Open(row, HandEvents(audience))
            if isinstance(row.record, Alert):
                _take_alert(alerts, row.record, audience, span, clock_of(row))
            elif same_start(row, current.first) and not current.events.take(row.record) and before is not None:
                before.events.take(row.record)
        if before is not None and (summary := before.summary()) is not None:
            yield summary
        before = current
    if before is not None and (summary := before.summary()) is not None:
        yield summary


def _take_alert(
    alerts: dict[str, AlertSummary], alert: Alert, audience: Audience, span: HandSpan, clock: Clock
) -> None:
    shown = directors_alert(alert, audience)
    if shown is None or shown.rule is Rule.WINDOW_CLOSED:
        return
    message = shown.message[:LONGEST_MESSAGE]
    before = alerts.get(shown.id)
    raised = shown.state is AlertState.RAISED
    alerts[shown.id] = AlertSummary(
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
