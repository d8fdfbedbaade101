"""One table's page and its earlier hands: what a director is shown, what is written down, and what is never sent."""

import asyncio
import json
import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from bench.web import bare_sources
from firmware_bridge.received import Published
from monitor.alerts import Alert
from monitor.audience import Audience
from monitor.chair import Chair
from monitor.docket import Docket
from monitor.events import (
    SEATS,
    CountChanged,
    Discarded,
    Event,
    NewHand,
    Racked,
    Seat,
    Zone,
)
from monitor.history import Histories
from monitor.log.notes import Note, Said
from monitor.log.place import log_place
from monitor.log.reader import Run
from monitor.log.scribe import Logged
from monitor.resuming import Resumed
from monitor.round_clock import RoundClock
from monitor.standing import Standing
from monitor.view import Counts, TableView
from monitor.web import hand_shelf, table_page
from monitor.web.hand_shelf import KEPT_S, LATEST_KEPT_S, Shelf
from monitor.web.hub import Hub
from monitor.web.pages import Screen
from monitor.web.plot import SHOWN_S, plot
from monitor.web.replay_page import moment_of
from monitor.web.table_page import Watching
from monitor.web.table_parts import Moment, moment, rack_lines
from tests.monitor.test_stored_hand import ALERT, FIRST, SECOND, write
from tests.monitor.web.venue import Venue, everybody, proof, sign_in


def standing(*events: Event) -> list[Standing]:
    return [Standing(event, event, (event.seq,), 0) for event in sorted(events, key=lambda one: one.at)]


class Told:
    """A chair whose log is this list."""

    def __init__(self) -> None:
        self.notes: list[Note] = []
        self.sent: list[Published] = []
        resumed = Resumed(Docket(), RoundClock(), Run(1, 0, 0.0, ""))
        self.chair = Chair({"T1": Audience()}, resumed, self._append, self.sent.append, lambda: 50.0)

    async def _append(self, table: str, notes: Sequence[Note]) -> None:
        self.notes += notes
        group = [Logged(len(self.notes), table, 1, note) for note in notes]
        asyncio.get_running_loop().call_soon(self.chair.take, group)


def venue(folder: Path, **more: Any) -> Venue:
    made = Venue(folder, everybody(), **more)
    made.hub.show(Screen.DIRECTOR, TableView("T1", counts=(Counts(Seat.EAST, rack=13, confidence=0.7),)))
    return made


def say(client: Any, *, accept: str = "application/json", **form: str) -> Any:
    data = {"_csrf_token": proof(client), **form}
    return client.post("/table/T1/say", data=data, headers={"accept": accept})


def test_an_input_is_written_down_with_its_author_and_sent_to_its_table(tmp_path: Path) -> None:
    told = Told()
    with venue(tmp_path, chair=told.chair).client() as client:
        sign_in(client, "Dora")
        said = say(client, said="call", seat="north", claim="kong", discard_by="", other="")
        assert said.json() == {"done": True, "text": "In the log as record 1."}
        (note,) = told.notes
        assert isinstance(note, Said)
        assert (note.author, note.seat, note.said.claim, note.said.discard_by) == ("Dora", Seat.NORTH, "kong", None)
        assert [one.topic for one in told.sent] == ["rackwatch/v1/T1/north/input"]
        refused = say(client, said="seats_swapped", seat="east", other="east")
        assert (refused.status_code, refused.json()["done"]) == (409, False)
        assert "another seat" in refused.json()["text"]
        assert say(client, said="call", seat="nobody").status_code == 400
        assert say(client, said="").status_code == 400
        assert client.post("/table/T1/say", data={"said": "new_hand"}).status_code == 403, "without the form's proof"
        assert client.post("/table/T9/say", data={"_csrf_token": proof(client)}).status_code == 404
    assert len(told.notes) == 1


def test_without_a_script_the_page_comes_back_or_says_why_not(tmp_path: Path) -> None:
    with venue(tmp_path, chair=Told().chair).client() as client:
        sign_in(client, "Dora")
        done = say(client, accept="text/html", said="new_hand")
        assert (done.status_code, done.headers["location"]) == (303, "/table/T1")
        refused = say(client, accept="text/html", said="named")
        assert refused.status_code == 409
        assert "says nothing without it" in refused.text


def test_the_stream_brings_the_same_parts_as_the_page_and_only_for_who_looks(tmp_path: Path) -> None:
    made = venue(tmp_path)
    made.histories.take("T1", Discarded(at=-10.0, seq=1, seat=Seat.WEST))
    with made.client() as client:
        sign_in(client, "Dora")
        page = client.get("/table/T1").text
        stream = client.get("/stream/table/T1").text
        parts = json.loads(re.findall(r"event: moment\ndata: (.*)", stream)[0])["parts"]
        assert set(parts) == {"seen", "needs", "lines", "plot", "story"}
        for part in parts.values():
            assert part in page
        assert "13?, unsure (70 %)" in parts["lines"]
        assert "West discarded" in parts["story"]


