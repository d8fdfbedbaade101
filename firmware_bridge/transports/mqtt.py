"""The broker: readings and inputs in, events and alerts out, through any number of reconnects.

Owns the connection: MQTT 5, a session that the broker keeps while we are away, QoS 1, TLS and password, last will,
back-off, and the outbox of what is not yet acknowledged. Refuses to know topics beyond the filters it subscribes to,
and what any payload means. aiomqtt (and paho beneath it) stay in this file.

Nothing of QoS 1 is lost when the broker restarts: what nodes publish meanwhile waits with them and in the session that
the broker has kept for us; what we publish waits in our outbox until it is acknowledged, and so may come twice. But a
session is ours alone: what waited for an earlier run of the monitor is let go, for nobody can say any more how old it
is, and a rack's past would be taken for its present.
"""

import asyncio
import logging
import socket
import ssl
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import islice

import aiomqtt
import structlog
from aiomqtt.exceptions import MqttConnectError
from msgspec import Struct
from paho.mqtt.client import Client as PahoClient
from paho.mqtt.client import MQTTMessage
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from firmware_bridge.received import Published
from firmware_bridge.topics import SUBSCRIPTIONS
from firmware_bridge.transports.transport import (
    INBOX_LIMIT,
    BackOff,
    Clock,
    LinkHealth,
    LinkState,
    Outgoing,
    Publication,
    SendOutcome,
    Transport,
)

_log = structlog.get_logger("rackwatch.mqtt")

OUTBOX_LIMIT = 10_000
"""Publications kept while the broker is away; our choice: an hour of a hundred tables' alerts."""

_IN_FLIGHT = 10
"""Publications that wait for the broker's word at once; our choice, which aiomqtt shares."""

_ANSWER_TIMEOUT_S = 3.0
"""A broker that takes longer is taken for gone; our choice."""

_LEAVE_S = 2.0
"""How long leaving waits for the broker; our choice."""

_REFUSED_FROM = 0x80
"""MQTT 5 reason codes from here on are refusals."""

_NO_DELAY = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
"""Without it QoS 1 both ways on one connection falls from 4200 messages a second to 23."""


_library_log = logging.getLogger("rackwatch.mqtt.library")
_library_log.setLevel(logging.CRITICAL)
"""paho tells of each broken socket; we tell of each change, once."""


class Tls(Struct, frozen=True):
    """Encryption. `ca_file`: an authority to trust where the system's do not do; `cert_file`, `key_file`: our own
    certificate where the broker asks for one."""

    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None

    def context(self) -> ssl.SSLContext:
        """As the ssl module wants it. Raises `OSError` where a file cannot be read or is no certificate."""
        context = ssl.create_default_context(cafile=self.ca_file)
        if self.cert_file is not None:
            context.load_cert_chain(self.cert_file, self.key_file)
        return context


class Broker(Struct, frozen=True, kw_only=True):
    """How to reach the broker and what to tell it about us."""

    host: str
    port: int = 1883
    client_id: str = "rackwatch"
    """Unique at the broker, which keeps our session by it."""
    username: str | None = None
    password: str | None = None
    tls: Tls | None = None
    keepalive_s: int = 15
    session_expiry_s: int = 120
    """How long the broker keeps our session while the connection is lost; our choice: longer than a broker's restart,
    shorter than what would be stale."""
    subscriptions: tuple[str, ...] = SUBSCRIPTIONS
    birth: Publication | None = None
    """Published at each connect, before anything else."""
    will: Publication | None = None
    """Published by the broker when we vanish without leaving."""


