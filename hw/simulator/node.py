"""A sensor node: its clock, its batching, its way to the host.

Owns ticks, sequence numbers, reboots and delays. Refuses to know what the rows mean. sensors -> **node** -> outgoing
messages -> case or live wire.
"""

from bisect import bisect_right

import numpy as np
from msgspec import Struct
from numpy.random import Generator

from firmware_bridge.messages import (
    TICKS_MODULUS,
    ButtonEdge,
    InventoryRound,
    Place,
    Readings,
    TagRead,
    WeightSample,
)
from hw.simulator.noise import NoiseProfile
from hw.simulator.options import Wiring

_BATCH_S = 0.1
"""About ten messages a second a node (our choice; batching decides throughput, research: stack)."""
_HEARTBEAT_S = 1.0
"""A node with nothing to say still speaks this often (our choice)."""
_BEND_PER_S = 2e-9
"""A crystal wanders by about a millionth in ten minutes of warm-up (our choice)."""

Row = WeightSample | InventoryRound | TagRead | ButtonEdge


class Timed(Struct, frozen=True):
    """A row with the true time of its sample and the moment the node had it; its ticks are filled in by the node."""

    at_s: float
    out_s: float
    row: Row


class Boot(Struct, frozen=True):
    """One life of a node: from `from_s` until `to_s` it runs, with this clock."""

    nonce: int
    from_s: float
    to_s: float
    ticks_at_from: int
    rate: float
    """Ticks a true microsecond at `from_s`."""
    bend_per_s: float = 0.0
    """How much the rate changes a second, as the crystal warms."""

    def run(self, at_s: float) -> int:
        """Ticks since the boot at a true time; they do not wrap."""
        run_s = at_s - self.from_s
        return round(run_s * 1e6 * (self.rate + 0.5 * self.bend_per_s * run_s))

    def ticks(self, at_s: float) -> int:
        """The node's clock at a true time."""
        return (self.ticks_at_from + self.run(at_s)) % TICKS_MODULUS


class Outgoing(Struct, frozen=True):
    """One message: made at `sent_s`, with the host at `arrived_s`. `payload` overrides the readings' JSON (damage)."""

    sent_s: float
    arrived_s: float
    place: Place
    readings: Readings | None
    payload: bytes | None = None
    retain: bool = False


def first_boot(end_s: float, noise: NoiseProfile, rng: Generator) -> Boot:
    """A node that has been running for some time when the recording begins."""
    rate = 1.0 + float(rng.normal(0.0, noise.ppm)) * 1e-6
    bend_per_s = float(rng.normal(0.0, _BEND_PER_S))
    return Boot(int(rng.integers(1, 500)), 0.0, end_s, int(rng.integers(0, TICKS_MODULUS)), rate, bend_per_s)


def batch(node: str, place: Place, rows: list[Timed], boots: list[Boot], rng: Generator) -> list[Outgoing]:
    """Group a node's rows into messages; `arrived_s` is not yet set. Rows that no life of the node covers are lost."""
    rows = sorted(rows, key=lambda row: row.out_s)
    known_s = [row.out_s for row in rows]
    out: list[Outgoing] = []
    for boot in boots:
        seq, said_s = 0, boot.from_s
        made_s = boot.from_s + float(rng.uniform(0.01, _BATCH_S))
        taken = bisect_right(known_s, boot.from_s)
        while made_s < boot.to_s:
            upto = bisect_right(known_s, made_s)
            chosen = rows[taken:upto]
            taken = upto
            if chosen or made_s - said_s >= _HEARTBEAT_S:
                seq += 1
                said_s = made_s
                readings = _readings(node, boot, seq, made_s, chosen)
                out.append(Outgoing(made_s, made_s, place, readings))
            made_s += (
                _BATCH_S * (1.0 + 0.02 * float(rng.normal())) if rng.random() > 0.002 else float(rng.uniform(0.1, 0.3))
            )
    return out


def _readings(node: str, boot: Boot, seq: int, made_s: float, rows: list[Timed]) -> Readings:
    weight: list[WeightSample] = []
    inventory: list[InventoryRound] = []
    reads: list[TagRead] = []
    button: list[ButtonEdge] = []
    for timed in rows:
        ticks = boot.ticks(timed.at_s)
        match timed.row:
            case WeightSample(channel=channel, raw=raw):
                weight.append(WeightSample(ticks, channel, raw))
            case InventoryRound(antenna=antenna, uids=uids, complete=complete):
                inventory.append(InventoryRound(ticks, antenna, uids, complete))
            case TagRead(antenna=antenna, uid=uid, rssi_dbm=rssi_dbm):
                reads.append(TagRead(ticks, antenna, uid, rssi_dbm))
            case ButtonEdge(name=name, pressed=pressed):
                button.append(ButtonEdge(ticks, name, pressed))
    return Readings(
        node=node,
        boot=boot.nonce,
        seq=seq,
        ticks=boot.ticks(made_s),
        weight=tuple(weight),
        inventory=tuple(inventory),
        reads=tuple(reads),
        button=tuple(button),
    )


def travel(messages: list[Outgoing], wiring: Wiring, noise: NoiseProfile, rng: Generator) -> list[Outgoing]:
    """Give every message its delay. A link keeps order: what is held up holds up what follows."""
    if not messages:
        return messages
    n = len(messages)
    if wiring is Wiring.USB:
        delays = float(rng.uniform(0.0001, 0.0006)) + rng.uniform(0.0, 0.001, n) + rng.exponential(0.0002, n)
    else:
        least = float(rng.uniform(0.001, 0.006))
        delays = least + rng.gamma(1.5, noise.link_ms / 1500.0, n)
        tail = rng.random(n) < noise.tail
        delays[tail] += np.minimum(2.0, 0.02 * (1.0 + rng.pareto(1.3, int(tail.sum()))))
        stalls = rng.poisson(noise.stalls_per_min * messages[-1].sent_s / 60.0)
        for at_s in rng.uniform(0.0, messages[-1].sent_s, stalls):
            until_s = float(at_s + rng.uniform(0.3, 2.5))
            for k, message in enumerate(messages):
                if at_s <= message.sent_s < until_s:
                    delays[k] += until_s - message.sent_s
    moved: list[Outgoing] = []
    last_s = 0.0
    for message, delay in zip(messages, delays, strict=True):
        last_s = max(last_s + 1e-4, message.sent_s + float(delay))
        moved.append(Outgoing(message.sent_s, last_s, message.place, message.readings, message.payload, message.retain))
    return moved
