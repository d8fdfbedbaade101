"""The composition root: settings in, a running monitor out.

Owns the wiring, the names of all tasks, start and stop. Refuses to know what any part does. Flow:

    links → receive → router → table task (one a table) → event log → desk → publisher, JSON lines, screens
            consoles → chair → notes ────────────────────────↗      ↘ chair → consoles

Only what is durable in the log reaches the desk. Every link and every table is on its own: one that fails is told of,
counted and started again; the log alone takes everything down with it, for without it nothing may be said. Stopping
goes with the flow: tables work off what they hold, the log commits, the broker has a moment to take what is left, and
links end.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from typing import Final

import msgspec
import structlog

from firmware_bridge.received import Received
from firmware_bridge.rejections import Rejection
from firmware_bridge.routing import Router
from monitor.access.door import who_is_let_in
from monitor.access.opening import entrance
from monitor.alerts import Alert, AlertState, Level
from monitor.announcer import Announcer
from monitor.audience import Audience
from monitor.chair import Chair
from monitor.desk import Desk, Outlets
from monitor.events import Event, without_identities
from monitor.history import Histories
from monitor.home_assistant import discovery
from monitor.lines import STDOUT, LineFiles
from monitor.links import Link, mqtt_link, serial_link, status, troubles
from monitor.log.purging import keep_days
from monitor.log.schema import Stream
from monitor.log.scribe import Logged
from monitor.log.store import EventLog
from monitor.privacy import privacy_notice
from monitor.profiles import load_profile
from monitor.publisher import Publisher
from monitor.recordings.folder import Limits, RecordingFolder
from monitor.recordings.recorder import Recorder
from monitor.recordings.retention import Retention
from monitor.resuming import resumed
from monitor.rules.profile import Monitoring, Profile
from monitor.settings import Identities
from monitor.settings_file import SettingsFile
from monitor.supervision import supervised
from monitor.table import Numbers, Table
from monitor.table_task import Append, TableTask
from monitor.view import TableView
from monitor.wall_time import WallTime
from monitor.web.hub import Hub
from monitor.web.pages import Screen
from monitor.web.round_face import follow
from monitor.web.server import PageServer, listen
from monitor.web.sources import Sources

HEALTH_S: Final = 1.0
"""How often it is told how links, recordings and messages are doing."""
FORGET_FIRST_S: Final = 60.0
FORGET_EVERY_S: Final = 86_400.0
"""When old records are taken away: soon after the start, when everything is open, and once a day; our choice."""
REMEMBER_S: Final = 60.0
"""How long messages that came to nothing stay on the director's page; our choice."""
DELIVERY_S: Final = 2.0
"""How long stopping waits for the broker to take what is left; the log has it in any case."""

_log = structlog.get_logger("rackwatch")

Told = Callable[[str, Event | Alert], None]


