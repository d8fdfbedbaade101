"""The club screen: one table, on a tablet that stands beside it.

Owns the routes and what is said to the players. It is drawn from the public fold of its table and nothing else: where a
table practises, that fold holds counts and count alerts, and they are shown in plain words that say what to check and
name nobody; anywhere else it never had any, and window and phase are all that is shown.
"""

from typing import Any, Final

from litestar import MediaType, Request, Response, Router, get
from litestar.params import FromPath

from monitor.access.door import Door
from monitor.access.roles import Role
from monitor.alerts import AlertState
from monitor.view import TableView
from monitor.web.guards import least, still_may
from monitor.web.hub import Hub
from monitor.web.pages import Screen, template
from monitor.web.picture import racks
from monitor.web.refusals import refusal
from monitor.web.round_face import RoundFace
from monitor.web.streaming import streamed
from monitor.web.watching import watched
from monitor.web.words import WORDS, say, script_words
from monitor.wording import PHASES, WINDOWS, turn_line, window_line

AnyRequest = Request[Any, Any, Any]
CHECKS_SHOWN: Final = 2
"""Our choice: more than that at once helps nobody."""


def club_routes(hub: Hub, door: Door) -> Router:
    """The routes."""

    @get("/club/{table:str}", media_type=MediaType.HTML, sync_to_thread=False)
    def show(table: FromPath[str]) -> Response[str]:
        view = hub.view(Screen.PUBLIC, table)
        if view is None:
            return _no_table()
        page = template("club_page.html").render(
            title=say("table", name=table),
            stream=f"/stream/club/{table}",
            shown=render_club(view, hub.round, now_s=hub.now()),
            script_words=script_words(),
        )
        return Response(page)

    @get("/stream/club/{table:str}", sync_to_thread=False)
    def stream(request: AnyRequest, table: FromPath[str]) -> Response[Any]:
        if hub.view(Screen.PUBLIC, table) is None:
            return _no_table()

        def draw() -> str:
            return render_club(hub.view(Screen.PUBLIC, table) or TableView(table), hub.round)

        frames = watched(hub.watchers, (table, ""), draw, hub.time_frame)
        return streamed(hub, frames, still_may(request, door, Role.CLUB))

    return Router("/", route_handlers=[show, stream], opt=least(Role.CLUB), include_in_schema=False)


def render_club(view: TableView, face: RoundFace, *, now_s: float | None = None) -> str:
    """What the screen shows of a public view. `now_s`: the host's seconds; `None`: the page puts times in itself."""
    return template("club.html").render(
        view=view,
        face=face,
        now_s=now_s,
        ends_s=face.ends_s(view.table),
        phase=PHASES[view.phase],
        turn=turn_line(view),
        window=WINDOWS[view.window.state],
        window_line=window_line(view),
        practice=bool(view.counts),
        racks=racks(view),
        checks=checks(view),
    )


def checks(view: TableView) -> list[str]:
    """What the players should look at, newest first; nothing where the table does not practise. No seat is named."""
    if not view.counts:
        return []
    standing = (alert.rule for alert in view.alerts if alert.state is AlertState.RAISED)
    found = dict.fromkeys(WORDS.get(f"club.check.{rule}", say("club.check-other")) for rule in standing)
    return list(found)[:CHECKS_SHOWN]


def _no_table() -> Response[str]:
    return refusal(say("club.no-table"), say("club.no-table-advice"), status_code=404)
