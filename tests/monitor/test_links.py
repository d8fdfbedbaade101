import asyncio
from pathlib import Path

import pytest

from firmware_bridge.messages import Place
from firmware_bridge.received import LineBytes, Received
from firmware_bridge.transports.memory import MemoryTransport
from firmware_bridge.transports.serial_port import SerialPort
from firmware_bridge.transports.transport import (
    LinkHealth,
    LinkState,
    Publication,
    SendOutcome,
)
from monitor.links import Link, mqtt_broker, mqtt_link, serial_link, serial_port, troubles
from monitor.settings import SerialSettings
from monitor.settings_file import SettingsFile, load_settings

HELLO = Publication("a/b", b"")


def settings(folder: Path, more: str = "") -> SettingsFile:
    path = folder / "club.toml"
    path.write_text(f'[[tables]]\nname = "T1"\n{more}')
    return load_settings(path)


async def test_a_link_hands_on_what_comes_and_knows_when_it_is_open() -> None:
    transport = MemoryTransport()
    link = Link("memory", lambda: transport)
    assert not link.connected()
    assert link.send(HELLO) is SendOutcome.NOT_CONNECTED
    got: list[Received] = []
    came = asyncio.Event()

    def receive(received: Received) -> None:
        got.append(received)
        came.set()

    task = asyncio.create_task(link.run(receive))
    transport.put(LineBytes(1.0, "T1/east", b"x"))
    async with asyncio.timeout(5):
        await came.wait()
    assert link.connected()
    assert link.send(HELLO) is SendOutcome.ACCEPTED
    assert await link.flush(1.0)
    transport.end()
    async with asyncio.timeout(5):
        await task
    assert got == [LineBytes(1.0, "T1/east", b"x")]
    assert link.health() == ()


class Troubled(MemoryTransport):
    """A transport whose health a test makes."""

    told: tuple[LinkHealth, ...] = ()
    lost = 0

    @property
    def health(self) -> tuple[LinkHealth, ...]:
        return self.told

    @property
    def dropped(self) -> int:
        return self.lost


async def test_what_is_said_of_a_link() -> None:
    transport = Troubled()
    link = Link("serial lines", lambda: transport)
    task = asyncio.create_task(link.run(lambda _: None))
    await asyncio.sleep(0)
    transport.told = (
        LinkHealth("T1/east", LinkState.OPEN, 0.0),
        LinkHealth("T1/south", LinkState.MISSING, 0.0, "unplugged"),
        LinkHealth("T1/west", LinkState.REFUSED, 0.0, "busy"),
    )
    transport.lost = 7
    said = dict(troubles(link))
    assert said["T1/east"] is None
    assert said["T1/south"] == "T1/south is not there (unplugged). It is looked for."
    assert said["T1/west"] == "T1/west cannot be opened (busy). It is tried again."
    assert said["serial lines lost"] == "serial lines: 7 messages were lost."
    assert not link.connected()
    task.cancel()


def test_no_link_where_the_settings_name_none(tmp_path: Path) -> None:
    file = settings(tmp_path)
    assert serial_link(file, lambda: 0.0) is None
    assert mqtt_link(file, lambda: 0.0) is None


def test_a_port_is_named_by_its_place_and_a_path_is_relative_to_the_file(tmp_path: Path) -> None:
    file = settings(tmp_path)
    by_path = SerialSettings(table="T1", place=Place.EAST, port="ports/e*")
    assert serial_port(file, by_path) == SerialPort("T1/east", path=str(tmp_path / "ports/e*"))
    by_number = SerialSettings(table="T1", place=Place.FLOOR, usb_serial="X", baud=9600)
    assert serial_port(file, by_number) == SerialPort("T1/floor", usb_serial="X", baud=9600)


def test_the_broker_as_the_settings_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "s")
    broker = mqtt_broker(
        settings(
            tmp_path,
            '[mqtt]\nhost = "h"\nport = 8883\ntls = true\nuser = "u"\npassword_env = "SECRET"\nclient_id = "c"\n',
        )
    )
    assert (broker.host, broker.port, broker.username, broker.password, broker.client_id) == ("h", 8883, "u", "s", "c")
    assert broker.tls is not None
    assert broker.birth == Publication("rackwatch/v1/monitor/c/status", b"online", retain=True)
    assert broker.will == Publication("rackwatch/v1/monitor/c/status", b"offline", retain=True)
