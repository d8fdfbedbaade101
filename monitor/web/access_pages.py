"""Renders the pages at the entrance: the form to sign in, who is signed in, and where a device's token is taken."""

from typing import Any

from litestar import Request
from litestar.template.base import csrf_token

from monitor.access.door import Caller
from monitor.access.roles import MAY
from monitor.web.pages import template
from monitor.web.words import say

AnyRequest = Request[Any, Any, Any]


def render_sign_in(request: AnyRequest, *, to: str, name: str = "", problem: str = "") -> str:
    """The form; `problem` is why the last attempt came to nothing."""
    page = template("sign_in.html")
    return page.render(title=say("title.sign-in"), proof=proof_of(request), to=to, name=name, problem=problem)


def render_signed_in(request: AnyRequest, caller: Caller, home: str) -> str:
    """Who is signed in, and the way out."""
    may, table = MAY[caller.role], caller.table
    standing = say("signed-in.as", role=caller.role, may=may)
    if table is not None:
        standing = say("signed-in.as-for", role=caller.role, may=may, table=table)
    page = template("signed_in.html")
    return page.render(
        title=say("title.signed-in"), proof=proof_of(request), caller=caller, standing=standing, home=home
    )


def render_device(request: AnyRequest, *, problem: str = "") -> str:
    """Takes the token from behind the address's `#` and sends it."""
    return template("device.html").render(title=say("title.device"), proof=proof_of(request), problem=problem)


def author_of(caller: Caller) -> str:
    """By which name what somebody does is written down."""
    return caller.name or say("author.this-machine")


def proof_of(request: AnyRequest) -> str:
    """What a form has to bring back in `_csrf_token`."""
    return csrf_token({"request": request})
