"""A node's side of a serial line: messages in, bytes out, as firmware would send them. No I/O, no clock.

Owns the frame count, the rosters, and the node's timing duties as far as they follow from ticks (HELLO and snapshots
each second). Refuses to know sensors and ports. The simulator speaks through it, and it is what a firmware's output is
checked against.
"""

from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import groupby
from typing import TypeVar

from firmware_bridge.errors import NotEncodableError
from firmware_bridge.frame_packing import (
    EDGES_PER_FRAME,
    INVENTORY_UID_BYTES,
    SNAPSHOT_UID_BYTES,
    WEIGHTS_PER_FRAME,
    pack_buttons,
    pack_delta,
    pack_hello,
    pack_inventory,
    pack_pong,
    pack_reads,
    pack_snapshot,
    pack_weights,
    reads_per_frame,
)
from firmware_bridge.frames import (
    MAX_SLOTS,
    PROTOCOL_VERSION,
    DeltaBody,
    HelloBody,
    InventoryBody,
    Kind,
    PongBody,
    SnapshotBody,
)
from firmware_bridge.framing import SEQ_MODULUS, Frame, encode_frame
from firmware_bridge.messages import (
    TICKS_MODULUS,
    Antenna,
    ButtonName,
    Channel,
    InventoryRound,
    Readings,
)

DUTY_US = 1_000_000
"""HELLO and the full snapshot of each roster are sent at least so often (PROTOCOL.md, *Timing duties*)."""

T = TypeVar("T")


class TagForm(Enum):
    """How a node tells its inventory rounds."""

    ROSTER = "snapshots and deltas"
    SPELLED_OUT = "every uid in every round"


class _Roster:
    """The numbered tags of one antenna."""

    def __init__(self) -> None:
        self.version = 0
        self.uids: list[str] = []
        self.snapshot_ticks: int | None = None


