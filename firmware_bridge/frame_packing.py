"""Writes the payloads that `frames` reads, as a node does (PROTOCOL.md, *Frames of a node*).

Owns nothing but the way back of `frames`. Refuses to know sequence and timing duties (`serial_encoder`). Where a value
has no form on the wire it raises `NotEncodableError`, naming the field.
"""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from firmware_bridge.errors import NotEncodableError
from firmware_bridge.frames import (
    ANTENNAS,
    BUTTONS,
    CHANNELS,
    COMPLETE_FLAG,
    DELTA,
    EDGE_BYTES,
    HELLO,
    INVENTORY,
    LAST_FLAG,
    MAX_NAME_BYTES,
    NO_RSSI,
    PONG,
    PRESSED_FLAG,
    READ,
    READS,
    SAMPLE_BYTES,
    SNAPSHOT,
    WEIGHT,
    DeltaBody,
    HelloBody,
    InventoryBody,
    PongBody,
    SnapshotBody,
)
from firmware_bridge.framing import MAX_PAYLOAD_BYTES
from firmware_bridge.messages import (
    TICKS_MODULUS,
    WEAKEST_RSSI_DBM,
    Antenna,
    ButtonEdge,
    Channel,
    TagRead,
    WeightSample,
)

_RSSI_DBM = (-3276.0, 3276.0)
MAX_AGE_US = (1 << 24) - 1
WEIGHTS_PER_FRAME = (MAX_PAYLOAD_BYTES - WEIGHT.size) // SAMPLE_BYTES
EDGES_PER_FRAME = (MAX_PAYLOAD_BYTES - 1) // EDGE_BYTES
SNAPSHOT_UID_BYTES = MAX_PAYLOAD_BYTES - SNAPSHOT.size
INVENTORY_UID_BYTES = MAX_PAYLOAD_BYTES - INVENTORY.size

T = TypeVar("T")


def reads_per_frame(uid_bytes: int) -> int:
    """How many reads of uids of a length fit one frame."""
    return (MAX_PAYLOAD_BYTES - READS.size) // (READ.size + uid_bytes)


def pack_age(frame_ticks: int, ticks: int) -> bytes:
    """How long before the frame a sample was taken. Raises `NotEncodableError` beyond 16.7 s."""
    age_us = (frame_ticks - ticks) % TICKS_MODULUS
    if age_us > MAX_AGE_US:
        raise NotEncodableError("ticks", f"taken {age_us} us before its frame, or after it; at most {MAX_AGE_US} fit")
    return age_us.to_bytes(3, "little")


def pack_hello(hello: HelloBody) -> bytes:
    """The payload of HELLO."""
    name = hello.node.encode()
    if not 1 <= len(name) <= MAX_NAME_BYTES:
        raise NotEncodableError("node", f"{len(name)} bytes; 1 to {MAX_NAME_BYTES} fit")
    if not 0 <= hello.boot < 1 << 32:
        raise NotEncodableError("boot", f"{hello.boot} is no unsigned 32-bit number")
    masks = (_mask(CHANNELS, hello.channels), _mask(ANTENNAS, hello.antennas), _mask(BUTTONS, hello.buttons))
    return HELLO.pack(hello.protocol, hello.boot, hello.seq_high, *masks, len(name)) + name


def _mask(known: Sequence[T], had: Sequence[T]) -> int:
    return sum(1 << code for code, item in enumerate(known) if item in had)


def pack_weights(faults: int, channel: Channel, frame_ticks: int, samples: Iterable[WeightSample]) -> bytes:
    """The payload of WEIGHT: up to seven samples of one channel."""
    rows = []
    for sample in samples:
        if not -(1 << 23) <= sample.raw < 1 << 23:
            raise NotEncodableError("raw", f"{sample.raw} is no 24-bit code")
        rows.append(pack_age(frame_ticks, sample.ticks) + sample.raw.to_bytes(3, "little", signed=True))
    return WEIGHT.pack(faults, CHANNELS.index(channel)) + b"".join(rows)


def pack_snapshot(body: SnapshotBody) -> bytes:
    """The payload of TAG_SNAPSHOT: some slots, whose uids have one length."""
    uids = [bytes.fromhex(uid) for uid in body.uids]
    size = len(uids[0]) if uids else 0
    head = SNAPSHOT.pack(body.faults, ANTENNAS.index(body.antenna), body.roster, body.slots, body.first, size)
    return head + b"".join(uids)


def pack_delta(body: DeltaBody, frame_ticks: int) -> bytes:
    """The payload of TAGDELTA."""
    bits = sum(1 << slot for slot in body.heard)
    head = DELTA.pack(
        body.faults,
        ANTENNAS.index(body.antenna),
        body.roster,
        body.slots,
        COMPLETE_FLAG if body.complete else 0,
        pack_age(frame_ticks, body.ticks),
    )
    return head + bits.to_bytes((body.slots + 7) // 8, "little")


def pack_inventory(body: InventoryBody, frame_ticks: int) -> bytes:
    """The payload of INVENTORY: a part of a round, whose uids have one length."""
    uids = [bytes.fromhex(uid) for uid in body.uids]
    flags = (COMPLETE_FLAG if body.complete else 0) | (LAST_FLAG if body.last else 0)
    head = INVENTORY.pack(
        body.faults,
        ANTENNAS.index(body.antenna),
        flags,
        body.round_number,
        body.fragment,
        pack_age(frame_ticks, body.ticks),
        len(uids[0]) if uids else 0,
    )
    return head + b"".join(uids)


def pack_reads(faults: int, antenna: Antenna, frame_ticks: int, reads: Iterable[TagRead]) -> bytes:
    """The payload of READS: reads of one antenna, whose uids have one length."""
    size = 0
    rows = []
    for read in reads:
        uid = bytes.fromhex(read.uid)
        size = len(uid)
        if not _RSSI_DBM[0] <= read.rssi_dbm <= _RSSI_DBM[1]:
            raise NotEncodableError("rssi_dbm", f"{read.rssi_dbm} is not within {_RSSI_DBM[0]} and {_RSSI_DBM[1]}")
        tenths = NO_RSSI if read.rssi_dbm == WEAKEST_RSSI_DBM else round(read.rssi_dbm * 10)
        rows.append(READ.pack(pack_age(frame_ticks, read.ticks), tenths) + uid)
    return READS.pack(faults, ANTENNAS.index(antenna), size) + b"".join(rows)


def pack_buttons(faults: int, frame_ticks: int, edges: Iterable[ButtonEdge]) -> bytes:
    """The payload of BUTTON."""
    rows = (
        pack_age(frame_ticks, edge.ticks) + bytes([BUTTONS.index(edge.name) | (PRESSED_FLAG if edge.pressed else 0)])
        for edge in edges
    )
    return bytes([faults]) + b"".join(rows)


def pack_pong(body: PongBody) -> bytes:
    """The payload of PONG."""
    return PONG.pack(body.nonce, body.received_ticks)
