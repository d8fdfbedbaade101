"""What breaks on the way: nodes that restart or fall silent, messages lost, repeated, disordered, damaged.

Owns damage to nodes' lives and to whole messages. Refuses to know what they say. node -> **line_faults** -> wire.
"""

from msgspec import Struct
from msgspec.structs import replace
from numpy.random import Generator

from firmware_bridge.messages import TICKS_MODULUS, ButtonEdge, ButtonName, Place, WeightSample
from hw.simulator.faults import Plan, Span
from hw.simulator.node import Boot, Outgoing
from hw.simulator.options import SensorFault
from hw.simulator.wire import payload_of

_NONSENSE = (
    b"{",
    b"null",
    b"[1,2",
    b"",
    b'{"node": 3}',
    b'{"node":"t1-east","boot":1,"seq":"x","ticks":0}',
    b"\x00\x01\x02",
    b'{"node":"t1-east","boot":1,"seq":1,"ticks":-5,"weight":[[1,"rack"]]}',
    b"ets Jan  8 2013,rst cause:2, boot mode:(3,6)",
    b"[" * 2000,
)
"""Payloads that are no message: cut, of the wrong type, boot logs, deep nesting."""
_ON_CONNECTING_S = 0.0005
"""The broker hands out what it kept as soon as the host connects, before anything else."""
_LOSS_SHARE = 0.02
_DUPLICATE_SHARE = 0.02
_DISORDER_SHARE = 0.02
_NONSENSE_SHARE = 0.001
_NAN_SHARE = 0.005
"""Shares of messages concerned (our choice)."""


class Counted(Struct, frozen=True):
    """Messages after some damage, and how many were hit."""

    messages: list[Outgoing]
    n: int


def lives(place: Place, first: Boot, plan: Plan) -> list[Boot]:
    """The node's boots: one, or several where it restarts in mid-hand; its clock may be about to wrap."""
    rng = plan.rng
    if plan.strikes(SensorFault.CLOCK_WRAP, place):
        wrap_s = float(rng.uniform(0.3, 0.7)) * plan.end_s
        first = replace(first, ticks_at_from=(TICKS_MODULUS - round(wrap_s * 1e6)) % TICKS_MODULUS)
        plan.tell(SensorFault.CLOCK_WRAP, place, Span(wrap_s, wrap_s))
    if not plan.strikes(SensorFault.REBOOT, place):
        return [first]
    down_s = float(rng.uniform(0.35, 0.8)) * plan.end_s
    up_s = min(plan.end_s, down_s + float(rng.uniform(1.0, 6.0)))
    plan.tell(SensorFault.REBOOT, place, Span(down_s, up_s))
    started = replace(
        first, nonce=int(rng.integers(500, 1000)), from_s=up_s, ticks_at_from=int(rng.integers(100_000, 900_000))
    )
    return [replace(first, to_s=down_s), started]


def hush(messages: list[Outgoing], place: Place, plan: Plan) -> list[Outgoing]:
    """A node that is silent for a while though it runs on, or from some moment for good."""
    if plan.strikes(SensorFault.SILENCE, place):
        span = plan.span(8.0, 30.0)
        messages = [m for m in messages if not span.covers(m.sent_s)]
        plan.tell(SensorFault.SILENCE, place, span)
    if plan.strikes(SensorFault.NODE_STOPS, place):
        from_s = float(plan.rng.uniform(0.5, 0.8)) * plan.end_s
        messages = [m for m in messages if m.sent_s < from_s]
        plan.tell(SensorFault.NODE_STOPS, place, Span(from_s, plan.end_s))
    return messages


