import asyncio
import json
from collections.abc import AsyncIterator

import msgspec
import pytest

from monitor.alerts import Alert, AlertState, Authority, Fact, Level, Rule, What
from monitor.events import Seat
from monitor.view import Counts, Phase, TableView
from monitor.web import hub as hub_module
from monitor.web.hub import QUEUE_FRAMES, Hub
from monitor.web.order import SETTLE_S
from monitor.web.pages import Screen

FLOOR = TableView("T1", phase=Phase.PLAY, turn=Seat.SOUTH)
DIRECTOR = TableView("T1", phase=Phase.PLAY, turn=Seat.SOUTH, counts=(Counts(Seat.EAST, rack=13),))


WRONG = Alert(
    id="T1-1-wrong_count-south",
    rule=Rule.WRONG_COUNT,
    at=9.0,
    raised_at=9.5,
    article="205",
    authority=Authority.LEAGUE,
    level=Level.RULING_DUE,
    message="South has 14 tiles.",
    state=AlertState.RAISED,
    facts=(Fact(What.RESTED, 9.0, 9.0, 9.0, seat=Seat.SOUTH, count=14),),
)


@pytest.fixture
async def hub(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Hub]:
    monkeypatch.setattr(hub_module, "MERGE_S", 0.0)
    hub = Hub(lambda: 1234.5678)
    task = asyncio.create_task(hub.run())
    yield hub
    task.cancel()


async def next_frame(stream: AsyncIterator[bytes], event: str) -> str:
    async with asyncio.timeout(5):
        async for frame in stream:
            for part in frame.decode().split("\n\n"):
                name, _, data = part.partition("\ndata: ")
                if name == f"event: {event}":
                    return data
    raise AssertionError("the stream ended")


async def test_a_page_gets_everything_then_what_changes(hub: Hub) -> None:
    hub.show(Screen.DIRECTOR, DIRECTOR)
    stream = hub.stream(Screen.DIRECTOR)
    assert await next_frame(stream, "clock") == "1234.568"
    first = json.loads(await next_frame(stream, "all"))
    assert "South to discard" in first[0]
    assert ">13<" in first[0]
    hub.show(Screen.DIRECTOR, TableView("T1", phase=Phase.OVER))
    assert "Hand over" in await next_frame(stream, "cards")


async def test_what_an_alert_rests_on_is_told_in_the_time_of_day_and_a_clock_that_is_set_is_followed() -> None:
    wall = [0.0]
    hub = Hub(lambda: 10.0, lambda: wall[0])
    for told_s, shown in ((0.0, "59:59.00: South"), (0.3, "59:59.00: South"), (900.0, "14:59.00: South")):
        wall[0] = told_s
        task = asyncio.create_task(hub.run())
        await asyncio.sleep(0.01)
        hub.show(Screen.DIRECTOR, TableView("T1"))
        hub.show(Screen.DIRECTOR, TableView("T1", alerts=(WRONG,)))
        assert shown in hub.cards(Screen.DIRECTOR)[0]
        task.cancel()


async def test_screens_do_not_mix(hub: Hub) -> None:
    hub.show(Screen.PUBLIC, FLOOR)
    hub.show(Screen.DIRECTOR, DIRECTOR)
    assert ">13<" not in hub.cards(Screen.PUBLIC)[0]
    assert ">13<" in hub.cards(Screen.DIRECTOR)[0]


async def test_the_same_view_again_is_no_update(hub: Hub) -> None:
    hub.show(Screen.PUBLIC, FLOOR)
    hub.cards(Screen.PUBLIC)
    hub.show(Screen.PUBLIC, FLOOR)
    assert not any(hub._changed.values())


async def test_the_monitors_own_trouble_is_the_directors(hub: Hub) -> None:
    director, public = hub.stream(Screen.DIRECTOR), hub.stream(Screen.PUBLIC)
    await next_frame(director, "notices")
    await next_frame(public, "clock")
    hub.notice("log", "The log cannot be written.")
    assert "cannot be written" in json.loads(await next_frame(director, "notices"))
    hub.notice("log", None)
    assert "cannot be written" not in json.loads(await next_frame(director, "notices"))
    (queue,) = hub._listeners[Screen.PUBLIC]
    while not queue.empty():
        assert b"notices" not in (queue.get_nowait() or b"")


