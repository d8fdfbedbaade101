import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from monitor.alerts import Alert, AlertState, Authority, Fact, Level, Rule, What
from monitor.events import SEATS, Discarded, Seat
from monitor.rules.explain import explain
from monitor.view import Counts, Phase, TableView, Window, WindowState
from monitor.web import pages
from monitor.web.pages import Screen, render_card, render_notices, render_page, render_refusal, render_round
from monitor.web.picture import MAX_TILES, racks
from monitor.web.round_face import RoundFace
from monitor.wording import time_of_day


def alert(state: AlertState = AlertState.RAISED) -> Alert:
    return Alert(
        id="a",
        rule=Rule.LATE_CALL,
        at=9.0,
        raised_at=10.0,
        article="107",
        authority=Authority.EVENT,
        level=Level.RULING_DUE,
        message="<b>West</b> called late.",
        state=state,
        seat=Seat.WEST,
    )


BUSY = TableView(
    "T1",
    hand=3,
    phase=Phase.PLAY,
    east=Seat.EAST,
    turn=Seat.SOUTH,
    window=Window(WindowState.OPEN, Seat.EAST, 7.0),
    last_discard=7.0,
    dead=(Seat.NORTH,),
    counts=(Counts(Seat.EAST, rack=13), Counts(Seat.SOUTH, slope=10, ledge=3), Counts(Seat.WEST, reason="moving")),
    alerts=(alert(),),
    recent=(Discarded(at=7.0, seat=Seat.EAST),),
)


FACTS = (
    Fact(What.DISCARDED, 7.0, 7.0, 7.0, seat=Seat.EAST),
    Fact(What.RACKED, 8.0, 7.9, 8.1, seat=Seat.SOUTH),
    Fact(What.CALLED, 9.0, 9.0, 9.0, seat=Seat.WEST),
)
EXPLAINED = TableView("T1", alerts=(replace(alert(), facts=FACTS),))


def well_formed(html: str) -> ET.Element:
    return ET.fromstring(html)


@pytest.mark.parametrize("screen", Screen)
@pytest.mark.parametrize("view", [TableView("T1"), BUSY])
def test_cards_are_well_formed_and_hold_no_inline_script_or_style(screen: Screen, view: TableView) -> None:
    card = render_card(screen, view).html
    root = well_formed(card)
    assert root.get("id") == "table-T1"
    for element in root.iter():
        assert element.tag not in {"script", "style"}
        assert not any(name == "style" or name.startswith("on") for name in element.attrib)


def test_a_directors_card_says_what_is_known() -> None:
    text = " ".join(well_formed(render_card(Screen.DIRECTOR, BUSY).html).itertext())
    for words in ("T1", "hand 3", "Play", "South to discard", "on East's discard", "East discarded", "Late call"):
        assert words in text
    assert "this event's rule" in text
    assert "<b>" in text  # a message is text, whatever it holds


def test_a_directors_card_explains_an_alert_and_the_publics_does_not() -> None:
    text = " ".join(well_formed(render_card(Screen.DIRECTOR, EXPLAINED, time_of_day(0.0)).html).itertext())
    for part in explain(EXPLAINED.alerts[0], time_of_day(0.0)).parts:
        for words in (part[0], *part[1]):
            assert words in text
    assert re.search(r"\d\d:00:08\.00 ± 0\.10 s: South racked\.", text)
    assert "What may follow" not in render_card(Screen.PUBLIC, EXPLAINED).html


def test_the_publics_card_lists_only_what_stands() -> None:
    ended = TableView("T1", alerts=(alert(AlertState.WITHDRAWN),))
    assert "called late" not in render_card(Screen.PUBLIC, ended).html
    assert "called late" in render_card(Screen.DIRECTOR, ended).html


@pytest.mark.parametrize("state", [AlertState.WITHDRAWN, AlertState.RESOLVED])
def test_an_alert_that_no_longer_stands_says_so_and_stays_readable(state: AlertState) -> None:
    card = well_formed(render_card(Screen.DIRECTOR, TableView("T1", alerts=(alert(state),))).html)
    (head,) = card.findall(".//p[@class='alert-head']")
    assert state.value in "".join(head.itertext())
    assert "line-through" not in (Path(pages.__file__).parent / "static" / "floor.css").read_text()


