"""Waiting in tests for what other tasks and processes do: never for a fixed time, never for ever."""

import asyncio
from collections.abc import Callable

from firmware_bridge.received import Received
from firmware_bridge.transports.transport import LinkState, Transport

PATIENCE_S = 15.0


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110  # what a test waits for has no event
            await asyncio.sleep(0.005)


async def until_state(near: Transport, state: LinkState, link: int = 0) -> None:
    """Wait for a link's state."""
    await until(lambda: near.health[link].state is state)


async def receive(near: Transport) -> Received:
    """The next reception."""
    async with asyncio.timeout(PATIENCE_S):
        return await anext(near)
