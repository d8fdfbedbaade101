"""The page that runs the round: by plain forms, once for two who act at once, and kind to whoever mistypes."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from litestar.testing import TestClient
from msgspec.structs import replace

from monitor.access.book import Device
from monitor.access.roles import Role
from monitor.access.tokens import digest_of
from monitor.acts import RoundExtended, RoundStarted
from monitor.round_clock import Gap
from monitor.view import TableView
from monitor.web.clock_acts import Unreadable, Wanted, wanted
from monitor.web.pages import Screen
from monitor.web.round_face import RoundFace
from tests.monitor.web.venue import Venue, everybody, proof, scan, sign_in


@pytest.fixture
def venue(tmp_path: Path) -> Venue:
    venue = Venue(tmp_path, everybody())
    for table in ("T10", "T2", "T1"):
        venue.hub.show(Screen.PUBLIC, TableView(table))
    return venue


def send(client: TestClient[Any], what: str, version: int, **fields: str) -> Any:
    form = {"_csrf_token": proof(client, "/clock"), "what": what, "version": str(version), **fields}
    return client.post("/clock", data=form)


START = {"round": "2", "minutes": "50", "hands": "4"}


def test_a_scorer_runs_a_round_by_plain_forms(venue: Venue) -> None:
    with venue.client() as client:
        sign_in(client, "Sue")
        page = client.get("/clock").text
        assert "No round is on the clock" in page
        assert 'name="round" type="number" min="1" max="1000" value="1"' in page
        assert send(client, "started", 0, **START).status_code == 303
        venue.host_s = 600.0
        page = client.get("/clock").text
        assert "40:00 left" in page
        assert re.findall(r"<option>(\w+)</option>", page) == ["T1", "T2", "T10"]
        assert send(client, "extended", 1, table="T2", minutes="2,5").status_code == 303
        assert send(client, "paused", 2).status_code == 303
        venue.host_s = 900.0
        page = client.get("/clock").text
        assert "40:00 left" in page
        assert "42:30 left" in page
        assert "paused" in page
        assert "Sue added 2 min 30 s for T2" in page
        assert send(client, "resumed", 3).status_code == 303
        assert send(client, "ended", 4).status_code == 303
        page = client.get("/clock").text
        assert "Round 2 is over" in page
        assert 'max="1000" value="3"' in page, "the next round is proposed, as long as the last one"
        assert 'value="50"' in page
    assert [note.author for note in venue.notes] == ["Sue"] * 5


def test_who_comes_second_is_told_what_the_first_did_and_nothing_is_done(venue: Venue) -> None:
    with venue.client() as client:
        sign_in(client, "Dora")
        send(client, "started", 0, **START)
        sign_in(client, "Sue")
        late = send(client, "started", 0, **START)
        assert late.status_code == 409
        assert "Nothing was done, for the clock had changed. Meanwhile Dora started round 2" in late.text
        assert 'name="version" value="1"' in late.text, "what is sent from this page is about the clock as it shows it"
        again = send(client, "resumed", 1)
        assert (again.status_code, "Nothing was done. The clock is running." in again.text) == (409, True)
    assert len(venue.notes) == 1


@pytest.mark.parametrize(
    ("what", "fields", "says"),
    [
        ("started", {**START, "minutes": "an hour"}, "A round needs a number"),
        ("started", {**START, "minutes": "-5"}, "A round needs a number"),
        ("started", {**START, "hands": ""}, "A round needs a number"),
        ("extended", {"minutes": "0"}, "other than 0"),
        ("extended", {"minutes": "1441"}, "other than 0"),
        ("extended", {"minutes": "nan"}, "other than 0"),
        ("dance", {}, "this form is not complete"),
    ],
)
def test_what_makes_no_act_is_told_kindly(venue: Venue, what: str, fields: dict[str, str], says: str) -> None:
    with venue.client() as client:
        sign_in(client, "Sue")
        answer = send(client, what, 0, **fields)
        assert answer.status_code == 400
        assert says in answer.text
        assert 'role="alert"' in answer.text
    assert venue.notes == []


def test_a_device_of_one_table_looks_on(venue: Venue) -> None:
    bound = Device(name="scorer at 1", role=Role.SCORER, sha256=digest_of("token 5"), table="T1")
    book = venue.door.file.book()
    venue.door.file.write(replace(book, devices=(*book.devices, bound)))
    with venue.client() as client:
        assert scan(client, "token 5").headers["location"] == "/club/T1"
        for path in ("/clock", "/stream/clock"):
            assert "<form" not in client.get(path).text
            assert "This device is for one table" in client.get(path).text
        form = {"_csrf_token": proof(client), "what": "started", "version": "0", **START}
        refused = client.post("/clock", data=form)
        assert (refused.status_code, "for table T1 alone" in refused.text) == (403, True)
    assert venue.notes == []


def test_a_form_of_another_page_turns_nothing(venue: Venue) -> None:
    with venue.client() as client:
        sign_in(client, "Sue")
        assert client.post("/clock", data={"what": "started", "version": "0", **START}).status_code == 403
    assert venue.notes == []


def test_a_clock_that_ran_unwatched_says_so(venue: Venue) -> None:
    with venue.client() as client:
        sign_in(client, "Sue")
        send(client, "started", 0, **START)
        clock = replace(venue.chair.round, gap=Gap(1_000_000_100.0, 1_000_000_160.0))
        venue.hub.show_round(RoundFace(clock, 0.0))
        venue.host_s = 300.0
        page = client.get("/clock").text
        assert re.search(r"The monitor was down from \d\d:\d\d:\d\d to \d\d:\d\d:\d\d\.", page)
        assert "45:00 left" in page


def test_the_stream_of_the_page_shows_the_clock_without_times_and_proof_of_its_own(venue: Venue) -> None:
    with venue.client() as client:
        sign_in(client, "Sue")
        send(client, "started", 0, **START)
        text = client.get("/stream/clock").text
    assert "event: clock" in text
    assert "event: shown" in text
    assert '_csrf_token\\" value=\\"\\"' in text
    assert not re.search(r"\d left", text)


@given(st.dictionaries(st.sampled_from(["what", "version", "round", "minutes", "hands", "table"]), st.text(max_size=9)))
def test_any_fields_are_an_act_or_a_sentence(form: dict[str, str]) -> None:
    assert isinstance(wanted(form), Unreadable | Wanted)


@given(st.integers(1, 1000), st.integers(1, 1440), st.integers(1, 1000), st.integers(0, 10**6))
def test_a_form_is_read_as_it_was_filled_in(number: int, minutes: int, hands: int, version: int) -> None:
    fields = {"round": f"{number}", "minutes": f"{minutes}", "hands": f"{hands}"}
    form = {"what": "started", "version": f"{version}", **fields}
    assert wanted(form) == Wanted(RoundStarted(number, minutes * 60.0, hands), version)
    form = {"what": "extended", "version": f"{version}", "minutes": f" -{minutes} ", "table": "T1"}
    assert wanted(form) == Wanted(RoundExtended(minutes * -60.0), version, "T1")
