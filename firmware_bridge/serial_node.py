"""One node on a serial line, as the host hears it: bytes in, messages out. No I/O.

Owns everything that one frame alone does not tell: which node and boot a frame is of, its full count, the rosters that
tag deltas speak of, and rounds that come in parts. Refuses to know ports, time of arrival, and what to do about losses
(`session`). Gives the same messages as JSON does, so that nothing above knows how a node is connected.

Every whole frame of a known node becomes exactly one message with the frame's count, be it one without rows: so a lost
frame is a gap in the count, and `session` finds it as it finds any other.

A lost frame never makes a tag silent:

    what is missing                         what becomes of a round
    -----------------------------------     ---------------------------------------------------------------------
    the round's own frame                   the round is missing
    a part of it (INVENTORY)                heard: what the other parts name; incomplete
    the snapshot that names a heard slot    heard: the slots whose names are known; incomplete, the slot is counted
    the snapshot that names a silent slot   nothing: that the slot was silent is known
"""

from collections.abc import Iterable
from enum import Enum

from msgspec import Struct

from firmware_bridge.frames import (
    PROTOCOL_VERSION,
    Body,
    DeltaBody,
    HelloBody,
    InventoryBody,
    PongBody,
    SampleBody,
    SnapshotBody,
    UnreadableBody,
    read_body,
)
from firmware_bridge.framing import SEQ_MODULUS, DamagedFrame, Frame, FrameDecoder
from firmware_bridge.messages import (
    Antenna,
    Hello,
    InventoryRound,
    NodeMessage,
    Pong,
    Readings,
    TagRead,
)
from firmware_bridge.rejections import BadRow, Rejection, Unread
from firmware_bridge.uids import UidForms

HOST_KINDS = 0x80
"""Types from here on are the host's; on the way from a node they are an echo."""

_LARGEST_LOSS = 1000
"""Frames. More missing at once, or a count that goes back, is a restart whose HELLO was lost; our choice."""

_UIDS_IN_A_ROUND = 512
"""Our choice: a set has 152 tiles."""

_NAMELESS = BadRow(Unread.NAMELESS_TAG)


class Said(Struct, frozen=True, gc=False):
    """A message of the node. `bad`: rows of its frame that could not be read or named."""

    message: NodeMessage
    bad: tuple[BadRow, ...] = ()


class Unheard(Struct, frozen=True, gc=False):
    """Bytes or a frame that came to nothing."""

    reason: Rejection
    detail: str


class LineState(Enum):
    """Whether it is known who speaks."""

    WAITING = "waiting for HELLO"
    FOLLOWING = "following"


