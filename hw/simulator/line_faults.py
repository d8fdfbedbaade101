"""What breaks on the way: nodes that restart or fall silent, messages lost, repeated, disordered, damaged.

Owns damage to nodes' lives and to whole messages. Each fault put in is told to the truth. node -> **line_faults** -> wire.
"""

from msgspec.structs import replace
from numpy.random import Generator

from firmware_bridge.messages import TICKS_MODULUS, Place
from hw.simulator.faults import Plan
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
_LOSS_SHARE = 0.02
_DUPLICATE_SHARE = 0.02
_DISORDER_SHARE = 0.02
_NONSENSE_SHARE = 0.001
"""Shares of messages concerned (our choice)."""


def lives(place: Place, first: Boot, plan: Plan) -> list[Boot]:
    """The node's boots: one, or several where it restarts in mid-hand; its clock may be about to wrap."""
    rng = plan.rng
    if plan.strikes(SensorFault.CLOCK_WRAP, place):
        wrap_s = float(rng.uniform(0.3, 0.7)) * plan.end_s
        first = replace(first, ticks_at_from=(TICKS_MODULUS - round(wrap_s * 1e6)) % TICKS_MODULUS)
        plan.tell(SensorFault.CLOCK_WRAP, place, wrap_s, wrap_s)
    if not plan.strikes(SensorFault.REBOOT, place):
        return [first]
    down_s = float(rng.uniform(0.35, 0.8)) * plan.end_s
    up_s = min(plan.end_s, down_s + float(rng.uniform(1.0, 6.0)))
    plan.tell(SensorFault.REBOOT, place, down_s, up_s)
    second = Boot(first.nonce + 1, up_s, first.to_s, int(rng.integers(100_000, 900_000)), first.rate)
    return [replace(first, to_s=down_s), second]


def hush(messages: list[Outgoing], place: Place, plan: Plan) -> list[Outgoing]:
    """A node that is silent for a while though it runs on, or from some moment for good."""
    if plan.strikes(SensorFault.SILENCE, place):
        span = plan.span(8.0, 30.0)
        messages = [m for m in messages if not span[0] <= m.sent_s < span[1]]
        plan.tell(SensorFault.SILENCE, place, *span)
    if plan.strikes(SensorFault.NODE_STOPS, place):
        from_s = float(plan.rng.uniform(0.5, 0.8)) * plan.end_s
        messages = [m for m in messages if m.sent_s < from_s]
        plan.tell(SensorFault.NODE_STOPS, place, from_s, plan.end_s)
    return messages


def damage(messages: list[Outgoing], place: Place, plan: Plan) -> list[Outgoing]:
    """Loss, repeats, disorder and nonsense on one node's way; `nan`, foreign bytes and retained copies."""
    rng = plan.rng
    if SensorFault.LOSS in plan.faults:
        kept = [m for m in messages if rng.random() >= _LOSS_SHARE]
        plan.tell(SensorFault.LOSS, place, 0.0, plan.end_s, n=len(messages) - len(kept))
        messages = kept
    if SensorFault.DISORDER in plan.faults:
        messages, n = _late(messages, rng)
        plan.tell(SensorFault.DISORDER, place, 0.0, plan.end_s, n=n)
    extra: list[Outgoing] = []
    if SensorFault.DUPLICATES in plan.faults:
        again = [m for m in messages if rng.random() < _DUPLICATE_SHARE]
        extra += [replace(m, arrived_s=m.arrived_s + float(rng.exponential(0.5)) + 0.001) for m in again]
        plan.tell(SensorFault.DUPLICATES, place, 0.0, plan.end_s, n=len(again))
    if SensorFault.NONSENSE in plan.faults:
        near = [m for m in messages if rng.random() < _NONSENSE_SHARE] or messages[:1]
        for message in near:
            junk = _NONSENSE[int(rng.integers(0, len(_NONSENSE)))]
            extra.append(replace(message, readings=None, payload=junk, arrived_s=message.arrived_s + 0.01))
        plan.tell(SensorFault.NONSENSE, place, 0.0, plan.end_s, n=len(near))
    if SensorFault.NOT_UTF8 in plan.faults and messages:
        for message in (messages[len(messages) // 3], messages[2 * len(messages) // 3]):
            extra.append(
                replace(message, readings=None, payload=b'{"node":"\xff\xfe"}', arrived_s=message.arrived_s + 0.002)
            )
        plan.tell(SensorFault.NOT_UTF8, place, 0.0, plan.end_s, n=2)
    if plan.strikes(SensorFault.NAN, place):
        messages, n = _with_nan(messages, rng)
        plan.tell(SensorFault.NAN, place, 0.0, plan.end_s, n=n)
    if SensorFault.RETAINED in plan.faults and messages:
        # The broker hands out what some node said long before the host connected.
        old = messages[len(messages) // 2]
        extra.append(replace(old, retain=True, arrived_s=min(m.arrived_s for m in messages) * 0.5))
        plan.tell(SensorFault.RETAINED, place, 0.0, 0.0, n=1)
    return [*messages, *extra]


def _late(messages: list[Outgoing], rng: Generator) -> tuple[list[Outgoing], int]:
    moved, n = [], 0
    for message in messages:
        if rng.random() < _DISORDER_SHARE:
            message = replace(message, arrived_s=message.arrived_s + float(rng.uniform(0.08, 0.9)))
            n += 1
        moved.append(message)
    return moved, n


def _with_nan(messages: list[Outgoing], rng: Generator) -> tuple[list[Outgoing], int]:
    """Some weights are `nan`, as a failed conversion of a floating-point firmware prints them."""
    moved, n = [], 0
    for message in messages:
        readings = message.readings
        if readings is not None and readings.weight and rng.random() < 0.005:
            raw = str(readings.weight[0].raw).encode()
            payload = payload_of(message).replace(b"," + raw + b"]", b",nan]", 1)
            message = replace(message, payload=payload)
            n += 1
        moved.append(message)
    return moved, n
