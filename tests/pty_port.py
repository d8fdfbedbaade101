"""A serial line for tests: a pseudo-terminal whose far end is the node's.

    port = PtyPort(tmp_path / "rack")
    port.plug(); port.write(b"..."); port.read(); port.unplug()

The daemon opens `port.path`, a link that stays where it is while the terminal behind it changes, as udev's links do.
"""

import os
import pty
import select
import tty
from pathlib import Path


class PtyPort:
    """One line, plugged in and pulled out at will."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._master = -1

    def plug(self) -> None:
        """The device appears."""
        assert self._master < 0, "it is plugged in already"
        master, slave = pty.openpty()
        tty.setraw(slave)
        self.path.unlink(missing_ok=True)
        self.path.symlink_to(os.ttyname(slave))
        os.close(slave)
        os.set_blocking(master, False)
        self._master = master

    def unplug(self) -> None:
        """The device disappears: whoever has it open is hung up."""
        if self._master >= 0:
            self.path.unlink(missing_ok=True)
            os.close(self._master)
            self._master = -1

    def write(self, data: bytes) -> None:
        """The node sends."""
        while data:
            select.select([], [self._master], [], 5.0)
            data = data[os.write(self._master, data) :]

    def read(self) -> bytes:
        """What the host has sent so far and the node has not read."""
        try:
            return os.read(self._master, 65536)
        except (BlockingIOError, OSError):
            return b""
