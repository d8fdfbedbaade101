"""A session's page in parts: nothing is lost or moved, and no part is longer than it may be."""

import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from pypdf import PdfReader

from monitor.alerts import AlertState, Rule
from monitor.events import Seat, SeatsSwapped
from monitor.reports.paper import Kind, write_pdf
from monitor.reports.session_page import SessionPage, session_page
from monitor.reports.session_parts import ROWS_A_PART, Section, session_parts
from monitor.tally import Amendment
from tests.monitor.reports.logbook import EVENING_UTC_S
from tests.monitor.reports.test_session_page import alert, hand, session


def day(tables: int, hands: int, alerts: int = 0, amended: int = 0) -> SessionPage:
    played = [hand(f"T{table}", number, number * 700.0) for table in range(1, tables + 1) for number in range(hands)]
    swap = SeatsSwapped(at=0.0, seat=Seat.EAST, other=Seat.WEST)
    notes = tuple(Amendment(swap, f"Ada {number}", "cables", EVENING_UTC_S) for number in range(amended))
    played[0] = replace(played[0], amendments=notes, told=played[0] if notes else None)
    told = (alert(id=f"T1-{number}-late_call", state=AlertState.RESOLVED) for number in range(alerts))
    return session_page(session(tuple(played), *told, alert(Rule.SENSOR_FAULT)), "log.sqlite")


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 30), st.integers(1, 8), st.integers(0, 40), st.integers(0, 40), st.integers(1, 120))
def test_parts_put_together_are_the_page(tables: int, hands: int, alerts: int, amended: int, most_rows: int) -> None:
    page = day(tables, hands, alerts, amended)
    parts = list(session_parts(page, most_rows))
    for section in Section:
        assert sum((getattr(part.page, section) for part in parts), ()) == getattr(page, section)
    assert [section for part in parts for section in part.begins] == list(Section)
    assert [part.last for part in parts] == [False] * (len(parts) - 1) + [True]
    for part in parts:
        rows = len(part.page.alerts) + len(part.page.windows) + len(part.page.health) + 40 * len(part.page.evening)
        rows += sum(len(table.hands) + 3 for table in part.page.tables) + len(part.page.amended)
        things = sum(len(getattr(part.page, section)) for section in Section)
        assert rows <= most_rows or things == 1


def test_a_club_evening_is_one_part_and_a_tournament_is_many() -> None:
    assert len(list(session_parts(day(4, 20, 30)))) == 1
    assert len(list(session_parts(day(40, 20, 900)))) > 3


@pytest.fixture(scope="module")
def tournament() -> PdfReader:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "day.pdf"
        write_pdf(path, Kind.SESSION, day(30, 25, ROWS_A_PART + 30, ROWS_A_PART + 30))
        return PdfReader(path)


def test_pages_are_numbered_through(tournament: PdfReader) -> None:
    pages = tournament.pages
    assert len(pages) > 20
    for number, page in enumerate(pages, 1):
        assert f"page {number} of {len(pages)}" in page.extract_text()


def test_every_table_has_a_bookmark_below_the_hands(tournament: PdfReader) -> None:
    title, sections = tournament.outline
    hands, tables = next(pair for pair in pairwise(sections) if isinstance(pair[1], list))
    assert (title.title, hands.title) == ("Thursday 16 November 2023", "Hands")
    *tables, put_right = tables
    assert put_right.title == "Put right afterwards"
    assert [table.title for table in tables] == [f"Table T{number}" for number in range(1, 31)]
    for table in tables:
        page = tournament.get_destination_page_number(table)
        assert page is not None
        assert f"{table.title}\n" in tournament.pages[page].extract_text()


def test_each_heading_stands_once_and_each_alert_too(tournament: PdfReader) -> None:
    text = "\n".join(page.extract_text() for page in tournament.pages)
    for heading in ("SESSION REPORT", "Alerts and what became of them", "How long a discard", "Times not countable"):
        assert heading in text
    assert text.count("Alerts and what became of them") == text.count("SESSION REPORT") == text.count("Source:") == 1
    assert "No alert about play" not in text
    assert text.count("Put right afterwards") == text.count("count what was put right") == 1
    for number in range(ROWS_A_PART + 30):
        assert f"T1-{number}-late" in text
        assert text.count(f"Ada {number} ") == 1
