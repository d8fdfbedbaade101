"""Every route × everybody, compared with one table; and that no route without a role can be."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar, get, post
from litestar.exceptions import ImproperlyConfiguredException
from litestar.testing import TestClient

from monitor.access.roles import Role
from monitor.view import TableView
from monitor.web.cookies import cookie_middleware
from monitor.web.guards import LEAST, all_handlers, check_roles, guard_for, least
from monitor.web.pages import Screen
from monitor.web.refusals import refusals
from tests.monitor.web.venue import Venue, everybody, proof, scan, sign_in

TABLE = """
route                            public club club2 scorer director admin expired revoked wrong program
GET  /                           200    200  200   200    200      200   200     200     200   200
GET  /director                   401    403  403   403    200      200   401     401     401   401
GET  /director/tables            401    403  403   403    200      200   401     401     401   401
POST /director/acts              401    403  403   403    400      400   401     401     401   401
GET  /stream/console             401    403  403   403    200      200   401     401     401   401
GET  /stream/public              200    200  200   200    200      200   200     200     200   200
GET  /stream/director            401    403  403   403    200      200   401     401     401   401
GET  /table/{table:str}          401    403  403   403    404      404   401     401     401   401
GET  /table/{table:str}/hands    401    403  403   403    404      404   401     401     401   401
GET  /table/{table:str}/hands/{hand:int}     401 403 403 403 404 404 401 401 401 401
GET  /table/{table:str}/hands/{hand:int}/at  401 403 403 403 404 404 401 401 401 401
GET  /stream/table/{table:str}   401    403  403   403    404      404   401     401     401   401
POST /table/{table:str}/say      401    403  403   403    404      404   401     401     401   401
GET  /static/{file_path:path}    200    200  200   200    200      200   200     200     200   200
HEAD /static/{file_path:path}    200    200  200   200    200      200   200     200     200   200
GET  /sign-in                    200    200  200   200    200      200   200     200     200   200
POST /sign-in                    401    401  401   401    401      401   401     401     401   401
POST /sign-out                   303    303  303   303    303      303   303     303     303   303
GET  /with                       200    200  200   200    200      200   200     200     200   200
POST /with                       401    401  401   401    401      401   401     401     401   401
GET  /privacy                    200    200  200   200    200      200   200     200     200   200
GET  /clock                      401    403  403   200    200      200   401     401     401   401
POST /clock                      401    403  403   400    400      400   401     401     401   401
GET  /stream/clock               401    403  403   200    200      200   401     401     401   401
GET  /club/{table:str}           401    404  403   404    404      404   401     401     401   401
GET  /stream/club/{table:str}    401    404  403   404    404      404   401     401     401   401
GET  /api/v1/clock               200    200  200   200    200      200   200     200     401   200
POST /api/v1/clock               401    401  401   401    401      401   401     401     401   400
GET  /api/v1/tables              200    200  200   200    200      200   200     200     401   200
GET  /api/v1/tables/{table:str}  404    404  404   404    404      404   404     404     401   404
GET  /api/v1/alerts              401    403  403   403    200      200   401     401     401   200
POST /api/v1/alerts/{alert:str}/acts 401 401 401   401    401      401   401     401     401   400
GET  /api/schema                 200    200  200   200    200      200   200     200     401   200
GET  /api/schema/openapi.json    200    200  200   200    200      200   200     200     401   200
GET  /api/schema/{path:str}      404    404  404   404    404      404   404     404     401   404
"""
"""`club2`: of another table than T1; `expired`, `revoked`: a director once; `wrong`, `program`: by a token in a header.

