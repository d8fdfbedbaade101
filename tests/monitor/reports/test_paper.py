"""A report is written whole or not at all, as one file, and safe to print."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from monitor.errors import UnusableFileError
from monitor.reports import paper
from monitor.reports.paper import Kind, check_out, html, write_report
from monitor.typesetting.sizes import Paper
from tests.monitor.reports.printed import pdf
from tests.monitor.reports.test_session_page import alert, page


def test_html_is_one_file_without_script_that_a_reader_can_follow() -> None:
    markup = b"".join(html(Kind.SESSION, page(alert()))).decode()
    assert not re.search(r"<script|<link|src=|url\(|@import|https?://(?!www\.w3\.org/2000/svg)", markup)
    assert markup.count("<h1>") == 1
    assert '<html lang="en">' in markup
    assert all('scope="' in head for head in re.findall(r"<th[ >][^>]*", markup))
    assert all("aria-label=" in svg for svg in re.findall(r"<svg[^>]*", markup))


def test_pictures_are_black_and_white() -> None:
    markup = b"".join(html(Kind.SESSION, page(alert()))).decode()
    for red, green, blue in re.findall(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})\b", markup):
        assert red == green == blue


def test_pdf_is_tagged_and_equal_pages_give_equal_bytes() -> None:
    made = pdf(Kind.SESSION, page(alert()))
    assert made.startswith(b"%PDF-")
    assert b"/StructTreeRoot" in made or b"pdfuaid" in made
    assert made == pdf(Kind.SESSION, page(alert()))


@pytest.mark.parametrize("name", ["report.pdf", "report.html", "Report.PDF"])
def test_a_report_is_written_under_its_name(name: str, tmp_path: Path) -> None:
    out = tmp_path / name
    write_report(out, Kind.SESSION, page(), Paper.LETTER)
    assert out.read_bytes().startswith(b"%PDF-" if name.lower().endswith("pdf") else b"<!DOCTYPE html>")
    assert list(tmp_path.iterdir()) == [out]


def test_what_breaks_off_leaves_the_old_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "report.html"
    out.write_text("the old one")

    def broken(*_: object) -> Iterator[bytes]:
        yield b"half"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(paper, "html", broken)
    with pytest.raises(UnusableFileError, match="cannot be written: No space left"):
        write_report(out, Kind.SESSION, page())
    assert out.read_text() == "the old one"
    assert list(tmp_path.iterdir()) == [out]


def test_a_name_that_cannot_be_is_told_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(UnusableFileError, match=r"as \.pdf or \.html"):
        check_out(tmp_path / "report.doc")
    with pytest.raises(UnusableFileError, match="is a folder"):
        check_out(tmp_path_named(tmp_path, "folder.pdf"))
    with pytest.raises(UnusableFileError, match="is read by this command"):
        check_out(tmp_path / "log.html", keep=[tmp_path / "log.html"])
    with pytest.raises(UnusableFileError, match="cannot be written"):
        write_report(tmp_path / "no such folder" / "report.html", Kind.SESSION, page())


def tmp_path_named(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    return made
