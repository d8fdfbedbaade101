"""The JSON API's way to act on an alert: what a director's program may do, as the console does it.

Owns the request and its answers. What may follow what is the docket's to say, and the chair writes it down.
"""

from typing import Annotated, Any, Final

from litestar import Request, Router, post
from litestar.exceptions import ClientException, NotFoundException
from litestar.params import JSONBody, PathParameter
from msgspec import Meta, Struct

from monitor.access.roles import Role
from monitor.acts import Act
from monitor.chair import Chair
from monitor.docket import ActConflict, Refused
from monitor.web.guards import least

AnyRequest = Request[Any, Any, Any]
WORDS_MOST: Final = 4000
"""Characters that a person's own words may have; our choice."""


class ActAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """What is to be done, on which version of the case, and in which words."""

    did: Act
    version: Annotated[int, Meta(ge=0, le=1 << 31)]
    words: Annotated[str, Meta(max_length=WORDS_MOST)] = ""


class ActDone(Struct, frozen=True):
    """It is in the log, as record `record`; `text`: what else came of it. `version`: the case's, from now on."""

    record: int
    text: str
    version: int


class NotTaken(ClientException):
    """Somebody acted meanwhile, or the case does not allow it."""

    status_code = 409


def act_routes(chair: Chair) -> Router:
    """The route."""

    @post(
        "/alerts/{alert:str}/acts",
        opt=least(Role.DIRECTOR),
        security=[{"token": []}],
        summary="Act on an alert",
        raises=[NotFoundException, NotTaken],
    )
    async def act(
        request: AnyRequest,
        data: JSONBody[ActAsked],
        alert: Annotated[str, PathParameter(description="The alert's id.")],
    ) -> ActDone:
        """Do something about an alert, by the token's name; 409 says what another did meanwhile, or why not."""
        if chair.docket.case(alert) is None:
            raise NotFoundException("there is no such case")
        outcome = await chair.act(request.user.name, alert, data.did, data.version, data.words)
        if isinstance(outcome, ActConflict | Refused):
            raise NotTaken(outcome.text)
        case = chair.docket.case(alert)
        return ActDone(outcome.record, outcome.text, data.version if case is None else case.version)

    return Router("/api/v1", route_handlers=[act])
