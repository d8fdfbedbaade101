"""Serial lines on pseudo-terminals. Rows 30, 33 and 37 of the faults seen in the field among them."""

import asyncio
import time
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo
from structlog.testing import capture_logs

from firmware_bridge.commands import Command, Identify, Light, Ping, decode_command
from firmware_bridge.framing import Frame, FrameDecoder
from firmware_bridge.messages import Channel, Place, Readings, WeightSample
from firmware_bridge.nodes import NodeBack, NodeIntroduced, NodeSilent, Notice, TableNodes
from firmware_bridge.received import LineBytes
from firmware_bridge.routing import Router
from firmware_bridge.serial_encoder import SerialNodeEncoder
from firmware_bridge.session import Delivery
from firmware_bridge.transports import serial_port
from firmware_bridge.transports.serial_port import SerialPort, SerialTransport, matching_devices
from firmware_bridge.transports.transport import BackOff, Clock, LineCommand, LinkState, SendOutcome
from tests.firmware_bridge.transports.waiting import receive, until, until_state
from tests.pty_port import PtyPort

QUICK = BackOff(0.01, 0.05)
SILENCE_S = 0.15


@pytest.fixture
def port(tmp_path: Path) -> Iterator[PtyPort]:
    line = PtyPort(tmp_path / "rack")
    yield line
    line.unplug()


def transport(*ports: PtyPort, back_off: BackOff = QUICK, clock: Clock = time.monotonic) -> SerialTransport:
    return SerialTransport(
        [SerialPort(f"T1/{place}", path=str(line.path)) for line, place in zip(ports, Place, strict=False)],
        clock,
        back_off=back_off,
    )


async def heard(near: SerialTransport) -> bytes:
    """What the node has sent, next."""
    while True:
        received = await receive(near)
        assert isinstance(received, LineBytes)
        if not received.sent:
            return received.data


class FarNode:
    """What a node reads from the line."""

    def __init__(self, port: PtyPort) -> None:
        self._port = port
        self._decoder = FrameDecoder()
        self.commands: list[Command] = []

    def listen(self) -> list[Command]:
        self._decoder.receive_data(self._port.read())
        while (event := self._decoder.next_event()) is not None:
            assert isinstance(event, Frame)
            command = decode_command(event)
            assert command is not None
            self.commands.append(command)
        return self.commands


async def test_what_comes_in_is_stamped_and_named(port: PtyPort) -> None:
    port.plug()
    async with transport(port) as near:
        await until_state(near, LinkState.OPEN)
        port.write(b"hello")
        assert await heard(near) == b"hello"


async def test_the_node_is_asked_who_it_is_at_once_and_pinged_each_second(
    port: PtyPort, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serial_port, "PING_EVERY_S", 0.01)
    port.plug()
    node = FarNode(port)
    async with transport(port) as near:
        await until(lambda: len(node.listen()) >= 4)
        sent = [await receive(near) for _ in range(4)]
    assert node.commands[:4] == [Identify(), Ping(1), Ping(2), Ping(3)]
    assert all(isinstance(one, LineBytes) and one.sent for one in sent)


async def test_a_light_reaches_the_node(port: PtyPort) -> None:
    port.plug()
    node = FarNode(port)
    async with transport(port) as near:
        await until_state(near, LinkState.OPEN)
        assert near.send(LineCommand("T1/east", Light(10, 20, 30))) is SendOutcome.ACCEPTED
        await until(lambda: Light(10, 20, 30) in node.listen())


async def test_a_command_for_a_port_that_is_not_there_is_not_kept(port: PtyPort) -> None:
    async with transport(port) as near:
        await until_state(near, LinkState.MISSING)
        assert near.send(LineCommand("T1/east", Light(1, 2, 3))) is SendOutcome.NOT_CONNECTED
        port.plug()
        await until_state(near, LinkState.OPEN)
        node = FarNode(port)
        await until(lambda: len(node.listen()) >= 2)
        assert not any(isinstance(command, Light) for command in node.commands)


