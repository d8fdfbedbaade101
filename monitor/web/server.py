"""Serves the pages, their streams and the API with Litestar on uvicorn.

Owns addresses, the least role that each needs, and the socket. Who is let in is said by `monitor.access`; a page's
views are those of its audience, so no role sees what it was not folded from.
"""

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import uvicorn
from litestar import Litestar, MediaType, Request, Response, get
from litestar.exceptions import NotFoundException
from litestar.static_files import create_static_files_router

from monitor.access.roles import Role
from monitor.errors import PortInUseError
from monitor.web.api import api_description, api_routes
from monitor.web.api_acts import act_routes
from monitor.web.clock_page import clock_routes
from monitor.web.club_page import club_routes
from monitor.web.console import console_routes
from monitor.web.cookies import cookie_middleware
from monitor.web.guards import check_roles, guard_for, least, still_may
from monitor.web.headers import add_headers
from monitor.web.notice_page import notice_routes
from monitor.web.pages import Screen, render_page, render_round
from monitor.web.refusals import refusals
from monitor.web.replay_page import replay_routes
from monitor.web.sign_in import sign_in_routes
from monitor.web.sources import Sources
from monitor.web.streaming import streamed
from monitor.web.table_page import table_routes

BODY_BYTES: Final = 64 << 10
"""The most that anybody may send; our choice, and far more than a form has."""
_STATIC: Final = Path(__file__).with_name("static")
_STATIC_NAME: Final = re.compile(r"/static/[A-Za-z0-9._-]{1,64}")
"""What our own files are called; the file system is asked for nothing else (NUL, names without end, folders)."""

AnyRequest = Request[Any, Any, Any]


def make_app(sources: Sources) -> Litestar:
    """The application. Raises Litestar's `ImproperlyConfiguredException` where a route names no role."""
    hub, entrance = sources.hub, sources.entrance
    door = entrance.door

    def round_line() -> str:
        return render_round(hub.round, hub.now())

    @get("/", media_type=MediaType.HTML, opt=least(Role.PUBLIC), include_in_schema=False, sync_to_thread=False)
    def floor() -> str:
        return render_page(Screen.PUBLIC, hub.cards(Screen.PUBLIC), [], round_line())

    @get(
        "/director/tables",
        media_type=MediaType.HTML,
        opt=least(Role.DIRECTOR),
        include_in_schema=False,
        sync_to_thread=False,
    )
    def director() -> str:
        return render_page(Screen.DIRECTOR, hub.cards(Screen.DIRECTOR), hub.notices(), round_line())

    @get("/stream/public", opt=least(Role.PUBLIC), include_in_schema=False, sync_to_thread=False)
    def stream_public() -> Response[Any]:
        return streamed(hub, hub.stream(Screen.PUBLIC), lambda: True)

    @get("/stream/director", opt=least(Role.DIRECTOR), include_in_schema=False, sync_to_thread=False)
    def stream_director(request: AnyRequest) -> Response[Any]:
        return streamed(hub, hub.stream(Screen.DIRECTOR), still_may(request, door, Role.DIRECTOR))

    static = create_static_files_router(
        "/static", [_STATIC], include_in_schema=False, before_request=_only_our_files, opt=least(Role.PUBLIC)
    )
    app = Litestar(
        [
            *(floor, director, stream_public, stream_director, static),
            sign_in_routes(door),
            api_routes(hub, sources.chair),
            clock_routes(hub, sources.chair, door),
            club_routes(hub, door),
            notice_routes(sources.notice),
            table_routes(sources),
            replay_routes(sources),
            act_routes(sources.chair),
            console_routes(sources),
        ],
        guards=[guard_for(door)],
        middleware=cookie_middleware(entrance),
        exception_handlers=refusals(door),
        before_send=[add_headers],
        openapi_config=api_description(),
        request_max_body_size=BODY_BYTES,
    )
    check_roles(app)
    return app


def listen(host: str, port: int) -> socket.socket:
    """A listening socket, the caller's to close; port 0 takes a free one. Raises `PortInUseError`.

    Who connects before the server runs waits in the queue, so an address may be told as soon as this returns.
    """
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen()
    except OSError as problem:
        listener.close()
        raise PortInUseError(host, port, problem.strerror or str(problem)) from problem
    return listener


class PageServer(uvicorn.Server):
    """uvicorn inside our own task group: signals stay with the daemon."""

    def __init__(self, sources: Sources) -> None:
        """Serves the pages once `serve` is awaited with a socket."""
        entrance = sources.entrance
        super().__init__(
            uvicorn.Config(
                make_app(sources),
                log_config=None,
                access_log=False,
                lifespan="off",
                ws="none",
                server_header=False,
                proxy_headers=bool(entrance.proxies),
                forwarded_allow_ips=entrance.proxies,
                timeout_graceful_shutdown=2,
            )
        )
        self._hub = sources.hub

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the daemon."""
        yield

    def stop(self) -> None:
        """Let `serve` return soon."""
        self._hub.close()
        self.should_exit = True


def _only_our_files(request: AnyRequest) -> None:
    if _STATIC_NAME.fullmatch(request.scope["path"]) is None:
        raise NotFoundException
