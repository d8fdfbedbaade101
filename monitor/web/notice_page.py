"""The players' privacy notice as a page, for everybody: it is read on a screen and hung up as one printed sheet.

Owns the route. Its sentences are `monitor.privacy`'s.
"""

from litestar import MediaType, Router, get

from monitor.access.roles import Role
from monitor.privacy import Section
from monitor.web.guards import least
from monitor.web.pages import template
from monitor.web.words import say


def notice_routes(notice: tuple[Section, ...]) -> Router:
    """The route; `notice` is as the settings have it."""

    @get("/privacy", media_type=MediaType.HTML, opt=least(Role.PUBLIC), include_in_schema=False, sync_to_thread=False)
    def privacy() -> str:
        return template("privacy.html").render(title=say("title.privacy"), notice=notice)

    return Router("/", route_handlers=[privacy])
