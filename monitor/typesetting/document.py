"""A document of any length, set part by part: in the memory of its longest part and of the tree that joins them.

Owns the order of work: each part in a process of its own, then the footers, whose numbers are known last.
"""

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from msgspec import Struct

from monitor.typesetting.joined import join
from monitor.typesetting.sizes import Paper
from monitor.typesetting.typeset import PDF_UA, typeset


class _Footers(Struct, frozen=True):
    paper: str
    words: str
    pages: int


def write_document(path: Path, template: str, parts: Iterable[Struct], *, footer: str, paper: Paper) -> int:
    """Set the parts, each from its sheet, as one PDF at `path`, and give its number of pages.

    Parts are written beside it, in its folder. Raises `UnsettableError`, `OSError`.
    """
    made: list[Path] = []
    for number, part in enumerate(parts):
        beside = path.with_name(f"part-{number}.pdf")
        beside.write_bytes(typeset(template, part, standard=None if number else PDF_UA))
        made.append(beside)
    below = files(__package__).joinpath("footers.typ").read_text()
    return join(made, lambda pages: typeset(below, _Footers(paper.typst, footer, pages), standard=None), path)
