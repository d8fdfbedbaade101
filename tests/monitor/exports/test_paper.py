from collections import deque
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

import monitor.log
from monitor.alerts import AlertState, Authority
from monitor.errors import TooMuchForPaperError
from monitor.events import Corrected
from monitor.exports.entries import entries
from monitor.exports.export import Wanted, export
from monitor.exports.formats import Format
from monitor.exports.hand_pages import AlertLine, HandPage, HandPages, Named
from monitor.exports.page_words import printed
from monitor.exports.paper import Document, document_pdf
from monitor.exports.selection import Selection
from monitor.typesetting.sizes import Paper
from tests.monitor.exports.logs import NOW, Batch, a_hand, alert, evening, exported, fault, write_log


def pages(path: Path) -> list[str]:
    return [page.extract_text() for page in PdfReader(path).pages]


def test_a_page_a_hand_with_times_pace_alerts_and_events(tmp_path: Path) -> None:
    exported(evening(tmp_path / "log.sqlite"), Format.PDF, tmp_path / "out.pdf")
    told = pages(tmp_path / "out.pdf")
    assert len(told) == 4
    assert "log.sqlite" in told[0]
    assert "Times are UTC" in told[0]
    first = told[1]
    for words in (
        "Table T1, hand 1",
        "Monday 30 November 2026",
        "18:00:01",
        "1 min 29 s",
        "2 discards, one every 10 s",
        "South chair",
        "wall game",
        "Wrong number of tiles, South",
        "Article 205",
        "withdrawn",
        "South has 14 tiles.",
        "told 18:01:40",
        "withdrawn 18:05:00",
        "Sensor, West",
        "stands",
        "West racked",
        "−0.50 / +0.25 s",
        "97%",
        "Not shown: changes of a number of tiles (1)",
    ):
        assert words in first, words
    assert "Table T2, hand 1" in told[3]


@pytest.mark.parametrize(("paper", "size"), [(Paper.A4, (595, 842)), (Paper.LETTER, (612, 792))])
def test_sizes_of_paper(tmp_path: Path, paper: Paper, size: tuple[int, int]) -> None:
    log = evening(tmp_path / "log.sqlite")
    with monitor.log.open(log) as opened:
        export(opened, Wanted(Format.PDF, tmp_path / "out.pdf", paper=paper), NOW)
    box = PdfReader(tmp_path / "out.pdf").pages[0].mediabox
    assert (round(box.width), round(box.height)) == size


def test_it_prints_without_colour(tmp_path: Path) -> None:
    exported(evening(tmp_path / "log.sqlite"), Format.PDF, tmp_path / "out.pdf")
    for page in PdfReader(tmp_path / "out.pdf").pages:
        contents = page.get_contents()
        assert contents is not None
        operators = {bytes(operator) for _, operator in contents.operations}
        assert not operators & {b"rg", b"RG", b"k", b"K"}


def test_what_was_corrected_and_taken_back_is_marked(tmp_path: Path) -> None:
    records = [
        *a_hand(),
        Corrected(at=1056.0, seq=20, table="T1", replaces=7, new_kind="discarded", seen_at=1070.0),
        Corrected(at=1050.0, seq=21, table="T1", replaces=8, struck=True, seen_at=1071.0),
        Corrected(at=1050.0, seq=22, table="T1", replaces=999, struck=True, seen_at=1072.0),
    ]
    exported(write_log(tmp_path / "log.sqlite", [Batch(100, "T1", records)]), Format.PDF, tmp_path / "out.pdf")
    told = pages(tmp_path / "out.pdf")[1]
    assert "West discarded, corrected" in told
    assert "West discarded, taken back" in told
    assert "West racked" not in told
    assert "corrections of what is not shown (1)" in told


