"""Finds the line of every key in a TOML text, so that an error can name it.

Owns nothing but that: `tomllib` has read the text before, so it is known to be valid, and values are only skipped.
Keys inside an inline table or array have no line of their own; their nearest ancestor's is given.
"""

import re
from collections.abc import Sequence

from monitor.foreign_text import KeyPath

_KEY = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)"""
_DOTTED = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_HEADER = re.compile(rf"[ \t]*(\[\[?)[ \t]*({_DOTTED})[ \t]*\]\]?")
_ASSIGNMENT = re.compile(rf"[ \t]*({_DOTTED})[ \t]*=")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|' r"'''.*?'''|" r'"(?:[^"\\\n]|\\.)*"|' r"'[^'\n]*'",
    re.DOTALL,
)


class KeyLines:
    """The lines of one TOML text."""

    def __init__(self, text: str) -> None:
        """`text` must be valid TOML."""
        self._lines: dict[KeyPath, int] = {}
        self._counts: dict[KeyPath, int] = {}
        self._scan(text)

    def line_of(self, path: Sequence[str | int]) -> int | None:
        """1-based line of the key, or of its nearest ancestor that has one; `None` where not even the first has."""
        for end in range(len(path), 0, -1):
            line = self._lines.get(tuple(path[:end]))
            if line is not None:
                return line
        return None

    def has(self, path: Sequence[str | int]) -> bool:
        """Whether the text sets this very key, by itself or inside an inline table's ancestor."""
        return tuple(path) in self._lines

    def _scan(self, text: str) -> None:
        table: KeyPath = ()
        position, line = 0, 1
        while position < len(text):
            header = _HEADER.match(text, position)
            assignment = None if header else _ASSIGNMENT.match(text, position)
            if header:
                table = self._enter(_keys(header[2]), array=header[1] == "[[")
                for end in range(1, len(table) + 1):
                    self._lines.setdefault(table[:end], line)
                position = header.end()
            elif assignment:
                path = table + _keys(assignment[1])
                for end in range(len(table) + 1, len(path) + 1):
                    self._lines.setdefault(path[:end], line)
                position = assignment.end()
            end = _end_of_value(text, position)
            line += text.count("\n", position, end)
            position = end

    def _enter(self, keys: KeyPath, *, array: bool) -> KeyPath:
        path: KeyPath = ()
        for index, key in enumerate(keys):
            path = (*path, key)
            if array and index == len(keys) - 1:
                self._counts[path] = self._counts.get(path, -1) + 1
            if path in self._counts:
                path = (*path, self._counts[path])
        return path


def _keys(dotted: str) -> KeyPath:
    return tuple(key.strip("\"'") for key in re.findall(_KEY, dotted))


def _end_of_value(text: str, position: int) -> int:
    """Just past the newline that ends the value (or the rest of a header's line)."""
    depth = 0
    while position < len(text):
        character = text[position]
        if character in "\"'":
            string = _STRING.match(text, position)
            position = string.end() if string else position + 1
            continue
        if character == "#":
            newline = text.find("\n", position)
            position = len(text) if newline < 0 else newline
            continue
        if character in "[{":
            depth += 1
        elif character in "]}":
            depth -= 1
        elif character == "\n" and depth <= 0:
            return position + 1
        position += 1
    return position
