"""The wiring: what is received becomes durable records and views, one failure stays one, and stopping loses nothing."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firmware_bridge.messages import Input, InputName
from firmware_bridge.received import Published
from firmware_bridge.recording import BadLine, read_recording
from firmware_bridge.rejections import Rejected, Rejection
from firmware_bridge.routing import Router
from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.daemon import Daemon, _above_notice, _refused, _Rejections
from monitor.errors import LogInUseError, PortInUseError, SettingsError, UnusableFileError
from monitor.events import Event, NewHand
from monitor.log.notes import Purged
from monitor.log.part import Part
from monitor.log.reader import open_log, read_log
from monitor.log.schema import Stream
from monitor.log.store import EventLog
from monitor.log.verifying import verify
from monitor.reports.when import clock_of
from monitor.settings_file import load_settings
from monitor.table import Table
from monitor.web.pages import Screen
from monitor.web.server import listen
from tests.database import PostgreSQL

TABLES = """\
[[tables]]
name = "T1"
[[tables]]
name = "T2"
[log]
path = "log.sqlite"
[web]
port = 0
"""


class Run:
    """A daemon whose time the test sets and whose receptions the test makes."""

    def __init__(self, folder: Path, settings: str, wall: Callable[[], float] = time.time) -> None:
        path = folder / "house.toml"
        path.write_text(settings)
        self.now_s = 100.0
        self.told: list[tuple[str, Event | Alert]] = []
        self.came = asyncio.Event()
        self.stop = asyncio.Event()
        self.daemon = Daemon(load_settings(path), clock=lambda: self.now_s, wall=wall, told=self._tell)

    def _tell(self, table: str, record: Event | Alert) -> None:
        self.told.append((table, record))
        self.came.set()

    def say(self, table: str, said: InputName = InputName.NEW_HAND, at_s: float | None = None) -> None:
        payload = msgspec.json.encode(Input(input=said, by="director"))
        at_s = self.now_s if at_s is None else at_s
        self.daemon.receive(Published(at_s, f"rackwatch/v1/{table}/table/input", payload))

    async def until_told(self, number: int) -> None:
        async with asyncio.timeout(10):
            while len(self.told) < number:
                self.came.clear()
                await self.came.wait()


@asynccontextmanager
async def running(folder: Path, settings: str = TABLES, wall: Callable[[], float] = time.time) -> AsyncIterator[Run]:
    run = Run(folder, settings, wall)
    ready = asyncio.Event()
    task = asyncio.create_task(run.daemon.run(run.stop, ready.set))
    await asyncio.wait([task, asyncio.ensure_future(ready.wait())], return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        task.result()
    try:
        yield run
    finally:
        run.stop.set()
        async with asyncio.timeout(10):
            await task


async def test_what_is_received_is_told_when_it_is_in_the_log(tmp_path: Path) -> None:
    async with running(tmp_path) as run:
        run.say("T2")
        await run.until_told(1)
        table, record = run.told[0]
        assert (table, type(record)) == ("T2", NewHand)
        stored = list(read_log(tmp_path / "log.sqlite"))
        assert [(row.table, row.record) for row in stored] == [("T2", record)]
        assert "New hand" in run.daemon._hub.cards(Screen.DIRECTOR)[1]


@pytest.mark.parametrize("speed", [1.0, 10.0])
async def test_however_fast_its_clocks_a_log_tells_each_moment_by_one_time(tmp_path: Path, speed: float) -> None:
    """The step from a record's `at` to UTC is the same by its own row and by the start of its run."""
    passed_s = 0.0
    async with running(tmp_path, wall=lambda: 1e9 + passed_s) as run:
        for said in range(1, 4):
            passed_s = said * speed
            run.now_s = 100.0 + passed_s
            run.say("T1")
            await run.until_told(said)
    with open_log(tmp_path / "log.sqlite") as log:
        (begun,) = log.runs().values()
        for row in log.told():
            assert begun.utc_s(row.record.at) == pytest.approx(clock_of(row).utc_s(row.record.at), abs=1e-3)
            assert row.utc_us / 1e6 == pytest.approx(1e9 + row.mono_s - 100.0, abs=1e-3)


async def test_a_log_in_postgresql_is_kept_and_goes_on(tmp_path: Path) -> None:
    with PostgreSQL() as server:
        url = server.url("house")
        settings = TABLES.replace('path = "log.sqlite"', f'url = "{url}"')
        assert "url" in settings
        for starts in (1, 2):
            async with running(tmp_path, settings) as run:
                run.say("T1")
                await run.until_told(1)
                assert [row.run for row in read_log(url)] == list(range(1, starts + 1))
        with open_log(url) as opened:
            assert verify(opened).flaw is None
        assert (tmp_path / "rackwatch-log.key").stat().st_mode & 0o077 == 0


