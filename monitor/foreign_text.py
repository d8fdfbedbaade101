"""What may be wrong with text that others wrote, in plain sentences: JSON of any kind, and the values of TOML.

Owns the failures that every reader of foreign text must expect, and their wording: what is wrong, where, what may
stand there. A decoder's own message only tells where; what may stand there comes from the declared type. Refuses to
know what a text is about, and who is told; what is no TOML at all is `foreign_toml`'s. Beside every decoder at the
monitor's edge: events, alerts, profiles, settings, set-ups.
"""

import codecs
import difflib
import re
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

import msgspec
from msgspec import Meta, Raw, Struct, UnsetType

UNREADABLE: Final = (msgspec.DecodeError, UnicodeError, RecursionError)
"""What a typed JSON decoder raises on what it cannot read: no JSON, another shape, no UTF-8, brackets without end."""

KeyPath = tuple[str | int, ...]
"""Keys and, in lists, indices: `("serial", 1, "place")`."""

ANY_KEY: Final = "..."
"""Stands in a path for a key of a mapping, which the decoder does not name."""

TOO_DEEP: Final = "is nested too deeply"
_NOT_UTF8: Final = "is not UTF-8 text. Save it as UTF-8"
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_SHOWN_CHARACTERS = 40
"""Of a value; our choice, so that a line stays a line."""
_LONG_NUMBER = 1e7
"""From here on a bound is written with commas."""


class Notation(Struct, frozen=True):
    """How a form of text names its values, and how a key is given in it."""

    words: dict[str, str]
    given: str


TOML: Final = Notation(
    {"object": "a section", "array": "a list", "str": "text in quotes", "null": "nothing"}, "Add {key} = …"
)
JSON: Final = Notation(
    {"object": "an object in braces", "array": "a list", "str": "text in quotes", "null": "null"}, 'Add "{key}": …'
)


class Complaint(Struct, frozen=True):
    """What is wrong with the value at `where` (empty: with the whole text), and what to do about it."""

    where: KeyPath
    problem: str
    advice: str = ""

    @property
    def sentence(self) -> str:
        """Problem and advice, without the place."""
        return f"{self.problem}. {self.advice}" if self.advice else self.problem

    def __str__(self) -> str:
        return f"{dotted(self.where)}: {self.sentence}" if self.where else self.sentence


def without_bom(text: bytes) -> bytes:
    """The text without the mark that some editors put before UTF-8."""
    return text.removeprefix(codecs.BOM_UTF8)


def complaint_about_json(error: Exception, text: bytes | str, kind: Any) -> Complaint:
    """What is wrong with a JSON `text` that raised one of `UNREADABLE` where a `kind` was to be decoded from it."""
    if isinstance(error, msgspec.ValidationError):
        try:
            return complaint_about(error, _values(text), kind, JSON)
        except msgspec.ValidationError:
            return complaint_about(error, None, kind, JSON)
        except UNREADABLE as worse:  # beyond what did not fit there is more, and that is no JSON
            error = worse
    if isinstance(error, RecursionError) or str(error) == TOO_DEEP:
        return Complaint((), TOO_DEEP)
    if isinstance(error, UnicodeError) or not _is_utf8(text):
        return Complaint((), _NOT_UTF8)
    malformed = re.fullmatch(r"JSON is malformed: (.*) \(byte (\d+)\)", str(error))
    if malformed is None:
        whole = text.rstrip()[-1:] in {"}", b"}"}
        half = "holds half a character (\\ud800 to \\udfff)"
        return Complaint((), half if whole else "breaks off before its JSON is complete")
    return Complaint((), f"is not JSON: {malformed[1]} near byte {int(malformed[2]) + 1}")


_AT = re.compile(r"(?P<problem>.*?)(?: - at `\$(?P<path>.*)`)?", re.DOTALL)
_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[(\d+|\.\.\.)\]")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")
_MISSING = re.compile(r"Object missing required field `(.*)`")
_UNKNOWN_VALUE = re.compile(r"Invalid (?:enum )?value '(.*)'", re.DOTALL)
_GOT = re.compile(r".*, got `(.*)`")


def complaint_about(error: msgspec.ValidationError, tree: object, kind: Any, notation: Notation) -> Complaint:
    """What is wrong with `tree`, plain values (or `None` where they are not at hand) that should have made a `kind`."""
    parts = _AT.fullmatch(str(error))
    problem, path = (parts["problem"], parts["path"] or "") if parts else (str(error), "")
    where: KeyPath = tuple(int(index) if index.isdigit() else name or index for name, index in _STEP.findall(path))
    here = _type_at(kind, where, tree)
    if unknown := _UNKNOWN.fullmatch(problem):
        known = [field.encode_name for field in msgspec.structs.fields(_unannotated(here))]
        return Complaint((*where, unknown[1]), "there is no such key", suggestion(unknown[1], known))
    if missing := _MISSING.fullmatch(problem):
        return Complaint((*where, missing[1]), "is missing", notation.given.format(key=missing[1]))
    if wrong := _UNKNOWN_VALUE.fullmatch(problem):
        known = _tags(kind) if here is None else [str(member.value) for member in _unannotated(here)]
        return Complaint(where, f"{_shortened(repr(wrong[1]))} is not known", suggestion(wrong[1], known, every=True))
    value = _value_at(tree, where)
    if here is None and where:
        return Complaint(where, f"must be the name of a kind, not {_shown(value, notation)}")
    got = _GOT.fullmatch(problem)
    found = _shown(value, notation) if value is not None else _word(got[1], notation) if got else ""
    return Complaint(where, f"must be {_allowed(here, notation)}" + (f", not {found}" if found else ""))


