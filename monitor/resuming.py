"""What the director's queue and the clock of the round go on from when the monitor starts.

Owns what of a log is read for it, and that this is bounded: the newest records of each kind, of the last day. Between
the log and the chair. The rule: a restart loses no case that still matters (`Docket.restarted`) and no round that is on
the clock; what is older than a day, or of a table that the settings no longer name, belongs to the reports.
"""

from collections.abc import Mapping
from typing import Final

import structlog
from msgspec import Struct

from monitor.alerts import Alert, Rule
from monitor.audience import Audience, DirectorsRecords
from monitor.docket import Docket, Made
from monitor.errors import LogError
from monitor.events import HandEnded, HandStarted, NewHand, ThrownIn
from monitor.log.notes import Acted, Clocked, Note
from monitor.log.place import LogPlace
from monitor.log.reader import LogReader, Run, StoredRecord, open_log
from monitor.log.schema import Stream
from monitor.round_clock import RoundClock, Turned

DAY_S: Final = 86_400.0
RECORDS_MOST: Final = 4000
"""Of each kind; our choice: some seconds to read at worst, and more than a hall makes in a day."""
_ALERTS: Final = tuple(rule.value for rule in Rule if rule not in (Rule.WINDOW_CLOSED, Rule.SENSOR_FAULT))
_HANDS: Final = tuple(str(kind.__struct_config__.tag) for kind in (HandStarted, NewHand, HandEnded, ThrownIn))
_ACTS: Final = tuple(str(kind.__struct_config__.tag) for kind in (Acted, Clocked))

_log = structlog.get_logger("rackwatch.chair")


class Resumed(Struct, frozen=True):
    """What there is to go on from. `run`: this start, by which moments are told in UTC. `trouble`: what was lost."""

    docket: Docket
    clock: RoundClock
    run: Run
    trouble: str = ""


def resumed(place: LogPlace, run: int, audiences: Mapping[str, Audience], now_utc_s: float) -> Resumed:
    """Read it from the log that this start, number `run`, writes to. Raises `LogError` where it cannot be read at all.

    `audiences`: by table, as the settings have them. One record that cannot be read costs what was before, not the
    start.
    """
    with open_log(place) as log:
        runs = log.runs()
        try:
            docket, clock = _read(log, runs, audiences, now_utc_s)
            last_us = log.last_written_utc_us(run)
        except LogError as problem:
            _log.error("cases of earlier starts could not be read", why=str(problem))
            return Resumed(Docket(), RoundClock(), runs[run], f"Cases of earlier starts could not be read: {problem}.")
    docket.restarted()
    if last_us is not None:
        clock = clock.restarted(last_us / 1e6, now_utc_s)
    return Resumed(docket, clock, runs[run])


def turned(seq: int, table: str, note: Clocked, utc_s: float) -> Turned:
    """A note of the log as the clock hears it."""
    return Turned(seq, note.author, utc_s, note.reason, table, note.did)


def made(seq: int, note: Acted, utc_s: float) -> Made:
    """A note of the log as the docket hears it."""
    return Made(seq, note.author, utc_s, note.reason, note.did)


def _read(
    log: LogReader, runs: Mapping[int, Run], audiences: Mapping[str, Audience], now_utc_s: float
) -> tuple[Docket, RoundClock]:
    docket, clock = Docket(), RoundClock()
    for row in _rows(log):
        if row.record is None or row.utc_us / 1e6 < now_utc_s - DAY_S:
            continue
        run = runs[row.run]
        match row.record:
            case Clocked() as note:
                clock = clock.after(turned(row.seq, row.table, note, run.utc_s(note.at)))
            case Acted() as note:
                docket.take_act(note.alert, made(row.seq, note, run.utc_s(note.at)))
            case Note():
                pass
            case Alert() as alert:
                audience = audiences.get(row.table)
                shown = None if audience is None else DirectorsRecords(audience).alert(alert)
                if shown is not None:
                    docket.take_alert(shown, row.hand, run.utc_s)
            case event:
                docket.take_event(event, row.table, row.hand, run.utc_s)
    return docket, clock


def _rows(log: LogReader) -> list[StoredRecord]:
    wanted = ((Stream.EVENT, _HANDS), (Stream.ALERT, _ALERTS), (Stream.ACT, _ACTS))
    rows = [row for stream, kinds in wanted for row in log.newest(stream, kinds, RECORDS_MOST)]
    return sorted(rows, key=lambda row: row.seq)
