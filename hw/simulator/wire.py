"""Messages as bytes: JSON for MQTT and recordings. Stands between nodes and whatever carries them."""

import msgspec
from msgspec import Struct

from firmware_bridge.messages import ButtonEdge, InventoryRound, Readings, TagRead, WeightSample
from hw.simulator.node import Outgoing


class _JsonReadings(Struct, frozen=True, omit_defaults=True):
    """A node's JSON message: arrays that hold nothing are left out (contract: spec of recordings)."""

    node: str
    boot: int
    seq: int
    ticks: int
    weight: tuple[WeightSample, ...] = ()
    inventory: tuple[InventoryRound, ...] = ()
    reads: tuple[TagRead, ...] = ()
    button: tuple[ButtonEdge, ...] = ()


_encoder = msgspec.json.Encoder()


def json_payload(readings: Readings) -> bytes:
    """One message as the contract's JSON."""
    r = readings
    return _encoder.encode(_JsonReadings(r.node, r.boot, r.seq, r.ticks, r.weight, r.inventory, r.reads, r.button))


def payload_of(message: Outgoing) -> bytes:
    """What goes over MQTT: the readings, or what damage made of them."""
    if message.payload is not None:
        return message.payload
    return json_payload(message.readings) if message.readings is not None else b""