async def test_what_is_old_is_taken_away_while_the_monitor_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as run:
        run.say("T1")
        await run.until_told(1)
    monkeypatch.setattr("monitor.daemon.FORGET_FIRST_S", 0.01)
    settings = TABLES.replace('path = "log.sqlite"', 'path = "log.sqlite"\nkeep_days = 30')
    async with running(tmp_path, settings, wall=lambda: 4e9) as run:  # the year 2096
        async with asyncio.timeout(10):
            while any(  # noqa: ASYNC110  # a log has no event for us
                row.record is not None for row in read_log(tmp_path / "log.sqlite", Part(stream=Stream.EVENT))
            ):
                await asyncio.sleep(0.02)
        run.say("T1")
        await run.until_told(1)
    rows = list(read_log(tmp_path / "log.sqlite"))
    assert [type(row.record) for row in rows] == [type(None), Purged, NewHand]
    with open_log(tmp_path / "log.sqlite") as opened:
        assert verify(opened).flaw is None


async def test_records_that_the_log_refuses_are_told_of(tmp_path: Path) -> None:
    log = await EventLog.open(tmp_path / "log.sqlite", "test")
    assert _refused(log) is None
    await log.append("T1", [NewHand(at=float("nan")), NewHand(at=1.0)])
    await log.close()
    said = str(_refused(log))
    assert said.startswith(
        "1 record was not kept, since nobody could have read such a record; the latest of T1: NewHand: at: "
    )


async def test_stopping_works_off_what_was_received(tmp_path: Path) -> None:
    async with running(tmp_path) as run:
        for number in range(50):
            run.say("T1", at_s=100.0 + number)
        run.stop.set()
    assert len(list(read_log(tmp_path / "log.sqlite"))) == 50
    assert len(run.told) == 50


async def test_a_table_that_fails_leaves_the_other_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Table.feed

    def sick(self: Table, arrival: Any) -> list[Event | Alert]:
        if arrival.table == "T1":
            raise ZeroDivisionError
        return whole(self, arrival)

    monkeypatch.setattr(Table, "feed", sick)
    async with running(tmp_path) as run:
        run.say("T1")
        run.say("T2")
        await run.until_told(1)
        assert [table for table, _ in run.told] == ["T2"]
        assert any("T1 failed inside" in notice for notice in run.daemon._hub.notices())


async def test_nonsense_is_counted_and_told_to_the_director(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("monitor.daemon.HEALTH_S", 0.01)
    async with running(tmp_path) as run:
        run.daemon.receive(Published(100.0, "rackwatch/v1/T9/east/readings", b"{}"))
        run.daemon.receive(Published(100.0, "rackwatch/v1/T1/east/readings", b"{"))
        async with asyncio.timeout(10):
            while not run.daemon._hub.notices():  # noqa: ASYNC110  # the page has no event for us
                await asyncio.sleep(0.01)
        (notice,) = run.daemon._hub.notices()
        assert "2 messages came to nothing" in notice
        assert "T1/east/readings" in notice


def test_what_comes_before_a_nodes_name_is_no_news_however_much_it_is() -> None:
    router = Router(frozenset({"T1"}))
    rejections = _Rejections(router)
    for _ in range(100):
        router._reject(Rejected(1.0, "T1/east", Rejection.BEFORE_HELLO))
    assert rejections.after(1.0) is None
    router._reject(Rejected(1.0, "T1/east", Rejection.DAMAGED_FRAME))
    assert rejections.after(1.0) == "1 messages came to nothing so far; the latest from T1/east: damaged frame."
    for _ in range(100):
        router._reject(Rejected(1.0, "T1/east", Rejection.BEFORE_HELLO))
    assert rejections.after(1.0) == "1 messages came to nothing so far."
    assert rejections.after(100.0) is None


async def test_the_watch_over_health_may_fail_and_the_daemon_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("monitor.daemon.HEALTH_S", 0.0)
    monkeypatch.setattr(_Rejections, "after", lambda self, passed_s: 1 / 0)
    async with running(tmp_path) as run:
        async with asyncio.timeout(10):
            while not any("health failed" in notice for notice in run.daemon._hub.notices()):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        run.say("T1")
        await run.until_told(1)


async def test_lines_and_recording_are_written_and_identities_may_be_kept_out(tmp_path: Path) -> None:
    settings = TABLES.replace("[log]\n", '[log]\nidentities = "never"\n')
    settings += '[lines]\nevents = "events.jsonl"\n[recording]\nfolder = "recordings"\n'
    async with running(tmp_path, settings) as run:
        run.say("T1")
        run.say("T1", InputName.HAND_ENDED, at_s=105.5)
        await run.until_told(2)
    lines = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert [line["kind"] for line in lines] == ["new_hand", "hand_ended"]
    (recording,) = (tmp_path / "recordings").iterdir()
    recorded = [line for line in read_recording(recording) if not isinstance(line, BadLine)]
    assert [line.at_s for line in recorded] == [0.0, 5.5]
    assert recording.name.endswith("-run-1.recording.jsonl.gz")


async def until_noticed(run: Run, text: str, *, there: bool = True) -> None:
    """Wait until the director's page says it, or no longer does."""
    async with asyncio.timeout(20), aclosing(run.daemon._hub.stream(Screen.DIRECTOR)) as frames:
        async for _ in frames:
            if any(text in one for one in run.daemon._hub.notices()) == there:
                return


async def test_a_recording_that_cannot_be_written_is_told_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "recordings").write_text("a file")
    async with running(tmp_path, TABLES + '[recording]\nfolder = "recordings"\n') as run:
        run.say("T1")
        await run.until_told(1)
        await until_noticed(run, "were not recorded")
        assert any("It is tried again." in one for one in run.daemon._hub.notices())
        (tmp_path / "recordings").unlink()
        run.now_s += 10.0
        await until_noticed(run, "It is tried again.", there=False)
        run.say("T1", InputName.HAND_ENDED)
    (recording,) = (tmp_path / "recordings").iterdir()
    assert len(list(read_recording(recording))) == 1


