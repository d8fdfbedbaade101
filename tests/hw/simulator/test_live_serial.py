"""Nodes on pseudo-terminals: the same bytes as the recording, commands answered, plugs pulled and put back."""

import asyncio
import os
import tty
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from firmware_bridge.commands import CommandEncoder, Identify, Light, Ping
from firmware_bridge.messages import Hello, Input, Place, Pong, Readings
from firmware_bridge.received import LineBytes
from firmware_bridge.routing import Router
from hw.simulator.evening import Evening, simulate_evening
from hw.simulator.live_serial import PtyTable, serve_ptys
from hw.simulator.options import Noise, Options, Pace, SensorFault, Tier, Wiring
from hw.simulator.pacing import LiveNode, Pacing
from hw.simulator.reception import port_of, received_of
from hw.simulator.serial_lines import BOOT_LOG

OPTIONS = Options(
    seed=41, noise=Noise.NORMAL, pace=Pace.EXPERT, discards=4, tier=Tier.RFID_FLOOR, wiring=Wiring.USB
)  # fmt: skip
BRISK = Pacing(speed=8.0, own_clocks=False)
FAST = Pacing(speed=1000.0, own_clocks=False)


@pytest.fixture(scope="module")
def evening() -> Evening:
    return simulate_evening(OPTIONS)


class Host:
    """Opens a port as a monitor would and keeps what comes."""

    def __init__(self, port: Path) -> None:
        self.heard = bytearray()
        self.hung_up = asyncio.Event()
        self._news = asyncio.Event()
        self._fd = os.open(port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self._fd)
        asyncio.get_running_loop().add_reader(self._fd, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self._fd, 4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self.heard += data
        self._news.set()
        if not data:
            asyncio.get_running_loop().remove_reader(self._fd)
            self.hung_up.set()

    def say(self, data: bytes) -> None:
        os.write(self._fd, data)

    async def until(self, wanted: type, router: Router) -> object:
        """The next message of a kind; the router has heard the rest."""
        while True:
            data, self.heard = bytes(self.heard), bytearray()
            for arrival in router.route(LineBytes(0.0, "T1/east", data)):
                if isinstance(arrival.message, wanted):
                    return arrival.message
            self._news.clear()
            await self._news.wait()

    async def all_of(self, size: int) -> None:
        """Wait until so many bytes have come: the system hands them over by and by."""
        while len(self.heard) < size:
            self._news.clear()
            await self._news.wait()

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._fd)
        os.close(self._fd)


@asynccontextmanager
async def hosts_of(table: PtyTable) -> AsyncIterator[dict[Place, Host]]:
    hosts = {place: Host(port) for place, port in table.ports.items()}
    await table.attended()
    yield hosts
    for host in hosts.values():
        host.close()


async def test_the_live_bytes_are_the_recorded_bytes(evening: Evening, tmp_path: Path) -> None:
    table = PtyTable(evening, tmp_path / "ports", FAST, lossless=True)
    async with table, hosts_of(table) as hosts:
        assert sorted(port.name for port in (tmp_path / "ports").iterdir()) == [
            "t1-east", "t1-floor", "t1-north", "t1-south", "t1-west",
        ]  # fmt: skip
        await table.play()
        recorded = received_of(evening)
        for place, host in hosts.items():
            port = port_of(evening, place)
            wanted = b"".join(r.data for r in recorded if isinstance(r, LineBytes) and r.port == port)
            assert len(wanted) > 10_000
            await host.all_of(len(wanted))
            assert bytes(host.heard) == wanted
    assert table.dropped_bytes == 0
    assert list((tmp_path / "ports").iterdir()) == []


