"""The session's page: what stands in it, and that it prints."""

import io
from datetime import date
from xml.etree import ElementTree as ET

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from monitor.alerts import AlertState, Authority, Level, Rule
from monitor.events import HandEnd, Seat
from monitor.reports.paper import Kind, html
from monitor.reports.session import AlertSummary, Session
from monitor.reports.session_page import SessionPage, session_page
from monitor.reports.session_plots import TABLES_A_PICTURE, evening_plots, rule_plot
from monitor.tally import HandSummary, Uncounted
from monitor.typesetting.sizes import Paper
from tests.monitor.reports.logbook import EVENING_UTC_S
from tests.monitor.reports.printed import pdf
from tests.monitor.reports.test_incident_page import HOSTILE, squeezed


def hand(table: str = "T1", number: int = 1, began_s: float = 0.0, **keys: object) -> HandSummary:
    made = HandSummary(
        table=table,
        hand=number,
        began_utc_s=EVENING_UTC_S + began_s,
        length_s=615.0,
        play_s=290.0,
        east=Seat.EAST,
        how=HandEnd.WALL,
        picks=25,
        discards=30,
        windows_s=(2.0, 4.0, 9.0),
        uncounted=(Uncounted(Seat.WEST, 2, 65.0, 60.0),),
    )
    return msgspec.structs.replace(made, **keys)


def alert(rule: Rule = Rule.LATE_CALL, state: AlertState = AlertState.RAISED, **keys: object) -> AlertSummary:
    made = AlertSummary(
        id=f"T1-1-{rule}-west",
        table="T1",
        hand=1,
        rule=rule,
        level=Level.TECHNICAL if rule is Rule.SENSOR_FAULT else Level.RULING_DUE,
        authority=Authority.LEAGUE,
        seat=Seat.WEST,
        at_utc_s=EVENING_UTC_S + 400.0,
        state=state,
        seen="West called after South racked.",
        ended="" if state is AlertState.RAISED else "The hand is over.",
    )
    return msgspec.structs.replace(made, **keys)


def session(hands: tuple[HandSummary, ...], *alerts: AlertSummary) -> Session:
    return Session(date(2023, 11, 16), tuple(dict.fromkeys(one.table for one in hands)), hands, alerts, (1,))


def page(*alerts: AlertSummary) -> SessionPage:
    hands = (hand(), hand(number=2, began_s=700, how=None, play_s=None, windows_s=()), hand("T2"))
    return session_page(session(hands, *alerts), "log.sqlite")


def text_of(made: SessionPage, paper: Paper = Paper.A4) -> str:
    return squeezed("".join(one.extract_text() for one in PdfReader(io.BytesIO(pdf(Kind.SESSION, made, paper))).pages))


def test_the_evening_in_one_sentence() -> None:
    made = page(alert(), alert(Rule.WRONG_COUNT, AlertState.RESOLVED), alert(Rule.SENSOR_FAULT))
    assert made.sentence == (
        "2 tables, 3 hands. 2 alerts asked for a ruling, 1 of them still at the end. 1 sensor fault."
    )
    assert page().sentence == "2 tables, 3 hands. No alerts asked for a ruling. No sensor faults."


def test_hands_are_told_with_their_pace() -> None:
    first, second = page(alert()).tables[0].hands
    assert (first.length, first.how, first.picks, first.discards) == ("10:15", "wall game", "5.2", "6.0")
    assert (first.window, first.longest, first.alerts) == ("4.0 s", "9.0 s", "Late call")
    assert (second.how, second.picks, second.window, second.alerts) == ("not told", "–", "–", "none")


def test_what_was_told_again_and_again_of_a_hand_is_counted() -> None:
    sick = (alert(Rule.SENSOR_FAULT),) * 3
    assert page(*sick, alert()).tables[0].hands[0].alerts == "Sensor (3), Late call"


def test_alerts_are_told_with_what_became_of_them() -> None:
    made = page(alert(), alert(Rule.WRONG_COUNT, AlertState.RESOLVED), alert(Rule.SENSOR_FAULT))
    assert [one.became for one in made.alerts] == ["stands", "resolved: The hand is over."]
    (own,) = page(alert(Rule.EVENT_PROCEDURE, authority=Authority.EVENT)).alerts
    assert own.seen.endswith("This event's own rule.")


def test_windows_and_sensors() -> None:
    made = page(alert(Rule.SENSOR_FAULT))
    assert [(one.table, one.windows, one.median) for one in made.windows] == [
        ("T1", "3", "4.0 s"),
        ("T2", "3", "4.0 s"),
        ("All", "6", "4.0 s"),
    ]
    first, second = made.health
    assert (first.table, first.seat, first.stretches, first.total, first.longest) == ("T1", "West", "4", "2:10", "1:00")
    assert (first.faults, first.standing, second.faults) == ("1", "West called after South racked.", "0")


@pytest.mark.parametrize("paper", Paper)
def test_it_prints(paper: Paper) -> None:
    made = page(alert(), alert(Rule.WRONG_COUNT, AlertState.WITHDRAWN))
    text = text_of(made, paper)
    for part in ("SESSION REPORT", made.title, made.sentence, "10:15", "Wrong number of tiles", "Times not countable"):
        assert squeezed(part) in text


def test_an_evening_without_anything_prints() -> None:
    made = session_page(session((hand(windows_s=(), uncounted=()),)), "log.sqlite")
    text = text_of(made)
    for part in ("No alert about play.", "Every rack could be counted throughout.", "No window was seen"):
        assert squeezed(part) in text
        assert part in b"".join(html(Kind.SESSION, made)).decode()


def test_hostile_text_stays_text() -> None:
    made = session_page(
        session((hand(HOSTILE),), alert(table=HOSTILE, id=HOSTILE, seen=HOSTILE, state=AlertState.RESOLVED)), HOSTILE
    )
    markup = b"".join(html(Kind.SESSION, made)).decode()
    assert "<script" not in markup
    assert not any(mark in markup for mark in "\u202e\x00\x07")
    assert squeezed("<script>alert(1)</script> #sys.inputs *x* $y$") in text_of(made)
    for picture in made.evening:
        ET.fromstring(picture.svg)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 60), st.floats(0, 50_000), st.floats(0, 4000)), min_size=1, max_size=70),
    st.lists(st.tuples(st.sampled_from(Rule), st.sampled_from(AlertState), st.floats(0, 50_000)), max_size=30),
)
def test_the_pictures_are_well_formed(
    hands: list[tuple[int, float, float]], alerts: list[tuple[Rule, AlertState, float]]
) -> None:
    played = session(
        tuple(hand(f"T{table}", began_s=began, length_s=length) for table, began, length in hands),
        *(alert(rule, state, at_utc_s=EVENING_UTC_S + at) for rule, state, at in alerts),
    )
    pictures = list(evening_plots(played))
    assert len(pictures) == -(-len(played.tables) // TABLES_A_PICTURE)
    for svg in [*pictures, rule_plot(played.alerts)]:
        assert not svg or "nan" not in ET.tostring(ET.fromstring(svg), encoding="unicode")
    assert bool(rule_plot(played.alerts)) == bool(alerts)
