"""One pseudo-terminal that stands for a node's USB port: bytes both ways, unplugging and plugging in.

Owns file descriptors and a stable name (a symbolic link). Refuses to know what the bytes mean. A host that has not
opened the port gets nothing: like a real port, it holds no backlog. live_serial -> **pty_port** -> the monitor.
"""

import asyncio
import contextlib
import errno
import os
import select
import tty
from collections.abc import Callable
from pathlib import Path

_READ_BYTES = 4096
_BACKLOG_BYTES = 1 << 16
"""What the port holds for a host that reads too slowly; beyond it bytes are dropped and counted (our choice)."""
_LOOK_S = 0.02
"""How often an unattended port is looked at for a host that has opened it (our choice)."""


class PtyPort:
    """A port under a stable name, plugged in or not. Use within a running event loop."""

    def __init__(self, link: Path, received: Callable[[bytes], None], opened: Callable[[], None]) -> None:
        """`link`: the name; `received` is called with whatever the host sends, `opened` when a host opens the port."""
        self.link = link
        self.dropped_bytes = 0
        self._received = received
        self._opened = opened
        self._loop = asyncio.get_running_loop()
        self._master: int | None = None
        self._backlog = bytearray()
        self._attended = asyncio.Event()
        self._deserted = asyncio.Event()
        self._deserted.set()
        self._room = asyncio.Event()
        self._look: asyncio.TimerHandle | None = None

    @property
    def plugged_in(self) -> bool:
        """Is there a port at all?"""
        return self._master is not None

    @property
    def attended_now(self) -> bool:
        """Has a host the port open?"""
        return self._attended.is_set()

    def plug_in(self) -> None:
        """Make a port appear under the name. Does nothing where one is there."""
        if self._master is not None:
            return
        self._master, slave = os.openpty()
        os.set_blocking(self._master, False)
        tty.setraw(slave)
        beside = self.link.with_name(self.link.name + ".new")
        beside.unlink(missing_ok=True)
        beside.symlink_to(os.ttyname(slave))
        beside.replace(self.link)
        os.close(slave)
        self._look_for_host()

    def unplug(self) -> None:
        """The port goes away under a host that may have it open: it sees a hang-up."""
        if self._look is not None:
            self._look.cancel()
            self._look = None
        if self._master is not None:
            self._forget()
            os.close(self._master)
            self._master = None
            self.link.unlink(missing_ok=True)

    async def attended(self) -> None:
        """Wait until a host has opened the port."""
        await self._attended.wait()

    async def deserted(self) -> None:
        """Wait until no host has the port open."""
        await self._deserted.wait()

    async def drained(self) -> None:
        """Wait until the host has taken what was written, or is gone."""
        while self._backlog:
            self._room.clear()
            await self._room.wait()

    def write(self, data: bytes) -> None:
        """Send to the host, if there is one; what does not fit is dropped and counted."""
        if self._master is None or not self._attended.is_set():
            return
        if len(self._backlog) + len(data) > _BACKLOG_BYTES:
            self.dropped_bytes += len(data)
            return
        self._backlog += data
        self._flush()

    def _flush(self) -> None:
        assert self._master is not None
        try:
            while self._backlog:
                del self._backlog[: os.write(self._master, self._backlog)]
        except BlockingIOError:
            self._loop.add_writer(self._master, self._flush)
            return
        except OSError:
            self._host_left()
            return
        self._loop.remove_writer(self._master)
        self._room.set()

    def _look_for_host(self) -> None:
        """A pseudo-terminal tells only by its hang-up flag whether anybody has it open; so look now and then."""
        assert self._master is not None
        poll = select.poll()
        poll.register(self._master, select.POLLIN)
        if any(event & select.POLLHUP for _, event in poll.poll(0)):
            self._look = self._loop.call_later(_LOOK_S, self._look_for_host)
            return
        self._look = None
        self._attended.set()
        self._deserted.clear()
        self._opened()
        self._loop.add_reader(self._master, self._read)

    def _read(self) -> None:
        assert self._master is not None
        try:
            data = os.read(self._master, _READ_BYTES)
        except BlockingIOError:
            return
        except OSError as failure:
            if failure.errno != errno.EIO:
                raise
            data = b""
        if data:
            self._received(data)
        else:
            self._host_left()

    def _host_left(self) -> None:
        self._forget()
        self._look_for_host()

    def _forget(self) -> None:
        assert self._master is not None
        self._attended.clear()
        self._deserted.set()
        self._backlog.clear()
        self._room.set()
        with contextlib.suppress(ValueError):
            self._loop.remove_reader(self._master)
            self._loop.remove_writer(self._master)
