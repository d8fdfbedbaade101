"""What the payloads of a node's frames hold, byte by byte (PROTOCOL.md, *Frames of a node*).

Owns codes and layouts, and reads them; `frame_packing` writes them. Refuses to know streams, sequence, and what was
said before: each body stands alone. Between `framing` (bytes <-> frames) and `serial_node` (frames -> messages).

A row names its time as an age: how many microseconds before its frame's ticks it was taken.
"""

import struct
from collections.abc import Iterator, Sequence
from enum import IntEnum, IntFlag
from typing import TypeVar

from msgspec import Struct

from firmware_bridge.framing import Frame
from firmware_bridge.messages import (
    TICKS_MODULUS,
    WEAKEST_RSSI_DBM,
    Antenna,
    ButtonEdge,
    ButtonName,
    Channel,
    TagRead,
    WeightSample,
)
from firmware_bridge.rejections import BadRow, Unread

PROTOCOL_VERSION = 1
MAX_NAME_BYTES = 32
MAX_SLOTS = 255

T = TypeVar("T")


class Kind(IntEnum):
    """Type bytes of a node's frames."""

    HELLO = 0x01
    WEIGHT = 0x02
    TAG_SNAPSHOT = 0x03
    TAG_DELTA = 0x04
    INVENTORY = 0x05
    READS = 0x06
    BUTTON = 0x07
    PONG = 0x08


class Fault(IntFlag):
    """Bits of a sample frame's first byte; each stays set for at least a second after its cause."""

    DESYNC = 0x01
    """A converter's bits were out of step: samples near this frame may be wrong."""
    OVERRUN = 0x02
    """Samples were not read in time and are missing."""
    DROPPED = 0x04
    """Frames were dropped before they had a number: the output was full."""
    READER = 0x08
    """The tag reader does not answer."""


CHANNELS = (Channel.RACK, Channel.SLOPE, Channel.LEDGE)
ANTENNAS = (Antenna.SLOPE, Antenna.LEDGE, Antenna.DISCARD, Antenna.WALL)
BUTTONS = (ButtonName.CALL, ButtonName.MAH_JONGG, ButtonName.DIRECTOR)
"""A code is the place in these, in bit masks too."""

COMPLETE_FLAG = 0x01
LAST_FLAG = 0x02
PRESSED_FLAG = 0x80
NO_RSSI = -(1 << 15)

HELLO = struct.Struct("<BIHBBBB")
WEIGHT = struct.Struct("<BB")
SNAPSHOT = struct.Struct("<BBBBBB")
DELTA = struct.Struct("<BBBBB3s")
INVENTORY = struct.Struct("<BBBBB3sB")
READS = struct.Struct("<BBB")
READ = struct.Struct("<3sh")
PONG = struct.Struct("<II")
SAMPLE_BYTES = 6
EDGE_BYTES = 4
_CUT = (BadRow(Unread.CUT_SHORT),)


class HelloBody(Struct, frozen=True):
    """Who the node is and what it has. `seq_high`: how often the frame count has wrapped since boot."""

    protocol: int
    boot: int
    seq_high: int
    channels: tuple[Channel, ...]
    antennas: tuple[Antenna, ...]
    buttons: tuple[ButtonName, ...]
    node: str


class SampleBody(Struct, frozen=True):
    """Rows that stand for themselves. `bad`: rows that could not be read."""

    faults: int
    weight: tuple[WeightSample, ...] = ()
    reads: tuple[TagRead, ...] = ()
    button: tuple[ButtonEdge, ...] = ()
    bad: tuple[BadRow, ...] = ()


class SnapshotBody(Struct, frozen=True):
    """Some slots of an antenna's roster, from `first` on. `slots`: how many the roster has in all."""

    faults: int
    antenna: Antenna
    roster: int
    slots: int
    first: int
    uids: tuple[str, ...]


class DeltaBody(Struct, frozen=True):
    """One inventory round: which slots of the roster it heard."""

    faults: int
    antenna: Antenna
    roster: int
    slots: int
    complete: bool
    ticks: int
    heard: tuple[int, ...]


class InventoryBody(Struct, frozen=True):
    """A part of one inventory round, uids spelled out. `last`: no part follows."""

    faults: int
    antenna: Antenna
    complete: bool
    last: bool
    round_number: int
    fragment: int
    ticks: int
    uids: tuple[str, ...]


class PongBody(Struct, frozen=True):
    """The answer to a PING."""

    nonce: int
    received_ticks: int


class UnreadableBody(Struct, frozen=True):
    """The frame came whole, but its payload is of no known layout: a newer node, or a mistaken one."""

    reason: str


Body = HelloBody | SampleBody | SnapshotBody | DeltaBody | InventoryBody | PongBody | UnreadableBody