async def test_a_table_is_drawn_once_for_all_who_look_and_not_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    def counted(view: TableView, *rest: Any) -> Moment:
        drawn.append(view.table)
        return moment(view, *rest)

    monkeypatch.setattr(table_page, "moment", counted)
    monkeypatch.setattr(table_page, "EVERY_S", 0.05)
    now_s, may = [0.0], [True]
    hub = Hub(lambda: now_s[0])
    for table in ("T1", "T2"):
        hub.show(Screen.DIRECTOR, TableView(table))
    watching = Watching(replace(bare_sources(hub), histories=Histories(["T1", "T2"])))
    pages = [watching.stream("T1", lambda: may[0]) for _ in range(3)]
    for page in pages:
        assert (await anext(page)).startswith(b"retry")
        assert b'"plot"' in await anext(page)
    assert drawn == ["T1"]
    now_s[0] = 1.0
    later = [await anext(page) for page in pages]
    assert drawn == ["T1", "T1"]
    assert all(b'"seen"' not in frame and b'"now_s":1.0' in frame for frame in later), "only what changed is sent"
    may[0] = False
    for page in pages:
        with pytest.raises(StopAsyncIteration):
            await anext(page)
    assert watching._watchers == 0


def test_doubt_is_told_in_words_and_in_the_picture() -> None:
    counts = (
        Counts(Seat.EAST, rack=14, confidence=0.62),
        Counts(Seat.SOUTH, rack=13, ledge=3),
        Counts(Seat.WEST, rack=None, reason="(rack is touched)"),
    )
    view = TableView("T1", counts=counts)
    thrown = [Discarded(at=4.0, seq=1, seat=Seat.SOUTH), Discarded(at=9.0, seq=2, seat=Seat.SOUTH)]
    lines = rack_lines(view, standing(*thrown))
    assert [line.number for line in lines[:3]] == [
        "14?, unsure (62 %)",
        "13, sure",
        "number not known (rack is touched)",
    ]
    assert (lines[1].ledge, lines[1].discards, lines[1].latest_s) == ("3", 2, 9.0)
    seen = moment(view, [], [], 10.0, str).parts["seen"]
    assert ">14?<" in seen
    assert seen.count("rack-doubted") == 1


def test_where_counts_are_off_nothing_tells_of_one() -> None:
    parts = moment(TableView("T1"), standing(Racked(at=1.0, seat=Seat.EAST)), [], 10.0, str).parts
    assert "Tiles" not in parts["lines"]
    assert "Exposed" not in parts["lines"]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.builds(
            CountChanged, at=st.floats(0, 900), seat=st.sampled_from(SEATS), count=st.none() | st.integers(0, 152)
        )
        | st.builds(Discarded, at=st.floats(0, 900), seat=st.sampled_from(SEATS)),
        max_size=60,
    ),
    st.floats(0, 1000),
)
def test_a_plot_is_well_formed_and_knows_nothing_of_what_comes(events: list[Event], now_s: float) -> None:
    drawn = plot(standing(*events), now_s)
    ET.fromstring(drawn)
    assert drawn == plot(standing(*(one for one in events if one.at <= now_s)), now_s)
    near = [one for one in events if isinstance(one, Discarded) and now_s - SHOWN_S <= one.at <= now_s]
    assert drawn.count("<path") == len(near)


async def test_hands_are_listed_with_what_they_come_to(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    await write(path, {"T1": [*FIRST, *SECOND]})
    listed = await Shelf(log_place(path), {"T1": Audience()}, lambda: 0.0).listed("T1")
    assert [(one.hand, one.discards, one.alerts) for one in listed.hands] == [(2, 2, 1), (1, 0, 0)]
    assert listed.before is None
    uncounted = await Shelf(log_place(path), {"T1": Audience(count_monitoring=False)}, lambda: 0.0).listed("T1")
    assert [one.alerts for one in uncounted.hands] == [0, 0]


async def test_a_long_log_is_listed_page_by_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_shelf, "LISTED", 3)
    path = tmp_path / "log.sqlite"
    hands: list[Event | Alert] = []
    for number in range(8):
        hands += [NewHand(at=number * 10.0), Discarded(at=number * 10.0 + 1, seat=Seat.EAST)]
    await write(path, {"T1": hands})
    shelf, found, before = Shelf(log_place(path), {"T1": Audience()}, lambda: 0.0), [], None
    while True:
        listed = await shelf.listed("T1", before)
        found.append([one.hand for one in listed.hands])
        if (before := listed.before) is None:
            break
    assert found == [[8, 7, 6], [5, 4, 3], [2, 1]]