async def test_unplugged_and_plugged_in_again_it_goes_on_with_one_line_of_log_a_change(port: PtyPort) -> None:
    port.plug()
    with capture_logs() as logs:
        async with transport(port) as near:
            for number in range(3):
                await until_state(near, LinkState.OPEN)
                port.write(b"number %d" % number)
                assert await heard(near) == b"number %d" % number
                port.unplug()
                await until_state(near, LinkState.MISSING)
                await asyncio.sleep(0.2)  # several attempts, none of which may be logged
                port.plug()
            await until_state(near, LinkState.OPEN)
            assert near.health[0].openings == 4
    events = [entry["event"] for entry in logs]
    assert events == ["serial port open"] + ["serial port missing", "serial port open"] * 3


async def test_fault_33_an_unplugged_port_is_looked_for_with_back_off_and_not_in_a_loop(
    port: PtyPort, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = 0

    def counted(wanted: SerialPort) -> list[str]:
        nonlocal looked
        looked += 1
        return matching_devices(wanted)

    monkeypatch.setattr(serial_port, "matching_devices", counted)
    port.plug()
    async with transport(port, back_off=BackOff(0.05, 10.0)) as near:
        await until_state(near, LinkState.OPEN)
        port.unplug()
        await until_state(near, LinkState.MISSING)
        await asyncio.sleep(0.5)
        assert looked <= 6


async def test_a_port_that_vanishes_while_we_write_is_only_missing(
    port: PtyPort, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serial_port, "PING_EVERY_S", 0.001)
    problems: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: problems.append(context))
    async with transport(port) as near:
        for _ in range(10):
            port.plug()
            await until_state(near, LinkState.OPEN)
            await asyncio.sleep(0.005)
            port.unplug()
            await until_state(near, LinkState.MISSING)
    assert problems == []


async def test_another_program_on_the_port_is_told_and_waited_for(port: PtyPort) -> None:
    port.plug()
    with capture_logs() as logs:
        async with transport(port) as first:
            await until_state(first, LinkState.OPEN)
            async with transport(port) as second:
                await until_state(second, LinkState.REFUSED)
                await asyncio.sleep(0.1)
                assert second.health[0].state is LinkState.REFUSED
                assert "lock" in second.health[0].detail
                port.write(b"to the first")
                assert await heard(first) == b"to the first"
    assert [entry["event"] for entry in logs] == ["serial port open", "serial port refused"]


async def test_what_piled_up_before_the_port_was_opened_is_thrown_away(port: PtyPort) -> None:
    port.plug()
    with port.path.open("rb+", buffering=0) as slave:
        tty.setraw(slave.fileno())
        port.write(b"old garbage that nobody has read")
        async with transport(port) as near:
            await until_state(near, LinkState.OPEN)
            port.write(b"fresh")
            assert await heard(near) == b"fresh"


async def test_a_node_that_does_not_read_blocks_nobody(port: PtyPort) -> None:
    port.plug()
    async with transport(port) as near:
        await until_state(near, LinkState.OPEN)
        outcomes = [near.send(LineCommand("T1/east", Light(1, 2, 3))) for _ in range(8000)]
        assert outcomes[0] is SendOutcome.ACCEPTED
        assert outcomes[-1] is SendOutcome.NOT_CONNECTED
        assert near.dropped_outgoing > 0
        port.write(b"still heard")
        assert await heard(near) == b"still heard"


async def test_two_ports_of_one_pattern_take_a_device_each(tmp_path: Path) -> None:
    lines = [PtyPort(tmp_path / "rack-a"), PtyPort(tmp_path / "rack-b")]
    for line in lines:
        line.plug()
    pattern = str(tmp_path / "rack-*")
    async with SerialTransport([SerialPort("one", path=pattern), SerialPort("two", path=pattern)]) as near:
        await until_state(near, LinkState.OPEN, 0)
        await until_state(near, LinkState.OPEN, 1)
        assert {link.detail for link in near.health} == {str(line.path) for line in lines}
    for line in lines:
        line.unplug()


