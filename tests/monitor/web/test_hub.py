import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from monitor.alerts import Alert, AlertState, Authority, Fact, Level, Rule, What
from monitor.events import Seat
from monitor.view import Counts, Phase, TableView
from monitor.web import hub as hub_module
from monitor.web.hub import QUEUE_FRAMES, Hub
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
    first = json.loads(await next_frame(stream, "card"))
    assert "South to discard" in first
    assert ">13<" in first
    hub.show(Screen.DIRECTOR, TableView("T1", phase=Phase.OVER))
    assert "Hand over" in json.loads(await next_frame(stream, "card"))


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
    assert not hub._changed


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
    await next_frame(slow, "clock")
    for number in range(QUEUE_FRAMES + 2):
        hub._send(Screen.PUBLIC, b"event: card\ndata: %d\n\n" % number)
    assert not hub._listeners[Screen.PUBLIC]
    async with asyncio.timeout(5):
        assert [frame async for frame in slow] == []


async def test_closing_ends_every_stream(hub: Hub) -> None:
    stream = hub.stream(Screen.PUBLIC)
    await next_frame(stream, "clock")
    hub.close()
    async with asyncio.timeout(5):
        assert [frame async for frame in stream] == []