def test_a_strangers_text_is_set_as_text(tmp_path: Path) -> None:
    evil = '#panic("no") $x$ *b* `raw` \\ ] #sys.inputs " <a> @b // /* \n = H'
    log = write_log(tmp_path / "log.sqlite", [Batch(0, "#T[1]", [*a_hand(table="#T[1]"), alert(message=evil)])])
    exported(log, Format.PDF, tmp_path / "out.pdf")
    told = "".join(pages(tmp_path / "out.pdf"))
    assert "Table #T[1], hand 1" in told
    assert '#panic("no") $x$ *b* `raw` \\ ] #sys.inputs " <a> @b // /* = H' in told.replace("\n", " ")


@settings(max_examples=20, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_text_can_be_set(text: str) -> None:
    line = AlertLine(*[printed(text)] * 7, [Named(printed(text), "")])
    page = HandPage(printed(text), "", [], [Named("", printed(text))], [line], [], [], "")
    assert document_pdf(Document("a4", printed(text), printed(text), "UTC", "", [], [page]), NOW).startswith(b"%PDF")


def test_texts_are_fit_to_be_printed() -> None:
    assert printed("a\x00b\nc") == "a b c"
    assert len(printed("word " * 1000)) == 400
    assert printed("x" * 81) == "x" * 40 + "\u200b" + "x" * 40 + "\u200b" + "x"


def test_too_many_hands_are_refused_with_advice(tmp_path: Path) -> None:
    log = evening(tmp_path / "log.sqlite")
    with pytest.raises(TooMuchForPaperError, match=r"more than 2 hands .* Pick a table"):
        exported(log, Format.PDF, tmp_path / "out.pdf", max_hands=2)
    assert not (tmp_path / "out.pdf").exists()
    exported(log, Format.PDF, tmp_path / "out.pdf", Selection(table="T1"), max_hands=2)


def test_too_many_events_are_refused(tmp_path: Path) -> None:
    log = evening(tmp_path / "log.sqlite")
    few = HandPages(log, None, {}, max_lines=5)
    with monitor.log.open(log) as opened:
        told = list(entries(opened.records(), opened.runs(), Selection(), identities=False))
    with pytest.raises(TooMuchForPaperError, match="more than 5 events and alerts"):
        deque(map(few.take, told), maxlen=0)


def test_tables_are_in_the_order_people_count_in(tmp_path: Path) -> None:
    batches = [Batch(n, table, a_hand(table=table)) for n, table in enumerate(["T10", "T2", "Annex", "7"])]
    exported(write_log(tmp_path / "log.sqlite", batches), Format.PDF, tmp_path / "out.pdf")
    titles = [page.split(" Rackwatch")[0] for page in pages(tmp_path / "out.pdf")][1:]
    assert titles == [f"Table {table}, hand 1" for table in ("Annex", "T2", "T10", "7")]


def test_what_was_told_before_the_first_hand_is_no_hand_and_has_a_page(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.sqlite", [Batch(0, "T1", [a_hand()[3], fault()]), Batch(1, "T1", a_hand(5))])
    exported(log, Format.PDF, tmp_path / "out.pdf")
    told = pages(tmp_path / "out.pdf")
    assert len(told) == 3
    assert "Table T1, before the first hand" in told[1]
    assert "hand 1" in told[2]
    exported(log, Format.CSV, tmp_path / "out")
    assert (tmp_path / "out" / "hands.csv").read_text().count("\nT1,") == 1


def test_how_an_alert_ended_is_told_after_what_it_said(tmp_path: Path) -> None:
    lines = [
        alert(1, message="South has 15 tiles."),
        alert(2, message="South has 14 tiles."),
        alert(3, message="South has 13 again.", state=AlertState.RESOLVED),
        msgspec.structs.replace(alert(4), id="T1-event", article="E7", authority=Authority.EVENT),
        msgspec.structs.replace(fault(), article="none"),
    ]
    log = write_log(tmp_path / "log.sqlite", [Batch(100, "T1", [*a_hand(), *lines])])
    exported(log, Format.PDF, tmp_path / "out.pdf")
    told = pages(tmp_path / "out.pdf")[1]
    assert "South has 14 tiles. Then: South has 13 again." in told
    assert "Article E7, this event's rule" in told
    assert "Article none" not in told
    assert "15 tiles" not in told
