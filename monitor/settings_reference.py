"""The reference of all settings, made from the structs that hold them: `docs/settings.md`.

Owns the page's layout. `python -m monitor.settings_reference` prints it; a test fails when the file is another.
"""

from collections.abc import Iterator
from enum import Enum
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

import msgspec
from msgspec import Meta, Struct

from monitor.settings import Settings

_INTRODUCTION = """\
# Settings

`rackwatch run FILE.toml` reads one TOML file. Everything has a default except what is marked *needed*. Paths are
relative to the file. `rackwatch check FILE.toml --show` prints every value and where it comes from. An unknown key, a
wrong type or a value out of range is an error that names file, line and key.

Two files to start from: [`config/club.toml`](../config/club.toml), one table with nodes on USB, and
[`config/tournament.toml`](../config/tournament.toml), many tables on a broker.

This page is made from the code: `python -m monitor.settings_reference > docs/settings.md`.
"""
_NAMES = {int: "whole number", float: "number", str: "text", bool: "true or false"}


def reference() -> str:
    """The whole page."""
    parts = [_INTRODUCTION]
    for field in msgspec.structs.fields(Settings):
        kind, _ = _bare(field.type)
        many = get_origin(kind) is tuple
        struct = get_args(kind)[0] if many else kind
        name = f"[[{field.name}]]" if many else f"[{field.name}]"
        purpose = (struct.__doc__ or "").split(": ", 1)[1].strip()
        parts.append(f"## `{name}`\n\n{purpose[0].upper()}{purpose[1:]}\n\n{_table(struct)}")
    return "\n".join(parts)


def described_keys() -> Iterator[tuple[str, str]]:
    """Every key, `section.key`, with its description (empty where there is none)."""
    for field in msgspec.structs.fields(Settings):
        kind, _ = _bare(field.type)
        struct = get_args(kind)[0] if get_origin(kind) is tuple else kind
        for key in msgspec.structs.fields(struct):
            yield f"{field.name}.{key.name}", _bare(key.type)[1].description or ""


def _table(struct: type[Struct]) -> str:
    rows = ["| key | value | default | meaning |", "|---|---|---|---|"]
    for field in msgspec.structs.fields(struct):
        kind, meta = _bare(field.type)
        meaning = (meta.description or "").replace("|", "\\|")
        rows.append(f"| `{field.name}` | {_value(kind, meta)} | {_default(field)} | {meaning} |")
    return "\n".join(rows) + "\n"


def _bare(kind: Any) -> tuple[Any, Meta]:
    """The type without `Annotated` and `| None`, and what is said about it."""
    meta = Meta()
    if hasattr(kind, "__metadata__"):
        meta, kind = kind.__metadata__[0], kind.__origin__
    if isinstance(kind, UnionType):
        kind = next(part for part in get_args(kind) if part is not NoneType)
    return kind, meta


def _value(kind: Any, meta: Meta) -> str:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return ", ".join(f"`{member.value}`" for member in kind)
    if get_origin(kind) is dict:
        return "sections"
    name = _NAMES[kind]
    if meta.ge is not None and meta.le is not None:
        return f"{name}, {meta.ge} to {meta.le}"
    return name


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "*needed*"
    value = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    if value is None or value in ({}, ()):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value}`"


if __name__ == "__main__":
    print(reference(), end="")  # noqa: T201
