"""Sets a page as one HTML file or as PDF, and puts it where it was asked for, whole or not at all.

Owns templates and formats. What the page says reaches the templates as data, never as part of their text: autoescaped
in HTML, as JSON in Typst.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Final

import jinja2
from markupsafe import Markup
from msgspec import Struct

from monitor.errors import UnusableFileError
from monitor.reports.incident_page import IncidentPage
from monitor.reports.session_page import SessionPage
from monitor.reports.session_parts import SessionPart, session_parts
from monitor.staging import check_file, staged_file
from monitor.typesetting.document import write_document
from monitor.typesetting.sizes import Paper
from monitor.typesetting.typeset import typeset

SUFFIXES: Final = (".pdf", ".html")
Page = IncidentPage | SessionPage
Passing = Callable[[Sequence[SessionPart]], Iterable[SessionPart]]
"""Passes things through and may count them, for whoever shows progress."""


class Kind(StrEnum):
    """Which report: the name of its templates."""

    INCIDENT = "incident"
    SESSION = "session"


class _IncidentSheet(Struct, frozen=True):
    paper: str
    version: str
    page: IncidentPage


class _SessionSheet(Struct, frozen=True):
    paper: str
    version: str
    part: SessionPart


def check_out(out: Path, keep: Sequence[Path] = ()) -> None:
    """Raise `UnusableFileError` where a report cannot be written under this name, or would take the place of `keep`."""
    if out.suffix.lower() not in SUFFIXES:
        raise UnusableFileError(out, "a report is written as .pdf or .html: name it so")
    check_file(out, inputs=keep)


def write_report(
    out: Path, kind: Kind, page: Page, paper: Paper = Paper.A4, passing: Passing = lambda parts: parts
) -> None:
    """Write the page to `out`; what was there stays until the new one is whole. Paper is the PDF's alone.

    Raises `UnusableFileError`, `UnsettableError`.
    """
    check_out(out)
    with staged_file(out) as path:
        if out.suffix.lower() == ".html":
            with path.open("wb") as new:
                new.writelines(html(kind, page))
        else:
            write_pdf(path, kind, page, paper, passing)


def html(kind: Kind, page: Page) -> Iterable[bytes]:
    """The page as one HTML file, piece by piece."""
    for piece in _template(f"{kind}.html").generate(page=page, version=version("rackwatch")):
        yield piece.encode()


def write_pdf(
    path: Path, kind: Kind, page: Page, paper: Paper = Paper.A4, passing: Passing = lambda parts: parts
) -> None:
    """The page as PDF that a screen reader can follow (PDF/UA-1); equal pages give equal bytes.

    What is long is set in parts, which are written beside it. Raises `UnsettableError`, `OSError`.
    """
    template = (files("monitor.reports") / "templates" / f"{kind}.typ").read_text()
    release = version("rackwatch")
    match page:
        case IncidentPage():
            path.write_bytes(typeset(template, _IncidentSheet(paper.typst, release, page)))
        case SessionPage():
            parts = passing(list(session_parts(page)))
            sheets = (_SessionSheet(paper.typst, release, part) for part in parts)
            write_document(path, template, sheets, footer=f"Session report, {page.title}", paper=paper)


@cache
def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("monitor.reports"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["picture"] = Markup
    return environment.get_template(name)
