"""The kinds of thing that have a sheet or file of their own: hands, events, alerts, acts, health; and their rows.

Owns which columns there are and what stands in them. Refuses to know CSV and Excel: a row is a list of plain cells.
Between the entries and the formats that have rows.

The columns of events are taken from the events' own types, so that a key added there is exported without a word here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, fields

from monitor.alerts import Alert, Rule
from monitor.events import IDENTITY_KEYS, CountChanged, Event, Recorded
from monitor.exports.act_words import act_line
from monitor.exports.entries import (
    EVENT_KINDS,
    ActEntry,
    AlertEntry,
    AmendedEntry,
    Entry,
    EventEntry,
    Origin,
    OtherEntry,
)
from monitor.log.notes import Acted, AnyAct, Said
from monitor.tally import Amendment, HandSummary, Tallies
from monitor.wording import RULES, article, event_line, put_right


class Moment(Struct, frozen=True):
    """A cell that holds a moment, in seconds since 1970."""

    utc_s: float


Cell = str | bool | int | float | Moment | None


class Column(Struct, frozen=True):
    """One column: its name for programs, its title for people, and how wide it is in characters."""

    key: str
    title: str
    width: int = 9
    is_moment: bool = False
    is_spare: bool = False
    """Out of sight in a workbook where nothing stands in it."""


class Kind(Enum):
    """A kind of thing: the name of its file and the title of its sheet."""

    HANDS = "hands", "Hands"
    EVENTS = "events", "Events"
    ALERTS = "alerts", "Alerts"
    ACTS = "acts", "Acts"
    HEALTH = "sensor_health", "Sensor health"

    def __init__(self, file: str, title: str) -> None:
        self.file = file
        self.title = title


class Row(Struct, frozen=True):
    """One row, as long as its kind has columns."""

    kind: Kind
    cells: list[Cell]


_COMMON: Final = {field.name for field in fields(Recorded)}
_EVENT_KEYS: Final = {
    field.name: field.encode_name for kind in EVENT_KINDS for field in fields(kind) if field.name not in _COMMON
}
"""Name of the attribute, name in JSON, of every key that not all events have."""

_ORIGIN: Final = (
    Column("log_seq", "Record", 8),
    Column("run", "Run", 6),
    Column("table", "Table", 8),
    Column("hand", "Hand", 7),
    Column("at_utc", "Happened", 23, is_moment=True),
    Column("written_at", "Written", 23, is_moment=True),
)
_BOUNDS: Final = (
    Column("earliest_utc", "Earliest", 23, is_moment=True),
    Column("latest_utc", "Latest", 23, is_moment=True),
    Column("confidence", "Confidence", 11),
)


def columns(kind: Kind, *, identities: bool = False) -> tuple[Column, ...]:
    """The columns of a kind; which tile it was has columns only where that was asked for."""
    match kind:
        case Kind.HANDS:
            return _HANDS
        case Kind.EVENTS:
            return (*_EVENTS, *(Column(_EVENT_KEYS[name], _title(_EVENT_KEYS[name])) for name in _keys(identities)))
        case Kind.ALERTS:
            return _ALERTS
        case Kind.ACTS:
            return _ACTS
        case Kind.HEALTH:
            return _HEALTH


def _keys(identities: bool) -> list[str]:
    return [name for name in _EVENT_KEYS if identities or name not in IDENTITY_KEYS]


def _title(key: str) -> str:
    return key.replace("_", " ").capitalize()


_HANDS: Final = (
    Column("table", "Table", 8),
    Column("hand", "Hand", 7),
    Column("began_utc", "Began", 23, is_moment=True),
    Column("ended_utc", "Ended", 23, is_moment=True),
    Column("length_s", "Length (s)", 11),
    Column("east", "East chair", 11),
    Column("discards", "Discards", 10),
    Column("pace_s", "Pace (s a discard)", 18),
    Column("how", "Ended by", 12),
    Column("alerts", "Alerts", 8),
    Column("standing_alerts", "Still standing", 14),
    Column("events", "Events", 8),
    Column("amended", "Put right afterwards", 40, is_spare=True),
    Column("told_length_s", "Told: length (s)", 15, is_spare=True),
    Column("told_east", "Told: East chair", 15, is_spare=True),
    Column("told_discards", "Told: discards", 14, is_spare=True),
    Column("told_pace_s", "Told: pace (s a discard)", 22, is_spare=True),
    Column("told_how", "Told: ended by", 14, is_spare=True),
)
"""`told_…`: as the monitor told the hand, where people put something right; empty elsewhere."""
_EVENTS: Final = (
    *_ORIGIN,
    Column("kind", "Kind", 18),
    Column("seat", "Seat", 8),
    Column("what", "What happened", 52),
    *_BOUNDS,
    Column("seen_at_utc", "Known", 23, is_moment=True),
    Column("at", "At (s, monotonic)", 17),
    Column("seq", "Number", 9),
)
_ALERTS: Final = (
    *_ORIGIN,
    Column("rule", "Rule", 18),
    Column("seat", "Seat", 8),
    Column("article", "Article", 8),
    Column("level", "Level", 11),
    Column("state", "State", 11),
    Column("message", "Message", 80),
    Column("expected", "Expected", 10),
    Column("count", "Count", 8),
    Column("verdict", "Verdict", 14),
    *_BOUNDS,
    Column("raised_at_utc", "Raised", 23, is_moment=True),
    Column("id", "Alert", 34),
    Column("authority", "Authority", 10),
    Column("rests_on", "Rests on", 30),
    Column("evidence", "Evidence (events)", 24),
    Column("at", "At (s, monotonic)", 17),
    Column("seq", "Number", 9),
)
_ACTS: Final = (
    *_ORIGIN,
    Column("author", "Who", 18),
    Column("kind", "Kind", 10),
    Column("what", "What", 16),
    Column("did", "In words", 44),
    Column("reason", "Their words", 60),
    Column("seat", "Seat", 8),
    Column("by", "Declared by", 12),
    Column("seconds", "Seconds", 9),
    Column("round", "Round", 7),
    Column("undoes", "Undoes record", 14),
    Column("rule", "Rule", 18),
    Column("alert", "Alert", 34),
    Column("alert_hand", "Hand of the alert", 16),
    Column("at", "At (s, monotonic)", 17),
)
_HEALTH: Final = (
    *_ORIGIN,
    Column("what", "What", 14),
    Column("seat", "Seat", 8),
    Column("zone", "Zone", 8),
    Column("state", "State", 11),
    Column("message", "Message", 80),
)


class RowMaker:
    """Turns entries into rows, one at a time; hands come at the end, when what became of their alerts is known.

    Of more hands than `monitor.tally.KEPT_HANDS` the earliest come sooner, as they stand by then.
    """

    def __init__(self, amendments: Mapping[tuple[str, int], Sequence[Amendment]], *, identities: bool) -> None:
        """`amendments` by table and hand. `identities`: whether events have columns for which tile it was."""
        self._keys = _keys(identities)
        self._width = len(columns(Kind.EVENTS, identities=identities))
        self._tallies = Tallies(amendments)

    def rows(self, entry: Entry) -> Iterator[Row]:
        """What one record adds; nothing for a kind of record that no sheet is for."""
        match entry:
            case AlertEntry(origin=origin, alert=alert):
                self._tallies.alert(origin.table, origin.hand, alert)
                yield Row(Kind.ALERTS, [*_origin(origin), *_alert_cells(entry)])
                if alert.rule is Rule.SENSOR_FAULT:
                    yield Row(Kind.HEALTH, [*_origin(origin), *_fault_cells(alert)])
            case EventEntry(origin=origin, event=event):
                self._tallies.event(origin.table, origin.hand, event, origin.dating)
                yield Row(Kind.EVENTS, [*_origin(origin), *self._event_cells(entry)])
                if isinstance(event, CountChanged) and event.count is None:
                    yield Row(Kind.HEALTH, [*_origin(origin), *_unknown_cells(event)])
            case AmendedEntry():
                yield Row(Kind.EVENTS, self._amended_cells(entry))
            case ActEntry(origin=origin, act=act):
                yield Row(Kind.ACTS, [*_origin(origin), *_act_cells(act)])
            case OtherEntry():
                pass
        yield from map(_hand_row, self._tallies.finished())

    def rest(self) -> Iterator[Row]:
        """The hands."""
        yield from map(_hand_row, self._tallies.rest())

    def _amended_cells(self, entry: AmendedEntry) -> list[Cell]:
        """A row among the events, which stay as they were told. Its moment is on another clock, and is left out."""
        note, origin = entry.note, entry.origin
        cells = _origin(msgspec.structs.replace(origin, hand=note.hand))
        what = f"{note.author} put right: {put_right(note.event)} ({note.reason})"
        cells += [note.__struct_config__.tag, note.event.seat, what]
        return cells + [None] * (self._width - len(cells))

    def _event_cells(self, entry: EventEntry) -> Iterator[Cell]:
        event, origin = entry.event, entry.origin
        yield from (event.__struct_config__.tag, event.seat, event_line(event))
        yield from _bounds(origin, event)
        yield from (_moment(origin.utc_s(event.seen_at)), event.at, event.seq)
        yield from (_cell(getattr(event, name, None)) for name in self._keys)


def _origin(origin: Origin) -> list[Cell]:
    written = Moment(origin.written_utc_s)
    return [origin.seq, origin.run, origin.table, origin.hand, _moment(origin.at_utc_s), written]


def _bounds(origin: Origin, record: Event | Alert) -> list[Cell]:
    return [_moment(origin.utc_s(record.earliest)), _moment(origin.utc_s(record.latest)), record.confidence]


def _alert_cells(entry: AlertEntry) -> list[Cell]:
    alert, origin = entry.alert, entry.origin
    resting = alert.article if article(alert) else None
    told: list[Cell] = [alert.rule, alert.seat, resting, alert.level, alert.state, alert.message]
    counts: list[Cell] = [alert.expected, alert.count, alert.verdict]
    rest: list[Cell] = [_moment(origin.utc_s(alert.raised_at)), alert.id, alert.authority, alert.rests_on]
    evidence = " ".join(map(str, alert.evidence)) or None
    return [*told, *counts, *_bounds(origin, alert), *rest, evidence, alert.at, alert.seq]


def _act_cells(act: AnyAct) -> list[Cell]:
    """Of a key that an act does not have the cell is empty; of a round that is started `seconds` is its length."""
    held = asdict(act.said if isinstance(act, Said) else act.did)
    what = held["input"] if isinstance(act, Said) else act.did.__struct_config__.tag
    seat = act.seat if isinstance(act, Said) else held.get("seat")
    about: list[Cell] = [act.rule, act.alert, act.hand] if isinstance(act, Acted) else [None, None, None]
    done: list[Cell] = [act.author, str(act.__struct_config__.tag), str(what), act_line(act), act.reason]
    keys = [seat, held.get("by"), held.get("seconds", held.get("length_s")), held.get("round"), held.get("record")]
    return [*done, *map(_cell, keys), *about, act.at]


def _fault_cells(alert: Alert) -> list[Cell]:
    return [RULES[alert.rule], alert.seat, None, alert.state, alert.message]


def _unknown_cells(event: CountChanged) -> list[Cell]:
    return ["Count unknown", event.seat, event.zone, None, event.reason]


def _hand_row(hand: HandSummary) -> Row:
    began, ended = _moment(hand.began_utc_s), _moment(hand.ended_utc_s)
    times: list[Cell] = [hand.table, hand.hand, began, ended, _rounded(hand.length_s)]
    play: list[Cell] = [hand.east, hand.discards, _rounded(hand.pace_s), hand.how]
    amended = "; ".join(f"{one.author}: {put_right(one.event)} ({one.reason})" for one in hand.amendments) or None
    return Row(
        Kind.HANDS,
        [*times, *play, hand.alerts, hand.standing_alerts, hand.events, amended, *_told_cells(hand.told)],
    )


def _told_cells(told: HandSummary | None) -> list[Cell]:
    if told is None:
        return [None] * 5
    return [_rounded(told.length_s), told.east, told.discards, _rounded(told.pace_s), told.how]


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)


def _moment(utc_s: float | None) -> Moment | None:
    return None if utc_s is None else Moment(utc_s)


def _cell(value: object) -> Cell:
    match value:
        case None | msgspec.UNSET | False:
            return None
        case bool() | int() | float() | str():
            return value
        case Iterable():
            return " ".join(map(str, value))
        case _:
            return str(value)
