"""The JSON API: what it says, that its description is what is served and documented, and that nothing breaks it."""

import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings

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
    text = DOCUMENT.read_text()
    for name in (*table, *table["window"], *table["counts"][0]):
        assert f"`{name}`" in text, name


def test_an_answer_is_of_the_shape_that_is_described(venue: Venue) -> None:
    with venue.client() as client:
        description = client.get("/api/schema").json()
        for path in ("/api/v1/tables", "/api/v1/alerts"):
            answer = description["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
            schema = {**answer, "components": description["components"]}
            jsonschema.validate(client.get(path, headers=PROGRAM).json(), schema)


@pytest.mark.parametrize("headers", [{}, PROGRAM, {"authorization": "Bearer token 4"}], ids=["none", "right", "wrong"])
def test_no_request_makes_it_fail(venue: Venue, headers: dict[str, str]) -> None:
    described: Any = schemathesis.openapi.from_asgi("/api/schema", venue.app)
    for operation in described.get_all_operations():

        @given(case=operation.ok().as_strategy())
        @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None)
        def ask(case: Any) -> None:
            case.validate_response(case.call(headers=headers), checks=[schemathesis.checks.not_a_server_error])

        ask()