async def test_a_hand_is_played_back_up_to_each_moment_and_without_identities(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    await write(path, {"T1": [*FIRST, *SECOND]})
    stored = await Shelf(log_place(path), {"T1": Audience()}, lambda: 0.0).hand("T1", 2)
    assert stored is not None
    began, alert_s = stored.timeline.began_s, stored.timeline.alerts_s[0]
    before, after = moment_of(stored, alert_s - began - 0.5).moment, moment_of(stored, alert_s - began).moment
    assert ALERT.message not in before.parts["needs"]
    assert ALERT.message in after.parts["needs"]
    assert "South discarded" in after.parts["story"]
    assert "West discarded" not in after.parts["story"]
    assert moment_of(stored, -5.0).s == 0.0
    assert moment_of(stored, 1e9).moment.now_s == stored.timeline.ended_s
    everything = b"".join(msgspec.json.encode(moment_of(stored, one.at_s - began)) for one in stored.timeline.moments)
    assert b"SECRET" not in everything


async def test_a_hand_of_an_event_without_counts_is_played_back_without_any(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    counted = [CountChanged(at=41.0, seq=20, seat=Seat.WEST, count=97, zone=Zone.RACK)]
    await write(path, {"T1": [*FIRST, SECOND[0], *counted, *SECOND[1:]]})
    for audience, told in ((Audience(), True), (Audience(count_monitoring=False), False)):
        stored = await Shelf(log_place(path), {"T1": audience}, lambda: 0.0).hand("T1", 2)
        assert stored is not None
        began = stored.timeline.began_s
        ends = [moment_of(stored, one.at_s - began) for one in stored.timeline.moments]
        everything = b"".join(map(msgspec.json.encode, ends)).decode()
        assert (">97" in everything, ALERT.message in everything) == (told, told)


async def test_the_last_few_hands_are_kept_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, now_s = tmp_path / "log.sqlite", [0.0]
    await write(path, {"T1": [*FIRST, *SECOND]})
    shelf = Shelf(log_place(path), {"T1": Audience()}, lambda: now_s[0])
    first, latest = await shelf.hand("T1", 1), await shelf.hand("T1", 2)
    assert await shelf.hand("T1", 1) is first
    assert await shelf.hand("T1", 2) is latest
    assert await shelf.hand("T1", 9) is None
    now_s[0] = LATEST_KEPT_S
    assert await shelf.hand("T1", 1) is first
    assert await shelf.hand("T1", 2) is not latest, "it may have grown"
    now_s[0] = KEPT_S
    assert await shelf.hand("T1", 1) is not first
    monkeypatch.setattr(hand_shelf, "KEPT", 1)
    again = await shelf.hand("T1", 1)
    await shelf.hand("T1", 2)
    assert await shelf.hand("T1", 1) is not again


async def test_a_hand_that_was_purged_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    await write(path, {"T1": [*FIRST, *SECOND]})
    with sqlite3.connect(path) as database:
        database.execute("DROP TRIGGER records_update")
        database.execute("UPDATE records SET payload = NULL WHERE hand = 1")
    shelf = Shelf(log_place(path), {"T1": Audience()}, lambda: 0.0)
    assert await shelf.hand("T1", 1) is None
    assert [one.hand for one in (await shelf.listed("T1")).hands] == [2]


async def test_addresses_of_hands(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    await write(path, {"T1": [*FIRST, *SECOND]})
    made = venue(tmp_path, place=log_place(path), audiences={"T1": Audience()})

    def ask() -> dict[str, int]:
        with made.client() as client:
            sign_in(client, "Dora")
            paths = ("", "?before=2", "?before=x", "/2", "/2/at", "/2/at?s=3", "/2/at?s=nan", "/7", "/7/at", "/-1")
            found = {one: client.get(f"/table/T1/hands{one}").status_code for one in paths}
            assert client.get("/table/T2/hands").status_code == 404
            page = client.get("/table/T1/hands/2").text
            assert 'data-at="/table/T1/hands/2/at"' in page
            assert "SECRET" not in page
            return found

    found = await asyncio.to_thread(ask)
    good = dict.fromkeys(("", "?before=2", "/2", "/2/at", "/2/at?s=3"), 200)
    assert found == {**good, "?before=x": 400, "/2/at?s=nan": 400, "/7": 404, "/7/at": 404, "/-1": 404}


async def test_a_log_that_cannot_be_read_is_told_on_the_page(tmp_path: Path) -> None:
    made = venue(tmp_path, place=log_place(tmp_path / "none.sqlite"), audiences={"T1": Audience()})
    with made.client() as client:
        sign_in(client, "Dora")
        for path in ("hands", "hands/1", "hands/1/at"):
            answer = client.get(f"/table/T1/{path}")
            assert answer.status_code == 503
            assert "none.sqlite" not in answer.text