def test_the_product_s_own_door_reads_every_row_of_the_lines(evening: Evening) -> None:
    router = Router(frozenset({"T1"}))
    arrivals = [a for received in received_of(evening) for a in router.route(received)]
    assert router.rejected == {}
    readings = [a.message for a in arrivals if isinstance(a.message, Readings)]
    sent = [m.readings for m in evening.messages if m.readings]
    enrolled = set(evening.furniture.setup.tiles)
    for node in {r.node for r in sent}:

        def rounds(of: list[Readings], name: str = node) -> list[tuple[int, str, set[str]]]:
            rows = [row for r in of if r.node == name for row in r.inventory]
            return [(row.ticks, row.antenna.value, enrolled & set(row.uids)) for row in rows]

        assert rounds(readings) == rounds(sent)
    complete = [[row.complete for r in of for row in r.inventory].count(True) for of in (readings, sent)]
    assert 0.99 * complete[1] < complete[0] <= complete[1]  # a round with an id that cannot be is told as incomplete
    assert {a.message.node for a in arrivals if isinstance(a.message, Hello)} == {
        life.plan.name for life in evening.lives
    }


async def test_commands_are_answered(evening: Evening, tmp_path: Path) -> None:
    table = PtyTable(evening, tmp_path, BRISK)
    async with table:
        host, router, commands = Host(table.ports[Place.EAST]), Router(), CommandEncoder()
        run = asyncio.create_task(table.play())
        first = await host.until(Hello, router)
        assert isinstance(first, Hello)
        assert first.node == "t1-east"
        assert {a.value for a in first.antennas} == {"slope", "ledge"}
        host.say(commands.encode(Ping(77)))
        pong = await host.until(Pong, router)
        assert isinstance(pong, Pong)
        assert pong.nonce == 77
        assert 0 <= (pong.ticks - pong.received_ticks) % 2**32 < 100_000
        host.say(commands.encode(Identify()) + commands.encode(Light(255, 0, 0)))
        assert isinstance(await host.until(Hello, router), Hello)
        assert table.lights[Place.EAST] == Light(255, 0, 0)
        run.cancel()
        host.close()


async def test_unplugging_hangs_up_and_plugging_in_restarts_the_board(evening: Evening, tmp_path: Path) -> None:
    table = PtyTable(evening, tmp_path, BRISK)
    async with table:
        host, router = Host(table.ports[Place.EAST]), Router()
        run = asyncio.create_task(table.play())
        first = await host.until(Hello, router)
        table.unplug(Place.EAST)
        await host.hung_up.wait()
        host.close()
        assert not table.ports[Place.EAST].exists()
        assert table.ports[Place.SOUTH].exists()
        table.unplug(Place.EAST)
        table.plug_in(Place.EAST)
        again = Host(table.ports[Place.EAST])
        second = await again.until(Hello, router)
        assert isinstance(first, Hello)
        assert isinstance(second, Hello)
        assert second.boot != first.boot
        assert second.ticks < 10_000_000  # a restarted board counts from its start
        run.cancel()
        again.close()


async def test_a_host_that_comes_and_goes_finds_the_node_going_on(evening: Evening, tmp_path: Path) -> None:
    table = PtyTable(evening, tmp_path, BRISK)
    async with table:
        run = asyncio.create_task(table.play())
        boots = []
        for _ in range(3):
            host = Host(table.ports[Place.EAST])
            hello = await host.until(Hello, Router())
            assert isinstance(hello, Hello)
            boots.append(hello.boot)
            host.close()
        assert len(set(boots)) == 1
        run.cancel()


async def test_a_board_that_opening_resets_begins_anew_each_time(evening: Evening, tmp_path: Path) -> None:
    table = PtyTable(evening, tmp_path, BRISK, resets_when_opened=True)
    async with table:
        run = asyncio.create_task(table.play())
        boots = set()
        for _ in range(2):
            host = Host(table.ports[Place.EAST])
            hello = await host.until(Hello, Router())
            assert isinstance(hello, Hello)
            assert hello.ticks < 10_000_000
            boots.add(hello.boot)
            host.close()
            await table.deserted(Place.EAST)
        assert len(boots) == 2
        run.cancel()


async def test_swapped_plugs_keep_the_names_of_sockets_not_of_nodes(evening: Evening, tmp_path: Path) -> None:
    table = PtyTable(evening, tmp_path, BRISK)
    async with table:
        run = asyncio.create_task(table.play())
        table.swap(Place.EAST, Place.WEST)
        host = Host(tmp_path / "t1-east")
        hello = await host.until(Hello, Router())
        assert isinstance(hello, Hello)
        assert hello.node == "t1-west"
        host.close()
        run.cancel()


