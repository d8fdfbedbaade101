"""One suite for every transport: what `firmware_bridge.transports.transport` promises.

A far end stands for whatever is at the other side: a node on a pseudo-terminal, a client at a real mosquitto, a
recording on disk, a caller in the same process.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import aiomqtt
import pytest

from firmware_bridge.commands import Light
from firmware_bridge.errors import TransportMisuseError
from firmware_bridge.received import LineBytes, Published, Received
from firmware_bridge.recording import RecordingWriter
from firmware_bridge.transports.memory import MemoryTransport
from firmware_bridge.transports.mqtt import Broker, MqttTransport
from firmware_bridge.transports.replay import ReplayTransport
from firmware_bridge.transports.serial_port import SerialPort, SerialTransport
from firmware_bridge.transports.transport import (
    LineCommand,
    LinkState,
    Outgoing,
    Publication,
    SendOutcome,
    Transport,
)
from tests.broker import Mosquitto
from tests.pty_port import PtyPort

TOPIC = "rackwatch/v1/T1/east/readings"
PATIENCE_S = 10.0
PAYLOADS = [bytes([number]) * (1 + number * 7 % 50) for number in range(1, 60)]


class FarEnd(ABC):
    """The other side of a transport."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    def transport(self, payloads: list[bytes]) -> Transport:
        """The near end. `payloads` are those that will be sent, for the one that must know beforehand."""

    @abstractmethod
    async def send(self, payloads: list[bytes]) -> None:
        """Send them in order."""

    async def ready(self, near: Transport) -> None:
        """Wait until the near end would receive."""
        await until(lambda: near.health[0].state is LinkState.OPEN)

    def close(self) -> None:  # noqa: B027  # most have nothing to let go of
        """Let go of everything."""


class MemoryFarEnd(FarEnd):
    def transport(self, payloads: list[bytes]) -> Transport:
        self.near = MemoryTransport()
        return self.near

    async def send(self, payloads: list[bytes]) -> None:
        now_s = asyncio.get_running_loop().time()
        for payload in payloads:
            self.near.put(Published(now_s, TOPIC, payload))


class ReplayFarEnd(FarEnd):
    def transport(self, payloads: list[bytes]) -> Transport:
        path = self.folder / "r.jsonl.gz"
        with RecordingWriter(path) as writer:
            for number, payload in enumerate(payloads):
                writer.write(Published(number / 100, TOPIC, payload))
        return ReplayTransport(path)

    async def send(self, payloads: list[bytes]) -> None:
        pass


class SerialFarEnd(FarEnd):
    def transport(self, payloads: list[bytes]) -> Transport:
        self.port = PtyPort(self.folder / "rack")
        self.port.plug()
        return SerialTransport([SerialPort("T1/east", path=str(self.port.path))])

    async def send(self, payloads: list[bytes]) -> None:
        for payload in payloads:
            self.port.write(payload)
            await asyncio.sleep(0)

    def close(self) -> None:
        self.port.unplug()


class MqttFarEnd(FarEnd):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.broker = Mosquitto(folder)
        self.broker.start()

    def transport(self, payloads: list[bytes]) -> Transport:
        return MqttTransport(Broker(host=self.broker.host, port=self.broker.port))

    async def send(self, payloads: list[bytes]) -> None:
        async with aiomqtt.Client(self.broker.host, self.broker.port) as client:
            for payload in payloads:
                await client.publish(TOPIC, payload, qos=1)

    def close(self) -> None:
        self.broker.kill()


FAR_ENDS: dict[str, type[FarEnd]] = {
    "memory": MemoryFarEnd,
    "replay": ReplayFarEnd,
    "serial": SerialFarEnd,
    "mqtt": MqttFarEnd,
}


def named(*names: str) -> list[object]:
    """Fixture parameters for some kinds of far end."""
    return [pytest.param(name, marks=pytest.mark.broker if name == "mqtt" else ()) for name in names]


@pytest.fixture(params=named(*FAR_ENDS))
def far_end(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FarEnd]:
    end = FAR_ENDS[request.param](tmp_path)
    yield end
    end.close()


@pytest.fixture(params=named("memory", "serial", "mqtt"))
def live_end(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FarEnd]:
    """Those that wait for what comes; a recording is read as it is consumed."""
    end = FAR_ENDS[request.param](tmp_path)
    yield end
    end.close()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110  # a transport has no event for what a test waits for
            await asyncio.sleep(0.005)


async def within_patience(waiting: Awaitable[Received]) -> Received:
    async with asyncio.timeout(PATIENCE_S):
        return await waiting


def bytes_of(received: Received) -> bytes:
    return received.payload if isinstance(received, Published) else received.data


