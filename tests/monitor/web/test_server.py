import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar import Request
from litestar.testing import RequestFactory, TestClient

from monitor.errors import PortInUseError
from monitor.events import Seat
from monitor.view import Counts, TableView
from monitor.web import server
from monitor.web.hub import MAX_LISTENERS, Hub
from monitor.web.locality import is_local
from monitor.web.pages import Screen
from monitor.web.server import listen
from tests.monitor.web.venue import Venue

STATIC = Path(server.__file__).with_name("static")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient[Any]]:
    venue = Venue(tmp_path)
    venue.hub.show(Screen.PUBLIC, TableView("T1"))
    venue.hub.show(Screen.DIRECTOR, TableView("T1", counts=(Counts(Seat.EAST, rack=13),)))
    with venue.client() as client:
        yield client


def test_the_floor_is_for_all_and_shows_no_counts(client: TestClient[Any]) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert ">13<" not in page.text
    assert "T1" in page.text


@pytest.mark.parametrize("path", ["/", "/director", "/static/floor.js", "/absent"])
def test_every_answer_carries_the_policy(client: TestClient[Any], path: str) -> None:
    headers = client.get(path).headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", ["%00", "floor.js%00", "x" * 5000, "", "absent.js", "..%2fserver.py", "a/b"])
def test_a_file_that_cannot_be_is_not_found(client: TestClient[Any], name: str) -> None:
    answer = client.get(f"/static/{name}")
    assert answer.status_code == 404
    assert "monitor" not in answer.text


def test_our_own_files_are_served(client: TestClient[Any]) -> None:
    for file in STATIC.iterdir():
        assert client.get(f"/static/{file.name}").content == file.read_bytes()


@pytest.mark.parametrize("path", ["/director", "/stream/director"])
def test_the_directors_view_is_refused_from_elsewhere(client: TestClient[Any], path: str) -> None:
    answer = client.get(path, headers={"host": "evil.example"})
    assert answer.status_code == 403
    assert "this machine alone" in answer.text
    assert ">13<" not in answer.text


def request(peer: str, server: str, host: str, **headers: str) -> Request[Any, Any, Any]:
    made = RequestFactory().get("/director", headers={"host": host, **headers})
    made.scope["client"] = (peer, 40000)
    made.scope["server"] = (server, 8107)
    return made


@pytest.mark.parametrize(
    ("peer", "server", "host", "local"),
    [
        ("127.0.0.1", "127.0.0.1", "127.0.0.1:8107", True),
        ("127.0.0.1", "127.0.0.1", "localhost:8107", True),
        ("::1", "::1", "[::1]:8107", True),
        ("192.168.1.5", "192.168.1.2", "192.168.1.2:8107", False),
        ("127.0.0.1", "192.168.1.2", "127.0.0.1:8107", False),
        ("127.0.0.1", "127.0.0.1", "evil.example:8107", False),
        ("192.168.1.5", "127.0.0.1", "127.0.0.1:8107", False),
        ("127.0.0.1", "127.0.0.1", "", False),
        ("127.0.0.1", "127.0.0.1", "LOCALHOST:8107", True),
        ("127.0.0.1", "127.0.0.1", "Localhost", True),
        ("127.0.0.1", "127.0.0.1", "127.0.0.1:", True),
        ("::1", "::1", "[::1]", True),
        ("::1", "::1", "[::1]evil.com", False),
        ("::1", "::1", "[::1]evil.com:8107", False),
        ("::1", "::1", "[::1]:8107.evil.com", False),
        ("::1", "::1", "[[::1]]:8107", False),
        ("127.0.0.1", "127.0.0.1", "localhost:evil.com", False),
        ("127.0.0.1", "127.0.0.1", "127.0.0.1:8107:8107", False),
    ],
)
def test_who_is_local(peer: str, server: str, host: str, *, local: bool) -> None:
    assert is_local(request(peer, server, host)) is local


@pytest.mark.parametrize("header", ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"])
def test_who_asks_for_somebody_else_is_not_local(header: str) -> None:
    assert is_local(request("127.0.0.1", "127.0.0.1", "127.0.0.1:8107"))
    assert not is_local(request("127.0.0.1", "127.0.0.1", "127.0.0.1:8107", **{header: "192.168.1.5"}))


def test_too_many_pages_are_told_so(client: TestClient[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hub, "full", lambda self: True)
    assert client.get("/stream/public").status_code == 503
    assert MAX_LISTENERS > 0


def test_a_port_that_is_taken_is_said_so() -> None:
    with listen("127.0.0.1", 0) as first:
        first.listen()
        port = first.getsockname()[1]
        with pytest.raises(PortInUseError, match=rf"127\.0\.0\.1:{port} .*set \[web\] port"):
            listen("127.0.0.1", port)
    with pytest.raises(PortInUseError):
        listen("192.0.2.1", 8107)
    assert isinstance(first, socket.socket)
