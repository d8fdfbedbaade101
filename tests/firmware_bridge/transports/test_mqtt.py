"""The broker transport against a real mosquitto, and against a broker that misbehaves.

Rows 38, 40 and 43 of the faults seen in the field among them.
"""

import asyncio
import gc
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiomqtt
import pytest
from structlog.testing import capture_logs

from firmware_bridge.commands import Light, encode_light
from firmware_bridge.json_messages import encode_readings
from firmware_bridge.messages import Place, Readings
from firmware_bridge.nodes import TableNodes
from firmware_bridge.received import Published
from firmware_bridge.routing import Router
from firmware_bridge.session import Delivery
from firmware_bridge.topics import light_topic
from firmware_bridge.transports.mqtt import Broker, MqttTransport, Tls
from firmware_bridge.transports.transport import BackOff, LinkState, Publication, SendOutcome
from tests.broker import Mosquitto, free_port
from tests.firmware_bridge.transports.waiting import PATIENCE_S, receive, until, until_state

pytestmark = pytest.mark.broker

TOPIC = "rackwatch/v1/T1/east/readings"
ALERTS = "rackwatch/v1/T1/director/alerts"
QUICK = BackOff(0.02, 0.1)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with Mosquitto(tmp_path) as running:
        yield running


def transport(broker: Mosquitto, client_id: str = "rackwatch", **settings: object) -> MqttTransport:
    wanted = Broker(host=broker.host, port=broker.port, client_id=client_id, **settings)  # type: ignore[arg-type]
    return MqttTransport(wanted, back_off=QUICK)


def node(broker: Mosquitto) -> MqttTransport:
    """A node, as good as a node can be: QoS 1, and an outbox of its own."""
    return transport(broker, "node", subscriptions=())


async def payloads(near: MqttTransport, count: int) -> list[bytes]:
    got = []
    for _ in range(count):
        received = await receive(near)
        assert isinstance(received, Published)
        got.append(received.payload)
    return got


async def published(broker: Mosquitto, topic: str, payload: bytes, *, retain: bool = False) -> None:
    async with aiomqtt.Client(broker.host, broker.port) as client:
        await client.publish(topic, payload, qos=1, retain=retain)


@asynccontextmanager
async def listener(broker: Mosquitto, topic: str) -> AsyncIterator[aiomqtt.Client]:
    async with aiomqtt.Client(broker.host, broker.port) as client:
        await client.subscribe(topic, qos=1)
        yield client


async def next_message(client: aiomqtt.Client) -> aiomqtt.Message:
    async with asyncio.timeout(PATIENCE_S):
        return await anext(client.messages)


async def test_it_speaks_mqtt_5_with_a_session_that_is_kept_and_qos_1(broker: Mosquitto) -> None:
    async with transport(broker) as near:
        await until_state(near, LinkState.OPEN)
    assert "as rackwatch (p5, c0, k15" in broker.log
    assert "rackwatch 1 rackwatch/v1/+/+/readings" in broker.log
    assert "rackwatch 1 rackwatch/v1/+/+/input" in broker.log


