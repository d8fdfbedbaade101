"""Reads all that a log tells of one alert: its lines, and the events of its hand as they stand.

Owns which rows of the log belong to it. Reads the alert's table and the hand (and its neighbours where late knowledge
crossed from one to the next), never the whole log where the alert's id names its table. Refuses to know words and
pictures.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from monitor.alerts import Alert, AlertState, Rule
from monitor.amended import amendments_of
from monitor.audience import Audience, DirectorsRecords
from monitor.docket import Line, Made, told
from monitor.errors import UnknownAlertError
from monitor.events import Corrected
from monitor.log.notes import Acted
from monitor.log.part import Part
from monitor.log.reader import LogReader, ToldRecord
from monitor.log.schema import Stream
from monitor.reports.when import Clock, clock_of, same_start
from monitor.standing import Standing, StandingEvents
from monitor.tally import Amendment

LINES_KEPT: Final = 8
"""Our choice: an alert is raised, and ends; one that wavered more is told by its first and last lines."""


class ToldLine(Struct, frozen=True):
    """One line of the alert, and when it was written down."""

    alert: Alert
    utc_s: float
    hand: int


class Incident(Struct, frozen=True):
    """One alert with its hand. `left_out`: lines of the alert between the first and the last ones that are not here."""

    table: str
    hand: int
    run: int
    clock: Clock
    lines: tuple[ToldLine, ...]
    events: tuple[Standing, ...]
    left_out: int = 0
    dropped: int = 0
    put_right: tuple[Amendment, ...] = ()
    acts: tuple[Line, ...] = ()
    """What directors did about it, in the order of the log."""

    @property
    def alert(self) -> Alert:
        """The alert as it stands."""
        return self.lines[-1].alert

    @property
    def seen(self) -> Alert:
        """The alert as it was last raised: what the monitor saw, before anything became of it."""
        raised = [line.alert for line in self.lines if line.alert.state is AlertState.RAISED]
        return raised[-1] if raised else self.alert


def read_incident(log: LogReader, alert_id: str, audience: Audience) -> Incident:
    """The incident of this alert. Raises `UnknownAlertError`, `LogError`."""
    first, lines, left_out = _lines(log, alert_id, audience)
    clock = clock_of(first)
    hand, events = _events(log, first, lines[-1].alert, audience)
    return Incident(
        table=first.table,
        hand=hand,
        run=first.run,
        clock=clock,
        lines=tuple(lines),
        events=tuple(events.standing),
        left_out=left_out,
        dropped=events.forgotten,
        put_right=tuple(amendments_of(log, lambda _: audience, first.table).get((first.table, hand), ())),
        acts=told(tuple(_acts(log, first.table, alert_id))),
    )


def _acts(log: LogReader, table: str, alert_id: str) -> Iterator[Made]:
    runs = log.runs()
    for row in log.records(Part(table=table, stream=Stream.ACT)):
        if isinstance(row.record, Acted) and row.record.alert == alert_id:
            act = row.record
            yield Made(row.seq, act.author, runs[row.run].utc_s(act.at), act.reason, act.did)


def _lines(log: LogReader, alert_id: str, audience: Audience) -> tuple[ToldRecord, list[ToldLine], int]:
    first: ToldRecord | None = None
    lines: list[ToldLine] = []
    records = DirectorsRecords(audience)
    left_out = 0
    for row in _rows_of(log, alert_id):
        if not isinstance(row.record, Alert):
            continue
        shown = records.alert(row.record)
        if shown is None:
            break
        first = first or row
        lines.append(ToldLine(shown, row.utc_us / 1e6, row.hand))
        if len(lines) > LINES_KEPT:
            del lines[1]
            left_out += 1
    if first is None:
        raise UnknownAlertError(str(log.place), alert_id, _known(log, audience))
    return first, lines, left_out


def _rows_of(log: LogReader, alert_id: str) -> Iterator[ToldRecord]:
    """The alert's rows. Its id begins with its table's name as a rule; where it does not, every alert is looked at."""
    parts = alert_id.split("-")
    for end in range(1, len(parts)):
        found = False
        for row in log.told(Part(table="-".join(parts[:end]), stream=Stream.ALERT)):
            if isinstance(row.record, Alert) and row.record.id == alert_id:
                found = True
                yield row
        if found:
            return
    for row in log.told(Part(stream=Stream.ALERT)):
        if isinstance(row.record, Alert) and row.record.id == alert_id:
            yield row


def _known(log: LogReader, audience: Audience) -> set[str]:
    ids = set()
    records = DirectorsRecords(audience)
    for row in log.told(Part(stream=Stream.ALERT)):
        if not isinstance(row.record, Alert) or row.record.rule is Rule.WINDOW_CLOSED:
            continue
        if records.alert(row.record) is not None:
            ids.add(row.record.id)
    return ids


def _events(log: LogReader, first: ToldRecord, alert: Alert, audience: Audience) -> tuple[int, StandingEvents]:
    """The hand that the alert is about: the one before its first line's where the evidence lies there."""
    hand = first.hand
    events = _hand(log, first, hand, audience)
    if alert.evidence and hand > 0 and not events.seqs & set(alert.evidence):
        before = _hand(log, first, hand - 1, audience)
        if before.seqs & set(alert.evidence):
            hand, events = hand - 1, before
    for row in log.told(Part(table=first.table, hand=hand + 1, stream=Stream.EVENT)):
        if isinstance(row.record, Corrected) and same_start(row, first):
            events.take(row.record)
    return hand, events


def _hand(log: LogReader, first: ToldRecord, hand: int, audience: Audience) -> StandingEvents:
    events = StandingEvents(audience)
    for row in log.told(Part(table=first.table, hand=hand, stream=Stream.EVENT)):
        if not isinstance(row.record, Alert) and same_start(row, first):
            events.take(row.record)
    return events
