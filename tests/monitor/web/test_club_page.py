"""The club screen: what the public fold of its table holds and no more; in practice it asks, and accuses nobody."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from monitor.alerts import PUBLIC_RULES, Alert, AlertState, Authority, Level, Rule
from monitor.audience import COUNT_RULES
from monitor.events import SEATS, Seat
from monitor.view import Counts, Phase, TableView, Window, WindowState
from monitor.web.club_page import checks, render_club
from monitor.web.pages import Screen
from monitor.web.round_face import RoundFace
from monitor.web.words import WORDS
from monitor.wording import seat_name
from tests.monitor.web.venue import Venue, everybody, scan, sign_in

PLAY = TableView(
    "T1", hand=3, phase=Phase.PLAY, turn=Seat.SOUTH, window=Window(WindowState.OPEN, Seat.EAST, 5.0), last_discard=5.0
)
COUNTS = tuple(Counts(seat, rack=13) for seat in SEATS)


def alert(rule: Rule, state: AlertState = AlertState.RAISED) -> Alert:
    return Alert(
        id=f"T1-{rule}", rule=rule, at=1.0, raised_at=1.0, article="205", authority=Authority.LEAGUE,
        level=Level.RULING_DUE, message="North has 15 tiles.", state=state, seat=Seat.NORTH,
    )  # fmt: skip


def test_outside_practice_window_and_phase_are_all() -> None:
    html = render_club(replace(PLAY, alerts=(alert(Rule.LATE_CALL),)), RoundFace())
    for words in ("Play", "hand 3", "Window</span> open", "on East", "South"):
        assert words in html
    for words in ("svg", "15", "call", "Look", "Practice"):
        assert words not in html


@pytest.mark.parametrize("rule", sorted((COUNT_RULES | PUBLIC_RULES) - {Rule.WINDOW_CLOSED}))
def test_in_practice_each_alert_says_what_to_check_and_accuses_nobody(rule: Rule) -> None:
    view = replace(PLAY, counts=COUNTS, alerts=(alert(rule),))
    (check,) = checks(view)
    assert check == WORDS[f"club.check.{rule}"]
    assert check in render_club(view, RoundFace())
    assert "North has 15 tiles" not in render_club(view, RoundFace())
    for blaming in (*map(seat_name, SEATS), "fault", "wrong", "dead", "guilty", "penalty"):
        assert blaming not in check


def test_in_practice_counts_are_drawn_and_what_is_settled_is_gone() -> None:
    view = replace(PLAY, counts=COUNTS, alerts=(alert(Rule.WRONG_COUNT, AlertState.RESOLVED),))
    assert checks(view) == []
    assert render_club(view, RoundFace()).count(">13<") == 4
    many = replace(view, alerts=tuple(alert(rule) for rule in (*COUNT_RULES, Rule.LATE_CALL, Rule.LATE_CALL)))
    assert len(checks(many)) == 2


def test_a_tablet_is_shown_the_public_fold_whatever_the_director_sees(tmp_path: Path) -> None:
    venue = Venue(tmp_path, everybody())
    venue.hub.show(Screen.PUBLIC, PLAY)
    venue.hub.show(Screen.DIRECTOR, replace(PLAY, counts=COUNTS, alerts=(alert(Rule.WRONG_COUNT),)))
    with venue.client() as tablet:
        assert scan(tablet, "token 1").headers["location"] == "/club/T1"
        for path in ("/club/T1", "/stream/club/T1"):
            text = tablet.get(path).text
            assert "Window" in text
            assert "<svg" not in text
        sign_in(tablet, "Dora")
        assert "<svg" not in tablet.get("/club/T1").text, "for directors too: the screen is the table's"
        assert tablet.get("/club/T9").status_code == 404
        assert "There is no such table" in tablet.get("/stream/club/T9").text
