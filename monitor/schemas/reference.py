"""The page that lists the schemas and every key they know: `docs/schema/README.md`, for people.

Owns the page's layout; what it says is the schemas'. Refuses to know files on disk.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from monitor.schemas.build import EVENT_KINDS, SHARED_KEYS, Schema, tag_of

_INTRODUCTION: Final = """\
# Schemas of the records

One JSON schema (draft 2020-12) a kind of record. How they are used, and what is promised:
[`../schema.md`](../schema.md). Keys that are *needed* are always there. What the absence of another one says stands
beside it; `null` says the same there where nothing else is said, and is not written.

These files and this page are made from the code: `python -m monitor.schemas`.
"""
_EVERY_EVENT: Final = "## Every event\n\nKinds that have no section of their own have these keys alone.\n\n"
_WORDS: Final = {"integer": "whole number", "number": "number", "string": "text", "boolean": "true or false"}


def reference(schemas: Sequence[Schema]) -> str:
    """The whole page."""
    rows = [f"| [`{each.name}`]({each.file_name}) | {_first_paragraph(each)} |" for each in schemas]
    parts = [_INTRODUCTION, "\n".join(["| schema | of |", "|---|---|", *rows]) + "\n"]
    by_name = {each.name: each for each in schemas}
    events = [by_name[tag_of(kind)] for kind in EVENT_KINDS]
    shared = {key: events[0].document["properties"][key] for key in SHARED_KEYS}
    parts.append(_EVERY_EVENT + _table(events[0].document, SHARED_KEYS, events[0].document))
    for each in schemas:
        parts += _sections(each, shared if each in events else {})
    return "\n".join(parts)


def _sections(schema: Schema, shared: Mapping[str, Any]) -> Iterator[str]:
    """A table of the keys that are not shared, and one a struct that only stands within the record."""
    document = schema.document
    own = [key for key, value in document.get("properties", {}).items() if shared.get(key) != value]
    own = [key for key in own if not (key == "kind" and shared)]
    if own:
        yield f"## `{schema.name}`\n\n{_table(document, own, document)}"
    for name, part in document.get("$defs", {}).items():
        if "properties" in part:
            yield f"## `{schema.name}`: {name}\n\n{_table(part, list(part['properties']), document)}"


def _first_paragraph(schema: Schema) -> str:
    said: str = schema.document["description"]
    return _cell(said.split("\n\n", maxsplit=1)[0])


def _table(part: Mapping[str, Any], keys: Sequence[str], document: Mapping[str, Any]) -> str:
    rows = ["| key | value | meaning |", "|---|---|---|"]
    for key in keys:
        value = part["properties"][key]
        needed = key in part["required"]
        kind = "the kind's name" if key == "kind" else _value(value, document.get("$defs", {}), nulls=needed)
        rows.append(f"| `{key}` | {kind}{', *needed*' if needed else ''} | {_cell(value['description'])} |")
    return "\n".join(rows) + "\n"


def _value(value: Mapping[str, Any], defs: Mapping[str, Any], *, nulls: bool) -> str:
    match value:
        case {"$ref": str(ref)} if ref.startswith("#"):
            return _named(ref.rsplit("/", 1)[1], defs)
        case {"$ref": str(ref)}:
            return f"[`{ref.split('.')[0]}`]({ref})"
        case {"anyOf": list(ways)}:
            return " or ".join(_value(way, defs, nulls=nulls) for way in ways if nulls or way != {"type": "null"})
        case {"type": "array", "items": dict(items)}:
            return f"list of {_value(items, defs, nulls=nulls)}"
        case {"const": str(name)}:
            return f"`{name}`"
        case {"type": "null"}:
            return "`null`"
        case {"format": "date-time"}:
            return "moment in UTC"
        case {"type": str(name), "minimum": int(low), "maximum": int(high)}:
            return f"{_WORDS[name]}, {low:,} to {high:,}"
        case {"type": str(name)}:
            return _WORDS[name]
        case _:
            return "any"


def _named(name: str, defs: Mapping[str, Any]) -> str:
    """What an enumeration may be, or the name of a struct."""
    values = defs[name].get("enum")
    return f"`{name}`" if values is None else ", ".join(f"`{value}`" for value in values)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
