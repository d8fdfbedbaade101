import asyncio

from firmware_bridge.received import LineBytes, Published
from firmware_bridge.transports.transport import Publication, SendOutcome
from monitor.announcer import ABOUT, HEARD_S, Announcer
from monitor.home_assistant import BIRTH_TOPIC, Discovery

OWN = "homeassistant/device/rackwatch-a"
TOLD = tuple(Publication(f"{OWN}/{name}/config", b"{}", retain=True) for name in ("monitor", "table-T1"))


class House:
    def __init__(self, announcements: tuple[Publication, ...] = TOLD) -> None:
        self.sent: list[Publication] = []
        self.since_s: float | None = None
        self.now_s = 0.0
        self.notices: dict[str, str | None] = {}
        self.came = asyncio.Event()
        self.announcer = Announcer(
            Discovery("rackwatch-a", announcements),
            self.send,
            lambda: self.since_s,
            lambda: self.now_s,
            self.notices.__setitem__,
        )

    def send(self, publication: Publication) -> SendOutcome:
        self.sent.append(publication)
        self.came.set()
        return SendOutcome.ACCEPTED

    def hear(self, topic: str, payload: bytes, *, retain: bool = True) -> bool:
        return self.announcer.take(Published(0.0, topic, payload, 1, retain))


def test_everything_is_announced_once_a_connection() -> None:
    house = House()
    house.announcer.announce()
    assert house.sent == []
    for since_s in (1.0, 1.0, None, 2.0):
        house.since_s = since_s
        house.announcer.announce()
    assert house.sent == [*TOLD, *TOLD]


def test_a_birth_is_answered_once_however_often_it_is_told_and_a_will_is_not() -> None:
    house = House()
    house.since_s = 1.0
    house.announcer.announce()
    assert house.hear(BIRTH_TOPIC, b"offline", retain=False)
    house.announcer.announce()
    assert house.sent == [*TOLD]
    for _ in range(1000):
        assert house.hear(BIRTH_TOPIC, b"online", retain=False)
    assert house.hear(BIRTH_TOPIC, b"offline", retain=False)
    house.announcer.announce()
    house.announcer.announce()
    assert house.sent == [*TOLD, *TOLD]


def test_what_is_no_more_is_taken_back_and_what_there_is_stays() -> None:
    house = House()
    gone = [f"{OWN}/table-T9/config", "ha/device/rackwatch-a/table-T1/config"]
    for topic in [*gone, TOLD[0].topic, TOLD[1].topic]:
        assert house.hear(topic, b'{"device":{}}')
        assert house.hear(topic, b"", retain=False)
    assert house.sent == [Publication(topic, b"", retain=True) for topic in gone]


def test_switched_off_everything_is_taken_back() -> None:
    house = House(announcements=())
    house.since_s = 1.0
    house.announcer.announce()
    for one in TOLD:
        assert house.hear(one.topic, one.payload)
    assert house.sent == [Publication(one.topic, b"", retain=True) for one in TOLD]


def test_what_is_not_for_it_is_left_to_others() -> None:
    house = House()
    assert not house.hear("rackwatch/v1/T1/east/readings", b"{}")
    assert not house.hear("homeassistant/device/rackwatch-b/table-T1/config", b"{}")
    assert not house.announcer.take(LineBytes(0.0, "T1/east", b"x"))
    assert house.sent == []


async def test_a_broker_that_takes_none_of_it_is_told_of_until_it_does() -> None:
    house = House()
    house.since_s = 1.0
    task = asyncio.create_task(house.announcer.run())
    async with asyncio.timeout(5):
        await house.came.wait()
    task.cancel()
    assert house.notices.get(ABOUT) is None
    house.now_s = HEARD_S + 1.0
    house.announcer._tell_of_silence()
    said = house.notices[ABOUT]
    assert said is not None
    assert f"{OWN}/monitor/config" in said
    for one in TOLD:
        house.hear(one.topic, one.payload, retain=False)
    house.announcer._tell_of_silence()
    assert house.notices[ABOUT] is None
