"""The shared inbox and the back-off."""

import asyncio

import pytest

from firmware_bridge.received import Published
from firmware_bridge.transports.transport import BackOff, Inbox


def test_back_off_doubles_up_to_its_longest() -> None:
    waits = [BackOff(0.2, 5.0).after(failures) for failures in range(1, 9)]
    assert waits == [0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0]
    assert BackOff().after(10_000) == BackOff().longest_s


async def test_a_closed_inbox_gives_what_is_left_and_then_none() -> None:
    inbox = Inbox()
    inbox.put(Published(1.0, "t", b""))
    inbox.close()
    assert await inbox.get() == Published(1.0, "t", b"")
    assert await inbox.get() is None


async def test_a_waiting_consumer_is_woken_by_what_arrives() -> None:
    inbox = Inbox()
    waiting = asyncio.create_task(inbox.get())
    await asyncio.sleep(0)
    inbox.put(Published(1.0, "t", b""))
    inbox.put(Published(2.0, "t", b""))
    assert (await waiting) == Published(1.0, "t", b"")


@pytest.mark.parametrize("limit", [1, 3])
def test_the_oldest_goes_first(limit: int) -> None:
    inbox = Inbox(limit)
    for number in range(10):
        inbox.put(Published(float(number), "t", b""))
    assert inbox.dropped == 10 - limit
