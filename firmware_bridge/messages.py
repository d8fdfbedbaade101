"""What a node says, as one typed union: the same whether it came as JSON over MQTT or as binary frames over a line.

Owns the vocabulary of the wire (places, channels, antennas, buttons) and the shape of every message. Refuses to know
how bytes are framed, what time it is on the host, and what a reading means. First stage of the flow:
bytes -> **messages** -> session -> hw.

Three clocks exist in this project: `ticks` (a node's own microseconds, modulo 2**32), `host_s` (the host's monotonic
seconds) and `utc` (logs and screens only). This module knows only ticks.
"""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct, field

TICKS_MODULUS = 1 << 32
"""Node clocks are microseconds modulo this (contract: spec of recordings); they wrap each 71.6 minutes."""

WEAKEST_RSSI_DBM = -127.0
"""Stands where a reader gave no strength: the tag was heard, and makes no claim to be near. Our choice: no reader
hears below -95 dBm."""

Ticks = Annotated[int, Meta(ge=0, lt=TICKS_MODULUS)]
NodeName = Annotated[str, Meta(min_length=1, max_length=64)]
Boot = Annotated[int, Meta(ge=0, lt=1 << 53)]
Seq = Annotated[int, Meta(ge=0, lt=1 << 53)]
RawCounts = Annotated[int, Meta(ge=-(1 << 31), lt=1 << 32)]
"""Wider than any converter's 24 bits, so that a code out of range reaches the sensor model, which must report it."""
FaultBits = Annotated[int, Meta(ge=0, lt=1 << 8)]
Tiles = Annotated[int, Meta(ge=0, le=152)]
"""A number of tiles, of at most a whole set."""


class Place(StrEnum):
    """Where a node is mounted: under one of the four fixed chairs, or under the discard floor."""

    EAST = "east"
    SOUTH = "south"
    WEST = "west"
    NORTH = "north"
    FLOOR = "floor"


class Channel(StrEnum):
    """What a load cell carries: the whole rack, or its slope or ledge alone."""

    RACK = "rack"
    SLOPE = "slope"
    LEDGE = "ledge"


class Antenna(StrEnum):
    """What an antenna looks at."""

    SLOPE = "slope"
    LEDGE = "ledge"
    DISCARD = "discard"
    WALL = "wall"


class ButtonName(StrEnum):
    """The buttons a seat may have."""

    CALL = "call"
    MAH_JONGG = "mah_jongg"
    DIRECTOR = "director"


class WeightSample(Struct, frozen=True, array_like=True, gc=False):
    """One conversion of one load cell: raw ADC counts, not grams."""

    ticks: Ticks
    channel: Channel
    raw: RawCounts


class InventoryRound(Struct, frozen=True, array_like=True, gc=False):
    """One whole inventory of one antenna. Where `complete` is false, its silence about a tag proves nothing."""

    ticks: Ticks
    antenna: Antenna
    uids: tuple[str, ...]
    complete: bool


class TagRead(Struct, frozen=True, array_like=True, gc=False):
    """One read of one tag by a streaming (UHF) reader; `WEAKEST_RSSI_DBM` where the reader gave no strength."""

    ticks: Ticks
    antenna: Antenna
    uid: str
    rssi_dbm: float


class ButtonEdge(Struct, frozen=True, array_like=True, gc=False):
    """A button went down (`pressed`) or up."""

    ticks: Ticks
    name: ButtonName
    pressed: bool


class Readings(Struct, frozen=True, omit_defaults=True, gc=False):
    """A batch of readings of one node; `seq` counts the node's messages from 1 since `boot`."""

    node: NodeName
    boot: Boot
    seq: Seq
    ticks: Ticks
    weight: tuple[WeightSample, ...] = ()
    inventory: tuple[InventoryRound, ...] = ()
    reads: tuple[TagRead, ...] = ()
    button: tuple[ButtonEdge, ...] = ()
    faults: FaultBits = 0
    """Sticky fault bits of the node (PROTOCOL.md, *Fault bits*); 0 where a node does not report them."""


class Hello(Struct, frozen=True):
    """A node introduces itself after a start: a new `boot` nonce is a reboot."""

    node: NodeName
    boot: Boot
    seq: Seq
    ticks: Ticks
    protocol: int
    channels: tuple[Channel, ...] = ()
    antennas: tuple[Antenna, ...] = ()
    buttons: tuple[ButtonName, ...] = ()


class Pong(Struct, frozen=True):
    """Answer to a PING: the ticks at which the ping came in and at which the answer was made."""

    node: NodeName
    boot: Boot
    seq: Seq
    ticks: Ticks
    nonce: int
    received_ticks: int


NodeMessage = Readings | Hello | Pong


class InputName(StrEnum):
    """What a referee's or another system's input may say (contract: spec of recordings)."""

    CALL = "call"
    CALL_WITHDRAWN = "call_withdrawn"
    NAMED = "named"
    EXPOSED = "exposed"
    JOKER_EXCHANGED = "joker_exchanged"
    RETURNED = "returned"
    MAH_JONGG = "mah_jongg"
    MAH_JONGG_WITHDRAWN = "mah_jongg_withdrawn"
    DEAD = "dead"
    THROW_IN = "throw_in"
    EAST_IS = "east_is"
    NEW_HAND = "new_hand"
    HAND_ENDED = "hand_ended"
    SEATS_SWAPPED = "seats_swapped"
    PLAY_STARTED = "play_started"


class Input(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A referee's or another system's word. Its time is its arrival, its topic's seat the one it is about.

    Keys besides `input` and `by` are those of the event it becomes; seats are plain strings here, checked by the table.
    """

    input: InputName
    by: str | None = None
    n: Tiles | None = None
    owners: tuple[str, ...] | None = None
    how: str | None = None
    claim: str | None = field(default=None, name="for")
    discard_by: str | None = None
    other: str | None = field(default=None, name="with")