def suggestion(wrong: str, known: list[str], *, every: bool = False) -> str:
    """The known word that is most like a wrong one, or all of them; with `every`, all of them beside it."""
    close = difflib.get_close_matches(wrong, known, n=1, cutoff=0.5)
    among = f"Known here: {', '.join(known)}"
    if not close:
        return among
    near = f"Did you mean {close[0]}?"
    return f"{near} {among}" if every and len(known) <= _FEW else near


_FEW = 12
"""So many words are listed even where one of them is meant; our choice."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def dotted(path: KeyPath) -> str:
    """`("serial", 1, "place")` as `serial[2].place`: people count from one."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step + 1}]"
        elif step == ANY_KEY:
            text += "[…]"
        else:
            name = step if _BARE_KEY.fullmatch(step) else f'"{step}"'
            text += f".{name}" if text else name
    return text


# ---- types


def _type_at(kind: Any, path: KeyPath, tree: object) -> Any:
    """The declared type of what stands at `path`, bare of `| None`; `None` where it is the name of a struct's kind."""
    here = _bare(kind, tree)
    for end, step in enumerate(path, 1):
        plain = _unannotated(here)
        if isinstance(step, str) and step != ANY_KEY:
            if not isinstance(plain, type) or not issubclass(plain, Struct):
                return None
            field = next((one for one in msgspec.structs.fields(plain) if one.encode_name == step), None)
            if field is None:
                return None
            here = field.type
        else:
            here = get_args(plain)[0 if get_origin(plain) in {tuple, list} else 1]
        here = _bare(here, _value_at(tree, path[:end]))
    return here


def _bare(kind: Any, value: object) -> Any:
    """A type without the `None` beside it; of several tagged structs the one that `value` names, else none of them."""
    plain = _unannotated(kind)
    if get_origin(plain) not in {Union, UnionType}:
        return kind
    members = [part for part in get_args(plain) if part not in {NoneType, UnsetType}]
    if len(members) == 1:
        return members[0]
    for member in members:
        config = getattr(member, "__struct_config__", None)
        if config is not None and isinstance(value, dict) and value.get(config.tag_field) == config.tag:
            return member
    return None


def _unannotated(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _tags(kind: Any) -> list[str]:
    return [str(member.__struct_config__.tag) for member in get_args(kind)]


def _allowed(kind: Any, notation: Notation) -> str:
    """What may stand where `kind` is declared."""
    plain = _unannotated(kind)
    bounds = [part for part in get_args(kind)[1:] if isinstance(part, Meta)] if plain is not kind else []
    if plain is None or (isinstance(plain, type) and issubclass(plain, Struct)) or get_origin(plain) is dict:
        return notation.words["object"]
    if get_origin(plain) in {tuple, list}:
        return notation.words["array"]
    if isinstance(plain, type) and issubclass(plain, Enum):
        return "one of " + ", ".join(str(member.value) for member in plain)
    return _word(plain.__name__, notation) + "".join(map(_within, bounds))


def _within(meta: Meta) -> str:
    """Bounds in words."""
    words = ""
    if meta.ge is not None and meta.le is not None:
        words += f" from {_number(meta.ge)} to {_number(meta.le)}"
    elif meta.ge is not None or meta.gt is not None:
        words += f" of at least {_number(meta.ge)}" if meta.ge is not None else f" above {_number(meta.gt or 0)}"
    if meta.min_length is not None and meta.max_length is not None:
        words += f" of {meta.min_length} to {meta.max_length} characters"
    elif meta.min_length is not None:
        words += " that is not empty"
    return words + (f" of the form {meta.pattern}" if meta.pattern is not None else "")


def _number(bound: float) -> str:
    return f"{bound:,.0f}" if abs(bound) >= _LONG_NUMBER else f"{bound:g}"


_WORDS: Final = {"int": "a whole number", "float": "a number", "bool": "true or false", "date": "a date"}


def _word(name: str, notation: Notation) -> str:
    """A type, as msgspec or Python names it, in words."""
    name = name.removesuffix(" | null")
    return notation.words.get(name) or _WORDS.get(name) or name


# ---- values


def _values(text: bytes | str) -> object:
    """What a JSON text holds, but for values that no type can hold."""
    try:
        return msgspec.json.decode(text)
    except UNREADABLE:
        values: dict[str, object] = {}
    for key, raw in msgspec.json.decode(text, type=dict[str, Raw]).items():
        try:
            values[key] = msgspec.json.decode(raw)
        except UNREADABLE:
            values[key] = None
    return values


def _value_at(tree: object, path: KeyPath) -> object:
    for step in path:
        if isinstance(tree, dict):
            tree = tree.get(step)
        elif isinstance(tree, list) and isinstance(step, int) and step < len(tree):
            tree = tree[step]
        else:
            return None
    return tree


def _shown(value: object, notation: Notation) -> str:
    """A value as it may stand in a sentence."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _shortened(msgspec.json.encode(value).decode())
        case int() | float():
            return _shortened(str(value)) if abs(value) < 1e30 else "so large a number"
        case list():
            return notation.words["array"]
        case dict():
            return notation.words["object"]
        case _:
            return _shortened(str(value))


def _shortened(text: str) -> str:
    printable = "".join(letter if letter.isprintable() else "?" for letter in text)
    return printable if len(printable) <= _SHOWN_CHARACTERS else printable[: _SHOWN_CHARACTERS - 1] + "…"


def _is_utf8(text: bytes | str) -> bool:
    if isinstance(text, str):
        return True
    try:
        return not text.startswith(_UTF16) and text.decode() is not None
    except UnicodeDecodeError:
        return False
