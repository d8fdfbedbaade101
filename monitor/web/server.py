"""Serves the pages and their streams with Litestar on uvicorn.

Owns addresses, headers and who is let in. The director's view is for loopback alone until there is a sign-in: any other
listener, peer or host name (a page elsewhere that points its own name here) is refused with a page that says so.
"""

import ipaddress
import re
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import uvicorn
from litestar import Litestar, MediaType, Request, Response, get
from litestar.datastructures import MutableScopeHeaders
from litestar.exceptions import NotFoundException
from litestar.response import Stream
from litestar.static_files import create_static_files_router
from litestar.types import Message, Scope

from monitor.errors import PortInUseError
from monitor.web.hub import Hub
from monitor.web.pages import Screen, render_page, render_refusal

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_STATIC: Final = Path(__file__).with_name("static")
_STATIC_NAME: Final = re.compile(r"/static/[A-Za-z0-9._-]{1,64}")
"""What our own files are called; the file system is asked for nothing else (NUL, names without end, folders)."""

_HOST: Final = re.compile(r"(?:\[(?P<bracketed>[^\[\]]+)\]|(?P<bare>[^:\[\]]+))(?::[0-9]*)?")
"""A Host header: RFC 9110, section 7.2 (uri-host, and a port perhaps; an IPv6 address stands in brackets)."""

AnyRequest = Request[Any, Any, Any]


def make_app(hub: Hub) -> Litestar:
    """The application; it holds nothing but the hub."""

    @get("/", media_type=MediaType.HTML, sync_to_thread=False)
    def floor() -> str:
        return render_page(Screen.PUBLIC, hub.cards(Screen.PUBLIC), [])

    @get("/director", media_type=MediaType.HTML, sync_to_thread=False)
    def director(request: AnyRequest) -> Response[str]:
        if not is_local(request):
            return _refusal()
        return Response(render_page(Screen.DIRECTOR, hub.cards(Screen.DIRECTOR), hub.notices()))

    @get("/stream/public", sync_to_thread=False)
    def stream_public() -> Response[Any]:
        return _stream(hub, Screen.PUBLIC)

    @get("/stream/director", sync_to_thread=False)
    def stream_director(request: AnyRequest) -> Response[Any]:
        return _stream(hub, Screen.DIRECTOR) if is_local(request) else _refusal()

    return Litestar(
        [
            floor,
            director,
            stream_public,
            stream_director,
            create_static_files_router("/static", [_STATIC], include_in_schema=False, before_request=_only_our_files),
        ],
        before_send=[_add_headers],
        openapi_config=None,
    )


def is_local(request: AnyRequest) -> bool:
    """Whether peer, listener and the name that was asked for are all this very machine."""
    server = request.scope.get("server")
    peer = request.client.host if request.client is not None else ""
    return _is_loopback(peer) and _is_loopback(server[0] if server else "") and _is_loopback(_host_name(request))


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

    def __init__(self, hub: Hub) -> None:
        """Serves the hub's screens once `serve` is awaited with a socket."""
        super().__init__(
            uvicorn.Config(
                make_app(hub),
                log_config=None,
                access_log=False,
                lifespan="off",
                ws="none",
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=2,
            )
        )
        self._hub = hub

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


async def _add_headers(message: Message, _scope: Scope) -> None:
    """Every answer carries them: pages, files, streams and errors."""
    if message["type"] == "http.response.start":
        headers = MutableScopeHeaders.from_message(message)
        for name, value in _HEADERS.items():
            headers[name] = value


def _stream(hub: Hub, screen: Screen) -> Response[Any]:
    if hub.full():
        return Response("too many open pages", status_code=503, media_type=MediaType.TEXT)

    async def frames() -> AsyncIterator[bytes]:
        async for frame in hub.stream(screen):
            yield frame

    return Stream(frames(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


def _refusal() -> Response[str]:
    page = render_refusal(
        "The director's view is served to this machine alone.",
        "It shows what is on the racks. Open it in a browser on the machine that runs Rackwatch, at 127.0.0.1; "
        "the floor page is open to all.",
    )
    return Response(page, status_code=403, media_type=MediaType.HTML)


def _host_name(request: AnyRequest) -> str:
    """The name alone; empty where the header is not of the form."""
    host = _HOST.fullmatch(request.headers.get("host", ""))
    return (host["bracketed"] or host["bare"]) if host else ""


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