def damage(messages: list[Outgoing], place: Place, plan: Plan) -> list[Outgoing]:
    """Loss, repeats, disorder and nonsense on one node's way; `nan`, foreign bytes and retained copies."""
    rng = plan.rng
    if SensorFault.LOSS in plan.faults:
        kept = [m for m in messages if rng.random() >= _LOSS_SHARE]
        plan.tell(SensorFault.LOSS, place, plan.whole, n=len(messages) - len(kept))
        messages = kept
    if SensorFault.LINE_NOISE in plan.faults:
        # The bytes are spoilt when they are encoded, see `serial_lines`.
        plan.tell(SensorFault.LINE_NOISE, place, plan.whole)
    if SensorFault.DISORDER in plan.faults:
        late = _late(messages, rng)
        messages = late.messages
        plan.tell(SensorFault.DISORDER, place, plan.whole, n=late.n)
    extra: list[Outgoing] = []
    if SensorFault.DUPLICATES in plan.faults:
        again = [m for m in messages if rng.random() < _DUPLICATE_SHARE]
        extra += [replace(m, arrived_s=m.arrived_s + float(rng.exponential(0.5)) + 0.001) for m in again]
        plan.tell(SensorFault.DUPLICATES, place, plan.whole, n=len(again))
    if SensorFault.NONSENSE in plan.faults:
        near = [m for m in messages if rng.random() < _NONSENSE_SHARE] or messages[:1]
        for message in near:
            junk = _NONSENSE[int(rng.integers(0, len(_NONSENSE)))]
            extra.append(replace(message, readings=None, payload=junk, arrived_s=message.arrived_s + 0.01))
        plan.tell(SensorFault.NONSENSE, place, plan.whole, n=len(near))
    if SensorFault.NOT_UTF8 in plan.faults and messages:
        for message in (messages[len(messages) // 3], messages[2 * len(messages) // 3]):
            extra.append(
                replace(message, readings=None, payload=b'{"node":"\xff\xfe"}', arrived_s=message.arrived_s + 0.002)
            )
        plan.tell(SensorFault.NOT_UTF8, place, plan.whole, n=2)
    if plan.strikes(SensorFault.NAN, place):
        spoilt = _with_nan(messages, rng)
        messages = spoilt.messages
        plan.tell(SensorFault.NAN, place, plan.whole, n=spoilt.n)
    if SensorFault.RETAINED in plan.faults:
        extra += [_retained(m) for m in messages[:1] if m.readings is not None]
        plan.tell(SensorFault.RETAINED, place, Span(0.0, 0.0), n=1)
    return [*messages, *extra]


def _retained(first: Outgoing) -> Outgoing:
    """What the broker kept from the day before: another boot, a button going down, tiles that are long gone."""
    readings = first.readings
    assert readings is not None
    stale = replace(
        readings,
        boot=readings.boot + 1000,
        seq=readings.seq + 77,
        ticks=(readings.ticks + 123_456_789) % TICKS_MODULUS,
        weight=tuple(WeightSample(w.ticks, w.channel, w.raw + 60_000) for w in readings.weight),
        button=(ButtonEdge(readings.ticks, ButtonName.CALL, pressed=True),),
    )
    return replace(first, readings=stale, payload=None, retain=True, arrived_s=min(first.arrived_s, _ON_CONNECTING_S))


def _late(messages: list[Outgoing], rng: Generator) -> Counted:
    """Some messages come after others that were sent later."""
    late = rng.random(len(messages)) < _DISORDER_SHARE
    moved = [
        replace(m, arrived_s=m.arrived_s + float(rng.uniform(0.08, 0.9))) if held else m
        for m, held in zip(messages, late, strict=True)
    ]
    return Counted(moved, int(late.sum()))


def _with_nan(messages: list[Outgoing], rng: Generator) -> Counted:
    """Some weights are `nan`, as a failed conversion of a floating-point firmware prints them."""
    moved: list[Outgoing] = []
    n = 0
    for message in messages:
        readings = message.readings
        if readings is None or not readings.weight or rng.random() >= _NAN_SHARE:
            moved.append(message)
            continue
        raw = str(readings.weight[0].raw).encode()
        moved.append(replace(message, payload=payload_of(message).replace(b"," + raw + b"]", b",nan]", 1)))
        n += 1
    return Counted(moved, n)
