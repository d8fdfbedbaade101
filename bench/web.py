"""The live page: 300 tables, 50 open pages, 20 updates a second, beside a bare server-sent-events loop in the same run.

Each server runs in a process of its own for some seconds; 50 readers in this one note when a line arrives. The floor's
hub is told of 160 changes a second; the bare server sends as many bytes of ready-made text and renders nothing. CPU
share is of one core; delays are from the change to the line's arrival at a reader, the merging of 50 ms included.
"""

import asyncio
import os
import re
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import cycle
from pathlib import Path

import uvloop
from litestar import Litestar, get
from litestar.response import Stream
from msgspec import Struct
from msgspec.structs import replace

from bench import Row
from monitor.access.opening import of_this_machine
from monitor.chair import Chair
from monitor.docket import Docket
from monitor.events import SEATS
from monitor.history import Histories
from monitor.log.notes import Note
from monitor.log.place import log_place
from monitor.log.reader import Run
from monitor.resuming import Resumed
from monitor.round_clock import RoundClock
from monitor.view import Doing, Phase, TableView, Window, WindowState
from monitor.web.hub import Hub
from monitor.web.pages import Screen
from monitor.web.server import PageServer, listen
from monitor.web.sources import Sources

TABLES = 300
PAGES = 50
UPDATES_HZ = 20
CHANGED = 8
"""Tables in each update: 160 changes a second, one a table every two seconds."""
SECONDS = 6.0
_PLAIN_BYTES = 3800
"""As many as an update of the floor has; both are told beside the delay."""
_TOLD = re.compile(rb'since=.?"(\d+\.\d+)')
"""The moment of a change, as a card tells it."""


class _Measured(Struct):
    """`cpu`: share of one core; delays sorted; `update_bytes`: what one page got in an update."""

    cpu: float
    delays_s: list[float]
    update_bytes: float


def rows() -> Iterator[Row]:
    """The floor's server, beside the bare loop."""
    ours, plain = uvloop.run(_measure("floor")), uvloop.run(_measure("plain"))
    what = f"{TABLES} tables, {PAGES} pages"
    beside = f"bare loop of events (cost): {plain.cpu:.1%}"
    yield Row(f"{what}: server CPU", f"{ours.cpu:.1%} of a core", ours.cpu / plain.cpu, beside)
    ours_s, plain_s = _p99(ours), _p99(plain)
    beside = f"bare loop of events: {plain_s * 1e3:.0f} ms"
    size = f"{ours.update_bytes:.0f} bytes an update, bare {plain.update_bytes:.0f}"
    yield Row(f"{what}: p99 delay", f"{ours_s * 1e3:.0f} ms; {size}", ours_s / plain_s, beside)


def _p99(measured: _Measured) -> float:
    return measured.delays_s[int(len(measured.delays_s) * 0.99)]


async def _measure(kind: str) -> _Measured:
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.web", kind, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert server.stdin is not None
    assert server.stdout is not None
    port = int(await server.stdout.readline())
    measured = _Measured(0.0, [], 0.0)
    readers = [asyncio.create_task(_read(port, measured)) for _ in range(PAGES)]
    await asyncio.sleep(1.0)
    measured.delays_s.clear()
    measured.update_bytes = 0.0
    server.stdin.write(b"\n")
    cpu_before = float(await server.stdout.readline())
    await asyncio.sleep(SECONDS)
    server.stdin.write(b"\n")
    measured.cpu = (float(await server.stdout.readline()) - cpu_before) / SECONDS
    for reader in readers:
        reader.cancel()
    await asyncio.gather(*readers, return_exceptions=True)
    server.stdin.close()
    await server.wait()
    measured.update_bytes /= PAGES * UPDATES_HZ * SECONDS
    measured.delays_s.sort()
    return measured


async def _read(port: int, measured: _Measured) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    writer.write(b"GET /stream/public HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    try:
        while line := await reader.readline():
            now = time.monotonic()
            told = [float(moment) for moment in _TOLD.findall(line)]
            if told and not line.startswith(b'data: ["'):  # not the whole floor at the beginning
                measured.delays_s.append(now - min(told))
                measured.update_bytes += len(line)
    finally:
        writer.close()


def bare_sources(hub: Hub) -> Sources:
    """What pages are made from where there is no table, no log and nobody named: also for tests of the pages alone."""
    resumed = Resumed(Docket(), RoundClock(), Run(1, 0, 0.0, ""))
    return Sources(
        hub=hub,
        entrance=of_this_machine(Path("no-access.json")),
        chair=Chair({}, resumed, _nowhere, lambda _received: None, time.monotonic),
        place=log_place(Path("no-log.sqlite")),
        histories=Histories(),
        audiences={},
    )


async def _nowhere(_table: str, _notes: Sequence[Note]) -> None:
    """There is no log."""


async def _serve(kind: str) -> None:
    """A server that prints its port, then its CPU seconds at each line that it reads, until there are none."""
    hub = Hub(time.monotonic)
    server = PageServer(bare_sources(hub))
    if kind == "plain":
        server.config.app = _plain()
    with listen("127.0.0.1", 0) as listener:
        tasks = [asyncio.create_task(server.serve([listener])), asyncio.create_task(hub.run())]
        if kind == "floor":
            tasks.append(asyncio.create_task(_play(hub)))
        print(listener.getsockname()[1], flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            print(sum(os.times()[:2]), flush=True)
        server.stop()
        for task in tasks[1:]:
            task.cancel()
        await tasks[0]


async def _play(hub: Hub) -> None:
    views = [TableView(f"T{n}", hand=3, phase=Phase.PLAY) for n in range(1, TABLES + 1)]
    for view in views:
        hub.show(Screen.PUBLIC, view)
    numbers = cycle(range(TABLES))
    for turn in cycle(SEATS):
        await asyncio.sleep(1 / UPDATES_HZ)
        for _ in range(CHANGED):
            number, now = next(numbers), time.monotonic()
            window = Window(WindowState.OPEN, turn, now)
            changes = replace(views[number], turn=turn, doing=Doing.TO_PICK, window=window, last_discard=now)
            hub.show(Screen.PUBLIC, changes)


def _plain() -> Litestar:
    async def lines() -> AsyncIterator[bytes]:
        while True:
            await asyncio.sleep(1 / UPDATES_HZ)
            yield b'event: cards\ndata: since="%.6f" %s\n\n' % (time.monotonic(), b"x" * _PLAIN_BYTES)

    @get("/stream/public", sync_to_thread=False)
    def stream() -> Stream:
        return Stream(lines(), media_type="text/event-stream")

    return Litestar([stream], openapi_config=None)


if __name__ == "__main__":
    uvloop.run(_serve(sys.argv[1]))
