"""The pages of a venue with everybody in it: one of each role, and those who may no more. No socket.

Passwords are hashed once. Streams end after their first frames, for the hub is closed.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any, Final

from litestar.testing import TestClient
from msgspec.structs import replace

from bench.web import bare_sources
from monitor.access.book import Book, Device, Person, without
from monitor.access.door import Door
from monitor.access.opening import Entrance
from monitor.access.passwords import hash_of
from monitor.access.roles import Role
from monitor.access.sessions import Lifetimes
from monitor.access.tokens import digest_of
from monitor.chair import Chair
from monitor.web.hub import Hub
from monitor.web.server import make_app

LIFETIMES: Final = Lifetimes(idle_s=3600.0, person_s=7200.0, device_s=86_400.0)
PASSWORD: Final = "four words are good"
LOCAL: Final = "http://127.0.0.1:8107"


@cache
def hashed() -> str:
    return hash_of(PASSWORD)


def everybody() -> Book:
    return Book(
        people=tuple(
            Person(name=name, role=role, password=hashed())
            for name, role in (("Sue", Role.SCORER), ("Dora", Role.DIRECTOR), ("Ada", Role.ADMIN))
        ),
        devices=(
            Device(name="tablet 1", role=Role.CLUB, sha256=digest_of("token 1"), table="T1"),
            Device(name="tablet 2", role=Role.CLUB, sha256=digest_of("token 2"), table="T2"),
            Device(name="program", role=Role.DIRECTOR, sha256=digest_of("token 3")),
        ),
    )


class Venue:
    """Door, hub and application; `now_s` is what time the door believes it is."""

    def __init__(
        self,
        folder: Path,
        book: Book | None = None,
        *,
        loopback: bool = True,
        https: bool = False,
        chair: Chair | None = None,
    ) -> None:
        self.now_s = 1_800_000_000.0
        self.door = Door(folder / "access.json", LIFETIMES, lambda: self.now_s, loopback=loopback)
        if book is not None:
            self.door.file.write(book)
        self.hub = Hub(lambda: 0.0)
        self.hub.close()
        self.entrance = Entrance(self.door, bytes(range(32)), https)
        sources = replace(bare_sources(self.hub), entrance=self.entrance)
        self.app = make_app(sources if chair is None else replace(sources, chair=chair))

    def client(self, base_url: str = LOCAL) -> TestClient[Any]:
        client = TestClient(self.app, base_url=base_url)
        client.follow_redirects = False
        return client

    def revoke(self, name: str) -> None:
        self.door.file.write(without(self.door.file.book(), name))


def proof(client: TestClient[Any], page: str = "/with") -> str:
    """What a form of ours carries."""
    found = re.search(r'name="_csrf_token" value="([0-9a-f]+)"', client.get(page).text)
    assert found is not None
    return found[1]


def sign_in(client: TestClient[Any], name: str, password: str = PASSWORD, to: str = "") -> Any:
    form = {"_csrf_token": proof(client), "name": name, "password": password, "to": to}
    return client.post("/sign-in", data=form)


def scan(client: TestClient[Any], token: str) -> Any:
    return client.post("/with", data={"_csrf_token": proof(client), "token": token})
