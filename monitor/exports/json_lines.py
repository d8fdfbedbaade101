"""JSON lines: one record a line with where it stands in the log, for programs. Every kind of record has a place here.

Owns the shape of the line and nothing else; the file is the caller's.
"""

from typing import Annotated, assert_never

import msgspec
from msgspec import Meta, Struct

from monitor.alerts import Alert
from monitor.events import Event
from monitor.exports.entries import ActEntry, AlertEntry, AmendedEntry, Entry, EventEntry, OtherEntry
from monitor.exports.moments import utc_text
from monitor.log.schema import Stream

_encode = msgspec.json.Encoder().encode

Utc = Annotated[
    str,
    Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$", extra_json_schema={"format": "date-time"}),
]
"""A moment as `moments.utc_text` writes it."""


class Line(Struct, frozen=True):
    """One line. `at` is on the monotonic clock of the run, `at_utc` the same moment in UTC; both `null` where none is.

    `stream` is `event`, `alert`, or the kind of a record that is neither.
    """

    seq: int
    run: int
    table: str
    hand: int
    written_at: Utc | None
    at_utc: Utc | None
    at: float | None
    stream: str
    record: Event | Alert | msgspec.Raw


def json_line(entry: Entry) -> bytes:
    """The record as a line, its end included."""
    record: Event | Alert | msgspec.Raw
    match entry:
        case EventEntry():
            stream, record = Stream.EVENT.value, entry.event
        case AlertEntry():
            stream, record = Stream.ALERT.value, entry.alert
        case AmendedEntry(note=note):
            stream, record = str(note.__struct_config__.tag), msgspec.Raw(_encode(note))
        case ActEntry(act=act):
            stream, record = str(act.__struct_config__.tag), msgspec.Raw(_encode(act))
        case OtherEntry():
            stream, record = entry.kind, entry.record
        case _:
            assert_never(entry)
    origin = entry.origin
    written_at, at_utc = utc_text(origin.written_utc_s), utc_text(origin.at_utc_s)
    place = (origin.seq, origin.run, origin.table, origin.hand)
    return _encode(Line(*place, written_at, at_utc, origin.at, stream, record)) + b"\n"
