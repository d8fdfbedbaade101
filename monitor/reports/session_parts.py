"""Cuts the page of a session into parts that are set one by one, so that a tournament takes no more memory than a club.

Owns where a part ends: between two alerts, two tables, two amendments or two racks. Pure.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from monitor.reports.session_page import (
    AlertRow,
    AmendedRow,
    HealthRow,
    Picture,
    RulingRow,
    SessionPage,
    TableSection,
    WindowRow,
)

ROWS_A_PART: Final = 400
"""Our choice: some ten pages, for which Typst takes 100 MB."""
_ROWS_A_PICTURE: Final = 40


class Section(StrEnum):
    """What a session's page is cut in: its fields that hold many things of a kind, in their order."""

    EVENING = "evening"
    ALERTS = "alerts"
    RULINGS = "rulings"
    WINDOWS = "windows"
    TABLES = "tables"
    AMENDED = "amended"
    HEALTH = "health"


class SessionPart(Struct, frozen=True):
    """Some pages of it. `begins`: the sections whose heading stands in this part; `last`: nothing comes behind it."""

    begins: tuple[Section, ...]
    last: bool
    page: SessionPage


_Item = Picture | AlertRow | RulingRow | WindowRow | TableSection | AmendedRow | HealthRow


def session_parts(page: SessionPage, most_rows: int = ROWS_A_PART) -> Iterator[SessionPart]:
    """The page in parts, in order; each section stands whole in one or goes on in the next."""
    empty = replace(page, evening=(), alerts=(), rulings=(), windows=(), tables=(), amended=(), health=())
    begins: list[Section] = []
    held: dict[Section, list[_Item]] = {}
    rows = 0
    for section in Section:
        items: tuple[_Item, ...] = getattr(page, section)
        begun = False
        for item in items:
            if rows and rows + _rows(item) > most_rows:
                yield _part(empty, begins, held)
                begins, held, rows = [], {}, 0
            if not begun:
                begins.append(section)
                begun = True
            held.setdefault(section, []).append(item)
            rows += _rows(item)
        if not begun:
            begins.append(section)
    yield _part(empty, begins, held, last=True)


def _part(
    empty: SessionPage, begins: list[Section], held: dict[Section, list[_Item]], *, last: bool = False
) -> SessionPart:
    return SessionPart(tuple(begins), last, replace(empty, **{section: tuple(held[section]) for section in held}))


def _rows(item: _Item) -> int:
    match item:
        case Picture():
            return _ROWS_A_PICTURE
        case TableSection():
            return len(item.hands) + 3
        case _:
            return 1
