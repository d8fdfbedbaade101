"""Reports say who ruled what and when, and what was undone."""

from pathlib import Path

import pytest

from monitor.acts import Acknowledged, Act, DeclaredDead, Declarer, Remarked, TimeAdded, Undone, Upheld
from monitor.alerts import Alert, Rule
from monitor.audience import Audience
from monitor.events import Event, Seat
from monitor.log.notes import Acted, Note
from monitor.log.reader import open_log, read_log
from monitor.reports.incident import read_incident
from monitor.reports.incident_page import IncidentPage, incident_page
from monitor.reports.paper import Kind, html
from monitor.reports.session import read_session
from monitor.reports.session_page import SessionPage, session_page
from monitor.wording import act_words
from tests.monitor.reports.logbook import in_utc, said_of, write_log
from tests.monitor.reports.printed import pdf
from tests.monitor.reports.test_incident_page import case_of, text_of


def log_with(path: Path, *acts: tuple[str, Act, str], rule: Rule = Rule.LATE_CALL) -> tuple[Path, str, int]:
    """A log of a case and of acts about its alert; the alert's id, and the number of the first act's record."""
    told: list[Event | Alert] = said_of(case_of(rule))
    alert = next(one for one in told if isinstance(one, Alert) and one.rule is rule)
    bare = write_log(path.with_name("bare.sqlite"), [("T1", one) for one in told])
    hand = next(row.hand for row in read_log(bare) if isinstance(row.record, Alert) and row.record.id == alert.id)
    notes: list[Event | Alert | Note] = [
        Acted(
            author=author, reason=words or act_words(did), at=3600.0 + number, alert=alert.id, rule=rule, hand=hand,
            table="T1", did=did,
        )
        for number, (author, did, words) in enumerate(acts)
    ]  # fmt: skip
    first = (
        max(
            row.seq
            for row in read_log(
                bare,
            )
            if row.kind != "released"
        )
        + 1
    )
    return write_log(path, [("T1", one) for one in [*told, *notes]]), alert.id, first


def incident_of(path: Path, alert: str) -> IncidentPage:
    with open_log(path) as log, in_utc():
        return incident_page(read_incident(log, alert, Audience()), "log.sqlite")


def session_of(path: Path, *, counts: bool = True) -> SessionPage:
    with open_log(path) as log, in_utc():
        return session_page(read_session(log, Audience(count_monitoring=counts), None, ()), "log.sqlite")


def test_the_incident_says_who_ruled_what_and_when(tmp_path: Path) -> None:
    path, alert, _ = log_with(
        tmp_path / "log.sqlite",
        ("Ada", Acknowledged(), ""),
        ("Ada", Upheld(), "West agreed."),
        ("Bo", DeclaredDead(Seat.WEST, Declarer.EAST), ""),
        ("Bo", Remarked(), "Calm."),
    )
    made = incident_of(path, alert)
    assert made.ruling == (
        "Ruled: Ada upheld it at 20:00:01: West agreed. Ruled: Bo ruled West's hand dead, as East declared at 20:00:02."
    )
    told = [row.what for row in made.became]
    assert "Ada acknowledged it." in told
    assert "Bo noted something: Calm." in told
    sheets, text = text_of(pdf(Kind.INCIDENT, made))
    assert sheets == 1
    assert "Ruled: Ada upheld it" in " ".join(text.split())
    assert b"Ruled: Ada upheld it at 20:00:01" in b"".join(html(Kind.INCIDENT, made))


def test_a_ruling_that_was_undone_is_told_as_that(tmp_path: Path) -> None:
    first = log_with(tmp_path / "a.sqlite", ("Ada", Upheld(), ""))[2]
    path, alert, _ = log_with(tmp_path / "log.sqlite", ("Ada", Upheld(), ""), ("Bo", Undone(first), "wrong table"))
    made = incident_of(path, alert)
    assert made.ruling == "What was ruled was undone, and nothing else was ruled."
    assert "Ada upheld it (undone since)." in [row.what for row in made.became]
    assert f"Bo took back record {first}: wrong table." in [row.what for row in made.became]
    (row,) = session_of(path).rulings
    assert row.undone
    assert "<del>Ada upheld it (undone since).</del>" in b"".join(html(Kind.SESSION, session_of(path))).decode()


def test_the_session_lists_rulings(tmp_path: Path) -> None:
    path, alert, _ = log_with(tmp_path / "log.sqlite", ("Ada", Acknowledged(), ""), ("Ada", TimeAdded(90.0), "a spill"))
    made = session_of(path)
    (row,) = made.rulings
    assert (row.when, row.ruled, row.id, row.undone) == (
        "20:00:01", "Ada added 1 min 30 s: a spill.", alert, False,
    )  # fmt: skip
    _, text = text_of(pdf(Kind.SESSION, made))
    assert "What directors ruled" in text
    assert "Ada added 1 min 30 s" in " ".join(text.split())


@pytest.mark.parametrize("counts", [True, False])
def test_rulings_about_counts_that_are_switched_off_are_not_told(tmp_path: Path, counts: bool) -> None:
    path, _, _ = log_with(tmp_path / "log.sqlite", ("Ada", Upheld(), ""), rule=Rule.WRONG_COUNT)
    assert len(session_of(path, counts=counts).rulings) == counts
