"""The two cookies: the session, encrypted, and the one that shows that a form is ours.

Owns their settings and what a browser may send in their place: anything. What cannot be read is no session and no
proof, never an error. A session is sent again only when it has changed, so that an answer that comes late brings none
back that was signed out of.
"""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec
from litestar.config.csrf import CSRFConfig
from litestar.datastructures import Headers
from litestar.exceptions import ClientException, LitestarException
from litestar.middleware import DefineMiddleware
from litestar.middleware.csrf import CSRFMiddleware
from litestar.middleware.session.client_side import ClientSideSessionBackend, CookieBackendConfig
from litestar.types import Message, Receive, Scope, ScopeSession, Send

from monitor.access.opening import Entrance
from monitor.access.sessions import Session
from monitor.web.locality import AnyConnection

CSRF_COOKIE: Final = "rackwatch-form"
API: Final = "^/api/"
"""Where tokens are shown in a header, which no page elsewhere can make a browser send."""
_LOADED: Final = "rackwatch session"


class _Sessions(ClientSideSessionBackend):
    """Litestar's, and calm about what it cannot read."""

    async def load_from_connection(self, connection: AnyConnection) -> dict[str, Any]:
        """The session's values, empty where there is none, or none of ours."""
        try:
            loaded = await super().load_from_connection(connection)
        except (ValueError, KeyError, TypeError, LitestarException):
            loaded = {}
        connection.scope["state"][_LOADED] = dict(loaded)
        return loaded

    async def store_in_message(self, scope_session: ScopeSession, message: Message, connection: AnyConnection) -> None:
        """Send the cookie where it has become another."""
        if not scope_session or scope_session != connection.scope["state"].get(_LOADED):
            await super().store_in_message(scope_session, message, connection)


@dataclass
class _SessionConfig(CookieBackendConfig):
    _backend_class = _Sessions


class _Forms(CSRFMiddleware):
    """Litestar's; proof that is no text of ours is none, and files are not taken: no form of ours sends any."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if Headers.from_scope(scope).get("content-type", "").strip().lower().startswith("multipart/"):
            raise ClientException("files are not taken here", status_code=415)
        await super().__call__(scope, receive, send)

    def _csrf_tokens_match(self, request_csrf_token: object, cookie_csrf_token: str) -> bool:
        return (
            isinstance(request_csrf_token, str)
            and request_csrf_token.isascii()
            and cookie_csrf_token.isascii()
            and super()._csrf_tokens_match(request_csrf_token, cookie_csrf_token)
        )


def cookie_middleware(entrance: Entrance) -> list[DefineMiddleware]:
    """Sessions, then proof of forms. `__Host-` makes a browser refuse the cookie of any other name or path."""
    prefix = "__Host-" if entrance.https else ""
    same_site: Literal["lax"] = "lax"
    lifetimes = entrance.door.lifetimes
    sessions = _SessionConfig(
        secret=_derived(entrance.key, "sessions"),
        key=f"{prefix}rackwatch",
        max_age=int(max(lifetimes.person_s, lifetimes.device_s)),
        secure=entrance.https,
        httponly=True,
        samesite=same_site,
    )
    forms = CSRFConfig(
        secret=_derived(entrance.key, "forms").hex(),
        cookie_name=f"{prefix}{CSRF_COOKIE}",
        cookie_secure=entrance.https,
        cookie_httponly=True,
        cookie_samesite=same_site,
        exclude=API,
    )
    return [sessions.middleware, DefineMiddleware(_Forms, config=forms)]


def session_of(connection: AnyConnection) -> Session | None:
    """What the browser says of its session, decrypted; whether it stands is the door's to say."""
    try:
        return msgspec.convert(connection.session, Session)
    except msgspec.ValidationError:
        return None


def keep_session(connection: AnyConnection, session: Session) -> None:
    """The answer gives the browser this session."""
    connection.session.clear()
    connection.session.update(msgspec.to_builtins(session))


def _derived(key: bytes, purpose: str) -> bytes:
    return hmac.digest(key, purpose.encode(), hashlib.sha256)
