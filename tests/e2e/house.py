"""A whole house for end-to-end tests: the real daemon on a settings file, on the event loop's clock.

    async with House(tmp_path, setup, serial=ports) as house:
        alert = await house.alert(Rule.WRONG_COUNT)

Only the nodes are simulated; ports, broker, log, page are what they are in a hall. Run on a `FastLoop`, time flies.
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from firmware_bridge.messages import Place
from hw.calibration import TableSetup
from monitor.alerts import Alert, AlertState, Rule
from monitor.daemon import Daemon
from monitor.events import Event, Seat
from monitor.log.reader import ToldRecord, open_log
from monitor.settings_file import load_settings
from tests.broker import Mosquitto

PATIENCE_S = 900.0
"""How long, on the loop's clock, a test waits for what must come: longer than any hand. None waits for a fixed time."""


class House:
    """One daemon with one table, `T1`."""

    def __init__(
        self,
        folder: Path,
        setup: TableSetup,
        *,
        serial: Mapping[Place, Path] | None = None,
        broker: Mosquitto | None = None,
        page: bool = False,
        port: int = 0,
        more: str = "",
        practice: bool = False,
    ) -> None:
        """`port`: the page's, 0 takes a free one. `more`: further sections of the settings. `practice`: the table's
        setting. Readings are recorded into `folder/recordings`."""
        self.folder = folder
        self.records: list[Event | Alert] = []
        self.log = folder / "log.sqlite"
        self._came = asyncio.Event()
        self._stop = asyncio.Event()
        self._ready = asyncio.Event()
        (folder / "setup.json").write_bytes(msgspec.json.encode(setup))
        settings = folder / "house.toml"
        settings.write_text(_settings(serial or {}, broker, port, page=page, practice=practice) + more)
        self.daemon = Daemon(load_settings(settings), clock=asyncio.get_running_loop().time, told=self._told)
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self.daemon.run(self._stop, self._ready.set), name="daemon")
        waiting = asyncio.create_task(self._ready.wait())
        await asyncio.wait([self._task, waiting], return_when=asyncio.FIRST_COMPLETED)
        if self._task.done():
            waiting.cancel()
            self._task.result()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop the daemon in good order."""
        self._stop.set()
        if self._task is not None:
            async with asyncio.timeout(PATIENCE_S):
                await self._task

    async def linked(self) -> None:
        """Wait until every port and the broker are open."""
        async with asyncio.timeout(PATIENCE_S):
            while not all(link.connected() for link in self.daemon._links):  # noqa: ASYNC110  # a link tells nobody
                await asyncio.sleep(0.01)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something that a new record makes true."""
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                self._came.clear()
                await self._came.wait()

    async def alert(self, rule: Rule, seat: Seat) -> Alert:
        """Wait for an alert of a rule about a seat."""
        await self.until(lambda: bool(self.alerts(rule, seat)))
        return self.alerts(rule, seat)[0]

    def alerts(self, rule: Rule, seat: Seat) -> list[Alert]:
        """The lines so far that raised one."""
        return [
            record
            for record in self.records
            if isinstance(record, Alert) and (record.rule, record.seat, record.state) == (rule, seat, AlertState.RAISED)
        ]

    def stored(self) -> list[ToldRecord]:
        """What the event log holds of the table."""
        with open_log(self.log) as log:
            return list(log.told())

    def _told(self, _table: str, record: Event | Alert) -> None:
        self.records.append(record)
        self._came.set()


def _settings(serial: Mapping[Place, Path], broker: Mosquitto | None, port: int, *, page: bool, practice: bool) -> str:
    lines = [f'[[tables]]\nname = "T1"\nsetup = "setup.json"\npractice = {str(practice).lower()}\n']
    lines += [f'[[serial]]\ntable = "T1"\nplace = "{place}"\nport = "{port}"\n' for place, port in serial.items()]
    if broker is not None:
        lines.append(f'[mqtt]\nhost = "{broker.host}"\nport = {broker.port}\n')
    lines.append(f'[log]\npath = "log.sqlite"\n[web]\nenabled = {str(page).lower()}\nport = {port}\n')
    lines.append('[recording]\nfolder = "recordings"\n')
    return "\n".join(lines)
