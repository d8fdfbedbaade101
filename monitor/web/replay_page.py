"""Pages of a table's earlier hands: the list of them, and one played back with a slider.

Owns addresses and what a moment of a stored hand shows: the same parts as the table's own page, at that moment. Refuses
to know the log (`hand_shelf`) and how a hand is laid out (`monitor.timeline`). Which tile it was is never shown.
"""

import asyncio
from datetime import UTC, datetime
from importlib.metadata import version
from math import isfinite
from typing import Annotated, Any, Final

from litestar import MediaType, Response, Router, get
from litestar.params import FromPath, FromQuery, QueryParameter
from msgspec import Struct

from monitor.access.roles import Role
from monitor.alerts import Alert
from monitor.errors import LogError
from monitor.playback import SPEEDS
from monitor.standing import StandingEvents
from monitor.stored_hand import StoredHand
from monitor.tally import HandSummary
from monitor.web.guards import least
from monitor.web.hand_shelf import HandList, Shelf
from monitor.web.pages import template
from monitor.web.refusals import refusal
from monitor.web.sources import Sources
from monitor.web.table_page import no_such_table
from monitor.web.table_parts import Moment, moment
from monitor.web.words import say, script_words
from monitor.wording import time_of_day

_SPEEDS: Final = tuple(f"{speed:g}" for speed in SPEEDS if speed >= 0.5)  # slower is of no use here


class At(Struct, frozen=True):
    """A moment of a hand. `s`: seconds since it began; `clock`: the time of day."""

    s: float
    clock: str
    moment: Moment


class HandLine(Struct, frozen=True):
    """A hand in the list."""

    number: int
    began: str
    length: str
    discards: int
    alerts: int


def replay_routes(sources: Sources) -> Router:
    """The routes."""
    shelf = Shelf(sources.place, sources.audiences, sources.hub.now)

    @get("/table/{table:str}/hands", media_type=MediaType.HTML)
    async def hands(
        table: FromPath[str], before: Annotated[int | None, QueryParameter(ge=0, le=1 << 53)] = None
    ) -> Response[str]:
        if table not in sources.audiences:
            return no_such_table()
        try:
            return Response(render_hands(table, await shelf.listed(table, before)))
        except LogError:
            return _unreadable()

    @get("/table/{table:str}/hands/{hand:int}", media_type=MediaType.HTML)
    async def play(table: FromPath[str], hand: FromPath[int]) -> Response[str]:
        stored = await _taken(shelf, sources, table, hand)
        return stored if isinstance(stored, Response) else Response(render_replay(stored))

    @get("/table/{table:str}/hands/{hand:int}/at")
    async def at(table: FromPath[str], hand: FromPath[int], s: FromQuery[float] = 0.0) -> Response[Any]:
        if not isfinite(s):
            return Response("s is no moment", status_code=400, media_type=MediaType.TEXT)
        stored = await _taken(shelf, sources, table, hand)
        if isinstance(stored, Response):
            return stored
        return Response(await asyncio.to_thread(moment_of, stored, s), media_type=MediaType.JSON)

    return Router("/", route_handlers=[hands, play, at], opt=least(Role.DIRECTOR), include_in_schema=False)


def moment_of(stored: StoredHand, s: float) -> At:
    """What was seen `s` seconds after the hand began, or as near to that as the hand reaches."""
    timeline, clock = stored.timeline, time_of_day(stored.ahead_s)
    at_s = min(max(timeline.began_s + s, timeline.began_s), timeline.ended_s)
    events = StandingEvents()
    for one in timeline.moments:
        if one.at_s > at_s:
            break
        for record in one.records:
            if not isinstance(record, Alert):
                events.take(record)
    standing = events.standing
    shown = moment(timeline.view(at_s), standing, standing, at_s, clock)
    return At(round(at_s - timeline.began_s, 1), clock(at_s)[:8], shown)


def render_replay(stored: StoredHand) -> str:
    """The page, at the hand's beginning."""
    timeline = stored.timeline
    return template("replay.html").render(
        table=stored.table,
        hand=stored.hand,
        title=say("replay.title", table=stored.table, number=stored.hand),
        foot=say("foot.director", version=version("rackwatch")),
        script_words=script_words(),
        length_s=round(timeline.ended_s - timeline.began_s + 0.05, 1),
        alerts_s=[round(at_s - timeline.began_s + 0.05, 1) for at_s in timeline.alerts_s],
        speeds=_SPEEDS,
        parts=moment_of(stored, 0.0).moment.parts,
    )


def render_hands(table: str, listed: HandList) -> str:
    """The list."""
    return template("hands.html").render(
        table=table,
        title=say("hands.title", table=table),
        foot=say("foot.director", version=version("rackwatch")),
        script_words=script_words(),
        hands=[_line(hand) for hand in listed.hands],
        before=listed.before,
    )


def _line(hand: HandSummary) -> HandLine:
    began = hand.began_utc_s
    return HandLine(
        hand.hand,
        say("table.none") if began is None else f"{datetime.fromtimestamp(began, UTC).astimezone():%Y-%m-%d %H:%M}",
        say("script.minutes", minutes=int(hand.length_s // 60), seconds=f"{int(hand.length_s % 60):02d}"),
        hand.discards,
        hand.alerts,
    )


async def _taken(shelf: Shelf, sources: Sources, table: str, hand: int) -> StoredHand | Response[str]:
    """The hand, or the page that says why not."""
    if table not in sources.audiences:
        return no_such_table()
    try:
        stored = await shelf.hand(table, hand)
    except LogError:
        return _unreadable()
    if stored is None:
        return refusal(say("hands.unknown"), say("hands.unknown.advice"), status_code=404)
    return stored


def _unreadable() -> Response[str]:
    return refusal(say("hands.unreadable"), say("hands.unreadable.advice"), status_code=503)
