"""The schemas, one file a kind of record, made from the types that decode and encode it (JSON Schema, draft 2020-12).

Owns how a type becomes a file: what it is called, where shared words stand, what each key is said to mean. Refuses to
know files on disk. Types and `meanings` -> **build** -> files.

Each file but those that name others (`event`, `amended`, `export-line`) stands alone; its enumerations are its `$defs`.
No file forbids a key that it does not know: keys may be added.
"""

import inspect
import re
from collections.abc import Sequence
from typing import Any, Final, get_args

import msgspec
from msgspec import Raw, Struct

from monitor.alerts import Alert
from monitor.events import Event, Recorded
from monitor.exports.json_lines import Line
from monitor.log.notes import Amended, AnyAct, AnyNote
from monitor.log.schema import Stream
from monitor.schemas.meanings import MEANINGS

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
SUFFIX: Final = ".schema.json"
EVENT: Final = Stream.EVENT.value
ALERT: Final = Stream.ALERT.value
LINE: Final = "export-line"
_PURGED: Final = "purged"

EVENT_KINDS: Final[tuple[type[Recorded], ...]] = get_args(Event)
SHARED_KEYS: Final = ("kind", *(field.encode_name for field in msgspec.structs.fields(Recorded)))
"""The keys that every event may have."""

_NOTES: Final[tuple[type[Struct], ...]] = (*get_args(AnyNote), *get_args(AnyAct))
_NO_PART_OF_IT: Final = ("description", "default", "discriminator")
"""Of what a type's schema says of a key: what is written by itself, and a word that JSON Schema does not have."""
_ENUMERATIONS: Final = "#/$defs/{name}"


class MissingMeaningError(Exception):
    """A key that `monitor.schemas.meanings` does not describe."""

    def __init__(self, owner: str, key: str) -> None:
        super().__init__(f"{owner}.{key} has no meaning in monitor/schemas/meanings.py")
        self.owner = owner
        self.key = key


class Schema(Struct, frozen=True):
    """One schema: the name of its kind, and the document."""

    name: str
    document: dict[str, Any]

    @property
    def file_name(self) -> str:
        """What the file is called, which is its `$id` too."""
        return self.name + SUFFIX

    @property
    def text(self) -> str:
        """What the file holds."""
        return msgspec.json.format(msgspec.json.encode(self.document), indent=2).decode() + "\n"


def schemas() -> tuple[Schema, ...]:
    """All of them: every kind of event, what unites them, the alert, notes and acts, and the line of an export."""
    kinds = [_record(kind, tag_of(kind)) for kind in EVENT_KINDS]
    return (*kinds, _any_event(), _record(Alert, ALERT), *(_note(kind) for kind in _NOTES), _line())


def tag_of(kind: type[Struct]) -> str:
    """The `kind` of a record's type."""
    return str(kind.__struct_config__.tag)


def meaning(owner: str, key: str) -> str:
    """What a key of a kind means. Raises `MissingMeaningError`."""
    found = MEANINGS.get(f"{owner}.{key}") or MEANINGS.get(key)
    if found is None:
        raise MissingMeaningError(owner, key)
    return found


def _document(name: str, body: dict[str, Any]) -> Schema:
    made_by = "Made from the code: python -m monitor.schemas"
    return Schema(name, {"$schema": DIALECT, "$id": name + SUFFIX, "$comment": made_by, **body})


def _record(kind: type[Struct], name: str) -> Schema:
    _, made = msgspec.json.schema_components((kind,), ref_template=_ENUMERATIONS)
    body = _described(made.pop(kind.__name__), name)
    shared = {each: _described(part, each.lower()) for each, part in made.items()}
    return _document(name, body | ({"$defs": shared} if shared else {}))


def _any_event() -> Schema:
    said = "Any event. A reader of a log that may be newer passes over kinds it does not know before it asks this file."
    every = [{"$ref": tag_of(kind) + SUFFIX} for kind in EVENT_KINDS]
    return _document(EVENT, {"title": "Event", "description": said, "oneOf": every})


def _note(kind: type[Struct]) -> Schema:
    bare = _without(kind, ["event"]) if kind is Amended else kind
    note = _record(bare, tag_of(kind))
    if kind is Amended:
        _point(note.document, "event", EVENT)
    return note


def _line() -> Schema:
    line = _record(_without(Line, ["record"]), LINE)
    refs = {EVENT: EVENT, ALERT: ALERT} | {tag_of(kind): tag_of(kind) for kind in _NOTES}
    line.document["allOf"] = [
        {"if": {"properties": {"stream": {"const": stream}}}, "then": {"properties": {"record": _holds(stream, name)}}}
        for stream, name in refs.items()
    ]
    return line


def _holds(stream: str, name: str) -> dict[str, Any]:
    ref = {"$ref": name + SUFFIX}
    return {"anyOf": [ref, {"type": "null"}]} if stream == _PURGED else ref


def _without(kind: type[Struct], opaque: Sequence[str]) -> type[Struct]:
    """The same type with keys of which nothing is said, since other files say it."""
    config = kind.__struct_config__
    fields: list[Any] = []
    for field in msgspec.structs.fields(kind):
        field_type = Raw if field.name in opaque else field.type
        fields.append((field.name, field_type) if field.required else (field.name, field_type, field.default))
    return msgspec.defstruct(
        kind.__name__,
        fields,
        namespace={"__doc__": kind.__doc__},
        tag_field=config.tag_field,
        tag=config.tag,
        kw_only=True,
        omit_defaults=config.omit_defaults,
    )


def _point(document: dict[str, Any], key: str, name: str) -> None:
    document["properties"][key]["$ref"] = name + SUFFIX


def _described(part: dict[str, Any], owner: str) -> dict[str, Any]:
    """A struct or an enumeration as its file has it: in words of JSON, and each key with its meaning."""
    body = {key: value for key, value in part.items() if key not in ("properties", "required")}
    body["description"] = in_json_words(part["description"])
    if "properties" in part:
        body["properties"] = {key: _key(owner, key, value) for key, value in part["properties"].items()}
        body["required"] = part["required"]
    return body


def _key(owner: str, key: str, value: dict[str, Any]) -> dict[str, Any]:
    said = value.get("description") or meaning(owner, key)
    rest = {name: _whole(each) for name, each in value.items() if name not in _NO_PART_OF_IT}
    if len(tag := rest.get("enum", ())) == 1:
        rest = {"const": tag[0]}
    default = {} if value.get("default") is None else {"default": value["default"]}
    return {"description": said, **rest, **default}


def _whole(value: Any) -> Any:
    """Bounds that are whole numbers, without a fraction."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return {key: _whole(each) for key, each in value.items()}
        case list():
            return [_whole(each) for each in value]
        case _:
            return value


def in_json_words(docstring: str) -> str:
    """A docstring for readers of JSON: paragraphs without line breaks, `null` for `None`."""
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(docstring))
    return "\n\n".join(" ".join(each.split()) for each in paragraphs).replace("`None`", "`null`")
