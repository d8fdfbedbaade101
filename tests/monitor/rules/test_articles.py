"""`docs/articles.md` says of every sentence what is done about it: its tests exist, its pictures equal the tables."""

import re
from pathlib import Path

import pytest
from msgspec import Struct

from monitor.rules.profile import keys_of_profile

from .redraw import PAGE, redrawn
from .script import cases


class Row(Struct, frozen=True):
    number: str
    tests: tuple[str, ...]
    excuse: str


def _rows() -> list[Row]:
    rows = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == 5 and cells[0] not in ("#", "---"):
            tests = tuple(re.findall(r"`([^`]+)`", cells[4]))
            rows.append(Row(cells[0], tests, cells[4].partition("none:")[2].strip()))
    return rows


ROWS = _rows()
FUNCTIONS = {
    name
    for path in Path(__file__).parent.glob("test_*.py")
    for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
}
CITED = {case.name: case.cites for case in cases()}


def test_the_tables_are_read() -> None:
    assert len(ROWS) > 65
    assert len({row.number for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.number)
def test_each_row_names_tests_that_exist_or_says_why_there_is_none(row: Row) -> None:
    assert row.tests or row.excuse
    for test in row.tests:
        assert test in CITED or test in FUNCTIONS, test


@pytest.mark.parametrize("name", CITED)
def test_each_case_cites_sentences_that_stand_in_the_tables(name: str) -> None:
    assert CITED[name]
    assert set(CITED[name]) <= {row.number for row in ROWS}


@pytest.mark.parametrize("name", CITED)
def test_each_case_stands_in_a_row(name: str) -> None:
    assert any(name in row.tests for row in ROWS)


def test_the_pictures_equal_the_tables() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert redrawn(page) == page


def test_every_choice_named_is_a_profile_key() -> None:
    named = set(re.findall(r"`((?:window|count|procedure|table|evidence)\.\w+)`", PAGE.read_text(encoding="utf-8")))
    assert named
    assert named <= set(keys_of_profile())