async def test_a_page_that_does_not_read_is_let_go(hub: Hub) -> None:
    slow = hub.stream(Screen.PUBLIC)
    await next_frame(slow, "all")
    for number in range(QUEUE_FRAMES + 2):
        hub._send(Screen.PUBLIC, b"event: cards\ndata: %d\n\n" % number)
    assert not hub._listeners[Screen.PUBLIC]
    async with asyncio.timeout(5):
        assert [frame async for frame in slow] == []


async def test_closing_ends_every_stream(hub: Hub) -> None:
    stream = hub.stream(Screen.PUBLIC)
    await next_frame(stream, "all")
    hub.close()
    async with asyncio.timeout(5):
        assert [frame async for frame in stream] == []


def tables(count: int, **known: object) -> list[TableView]:
    return [TableView(f"T{number}", phase=Phase.PLAY, **known) for number in range(1, count + 1)]


def named(cards: list[str]) -> list[str]:
    return [card.partition('id="table-')[2].partition('"')[0] for card in cards]


@pytest.mark.parametrize("screen", Screen)
def test_tables_stand_in_the_order_that_people_count_in(screen: Screen) -> None:
    hub = Hub(lambda: 0.0)
    for view in reversed(tables(300)):
        hub.show(screen, view)
    assert named(hub.cards(screen)) == [f"T{number}" for number in range(1, 301)]


async def test_what_changes_together_is_sent_together_and_once_to_each_page(hub: Hub) -> None:
    for view in tables(300):
        hub.show(Screen.PUBLIC, view)
    pages = [hub.stream(Screen.PUBLIC) for _ in range(3)]
    for page in pages:
        assert len(json.loads(await next_frame(page, "all"))) == 300
    for turn in (Seat.EAST, Seat.SOUTH):
        for view in tables(300, turn=turn):
            hub.show(Screen.PUBLIC, view)
    frames = [await next_frame(page, "cards") for page in pages]
    assert len(set(frames)) == 1
    changes = json.loads(frames[0])
    assert len(changes) == 300
    assert all(list(change["parts"].values()) == ['<p class="turn">South to discard</p>'] for change in changes)


async def test_a_screen_that_nobody_looks_at_is_not_drawn(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Screen] = []
    render_card = hub_module.render_card
    monkeypatch.setattr(
        hub_module,
        "render_card",
        lambda screen, *rest, **more: drawn.append(screen) or render_card(screen, *rest, **more),
    )
    page = hub.stream(Screen.PUBLIC)
    await next_frame(page, "all")
    hub.show(Screen.DIRECTOR, DIRECTOR)
    hub.show(Screen.PUBLIC, FLOOR)
    await next_frame(page, "cards")
    assert drawn == [Screen.PUBLIC]
    assert ">13<" in hub.cards(Screen.DIRECTOR)[0]


def test_pictures_are_drawn_while_there_is_room_for_them() -> None:
    hub = Hub(lambda: 0.0)
    for view in tables(hub_module.PICTURES):
        hub.show(Screen.PUBLIC, view)
    assert all("<svg" in card for card in hub.cards(Screen.PUBLIC))
    hub.show(Screen.PUBLIC, TableView("T5"))
    assert not any("<svg" in card for card in hub.cards(Screen.PUBLIC))


async def test_a_table_that_needed_someone_goes_back_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "CLOCK_S", 0.0)
    now = [100.0]
    hub = Hub(lambda: now[0])
    late = msgspec.structs.replace(WRONG, rule=Rule.LATE_CALL)
    hub.show(Screen.PUBLIC, TableView("T1"))
    hub.show(Screen.PUBLIC, TableView("T2", alerts=(late,)))
    assert named(hub.cards(Screen.PUBLIC)) == ["T2", "T1"]
    hub.show(Screen.PUBLIC, TableView("T2"))
    assert named(hub.cards(Screen.PUBLIC)) == ["T2", "T1"]
    assert "card-waits" not in "".join(hub.cards(Screen.PUBLIC))
    now[0] += SETTLE_S
    task = asyncio.create_task(hub.run())
    page = hub.stream(Screen.PUBLIC)
    (change,) = json.loads(await next_frame(page, "cards"))
    assert change["id"] == "table-T2"
    assert named(hub.cards(Screen.PUBLIC)) == ["T1", "T2"]
    task.cancel()
