"""What those see who may not: a page with the reason and what to do, the way to sign in, or JSON for programs."""

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlencode

from litestar import MediaType, Request, Response
from litestar.exceptions import HTTPException, NotAuthorizedException, PermissionDeniedException
from litestar.response import Redirect

from monitor.access.door import Door, Standing
from monitor.web.cookies import CSRF_COOKIE
from monitor.web.guards import is_api
from monitor.web.pages import render_refusal

AnyRequest = Request[Any, Any, Any]
Handlers = dict[int | type[Exception], Callable[[AnyRequest, HTTPException], Response[Any]]]

_MAKE_ONE: Final = "On the machine that runs Rackwatch: rackwatch access add SETTINGS NAME --role director."
_WORDS: Final = {
    Standing.THIS_MACHINE: (
        "The director's view is served to this machine alone.",
        f"It shows what is on the racks. Open it there, at 127.0.0.1, or make somebody who may sign in. {_MAKE_ONE}",
    ),
    Standing.NOBODY: (
        "Nobody may see the director's view yet.",
        f"It shows what is on the racks, so somebody must be named who may see it. {_MAKE_ONE}",
    ),
    Standing.UNUSABLE: (
        "Nobody can be let in at the moment.",
        "The access file cannot be used. rackwatch check, on the machine that runs Rackwatch, says what is wrong.",
    ),
    Standing.SIGN_IN: ("You may not see this.", "It needs a role that you do not have. Sign in with another name."),
}


def refusals(door: Door) -> Handlers:
    """Litestar's `exception_handlers` for 401 and 403."""

    def refuse(request: AnyRequest, problem: HTTPException) -> Response[Any]:
        if is_api(request):
            said = {"status_code": problem.status_code, "detail": problem.detail}
            return Response(said, status_code=problem.status_code, headers={"WWW-Authenticate": "Bearer"})
        if problem.detail.startswith("CSRF"):
            return _old_form(request)
        standing = door.standing()
        signs_in = standing is Standing.SIGN_IN and isinstance(problem, NotAuthorizedException)
        if signs_in and request.method == "GET" and "text/html" in request.headers.get("accept", ""):
            return Redirect(f"/sign-in?{urlencode({'to': request.url.path})}", status_code=303)
        return refusal(*_WORDS[standing], status_code=401 if signs_in else 403)

    return {NotAuthorizedException: refuse, PermissionDeniedException: refuse}


def refusal(problem: str, advice: str, *, status_code: int) -> Response[str]:
    """A page that says why not."""
    return Response(render_refusal(problem, advice), status_code=status_code, media_type=MediaType.HTML)


def nobody_signs_in(standing: Standing) -> Response[str]:
    """What stands where the form to sign in would be of no use."""
    return refusal(*_WORDS[standing], status_code=403)


def _old_form(request: AnyRequest) -> Response[str]:
    """The cookie may be of an earlier key: the next page brings another."""
    page = refusal("This form is too old.", "Go back, load the page again, and send it once more.", status_code=403)
    for name in request.cookies:
        if name.endswith(CSRF_COOKIE):
            page.set_cookie(key=name, max_age=0, secure=name.startswith("__Host-"), httponly=True, samesite="lax")
    return page
