"""The JSON API: tables and alerts for other programs, and its own description (OpenAPI).

Owns addresses under `/api/`. Who asks shows a token (`Authorization: Bearer …`); without one a program is the public.
"""

from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, Any, Final

from litestar import Request, Router, get
from litestar.exceptions import NotFoundException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.params import PathParameter

from monitor.access.roles import Role
from monitor.view import TableView
from monitor.web.api_types import Alerts, OneTable, Tables, table_now
from monitor.web.guards import least
from monitor.web.hub import Hub
from monitor.web.pages import Screen

AnyRequest = Request[Any, Any, Any]
_TOKEN: Final = "token"  # noqa: S105  # the name of the scheme
_EITHER: Final[list[dict[str, list[str]]]] = [{_TOKEN: []}, {}]


def api_routes(hub: Hub, clock: Callable[[], float]) -> Router:
    """The routes; `clock` gives the host's seconds."""

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

    return Router("/api/v1", route_handlers=[tables, one_table, alerts])


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
