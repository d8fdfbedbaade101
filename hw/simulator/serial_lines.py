"""What a node sends down a serial line: its messages as frames, boot logs, and a line's noise. No I/O.

Owns the bytes of simulated serial lines. Refuses to know ports. The same encoder serves recordings and live
pseudo-terminals, so both carry the same bytes. evening -> **serial_lines** -> reception or live.
"""

from msgspec.structs import replace
from numpy.random import Generator

from firmware_bridge.messages import ButtonName, InventoryRound, Readings
from firmware_bridge.serial_encoder import SerialNodeEncoder
from hw.simulator.node import Outgoing
from hw.simulator.sensors import NodePlan

BOOT_LOG = b"ets Jul 29 2019 12:21:46\r\n\r\nrst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\r\n"
"""What a chip's boot loader says before the firmware has the line (research: faults, rows 35 and 36)."""
NOISE_SHARE = 0.002
"""Share of bytes changed, and of bytes lost, on a noisy line (research: node frame on a serial line)."""
_SLOTS = 255
"""A roster must hold every tag of a set that a floor antenna may hear."""
_RAW_BITS = 24


class LineEncoder:
    """Encodes one node's messages in the order of its line; after a restart it begins with the boot's log."""

    def __init__(self, plan: NodePlan, noise: Generator | None = None) -> None:
        """`noise`: the dice of a noisy line; `None`: a clean one."""
        self._plan = plan
        self._noise = noise
        self._boot: int | None = None
        self._seq = 0
        self._encoder = self._started(0)

    def encode(self, message: Outgoing) -> bytes:
        """The bytes of one message: frames, or the nonsense that stands in its place."""
        if message.readings is None:
            return self._spoilt(message.payload or b"")
        readings = expressible(message.readings)
        log = b""
        if readings.boot != self._boot:
            log = BOOT_LOG if self._boot is not None else b""
            self._boot, self._seq = readings.boot, 0
            self._encoder = self._started(readings.boot)
        for _ in range(readings.seq - self._seq - 1 if self._seq else 0):
            # A message that was lost on the way had its number.
            self._encoder.readings(replace(readings, weight=(), inventory=(), reads=(), button=()))
        self._seq = readings.seq
        return self._spoilt(log + self._encoder.readings(readings))

    def hello(self, ticks: int) -> bytes:
        """The node introduces itself."""
        return self._encoder.hello(ticks)

    def pong(self, ticks: int, nonce: int, received_ticks: int) -> bytes:
        """The node answers a PING."""
        return self._encoder.pong(ticks, nonce, received_ticks)

    def _started(self, boot: int) -> SerialNodeEncoder:
        plan = self._plan
        channels = [cell.channel for cell in plan.cells]
        buttons = tuple(ButtonName) if plan.buttons else ()
        return SerialNodeEncoder(plan.name, boot, channels, plan.antennas, buttons, slots=_SLOTS)

    def _spoilt(self, data: bytes) -> bytes:
        if self._noise is None:
            return data
        kept = bytearray()
        for byte, dice in zip(data, self._noise.random(len(data)), strict=True):
            if dice < NOISE_SHARE:
                continue
            kept.append(byte ^ (1 << int(dice * 1e6) % 8) if dice < 2 * NOISE_SHARE else byte)
        return bytes(kept)


def expressible(readings: Readings) -> Readings:
    """The message without what no frame can say: codes beyond 24 bits, ids that are no whole bytes."""
    limit = 1 << (_RAW_BITS - 1)

    def whole(uid: str) -> bool:
        return bool(uid) and len(uid) % 2 == 0

    return replace(
        readings,
        weight=tuple(w for w in readings.weight if -limit <= w.raw < limit),
        inventory=tuple(
            InventoryRound(i.ticks, i.antenna, tuple(uid for uid in i.uids if whole(uid)), i.complete)
            for i in readings.inventory
        ),
        reads=tuple(read for read in readings.reads if whole(read.uid)),
    )
