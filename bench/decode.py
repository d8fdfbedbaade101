"""Decoding: a JSON message through the router, beside a bare typed decode of the same bytes."""

from collections.abc import Iterator

import msgspec

from bench import Row, best_of
from firmware_bridge.messages import Readings
from firmware_bridge.received import Published
from firmware_bridge.routing import Router
from hw.simulator.case import received_of, simulate_evening
from hw.simulator.options import Options, Tier


def rows() -> Iterator[Row]:
    """Messages of one hybrid hand."""
    received = [
        one
        for one in received_of(simulate_evening(Options(seed=9002, tier=Tier.HYBRID)))
        if isinstance(one, Published) and one.topic.endswith("/readings")
    ]
    payloads = [one.payload for one in received]
    bare = msgspec.json.Decoder(Readings)

    def plain() -> None:
        for payload in payloads:
            bare.decode(payload)

    def ours() -> None:
        router = Router()
        for one in received:
            router.route(one)

    plain_s, ours_s = best_of(5, plain), best_of(5, ours)
    figure = f"{len(received) / ours_s / 1e3:.0f} k messages/s"
    yield Row("decode JSON readings", figure, ours_s / plain_s, "a bare msgspec decode (cost)")
