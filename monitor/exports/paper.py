"""PDF: a log of hands to be read and printed, from a template that lies beside this file.

Owns the document; how it is set is `typesetting`'s. The whole document is laid out at once, which is why `hand_pages`
bounds it.
"""

from datetime import datetime
from importlib.resources import files
from typing import Final

from msgspec import Struct

from monitor.exports.hand_pages import HandPage, HandPages, OverviewLine
from monitor.exports.page_words import printed
from monitor.typesetting.sizes import Paper
from monitor.typesetting.typeset import Fonts, typeset

_TEMPLATE: Final = "log_of_hands.typ"


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
        paper.typst,
        printed(log),
        printed(selection),
        pages.zone_words(made),
        f"{made:%Y-%m-%d %H:%M}",
        overview=pages.overview(),
        hands=pages.pages(),
    )


def document_pdf(made: Document, now: datetime) -> bytes:
    """The document as PDF. Raises `UnsettableError`."""
    template = files(__package__).joinpath(_TEMPLATE).read_text()
    return typeset(template, made, standard=None, fonts=Fonts.ALL, made_s=int(now.timestamp()))
