import asyncio
import json

import pytest

from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.events import PlayStarted
from monitor.outbox import Letter, Outbox
from monitor.view import Phase, TableView


def event(number: int) -> PlayStarted:
    return PlayStarted(at=float(number), seq=number)


class Broker:
    """Takes letters; refuses after `fails_at` of them, once."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.letters: list[Letter] = []
        self.fails_at = fails_at

    async def publish(self, letter: Letter) -> None:
        await asyncio.sleep(0)
        if self.fails_at is not None and len(self.letters) >= self.fails_at:
            self.fails_at = None
            raise ConnectionError
        self.letters.append(letter)

    def moments(self) -> list[float]:
        return [json.loads(letter.payload)["at"] for letter in self.letters if not letter.retain]


async def delivered(outbox: Outbox, broker: Broker) -> None:
    task = asyncio.create_task(outbox.deliver(broker.publish))
    await outbox.drained()
    task.cancel()


async def test_topics_follow_audience_and_kind() -> None:
    outbox, broker = Outbox(), Broker()
    alert = Alert(
        id="a",
        rule=Rule.LATE_CALL,
        at=1.0,
        raised_at=1.0,
        article="107",
        authority=Authority.LEAGUE,
        level=Level.RULING_DUE,
        message="…",
        state=AlertState.RAISED,
        seq=1,
    )
    outbox.directors("T1", event(1))
    outbox.directors("T1", alert)
    outbox.public("T2", event(2))
    outbox.public("T2", alert)
    outbox.state(TableView("T1"))
    await delivered(outbox, broker)
    assert [(letter.topic, letter.retain) for letter in broker.letters] == [
        ("rackwatch/v1/T1/director/events", False),
        ("rackwatch/v1/T1/director/alerts", False),
        ("rackwatch/v1/T2/public/events", False),
        ("rackwatch/v1/T2/public/alerts", False),
        ("rackwatch/v1/T1/public/state", True),
    ]


async def test_a_broker_that_goes_away_gets_everything_in_order_when_it_is_back() -> None:
    outbox, broker = Outbox(), Broker(fails_at=3)
    for number in range(10):
        outbox.directors("T1", event(number))
    with pytest.raises(ConnectionError):
        await outbox.deliver(broker.publish)
    outbox.directors("T1", event(10))
    await delivered(outbox, broker)
    assert broker.moments() == list(range(11))


async def test_of_a_state_only_the_latest_is_sent() -> None:
    outbox, broker = Outbox(), Broker()
    outbox.state(TableView("T1", phase=Phase.DEAL))
    outbox.state(TableView("T1", phase=Phase.PLAY))
    await delivered(outbox, broker)
    assert [json.loads(letter.payload)["phase"] for letter in broker.letters] == ["play"]


async def test_what_finds_no_room_is_the_oldest_and_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("monitor.outbox.KEPT", 5)
    outbox, broker = Outbox(), Broker()
    for number in range(8):
        outbox.public("T1", event(number))
    await delivered(outbox, broker)
    assert broker.moments() == [3, 4, 5, 6, 7]
    assert outbox.dropped == 3
