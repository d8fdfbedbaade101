"""Who may ask for what: each route names the least role that it needs, and one guard holds all of them to it.

    @get("/director", opt=least(Role.DIRECTOR))

A route that names none is not served: `check_roles` refuses the whole application, and the guard refuses the request. A
path's `table` is asked of callers that are for one table alone.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from litestar import Litestar
from litestar.exceptions import ImproperlyConfiguredException, NotAuthorizedException, PermissionDeniedException
from litestar.handlers.base import BaseRouteHandler
from litestar.routes import HTTPRoute

from monitor.access.door import PUBLIC, Caller, Door
from monitor.access.roles import Role
from monitor.access.sessions import RENEW_S
from monitor.web.cookies import keep_session, session_of
from monitor.web.locality import AnyConnection, is_local

LEAST: Final = "least_role"
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_BEARER: Final = "bearer "


def least(role: Role) -> dict[str, Role]:
    """A route's `opt`."""
    return {LEAST: role}


def guard_for(door: Door) -> Callable[[AnyConnection, BaseRouteHandler], None]:
    """The guard; it leaves the caller in `request.user`."""

    def guard(connection: AnyConnection, handler: BaseRouteHandler) -> None:
        needed = handler.opt.get(LEAST)
        if not isinstance(needed, Role):
            raise PermissionDeniedException("this route names no role")
        caller = caller_of(connection, door)
        connection.scope["user"] = caller
        table = connection.path_params.get("table") if needed is not Role.PUBLIC else None
        if not caller.may(needed, table):
            if caller.role is Role.PUBLIC:
                raise NotAuthorizedException(f"only a {needed} may ask for this")
            raise PermissionDeniedException(f"only a {needed} may ask for this" if table is None else "another's table")

    return guard


def caller_of(connection: AnyConnection, door: Door) -> Caller:
    """Who asks. Raises `NotAuthorizedException` for a token that is nobody's.

    Where a request to the API may change something, only a token counts: what a browser sends by itself does not.
    """
    api = is_api(connection)
    shown = connection.headers.get("authorization", "") if api else ""
    if shown:
        by_token = door.by_token(shown[len(_BEARER) :].strip()) if shown.lower().startswith(_BEARER) else None
        if by_token is None:
            raise NotAuthorizedException("this token is nobody's")
        return by_token
    if api and connection.scope.get("method") not in _SAFE:
        return PUBLIC
    return _by_session(connection, door) or door.by_place(local=is_local(connection))


def still_may(connection: AnyConnection, door: Door, needed: Role) -> Callable[[], bool]:
    """Whether a stream that was begun may go on; asked before each frame of what is not public."""
    if needed is Role.PUBLIC:
        return lambda: True
    table = connection.path_params.get("table")
    session = session_of(connection)
    if session is None:
        local = is_local(connection)
        return lambda: door.by_place(local=local).may(needed, table)

    def may() -> bool:
        caller = door.by_session(session)
        return caller is not None and caller.may(needed, table)

    return may


def check_roles(app: Litestar) -> None:
    """Raise `ImproperlyConfiguredException` where a route names no role."""
    for path, handler in all_handlers(app):
        if not isinstance(handler.opt.get(LEAST), Role):
            raise ImproperlyConfiguredException(f"{path}: the route names no least role")


def all_handlers(app: Litestar) -> Iterator[tuple[str, BaseRouteHandler]]:
    """Every route's path with its handlers, but for OPTIONS: Litestar makes those, and the guard refuses them."""
    for route in app.routes:
        handlers: list[Any] = list(route.route_handlers) if isinstance(route, HTTPRoute) else [route.route_handler]
        for handler in handlers:
            if getattr(handler, "http_methods", None) != {"OPTIONS"}:
                yield route.path, handler


def is_api(connection: AnyConnection) -> bool:
    """Whether a program asks, and not a page."""
    return connection.scope["path"].startswith("/api/")


def _by_session(connection: AnyConnection, door: Door) -> Caller | None:
    session = session_of(connection)
    if session is None:
        return None
    caller = door.by_session(session)
    if caller is None:
        connection.session.clear()
    elif door.used(session).used_s - session.used_s > RENEW_S:
        keep_session(connection, door.used(session))
    return caller