def test_a_restart_in_mid_hand_speaks_its_boot_log_and_noise_is_only_noise() -> None:
    quick = replace(OPTIONS, tier=Tier.WEIGHT10, noise=Noise.QUIET)
    restarted = simulate_evening(replace(quick, sensor_faults=(SensorFault.REBOOT,)))
    stream = b"".join(r.data for r in received_of(restarted) if isinstance(r, LineBytes))
    assert stream.count(BOOT_LOG) == 1
    noisy = simulate_evening(replace(quick, sensor_faults=(SensorFault.LINE_NOISE,)))
    assert {t.fault for t in noisy.truth.trouble} == {"line_noise"}
    router = Router()
    arrivals = [a for received in received_of(noisy) for a in router.route(received)]
    sent = {w for m in noisy.messages if m.readings for w in m.readings.weight}
    heard = {w for a in arrivals if isinstance(a.message, Readings) for w in a.message.weight}
    assert sum(router.rejected.values()) > 20
    assert heard < sent
    assert len(heard) > 0.5 * len(sent)


def test_lost_messages_leave_a_gap_in_the_frames_count() -> None:
    quick = replace(OPTIONS, tier=Tier.WEIGHT10, noise=Noise.QUIET, sensor_faults=(SensorFault.LOSS,))
    evening = simulate_evening(quick)
    router = Router()
    arrivals = [a for received in received_of(evening) for a in router.route(received)]
    for life in evening.lives:
        said = [a.message for a in arrivals if not isinstance(a.message, Input) and a.message.node == life.plan.name]
        missing = sum(b.seq - a.seq - 1 for a, b in pairwise(said))
        told = sum(t.n for t in evening.truth.trouble if t.place == life.plan.place)
        assert 0.8 * told <= missing <= told


def test_what_only_a_broker_can_do_is_left_out_and_not_told() -> None:
    quick = replace(OPTIONS, tier=Tier.WEIGHT10, sensor_faults=(SensorFault.DISORDER, SensorFault.RETAINED))
    assert simulate_evening(quick).truth.trouble == ()
    wireless = replace(quick, wiring=Wiring.NETWORK, sensor_faults=(SensorFault.LINE_NOISE,))
    assert simulate_evening(wireless).truth.trouble == ()


@pytest.mark.parametrize("speed", [1.0, 4.0, 50.0])
def test_sped_up_nodes_keep_the_wall_s_time_on_their_own_clocks(evening: Evening, speed: float) -> None:
    pacing = Pacing(speed=speed)
    life = evening.life(Place.EAST)
    node = LiveNode(life, pacing)
    messages = [m for m in evening.messages if m.place is Place.EAST]
    shown = [relived.readings for m in messages if (relived := node.relived(m)) and relived.readings]
    first, last = shown[0], shown[-1]
    wall_s = (messages[-1].sent_s - messages[0].sent_s) / speed
    assert ((last.ticks - first.ticks) % 2**32) / 1e6 == pytest.approx(wall_s, rel=1e-3)
    ages = [(r.ticks - row.ticks) % 2**32 for r in shown for row in r.inventory]
    assert max(ages) < 1_000_000
    if speed == 1.0:
        assert shown == [m.readings for m in messages]
    assert node.ticks(messages[-1].sent_s) == last.ticks


async def test_serving_needs_serial_wiring_and_tells_when_it_is_ready(tmp_path: Path) -> None:
    ready: list[PtyTable] = []
    with pytest.raises(ValueError, match="wiring"):
        await serve_ptys(Options(seed=1, tier=Tier.WEIGHT10, discards=4), tmp_path)
    await serve_ptys(replace(OPTIONS, tier=Tier.WEIGHT10), tmp_path, replace(FAST, start_s=60.0), ready.append)
    assert [table.evening.options.seed for table in ready] == [41]
