"""PDF: a log of hands to be read and printed, set by Typst from a template that lies beside this file.

Owns the document and typst, which is named here alone. What stands in a log goes to the template as JSON and is set as
text, never as markup. The whole document is in memory while it is set, which is why `hand_pages` bounds it.
"""

from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Final

import msgspec
import typst
from msgspec import Struct

from monitor.errors import ExportError
from monitor.exports.formats import Paper
from monitor.exports.hand_pages import HandPage, HandPages, OverviewLine
from monitor.exports.page_words import plain

_TEMPLATE: Final = "log_of_hands.typ"


_SIZES: Final = {Paper.A4: "a4", Paper.LETTER: "us-letter"}
"""What Typst calls them."""


class Document(Struct, frozen=True):
    """What the template is given."""

    paper: str
    log: str
    selection: str
    zone: str
    made: str
    overview: list[OverviewLine]
    hands: list[HandPage]


def document(pages: HandPages, *, log: str, selection: str, paper: Paper, now: datetime) -> Document:
    """The document of the pages; `now` is when it is made."""
    made = now.astimezone(pages.zone)
    return Document(
        _SIZES[paper],
        plain(log),
        plain(selection),
        pages.zone_words(made),
        f"{made:%Y-%m-%d %H:%M}",
        overview=pages.overview(),
        hands=pages.pages(),
    )


def write_pdf(made: Document, path: Path, now: datetime) -> None:
    """Set it. Raises `ExportError` where Typst cannot, `OSError` where the file cannot be written."""
    path.write_bytes(typeset(made, now))


def typeset(made: Document, now: datetime) -> bytes:
    """The document as PDF. Raises `ExportError`."""
    template = files(__package__).joinpath(_TEMPLATE).read_bytes()
    data = {"document": msgspec.json.encode(made).decode()}
    try:
        pdf = typst.compile(template, format="pdf", sys_inputs=data, timestamp=now.replace(microsecond=0))
    except typst.TypstError as problem:
        raise ExportError(Path(made.log), f"cannot be set as PDF ({problem.message})") from problem
    if not isinstance(pdf, bytes):
        raise TypeError(f"typst gave {type(pdf).__name__}")
    return pdf
