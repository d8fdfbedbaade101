"""The incident's page: every rule has one, it fits one sheet, says what the log says and no more."""

import asyncio
import io
import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import pytest
from pypdf import PdfReader

from monitor import log as event_log
from monitor.alerts import Alert, AlertState, Authority, Rule
from monitor.audience import Audience
from monitor.events import Corrected, Dead, DirectorCalled, Event, Returned, Seat, SeatsSwapped
from monitor.log.amending import write_notes
from monitor.log.notes import Amended
from monitor.log.place import log_place
from monitor.log.reader import read_log
from monitor.reports.incident import read_incident
from monitor.reports.incident_page import HISTORY_ROWS, IncidentPage, incident_page
from monitor.reports.paper import Kind, html
from monitor.typesetting.sizes import Paper
from tests.monitor.reports.logbook import alert_ids, log_of_case, said_of, write_log
from tests.monitor.reports.printed import pdf
from tests.monitor.rules.script import Case, cases

HOSTILE = "<script>alert(1)</script> #sys.inputs *x* $y$ \u202eesrever\x00\x07 ]] } \\ &amp; \"'" + "long " * 200


@cache
def case_of(rule: Rule) -> Case:
    return next(case for case in cases() if any(isinstance(one, Alert) and one.rule is rule for one in said_of(case)))


def page(path: Path, alert_id: str, chain: str | None = None) -> IncidentPage:
    with event_log.open(path) as log:
        return incident_page(read_incident(log, alert_id, Audience()), path.name, chain)


def page_of_case(folder: Path, name: str, rule: Rule) -> IncidentPage:
    path = log_of_case(folder / "log.sqlite", name)
    return page(path, alert_ids(path, rule)[0])


def text_of(pdf_bytes: bytes) -> tuple[int, str]:
    pages = PdfReader(io.BytesIO(pdf_bytes)).pages
    return len(pages), " ".join(" ".join(one.extract_text() for one in pages).split())


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("rule", Rule)
def test_every_rule_has_a_report_on_one_sheet(rule: Rule, tmp_path: Path) -> None:
    made = page_of_case(tmp_path, case_of(rule).name, rule)
    assert made.sentence
    assert made.evidence
    ET.fromstring(made.timeline)
    markup = b"".join(html(Kind.INCIDENT, made)).decode()
    assert "<script" not in markup
    for paper in Paper:
        sheets, text = text_of(pdf(Kind.INCIDENT, made, paper))
        assert sheets == 1
        for part in (made.title, made.sentence, made.left, made.evidence[0].what, "not chained"):
            assert squeezed(part) in squeezed(text)


def test_what_stands_where(tmp_path: Path) -> None:
    made = page_of_case(tmp_path, case_of(Rule.LATE_CALL).name, Rule.LATE_CALL)
    heads = {head.name: head.value for head in made.heads}
    assert heads["Table"] == "T1"
    assert heads["Hand"] == "1"
    assert heads["Seat"] == "West"
    assert heads["Moment"].startswith("Thursday 16 November 2023, ")
    assert heads["Monotonic clock"].endswith(" s")
    assert heads["The alert"] == "stands; ruling due"
    assert made.authority == "The League's rule"
    assert made.article.startswith("Article 107: ")
    assert made.closeup
    assert [one.what for one in made.evidence] == ["East discarded", "South racked", "West called"]
    assert all(one.number.isdecimal() and one.when for one in made.evidence)
    assert made.ruling == "The log tells of no ruling."


def test_what_cannot_be_ordered_is_said(tmp_path: Path) -> None:
    for case in cases():
        records = said_of(case)
        found = [one for one in records if isinstance(one, Alert) and one.verdict == "undetermined"]
        if found:
            break
    made = page(write_log(tmp_path / "log.sqlite", [("T1", one) for one in records]), found[0].id)
    assert "which was first the bounds do not tell" in made.closeup_alt
    assert "which was first the bounds do not tell" in text_of(pdf(Kind.INCIDENT, made))[1]


