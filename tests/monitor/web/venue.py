"""The pages of a venue with everybody in it: one of each role, and those who may no more. No socket.

The chair's log is at once durable, and in memory. Passwords are hashed once. Streams
end after their first frames, for the hub is closed.
"""

import re
from collections.abc import Sequence
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
from monitor.audience import Audience
from monitor.chair import Chair
from monitor.docket import Docket
from monitor.history import Histories
from monitor.log.notes import Note
from monitor.log.reader import Run
from monitor.log.scribe import Logged
from monitor.resuming import Resumed
from monitor.round_clock import RoundClock
from monitor.web.hub import Hub
from monitor.web.round_face import follow
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
    """Door, hub, chair and application. What time it is: `now_s` for the door, `host_s` for hub and chair."""

    def __init__(
        self, folder: Path, book: Book | None = None, *, loopback: bool = True, https: bool = False, **more: Any
    ) -> None:
        """`more`: other sources than a venue without a log and a chair has."""
        self.now_s = 1_800_000_000.0
        self.door = Door(folder / "access.json", LIFETIMES, lambda: self.now_s, loopback=loopback)
        if book is not None:
            self.door.file.write(book)
        self.host_s = 0.0
        self.hub = Hub(lambda: self.host_s)
        self.hub.close()
        self.notes: list[Note] = []
        resumed = Resumed(Docket(), RoundClock(), Run(1, 1_000_000_000_000_000, 0.0, "test"))
        audiences = {"T1": Audience(), "T2": Audience()}
        self.chair = Chair(audiences, resumed, self.write, lambda _received: None, lambda: self.host_s)
        follow(self.chair, self.hub.show_round)
        self.entrance = Entrance(self.door, bytes(range(32)), https)
        self.histories = Histories(["T1"])
        sources = replace(bare_sources(self.hub), entrance=self.entrance, chair=self.chair, histories=self.histories)
        self.app = make_app(replace(sources, **more))

    def client(self, base_url: str = LOCAL) -> TestClient[Any]:
        client = TestClient(self.app, base_url=base_url)
        client.follow_redirects = False
        return client

    async def write(self, table: str, notes: Sequence[Note]) -> None:
        """Notes that are durable now."""
        for note in notes:
            self.notes.append(note)
            self.chair.take([Logged(len(self.notes), table, 0, note)])

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