class MqttTransport(Transport):
    """One broker."""

    def __init__(
        self,
        broker: Broker,
        clock: Clock = time.monotonic,
        inbox_limit: int = INBOX_LIMIT,
        outbox_limit: int = OUTBOX_LIMIT,
        back_off: BackOff | None = None,
    ) -> None:
        super().__init__(inbox_limit)
        self._broker = broker
        self._clock = clock
        self._back_off = back_off or BackOff()
        self._outbox: deque[Publication] = deque()
        self._outbox_limit = outbox_limit
        self._in_flight = 0
        self._unsent = asyncio.Event()
        self._all_sent = asyncio.Event()
        self._all_sent.set()
        self._dropped_outgoing = 0
        self._state = LinkState.STARTING
        self._since_s = clock()
        self._detail = ""
        self._openings = 0
        self._task: asyncio.Task[None] | None = None
        self._leaving = False
        self.bad_topics = 0
        """Messages whose topic was no UTF-8: they cannot be named, and are left out."""

    @property
    def health(self) -> tuple[LinkHealth, ...]:
        """The connection to the broker."""
        name = f"{self._broker.host}:{self._broker.port}"
        return (LinkHealth(name, self._state, self._since_s, self._detail, self._openings),)

    @property
    def dropped_outgoing(self) -> int:
        """Publications lost because the broker was away for too long."""
        return self._dropped_outgoing

    def send(self, outgoing: Outgoing) -> SendOutcome:
        """Put a publication into the outbox. A full outbox loses its oldest that is not in flight; else the new one."""
        if not isinstance(outgoing, Publication):
            return SendOutcome.WRONG_KIND
        if len(self._outbox) >= self._outbox_limit:
            self._dropped_outgoing += 1
            if self._in_flight >= len(self._outbox):
                return SendOutcome.ACCEPTED
            del self._outbox[self._in_flight]
        self._outbox.append(outgoing)
        self._all_sent.clear()
        self._unsent.set()
        return SendOutcome.ACCEPTED

    async def flush(self, timeout_s: float) -> bool:
        """Wait until the broker has acknowledged everything in the outbox; say whether it has."""
        try:
            await asyncio.wait_for(self._all_sent.wait(), timeout_s)
        except TimeoutError:
            return False
        return True

    async def _start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="mqtt")

    async def _stop(self) -> None:
        if self._state in {LinkState.STARTING, LinkState.OPEN}:
            await self.flush(_LEAVE_S)
        self._leaving = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._dropped_outgoing += len(self._outbox)
        self._change(LinkState.CLOSED, "")

    async def _run(self) -> None:
        failures = 0
        while not self._leaving:
            openings = self._openings
            try:
                await self._serve()
            except MqttConnectError as failure:
                self._change(LinkState.REFUSED, str(failure))
            except (aiomqtt.MqttError, OSError) as failure:
                self._change(LinkState.MISSING, str(failure))
            failures = 1 if self._openings > openings else failures + 1
            await asyncio.sleep(self._back_off.after(failures))

    async def _serve(self) -> None:
        """Connect and serve until the connection is lost, which is raised."""
        context = await asyncio.to_thread(self._broker.tls.context) if self._broker.tls else None
        if self._openings == 0:
            # mosquitto 2.0 does not keep a session that began clean through its own restart: so the old one
            # is ended by a connection of its own.
            async with self._connected(self._client(context, keeps_session=False)):
                pass
        client = self._client(context, keeps_session=True)
        async with self._connected(client):
            await self._greet(client)
            # Python 3.11's wait_for, within aiomqtt, may swallow a cancellation that meets an answer.
            if not self._leaving:
                await self._until_lost(client)

    def _client(self, context: ssl.SSLContext | None, *, keeps_session: bool) -> aiomqtt.Client:
        broker = self._broker
        client = aiomqtt.Client(
            broker.host,
            broker.port,
            username=broker.username,
            password=broker.password,
            identifier=broker.client_id,
            logger=_library_log,
            protocol=aiomqtt.ProtocolVersion.V5,
            will=_will(broker.will) if keeps_session else None,
            timeout=_ANSWER_TIMEOUT_S,
            keepalive=broker.keepalive_s,
            clean_start=not keeps_session,
            properties=_connect_properties(broker.session_expiry_s if keeps_session else 0),
            tls_context=context,
            socket_options=[_NO_DELAY],
        )
        paho = client._client  # noqa: SLF001
        # Past aiomqtt's queue, straight from paho's callback: the arrival is stamped before anything waits, a topic
        # that is no UTF-8 does not take the connection down, and no task is made for each message.
        paho.on_message = self._arrived
        paho.connect_timeout = _ANSWER_TIMEOUT_S
        return client

    @asynccontextmanager
    async def _connected(self, client: aiomqtt.Client) -> AsyncIterator[None]:
        try:
            async with AsyncExitStack() as stack:
                await _unhurried(asyncio.create_task(stack.enter_async_context(client), name="mqtt connect"))
                yield
        finally:
            # aiomqtt leaves the socket open when connecting fails or leaving takes too long.
            client._client._sock_close()  # noqa: SLF001

    async def _greet(self, client: aiomqtt.Client) -> None:
        """Subscribe, and say that we are here."""
        wanted = self._broker.subscriptions
        granted = await client.subscribe([(topic, 1) for topic in wanted]) if wanted else ()
        for topic, code in zip(wanted, granted, strict=True):
            if _value(code) >= _REFUSED_FROM:
                _log.error("subscription refused", topic=topic, reason=str(code))
        if (birth := self._broker.birth) is not None:
            await client.publish(birth.topic, birth.payload, birth.qos, birth.retain)
        self._openings += 1
        self._change(LinkState.OPEN, "")

    async def _until_lost(self, client: aiomqtt.Client) -> None:
        """Publish what is in the outbox until the connection is lost, which is raised."""
        tasks = [
            asyncio.create_task(self._publish(client), name="mqtt outbox"),
            asyncio.create_task(_wait_until_lost(client), name="mqtt connection"),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            self._in_flight = 0
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _publish(self, client: aiomqtt.Client) -> None:
        while True:
            await self._unsent.wait()
            batch = list(islice(self._outbox, _IN_FLIGHT))
            self._in_flight = len(batch)
            await asyncio.gather(*(client.publish(one.topic, one.payload, one.qos, one.retain) for one in batch))
            for _ in batch:
                self._outbox.popleft()
            self._in_flight = 0
            if not self._outbox:
                self._unsent.clear()
                self._all_sent.set()

    def _arrived(self, client: PahoClient, userdata: object, message: MQTTMessage) -> None:
        del client, userdata
        at_s = self._clock()
        try:
            topic = message.topic
        except UnicodeDecodeError:
            self.bad_topics += 1
            return
        self._inbox.put(Published(at_s, topic, bytes(message.payload), message.qos, bool(message.retain)))

    def _change(self, state: LinkState, detail: str) -> None:
        if state is self._state and (state is LinkState.MISSING or detail == self._detail):
            return
        self._state, self._since_s, self._detail = state, self._clock(), detail
        where = {"host": self._broker.host, "port": self._broker.port}
        match state:
            case LinkState.OPEN:
                _log.info("broker connected", **where)
            case LinkState.MISSING:
                _log.warning("broker missing", **where, reason=detail)
            case LinkState.REFUSED:
                _log.error("broker refuses us", **where, reason=detail)
            case _:
                pass


async def _unhurried(connecting: asyncio.Task[aiomqtt.Client]) -> None:
    """Connecting runs in a thread that cannot be cancelled: when we are to leave, let it end first (it has a limit)."""
    try:
        await asyncio.shield(connecting)
    except asyncio.CancelledError:
        await asyncio.gather(connecting, return_exceptions=True)
        raise


async def _wait_until_lost(client: aiomqtt.Client) -> None:
    """aiomqtt raises here when the connection is lost; messages do not come this way."""
    async for _ in client.messages:
        pass


def _will(will: Publication | None) -> aiomqtt.Will | None:
    return None if will is None else aiomqtt.Will(will.topic, will.payload, will.qos, will.retain)


def _connect_properties(session_expiry_s: int) -> Properties:
    properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    properties.SessionExpiryInterval = session_expiry_s
    return properties


def _value(code: object) -> int:
    return code if isinstance(code, int) else int(getattr(code, "value", 0))
