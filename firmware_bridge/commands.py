"""What the host tells a node: PING, LIGHT, IDENTIFY, on a serial line and (LIGHT alone) over MQTT.

Owns both forms, both ways: the host encodes, the simulator and the firmware's tests decode. Refuses to know what a
light means (PROTOCOL.md, *Frames of the host*).
"""

import struct
from enum import IntEnum, StrEnum
from typing import Annotated, assert_never

import msgspec
from msgspec import Meta, Struct

from firmware_bridge.errors import NotEncodableError
from firmware_bridge.framing import SEQ_MODULUS, Frame, encode_frame
from firmware_bridge.messages import TICKS_MODULUS
from firmware_bridge.undecodable import UNREADABLE

Level = Annotated[int, Meta(ge=0, le=255)]

MAX_DURATION_S = 6553.5


class CommandKind(IntEnum):
    """Type bytes of the host's frames."""

    PING = 0x81
    LIGHT = 0x82
    IDENTIFY = 0x83


class LightPattern(StrEnum):
    """How a light shines."""

    OFF = "off"
    STEADY = "steady"
    SLOW = "slow"
    FAST = "fast"


class Ping(Struct, frozen=True):
    """Asks for a PONG with the same nonce."""

    nonce: int


class Light(Struct, frozen=True):
    """What the node's light shows from now on; after `duration_s` it goes off, 0 means until told otherwise."""

    red: Level
    green: Level
    blue: Level
    pattern: LightPattern = LightPattern.STEADY
    duration_s: Annotated[float, Meta(ge=0, le=MAX_DURATION_S)] = 0.0


class Identify(Struct, frozen=True):
    """Asks for a HELLO."""


Command = Ping | Light | Identify

_PATTERNS = tuple(LightPattern)
_PING = struct.Struct("<I")
_LIGHT = struct.Struct("<BBBBH")
_TENTHS = 10
_light = msgspec.json.Decoder(Light)
_encoder = msgspec.json.Encoder()


class CommandEncoder:
    """The host's side of one line: counts its frames."""

    def __init__(self) -> None:
        self._seq = 0

    def encode(self, command: Command, now_s: float = 0.0) -> bytes:
        """One command as a frame. `now_s` becomes the frame's ticks, which a node does not read."""
        match command:
            case Ping(nonce):
                kind, payload = CommandKind.PING, _PING.pack(nonce % (1 << 32))
            case Light():
                kind, payload = CommandKind.LIGHT, _pack_light(command)
            case Identify():
                kind, payload = CommandKind.IDENTIFY, b""
            case _:
                assert_never(command)
        self._seq = (self._seq + 1) % SEQ_MODULUS
        return encode_frame(Frame(kind, self._seq, int(now_s * 1e6) % TICKS_MODULUS, payload))


def decode_command(frame: Frame) -> Command | None:
    """What a frame tells the node; `None` where it is no command of the host, or not a whole one."""
    try:
        match frame.kind:
            case CommandKind.PING:
                return Ping(*_PING.unpack_from(frame.payload))
            case CommandKind.LIGHT:
                red, green, blue, pattern, tenths = _LIGHT.unpack_from(frame.payload)
                return Light(red, green, blue, _PATTERNS[pattern], tenths / _TENTHS)
            case CommandKind.IDENTIFY:
                return Identify()
            case _:
                return None
    except (struct.error, IndexError):
        return None


def encode_light(light: Light) -> bytes:
    """A light as JSON, for the topic `rackwatch/v1/{table}/{place}/light`."""
    return _encoder.encode(light)


def decode_light(payload: bytes) -> Light | None:
    """A light from JSON; `None` where it is none."""
    try:
        return _light.decode(payload)
    except UNREADABLE:
        return None


def _pack_light(light: Light) -> bytes:
    for name, level in (("red", light.red), ("green", light.green), ("blue", light.blue)):
        if not 0 <= level <= 255:
            raise NotEncodableError(name, f"{level} is not within 0 and 255")
    if not 0 <= light.duration_s <= MAX_DURATION_S:
        raise NotEncodableError("duration_s", f"{light.duration_s} is not within 0 and {MAX_DURATION_S}")
    tenths = round(light.duration_s * _TENTHS)
    return _LIGHT.pack(light.red, light.green, light.blue, _PATTERNS.index(light.pattern), tenths)