def test_fault_30_a_port_is_found_by_its_serial_number_whatever_its_device_is_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def plugged_in(*serials: str | None) -> None:
        found = []
        for number, serial_number in enumerate(serials):
            info = ListPortInfo(f"/dev/ttyUSB{number}")
            info.serial_number = serial_number
            found.append(info)
        monkeypatch.setattr(list_ports, "comports", lambda: found)

    wanted = SerialPort("T1/east", usb_serial="A50285BI")
    plugged_in(None, "A50285BI", "OTHER")
    assert matching_devices(wanted) == ["/dev/ttyUSB1"]
    plugged_in("a50285bi", None, "OTHER")
    assert matching_devices(wanted) == ["/dev/ttyUSB0"]
    plugged_in("OTHER")
    assert matching_devices(wanted) == []


class Line:
    """A node on a port, and everything the daemon makes of it, while a task takes what arrives.

    Its time is the test's: a machine that is busy for a while makes no node silent.
    """

    def __init__(self, port: PtyPort) -> None:
        self._port = port
        self._router = Router()
        self._nodes = TableNodes(silence_s=SILENCE_S)
        self._now_s = 0.0
        self._heard = 0
        self.deliveries: list[Delivery] = []
        self.notices: list[Notice] = []

    async def consume(self, near: SerialTransport) -> None:
        async for received in near:
            for arrival in self._router.route(received):
                self._take(self._nodes.advance(arrival.at_s))
                self._take(self._nodes.feed(arrival))
                self._heard += isinstance(arrival.message, Readings)

    def clock(self) -> float:
        return self._now_s

    def pass_time(self, seconds: float) -> None:
        self._now_s += seconds
        self._take(self._nodes.advance(self._now_s))

    def _take(self, out: list[Delivery | Notice]) -> None:
        for one in out:
            if isinstance(one, Delivery):
                self.deliveries.append(one)
            else:
                self.notices.append(one)

    async def talk(self, boot: int, count: int) -> None:
        """A freshly started node says so many things, each of them 20 ms after the last has arrived."""
        encoder = SerialNodeEncoder("t1-east", boot)
        began_s, wanted = self._now_s, len(self.deliveries) + count
        for heard in range(self._heard + 1, self._heard + 1 + count):
            self.pass_time(0.02)
            ticks = round((self._now_s - began_s) * 1e6)
            sample = WeightSample(ticks, Channel.RACK, 0)
            self._port.write(encoder.readings(Readings("", 0, 0, ticks, weight=(sample,))))
            await until(lambda heard=heard: self._heard == heard)
        assert len(self.deliveries) == wanted


async def test_fault_37_a_board_that_resets_when_its_port_opens_reboots_without_a_loss(port: PtyPort) -> None:
    """From bytes to deliveries through an unplugging: what was sent meanwhile is gone, and that is all."""
    port.plug()
    line = Line(port)
    async with transport(port, clock=line.clock) as near:
        consumer = asyncio.create_task(line.consume(near))
        await until_state(near, LinkState.OPEN)
        await line.talk(boot=1, count=8)
        port.unplug()
        await until_state(near, LinkState.MISSING)
        line.pass_time(2 * SILENCE_S)
        assert [type(notice) for notice in line.notices] == [NodeIntroduced, NodeSilent]
        port.plug()
        await until_state(near, LinkState.OPEN)
        port.write(b"\r\nbootloader garbage \xff\xfe\r\n\0")
        await line.talk(boot=2, count=8)
    await consumer
    assert [one.readings.boot for one in line.deliveries] == [1] * 8 + [2] * 8
    assert [one.rebooted for one in line.deliveries] == [False] * 8 + [True] + [False] * 7
    assert sum(one.lost for one in line.deliveries) == 0
    assert [type(notice) for notice in line.notices] == [NodeIntroduced, NodeSilent, NodeBack, NodeIntroduced]
