"""Frames on a serial line: cut from a stream of bytes, checked, and put together. No I/O.

Owns the outermost form (PROTOCOL.md, *Frames*) and the count of what arrived damaged. Refuses to know what frames
mean. `receive_data` buffers, `next_event` parses; neither ever raises on what was received.

    wire:   COBS( type u8 | seq u16 | ticks u32 | payload, 0 to 48 bytes | crc u16 ) 00        all little-endian

COBS (Cheshire and Baker 1999) leaves no zero inside, so after any damage the next zero begins afresh. The CRC is
CRC-16/CCITT-FALSE: polynomial 1021, start FFFF, no reflection ("123456789" gives 29B1).
"""

import struct
from binascii import crc_hqx
from collections import deque
from enum import StrEnum

from cobs import cobs  # type: ignore[import-untyped]
from msgspec import Struct

from firmware_bridge.errors import NotEncodableError
from firmware_bridge.messages import TICKS_MODULUS

MAX_PAYLOAD_BYTES = 48
"""So that a frame fits the RAM of a small AVR twice."""

SEQ_MODULUS = 1 << 16

_HEAD = struct.Struct("<BHI")
_CRC = struct.Struct("<H")
_CRC_START = 0xFFFF
_SHORTEST = _HEAD.size + _CRC.size
_LONGEST = _SHORTEST + MAX_PAYLOAD_BYTES
_LONGEST_ENCODED = _LONGEST + 1
_END = b"\0"


class Frame(Struct, frozen=True, gc=False):
    """One frame. `kind` is its type byte; `seq` counts the sender's frames modulo 2**16; `ticks` is the sender's clock
    when the frame was made."""

    kind: int
    seq: int
    ticks: int
    payload: bytes = b""


class Damage(StrEnum):
    """What was wrong with the bytes between two zeros."""

    TOO_LONG = "too long"
    TOO_SHORT = "too short"
    NOT_COBS = "not COBS"
    BAD_CRC = "bad CRC"


class DamagedFrame(Struct, frozen=True, gc=False):
    """`size` bytes between two zeros that are no frame."""

    damage: Damage
    size: int


def crc16(body: bytes) -> int:
    """The check over a frame's type, seq, ticks and payload."""
    return crc_hqx(body, _CRC_START)


def encode_frame(frame: Frame) -> bytes:
    """The bytes of a frame, its closing zero included. Raises `NotEncodableError` where a field does not fit."""
    if len(frame.payload) > MAX_PAYLOAD_BYTES:
        raise NotEncodableError("payload", f"{len(frame.payload)} bytes; at most {MAX_PAYLOAD_BYTES} fit")
    for name, value, modulus in (
        ("kind", frame.kind, 1 << 8),
        ("seq", frame.seq, SEQ_MODULUS),
        ("ticks", frame.ticks, TICKS_MODULUS),
    ):
        if not 0 <= value < modulus:
            raise NotEncodableError(name, f"{value} is not within 0 and {modulus - 1}")
    body = _HEAD.pack(frame.kind, frame.seq, frame.ticks) + frame.payload
    encoded: bytes = cobs.encode(body + _CRC.pack(crc16(body)))
    return encoded + _END


class FrameDecoder:
    """Cuts frames from a stream. Of what is unfinished it holds no more than one frame may have, whatever arrives."""

    def __init__(self) -> None:
        self._unfinished = b""
        self._overlong_bytes = 0
        self._events: deque[Frame | DamagedFrame] = deque()
        self._opening = True
        self.opening_bytes = 0
        """Bytes before the first zero that were no frame: the line was opened in the middle of one."""

    def receive_data(self, data: bytes) -> None:
        """Take bytes, cut anywhere."""
        *ended, rest = data.split(_END)
        for piece in ended:
            self._end(piece)
        if self._overlong_bytes or len(self._unfinished) + len(rest) > _LONGEST_ENCODED:
            self._overlong_bytes += len(self._unfinished) + len(rest)
            self._unfinished = b""
        else:
            self._unfinished += rest

    def next_event(self) -> Frame | DamagedFrame | None:
        """The next frame or damaged piece, in order; `None` until more arrives."""
        return self._events.popleft() if self._events else None

    def _end(self, piece: bytes) -> None:
        """A zero has come: what lies before it is a frame, or damaged, or nothing (zeros may be sent to fill)."""
        whole = self._unfinished + piece
        size = self._overlong_bytes + len(whole)
        self._unfinished = b""
        self._overlong_bytes = 0
        opening, self._opening = self._opening, False
        if not size:
            return
        event = DamagedFrame(Damage.TOO_LONG, size) if size > _LONGEST_ENCODED else _decode(whole)
        if opening and isinstance(event, DamagedFrame):
            self.opening_bytes += size
        else:
            self._events.append(event)


def _decode(piece: bytes) -> Frame | DamagedFrame:
    try:
        whole = cobs.decode(piece)
    except cobs.DecodeError:
        return DamagedFrame(Damage.NOT_COBS, len(piece))
    if len(whole) < _SHORTEST:
        return DamagedFrame(Damage.TOO_SHORT, len(piece))
    body = whole[: -_CRC.size]
    if crc16(body) != _CRC.unpack_from(whole, len(body))[0]:
        return DamagedFrame(Damage.BAD_CRC, len(piece))
    kind, seq, ticks = _HEAD.unpack_from(body)
    return Frame(kind, seq, ticks, body[_HEAD.size :])
