"""The director's console without a browser: its pages and forms on a real log, by whole pages and through the API."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest
from httpx import ASGITransport, AsyncClient
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from monitor.access.door import AT_THIS_MACHINE
from monitor.acts import (
    Acknowledged,
    Act,
    DeclaredDead,
    Declarer,
    Remarked,
    Taken,
    TimeAdded,
    Undone,
    Upheld,
)
from monitor.alerts import AlertState, Level, Rule
from monitor.docket import Case, Handling, Made, Refused
from monitor.events import NewHand, Seat
from monitor.rules.explain import explain
from monitor.web.access_pages import author_of
from monitor.web.act_forms import ActForm
from monitor.web.case_cards import Mine, part_of, place_of, render_case
from monitor.web.console import SETTLED_MOST, Console
from monitor.web.hub import Hub
from monitor.web.pages import Screen
from monitor.web.wanted import AGES, Wanted, wanted_by
from tests.monitor.test_chair import Clock, Scene, scene
from tests.monitor.test_docket import an_alert, case_of, do, docket_of
from tests.monitor.web.test_api import PROGRAM
from tests.monitor.web.venue import LOCAL, PASSWORD, Venue, everybody


def browser(venue: Venue) -> AsyncClient:
    """On this test's own event loop, as the log's writer is."""
    return AsyncClient(transport=ASGITransport(venue.app), base_url=LOCAL)


class Desk:
    """A scene, its venue, and browsers at it."""

    def __init__(self, at: Scene, venue: Venue) -> None:
        self.at, self.venue, self.docket = at, venue, at.chair.docket

    @asynccontextmanager
    async def signed_in(self, name: str) -> AsyncIterator[AsyncClient]:
        async with browser(self.venue) as client:
            form = {"_csrf_token": await proof(client, "/with"), "name": name, "password": PASSWORD}
            assert (await client.post("/sign-in", data=form)).status_code == 303
            yield client

    def case(self) -> Case:
        return case_of(self.docket)


@asynccontextmanager
async def desk(folder: Path) -> AsyncIterator[Desk]:
    async with scene(folder / "log.sqlite", Clock()) as at:
        yield Desk(at, Venue(folder, everybody(), chair=at.chair))


async def proof(client: AsyncClient, page: str = "/director") -> str:
    found = re.search(r'(?:data-proof|name="_csrf_token" value)="([0-9a-f]+)"', (await client.get(page)).text)
    assert found is not None
    return found[1]


async def post(client: AsyncClient, to: str = "/director/acts", json: bool = False, **fields: Any) -> Any:
    form = {"_csrf_token": await proof(client), "alert": "T1-1", "version": "0", **fields}
    return await client.post(to, data=form, headers={"accept": "application/json" if json else "text/html"})


def words_of(html: str) -> str:
    return " ".join(" ".join(ET.fromstring(html).itertext()).split())


# --- a case


def test_a_case_says_all_that_there_is_to_say() -> None:
    docket = docket_of(replace(an_alert(seat=Seat.WEST), confidence=0.93, message="<b>West</b> called late."))
    case = do(docket, Taken(), Upheld(), Undone(101), Remarked())
    text = words_of(render_case(case, 0.0, Mine(age_s=75.0)))
    for words in (
        "Table T1", "Late call · West", "First seen", "1:15 ago", "<b>West</b> called late.", "ruling due", "stands",
        "Article 107", "93 % sure", "hand 1", "Ada goes there.", "Ada took it", "Ada upheld it", "undone",
        "took back what Ada did: upheld it",
    ):  # fmt: skip
        assert words in text, words
    for title, lines in explain(case.alert).parts:
        assert not lines or title in text
    assert text.count("Undo ") == 3  # of what counts


@pytest.mark.parametrize(
    "acts", [(), (Acknowledged(),), (Taken(),), (Taken(), Upheld()), (DeclaredDead(Seat.WEST, Declarer.SOUTH),)]
)
def test_a_case_is_one_well_formed_element_without_script_or_style(acts: tuple[Act, ...]) -> None:
    root = ET.fromstring(render_case(do(docket_of(an_alert()), *acts), 0.0))
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for element in root.iter():
        assert element.tag not in {"script", "style"}
        assert not any(name == "style" or name.startswith("on") for name in element.attrib)
    fields = {element.get("id") for element in root.iter() if element.tag in {"select", "input"}}
    named = {element.get("for") for element in root.iter("label")}
    assert fields - {None} == named


@given(st.lists(st.tuples(st.floats(0, 2e9), st.sampled_from(Level), st.sampled_from(AlertState)), max_size=12))
def test_parts_and_places_are_the_dockets_order(found: list[tuple[float, Level, AlertState]]) -> None:
    docket = docket_of()
    for number, (raised_at, level, state) in enumerate(found):
        alert = an_alert(f"a{number}", raised_at=round(raised_at, 2), level=level)
        docket.take_alert(alert, 1, lambda at_s: at_s)
        if state is AlertState.RESOLVED:
            docket.take_alert(replace(alert, state=state), 1, lambda at_s: at_s)
    cases = docket.cases()
    for part in ("due", "open"):
        mine = [case for case in cases if part_of(case) == part]
        assert mine == sorted(mine, key=place_of)
    assert [part_of(case) for case in cases] == sorted(map(part_of, cases), key=["due", "open", "settled"].index)


# --- forms


@given(
    st.builds(
        ActForm,
        **{
            **dict.fromkeys(
                ActForm.__struct_fields__, st.text(max_size=6) | st.sampled_from(["1", "nan", "1e9", "-1"])
            ),
            "did": st.text(max_size=5) | st.sampled_from(["declared_dead", "time_added", "undone", "upheld", "noted"]),
        },
    )
)
def test_whatever_a_form_brings_is_an_act_or_a_refusal(form: ActForm) -> None:
    did = form.act()
    assert did.text if isinstance(did, Refused) else msgspec.json.decode(msgspec.json.encode(did), type=Act) == did
    assert -1 <= form.version_seen < 1 << 31


@pytest.mark.parametrize(
    ("form", "did"),
    [
        (ActForm(did="upheld"), Upheld()),
        (ActForm(did="declared_dead", seat="west", by="south"), DeclaredDead(Seat.WEST, Declarer.SOUTH)),
        (ActForm(did="time_added", minutes="2,5"), TimeAdded(150.0)),
        (ActForm(did="undone", record="7"), Undone(7)),
        (ActForm(did="declared_dead", by="south"), Refused("Say whose hand is dead, and who declared it.")),
        (ActForm(did="time_added"), Refused("Say how many minutes, more than 0 and at most 1440.")),
    ],
)
def test_forms_are_read(form: ActForm, did: Act | Refused) -> None:
    assert form.act() == did


def test_who_sits_at_this_machine_has_a_name_too() -> None:
    assert author_of(AT_THIS_MACHINE) == "this machine"


# --- whole pages, as without a script


async def test_a_case_is_taken_ruled_and_undone_by_whole_pages(tmp_path: Path) -> None:
    async with desk(tmp_path) as at, at.signed_in("Dora") as dora:
        calm = (await dora.get("/director")).text
        assert "Nothing needs a ruling." in calm
        assert "T1-1" not in calm
        await at.at.tell(NewHand(at=5.0), an_alert())
        assert "West called late." in (await dora.get("/director")).text
        done = await post(dora, "/director/acts?table=T1", did="taken")
        assert (done.status_code, done.headers["location"]) == (303, "/director?table=T1&done=3#case-T1-1")
        page = (await dora.get(done.headers["location"])).text
        assert "Dora goes there." in page
        assert ">Done.</p>" in page
        dead = await post(dora, version="1", did="declared_dead", seat="west", by="director", words="Shown.")
        assert "T1 takes West&#39;s hand for dead." in (await dora.get(dead.headers["location"])).text
        assert at.case().handling is Handling.RULED
        record = str(at.case().rulings[-1].record)
        undone = await post(dora, version="2", did="undone", record=record)
        assert "no input brings a hand back" in (await dora.get(undone.headers["location"])).text
        assert at.case().handling is Handling.TAKEN
        assert [line.made.author for line in at.case().acts] == ["Dora"] * 3


async def test_of_two_consoles_one_is_told_what_the_other_did_and_loses_nothing_that_was_typed(tmp_path: Path) -> None:
    async with desk(tmp_path) as at, at.signed_in("Dora") as dora, at.signed_in("Ada") as ada:
        await at.at.tell(an_alert())
        await post(dora, did="taken")
        typed = {"words": 'Both "agree" <b>', "seat": "north", "by": "east", "minutes": "7"}
        refused = await post(ada, did="declared_dead", **typed)
        assert refused.status_code == 409
        text = refused.text
        assert "Meanwhile Dora took it." in text
        assert "Dora goes there." in text
        assert 'value="Both &#34;agree&#34; &lt;b&gt;"' in text
        assert 'value="7"' in text
        assert '<option value="north" selected="selected">' in text
        assert '<option value="east" selected="selected">' in text
        assert 'name="version" value="1"' in text  # sent again, it is on what was shown
        assert (await post(ada, version="1", did="declared_dead", **typed)).status_code == 303
        again = await post(dora, version="2", did="dismissed", json=True)
        assert again.json() == {"good": True, "text": "Done.", "version": 3}
        both = await post(dora, version="3", did="upheld", json=True)
        assert both.json()["good"] is False
        assert both.json()["text"] == "It cannot be upheld and dismissed: undo the one first."


async def test_a_refusal_about_a_case_that_is_filtered_out_or_gone_is_still_told(tmp_path: Path) -> None:
    async with desk(tmp_path) as at, at.signed_in("Dora") as dora:
        await at.at.tell(an_alert())
        hidden = await post(dora, "/director/acts?table=T2", did="noted")
        assert "A note needs words." in hidden.text
        gone = await post(dora, alert="T9-9", did="taken")
        assert (gone.status_code, "There is no such case." in gone.text) == (409, True)


@pytest.mark.parametrize("fields", [{"did": ""}, {"alert": "", "did": "taken"}])
async def test_what_is_no_form_of_ours_is_refused(tmp_path: Path, fields: dict[str, str]) -> None:
    async with desk(tmp_path) as at, at.signed_in("Dora") as dora:
        assert (await post(dora, **fields)).status_code == 400
        bare = await dora.post("/director/acts", data={"alert": "T1-1", "did": "taken"})
        assert bare.status_code == 403  # without the proof that a form of ours carries
        assert at.docket.cases() == []


async def test_cases_are_filtered_by_table_rule_and_age(tmp_path: Path) -> None:
    async with desk(tmp_path) as at, at.signed_in("Dora") as dora:
        await at.at.tell(an_alert(), an_alert("T1-2", rule=Rule.OUT_OF_TURN))
        for query, shown in (
            ("", ["T1-1", "T1-2"]), ("?table=T1", ["T1-1", "T1-2"]), ("?table=T2", []), ("?rule=late_call", ["T1-1"]),
            ("?rule=nonsense&age=nonsense", ["T1-1", "T1-2"]),
        ):  # fmt: skip
            page = (await dora.get(f"/director{query}")).text
            assert re.findall(r'id="case-([^"]+)"', page) == shown, query


def test_a_wish_goes_through_an_address_and_back() -> None:
    for age in ("", *AGES):
        wanted = Wanted("T1", "late_call", age)
        assert wanted_by(dict(re.findall(r"(\w+)=([^&]+)", wanted.query()))) == wanted
    case = case_of(docket_of(an_alert()))
    assert Wanted(age="under-10").as_filter().takes(case, 11.0 + 599.0)
    assert not Wanted(age="under-10").as_filter().takes(case, 11.0 + 601.0)
    assert Wanted(age="over-10").as_filter().takes(case, 11.0 + 601.0)


# --- live


async def test_a_change_is_drawn_once_and_sent_to_every_console(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []

    def draw(case: Case, ahead_s: float) -> str:
        drawn.append(case.alert.id)
        return render_case(case, ahead_s)

    monkeypatch.setattr("monitor.web.console.render_case", draw)
    async with scene(tmp_path / "log.sqlite", Clock()) as at:
        hub = Hub(lambda: 0.0, lambda: 1e9)
        console = Console(at.chair, hub)
        streams = [hub.stream(Screen.CONSOLE, console.everything) for _ in range(2)]
        for stream in streams:
            first = [await anext(stream) for _ in range(5)]
            assert first[-1] == b'event: cases\ndata: {"cards":[],"gone":[],"whole":true}\n\n'
        await at.tell(an_alert())
        for stream in streams:
            assert b"West called late." in await anext(stream)
        await at.chair.act("Ada", "T1-1", Taken(), 0)
        await at.chair.act("Ada", "T1-1", Remarked(), 0, "On my way.")
        for stream in streams:
            frame = await anext(stream)
            assert b"Ada goes there." in frame
            assert b"On my way." in frame  # merged
        assert drawn == ["T1-1", "T1-1"]
        await at.tell(an_alert("T1-2"))
        await at.tell(replace(an_alert("T1-2"), state=AlertState.WITHDRAWN))
        assert b'"gone":["T1-2"]' in await anext(streams[0])


def test_of_what_is_settled_the_newest_are_shown_first() -> None:
    docket = docket_of()
    for number in range(SETTLED_MOST + 10):
        alert = an_alert(f"a{number:03}", raised_at=float(number))
        docket.take_alert(alert, 1, lambda at_s: at_s)
        docket.take_act(alert.id, Made(number, "Ada", 1.0, "", Upheld()))

    class OnlyDocket:
        def __init__(self) -> None:
            self.docket = docket

        def listen(self, hear: object) -> None: ...

    shown = Console(OnlyDocket(), Hub(lambda: 0.0)).shown()  # type: ignore[arg-type]
    assert [case.alert.id for case in shown] == [f"a{number:03}" for number in range(SETTLED_MOST + 9, 9, -1)]


# --- the API


async def test_a_program_acts_through_the_api(tmp_path: Path) -> None:
    async with desk(tmp_path) as at, browser(at.venue) as client:
        await at.at.tell(an_alert())

        async def act(alert: str = "T1-1", **body: Any) -> tuple[int, Any]:
            answer = await client.post(f"/api/v1/alerts/{alert}/acts", json=body, headers=PROGRAM)
            return answer.status_code, answer.json()

        taken = {"what": "taken"}
        assert await act(did=taken, version=0) == (201, {"record": 2, "text": "", "version": 1})
        assert at.case().by == "program"
        status, body = await act(did={"what": "upheld"}, version=0)
        assert (status, body["detail"]) == (409, "Meanwhile program took it.")
        assert (await act(did=taken, version=1))[1]["detail"] == "You have taken it already."
        assert (await act("T1-9", did=taken, version=0))[0] == 404
        assert (await act(did={"what": "shrugged"}, version=1))[0] == 400
        assert (await act(did=taken, version=1, author="Ada"))[0] == 400
