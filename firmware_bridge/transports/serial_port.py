"""Nodes on serial lines: any number of ports, each found, opened, kept and found again by itself.

Owns ports: which device a name stands for, opening it alone and with low latency, back-off, PING each second. Refuses
to know frames beyond those it sends; what comes in goes on as it came. pyserial and its asyncio face stay in this file.

    state     is left when                                        for
    -------   -------------------------------------------------   -------------
    MISSING   the device appears                                  OPEN, REFUSED
    REFUSED   it can be opened (it was busy, or not permitted)    OPEN
    OPEN      it is unplugged, or reading fails                   MISSING

A change of state is one line of log; attempts are none.
"""

import asyncio
import errno
import time
from collections.abc import Sequence
from contextlib import suppress
from glob import glob

import serial
import serial_asyncio_fast
import structlog
from msgspec import Struct
from serial.tools import list_ports

from firmware_bridge.commands import Command, CommandEncoder, Identify, Ping
from firmware_bridge.received import LineBytes
from firmware_bridge.transports.transport import (
    INBOX_LIMIT,
    BackOff,
    Clock,
    Inbox,
    LineCommand,
    LinkHealth,
    LinkState,
    Outgoing,
    SendOutcome,
    Transport,
)

_log = structlog.get_logger("rackwatch.serial")

PING_EVERY_S = 1.0
"""PROTOCOL.md, *Timing duties*."""

_STEADY_S = 5.0
"""A port lost sooner than this is flapping: the back-off goes on growing; our choice."""

_BACK_OFF = BackOff(longest_s=2.0)
"""Looking for a device is cheap, and people wait for it; our choice."""

_LEAVE_S = 2.0
"""How long leaving waits for a port to let go; our choice."""


class SerialPort(Struct, frozen=True):
    """A port by what stays the same when cables move: the adapter's USB serial number, or a path or glob.

    `name` is what receptions say; `firmware_bridge.routing` binds it to a place. Exactly one of `usb_serial` and `path`
    is given. Of several devices that fit, the first that is not in use is taken.
    """

    name: str
    usb_serial: str | None = None
    path: str | None = None
    baud: int = 115_200


def matching_devices(port: SerialPort) -> list[str]:
    """The devices that a port may stand for now, in order of their names."""
    if port.usb_serial is not None:
        wanted = port.usb_serial.casefold()
        return sorted(
            found.device for found in list_ports.comports() if (found.serial_number or "").casefold() == wanted
        )
    return sorted(glob(port.path or ""))  # noqa: PTH207  # the pattern is a whole path, absolute or not