class SerialNodeEncoder:
    """Speaks as one node since one boot. Each call returns whole frames, ready to send."""

    def __init__(
        self,
        node: str,
        boot: int,
        channels: Sequence[Channel] = (),
        antennas: Sequence[Antenna] = (),
        buttons: Sequence[ButtonName] = (),
        tag_form: TagForm = TagForm.ROSTER,
        slots: int = 64,
    ) -> None:
        """`slots`: how many tags a roster may hold (at most 255) before it is begun anew."""
        if not 1 <= slots <= MAX_SLOTS:
            raise NotEncodableError("slots", f"{slots}; 1 to {MAX_SLOTS} can be numbered")
        self._introduction = HelloBody(
            PROTOCOL_VERSION, boot, 0, tuple(channels), tuple(antennas), tuple(buttons), node
        )
        self._tag_form = tag_form
        self._slots = slots
        self._seq = 0
        self._hello_ticks: int | None = None
        self._rosters: dict[Antenna, _Roster] = {}
        self._rounds: dict[Antenna, int] = {}

    @property
    def frames_sent(self) -> int:
        """Frames since boot; the last one's count."""
        return self._seq

    def hello(self, ticks: int) -> bytes:
        """Introduce the node: at boot, when asked, and (`readings` sees to it) each second."""
        self._hello_ticks = ticks
        high = (self._seq + 1) // SEQ_MODULUS % SEQ_MODULUS
        known = self._introduction
        body = HelloBody(known.protocol, known.boot, high, known.channels, known.antennas, known.buttons, known.node)
        return self._frame(Kind.HELLO, ticks, pack_hello(body))

    def pong(self, ticks: int, nonce: int, received_ticks: int) -> bytes:
        """Answer a PING that came in at `received_ticks`."""
        return self._frame(Kind.PONG, ticks, pack_pong(PongBody(nonce, received_ticks)))

    def readings(self, readings: Readings) -> bytes:
        """Send the rows of `readings` at its ticks, as many frames as it takes; its node, boot and seq are not used.

        Raises `NotEncodableError` where a row has no form on the wire: taken more than 16.7 s before, or after, the
        message; a code beyond 24 bits.
        """
        ticks, faults = readings.ticks, readings.faults
        if not 0 <= faults < 1 << 8:
            raise NotEncodableError("faults", f"{faults} is no byte")
        frames = [self.hello(ticks)] if self._due(self._hello_ticks, ticks) else []
        frames += [
            self._frame(Kind.BUTTON, ticks, pack_buttons(faults, ticks, edges))
            for edges in _batches(readings.button, EDGES_PER_FRAME)
        ]
        for channel in Channel:
            samples = [sample for sample in readings.weight if sample.channel is channel]
            frames += [
                self._frame(Kind.WEIGHT, ticks, pack_weights(faults, channel, ticks, batch))
                for batch in _batches(samples, WEIGHTS_PER_FRAME)
            ]
        for heard in readings.inventory:
            frames += self._round(ticks, faults, heard)
        for (antenna, size), reads in groupby(readings.reads, lambda read: (read.antenna, len(read.uid) // 2)):
            frames += [
                self._frame(Kind.READS, ticks, pack_reads(faults, antenna, ticks, batch))
                for batch in _batches(list(reads), reads_per_frame(size))
            ]
        if not frames:
            frames.append(self._frame(Kind.BUTTON, ticks, pack_buttons(faults, ticks, ())))
        return b"".join(frames)

    def _frame(self, kind: Kind, ticks: int, payload: bytes) -> bytes:
        self._seq += 1
        return encode_frame(Frame(kind, self._seq % SEQ_MODULUS, ticks, payload))

    @staticmethod
    def _due(last_ticks: int | None, ticks: int) -> bool:
        return last_ticks is None or (ticks - last_ticks) % TICKS_MODULUS >= DUTY_US

    def _round(self, ticks: int, faults: int, heard: InventoryRound) -> list[bytes]:
        if self._tag_form is TagForm.SPELLED_OUT:
            return self._spelled_out(ticks, faults, heard)
        roster = self._rosters.setdefault(heard.antenna, _Roster())
        first_new = len(roster.uids)
        new = [uid for uid in dict.fromkeys(heard.uids) if uid not in roster.uids]
        if first_new + len(new) > self._slots:
            new = list(dict.fromkeys(heard.uids))
            if len(new) > self._slots:
                raise NotEncodableError("inventory", f"{len(new)} tags in a round; a roster holds {self._slots}")
            roster.version = (roster.version + 1) % 256
            roster.uids = []
            first_new = 0
        roster.uids += new
        frames: list[bytes] = []
        if self._due(roster.snapshot_ticks, ticks):
            roster.snapshot_ticks = ticks
            frames += self._snapshot(ticks, faults, heard.antenna, roster, 0)
        elif new:
            frames += self._snapshot(ticks, faults, heard.antenna, roster, first_new)
        slots = tuple(sorted(roster.uids.index(uid) for uid in set(heard.uids)))
        body = DeltaBody(faults, heard.antenna, roster.version, len(roster.uids), heard.complete, heard.ticks, slots)
        frames.append(self._frame(Kind.TAG_DELTA, ticks, pack_delta(body, ticks)))
        return frames

    def _snapshot(self, ticks: int, faults: int, antenna: Antenna, roster: _Roster, first: int) -> Iterator[bytes]:
        """The roster from slot `first` on; a full one of an empty roster is one frame without uids."""
        at = first
        for uids in _of_one_length(roster.uids[first:], SNAPSHOT_UID_BYTES) or [()]:
            body = SnapshotBody(faults, antenna, roster.version, len(roster.uids), at, tuple(uids))
            yield self._frame(Kind.TAG_SNAPSHOT, ticks, pack_snapshot(body))
            at += len(uids)

    def _spelled_out(self, ticks: int, faults: int, heard: InventoryRound) -> list[bytes]:
        number = self._rounds[heard.antenna] = (self._rounds.get(heard.antenna, -1) + 1) % 256
        parts: list[Sequence[str]] = [*_of_one_length(heard.uids, INVENTORY_UID_BYTES)] or [()]
        if len(parts) > 256:
            raise NotEncodableError("inventory", f"{len(heard.uids)} tags in a round; its parts are numbered by a byte")
        frames = []
        for fragment, uids in enumerate(parts):
            last = fragment == len(parts) - 1
            body = InventoryBody(
                faults, heard.antenna, heard.complete, last, number, fragment, heard.ticks, tuple(uids)
            )
            frames.append(self._frame(Kind.INVENTORY, ticks, pack_inventory(body, ticks)))
        return frames


def _batches(rows: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (rows[at : at + size] for at in range(0, len(rows), size))


def _of_one_length(uids: Sequence[str], room_bytes: int) -> list[Sequence[str]]:
    """Cut where the length changes, and into what fits one frame."""
    return [
        batch
        for digits, alike in groupby(uids, len)
        for batch in _batches(list(alike), max(room_bytes // (digits // 2), 1))
    ]
