"""Renders the pages at the entrance: the form to sign in, who is signed in, and where a device's token is taken."""

from functools import cache
from typing import Any

import jinja2
from litestar import Request
from litestar.template.base import csrf_token

from monitor.access.door import Caller
from monitor.access.roles import MAY


def render_sign_in(request: Request[Any, Any, Any], *, to: str, name: str = "", problem: str = "") -> str:
    """The form; `problem` is why the last attempt came to nothing."""
    return _template("sign_in.html").render(proof=_proof(request), to=to, name=name, problem=problem)


def render_signed_in(request: Request[Any, Any, Any], caller: Caller, home: str) -> str:
    """Who is signed in, and the way out."""
    return _template("signed_in.html").render(proof=_proof(request), caller=caller, may=MAY[caller.role], home=home)


def render_device(request: Request[Any, Any, Any], *, problem: str = "") -> str:
    """Takes the token from behind the address's `#` and sends it."""
    return _template("device.html").render(proof=_proof(request), problem=problem)


def _proof(request: Request[Any, Any, Any]) -> str:
    return csrf_token({"request": request})


@cache
def _template(name: str) -> jinja2.Template:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("monitor.web"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    ).get_template(name)