async def take(near: Transport, size: int) -> list[Received]:
    """Receptions (but for what the host itself has sent) until so many bytes have come."""
    got: list[Received] = []
    while sum(len(bytes_of(one)) for one in got) < size:
        one = await within_patience(anext(near))
        if not (isinstance(one, LineBytes) and one.sent):
            got.append(one)
    return got


async def test_everything_arrives_in_order_and_time_never_goes_back(far_end: FarEnd) -> None:
    async with far_end.transport(PAYLOADS) as near:
        await far_end.ready(near)
        await far_end.send(PAYLOADS)
        got = await take(near, sum(map(len, PAYLOADS)))
    assert b"".join(map(bytes_of, got)) == b"".join(PAYLOADS)
    times = [one.at_s for one in got]
    assert times == sorted(times)


async def test_a_message_keeps_its_bytes_whatever_they_are(far_end: FarEnd) -> None:
    payload = bytes(range(256))
    async with far_end.transport([payload]) as near:
        await far_end.ready(near)
        await far_end.send([payload])
        got = await take(near, len(payload))
    assert b"".join(map(bytes_of, got)) == payload


async def test_iterating_ends_when_the_transport_is_left(far_end: FarEnd) -> None:
    near = far_end.transport([])
    async with near:
        await far_end.ready(near)
    async with asyncio.timeout(PATIENCE_S):
        async for received in near:
            assert isinstance(received, LineBytes)
            assert received.sent


async def test_a_waiting_consumer_is_let_go(far_end: FarEnd) -> None:
    async def consume(near: Transport) -> None:
        async for _ in near:
            pass

    async with far_end.transport([]) as near:
        await far_end.ready(near)
        consumer = asyncio.create_task(consume(near))
        await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE_S):
        await consumer


async def test_a_cancelled_consumer_takes_nothing_with_it(live_end: FarEnd) -> None:
    payloads = [b"first", b"second"]
    async with live_end.transport(payloads) as near:
        await live_end.ready(near)
        waiting = asyncio.create_task(take(near, 1))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await live_end.send(payloads)
        got = await take(near, sum(map(len, payloads)))
    assert b"".join(map(bytes_of, got)) == b"firstsecond"


async def test_it_is_entered_once_and_before_it_is_iterated(far_end: FarEnd) -> None:
    near = far_end.transport([])
    with pytest.raises(TransportMisuseError):
        await anext(near)
    async with near:
        with pytest.raises(TransportMisuseError):
            async with near:
                pass


async def test_health_goes_from_starting_to_open_to_closed(far_end: FarEnd) -> None:
    near = far_end.transport([])
    assert near.health[0].state is LinkState.STARTING
    assert near.health[0].openings == 0
    async with near:
        await far_end.ready(near)
        assert near.health[0].openings == 1
    assert [link.state for link in near.health] == [LinkState.CLOSED]


async def test_send_says_at_once_what_becomes_of_it(far_end: FarEnd) -> None:
    things: list[Outgoing] = [Publication("rackwatch/v1/T1/public/x", b"{}"), LineCommand("T1/east", Light(1, 2, 3))]
    async with far_end.transport([]) as near:
        await far_end.ready(near)
        outcomes = {near.send(thing) for thing in things}
        assert await near.flush(PATIENCE_S)
        nowhere = near.send(LineCommand("no such port", Light(1, 2, 3)))
    expected = {
        "MemoryTransport": {SendOutcome.ACCEPTED},
        "ReplayTransport": {SendOutcome.WRONG_KIND},
        "SerialTransport": {SendOutcome.ACCEPTED, SendOutcome.WRONG_KIND},
        "MqttTransport": {SendOutcome.ACCEPTED, SendOutcome.WRONG_KIND},
    }
    assert outcomes == expected[type(near).__name__]
    if not isinstance(near, MemoryTransport):
        assert nowhere is SendOutcome.WRONG_KIND


async def test_a_second_consumer_at_the_same_time_is_a_mistake(live_end: FarEnd) -> None:
    async with live_end.transport([]) as near:
        await live_end.ready(near)
        first = asyncio.create_task(take(near, 1))
        await asyncio.sleep(0.01)
        with pytest.raises(TransportMisuseError):
            await take(near, 1)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)


@pytest.mark.parametrize("limit", [1, 5])
async def test_a_full_inbox_loses_its_oldest_and_counts_them(limit: int) -> None:
    async with MemoryTransport(inbox_limit=limit) as near:
        for number in range(20):
            near.put(Published(float(number), TOPIC, b""))
        assert near.dropped == 20 - limit
        assert [(await anext(near)).at_s for _ in range(limit)] == [float(n) for n in range(20 - limit, 20)]


async def test_a_busy_consumer_gives_others_their_turn() -> None:
    async with MemoryTransport() as near:
        for number in range(1000):
            near.put(Published(float(number), TOPIC, b""))
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        running = asyncio.create_task(other())
        for _ in range(1000):
            await anext(near)
        running.cancel()
        assert turns >= 20
