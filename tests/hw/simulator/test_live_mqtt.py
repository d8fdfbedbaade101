"""Nodes on a real broker: the same payloads as the recording, in order, and nothing lost when the broker restarts."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import DEVNULL, Popen

import pytest
from aiomqtt import Client, MqttError, ProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from firmware_bridge.received import Published
from hw.simulator.evening import Evening, simulate_evening
from hw.simulator.live_mqtt import Broker, MqttTable, serve_mqtt
from hw.simulator.options import Noise, Options, Pace, RuleFault, Tier, Wiring
from hw.simulator.pacing import Pacing
from hw.simulator.reception import received_of

MOSQUITTO = Path("/usr/sbin/mosquitto")
pytestmark = [
    pytest.mark.broker,
    pytest.mark.skipif(not MOSQUITTO.exists(), reason="Debian's mosquitto is not installed"),
]

OPTIONS = Options(
    seed=51,
    noise=Noise.QUIET,
    pace=Pace.EXPERT,
    discards=8,
    tier=Tier.WEIGHT10,
    rule_fault=RuleFault.DECLARED_DEAD,
)


class Mosquitto:
    """A broker of our own, on loopback, that keeps sessions over a restart."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self._config = folder / "mosquitto.conf"
        self._config.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence true\n"
            f"persistence_location {folder}/\nmax_queued_messages 0\nset_tcp_nodelay true\nuser root\n"
        )
        self._process: Popen[bytes] | None = None

    def start(self) -> None:
        self._process = Popen([MOSQUITTO, "-c", self._config], stdout=DEVNULL, stderr=DEVNULL)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None

    @property
    def address(self) -> Broker:
        return Broker(port=self.port)


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    broker = Mosquitto(tmp_path)
    broker.start()
    yield broker
    broker.stop()


class Listener:
    """A subscriber with a session of its own that comes back after an interruption."""

    def __init__(self, port: int) -> None:
        self.heard: list[Published] = []
        self.ready = asyncio.Event()
        self._news = asyncio.Event()
        self._port = port

    async def run(self) -> None:
        keep = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        keep.SessionExpiryInterval = 3600
        while True:
            try:
                async with Client(
                    "127.0.0.1",
                    self._port,
                    identifier="listener",
                    protocol=ProtocolVersion.V5,
                    clean_start=False,
                    properties=keep,
                ) as client:
                    await client.subscribe("rackwatch/v1/#", qos=1)
                    self.ready.set()
                    async for message in client.messages:
                        assert isinstance(message.payload, bytes)
                        self.heard.append(Published(0.0, str(message.topic), message.payload))
                        self._news.set()
            except MqttError:
                await asyncio.sleep(0.05)

    async def until(self, n: int) -> None:
        while len(self.heard) < n:
            self._news.clear()
            await self._news.wait()


@asynccontextmanager
async def listening(broker: Mosquitto) -> AsyncIterator[Listener]:
    listener = Listener(broker.port)
    task = asyncio.create_task(listener.run())
    await listener.ready.wait()
    yield listener
    task.cancel()


@pytest.fixture(scope="module")
def evening() -> Evening:
    return simulate_evening(OPTIONS)


def by_topic(received: list[Published]) -> dict[str, list[bytes]]:
    topics: dict[str, list[bytes]] = {}
    for one in received:
        topics.setdefault(one.topic, []).append(one.payload)
    return topics


async def test_the_published_payloads_are_the_recorded_ones(evening: Evening, mosquitto: Mosquitto) -> None:
    recorded = [r for r in received_of(evening) if isinstance(r, Published)]
    async with listening(mosquitto) as listener:
        table = MqttTable(evening, mosquitto.address, Pacing(speed=100.0, own_clocks=False))
        await table.run()
        await listener.until(len(recorded))
    assert by_topic(listener.heard) == by_topic(recorded)
    assert any(topic.endswith("/input") for topic in by_topic(listener.heard))
    assert table.dropped == 0


async def test_nothing_is_lost_when_the_broker_restarts_in_mid_hand(evening: Evening, mosquitto: Mosquitto) -> None:
    recorded = by_topic([r for r in received_of(evening) if isinstance(r, Published)])
    async with listening(mosquitto) as listener:
        run = asyncio.create_task(MqttTable(evening, mosquitto.address, Pacing(speed=60.0, own_clocks=False)).run())
        await listener.until(len(evening.messages) // 3)
        mosquitto.stop()
        mosquitto.start()
        await run
        await listener.until(len(evening.messages))
        for topic, payloads in recorded.items():
            while set(payloads) - set(by_topic(listener.heard).get(topic, [])):
                await listener.until(len(listener.heard) + 1)


async def test_serving_needs_the_right_wiring(mosquitto: Mosquitto) -> None:
    with pytest.raises(ValueError, match="wiring"):
        await serve_mqtt(Options(seed=1, tier=Tier.WEIGHT10, discards=4, wiring=Wiring.USB), mosquitto.address)
