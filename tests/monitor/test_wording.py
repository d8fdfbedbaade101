from typing import Any, get_args

import pytest

from monitor.alerts import AlertState, Level, Rule
from monitor.events import (
    Called,
    Claim,
    Closing,
    Corrected,
    CountChanged,
    Dealt,
    Discarded,
    Event,
    HandEnd,
    Seat,
    Via,
    WindowClosed,
    Zone,
)
from monitor.view import Doing, Phase, TableView, Window, WindowState
from monitor.wording import (
    CLOSINGS,
    DOINGS,
    ENDINGS,
    LEVELS,
    PHASE_LINES,
    PHASES,
    RULES,
    STATES,
    WINDOWS,
    event_line,
    turn_line,
    window_line,
)

KINDS: tuple[Any, ...] = get_args(Event)


@pytest.mark.parametrize(
    ("catalogue", "kind"),
    [
        (PHASES, Phase),
        (PHASE_LINES, Phase),
        (DOINGS, Doing),
        (WINDOWS, WindowState),
        (CLOSINGS, Closing),
        (ENDINGS, HandEnd),
        (RULES, Rule),
        (LEVELS, Level),
        (STATES, AlertState),
    ],
)
def test_the_catalogue_has_a_word_for_everything(catalogue: dict[Any, str], kind: Any) -> None:
    assert set(catalogue) == set(kind)
    assert all(catalogue.values())


@pytest.mark.parametrize("kind", KINDS)
def test_every_event_can_be_said(kind: Any) -> None:
    more = {"count": 13} if kind is CountChanged else {"replaces": 3} if kind.__name__ == "Corrected" else {}
    line = event_line(kind(at=1.0, **more))
    assert line[0].isupper()
    assert "None" not in line


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (CountChanged(at=1, seat=Seat.EAST, count=None, reason="hand on it"), "East: rack not known: hand on it"),
        (CountChanged(at=1, seat=Seat.EAST, zone=Zone.LEDGE, count=3), "East: 3 on the ledge"),
        (Called(at=1, seat=Seat.WEST, claim=Claim.MAH_JONGG), "West called for mah jongg"),
        (Called(at=1, seat=Seat.WEST, via=Via.EXPOSURE), "West called (seen at the exposure)"),
        (WindowClosed(at=1, seat=Seat.SOUTH, cause=Closing.RACKED), "Window closed: South racked"),
        (Dealt(at=1, east=Seat.SOUTH), "Dealt; East's hand is at the South chair"),
        (Dealt(at=1, east=Seat.EAST), "Dealt"),
        (Dealt(at=1), "Dealt"),
        (Corrected(at=1, seat=Seat.NORTH, replaces=3, struck=True), "Correction: something of North's did not happen"),
    ],
)
def test_how_it_is_said(event: Event, line: str) -> None:
    assert event_line(event) == line


@pytest.mark.parametrize(
    ("about", "struck", "line"),
    [
        (Discarded(at=1, seat=Seat.NORTH), True, "Correction: North's discard did not happen"),
        (Discarded(at=1, seat=Seat.NORTH), False, "Correction: North's discard changed"),
        (Discarded(at=1), True, "Correction: a discard did not happen"),
        (WindowClosed(at=1, seat=Seat.SOUTH), False, "Correction: the window's closing changed"),
    ],
)
def test_a_correction_says_what_it_is_about(about: Event, struck: bool, line: str) -> None:
    assert event_line(Corrected(at=2, seat=Seat.WEST, replaces=about.seq, struck=struck), about) == line


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not Corrected])
def test_a_correction_can_be_about_every_event(kind: Any) -> None:
    about = kind(at=1.0, seat=Seat.NORTH, **({"count": 13} if kind is CountChanged else {}))
    assert "None" not in event_line(Corrected(at=2, replaces=1), about)


def test_turn_and_window() -> None:
    assert turn_line(TableView("T1", phase=Phase.DEAL, turn=Seat.EAST)) == "Racks are being filled"
    view = TableView(
        "T1", phase=Phase.PLAY, turn=Seat.SOUTH, doing=Doing.TO_PICK, window=Window(WindowState.OPEN, Seat.EAST, 1.0)
    )
    assert turn_line(view) == "South to pick"
    assert window_line(view) == "on East's discard"
    calls = TableView("T1", caller=Seat.NORTH, window=Window(WindowState.OPEN, Seat.EAST, 1.0))
    assert window_line(calls) == "on East's discard; North calls"
    closed = TableView("T1", window=Window(WindowState.CLOSED, Seat.EAST, 2.0, Seat.SOUTH, Closing.NAMED))
    assert window_line(closed) == "South named the picked tile"
    assert window_line(TableView("T1", window=Window(WindowState.CLOSED))) == "closed it"
    assert window_line(TableView("T1")) == ""
