"""The JSON API: tables and alerts for other programs, and its own description (OpenAPI).

Owns addresses under `/api/`. Who asks shows a token (`Authorization: Bearer …`); without one a program is the public.
"""

from importlib.metadata import version
from typing import Annotated, Any, Final

from litestar import Request, Router, get, post
from litestar.exceptions import ClientException, HTTPException, NotFoundException, PermissionDeniedException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.params import JSONBody, PathParameter

from monitor.access.door import Caller
from monitor.access.roles import Role
from monitor.acts import RoundExtended
from monitor.chair import Chair, Done
from monitor.view import TableView
from monitor.web.access_pages import author_of
from monitor.web.api_types import Alerts, ClockNow, ClockTurn, OneTable, Tables, clock_now, table_now
from monitor.web.guards import least
from monitor.web.hub import Hub
from monitor.web.pages import Screen

AnyRequest = Request[Any, Any, Any]
_TOKEN: Final = "token"  # noqa: S105  # the name of the scheme
_EITHER: Final[list[dict[str, list[str]]]] = [{_TOKEN: []}, {}]


def api_routes(hub: Hub, chair: Chair) -> Router:
    """The routes."""
    clock = hub.now

    def views(request: AnyRequest) -> list[TableView]:
        return hub.views(Screen.DIRECTOR if request.user.role.covers(Role.DIRECTOR) else Screen.PUBLIC)

    @get("/tables", opt=least(Role.PUBLIC), security=_EITHER, sync_to_thread=False, summary="All tables")
    def tables(request: AnyRequest) -> Tables:
        """Every table as the caller may see it: with counts and all alerts from the role of director on."""
        return Tables(clock(), tuple(map(table_now, views(request))))

    @get(
        "/tables/{table:str}",
        opt=least(Role.PUBLIC),
        security=_EITHER,
        sync_to_thread=False,
        summary="One table",
        raises=[NotFoundException],
    )
    def one_table(
        request: AnyRequest, table: Annotated[str, PathParameter(description="The table's name.")]
    ) -> OneTable:
        """One table as the caller may see it; 404 where there is none of that name."""
        view = next((one for one in views(request) if one.table == table), None)
        if view is None:
            raise NotFoundException("there is no such table")
        return OneTable(clock(), table_now(view))

    @get("/alerts", opt=least(Role.DIRECTOR), security=[{_TOKEN: []}], sync_to_thread=False, summary="Alerts")
    def alerts() -> Alerts:
        """Alerts of all tables; for directors."""
        shown = hub.views(Screen.DIRECTOR)
        return Alerts(clock(), tuple(alert for view in shown for alert in (*view.alerts, *view.health)))

    @get("/clock", opt=least(Role.PUBLIC), security=_EITHER, sync_to_thread=False, summary="The round's clock")
    def round_clock() -> ClockNow:
        """How the clock of the round stands, for all tables and for those with time of their own."""
        return clock_now(hub.round, clock())

    @post(
        "/clock",
        opt=least(Role.SCORER),
        security=[{_TOKEN: []}],
        status_code=200,
        summary="Turn the round's clock",
        raises=[ClientException, PermissionDeniedException, ClockHeldException],
    )
    async def turn_clock(request: AnyRequest, data: JSONBody[ClockTurn]) -> ClockNow:
        """Start a round, pause, resume, extend or end it, as the clock was at `version`; the answer is the new clock.

        409 where somebody turned it meanwhile, or where it cannot be done as it stands: `detail` says why.
        """
        caller: Caller = request.user
        if caller.table is not None:
            raise PermissionDeniedException(f"this token is for table {caller.table} alone")
        if isinstance(data.did, RoundExtended) and data.did.alert:
            raise ClientException("time that a ruling gives is given where the ruling is made")
        match await chair.clock(author_of(caller), data.did, data.version, data.table, data.words):
            case Done():
                return clock_now(hub.round, clock())
            case not_done:
                raise ClockHeldException(not_done.text)

    return Router("/api/v1", route_handlers=[tables, one_table, alerts, round_clock, turn_clock])


class ClockHeldException(HTTPException):
    """The clock was turned by another, or cannot be turned so."""

    status_code = 409


def api_description() -> OpenAPIConfig:
    """OpenAPI of what is above, served as JSON to all."""
    return OpenAPIConfig(
        title="Rackwatch",
        version=version("rackwatch"),
        description="Tables and alerts as a role may see them. Rackwatch advises; it never declares a hand dead.",
        components=Components(
            security_schemes={
                _TOKEN: SecurityScheme(type="http", scheme="bearer", description="Made by rackwatch access device.")
            }
        ),
        openapi_router=Router("/api/schema", route_handlers=[], opt=least(Role.PUBLIC), include_in_schema=False),
        render_plugins=[JsonRenderPlugin()],
    )