class Daemon:
    """One monitor. What is wrong with set-ups and profiles is found when it is made."""

    def __init__(
        self,
        file: SettingsFile,
        *,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        told: Told = lambda _table, _record: None,
    ) -> None:
        """`clock` gives the host's seconds, `wall` those since 1970; both pass alike, be it faster than life.

        `told` hears every record as the director may, once it is durable.

        Raises `MonitorError`.
        """
        self._file = file
        self._settings = file.settings
        self._clock = clock
        self._wall = wall
        self._told = told
        self._profiles = [_profile(file, index) for index in range(len(self._settings.tables))]
        self._setups = [file.table_setup(index) for index in range(len(self._settings.tables))]
        self._hub = Hub(clock, wall)
        self._histories = Histories(table.name for table in self._settings.tables)
        self._router = Router(frozenset(table.name for table in self._settings.tables))
        announced = discovery(self._settings, version("rackwatch"))
        self._broker = mqtt_link(file, clock, announced.subscriptions)
        self._announcer: Announcer | None = None
        if (broker := self._broker) is not None:
            self._announcer = Announcer(announced, broker.send, broker.open_since, clock, self._hub.notice)
        self._links = [link for link in (serial_link(file, clock), self._broker) if link is not None]
        self._recorder: Recorder | None = None
        self._tables: dict[str, TableTask] = {}
        self.chair: Chair | None = None
        """What directors act through, once the log is open."""
        self.url: str | None = None
        """Where the page is, once `ready` is called."""

    async def run(self, stop: asyncio.Event, ready: Callable[[], None] = lambda: None) -> None:
        """Watch until `stop` is set; `ready` is called when everything is open.

        Raises `MonitorError` where log, page or files cannot be had.
        """
        releases = self._settings.log.identities is Identities.AFTER_HAND
        log = await EventLog.open(
            self._file.log_place(), version("rackwatch"), releases=releases, clock=self._clock, wall=self._wall
        )
        try:
            with ExitStack() as opened:
                await self._run(log, opened, stop, ready)
        finally:
            await log.close()

    async def _run(self, log: EventLog, opened: ExitStack, stop: asyncio.Event, ready: Callable[[], None]) -> None:
        wanted = self._settings.lines
        lines = LineFiles(self._line_path(wanted.events), self._line_path(wanted.alerts), self._hub.notice)
        opened.callback(lines.close)
        self._recorder = self._opened_recorder(opened, log.run_number)
        self._tables = {
            table.name: self._table_task(index, log.append, await _last_numbers(log, table.name))
            for index, table in enumerate(self._settings.tables)
        }
        chair = self.chair = await self._opened_chair(log)
        follow(chair, self._hub.show_round)
        let_in = entrance(self._file, time.time)  # browsers live in true time, be the hand faster or not
        notice = tuple(privacy_notice(self._settings, tuple(self._setups)))
        sources = Sources(
            hub=self._hub,
            entrance=let_in,
            chair=chair,
            place=log.place,
            histories=self._histories,
            audiences=self._audiences(),
            notice=notice,
        )
        server, listener = PageServer(sources), None
        if self._settings.web.enabled:
            _log.info(who_is_let_in(let_in.door))
            listener = opened.enter_context(listen(self._settings.web.host, self._settings.web.port))
            self.url = _url(*listener.getsockname()[:2])
        async with asyncio.TaskGroup() as services:
            publisher = None
            if self._broker is not None:
                wall_time = WallTime(self._clock, self._wall)
                publisher = Publisher(self._broker.send, self._broker.open_since, wall_time.utc)
            desk = Desk(self._audiences(), self._outlets(lines, publisher))

            def told(group: Sequence[Logged]) -> None:
                desk.take(group)
                chair.take(group)

            tasks = [
                services.create_task(log.run(told, self._log_trouble), name="event log"),
                services.create_task(supervised("screens", self._hub.run, self._hub.notice), name="screens"),
                services.create_task(
                    supervised("health", lambda: self._watch_health(log), self._hub.notice), name="health"
                ),
            ]
            if self._settings.log.keep_days:
                forgetting = supervised("retention", lambda: self._forget_old(log), self._hub.notice)
                tasks.append(services.create_task(forgetting, name="retention"))
            if publisher is not None:
                states = supervised("published states", publisher.run, self._hub.notice)
                tasks.append(services.create_task(states, name="published states"))
            if self._announcer is not None:
                announcing = supervised("Home Assistant", self._announcer.run, self._hub.notice)
                tasks.append(services.create_task(announcing, name="Home Assistant"))
            if listener is not None:
                services.create_task(server.serve([listener]), name="pages")
            tables = [services.create_task(table.run(), name=f"table {name}") for name, table in self._tables.items()]
            links = [
                services.create_task(supervised(link.name, self._work_of(link), self._hub.notice), name=link.name)
                for link in self._links
            ]
            ready()
            await stop.wait()
            _log.info("stopping")
            for table in self._tables.values():
                table.stop()
            await asyncio.gather(*tables)
            await log.drain(closing=True)
            if publisher is not None and self._broker is not None:
                publisher.send_states()
                if self._settings.mqtt is not None:
                    self._broker.send(status(self._settings.mqtt.client_id, online=False))
                if not await self._broker.flush(DELIVERY_S):
                    _log.warning("the broker did not take everything; the event log has it")
            server.stop()
            await _cancelled([*links, *tasks])

    def receive(self, received: Received) -> None:
        """Take what a link received: write it down if it is recorded, decode it, queue it for its table. What is about
        Home Assistant is no reading, and goes no further."""
        if self._announcer is not None and self._announcer.take(received):
            return
        if self._recorder is not None:
            self._recorder.take(received)
        for arrival in self._router.route(received):
            table = self._tables.get(arrival.table)
            if table is not None:
                table.offer(arrival)

    async def _opened_chair(self, log: EventLog) -> Chair:
        """The chair, with what an earlier start left on it."""
        audiences = self._audiences()
        found = await asyncio.to_thread(resumed, log.place, log.run_number, audiences, self._wall())
        if found.trouble:
            self._hub.notice("cases", found.trouble)
        return Chair(audiences, found, log.append, self.receive, self._clock)

    def _work_of(self, link: Link) -> Callable[[], Awaitable[None]]:
        return lambda: link.run(self.receive)

    def _table_task(self, index: int, append: Append, last: Numbers) -> TableTask:
        setup, profile = self._setups[index], self._profiles[index]
        return TableTask(
            setup.table,
            lambda last: Table(setup, profile, last),
            self._keeping(append),
            self._clock,
            self._hub.notice,
            last,
        )

    def _keeping(self, append: Append) -> Append:
        """What the log keeps of identities is a setting."""
        if self._settings.log.identities is not Identities.NEVER:
            return append
        return lambda table, batch: append(
            table, [one if isinstance(one, Alert) else without_identities(one) for one in batch]
        )

    def _audiences(self) -> dict[str, Audience]:
        return {
            table.name: Audience(practice=table.practice, count_monitoring=profile.count.monitoring is Monitoring.ON)
            for table, profile in zip(self._settings.tables, self._profiles, strict=True)
        }

    def _outlets(self, lines: LineFiles, publisher: Publisher | None) -> Outlets:
        def directors_record(table: str, record: Event | Alert) -> None:
            lines.write(table, record)
            self._histories.take(table, record)
            self._told(table, record)
            if self._recorder is not None and isinstance(record, Alert) and _above_notice(record):
                self._recorder.alert()
            if publisher is not None:
                publisher.directors(table, record)

        def public_record(table: str, record: Event | Alert) -> None:
            if publisher is not None:
                publisher.public(table, record)

        def public_view(view: TableView) -> None:
            self._hub.show(Screen.PUBLIC, view)
            if publisher is not None:
                publisher.state(view)

        return Outlets(
            directors_record=directors_record,
            public_record=public_record,
            directors_view=lambda view: self._hub.show(Screen.DIRECTOR, view),
            public_view=public_view,
            notice=self._hub.notice,
        )

    def _log_trouble(self, reason: str | None) -> None:
        text = None if reason is None else f"The event log cannot be written ({reason}); alerts wait until it can."
        self._hub.notice("event log", text)

    async def _forget_old(self, log: EventLog) -> None:
        """Once a day, and soon after the start, take away what is older than the settings keep."""
        await asyncio.sleep(FORGET_FIRST_S)
        while True:
            taken = await keep_days(log, self._settings.log.keep_days, int(self._wall() * 1e6))
            if taken:
                _log.info("old records taken away, their hashes stay", records=taken)
            await asyncio.sleep(FORGET_EVERY_S)

    async def _watch_health(self, log: EventLog) -> None:
        """Tell the director's page how links, recordings, messages and the log are doing."""
        rejections = _Rejections(self._router)
        while True:
            await asyncio.sleep(HEALTH_S)
            for link in self._links:
                for about, text in troubles(link):
                    self._hub.notice(about, text)
            if self._recorder is not None:
                for about, text in self._recorder.troubles():
                    self._hub.notice(about, text)
            self._hub.notice("messages", rejections.after(HEALTH_S))
            self._hub.notice("refused records", _refused(log))
            if self.chair is not None and self.chair.docket.dropped:
                dropped = self.chair.docket.dropped
                self._hub.notice("dropped cases", f"{dropped} cases made room for newer ones; the event log has them.")

    def _opened_recorder(self, opened: ExitStack, run: int) -> Recorder | None:
        wanted = self._settings.recording
        if wanted.folder is None:
            return None
        retention = Retention(wanted.keep, wanted.total_mb << 20, wanted.keep_days * 86_400.0)
        limits = Limits(wanted.file_mb << 20, wanted.file_hours * 3600.0, retention)
        folder = RecordingFolder(self._file.resolve(wanted.folder), run, limits, self._wall)
        return opened.enter_context(Recorder(folder, self._clock))

    def _line_path(self, name: str | None) -> str | None:
        return name if name is None or name == STDOUT else str(self._file.resolve(name))


