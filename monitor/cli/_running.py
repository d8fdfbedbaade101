"""Runs something until Ctrl-C or SIGTERM asks it to end, on uvloop.

Owns signals and the event loop. The first signal asks, a second one interrupts.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable

import uvloop

Work = Callable[[asyncio.Event], Awaitable[None]]
"""Works until the event is set, then ends in good order."""


def run_until_stopped(work: Work, *, seconds: float | None = None) -> None:
    """Run `work`; its event is set by SIGINT, SIGTERM, or after `seconds`."""
    uvloop.run(_run(work, seconds))


async def _run(work: Work, seconds: float | None) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def asked(number: signal.Signals) -> None:
        loop.remove_signal_handler(number)
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, asked, number)
    timer = loop.call_later(seconds, stop.set) if seconds is not None else None
    try:
        await work(stop)
    except BaseExceptionGroup as group:
        raise _single(group) from group
    finally:
        if timer is not None:
            timer.cancel()


def _single(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """One failure inside task groups is shown as itself; several stay together."""
    first: BaseException = group
    while isinstance(first, BaseExceptionGroup) and len(first.exceptions) == 1:
        first = first.exceptions[0]
    return first
