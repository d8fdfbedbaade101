import asyncio
from datetime import UTC, datetime

import msgspec

from firmware_bridge.transports.transport import Publication, SendOutcome
from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.events import PlayStarted
from monitor.publisher import Publisher
from monitor.view import Phase, TableView

EVENT = PlayStarted(at=1.0, seq=1)
ALERT = Alert(
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


class Broker:
    def __init__(self) -> None:
        self.sent: list[Publication] = []
        self.since_s: float | None = 1.0
        self.told = asyncio.Event()
        self.publisher = Publisher(
            self.send, lambda: self.since_s, lambda at: datetime.fromtimestamp(1_700_000_000 + at, UTC)
        )

    def send(self, publication: Publication) -> SendOutcome:
        self.sent.append(publication)
        self.told.set()
        return SendOutcome.ACCEPTED


def test_topics_follow_audience_and_kind() -> None:
    broker = Broker()
    broker.publisher.directors("T1", EVENT)
    broker.publisher.directors("T1", ALERT)
    broker.publisher.public("T2", EVENT)
    broker.publisher.public("T2", ALERT)
    assert [(sent.topic, sent.qos, sent.retain) for sent in broker.sent] == [
        ("rackwatch/v1/T1/director/events", 1, False),
        ("rackwatch/v1/T1/director/alerts", 1, False),
        ("rackwatch/v1/T2/public/events", 1, False),
        ("rackwatch/v1/T2/public/alerts", 1, False),
    ]
    assert msgspec.json.decode(broker.sent[1].payload, type=Alert) == ALERT


def test_of_a_state_only_the_latest_is_sent_once_and_kept_by_the_broker() -> None:
    broker = Broker()
    broker.since_s = None
    broker.publisher.state(TableView("T1", phase=Phase.DEAL))
    broker.publisher.send_states()
    assert broker.sent == []
    broker.publisher.state(TableView("T1", phase=Phase.PLAY))
    broker.since_s = 2.0
    broker.publisher.send_states()
    broker.publisher.send_states()
    (sent,) = broker.sent
    assert (sent.topic, sent.retain) == ("rackwatch/v1/T1/public/state", True)
    assert msgspec.json.decode(sent.payload)["phase"] == "play"


def test_what_the_public_does_not_see_sends_no_state() -> None:
    broker = Broker()
    broker.publisher.state(TableView("T1", hand=1))
    broker.publisher.send_states()
    broker.publisher.state(TableView("T1", hand=1))
    broker.publisher.send_states()
    assert len(broker.sent) == 1


def test_a_broker_that_comes_back_is_told_every_state() -> None:
    broker = Broker()
    for table in ("T1", "T2"):
        broker.publisher.state(TableView(table))
    broker.publisher.send_states()
    broker.sent.clear()
    broker.since_s = None
    broker.publisher.send_states()
    broker.since_s = 3.0
    broker.publisher.send_states()
    assert [sent.topic for sent in broker.sent] == ["rackwatch/v1/T1/public/state", "rackwatch/v1/T2/public/state"]


def test_a_state_says_when_the_last_discard_was_for_those_who_have_another_clock() -> None:
    broker = Broker()
    broker.publisher.state(TableView("T1"))
    broker.publisher.state(TableView("T2", last_discard=0.25))
    broker.publisher.send_states()
    assert [msgspec.json.decode(sent.payload)["last_discard_utc"] for sent in broker.sent] == [
        None,
        "2023-11-14T22:13:20.250000Z",
    ]


async def test_states_go_out_by_themselves() -> None:
    broker = Broker()
    task = asyncio.create_task(broker.publisher.run())
    broker.publisher.state(TableView("T1"))
    async with asyncio.timeout(5):
        await broker.told.wait()
    task.cancel()
