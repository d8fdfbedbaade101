"""A recording as a transport: what had arrived arrives again, with the times it had then.

Owns pacing. Refuses to know what is inside. `at_s` is the recording's own: it is the only clock of a replay, whether
or not it is played at the pace of life.
"""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import structlog

from firmware_bridge.received import Received
from firmware_bridge.recording import BadLine, read_recording
from firmware_bridge.transports.transport import (
    TURN,
    Clock,
    LinkHealth,
    LinkState,
    Outgoing,
    SendOutcome,
    Transport,
)

_log = structlog.get_logger("rackwatch.replay")

_BAD_LINES_LOGGED = 20


class ReplayTransport(Transport):
    """Plays a recording to its end, losing nothing: it is read as it is consumed.

    Entering raises `RecordingFileError` where the file cannot be opened.
    """

    def __init__(self, path: Path, speed: float | None = None, clock: Clock = time.monotonic) -> None:
        """`speed`: 1 is the pace of life, 10 ten times faster, `None` as fast as it is consumed."""
        super().__init__()
        self._path = path
        self._speed = speed
        self._clock = clock
        self._state = LinkState.STARTING
        self._since_s = clock()
        self._entries: Iterator[Received | BadLine] = iter(())
        self._began_s: float | None = None
        self._in_turn = 0
        self._left = asyncio.Event()
        self.bad_lines = 0
        """Lines that were not of the form; the first of them are logged."""

    @property
    def health(self) -> tuple[LinkHealth, ...]:
        """The file: open until its end."""
        detail = f"{self.bad_lines} damaged lines" if self.bad_lines else ""
        openings = int(self._state is not LinkState.STARTING)
        return (LinkHealth(str(self._path), self._state, self._since_s, detail, openings),)

    def send(self, outgoing: Outgoing) -> SendOutcome:
        """Nobody listens in a recording."""
        del outgoing
        return SendOutcome.WRONG_KIND

    async def _start(self) -> None:
        self._entries = read_recording(self._path)
        self._change(LinkState.OPEN)

    async def _stop(self) -> None:
        self._left.set()
        self._entries = iter(())
        self._change(LinkState.CLOSED)

    async def _next(self) -> Received | None:
        for entry in self._entries:
            if not isinstance(entry, BadLine):
                await self._until_due(entry.at_s)
                return None if self._left.is_set() else entry
            self.bad_lines += 1
            if self.bad_lines <= _BAD_LINES_LOGGED:
                _log.warning("line skipped" if entry.skipped else "line mended", line=entry.number, reason=entry.reason)
        if self._state is LinkState.OPEN:
            self._change(LinkState.CLOSED)
        return None

    async def _until_due(self, at_s: float) -> None:
        self._in_turn += 1
        if self._speed is None:
            if self._in_turn % TURN == 0:
                await asyncio.sleep(0)
            return
        if self._began_s is None:
            self._began_s = self._clock() - at_s / self._speed
        wait_s = self._began_s + at_s / self._speed - self._clock()
        if wait_s > 0.0:
            try:
                await asyncio.wait_for(self._left.wait(), wait_s)
            except TimeoutError:
                return

    def _change(self, state: LinkState) -> None:
        self._state = state
        self._since_s = self._clock()