async def test_small_packets_are_not_held_back(broker: Mosquitto, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[aiomqtt.Client] = []

    class Watched(aiomqtt.Client):
        async def __aenter__(self) -> "Watched":
            await super().__aenter__()
            made.append(self)
            return self

    monkeypatch.setattr(aiomqtt, "Client", Watched)
    async with transport(broker) as near:
        await until_state(near, LinkState.OPEN)
        used = made[-1]._client.socket()
        assert isinstance(used, socket.socket)
        assert used.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1


async def test_a_restart_of_the_broker_in_mid_stream_loses_nothing(broker: Mosquitto) -> None:
    """From a node's publications to deliveries: none missing, none twice, across two restarts."""
    count = 300
    router, nodes = Router(), TableNodes()
    deliveries: list[Delivery] = []

    async def consume(near: MqttTransport) -> None:
        async for received in near:
            for arrival in router.route(received):
                deliveries.extend(one for one in nodes.feed(arrival) if isinstance(one, Delivery))

    async with transport(broker) as near, node(broker) as far:
        consumer = asyncio.create_task(consume(near))
        await until_state(near, LinkState.OPEN)
        await until_state(far, LinkState.OPEN)
        for seq in range(1, count + 1):
            far.send(Publication(TOPIC, encode_readings(Readings("n", 1, seq, seq * 10_000))))
            if seq in {100, 200}:
                await asyncio.to_thread(broker.stop)
            if seq in {130, 230}:
                await asyncio.to_thread(broker.start)
            await asyncio.sleep(0.01)
        assert await far.flush(PATIENCE_S)
        await until(lambda: len(deliveries) >= count)
        assert near.health[0].openings >= 2
    await consumer
    assert [one.readings.seq for one in deliveries] == list(range(1, count + 1))
    assert sum(one.lost for one in deliveries) == 0
    assert not any(one.rebooted for one in deliveries)


async def test_what_we_publish_waits_for_the_broker_and_keeps_its_order(broker: Mosquitto) -> None:
    async with transport(broker, "listener", subscriptions=(ALERTS,)) as listening, transport(broker) as near:
        await until_state(listening, LinkState.OPEN)
        await until_state(near, LinkState.OPEN)
        for number in range(60):
            if number == 20:
                await asyncio.to_thread(broker.stop)
            if number == 40:
                await asyncio.to_thread(broker.start)
            assert near.send(Publication(ALERTS, b"%d" % number)) is SendOutcome.ACCEPTED
            await asyncio.sleep(0.005)
        assert await near.flush(PATIENCE_S)
        got: list[int] = []
        while 59 not in got:
            got += [int(payload) for payload in await payloads(listening, 1)]
    assert list(dict.fromkeys(got)) == list(range(60))


async def test_what_was_meant_for_an_earlier_run_is_let_go(broker: Mosquitto) -> None:
    """A reading that waited for a monitor that was killed would be dated by when the next one heard it."""
    async with transport(broker) as near:
        await until_state(near, LinkState.OPEN)
    await published(broker, TOPIC, b"from the time between")
    async with transport(broker) as again:
        await until_state(again, LinkState.OPEN)
        await published(broker, TOPIC, b"of now")
        assert await payloads(again, 1) == [b"of now"]


async def test_fault_38_what_the_broker_retained_is_marked_and_what_is_live_is_not(broker: Mosquitto) -> None:
    await published(broker, TOPIC, b"old", retain=True)
    async with transport(broker) as near:
        old = await receive(near)
        await published(broker, TOPIC, b"new", retain=True)
        new = await receive(near)
    assert isinstance(old, Published)
    assert isinstance(new, Published)
    assert (old.payload, old.retain) == (b"old", True)
    assert (new.payload, new.retain) == (b"new", False)


async def test_a_light_is_published_to_its_place(broker: Mosquitto) -> None:
    light = Light(255, 0, 0)
    async with listener(broker, light_topic("T1", Place.EAST)) as client, transport(broker) as near:
        near.send(Publication(light_topic("T1", Place.EAST), encode_light(light), retain=True))
        assert (await next_message(client)).payload == encode_light(light)


async def test_birth_is_published_at_each_connect(broker: Mosquitto) -> None:
    birth = Publication("rackwatch/v1/daemon", b"here")
    async with transport(broker, "listener", subscriptions=("rackwatch/v1/daemon",)) as listening:
        await until_state(listening, LinkState.OPEN)
        async with transport(broker, birth=birth):
            assert await payloads(listening, 1) == [b"here"]


VANISHING = """
import asyncio, os, sys
from firmware_bridge.transports.mqtt import Broker, MqttTransport
from firmware_bridge.transports.transport import Publication

async def main():
    will = Publication("rackwatch/v1/daemon", b"gone")
    async with MqttTransport(Broker(host="127.0.0.1", port=int(sys.argv[1]), will=will)) as near:
        near.send(Publication("rackwatch/v1/daemon", b"here"))
        assert await near.flush(10)
        await asyncio.sleep(60)

asyncio.run(main())
"""


async def test_when_we_vanish_the_broker_says_so_and_when_we_leave_it_does_not(broker: Mosquitto) -> None:
    async with listener(broker, "rackwatch/v1/daemon") as client:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", VANISHING, str(broker.port))
        try:
            assert (await next_message(client)).payload == b"here"
        finally:
            process.kill()
            await process.wait()
        assert (await next_message(client)).payload == b"gone"
        async with transport(broker, will=Publication("rackwatch/v1/daemon", b"gone")) as near:
            near.send(Publication("rackwatch/v1/daemon", b"here again"))
        await published(broker, "rackwatch/v1/daemon", b"end")
        assert (await next_message(client)).payload == b"here again"
        assert (await next_message(client)).payload == b"end"


async def test_a_broker_that_is_not_there_is_waited_for_with_one_line_of_log(tmp_path: Path) -> None:
    absent = Mosquitto(tmp_path)
    with capture_logs() as logs:
        async with transport(absent) as near:
            await until_state(near, LinkState.MISSING)
            await asyncio.sleep(0.3)
            await asyncio.to_thread(absent.start)
            await until_state(near, LinkState.OPEN)
    absent.kill()
    assert [entry["event"] for entry in logs] == ["broker missing", "broker connected"]


async def test_a_full_outbox_loses_its_oldest_and_counts_them(broker: Mosquitto) -> None:
    async with transport(broker, "listener", subscriptions=(ALERTS,)) as listening:
        await until_state(listening, LinkState.OPEN)
        await asyncio.to_thread(broker.stop)
        near = MqttTransport(Broker(host=broker.host, port=broker.port), outbox_limit=3, back_off=QUICK)
        async with near:
            for number in range(10):
                near.send(Publication(ALERTS, b"%d" % number))
            assert near.dropped_outgoing == 7
            assert not await near.flush(0.05)
            await asyncio.to_thread(broker.start)
            assert await near.flush(PATIENCE_S)
        assert await payloads(listening, 3) == [b"7", b"8", b"9"]


async def test_what_was_not_published_when_we_leave_is_counted(tmp_path: Path) -> None:
    near = transport(Mosquitto(tmp_path))
    async with near:
        await until_state(near, LinkState.MISSING)
        near.send(Publication(ALERTS, b"never"))
    assert near.dropped_outgoing == 1


async def test_wrong_password_is_a_refusal_with_one_line_of_log(tmp_path: Path) -> None:
    with Mosquitto(tmp_path, users={"rack": "secret"}) as broker, capture_logs() as logs:
        async with transport(broker, username="rack", password="wrong") as near:
            await until_state(near, LinkState.REFUSED)
            await asyncio.sleep(0.2)
            assert near.health[0].state is LinkState.REFUSED
        async with transport(broker, username="rack", password="secret") as near:
            await until_state(near, LinkState.OPEN)
    assert [entry["event"] for entry in logs] == ["broker refuses us", "broker connected"]
    assert "wrong" not in str(logs)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # paho drops a socket it mistrusts
async def test_tls_encrypts_and_checks_who_answers(tmp_path: Path) -> None:
    with Mosquitto(tmp_path, tls=True) as broker:
        async with transport(broker, tls=Tls()) as near:
            await until(lambda: "certificate" in near.health[0].detail.lower())
            assert near.health[0].state is LinkState.MISSING
        gc.collect()  # what paho has dropped is to be found here, and not in another test
        async with transport(broker, tls=Tls(ca_file=broker.ca_file)) as near:
            await until_state(near, LinkState.OPEN)
            async with aiomqtt.Client(
                broker.host, broker.port, tls_params=aiomqtt.TLSParameters(ca_certs=broker.ca_file)
            ) as client:
                await client.publish(TOPIC, b"secret", qos=1)
            assert await payloads(near, 1) == [b"secret"]


async def test_a_certificate_file_that_is_missing_is_told(tmp_path: Path) -> None:
    settings = Broker(host="127.0.0.1", port=free_port(), tls=Tls(ca_file=str(tmp_path / "missing.pem")))
    async with MqttTransport(settings, back_off=QUICK) as near:
        await until_state(near, LinkState.MISSING)
        assert "No such file" in near.health[0].detail


class StrangeBroker:
    """Just enough of MQTT 5 to say what no good broker says."""

    def __init__(self, *packets: bytes) -> None:
        self._packets = packets
        self.connections = 0
        self.acknowledged: list[int] = []
        self.port = 0

    async def __aenter__(self) -> "StrangeBroker":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                kind = (await reader.readexactly(1))[0] >> 4
                size = (await reader.readexactly(1))[0]
                body = await reader.readexactly(size)
                if kind == 1:
                    writer.write(bytes([0x20, 3, 0, 0, 0]))
                elif kind == 8:
                    writer.write(bytes([0x90, 5, *body[:2], 0, 1, 1]) + b"".join(self._packets))
                elif kind == 4:
                    self.acknowledged.append(int.from_bytes(body[:2], "big"))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


def publish_packet(topic: bytes, payload: bytes, packet_id: int) -> bytes:
    body = len(topic).to_bytes(2, "big") + topic + packet_id.to_bytes(2, "big") + b"\0" + payload
    return bytes([0x32, len(body)]) + body


async def test_fault_43_a_topic_that_is_no_utf8_is_left_out_and_the_loop_lives() -> None:
    strange = StrangeBroker(
        publish_packet(b"rackwatch/v1/T\xff\xfe/east/readings", b"{}", 1), publish_packet(TOPIC.encode(), b"good", 2)
    )
    async with strange, MqttTransport(Broker(host="127.0.0.1", port=strange.port), back_off=QUICK) as near:
        assert await payloads(near, 1) == [b"good"]
        await until(lambda: strange.acknowledged == [1, 2])
        assert near.bad_topics == 1
        assert near.health[0].openings == 1
        assert strange.connections == 2, "one to end an earlier session, one to stay"


async def test_a_broker_that_hangs_up_again_and_again_is_tried_with_back_off() -> None:
    hang_ups = 0

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal hang_ups
        hang_ups += 1
        await reader.read(10)
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with capture_logs() as logs:
        async with MqttTransport(Broker(host="127.0.0.1", port=port), back_off=BackOff(0.1, 10.0)) as near:
            await until(lambda: hang_ups >= 2)
            assert near.health[0].openings == 0
    server.close()
    assert [entry["event"] for entry in logs] in (["broker missing"], [])
