"""The daemon's links to the world: which transports the settings ask for, kept running, and how they are doing.

Owns the way from settings to transports, and what is said about a link that is not open. Refuses to know what comes in.
Stands between `firmware_bridge.transports` and the daemon.
"""

import ssl
from collections.abc import Callable, Iterator

import msgspec

from firmware_bridge.errors import plain_reason
from firmware_bridge.received import Received
from firmware_bridge.routing import Seat, port_name
from firmware_bridge.transports.mqtt import Broker, MqttTransport, Tls
from firmware_bridge.transports.serial_port import SerialPort, SerialTransport
from firmware_bridge.transports.transport import (
    Clock,
    LinkHealth,
    LinkState,
    Outgoing,
    Publication,
    SendOutcome,
    Transport,
)
from monitor.settings import SerialSettings
from monitor.settings_file import SettingsFile
from monitor.topics import status_topic


class Link:
    """One transport, entered anew whenever it is run."""

    def __init__(self, name: str, make: Callable[[], Transport]) -> None:
        """`make` gives a fresh transport."""
        self.name = name
        self._make = make
        self._transport: Transport | None = None

    async def run(self, receive: Callable[[Received], None]) -> None:
        """Hand on what is received, until cancelled or the transport ends."""
        async with self._make() as transport:
            self._transport = transport
            try:
                async for received in transport:
                    receive(received)
            finally:
                self._transport = None

    def send(self, outgoing: Outgoing) -> SendOutcome:
        """Send something, as soon as may be; never waits."""
        return SendOutcome.NOT_CONNECTED if self._transport is None else self._transport.send(outgoing)

    async def flush(self, timeout_s: float) -> bool:  # handed on
        """Wait until everything accepted has gone out; say whether it has."""
        return self._transport is None or await self._transport.flush(timeout_s)

    def health(self) -> tuple[LinkHealth, ...]:
        """Each port, or the broker."""
        return () if self._transport is None else self._transport.health

    def connected(self) -> bool:
        """Whether all of it is open."""
        health = self.health()
        return bool(health) and all(one.state is LinkState.OPEN for one in health)

    def open_since(self) -> float | None:
        """Since when, in host seconds, all of it is open; `None` while it is not."""
        return max(one.since_s for one in self.health()) if self.connected() else None

    def dropped(self) -> int:
        """Receptions lost because the monitor was too slow, and publications the broker was away too long for."""
        return 0 if self._transport is None else self._transport.dropped + self._transport.dropped_outgoing


def serial_link(file: SettingsFile, clock: Clock) -> Link | None:
    """All serial lines, or nothing where the settings name none. Ports are named `T1/east`, as recordings tell them."""
    if not file.settings.serial:
        return None
    ports = [serial_port(file, line) for line in file.settings.serial]
    return Link("serial lines", lambda: SerialTransport(ports, clock))


def serial_port(file: SettingsFile, line: SerialSettings) -> SerialPort:
    """What the transport is to look for."""
    path = str(file.resolve(line.port)) if line.port is not None else None
    return SerialPort(port_name(Seat(line.table, line.place)), line.usb_serial, path, line.baud)


def mqtt_link(file: SettingsFile, clock: Clock, also: tuple[str, ...] = ()) -> Link | None:
    """The broker, or nothing where the settings name none. `also`: what is listened to beyond nodes and referees.

    Raises `SettingsError` for a password or authority that cannot be read.
    """
    if file.settings.mqtt is None:
        return None
    broker = mqtt_broker(file)
    broker = msgspec.structs.replace(broker, subscriptions=(*broker.subscriptions, *also))
    return Link("broker", lambda: MqttTransport(broker, clock))


def _unusable_authority(path: str | None, problem: OSError) -> str:
    """What is wrong with a file of certificate authorities, in plain words."""
    if path is None:
        return f"the system's certificate authorities cannot be used: {plain_reason(str(problem))}"
    if isinstance(problem, ssl.SSLError):
        return f"{path} holds no certificate. Name the file (PEM) of the certificate authority that signed the broker's"
    return f"the certificate authority's file {path} cannot be read: {(problem.strerror or str(problem)).lower()}"


def mqtt_broker(file: SettingsFile) -> Broker:
    """How the settings say the broker is reached. Raises `SettingsError`."""
    mqtt = file.settings.mqtt
    assert mqtt is not None, "the settings name no broker"
    tls = None
    if mqtt.tls:
        tls = Tls(ca_file=str(file.resolve(mqtt.ca_file)) if mqtt.ca_file is not None else None)
        try:
            tls.context()
        except OSError as problem:
            where = ("mqtt", "ca_file" if mqtt.ca_file is not None else "tls")
            raise file.error(where, _unusable_authority(tls.ca_file, problem)) from problem
    return Broker(
        host=mqtt.host,
        port=mqtt.port,
        client_id=mqtt.client_id,
        username=mqtt.user,
        password=file.mqtt_password(),
        tls=tls,
        birth=status(mqtt.client_id, online=True),
        will=status(mqtt.client_id, online=False),
    )


def status(client_id: str, *, online: bool) -> Publication:
    """Whether the monitor watches; the broker keeps it, and says offline by itself when the monitor vanishes."""
    return Publication(status_topic(client_id), b"online" if online else b"offline", retain=True)


def troubles(link: Link) -> Iterator[tuple[str, str | None]]:
    """What there is to say about each part of a link: its name, and a sentence, or `None` where it is well."""
    for one in link.health():
        detail = f" ({one.detail})" if one.detail else ""
        match one.state:
            case LinkState.MISSING:
                yield one.name, f"{one.name} is not there{detail}. It is looked for."
            case LinkState.REFUSED:
                yield one.name, f"{one.name} cannot be opened{detail}. It is tried again."
            case LinkState.STARTING | LinkState.OPEN | LinkState.CLOSED:
                yield one.name, None
    dropped = link.dropped()
    yield f"{link.name} lost", f"{link.name}: {dropped} messages were lost." if dropped else None
