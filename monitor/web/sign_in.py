"""The entrance: people sign in by name and password, devices by a token that came as a QR code.

Owns the forms' answers and how guesses are slowed down. Refuses to know who may: the door says so. A token stands
behind an address's `#`, which browsers keep to themselves: it is sent as a form, and what stays in the address bar is
the next page.
"""

import asyncio
import math
import re
import time
from collections.abc import Callable
from typing import Any, Final

from litestar import MediaType, Request, Response, Router, get, post
from litestar.exceptions import ClientException
from litestar.response import Redirect

from monitor.access.book import NAME_LONGEST
from monitor.access.brakes import NAME, PEER, Brake
from monitor.access.door import Caller, Door, Standing
from monitor.access.passwords import LONGEST, is_password
from monitor.access.roles import Role
from monitor.web.access_pages import render_device, render_sign_in, render_signed_in
from monitor.web.cookies import keep_session, session_of
from monitor.web.guards import least
from monitor.web.refusals import nobody_signs_in
from monitor.web.words import say

AnyRequest = Request[Any, Any, Any]
HASHING_AT_ONCE: Final = 2
"""Each takes 64 MiB; our choice."""
_OUR_PATH: Final = re.compile(r"/[A-Za-z0-9_-]*(/[A-Za-z0-9_-]+)*")


def home_of(caller: Caller) -> str:
    """The page that a caller works at."""
    if caller.role.covers(Role.DIRECTOR):
        return "/director"
    if caller.table is not None:
        return f"/club/{caller.table}"
    return "/clock" if caller.role is Role.SCORER else "/"


def sign_in_routes(door: Door, clock: Callable[[], float] = time.monotonic) -> Router:
    """The routes; `clock` gives the seconds in which waits are counted."""
    peers, names = Brake(PEER), Brake(NAME)
    hashing = asyncio.Semaphore(HASHING_AT_ONCE)

    @get("/sign-in", media_type=MediaType.HTML, sync_to_thread=False)
    def show_form(request: AnyRequest) -> Response[str]:
        if session_of(request) is not None:
            return Response(render_signed_in(request, request.user, home_of(request.user)))
        standing = door.standing()
        if standing in (Standing.THIS_MACHINE, Standing.UNUSABLE):
            return nobody_signs_in(standing)
        return Response(render_sign_in(request, to=_our_path(request.query_params.get("to", ""))))

    @post("/sign-in", media_type=MediaType.HTML)
    async def take_form(request: AnyRequest) -> Response[Any]:
        name, password = await _field(request, "name"), await _field(request, "password")
        to = _our_path(await _field(request, "to"))
        peer, key = request.client.host if request.client else "", name.strip().casefold()[:NAME_LONGEST]
        wait_s = max(peers.wait_s(peer, clock()), names.wait_s(key, clock()))
        if wait_s > 0.0:
            problem = say("sign-in.wait", seconds=math.ceil(wait_s))
            page = Response(render_sign_in(request, to=to, name=name, problem=problem), status_code=429)
            page.set_header("Retry-After", str(math.ceil(wait_s)))
            return page
        peers.attempt(peer, clock())
        names.attempt(key, clock())
        hashed = door.password_of(name)
        async with hashing:
            right = await asyncio.to_thread(is_password, password[: LONGEST + 1], hashed)
        session = door.begin(name, hashed) if right and hashed is not None else None
        caller = door.by_session(session) if session is not None else None
        if session is None or caller is None:
            problem = say("sign-in.wrong")
            return Response(render_sign_in(request, to=to, name=name, problem=problem), status_code=401)
        peers.forgive(peer)
        names.clear(key)
        keep_session(request, session)
        return Redirect(to or home_of(caller), status_code=303)

    @post("/sign-out", media_type=MediaType.HTML, sync_to_thread=False)
    def sign_out(request: AnyRequest) -> Response[Any]:
        session = session_of(request)
        if session is not None:
            door.end(session)
        request.session.clear()
        return Redirect("/", status_code=303)

    @get("/with", media_type=MediaType.HTML, sync_to_thread=False)
    def show_device(request: AnyRequest) -> str:
        return render_device(request)

    @post("/with", media_type=MediaType.HTML)
    async def take_device(request: AnyRequest) -> Response[Any]:
        device = door.device(await _field(request, "token"))
        if device is None:
            problem = say("device.unknown")
            return Response(render_device(request, problem=problem), status_code=401)
        session = door.begin_device(device)
        keep_session(request, session)
        return Redirect(home_of(Caller(device.role, device.name, device.table)), status_code=303)

    return Router(
        "/",
        route_handlers=[show_form, take_form, sign_out, show_device, take_device],
        opt=least(Role.PUBLIC),
        include_in_schema=False,
    )


async def _field(request: AnyRequest, name: str) -> str:
    """A form's field; empty where it is absent. Raises `ClientException` where it is no text."""
    value = (await request.form()).get(name, "")
    if not isinstance(value, str):
        raise ClientException(f"{name} is no text")
    return value


def _our_path(to: str) -> str:
    """A path of ours to go on to; empty where it is anything else."""
    return to if _OUR_PATH.fullmatch(to) else ""
