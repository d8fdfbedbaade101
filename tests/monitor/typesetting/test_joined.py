"""Parts joined are one document: its pages, its outline, and a tree that a screen reader can follow to every word."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from pypdf import PdfReader

from monitor.typesetting.document import write_document
from monitor.typesetting.sizes import Paper

TEMPLATE = """
#let sheet = json(bytes(sys.inputs.sheet))
#set document(title: "A day", date: none)
#set text(lang: "en")
#if sheet.first [= A day]
#for one in sheet.heads [
  #heading(level: one.level, one.words)
  #table(columns: 2, table.header([*Who*], [*What*]), ..range(sheet.rows).map(n => ([#one.words #n], [seen])).flatten())
]
"""


class Head(Struct):
    level: int
    words: str


class Part(Struct):
    first: bool
    heads: list[Head]
    rows: int = 70


PARTS = [
    Part(True, [Head(2, "Hands"), Head(3, "Table T1")]),
    Part(False, [Head(3, "Table T2"), Head(3, "Table T3")]),
    Part(False, []),
    Part(False, [Head(3, "Table T4"), Head(2, "Sensors")]),
]


def written(path: Path, parts: list[Part]) -> Path:
    write_document(path, TEMPLATE, parts, footer="A day", paper=Paper.A4)
    return path


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> PdfReader:
    return PdfReader(written(tmp_path_factory.mktemp("day") / "day.pdf", PARTS))


def elements(root: Any) -> Iterator[Any]:
    for kid in root["/K"] if isinstance(root.get("/K"), list) else []:
        if not isinstance(kid, int):
            element = kid.get_object()
            if element.get("/Type") == "/StructElem":
                assert element["/P"].get_object() is root
                yield element
                yield from elements(element)


def test_every_element_is_found_from_its_page(joined: PdfReader) -> None:
    root: Any = joined.trailer["/Root"]["/StructTreeRoot"]  # type: ignore[index]
    flat = root["/ParentTree"]["/Nums"]
    parents = {int(flat[at]): flat[at + 1].get_object() for at in range(0, len(flat), 2)}
    keys = [int(page["/StructParents"]) for page in joined.pages if "/StructParents" in page]
    assert sorted(parents) == keys
    assert root["/ParentTreeNextKey"] > max(keys)
    contents = 0
    for element in elements(root):
        for kid in element.get("/K", []):
            mark = kid if isinstance(kid, int) else kid.get_object()
            if isinstance(mark, int):
                page, number = element["/Pg"], mark
            elif mark.get("/Type") == "/MCR":
                page, number = mark["/Pg"], mark["/MCID"]
            else:
                continue
            assert parents[int(page["/StructParents"])][number].get_object() is element
            contents += 1
    assert contents == sum(len(of) for of in parents.values()) > 600


def test_every_cell_knows_the_head_of_its_own_table(joined: PdfReader) -> None:
    root: Any = joined.trailer["/Root"]["/StructTreeRoot"]  # type: ignore[index]
    tables = [element for element in elements(root) if element["/S"] == "/Table"]
    assert len(tables) == 6
    names: list[str] = []
    for table in tables:
        own = {cell["/ID"] for cell in elements(table) if "/ID" in cell}
        used = {head for cell in elements(table) for of in cell.get("/A", []) for head in of.get("/Headers", [])}
        assert len(own) == 2
        assert used == own
        names += own
    assert len(names) == len(set(names))
    flat = root["/IDTree"]["/Names"]
    assert list(flat[::2]) == sorted(names)


def test_the_outline_has_the_levels_of_the_headings(joined: PdfReader) -> None:
    def titles(level: Any) -> Any:
        return [titles(one) if isinstance(one, list) else one.title for one in level]

    tables = [f"Table T{number}" for number in range(1, 5)]
    assert titles(joined.outline) == ["A day", ["Hands", tables, "Sensors"]]


def test_footers_number_all_pages_and_say_nothing_to_a_screen_reader(joined: PdfReader) -> None:
    pages = joined.pages
    for number, page in enumerate(pages, 1):
        assert page.extract_text().endswith(f"page {number} of {len(pages)}")
        footer: Any = page["/Resources"]["/XObject"]["/Footer"]  # type: ignore[index]
        assert footer.get_data().startswith(b"/Artifact")
    said = joined.trailer["/Root"]["/Metadata"].get_data()  # type: ignore[index,attr-defined]
    assert b"<xmpTPg:NPages>%d<" % len(pages) in said
    assert b"<pdfuaid:part>1<" in said


def test_equal_parts_give_equal_bytes(tmp_path: Path) -> None:
    one, other = (written(tmp_path / name, PARTS).read_bytes() for name in ("one.pdf", "other.pdf"))
    assert one == other


def test_one_part_is_a_document_too(tmp_path: Path) -> None:
    made = PdfReader(written(tmp_path / "one.pdf", PARTS[:1]))
    assert "Table T1 69" in made.pages[-1].extract_text()
    assert made.pages[-1].extract_text().endswith(f"page {len(made.pages)} of {len(made.pages)}")
