"""Runs one table live: arrivals and ticks in order to `Table`, its records to the log.

Owns the table's queue, its time and its fresh start after a failure. Refuses to know transports and audiences. Between
the router and the log; every table has one, and one that fails does not touch the others.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import structlog

from firmware_bridge.arrival import Arrival
from monitor.table import NONE_YET, Numbers, Record, Table

TICK_S: Final = 0.1
"""How long the table's time may stand still when nothing arrives; our choice."""
ON_THE_WAY_S: Final = 0.02
"""Our choice: an arrival is dated when its bytes are read and is here sooner than that, so time never overtakes it."""
QUEUE_ARRIVALS: Final = 2000
"""Our choice: some ten seconds of a busy table."""

_log = structlog.get_logger("rackwatch.table")

Append = Callable[[str, Sequence[Record]], Awaitable[None]]


class TableTask:
    """One table, its queue and its task. `failures` and `dropped` count what was lost."""

    def __init__(
        self,
        name: str,
        make: Callable[[Numbers], Table],
        append: Append,
        clock: Callable[[], float],
        notice: Callable[[str, str | None], None],
        last: Numbers = NONE_YET,
    ) -> None:
        """`make` gives a table that knows nothing yet but the numbers to go on from, at first `last`.

        `clock`: the host's seconds that arrivals are dated with.
        """
        self.name = name
        self.failures = 0
        self.dropped = 0
        self._make = make
        self._append = append
        self._clock = clock
        self._notice = notice
        self._table = make(last)
        self._now_s = clock()
        self._queue: asyncio.Queue[Arrival] = asyncio.Queue(QUEUE_ARRIVALS)
        self._stopping = False

    def offer(self, arrival: Arrival) -> None:
        """Queue an arrival; where the queue is full it is dropped, counted and told."""
        try:
            self._queue.put_nowait(arrival)
        except asyncio.QueueFull:
            self.dropped += 1
            self._notice(
                f"{self.name} queue", f"{self.name}: {self.dropped} messages dropped, the monitor is too slow."
            )

    async def run(self) -> None:
        """Work until `stop`, then work off what is queued and let time pass to now."""
        while not self._stopping:
            try:
                async with asyncio.timeout(TICK_S):
                    arrival = await self._queue.get()
            except TimeoutError:
                await self._pass_time()
            else:
                await self._take(arrival)
        while not self._queue.empty():
            await self._take(self._queue.get_nowait())
        await self._pass_time(on_the_way_s=0.0)

    def stop(self) -> None:
        """Let `run` come to its end, within a tick."""
        self._stopping = True

    async def _take(self, arrival: Arrival) -> None:
        if arrival.at_s > self._now_s:  # frames of one chunk arrive at one moment
            self._now_s = arrival.at_s
            await self._do(lambda table: [*table.advance(arrival.at_s), *table.feed(arrival)])
        else:
            await self._do(lambda table: table.feed(arrival))

    async def _pass_time(self, on_the_way_s: float = ON_THE_WAY_S) -> None:
        self._now_s = max(self._now_s, self._clock() - on_the_way_s)
        await self._do(lambda table: table.advance(self._now_s))

    async def _do(self, step: Callable[[Table], list[Record]]) -> None:
        try:
            records = step(self._table)
        except Exception:
            self.failures += 1
            if self.failures.bit_count() == 1:  # 1, 2, 4, 8 …: a table that fails at every message is no flood
                _log.exception("a table failed and starts anew", table=self.name, failures=self.failures)
            self._notice(
                self.name,
                f"{self.name} failed inside ({self.failures} times by now) and starts anew: what it knew is lost.",
            )
            self._table = self._make(self._table.last)
            return
        if records:
            await self._append(self.name, records)