def test_a_hand_is_dead_only_where_somebody_declared_it(tmp_path: Path) -> None:
    name = next(
        case.name
        for case in cases()
        if any(isinstance(one, Alert) and one.rule is Rule.WRONG_COUNT for one in said_of(case))
        and not any(isinstance(one, Dead) for one in case.events)
    )
    made = page_of_case(tmp_path, name, Rule.WRONG_COUNT)
    told = " ".join([made.sentence, made.ruling, *(one.what for one in made.became), *(e.what for e in made.evidence)])
    assert "dead" not in told


def test_who_declared_it_is_told(tmp_path: Path) -> None:
    case = case_of(Rule.WRONG_COUNT)
    alert = next(one for one in said_of(case) if isinstance(one, Alert) and one.rule is Rule.WRONG_COUNT)
    dead = Dead(at=alert.raised_at + 5.0, seq=800, seat=alert.seat, by="director")
    records: list[Event | Alert] = [*said_of(case), dead]
    made = page(write_log(tmp_path / "log.sqlite", [("T1", one) for one in records]), alert.id)
    assert alert.seat is not None
    assert made.ruling.startswith(f"Ruled: {alert.seat.capitalize()}'s hand was declared dead by Director. (19:0")


def test_how_the_alert_ended_is_told_whatever_else_happened(tmp_path: Path) -> None:
    case = case_of(Rule.WRONG_COUNT)
    records: list[Event | Alert] = [one for one in said_of(case) if not isinstance(one, Alert)]
    alert = next(one for one in said_of(case) if isinstance(one, Alert) and one.rule is Rule.WRONG_COUNT)
    records.append(alert)
    records += [DirectorCalled(at=alert.raised_at + n, seq=800 + n, seat=Seat.WEST) for n in range(20)]
    records.append(Returned(at=alert.at + 500.0, seq=850, seat=Seat.WEST))
    records.append(msgspec.structs.replace(alert, state=AlertState.RESOLVED, message="The hand is over."))
    made = page(write_log(tmp_path / "log.sqlite", [("T1", one) for one in records]), alert.id)
    told = [one.what for one in made.became]
    assert len(told) == HISTORY_ROWS
    assert "The monitor: resolved. The hand is over." in told
    assert made.became_more == "16 more lines of what followed are in the log."


def test_evidence_that_is_not_drawn_is_marked(tmp_path: Path) -> None:
    made = page_of_case(tmp_path, case_of(Rule.LATE_CALL).name, Rule.LATE_CALL)
    assert not any("outside the picture" in one.what for one in made.evidence)
    path = log_of_case(tmp_path / "other.sqlite", case_of(Rule.LATE_CALL).name)
    alert = next(
        row.record for row in read_log(path) if isinstance(row.record, Alert) and row.record.rule is Rule.LATE_CALL
    )
    early = msgspec.structs.replace(alert.facts[0], at=alert.at - 300, earliest=alert.at - 300, latest=alert.at - 300)
    told = msgspec.structs.replace(alert, facts=(early, *alert.facts[1:]))
    made = page(write_log(tmp_path / "far.sqlite", [("T1", told)]), alert.id)
    assert [one.what.endswith("(outside the picture)") for one in made.evidence] == [True, False, False]


def test_a_hand_that_declares_itself_dead_is_not_ruled_on(tmp_path: Path) -> None:
    name = next(
        case.name
        for case in cases()
        if any(isinstance(one, Dead) and one.by == one.seat for one in case.events)
        and any(isinstance(one, Alert) and one.rule is Rule.INVALID_DECLARATION for one in said_of(case))
    )
    assert "Ruled" not in page_of_case(tmp_path, name, Rule.INVALID_DECLARATION).ruling


def test_a_finding_that_proved_wrong_is_told_as_that(tmp_path: Path) -> None:
    made = page_of_case(tmp_path, "a wrong count that was a misreading is taken back", Rule.WRONG_COUNT)
    assert made.sentence.startswith("Withdrawn, the finding proved wrong: ")
    assert {head.name: head.value for head in made.heads}["The alert"] == "withdrawn"


def test_whose_rule_an_event_s_own_is(tmp_path: Path) -> None:
    made = page_of_case(tmp_path, case_of(Rule.EVENT_PROCEDURE).name, Rule.EVENT_PROCEDURE)
    assert made.authority == "This event's own rule, not the League's"