A header's token counts for the API alone; there a wrong one is told, and not taken for the public.
"""
_HEAD, *_ROWS = [line.split() for line in TABLE.strip().splitlines()]
CALLERS = _HEAD[1:]
EXPECTED = {(row[0], row[1]): dict(zip(CALLERS, map(int, row[2:]), strict=True)) for row in _ROWS}


def expired(venue: Venue, client: TestClient[Any]) -> None:
    sign_in(client, "Dora")
    venue.now_s += 3601.0


def revoked(venue: Venue, client: TestClient[Any]) -> None:
    sign_in(client, "Dora")
    venue.revoke("Dora")


def shows(token: str) -> Callable[[Venue, TestClient[Any]], None]:
    return lambda _, client: client.headers.update({"authorization": f"Bearer {token}"})


BECOME: dict[str, Callable[[Venue, TestClient[Any]], Any]] = {
    "public": lambda venue, client: None,
    "club": lambda venue, client: scan(client, "token 1"),
    "club2": lambda venue, client: scan(client, "token 2"),
    "scorer": lambda venue, client: sign_in(client, "Sue"),
    "director": lambda venue, client: sign_in(client, "Dora"),
    "admin": lambda venue, client: sign_in(client, "Ada"),
    "expired": expired,
    "revoked": revoked,
    "wrong": shows("token 4"),
    "program": shows("token 3"),
}


def ask(client: TestClient[Any], method: str, route: str) -> int:
    path = (
        route.replace("{file_path:path}", "floor.js")
        .replace("{table:str}", "T1")
        .replace("{hand:int}", "1")
        .replace("{alert:str}", "none")
        .replace("{path:str}", "none")
    )
    data = {"_csrf_token": proof(client)} if method == "POST" else None
    return int(client.request(method, path, data=data).status_code)


@pytest.mark.parametrize("who", CALLERS)
def test_every_route_for(who: str, tmp_path: Path) -> None:
    venue, found = Venue(tmp_path, everybody()), {}
    with venue.client() as client:
        BECOME[who](venue, client)
        for method, route in sorted(EXPECTED, key=lambda key: key[1] == "/sign-out"):
            found[method, route] = ask(client, method, route)
    assert found == {key: row[who] for key, row in EXPECTED.items()}


def test_the_table_has_every_route_and_agrees_with_the_roles_that_they_name(tmp_path: Path) -> None:
    named = {
        (method, path): handler.opt[LEAST]
        for path, handler in all_handlers(Venue(tmp_path).app)
        for method in handler.http_methods  # type: ignore[attr-defined]
    }
    assert set(named) == set(EXPECTED)
    for key, role in named.items():
        for who in Role:
            assert (EXPECTED[key][who] in {401, 403}) == (not who.covers(role)) or key[0] == "POST", (key, who)


def test_a_route_that_names_no_role_is_not_served(tmp_path: Path) -> None:
    @get("/forgotten", sync_to_thread=False)
    def forgotten() -> str:
        return "secret"

    app = Litestar([forgotten], guards=[guard_for(Venue(tmp_path).door)], openapi_config=None)
    with pytest.raises(ImproperlyConfiguredException, match="/forgotten"):
        check_roles(app)
    with TestClient(app) as client:
        assert client.get("/forgotten").status_code == 403


@pytest.mark.parametrize("path", ["/club", "/stream/club"])
@pytest.mark.parametrize(("token", "t1", "t2"), [("token 1", 200, 403), ("token 2", 403, 200), (None, 401, 401)])
def test_a_tables_route_is_for_the_tablet_of_that_table(
    tmp_path: Path, path: str, token: str | None, t1: int, t2: int
) -> None:
    venue = Venue(tmp_path, everybody())
    for table in ("T1", "T2"):
        venue.hub.show(Screen.PUBLIC, TableView(table))
    with venue.client() as client:
        if token is not None:
            scan(client, token)
        assert [client.get(f"{path}/{table}").status_code for table in ("T1", "T2")] == [t1, t2]


@pytest.mark.parametrize("caller", ["director", "public"])
def test_a_request_that_changes_something_through_the_api_needs_a_token(tmp_path: Path, caller: str) -> None:
    venue = Venue(tmp_path, everybody())

    @post("/api/v1/act", opt=least(Role.DIRECTOR), sync_to_thread=False)
    def act() -> None: ...

    app = Litestar(
        [act],
        guards=[guard_for(venue.door)],
        middleware=cookie_middleware(venue.entrance),
        exception_handlers=refusals(venue.door),
    )
    with venue.client() as signed, TestClient(app) as client:
        BECOME[caller](venue, signed)
        client.cookies.update(signed.cookies)
        assert client.post("/api/v1/act").status_code == 401
        assert client.post("/api/v1/act", headers={"authorization": "Bearer token 3"}).status_code == 201
        assert client.post("/api/v1/act", headers={"authorization": "Bearer token 1"}).status_code == 403
        assert client.post("/api/v1/act", headers={"authorization": "Basic token 3"}).status_code == 401
