"""A log's records as an export takes them: with both times, by kind of record, without identities.

Owns who may see what of an export: the director's view, in which no record tells which tile it was unless that was
asked for. Refuses to know formats. Between the reader and every format.

What a person put right, and what people did, are entries of their own. A record that is neither (another note, or what
a purge left) is an `Other`: it keeps all that it holds but identities, and a format that has no place for it says so.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, cast, get_args

import msgspec
from msgspec import Struct

from monitor.alerts import Alert
from monitor.amended import may_see
from monitor.audience import Audience, DirectorsRecords
from monitor.events import IDENTITY_KEYS, Event, without_identities
from monitor.exports.selection import Selection
from monitor.log.notes import Acted, Amended, AnyAct, Clocked, Said, directors_act
from monitor.log.reader import Run, StoredRecord
from monitor.tally import Dating

EVENT_KINDS: Final[tuple[type[Struct], ...]] = get_args(Event)
_DEEPEST: Final = 100
"""Lists within lists that an unknown record may have; our choice."""


class Origin(Struct, frozen=True):
    """Where a record stands in the log and when: `at` is on the monotonic clock of the run, which `started` tells."""

    seq: int
    run: int
    table: str
    hand: int
    written_utc_s: float
    at: float | None
    started: Run | None

    @property
    def at_utc_s(self) -> float | None:
        """`at` in seconds since 1970."""
        return self.utc_s(self.at)

    @property
    def dating(self) -> Dating:
        """How its moments are told in a hand's figures."""
        start_s = self.utc_s(0.0)
        return Dating(start_s, start_s)

    def utc_s(self, at: float | None) -> float | None:
        """Another moment of the record in seconds since 1970; `None` where the log does not know the run."""
        return None if at is None or self.started is None else self.started.utc_s(at)


class EventEntry(Struct, frozen=True):
    """An event."""

    origin: Origin
    event: Event


class AlertEntry(Struct, frozen=True):
    """A line of an alert."""

    origin: Origin
    alert: Alert


class AmendedEntry(Struct, frozen=True):
    """What a person put right; `origin` is where the note stands, `note.hand` the hand that is meant."""

    origin: Origin
    note: Amended


class ActEntry(Struct, frozen=True):
    """Something that a person did: about an alert, to the round's clock, or by a word to a table."""

    origin: Origin
    act: AnyAct


class OtherEntry(Struct, frozen=True):
    """A record of another kind, as JSON."""

    origin: Origin
    kind: str
    record: msgspec.Raw


Entry = EventEntry | AlertEntry | AmendedEntry | ActEntry | OtherEntry


def entries(
    stored: Iterable[StoredRecord],
    runs: Mapping[int, Run],
    selection: Selection,
    *,
    identities: bool,
    audience: Callable[[str], Audience] = lambda _: Audience(),
) -> Iterator[Entry]:
    """The records that `selection` takes and a director may see, in the order of the log.

    `audience` of a table: whether its event has the numbers of tiles shown to anybody.
    """
    shown: dict[str, DirectorsRecords] = {}
    for row in stored:
        if row.table not in shown:
            shown[row.table] = DirectorsRecords(audience(row.table), identities=identities)
        entry = _entry(row, runs.get(row.run), shown[row.table], audience(row.table), identities=identities)
        if entry is not None and selection.takes(row):
            yield entry


def _entry(
    row: StoredRecord, run: Run | None, records: DirectorsRecords, audience: Audience, *, identities: bool
) -> Entry | None:
    record: object = row.record
    at = getattr(record, "at", None)
    at = float(at) if isinstance(at, (int, float)) else None
    origin = Origin(row.seq, row.run, row.table, row.hand, row.utc_us / 1e6, at, run)
    if isinstance(record, Alert):
        alert = records.alert(record)
        return None if alert is None else AlertEntry(origin, alert)
    if isinstance(record, EVENT_KINDS):
        event = records.event(cast("Event", record))
        return None if event is None else EventEntry(origin, event)
    if isinstance(record, Amended):
        event = record.event if identities else without_identities(record.event)
        note = msgspec.structs.replace(record, event=event)
        return AmendedEntry(origin, note) if may_see(record, audience) else None
    if isinstance(record, Acted | Clocked | Said):
        act = directors_act(record, audience)
        return None if act is None else ActEntry(origin, act)
    if record is None:
        return OtherEntry(origin, "purged", msgspec.Raw(b"null"))
    plain = msgspec.to_builtins(record, str_keys=True)
    encoded = msgspec.json.encode(plain if identities else _without_identities(plain))
    return OtherEntry(origin, _kind(record), msgspec.Raw(encoded))


def _kind(record: object) -> str:
    tag = record.__struct_config__.tag if isinstance(record, Struct) else None
    return str(tag) if tag is not None else type(record).__name__.lower()


def _without_identities(value: Any, depth: int = 0) -> Any:
    """The same without any key of `IDENTITY_KEYS`, however deep; what lies deeper than any record does is left out."""
    if depth > _DEEPEST:
        return None
    match value:
        case dict():
            return {k: _without_identities(v, depth + 1) for k, v in value.items() if k not in IDENTITY_KEYS}
        case list() | tuple():
            return [_without_identities(v, depth + 1) for v in value]
        case _:
            return value