def test_the_chain_is_printed(tmp_path: Path) -> None:
    path = log_of_case(tmp_path / "log.sqlite", case_of(Rule.LATE_CALL).name)
    made = page(path, alert_ids(path, Rule.LATE_CALL)[0], chain="sha256:" + "ab" * 32)
    assert "sha256:" + "ab" * 32 in squeezed(text_of(pdf(Kind.INCIDENT, made))[1])
    assert "ab" * 32 in b"".join(html(Kind.INCIDENT, made)).decode()


def test_what_people_put_right_since_is_told(tmp_path: Path) -> None:
    path = log_of_case(tmp_path / "log.sqlite", case_of(Rule.LATE_CALL).name)
    swapped = SeatsSwapped(at=1.0, table="T1", seat=Seat.EAST, other=Seat.WEST)
    struck = Corrected(at=1.0, table="T1", replaces=7, struck=True)
    notes = [
        Amended(author="Ada", reason=reason, event=event, hand=hand, table="T1")
        for reason, event, hand in (("cables crossed", swapped, 1), ("a purse", struck, 1), ("another hand", struck, 9))
    ]
    asyncio.run(write_notes(log_place(path), "test", notes))
    made = page(path, alert_ids(path, Rule.LATE_CALL)[0])
    told = [one.what for one in made.became]
    assert "Ada put right: the racks of East and West were taken for each other's (cables crossed)." in told
    assert "Ada put right: event 7 never happened (a purse)." in told
    assert not any("another hand" in one for one in told)
    for one in made.became:
        assert re.fullmatch(r"\d\d? [A-Z][a-z]+ [\d:]{8}" if "put right" in one.what else r"[\d:]{8}", one.when)


@pytest.mark.parametrize("authority", Authority)
def test_hostile_text_stays_text(authority: Authority, tmp_path: Path) -> None:
    case = case_of(Rule.WRONG_COUNT)
    records: list[Event | Alert] = []
    for one in said_of(case):
        if isinstance(one, Alert) and one.rule is Rule.WRONG_COUNT:
            records += [
                msgspec.structs.replace(
                    one, message=HOSTILE, article=HOSTILE, rests_on=HOSTILE, authority=authority, state=state
                )
                for state in (AlertState.RAISED, *[AlertState.RESOLVED] * 12)
            ]
            records += [Dead(at=one.raised_at + n, seq=800 + n, seat=Seat.SOUTH, by=HOSTILE) for n in range(20)]
        else:
            records.append(one)
    path = write_log(tmp_path / "log.sqlite", [(HOSTILE, one) for one in records])
    made = page(path, alert_ids(path, Rule.WRONG_COUNT)[0], chain=HOSTILE)
    markup = b"".join(html(Kind.INCIDENT, made)).decode()
    assert "<script" not in markup
    assert "&lt;script&gt;alert(1)&lt;/script&gt; #sys.inputs" in markup
    assert not any(mark in markup for mark in "\u202e\x00\x07")
    sheets, text = text_of(pdf(Kind.INCIDENT, made, Paper.LETTER))
    assert sheets == 1
    assert squeezed("<script>alert(1)</script> #sys.inputs *x* $y$") in squeezed(text)


def test_the_same_log_gives_the_same_bytes(tmp_path: Path) -> None:
    made = page_of_case(tmp_path, case_of(Rule.SIMULTANEOUS_CALL).name, Rule.SIMULTANEOUS_CALL)
    assert pdf(Kind.INCIDENT, made) == pdf(Kind.INCIDENT, made)
    assert list(html(Kind.INCIDENT, made)) == list(html(Kind.INCIDENT, made))


def test_an_alert_about_the_sensors_themselves_names_no_event(tmp_path: Path) -> None:
    path = log_of_case(tmp_path / "log.sqlite", case_of(Rule.SENSOR_FAULT).name)
    told = next(row.record for row in read_log(path) if isinstance(row.record, Alert))
    bare = msgspec.structs.replace(told, id="T1-sensor-1", rule=Rule.SENSOR_FAULT, facts=(), evidence=())
    made = page(write_log(tmp_path / "bare.sqlite", [("T1", bare)]), "T1-sensor-1")
    assert made.evidence == ()
    sheets, text = text_of(pdf(Kind.INCIDENT, made))
    assert sheets == 1
    assert "The alert names no event" in text
    assert "The alert names no event" in b"".join(html(Kind.INCIDENT, made)).decode()
