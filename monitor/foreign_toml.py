"""What keeps a text that others wrote from being TOML, in plain sentences with the line.

Owns the wording of what `tomllib` raises, and finds the first of two keys where it finds the second. What values may be
is `foreign_text`'s. Beside whoever reads a profile or settings.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from monitor.foreign_text import TOO_DEEP


class TomlComplaint(Struct, frozen=True):
    """What is wrong, and on which line (1 based; 0: not known)."""

    line: int
    problem: str


_LONG_NUMBER = re.compile(r"[0-9][0-9_]{4000,}")
"""Python reads no decimal number of more than 4300 digits."""

_ASSIGNS = re.compile(r"\s*([\w.\"'-]+)\s*=")
_HEADS = re.compile(r"\s*\[\[?\s*([^\]]+?)\s*\]")


def complaint_about_toml(error: Exception, text: str) -> TomlComplaint:
    """What is wrong with a `text` on which `tomllib` raised a `ValueError` or a `RecursionError`."""
    if isinstance(error, RecursionError):
        return TomlComplaint(0, f"{TOO_DEEP}. No key needs more than a few brackets")
    reason, _, at = str(error).removesuffix(")").partition(" (at ")
    if not at and (long := _LONG_NUMBER.search(text)):
        line = text.count("\n", 0, long.start()) + 1
        return TomlComplaint(line, "holds a number of thousands of digits. Write a shorter one")
    lines = text.splitlines()
    found = re.fullmatch(r"line (\d+), column (\d+)", at)
    line = int(found[1]) if found else len(lines)
    if inline := re.fullmatch(r"Duplicate inline table key '(.*)'", reason):
        return TomlComplaint(line, f"{inline[1]} is given twice. Keep one of the two")
    if reason == "Cannot overwrite a value" or re.fullmatch(r"Cannot declare \(.*\) twice", reason):
        return _given_twice(lines, line)
    where = f" (column {found[2]})" if found else ""
    return TomlComplaint(line, f"is not TOML: {reason}{where}")


def _given_twice(lines: list[str], line: int) -> TomlComplaint:
    """The section that `line` begins, or the key whose value ends there, was given before."""
    given = list(_given(lines[:line]))
    if not given:
        return TomlComplaint(line, "something is given twice. Keep one of the two")
    twice = given[-1]
    what = f"[{twice.section}]" if not twice.key else twice.key
    first = next((one.line for one in given[:-1] if (one.section, one.key) == (twice.section, twice.key)), 0)
    return TomlComplaint(
        twice.line, f"{what} is given twice{f' (first on line {first})' if first else ''}. Keep one of the two"
    )


class _Given(Struct, frozen=True):
    """A line that begins a section (`key` empty) or gives a key in it."""

    line: int
    section: str
    key: str


def _given(lines: list[str]) -> Iterator[_Given]:
    section = ""
    for number, line in enumerate(lines, 1):
        if head := _HEADS.match(line):
            section = head[1]
            yield _Given(number, section, "")
        elif key := _ASSIGNS.match(line):
            yield _Given(number, section, key[1])
