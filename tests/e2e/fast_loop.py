"""An event loop whose time runs faster than the wall's while there is nothing to do, and no faster while there is.

Waiting is sped up; working is not, and time in which the machine left us waiting for longer than we asked does not pass
at all. So a simulated hand and the daemon that watches it keep each other's pace however busy the machine is: a slow
machine makes the test longer, not the hand different. Real bytes still go through real ports and brokers meanwhile.
"""

import asyncio
import errno
import os
import selectors
import time
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec

_P = ParamSpec("_P")


class FastLoop(asyncio.SelectorEventLoop):
    """`time()` is the loop's own; everything that sleeps or times out on this loop goes by it."""

    def __init__(self, speed: float) -> None:
        self._now_s = time.monotonic()
        self._seen_s = time.monotonic()
        self._selector_of_time = _FastSelector(self, speed)
        super().__init__(self._selector_of_time)

    def time(self) -> float:
        """Seconds on this loop's clock: what was worked since the last look passes as it did."""
        now_s = time.monotonic()
        self._now_s += min(now_s - self._seen_s, _LONGEST_WORK_S)
        self._seen_s = now_s
        return self._now_s

    def slept(self, fast_s: float) -> None:
        """A wait is over, and took so long on this clock."""
        self._now_s += fast_s
        self._seen_s = time.monotonic()


_LONGEST_WORK_S = 0.02
"""Nobody works for longer at a stretch: what is longer, the machine gave to others."""


class _FastSelector(selectors.SelectSelector):
    """Not epoll, which waits a whole millisecond at least: as long as a fast hand's messages are apart."""

    def __init__(self, loop: FastLoop, speed: float) -> None:
        super().__init__()
        self._loop = loop
        self._speed = speed

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._loop.time()
        began_s = time.monotonic()
        try:
            ready = super().select(None if timeout is None else timeout / self._speed)
        except OSError as problem:
            if problem.errno != errno.EBADF:
                raise
            self._forget_closed()
            ready = []
        fast_s = (time.monotonic() - began_s) * self._speed
        self._loop.slept(fast_s if timeout is None else min(fast_s, max(timeout, 0.0)))
        return ready

    def _forget_closed(self) -> None:
        """A socket that was closed is watched no longer, as epoll has it: another thread may close one at any time."""
        for descriptor in [key.fd for key in self.get_map().values()]:
            try:
                os.fstat(descriptor)
            except OSError:
                self.unregister(descriptor)


def fast(speed: float) -> Callable[[Callable[_P, Coroutine[Any, Any, None]]], Callable[_P, None]]:
    """Run an asynchronous test on a loop that waits `speed` times as fast."""

    def decorate(test: Callable[_P, Coroutine[Any, Any, None]]) -> Callable[_P, None]:
        @wraps(test)
        def run(*args: _P.args, **kwargs: _P.kwargs) -> None:
            with asyncio.Runner(loop_factory=lambda: FastLoop(speed)) as runner:
                runner.run(test(*args, **kwargs))

        return run

    return decorate