class _Roster:
    """The numbered tags of one antenna, as far as snapshots have named them."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.uids: list[str | BadRow] = []

    def resize(self, slots: int) -> None:
        del self.uids[slots:]
        self.uids += [_NAMELESS] * (slots - len(self.uids))


class _Parts:
    """A round that has begun to come in parts."""

    def __init__(self, first: InventoryBody) -> None:
        self.round_number = first.round_number
        self.ticks = first.ticks
        self.next_fragment = 0
        self.whole = True
        self.uids: list[str] = []


class SerialNode:
    """Decodes one line. Feed it bytes, take events until there is none. Never raises on what was received."""

    def __init__(self) -> None:
        self._frames = FrameDecoder()
        self._forms = UidForms()
        self._state = LineState.WAITING
        self._node = ""
        self._boot = 0
        self._seq = 0
        self._rosters: dict[Antenna, _Roster] = {}
        self._parts: dict[Antenna, _Parts] = {}
        self._bad: list[BadRow] = []

    @property
    def state(self) -> LineState:
        """Whether it is known who speaks."""
        return self._state

    @property
    def node(self) -> str | None:
        """The name of the node that last introduced itself."""
        return self._node or None

    @property
    def opening_bytes(self) -> int:
        """Bytes before the first whole frame that are no loss: the line was opened in the middle of one."""
        return self._frames.opening_bytes

    def receive_data(self, data: bytes) -> None:
        """Take bytes, cut anywhere."""
        self._frames.receive_data(data)

    def next_event(self) -> Said | Unheard | None:
        """The next message or loss, in order; `None` until more arrives."""
        event = self._frames.next_event()
        match event:
            case None:
                return None
            case DamagedFrame(damage, size):
                return Unheard(Rejection.DAMAGED_FRAME, f"{damage}, {size} bytes")
            case Frame():
                return self._frame(event)

    def _frame(self, frame: Frame) -> Said | Unheard:
        if frame.kind >= HOST_KINDS:
            return Unheard(Rejection.UNKNOWN_FRAME, f"type {frame.kind:#04x} is the host's")
        body = read_body(frame)
        if isinstance(body, HelloBody):
            return self._hello(frame, body)
        if self._state is LineState.FOLLOWING:
            step = (frame.seq - self._seq) % SEQ_MODULUS
            if not 0 < step <= _LARGEST_LOSS:
                self._state = LineState.WAITING
            self._seq += step
        if self._state is LineState.WAITING:
            return Unheard(Rejection.BEFORE_HELLO, f"type {frame.kind:#04x}")
        self._bad.clear()
        message = self._message(frame, body)
        return Said(message, tuple(self._bad))

    def _hello(self, frame: Frame, body: HelloBody) -> Said | Unheard:
        if body.protocol != PROTOCOL_VERSION:
            self._state = LineState.WAITING
            return Unheard(Rejection.UNKNOWN_FRAME, f"protocol {body.protocol} of node {body.node}")
        if (body.node, body.boot) != (self._node, self._boot):
            self._rosters.clear()
            self._parts.clear()
        self._state = LineState.FOLLOWING
        self._node, self._boot = body.node, body.boot
        self._seq = body.seq_high * SEQ_MODULUS + frame.seq
        return Said(
            Hello(
                self._node,
                self._boot,
                self._seq,
                frame.ticks,
                body.protocol,
                body.channels,
                body.antennas,
                body.buttons,
            )
        )

    def _message(self, frame: Frame, body: Body) -> NodeMessage:
        match body:
            case SampleBody():
                self._bad += body.bad
                return self._readings(frame, body.faults, body)
            case SnapshotBody():
                self._snapshot(body)
                return self._readings(frame, body.faults)
            case DeltaBody():
                return self._readings(frame, body.faults, rounds=(self._delta(body),))
            case InventoryBody():
                return self._readings(frame, body.faults, rounds=self._inventory(body))
            case PongBody():
                return Pong(self._node, self._boot, self._seq, frame.ticks, body.nonce, body.received_ticks)
            case UnreadableBody(reason):
                self._bad.append(BadRow(Unread.UNKNOWN_LAYOUT, reason))
                return self._readings(frame, 0)
            case HelloBody():
                return self._readings(frame, 0)

    def _readings(
        self, frame: Frame, faults: int, rows: SampleBody | None = None, rounds: tuple[InventoryRound, ...] = ()
    ) -> Readings:
        return Readings(
            self._node,
            self._boot,
            self._seq,
            frame.ticks,
            weight=rows.weight if rows else (),
            inventory=rounds,
            reads=self._named(rows.reads) if rows else (),
            button=rows.button if rows else (),
            faults=faults,
        )

    def _uid(self, text: str) -> str | BadRow:
        return self._forms.canonical(self._node, text) or BadRow(Unread.NO_UID, text)

    def _readable(self, uids: Iterable[str | BadRow]) -> tuple[str, ...]:
        """Those that are uids; the others are counted."""
        good = []
        for uid in uids:
            if isinstance(uid, str):
                good.append(uid)
            else:
                self._bad.append(uid)
        return tuple(good)

    def _named(self, reads: tuple[TagRead, ...]) -> tuple[TagRead, ...]:
        return tuple(
            TagRead(read.ticks, read.antenna, uid, read.rssi_dbm)
            for read in reads
            for uid in self._readable([self._uid(read.uid)])
        )

    def _snapshot(self, body: SnapshotBody) -> None:
        """Names, and no more: a name that is none is missed, and counted, where its slot is heard."""
        roster = self._rosters.get(body.antenna)
        if roster is None or roster.version != body.roster:
            roster = self._rosters[body.antenna] = _Roster(body.roster)
        roster.resize(body.slots)
        for slot, text in enumerate(body.uids, body.first):
            if slot < body.slots:
                roster.uids[slot] = self._uid(text)

    def _delta(self, body: DeltaBody) -> InventoryRound:
        roster = self._rosters.get(body.antenna)
        names = roster.uids if roster is not None and roster.version == body.roster else []
        uids = self._readable(names[slot] if slot < len(names) else _NAMELESS for slot in body.heard)
        return InventoryRound(body.ticks, body.antenna, uids, body.complete and len(uids) == len(body.heard))

    def _inventory(self, body: InventoryBody) -> tuple[InventoryRound, ...]:
        rounds = []
        parts = self._parts.pop(body.antenna, None)
        if parts is not None and (parts.round_number != body.round_number or body.fragment < parts.next_fragment):
            rounds.append(InventoryRound(parts.ticks, body.antenna, tuple(parts.uids), False))
            parts = None
        if parts is None:
            parts = _Parts(body)
        parts.whole = parts.whole and body.fragment == parts.next_fragment
        parts.next_fragment = body.fragment + 1
        uids = self._readable(map(self._uid, body.uids))
        room = _UIDS_IN_A_ROUND - len(parts.uids)
        parts.whole = parts.whole and len(uids) == len(body.uids) and len(uids) <= room
        parts.uids += uids[:room]
        if body.last:
            complete = parts.whole and body.complete
            rounds.append(InventoryRound(parts.ticks, body.antenna, tuple(parts.uids), complete))
        else:
            self._parts[body.antenna] = parts
        return tuple(rounds)
