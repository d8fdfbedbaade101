"""Keeps one part's failure from being everybody's: a task that fails is told of, waits, and is started again.

Owns the pause and the count. The only place where any exception is caught, with the table's task and the desk.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

FIRST_PAUSE_S: Final = 1.0
LAST_PAUSE_S: Final = 60.0
STEADY_S: Final = 60.0
"""Our choice: who ran that long starts over with the first pause."""

_log = structlog.get_logger("rackwatch")


async def supervised(name: str, work: Callable[[], Awaitable[None]], notice: Callable[[str, str | None], None]) -> None:
    """Run `work` again and again until cancelled; it is expected to run for ever. `notice` learns of failures."""
    clock = asyncio.get_running_loop().time
    pause_s, failures = FIRST_PAUSE_S, 0
    while True:
        began_s = clock()
        try:
            await work()
            reason = "it ended"
        except Exception as problem:
            _log.exception("a part of the monitor failed and is started again", part=name)
            reason = f"{type(problem).__name__}: {problem}"
        failures += 1
        if clock() - began_s > STEADY_S:
            pause_s = FIRST_PAUSE_S
        notice(name, f"{name} failed ({reason}), {failures} times by now; trying again.")
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, LAST_PAUSE_S)
        notice(name, None)
