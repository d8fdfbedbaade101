"""The page on which a scorer runs the round: start, pause, go on, more time for one table or all, end.

Owns the routes and what the page shows. An act goes through the chair with the version that its author saw; whoever
comes second is told what the first did, and nothing is done twice. All of it works as plain forms; with a script the
page follows the clock by itself. Directors' words about a ruling are not shown here: a scorer may not know of counts.
"""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from typing import Any, Final

from litestar import MediaType, Request, Response, Router, get, post
from litestar.response import Redirect
from msgspec import Struct

from monitor.access.door import Caller, Door
from monitor.access.roles import Role
from monitor.chair import Chair, Done
from monitor.round_clock import ClockConflict, RoundClock, Running
from monitor.web.access_pages import author_of, proof_of
from monitor.web.clock_acts import Unreadable, wanted
from monitor.web.guards import least, still_may
from monitor.web.hub import Hub
from monitor.web.pages import Screen, template
from monitor.web.round_face import RoundFace
from monitor.web.streaming import streamed
from monitor.web.watching import watched
from monitor.web.words import say, script_words
from monitor.wording import clock_words

AnyRequest = Request[Any, Any, Any]
TURNS_SHOWN: Final = 12
FIRST: Final = RoundClock(round=0, length_s=3600.0, hands=4)
"""What the form proposes for the first round; our choice."""


class _Turn(Struct, frozen=True):
    """One line of what was done: at `time` of the day."""

    time: str
    text: str


def clock_routes(hub: Hub, chair: Chair, door: Door) -> Router:
    """The routes."""

    def page(request: AnyRequest, problem: str = "", status_code: int = 200) -> Response[str]:
        caller: Caller = request.user
        proof = proof_of(request) if caller.table is None else ""
        shown = render_clock(hub, hub.round, proof, now_s=hub.now(), may=caller.table is None)
        whole = template("clock_page.html").render(
            title=say("title.clock"),
            stream="/stream/clock",
            shown=shown,
            problem=problem,
            script_words=script_words(),
        )
        return Response(whole, status_code=status_code, media_type=MediaType.HTML)

    @get("/clock", sync_to_thread=False)
    def show(request: AnyRequest) -> Response[str]:
        return page(request)

    @post("/clock")
    async def turn(request: AnyRequest) -> Response[Any]:
        caller: Caller = request.user
        if caller.table is not None:
            return page(request, say("clock.one-table", table=caller.table), 403)
        form = await request.form()
        want = wanted({name: value for name, value in form.items() if isinstance(value, str)})
        if isinstance(want, Unreadable):
            return page(request, want.why, 400)
        match await chair.clock(author_of(caller), want.did, want.version, want.table):
            case Done():
                return Redirect("/clock", status_code=303)
            case ClockConflict(text=text):
                return page(request, say("clock.conflict", text=text), 409)
            case refused:
                return page(request, say("clock.refused", text=refused.text), 409)

    @get("/stream/clock", sync_to_thread=False)
    def stream(request: AnyRequest) -> Response[Any]:
        may_turn = request.user.table is None

        def draw() -> str:
            return render_clock(hub, hub.round, "", may=may_turn)

        frames: AsyncGenerator[bytes, None] = watched(hub.watchers, ("",), draw, hub.time_frame)
        return streamed(hub, frames, still_may(request, door, Role.SCORER))

    return Router("/", route_handlers=[show, turn, stream], opt=least(Role.SCORER), include_in_schema=False)


def render_clock(hub: Hub, face: RoundFace, proof: str, *, may: bool, now_s: float | None = None) -> str:
    """What the page shows. `proof`: of its forms. `may`: whether its viewer may turn the clock.

    `now_s`: the host's seconds; `None`: the page puts times in itself, and its forms' proof.
    """
    clock = face.clock
    last = clock if clock.round else FIRST
    turns = tuple(
        _Turn(_time(turn.utc_s), f"{turn.author} {clock_words(turn.did, turn.table)}")
        for turn in reversed(clock.turns[-TURNS_SHOWN:])
    )
    gap = clock.gap
    return template("clock.html").render(
        face=face,
        clock=clock,
        running=clock.running is Running.RUNNING,
        next_round=last.round + 1,
        minutes=f"{last.length_s / 60:g}",
        hands=last.hands,
        tables=[view.table for view in hub.views(Screen.PUBLIC)],
        turns=turns,
        gap=say("clock.gap", since=_time(gap.since_utc_s), until=_time(gap.until_utc_s)) if gap else "",
        proof=proof,
        may=may,
        now_s=now_s,
    )


def _time(utc_s: float) -> str:
    return f"{datetime.fromtimestamp(utc_s, UTC).astimezone():%H:%M:%S}"
