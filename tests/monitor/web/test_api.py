"""The JSON API: what it says, that its description is what is served and documented, and that nothing breaks it."""

import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from msgspec.structs import replace

from monitor.access.book import Device
from monitor.access.roles import Role
from monitor.access.tokens import digest_of
from monitor.events import Seat
from monitor.view import Counts, TableView
from monitor.web.guards import all_handlers
from monitor.web.pages import Screen
from tests.monitor.web.venue import Venue, everybody

DOCUMENT = Path(__file__).parents[3] / "docs" / "api.md"
PROGRAM = {"authorization": "Bearer token 3"}


@pytest.fixture
def venue(tmp_path: Path) -> Venue:
    venue = Venue(tmp_path, everybody())
    for table in ("T2", "T1"):
        venue.hub.show(Screen.PUBLIC, TableView(table))
        venue.hub.show(Screen.DIRECTOR, TableView(table, counts=(Counts(Seat.EAST, rack=13, ledge=3),)))
    return venue


def test_tables_as_the_caller_may_see_them(venue: Venue) -> None:
    with venue.client() as client:
        public = client.get("/api/v1/tables").json()
        assert [table["table"] for table in public["tables"]] == ["T1", "T2"]
        assert [table["counts"] for table in public["tables"]] == [[], []]
        (counts,) = client.get("/api/v1/tables/T2", headers=PROGRAM).json()["table"]["counts"]
        assert counts == {"seat": "east", "tiles": 13, "slope": 10, "ledge": 3, "confidence": None}
        assert client.get("/api/v1/tables/T2").json()["table"]["counts"] == []
        assert client.get("/api/v1/tables/T3").json() == {"status_code": 404, "detail": "there is no such table"}
        assert client.get("/api/v1/alerts", headers=PROGRAM).json() == {"now": 0.0, "alerts": []}
        refused = client.get("/api/v1/alerts")
        assert refused.json() == {"status_code": 401, "detail": "only a director may ask for this"}
        assert refused.headers["www-authenticate"] == "Bearer"


def test_what_is_documented_is_what_is_described_is_what_is_served(venue: Venue) -> None:
    with venue.client() as client:
        description = client.get("/api/schema").json()
    described = {(method.upper(), path) for path, item in description["paths"].items() for method in item}
    documented = set(re.findall(r"^\| `(GET|POST) (/api/v1\S*)` ", DOCUMENT.read_text(), re.MULTILINE))
    served = {
        (method, re.sub(r":\w+}", "}", path))
        for path, handler in all_handlers(venue.app)
        for method in handler.http_methods  # type: ignore[attr-defined]
        if path.startswith("/api/v1")
    }
    assert documented == described == served


def test_the_documents_fields_are_the_answers(venue: Venue) -> None:
    with venue.client() as client:
        table = client.get("/api/v1/tables/T1", headers=PROGRAM).json()["table"]
        client.post("/api/v1/clock", headers=PROGRAM, json=started(0))
        turned = {"version": 1, "did": {"what": "extended", "seconds": 60}, "table": "T1"}
        clock = client.post("/api/v1/clock", headers=PROGRAM, json=turned).json()
    text = DOCUMENT.read_text()
    for name in (*table, *table["window"], *table["counts"][0], *clock, *clock["tables"][0]):
        assert f"`{name}`" in text, name


def test_an_answer_is_of_the_shape_that_is_described(venue: Venue) -> None:
    with venue.client() as client:
        description = client.get("/api/schema").json()
        for path in ("/api/v1/tables", "/api/v1/alerts", "/api/v1/clock"):
            answer = description["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
            schema = {**answer, "components": description["components"]}
            jsonschema.validate(client.get(path, headers=PROGRAM).json(), schema)


def started(version: int, **more: object) -> dict[str, object]:
    return {"version": version, "did": {"what": "started", "round": 2, "length_s": 3000, "hands": 4}, **more}


def test_a_program_turns_the_clock_once_and_everybody_reads_it(venue: Venue) -> None:
    with venue.client() as client:
        nothing = client.get("/api/v1/clock").json()
        assert (nothing["running"], nothing["version"], nothing["ends"]) == ("none", 0, None)
        venue.host_s = 100.0
        clock = client.post("/api/v1/clock", headers=PROGRAM, json=started(0)).json()
        assert (clock["running"], clock["round"], clock["hands"], clock["version"]) == ("running", 2, 4, 1)
        assert (clock["left"], clock["ends"], clock["tables"]) == (3000.0, 3100.0, [])
        late = client.post("/api/v1/clock", headers=PROGRAM, json=started(0))
        assert (late.status_code, late.json()["detail"]) == (
            409,
            "Meanwhile program started round 2 of 50 min and 4 hands.",
        )
        wrong = client.post("/api/v1/clock", headers=PROGRAM, json=started(1))
        assert (wrong.status_code, wrong.json()["detail"]) == (409, "The clock is running.")
        more = {"version": 1, "did": {"what": "extended", "seconds": 300}, "table": "T2", "words": "A tile fell."}
        assert client.post("/api/v1/clock", headers=PROGRAM, json=more).status_code == 200
        venue.host_s = 3150.0
        clock = client.get("/api/v1/clock").json()
        assert (clock["left"], clock["ends"]) == (-50.0, 3100.0)
        assert clock["tables"] == [{"table": "T2", "added": 300.0, "left": 250.0, "ends": 3400.0}]
    assert [(note.author, note.table, note.reason) for note in venue.notes] == [
        ("program", "", "started round 2 of 50 min and 4 hands"),
        ("program", "T2", "A tile fell."),
    ]


@pytest.mark.parametrize(
    ("token", "sent", "status"),
    [
        ("token 3", {}, 400),
        ("token 3", started(0, author="Ada"), 400),
        ("token 3", {"version": 0, "did": {"what": "extended", "seconds": 60, "alert": "T1-wrong_count-1"}}, 400),
        ("token 3", {"version": 0, "did": {"what": "started", "round": 1, "length_s": -1, "hands": 1}}, 400),
        ("token 3", {"version": 0, "did": {"what": "paused"}, "table": "T9"}, 409),
        ("token 1", started(0), 403),
        ("token 5", started(0), 403),
        ("token 4", started(0), 401),
        ("", started(0), 401),
    ],
)
def test_a_turn_of_the_clock_that_is_none_changes_nothing(
    venue: Venue, token: str, sent: dict[str, object], status: int
) -> None:
    bound = Device(name="scorer at 1", role=Role.SCORER, sha256=digest_of("token 5"), table="T1")
    book = venue.door.file.book()
    venue.door.file.write(replace(book, devices=(*book.devices, bound)))
    with venue.client() as client:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        assert client.post("/api/v1/clock", headers=headers, json=sent).status_code == status
    assert venue.notes == []


@pytest.mark.parametrize("headers", [{}, PROGRAM, {"authorization": "Bearer token 4"}], ids=["none", "right", "wrong"])
def test_no_request_makes_it_fail(venue: Venue, headers: dict[str, str]) -> None:
    described: Any = schemathesis.openapi.from_asgi("/api/schema", venue.app)
    for operation in described.get_all_operations():

        @given(case=operation.ok().as_strategy())
        @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None)
        def ask(case: Any) -> None:
            case.validate_response(case.call(headers=headers), checks=[schemathesis.checks.not_a_server_error])

        ask()
