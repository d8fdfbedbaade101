"""Joins PDFs that Typst made into one: pages, headings, what a screen reader follows, and running footers.

Owns pikepdf, which is named here alone, and what of a PDF refers to the whole of it: the tree of structure (ISO
32000-1, 14.7), whose elements and pages know each other by numbers and names that each part begins anew, and the
outline. The library joins pages and leaves the rest to us. The first part gives title, language and standard. What is
held at once is the tree: about two kilobytes for each cell of a table.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from pikepdf import (
    Array,
    Dictionary,
    Name,
    NameTree,
    NumberTree,
    Object,
    ObjectStreamMode,
    OutlineItem,
    Page,
    Pdf,
    String,
)

_LEVEL: Final = re.compile(r"/H([1-6])")
_PAGES: Final = re.compile(rb"(?<=<xmpTPg:NPages>)\d+(?=<)")
_OPEN_LEVEL: Final = 1
"""Our choice: an outline opens with its sections, and not with every table."""


def join(parts: Sequence[Path], footers: Callable[[int], bytes], out: Path) -> int:
    """Write the parts as one PDF and give its number of pages.

    `footers` is asked for a PDF of that many pages, each to be laid over its page. Raises `OSError`.
    """
    with Pdf.open(parts[0]) as whole:
        tree = _Tree(whole)
        for number, path in enumerate(parts[1:], 1):
            with Pdf.open(path) as part:
                tree.take(part, number)
        tree.finish()
        pages = len(whole.pages)
        feet = out.with_name("footers.pdf")
        feet.write_bytes(footers(pages))
        with Pdf.open(feet) as over:
            for page, footer in zip(whole.pages, over.pages, strict=True):
                _lay_over(whole, page, footer)
            said = whole.Root.Metadata.read_bytes()
            whole.Root.Metadata.write(_PAGES.sub(b"%d" % pages, said))
            whole.save(out, object_stream_mode=ObjectStreamMode.generate, deterministic_id=True)
    return pages


def _lay_over(whole: Pdf, page: Page, footer: Page) -> None:
    """Show the footer on a page of its size. The library's way gives it a name by chance, and bytes shall be equal."""
    name = page.add_resource(whole.copy_foreign(footer.as_form_xobject()), Name.XObject, Name.Footer)
    page.contents_add(b"q\n", prepend=True)
    page.contents_add(b"\nQ\n%s Do" % str(name).encode())


class _Heading(Struct, frozen=True):
    """Level 1 to 6; `page` counts from 0; `left` and `top` in points, where it is shown from."""

    level: int
    title: str
    page: int
    left: float
    top: float


class _Tree:
    """The tree of structure and the outline of the whole, part by part."""

    def __init__(self, whole: Pdf) -> None:
        self._whole = whole
        self._root = whole.Root.StructTreeRoot
        self._document = self._root.K[0]
        self._parents: list[tuple[int, Object]] = list(_parents(self._root))
        self._names: list[tuple[str, Object]] = list(_names(self._root))
        self._headings = list(_headings(whole, 0))

    def take(self, part: Pdf, number: int) -> None:
        """A further part: its pages behind the last, its elements behind the last."""
        first = len(self._whole.pages)
        _rename(part, number)
        self._headings += _headings(part, first)
        self._whole.pages.extend(part.pages)
        root = self._whole.copy_foreign(part.Root.StructTreeRoot)
        for page in self._whole.pages[first:]:
            if Name.StructParents in page.obj:
                page.obj.StructParents = int(page.obj.StructParents) + first
        for element in root.K[0].K:
            element.P = self._document
            self._document.K.append(element)
        self._parents += [(key + first, value) for key, value in _parents(root)]
        self._names += [(_name(number, key), value) for key, value in _names(root)]

    def finish(self) -> None:
        """Write what knows the whole: both trees and the outline."""
        flat = [one for key, value in self._parents for one in (key, value)]
        self._root.ParentTree = self._whole.make_indirect(Dictionary(Nums=Array(flat)))
        self._root.ParentTreeNextKey = len(self._whole.pages)
        if self._names:
            flat = [one for key, value in sorted(self._names, key=lambda pair: pair[0]) for one in (String(key), value)]
            self._root.IDTree = self._whole.make_indirect(Dictionary(Names=Array(flat)))
        with self._whole.open_outline() as outline:
            outline.root.clear()
            above: list[tuple[int, list[OutlineItem]]] = [(0, outline.root)]
            for heading in self._headings:
                while above[-1][0] >= heading.level:
                    above.pop()
                item = OutlineItem(heading.title, heading.page, "XYZ", left=heading.left, top=heading.top)
                item.is_closed = heading.level > _OPEN_LEVEL
                above[-1][1].append(item)
                above.append((heading.level, item.children))


def _headings(part: Pdf, first: int) -> Iterator[_Heading]:
    """The part's outline, whose levels are those of its structure: the outline itself begins at any."""
    pages = {page.obj.objgen: first + number for number, page in enumerate(part.pages)}
    with part.open_outline() as outline:
        for level, item in zip(_levels(part.Root.StructTreeRoot.K[0]), _flat(outline.root), strict=True):
            if not isinstance(item.destination, Array):
                raise TypeError(f"no place in the document: {item.destination}")
            page, _, left, top, _ = item.destination
            yield _Heading(level, item.title, pages[page.objgen], float(left), float(top))


def _levels(element: Object) -> Iterator[int]:
    """Levels of the headings below an element, in the order of reading; no heading stands in a table."""
    for kid in element.get("/K", ()):
        kind = str(kid.S) if isinstance(kid, Dictionary) and "/S" in kid else "/Table"
        if found := _LEVEL.fullmatch(kind):
            yield int(found[1])
        elif kind != "/Table":
            yield from _levels(kid)


def _flat(items: Sequence[OutlineItem]) -> Iterator[OutlineItem]:
    for item in items:
        yield item
        yield from _flat(item.children)


def _parents(root: Object) -> Iterator[tuple[int, Object]]:
    """The elements of each page, by the page's number."""
    if "/ParentTree" in root:
        yield from NumberTree(root.ParentTree).items()


def _names(root: Object) -> Iterator[tuple[str, Object]]:
    """The heads of tables by the names that cells know them by."""
    if "/IDTree" in root:
        yield from NameTree(root.IDTree).items()


def _rename(part: Pdf, number: int) -> None:
    """Make the names of a part's heads its own, where they are given and where they are used."""
    for element in part.objects:
        if not isinstance(element, Dictionary) or element.get("/Type") != Name.StructElem:
            continue
        if "/ID" in element:
            element.ID = String(_name(number, str(element.ID)))
        for attributes in element.get("/A", ()):
            if "/Headers" in attributes:
                attributes.Headers = Array([String(_name(number, str(head))) for head in attributes.Headers])


def _name(number: int, name: str) -> str:
    return f"{number}.{name}"