def read_body(frame: Frame) -> Body:
    """What a frame holds. Never raises: a payload of no known layout is a value. Bytes beyond a layout are ignored."""
    payload = frame.payload
    try:
        match frame.kind:
            case Kind.HELLO:
                return _hello(payload)
            case Kind.WEIGHT:
                return _weights(payload, frame.ticks)
            case Kind.TAG_SNAPSHOT:
                faults, antenna, roster, slots, first, size = SNAPSHOT.unpack_from(payload)
                uids = _uids(payload[SNAPSHOT.size :], size)
                return SnapshotBody(faults, ANTENNAS[antenna], roster, slots, first, uids)
            case Kind.TAG_DELTA:
                return _delta(payload, frame.ticks)
            case Kind.INVENTORY:
                return _inventory(payload, frame.ticks)
            case Kind.READS:
                return _reads(payload, frame.ticks)
            case Kind.BUTTON:
                return _buttons(payload, frame.ticks)
            case Kind.PONG:
                return PongBody(*PONG.unpack_from(payload))
            case _:
                return UnreadableBody(f"type {frame.kind:#04x}")
    except (struct.error, IndexError, UnicodeDecodeError) as failure:
        return UnreadableBody(f"type {frame.kind:#04x}: {failure}")


def _taken(frame_ticks: int, age: bytes) -> int:
    return (frame_ticks - int.from_bytes(age, "little")) % TICKS_MODULUS


def _rows(rows: bytes, size: int) -> Iterator[bytes]:
    """Rows of one size; one that is cut short comes out short."""
    return (rows[at : at + size] for at in range(0, len(rows), size))


def _uids(uids: bytes, size: int) -> tuple[str, ...]:
    """Uids of one length; one that is cut short comes out short, and is no uid."""
    return tuple(uid.hex().upper() for uid in _rows(uids, size)) if size else ()


def _masked(known: Sequence[T], mask: int) -> tuple[T, ...]:
    return tuple(item for code, item in enumerate(known) if mask >> code & 1)


def _hello(payload: bytes) -> HelloBody | UnreadableBody:
    protocol, boot, seq_high, channels, antennas, buttons, size = HELLO.unpack_from(payload)
    name = payload[HELLO.size : HELLO.size + size].decode("utf-8")
    if not name or len(payload) < HELLO.size + size:
        return UnreadableBody("HELLO without a whole name")
    return HelloBody(
        protocol,
        boot,
        seq_high,
        _masked(CHANNELS, channels),
        _masked(ANTENNAS, antennas),
        _masked(BUTTONS, buttons),
        name,
    )


def _weights(payload: bytes, frame_ticks: int) -> SampleBody:
    faults, code = WEIGHT.unpack_from(payload)
    channel = CHANNELS[code]
    rows = list(_rows(payload[WEIGHT.size :], SAMPLE_BYTES))
    samples = tuple(
        WeightSample(_taken(frame_ticks, row[:3]), channel, int.from_bytes(row[3:], "little", signed=True))
        for row in rows
        if len(row) == SAMPLE_BYTES
    )
    return SampleBody(faults, weight=samples, bad=_CUT * (len(rows) - len(samples)))


def _delta(payload: bytes, frame_ticks: int) -> DeltaBody | UnreadableBody:
    faults, antenna, roster, slots, flags, age = DELTA.unpack_from(payload)
    bitmap = payload[DELTA.size : DELTA.size + (slots + 7) // 8]
    if len(bitmap) < (slots + 7) // 8:
        return UnreadableBody("TAG_DELTA without all its bits")
    bits = int.from_bytes(bitmap, "little")
    heard = tuple(slot for slot in range(slots) if bits >> slot & 1)
    complete = bool(flags & COMPLETE_FLAG)
    return DeltaBody(faults, ANTENNAS[antenna], roster, slots, complete, _taken(frame_ticks, age), heard)


def _inventory(payload: bytes, frame_ticks: int) -> InventoryBody:
    faults, antenna, flags, round_number, fragment, age, size = INVENTORY.unpack_from(payload)
    return InventoryBody(
        faults,
        ANTENNAS[antenna],
        bool(flags & COMPLETE_FLAG),
        bool(flags & LAST_FLAG),
        round_number,
        fragment,
        _taken(frame_ticks, age),
        _uids(payload[INVENTORY.size :], size),
    )


def _reads(payload: bytes, frame_ticks: int) -> SampleBody | UnreadableBody:
    faults, antenna, size = READS.unpack_from(payload)
    if not size:
        return UnreadableBody("READS of uids without length")
    rows = list(_rows(payload[READS.size :], READ.size + size))
    reads = []
    for row in rows:
        if len(row) == READ.size + size:
            age, tenths = READ.unpack_from(row)
            rssi_dbm = WEAKEST_RSSI_DBM if tenths == NO_RSSI else tenths / 10
            reads.append(TagRead(_taken(frame_ticks, age), ANTENNAS[antenna], row[READ.size :].hex().upper(), rssi_dbm))
    return SampleBody(faults, reads=tuple(reads), bad=_CUT * (len(rows) - len(reads)))


def _buttons(payload: bytes, frame_ticks: int) -> SampleBody:
    edges: list[ButtonEdge] = []
    bad: list[BadRow] = []
    for row in _rows(payload[1:], EDGE_BYTES):
        code = row[3] & ~PRESSED_FLAG if len(row) == EDGE_BYTES else None
        if code is None:
            bad += _CUT
        elif code >= len(BUTTONS):
            bad.append(BadRow(Unread.UNKNOWN_BUTTON, f"code {code}"))
        else:
            edges.append(ButtonEdge(_taken(frame_ticks, row[:3]), BUTTONS[code], bool(row[3] & PRESSED_FLAG)))
    return SampleBody(payload[0], button=tuple(edges), bad=tuple(bad))
