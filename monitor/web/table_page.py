"""The page of one table for the director: as it is now, and what a referee sees that no sensor does.

Owns the addresses of the page, of its stream and of its form. A table is drawn once a second while somebody looks at
it, and not at all otherwise. What is said goes to the chair, which writes it down with its author before it counts.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, Final

import msgspec
from litestar import MediaType, Request, Response, Router, get, post
from litestar.params import FromPath
from litestar.response import Redirect, Stream
from msgspec import Struct

from firmware_bridge.messages import Input, InputName
from monitor.access.roles import Role
from monitor.acts import Declarer
from monitor.chair import Done
from monitor.events import SEATS, Claim, HandEnd, Seat
from monitor.web.access_pages import author_of, proof_of
from monitor.web.guards import least, still_may
from monitor.web.pages import Screen, template
from monitor.web.refusals import refusal
from monitor.web.sources import Sources
from monitor.web.table_parts import Moment, moment
from monitor.web.words import say, script_words

AnyRequest = Request[Any, Any, Any]
EVERY_S: Final = 1.0
"""How often a table that is looked at is drawn."""
MAX_WATCHERS: Final = 30
"""Open pages of this kind; our choice: drawing one table takes about 15 ms of each second."""

_encode = msgspec.json.Encoder().encode


class Answer(Struct, frozen=True):
    """What became of an input."""

    done: bool
    text: str


class Form(Struct, frozen=True, kw_only=True):
    """An input as the page's forms send it; what was left open is absent."""

    said: InputName
    seat: Seat | None = None
    claim: Claim | None = None
    discard_by: Seat | None = None
    by: Declarer | None = None
    how: HandEnd | None = None
    other: Seat | None = None

    @property
    def input(self) -> Input:
        """As it goes to the table."""
        return Input(
            input=self.said,
            by=self.by,
            how=self.how,
            claim=self.claim,
            discard_by=self.discard_by,
            other=self.other,
        )


class Watching:
    """The tables that somebody looks at: each is drawn once for all who do."""

    def __init__(self, sources: Sources) -> None:
        """Nobody looks yet."""
        self._sources = sources
        self._watchers = 0
        self._drawn: dict[str, Moment] = {}

    def full(self) -> bool:
        """Whether no further page can be taken."""
        return self._watchers >= MAX_WATCHERS

    def knows(self, table: str) -> bool:
        """Whether there is such a table."""
        return table in self._sources.histories and self._sources.hub.view(Screen.DIRECTOR, table) is not None

    def now(self, table: str) -> Moment:
        """The table as it is, or was less than a second ago. Raises `KeyError` where there is none."""
        hub = self._sources.hub
        now_s, drawn = hub.now(), self._drawn.get(table)
        if drawn is None or not 0.0 <= now_s - drawn.now_s < 0.9 * EVERY_S:
            view, history = hub.view(Screen.DIRECTOR, table), self._sources.histories[table]
            if view is None:
                raise KeyError(table)
            drawn = self._drawn[table] = moment(view, history.hand, history.all, now_s, hub.time)
        return drawn

    async def stream(self, table: str, may: Callable[[], bool]) -> AsyncIterator[bytes]:
        """Server-sent events: all parts once, then each second those that changed, until the viewer `may` no more."""
        sent: dict[str, str] = {}
        with self._watched():
            yield b"retry: 1000\n\n"
            while may():
                now = self.now(table)
                changed = {name: part for name, part in now.parts.items() if sent.get(name) != part}
                yield b"event: moment\ndata: %s\n\n" % _encode(Moment(now.now_s, changed))
                sent = now.parts
                if self._sources.hub.closed:
                    return
                await asyncio.sleep(EVERY_S)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        self._watchers += 1
        try:
            yield
        finally:
            self._watchers -= 1
            if not self._watchers:
                self._drawn.clear()


def table_routes(sources: Sources) -> Router:
    """The routes."""
    watching = Watching(sources)

    @get("/table/{table:str}", media_type=MediaType.HTML, sync_to_thread=False)
    def show(request: AnyRequest, table: FromPath[str]) -> Response[str]:
        if not watching.knows(table):
            return no_such_table()
        return Response(render_table(request, table, watching.now(table)))

    @get("/stream/table/{table:str}", sync_to_thread=False)
    def stream(request: AnyRequest, table: FromPath[str]) -> Response[Any]:
        if not watching.knows(table):
            return no_such_table()
        if watching.full():
            return Response("too many open pages", status_code=503, media_type=MediaType.TEXT)
        frames = watching.stream(table, still_may(request, sources.entrance.door, Role.DIRECTOR))
        return Stream(frames, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})

    @post("/table/{table:str}/say")
    async def tell(request: AnyRequest, table: FromPath[str]) -> Response[Any]:
        if not watching.knows(table):
            return no_such_table()
        sent = await request.form()
        try:
            form = msgspec.convert({name: value for name, value in sent.items() if value}, Form)
        except msgspec.ValidationError:
            return _answered(request, table, Answer(done=False, text=say("input.bad")), 400)
        done = await sources.chair.say(author_of(request.user), table, form.input, form.seat)
        if isinstance(done, Done):
            written = say("input.done", record=done.record)
            return _answered(request, table, Answer(done=True, text=f"{written} {done.text}".strip()), 200)
        return _answered(request, table, Answer(done=False, text=done.text), 409)

    return Router("/", route_handlers=[show, stream, tell], opt=least(Role.DIRECTOR), include_in_schema=False)


def render_table(request: AnyRequest, table: str, now: Moment) -> str:
    """The whole page with the table as it is now."""
    return template("table.html").render(
        table=table,
        title=say("table", name=table),
        foot=say("foot.director", version=version("rackwatch")),
        script_words=script_words(),
        proof=proof_of(request),
        parts=now.parts,
        seats=tuple(SEATS),
        claims=tuple(Claim),
        endings=tuple(HandEnd),
        declarers=(Declarer.DIRECTOR, *(one for one in Declarer if one is not Declarer.DIRECTOR)),
    )


def no_such_table() -> Response[str]:
    """A page that says so."""
    return refusal(say("table.unknown"), say("table.unknown.advice"), status_code=404)


def _answered(request: AnyRequest, table: str, answer: Answer, status_code: int) -> Response[Any]:
    """To the page's script as JSON; to a browser without one the page anew, or why not."""
    if "application/json" in request.headers.get("accept", ""):
        return Response(answer, status_code=status_code, media_type=MediaType.JSON)
    if answer.done:
        return Redirect(f"/table/{table}", status_code=303)
    return refusal(say("input.refused"), answer.text, status_code=status_code)
