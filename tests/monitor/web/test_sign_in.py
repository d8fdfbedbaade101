"""Signing in and out: forms, devices, cookies, guesses, and what becomes of a session when its right goes."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from litestar import Request
from litestar.testing import RequestFactory, TestClient

from monitor.access.book import with_password
from monitor.access.roles import Role
from monitor.web.cookies import keep_session
from monitor.web.guards import still_may
from monitor.web.hub import Hub
from monitor.web.pages import Screen
from monitor.web.streaming import streamed
from tests.monitor.web.venue import Venue, everybody, proof, scan, sign_in


@pytest.fixture
def venue(tmp_path: Path) -> Venue:
    return Venue(tmp_path, everybody())


def test_a_director_signs_in_where_she_was_going_and_out_again(venue: Venue) -> None:
    with venue.client() as client:
        sent = client.get("/director", headers={"accept": "text/html,*/*"})
        assert (sent.status_code, sent.headers["location"]) == (303, "/sign-in?to=%2Fdirector")
        form = client.get(sent.headers["location"])
        assert 'name="to" value="/director"' in form.text
        answer = sign_in(client, " dora ", to="/director")
        assert (answer.status_code, answer.headers["location"]) == (303, "/director")
        cookie = answer.headers["set-cookie"]
        assert re.search(r"HttpOnly.*SameSite=lax", cookie)
        assert "Secure" not in cookie
        assert client.get("/director").status_code == 200
        assert "Dora" in client.get("/sign-in").text
        copied = dict(client.cookies)
        out = client.post("/sign-out", data={"_csrf_token": proof(client)})
        assert (out.status_code, out.headers["location"]) == (303, "/")
        assert client.get("/director").status_code == 401
        client.cookies.update(copied)
        assert client.get("/director").status_code == 401, "a copy of the cookie is of no use either"


def test_over_https_cookies_go_no_other_way(tmp_path: Path) -> None:
    venue = Venue(tmp_path, everybody(), https=True)
    with venue.client("https://127.0.0.1:8107") as client:
        assert client.get("/").headers["set-cookie"].startswith("__Host-rackwatch-form=")
        cookie = sign_in(client, "Dora").headers["set-cookie"]
        assert cookie.startswith("__Host-rackwatch=")
        assert "Secure" in cookie
        old = client.post("/sign-in", data={"_csrf_token": "0" * 128}).headers["set-cookie"]
        assert re.match(r'__Host-rackwatch-form="";.* Max-Age=0;.* Secure', old)


def test_a_wrong_name_and_a_wrong_password_are_told_alike(venue: Venue) -> None:
    with venue.client() as client:
        wrong, nobody = sign_in(client, "Dora", "five words are no better"), sign_in(client, "Nobody")
        assert (wrong.status_code, nobody.status_code) == (401, 401)
        assert wrong.text.replace("Dora", "Nobody") == nobody.text
        assert "Name and password do not go together" in wrong.text
        assert "five words" not in wrong.text
        assert client.get("/director").status_code == 401


@pytest.mark.parametrize(
    "to", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/a?b", "x", "/%2f/e"]
)
def test_nobody_is_sent_elsewhere_after_signing_in(venue: Venue, to: str) -> None:
    with venue.client() as client:
        assert sign_in(client, "Dora", to=to).headers["location"] == "/director"
        assert sign_in(client, "Sue", to=to).headers["location"] == "/clock"


def test_guesses_are_slowed_down_by_name_and_told_kindly(venue: Venue) -> None:
    with venue.client() as client:
        said = [sign_in(client, "Dora", f"guess number {number}") for number in range(6)]
        assert [one.status_code for one in said] == [401] * 5 + [429]
        assert "Please wait 1 s" in said[-1].text or "Please wait 2 s" in said[-1].text
        assert int(said[-1].headers["retry-after"]) >= 1
        assert sign_in(client, "DORA ").status_code == 429, "the right password waits as well"
        assert sign_in(client, "Ada").status_code == 303, "another name does not"


def test_guesses_are_slowed_down_by_where_they_come_from(venue: Venue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("monitor.web.sign_in.is_password", lambda *_: False)
    with venue.client() as client:
        said = [sign_in(client, f"name {number}").status_code for number in range(21)]
    assert said == [401] * 20 + [429]


def test_a_device_shows_its_token_in_a_form_and_its_address_keeps_nothing(venue: Venue) -> None:
    with venue.client() as client:
        answer = scan(client, "token 1")
        assert (answer.status_code, answer.headers["location"]) == (303, "/club/T1")
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "tablet 1" in client.get("/sign-in").text
        assert "for table T1" in client.get("/sign-in").text
        wrong = scan(client, "token 4")
        assert wrong.status_code == 401
        assert "token 4" not in wrong.text
        assert client.get("/with/token").status_code == 404, "no address takes a token"


@pytest.mark.parametrize("path", ["/sign-in", "/sign-out", "/with"])
def test_a_form_of_another_page_is_refused_and_the_next_one_of_ours_is_good(venue: Venue, path: str) -> None:
    with venue.client() as client:
        client.cookies.set("rackwatch-form", "f" * 128)
        for data in ({}, {"_csrf_token": "f" * 128}, {"_csrf_token": "é" * 128}):
            assert client.post(path, data=data).status_code == 403
        refused = client.post(path, data={"name": "Dora"})
        assert "This form is too old" in refused.text
        assert re.match(r'rackwatch-form="";.* Max-Age=0;', refused.headers["set-cookie"])
        client.cookies.clear()
        assert client.post(path, data={"_csrf_token": proof(client)}).status_code in {303, 401}


def test_a_form_may_be_anything(venue: Venue) -> None:
    with venue.client() as client:
        field = {"_csrf_token": proof(client), "name": "Dora"}
        assert client.post("/sign-in", data=field, files={"password": b"x"}).status_code == 415
        for body in (b"", b"&&==", b"_csrf_token", b"%ff%fe=%00", b"_csrf_token=%C3%A9" * 20, b"\xff" * 99):
            sent = {"content-type": "application/x-www-form-urlencoded"}
            assert client.post("/sign-in", content=body, headers=sent).status_code == 403
        for kind in ("application/json", "text/plain", "x", ""):
            assert client.post("/sign-in", content=b"{}", headers={"content-type": kind}).status_code == 403
        for name in ("", "\0", "é" * 500, "\ud800".encode("utf-8", "surrogatepass")):
            field = {"_csrf_token": proof(client), "name": name, "password": name}
            assert client.post("/sign-in", data=field).status_code in {401, 429}
        huge = client.post("/sign-in", data={"_csrf_token": proof(client), "name": "x" * (1 << 17)})
        assert huge.status_code == 413


@pytest.mark.parametrize("end", ["revoked", "password", "idle", "absolute"])
def test_a_session_ends_with_its_right(venue: Venue, end: str) -> None:
    with venue.client() as client:
        sign_in(client, "Dora")
        assert client.get("/director").status_code == 200
        match end:
            case "revoked":
                venue.revoke("Dora")
            case "password":
                venue.door.file.write(with_password(venue.door.file.book(), "Dora", "$argon2id$other"))
            case "idle":
                venue.now_s += 3601.0
            case _:
                for _ in range(3):  # used all the time
                    venue.now_s += 2401.0
                    client.get("/director")
        answer = client.get("/director")
        assert answer.status_code == 401
        assert "rackwatch" not in client.cookies


def test_use_keeps_a_session_and_only_then_is_the_cookie_sent_again(venue: Venue) -> None:
    with venue.client() as client:
        sign_in(client, "Dora")
        assert "set-cookie" not in client.get("/director").headers
        venue.now_s += 61.0
        assert "set-cookie" in client.get("/director").headers
        venue.now_s += 3590.0
        assert client.get("/director").status_code == 200


@given(cookie=st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=';,"\\'), max_size=200))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_cookie_is_no_session_and_no_error(client: TestClient[Any], cookie: str) -> None:
    for value in (cookie, f"{cookie}YWRkaXRpb25hbF9hdXRoZW50aWNhdGVkX2RhdGE9e30="):
        sent = {"cookie": f"rackwatch={value}; rackwatch-form={value}"}
        assert client.get("/director", headers=sent).status_code == 401


@pytest.fixture
def client(venue: Venue) -> Any:
    with venue.client() as client:
        yield client


def test_a_director_who_is_revoked_is_sent_nothing_more_of_a_stream(venue: Venue) -> None:
    hub = Hub(lambda: 0.0)
    request: Request[Any, Any, Any] = RequestFactory().get("/stream/director")
    request.scope["session"] = {}
    session = venue.door.begin("Dora", everybody().people[1].password)
    assert session is not None
    keep_session(request, session)

    async def read() -> list[bytes]:
        stream: Any = streamed(hub, hub.stream(Screen.DIRECTOR), still_may(request, venue.door, Role.DIRECTOR))
        frames = [await anext(stream.iterator)]
        venue.revoke("Dora")
        hub.notice("log", "trouble")
        async with asyncio.timeout(5):
            return frames + [frame async for frame in stream.iterator]

    assert len(asyncio.run(read())) == 1
    assert not any(hub._listeners.values())


@pytest.mark.parametrize(
    ("book", "loopback", "status", "says"),
    [
        (None, True, 403, "this machine alone"),
        (None, False, 403, "rackwatch access add"),
        (b"{", True, 403, "rackwatch check"),
        (b"{", False, 403, "rackwatch check"),
    ],
)
def test_where_nobody_can_sign_in_a_page_says_why(
    tmp_path: Path, book: bytes | None, *, loopback: bool, status: int, says: str
) -> None:
    venue = Venue(tmp_path, loopback=loopback)
    if book is not None:
        venue.door.file.path.write_bytes(book)
    with venue.client() as client:
        for path in ("/director", "/stream/director"):
            answer = client.get(path, headers={"accept": "text/html"})
            assert answer.status_code == status
            assert says in answer.text
        assert client.get("/").status_code == 200
