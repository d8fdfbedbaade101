"""Whether somebody asks from this very machine: by peer, listener and the name that was asked for.

A page elsewhere may point its own name here, so the name counts as well; and who asks for somebody else is not here.
"""

import re
from typing import Any, Final

from litestar.connection import ASGIConnection

from monitor.access.opening import is_loopback

AnyConnection = ASGIConnection[Any, Any, Any, Any]

_HOST: Final = re.compile(r"(?:\[(?P<bracketed>[^\[\]]+)\]|(?P<bare>[^:\[\]]+))(?::[0-9]*)?")
"""A Host header: RFC 9110, section 7.2 (uri-host, and a port perhaps; an IPv6 address stands in brackets)."""
_PROXIED: Final = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
"""What a proxy says that asks for somebody else. Some say nothing: see `docs/access.md`."""


def is_local(connection: AnyConnection) -> bool:
    """Whether peer, listener and host are all this machine, and nobody says to ask for another."""
    server = connection.scope.get("server")
    peer = connection.client.host if connection.client is not None else ""
    if any(name in connection.headers for name in _PROXIED):
        return False
    return is_loopback(peer) and is_loopback(server[0] if server else "") and is_loopback(_host_name(connection))


def _host_name(connection: AnyConnection) -> str:
    """The name alone; empty where the header is not of the form."""
    host = _HOST.fullmatch(connection.headers.get("host", ""))
    return (host["bracketed"] or host["bare"]) if host else ""