class SerialTransport(Transport):
    """All the serial lines of a daemon."""

    def __init__(
        self,
        ports: Sequence[SerialPort],
        clock: Clock = time.monotonic,
        inbox_limit: int = INBOX_LIMIT,
        back_off: BackOff | None = None,
    ) -> None:
        super().__init__(inbox_limit)
        in_use: set[str] = set()
        self._lines = {port.name: _Line(port, self._inbox, clock, back_off or _BACK_OFF, in_use) for port in ports}
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def health(self) -> tuple[LinkHealth, ...]:
        """Each port."""
        return tuple(line.health for line in self._lines.values())

    @property
    def dropped_outgoing(self) -> int:
        """Commands that a line did not take in time."""
        return sum(line.dropped for line in self._lines.values())

    def send(self, outgoing: Outgoing) -> SendOutcome:
        """Write a command to the port it names. A command for a port that is not open is not kept."""
        if not isinstance(outgoing, LineCommand) or outgoing.port not in self._lines:
            return SendOutcome.WRONG_KIND
        return self._lines[outgoing.port].send(outgoing.command)

    async def _start(self) -> None:
        self._tasks = [
            asyncio.create_task(line.run(), name=f"serial port {name}") for name, line in self._lines.items()
        ]

    async def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class _Line(asyncio.Protocol):
    """One port through all its openings."""

    def __init__(self, port: SerialPort, inbox: Inbox, clock: Clock, back_off: BackOff, in_use: set[str]) -> None:
        self._port = port
        self._inbox = inbox
        self._clock = clock
        self._back_off = back_off
        self._in_use = in_use
        self._commands = CommandEncoder()
        self._pings = 0
        self._connection: _Connection | None = None
        self._lost: asyncio.Future[str] | None = None
        self._writable = True
        self._state = LinkState.STARTING
        self._since_s = clock()
        self._detail = ""
        self._openings = 0
        self.dropped = 0

    @property
    def health(self) -> LinkHealth:
        return LinkHealth(self._port.name, self._state, self._since_s, self._detail, self._openings)

    def send(self, command: Command) -> SendOutcome:
        if self._connection is None or self._state is not LinkState.OPEN:
            return SendOutcome.NOT_CONNECTED
        if not self._writable:
            self.dropped += 1
            return SendOutcome.NOT_CONNECTED
        at_s = self._clock()
        frame = self._commands.encode(command, at_s)
        self._inbox.put(LineBytes(at_s, self._port.name, frame, sent=True))
        self._connection.write(frame)
        return SendOutcome.ACCEPTED

    async def run(self) -> None:
        """Find the device, open it, serve it until it is lost; again and again."""
        failures = 0
        try:
            while True:
                device = self._unused(await asyncio.to_thread(matching_devices, self._port))
                if device is None:
                    self._change(LinkState.MISSING, self._port.usb_serial or self._port.path or "")
                else:
                    self._in_use.add(device)
                    try:
                        if await self._serve(device) >= _STEADY_S:
                            failures = 0
                    finally:
                        self._in_use.discard(device)
                failures += 1
                await asyncio.sleep(self._back_off.after(failures))
        finally:
            self._change(LinkState.CLOSED, "")

    def _unused(self, devices: list[str]) -> str | None:
        return next((device for device in devices if device not in self._in_use), None)

    async def _serve(self, device: str) -> float:
        """Open a device and serve it until it is lost; say for how many seconds it was open."""
        try:
            opened = await asyncio.to_thread(_open, device, self._port.baud)
        except (OSError, ValueError) as failure:
            gone = isinstance(failure, OSError) and failure.errno in {errno.ENOENT, errno.ENODEV, errno.ENXIO}
            self._change(LinkState.MISSING if gone else LinkState.REFUSED, f"{device}: {failure}")
            return 0.0
        loop = asyncio.get_running_loop()
        self._lost = loop.create_future()
        self._writable = True
        self._connection = _Connection(loop, self, opened)
        self._openings += 1
        self._change(LinkState.OPEN, device)
        reason = "left"
        try:
            self.send(Identify())
            while not self._lost.done():
                self._pings += 1
                self.send(Ping(self._pings))
                await asyncio.wait([self._lost], timeout=PING_EVERY_S)
            reason = self._lost.result()
        finally:
            connection, self._connection = self._connection, None
            if not self._lost.done():
                connection.abort()
                await asyncio.wait([self._lost], timeout=_LEAVE_S)
        open_s = self._clock() - self._since_s
        self._change(LinkState.MISSING, f"{device}: {reason}")
        return open_s

    def data_received(self, data: bytes) -> None:
        self._inbox.put(LineBytes(self._clock(), self._port.name, data))

    def connection_lost(self, exc: Exception | None) -> None:
        if self._lost is not None and not self._lost.done():
            self._lost.set_result(str(exc) if exc else "closed")

    def pause_writing(self) -> None:
        self._writable = False

    def resume_writing(self) -> None:
        self._writable = True

    def _change(self, state: LinkState, detail: str) -> None:
        if state is self._state and (state is LinkState.MISSING or detail == self._detail):
            return
        self._state, self._since_s, self._detail = state, self._clock(), detail
        match state:
            case LinkState.OPEN:
                _log.info("serial port open", port=self._port.name, device=detail)
            case LinkState.MISSING:
                _log.warning("serial port missing", port=self._port.name, device=detail)
            case LinkState.REFUSED:
                _log.error("serial port refused", port=self._port.name, reason=detail)
            case _:
                pass


class _Connection(serial_asyncio_fast.SerialTransport):
    """As its base, but a line that breaks is let go at once and quietly: `_Line` tells of it, once.

    The base would first try to send out what is pending, and report a write that fails to the loop's error handler.
    """

    def _fatal_error(self, exc: BaseException, message: str = "") -> None:
        del message
        self._abort(exc)

    def _close(self, exc: Exception | None = None) -> None:
        if exc is None:
            super()._close()
        else:
            self._abort(exc)


def _open(device: str, baud: int) -> serial.Serial:
    """Open a device for us alone, with the kernel's receive timer off, and what has piled up thrown away."""
    opened = serial.Serial(device, baud, exclusive=True)
    with suppress(OSError, ValueError, NotImplementedError, AttributeError):
        opened.set_low_latency_mode(True)
    with suppress(OSError):
        opened.reset_input_buffer()
    return opened