def test_racks_from_above() -> None:
    pictures = racks(BUSY)
    assert [one.seat for one in pictures] == list(SEATS)
    assert [one.number for one in pictures] == ["13", "13", "?", ""]
    assert [len(one.tiles) for one in pictures] == [13, 13, 0, 0]
    assert [one.turn for one in pictures] == [False, True, False, False]
    assert pictures[1].title == "South, 13 tiles, 10 on the slope, 3 on the ledge, in turn"
    assert pictures[2].title == "West, number not known moving"
    assert pictures[3].title == "North, declared dead"
    assert pictures[0].title.startswith("East, 13 tiles, East of this hand")


@pytest.mark.parametrize("count", [0, 1, 14, MAX_TILES, 40])
def test_tiles_stay_inside_their_rack(count: int) -> None:
    tiles = racks(TableView("T1", counts=(Counts(Seat.EAST, rack=count),)))[0].tiles
    assert len(tiles) == min(count, MAX_TILES)
    assert all(84 <= tile.x <= 316 - 13 for tile in tiles)


def test_a_page_is_whole() -> None:
    page = render_page(Screen.PUBLIC, [render_card(Screen.PUBLIC, BUSY).html], [], render_round(RoundFace()))
    assert page.startswith("<!doctype html>")
    assert 'data-stream="/stream/public"' in page
    assert not re.search(r"<script(?![^>]*src=)", page)
    assert not re.findall(r"(?:src|href)=\"(?!/|https?:)", page)
    assert "http" not in re.sub(r"xmlns=\"[^\"]*\"", "", page)
    assert "No table has reported yet" in render_page(Screen.PUBLIC, [], [], render_round(RoundFace()))


def test_notices_and_refusals_are_text() -> None:
    assert "&lt;i&gt;" in render_notices(["<i>disk</i>"])
    assert "&lt;i&gt;" in render_refusal("<i>", "…")


@pytest.mark.parametrize("screen", Screen)
@pytest.mark.parametrize("picture", [True, False])
@pytest.mark.parametrize("view", [TableView("T1"), BUSY])
def test_every_part_of_a_card_is_one_element(screen: Screen, view: TableView, *, picture: bool) -> None:
    card = render_card(screen, view, picture=picture)
    assert [ET.tostring(child) for child in well_formed(card.html)] == [
        ET.tostring(well_formed(part)) for part in card.parts
    ]


def test_an_update_holds_only_the_parts_that_changed() -> None:
    before = render_card(Screen.PUBLIC, BUSY, picture=False)
    later = render_card(Screen.PUBLIC, replace(BUSY, turn=Seat.WEST), picture=False)
    assert before.change_from(before) is None
    change = later.change_from(before)
    assert change is not None
    assert change.card == ""
    assert list(change.parts.values()) == ['<p class="turn">West to discard</p>']
    assert [later.parts[index] for index in change.parts] == list(change.parts.values())


def test_a_card_that_is_new_or_stands_elsewhere_is_sent_whole() -> None:
    card = render_card(Screen.PUBLIC, BUSY, place="1")
    for old in (None, render_card(Screen.PUBLIC, BUSY, place="2"), render_card(Screen.PUBLIC, BUSY, picture=False)):
        change = card.change_from(old)
        assert change is not None
        assert (change.card, change.parts) == (card.html, {})


def test_a_card_tells_time_of_its_tables_own_alone() -> None:
    assert "min" not in render_card(Screen.PUBLIC, BUSY).html
    assert '<span class="added">+5 min 30 s</span>' in render_card(Screen.PUBLIC, BUSY, added_s=330.0).html
    assert '<span class="added">−1 min</span>' in render_card(Screen.DIRECTOR, BUSY, added_s=-60.0).html


def test_a_card_without_picture_says_in_a_line_who_is_needed() -> None:
    faulty = replace(BUSY, health=(replace(alert(), rule=Rule.SENSOR_FAULT, seat=Seat.SOUTH),))
    root = well_formed(render_card(Screen.PUBLIC, faulty, picture=False).html)
    lines = [
        " ".join("".join(line.itertext()).split()) for line in root.iter() if "line" in line.get("class", "").split()
    ]
    assert lines == ["Late call · West", "Sensors · South"]
    assert root.find(".//svg") is None
    assert root.get("class") == "card card-waits"