@pytest.mark.parametrize(
    ("level", "state", "marked"),
    [
        (Level.ADVICE, AlertState.RAISED, True),
        (Level.RULING_DUE, AlertState.RAISED, True),
        (Level.RULING_DUE, AlertState.WITHDRAWN, False),
        (Level.NOTICE, AlertState.RAISED, False),
        (Level.TECHNICAL, AlertState.RAISED, False),
    ],
)
def test_alerts_above_notice_are_those_that_want_something(level: Level, state: AlertState, marked: bool) -> None:
    alert = Alert(
        id="a", rule=Rule.WRONG_COUNT, at=1.0, raised_at=1.0, article="205", authority=Authority.LEAGUE, level=level,
        message="", state=state,
    )  # fmt: skip
    assert _above_notice(alert) is marked


async def test_an_alert_marks_its_recording(tmp_path: Path) -> None:
    async with running(tmp_path, TABLES + '[recording]\nfolder = "recordings"\n') as run:
        run.say("T1")
        await run.until_told(1)
        alert = Alert(
            id="a", rule=Rule.LATE_CALL, at=1.0, raised_at=1.0, article="107", authority=Authority.LEAGUE,
            level=Level.RULING_DUE, message="", state=AlertState.RAISED, table="T1",
        )  # fmt: skip
        await run.daemon._tables["T1"]._append("T1", [alert])
        await run.until_told(2)
    (recording,) = (tmp_path / "recordings").iterdir()
    assert recording.name.endswith("-part-1-alert-run-1.recording.jsonl.gz")


async def test_count_monitoring_can_be_switched_off_by_settings_or_profile(tmp_path: Path) -> None:
    (tmp_path / "off.toml").write_text('[count]\nmonitoring = "off"\n')
    settings = TABLES.replace('name = "T1"\n', 'name = "T1"\ncount_monitoring = false\n')
    settings = settings.replace('name = "T2"\n', 'name = "T2"\nprofile = "off.toml"\npractice = true\n')
    run = Run(tmp_path, settings)
    audiences = run.daemon._audiences()
    assert not audiences["T1"].count_monitoring
    assert not audiences["T2"].count_monitoring
    assert audiences["T2"].practice


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        (TABLES.replace('name = "T1"\n', 'name = "T1"\nsetup = "absent.json"\n'), SettingsError, "absent.json"),
        (
            TABLES.replace('name = "T1"\n', 'name = "T1"\nprofile = "leauge"\n'),
            UnusableFileError,
            "did you mean league",
        ),
        (TABLES + '[mqtt]\nhost = "h"\ntls = true\nca_file = "no.pem"\n', SettingsError, "certificate authority"),
    ],
)
def test_what_is_wrong_with_files_is_found_before_anything_is_opened(
    tmp_path: Path, settings: str, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        Run(tmp_path, settings)
    assert not (tmp_path / "log.sqlite").exists()


async def test_a_second_monitor_on_the_same_log_and_a_taken_port_are_refused(tmp_path: Path) -> None:
    with listen("127.0.0.1", 0) as taken:
        taken.listen()
        settings = TABLES.replace("port = 0", f"port = {taken.getsockname()[1]}")
        with pytest.raises(PortInUseError):
            async with running(tmp_path, settings):
                pass
    async with running(tmp_path):
        (tmp_path / "second").mkdir()
        with pytest.raises(LogInUseError):
            async with running(tmp_path / "second", TABLES.replace("log.sqlite", "../log.sqlite")):
                pass


async def test_nothing_is_said_at_all_without_cause(tmp_path: Path) -> None:
    async with running(tmp_path) as run:
        run.now_s = 400.0
        run.say("T1", at_s=400.0)
        await run.until_told(1)
    rules = {record.rule for _, record in run.told if isinstance(record, Alert)}
    assert rules <= {Rule.SENSOR_FAULT}
