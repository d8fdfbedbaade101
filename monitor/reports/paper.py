"""Sets a page as one HTML file or as PDF, and puts it where it was asked for, whole or not at all.

Owns templates, formats and the writing. What the page says reaches the templates as data, never as part of their text:
autoescaped in HTML, as JSON in Typst.
"""

import contextlib
import os
from collections.abc import Collection, Iterable
from enum import StrEnum
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Final

import jinja2
import msgspec
import typst
from markupsafe import Markup
from msgspec import Struct

from monitor.errors import UnusableFileError

SUFFIXES: Final = (".pdf", ".html")


class Paper(StrEnum):
    """The sheet of a PDF, as Typst names it. HTML fits whatever it is printed on."""

    A4 = "a4"
    LETTER = "us-letter"


class Kind(StrEnum):
    """Which report: the name of its templates."""

    INCIDENT = "incident"
    SESSION = "session"


class _Sheet(Struct, frozen=True):
    paper: Paper
    version: str
    page: Struct


def check_out(out: Path, keep: Collection[Path] = ()) -> None:
    """Raise `UnusableFileError` where a report cannot be written under this name, or would take the place of `keep`."""
    if out.suffix.lower() not in SUFFIXES:
        raise UnusableFileError(out, "a report is written as .pdf or .html: name it so")
    if out.is_dir():
        raise UnusableFileError(out, "is a folder; name a file in it")
    if not out.parent.is_dir():
        raise UnusableFileError(out, "cannot be written: there is no such folder")
    if out.resolve() in {path.resolve() for path in keep}:
        raise UnusableFileError(out, "is the log itself; give the report a name of its own")


def write_report(out: Path, kind: Kind, page: Struct, paper: Paper = Paper.A4) -> None:
    """Write the page to `out`; what was there stays until the new one is whole. Raises `UnusableFileError`."""
    check_out(out)
    chunks = html(kind, page) if out.suffix.lower() == ".html" else [pdf(kind, page, paper)]
    beside = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as new:
            for chunk in chunks:
                new.write(chunk)
            new.flush()
            os.fsync(new.fileno())
        beside.replace(out)
    except OSError as problem:
        raise UnusableFileError(out, f"cannot be written: {problem.strerror}") from problem
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def html(kind: Kind, page: Struct) -> Iterable[bytes]:
    """The page as one HTML file, piece by piece."""
    for piece in _template(f"{kind}.html").generate(page=page, version=version("rackwatch")):
        yield piece.encode()


def pdf(kind: Kind, page: Struct, paper: Paper = Paper.A4) -> bytes:
    """The page as PDF that a screen reader can follow (PDF/UA-1); equal pages give equal bytes."""
    template = (files("monitor.reports") / "templates" / f"{kind}.typ").read_bytes()
    sheet = msgspec.json.encode(_Sheet(paper, version("rackwatch"), page)).decode()
    return typst.compile(
        template,
        format="pdf",
        sys_inputs={"sheet": sheet},
        ignore_system_fonts=True,
        pdf_standards="ua-1",
        timestamp=0,
    )


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