def _refused(log: EventLog) -> str | None:
    if not log.refused:
        return None
    records = "1 record was" if log.refused == 1 else f"{log.refused} records were"
    return f"{records} not kept, since nobody could have read such a record; the latest of {log.last_refusal}."


async def _last_numbers(log: EventLog, table: str) -> Numbers:
    return Numbers(await log.last_number(table, Stream.EVENT), await log.last_number(table, Stream.ALERT))


class _Rejections:
    """Messages that came to nothing: told of while they do, and for a while after."""

    def __init__(self, router: Router) -> None:
        self._router = router
        self._seen = 0
        self._remember_s = 0.0

    def after(self, passed_s: float) -> str | None:
        """What there is to say now."""
        # a line is opened while its node speaks: what comes before the node's name is no loss worth telling
        total = sum(n for why, n in self._router.rejected.items() if why is not Rejection.BEFORE_HELLO)
        if total > self._seen:
            if self._remember_s == 0.0:
                _log.warning("messages come to nothing", why={str(k): n for k, n in self._router.rejected.items()})
            self._seen, self._remember_s = total, REMEMBER_S
        else:
            self._remember_s = max(0.0, self._remember_s - passed_s)
        if self._remember_s == 0.0:
            return None
        told = [one for one in self._router.latest_rejections if one.reason is not Rejection.BEFORE_HELLO]
        latest = f"; the latest from {told[-1].source}: {told[-1].reason}" if told else ""
        return f"{total} messages came to nothing so far{latest}."


def _profile(file: SettingsFile, index: int) -> Profile:
    profile = load_profile(file.profile(index))
    if file.settings.tables[index].count_monitoring:
        return profile
    return msgspec.structs.replace(profile, count=msgspec.structs.replace(profile.count, monitoring=Monitoring.OFF))


def _above_notice(alert: Alert) -> bool:
    return alert.state is AlertState.RAISED and alert.level in {Level.ADVICE, Level.RULING_DUE}


def _url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


async def _cancelled(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
