"""A record as the JSON that a log keeps of it, and back.

Owns both ways, and the question at the log's door: a record that does not come back as it went in is kept by nobody.
A number that is none (`nan`, an infinity) is written as `null`, and a time beyond all calendars is read by no decoder:
in the chain such a record would bar the way to all that follow it. Pure. Refuses to know rows.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from monitor.alerts import Alert
from monitor.events import Event
from monitor.foreign_text import UNREADABLE, complaint_about_json
from monitor.log.notes import Acted, AnyAct, AnyNote, Clocked, Note, Said
from monitor.log.schema import Stream

Record = Event | Alert | Note

encode = msgspec.json.Encoder().encode
"""The JSON of a record. Raises `ValueError`, `TypeError` for what JSON has no word for."""

_TYPES: Mapping[str, Any] = {Stream.EVENT: Event, Stream.ALERT: Alert, Stream.ACT: AnyAct, Stream.NOTE: AnyNote}
_DECODERS: Mapping[str, msgspec.json.Decoder[Any]] = {
    stream: msgspec.json.Decoder(kind) for stream, kind in _TYPES.items()
}


class UnreadablePayloadError(Exception):
    """A payload that is no record of its stream; `why` in words."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def stream_of(record: Record) -> Stream:
    """Which stream a record belongs to."""
    match record:
        case Alert():
            return Stream.ALERT
        case Acted() | Clocked() | Said():
            return Stream.ACT
        case Note():
            return Stream.NOTE
        case _:
            return Stream.EVENT


def decode(stream: str, payload: bytes) -> Record:
    """The record that a payload holds. Raises `UnreadablePayloadError`."""
    try:
        record: Record = _DECODERS[stream].decode(payload)
    except UNREADABLE as problem:
        raise UnreadablePayloadError(str(complaint_about_json(problem, payload, _TYPES[stream]))) from problem
    return record


def refusal(record: Record) -> str:
    """Why a record could not be read back as it is, in words; empty where it can."""
    try:
        again = decode(stream_of(record), encode(record))
    except UnreadablePayloadError as problem:
        return problem.why
    except (ValueError, TypeError) as problem:  # a text that is none, a value of a type that JSON does not have
        return str(problem)
    if again == record:
        return ""
    names = (field.name for field in msgspec.structs.fields(record))
    differs = next((name for name in names if getattr(again, name, None) != getattr(record, name)), "it")
    return f"{differs}: would not be read back as it is"
