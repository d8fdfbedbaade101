"""A table's nodes as clients of an MQTT broker, in real time: the monitor cannot tell them from boards on Wi-Fi.

Owns the live run over a broker: a connection a node, QoS 1, and a node's own backlog while the broker is away.
evening -> pacing -> **live_mqtt** -> broker -> the monitor.
"""

import asyncio
import socket
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from ssl import SSLContext

from aiomqtt import Client, MqttError, ProtocolVersion
from msgspec import Struct

from firmware_bridge.errors import plain_reason
from firmware_bridge.messages import Place
from firmware_bridge.received import Published
from hw.simulator.evening import Evening, simulate_evening
from hw.simulator.node import Outgoing
from hw.simulator.options import Options, Wiring
from hw.simulator.pacing import LiveNode, Pacing
from hw.simulator.reception import published, typed_inputs

_BACKLOG = 3000
"""Messages a node keeps while the broker is away: five minutes' worth (our choice); beyond it the oldest go."""
_BACK_OFF_S = (0.1, 2.0)
"""First and longest wait before the next attempt to connect (our choice)."""
_NODELAY = ((socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),)


class Broker(Struct, frozen=True, kw_only=True):
    """Where the broker is and how to get in."""

    host: str = "127.0.0.1"
    port: int = 1883
    username: str | None = None
    password: str | None = None
    tls: SSLContext | None = None
    qos: int = 1


class _Sender:
    """One client: publishes what it is given, in order, and does not lose it when the broker goes away."""

    def __init__(self, name: str, broker: Broker, missing: Callable[[str, str | None], None]) -> None:
        """`missing`: told the name and why the broker is not there, or None when it is."""
        self.name = name
        self.connected = asyncio.Event()
        self.dropped = 0
        self._broker = broker
        self._missing = missing
        self._waiting: deque[Published] = deque()
        self._news = asyncio.Event()
        self._closing = False

    def give(self, one: Published) -> None:
        """Publish this after what was given before."""
        if len(self._waiting) == _BACKLOG:
            self._waiting.popleft()
            self.dropped += 1
        self._waiting.append(one)
        self._news.set()

    def close(self) -> None:
        """Send what is waiting, then end."""
        self._closing = True
        self._news.set()

    async def run(self) -> None:
        """Connect, publish, connect again after an interruption; returns once closed and empty."""
        wait_s = _BACK_OFF_S[0]
        while not (self._closing and not self._waiting):
            try:
                async with self._client() as client:
                    wait_s = _BACK_OFF_S[0]
                    self.connected.set()
                    self._missing(self.name, None)
                    await self._publish(client)
            except MqttError as failure:
                self._missing(self.name, plain_reason(str(failure)))
                await asyncio.sleep(wait_s)
                wait_s = min(_BACK_OFF_S[1], 2.0 * wait_s)

    def _client(self) -> Client:
        broker = self._broker
        return Client(
            broker.host,
            broker.port,
            username=broker.username,
            password=broker.password,
            identifier=f"rackwatch-sim-{self.name}",
            protocol=ProtocolVersion.V5,
            tls_context=broker.tls,
            timeout=5.0,
            keepalive=5,
            socket_options=_NODELAY,
        )

    async def _publish(self, client: Client) -> None:
        while True:
            while self._waiting:
                one = self._waiting[0]
                await client.publish(one.topic, one.payload, qos=self._broker.qos, retain=one.retain)
                if self._waiting and self._waiting[0] is one:
                    self._waiting.popleft()
            if self._closing:
                return
            self._news.clear()
            await self._news.wait()


Due = Outgoing | Published
"""What is published when its moment comes: a node's message, or what a director enters."""


class MqttTable:
    """The nodes of one evening and its director's inputs, on a broker. `run` plays it to its end."""

    def __init__(
        self,
        evening: Evening,
        broker: Broker,
        pacing: Pacing | None = None,
        missing: Callable[[str], None] = lambda _reason: None,
    ) -> None:
        """`missing`: called with the reason once whenever the broker does not answer, however many nodes try.

        Raises ValueError where the evening's nodes are not wired to a network.
        """
        if evening.options.wiring is not Wiring.NETWORK:
            raise ValueError("an evening on a broker needs Options(wiring=Wiring.NETWORK)")
        self.evening = evening
        self.pacing = pacing or Pacing()
        self._nodes = {life.plan.place: LiveNode(life, self.pacing) for life in evening.lives}
        self._senders = {life.plan.place: _Sender(life.plan.name, broker, self._heard) for life in evening.lives}
        self._director = _Sender(f"{evening.options.table.lower()}-director", broker, self._heard)
        self._missing = missing
        self._away: set[str] = set()

    @property
    def dropped(self) -> int:
        """Messages that nodes gave up because the broker was away too long."""
        return sum(sender.dropped for sender in self._senders.values())

    async def run(
        self,
        ready: Callable[[], None] | None = None,
        passed: Callable[[Sequence[Due]], Iterable[Due]] = iter,
    ) -> None:
        """Publish each message when it is due; returns when all has been sent.

        With `ready` the evening waits until every node is connected, and `ready` is called as it begins. `passed`: the
        messages go through it, for whoever shows how far the evening is.
        """
        async with asyncio.TaskGroup() as tasks:
            senders = [*self._senders.values(), self._director]
            for sender in senders:
                tasks.create_task(sender.run(), name=f"simulated node {sender.name}")
            if ready is not None:
                for sender in senders:
                    await sender.connected.wait()
                ready()
            await self._play(passed)
            for sender in senders:
                sender.close()

    def _heard(self, name: str, reason: str | None) -> None:
        if reason is None:
            self._away.discard(name)
            return
        if not self._away:
            self._missing(reason)
        self._away.add(name)

    async def _play(self, passed: Callable[[Sequence[Due]], Iterable[Due]]) -> None:
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        due: list[Due] = sorted([*self.evening.messages, *typed_inputs(self.evening)], key=_at)
        for one in passed(due):
            if _at(one) < self.pacing.start_s:
                continue
            wait_s = self.pacing.due_s(_at(one), began_s) - loop.time()
            if wait_s > 0.0:
                await asyncio.sleep(wait_s)
            self._hand_over(one)

    def _hand_over(self, one: Due) -> None:
        if isinstance(one, Published):
            self._director.give(one)
            return
        relived = self._nodes[one.place].relived(one)
        if relived is not None:
            self._senders[one.place].give(published(self.evening, relived))

    def restart(self, place: Place, table_s: float) -> None:
        """A node loses its power at a moment of the evening and begins anew."""
        self._nodes[place].restart(table_s)


def _at(one: Due) -> float:
    return one.at_s if isinstance(one, Published) else one.arrived_s


async def serve_mqtt(options: Options, broker: Broker, pacing: Pacing | None = None) -> None:
    """Play an evening on a broker until it ends."""
    await MqttTable(simulate_evening(options), broker, pacing).run()
