"""A program at the broker that hears what an audience is told, through the broker's restarts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiomqtt
import msgspec

from monitor.alerts import Alert
from tests.broker import Mosquitto


class Heard:
    """What came, by topic, in order; QoS 1 may bring a message twice."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, bytes]] = []
        self.subscribed = asyncio.Event()
        self.came = asyncio.Event()

    def payloads(self, topic: str) -> list[bytes]:
        return [payload for heard, payload in self.messages if heard == topic]

    def alerts(self, audience: str) -> list[Alert]:
        return [
            msgspec.json.decode(payload, type=Alert) for payload in self.payloads(f"rackwatch/v1/T1/{audience}/alerts")
        ]


@asynccontextmanager
async def listening(broker: Mosquitto, topics: str) -> AsyncIterator[Heard]:
    """Subscribe with a session that the broker keeps; reconnect for as long as the test runs."""
    heard = Heard()
    task = asyncio.create_task(_listen(broker, topics, heard), name="listener")
    async with asyncio.timeout(100):
        await heard.subscribed.wait()
    try:
        yield heard
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _listen(broker: Mosquitto, topics: str, heard: Heard) -> None:
    while True:
        try:
            async with aiomqtt.Client(
                broker.host, broker.port, identifier="listener", clean_session=False, timeout=20
            ) as client:
                await client.subscribe(topics, qos=1)
                heard.subscribed.set()
                async for message in client.messages:
                    assert isinstance(message.payload, bytes)
                    heard.messages.append((str(message.topic), message.payload))
                    heard.came.set()
        except aiomqtt.MqttError:
            await asyncio.sleep(0.05)
