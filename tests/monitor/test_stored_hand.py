import asyncio
import sqlite3
from pathlib import Path

import msgspec
import pytest

from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.audience import Audience
from monitor.errors import LogError
from monitor.events import CountChanged, Dealt, Discarded, Event, HandStarted, NewHand, PlayStarted, Seat
from monitor.log import open as open_log
from monitor.log.store import EventLog
from monitor.stored_hand import stored_hand

ALERT = Alert(
    id="T1-1-wrong_count-9",
    rule=Rule.WRONG_COUNT,
    at=50.0,
    raised_at=52.0,
    article="205",
    authority=Authority.LEAGUE,
    level=Level.RULING_DUE,
    message="South has 14 tiles.",
    state=AlertState.RAISED,
    table="T1",
    seat=Seat.SOUTH,
)
WITHDRAWN = msgspec.structs.replace(ALERT, state=AlertState.WITHDRAWN)
FIRST: list[Event | Alert] = [
    HandStarted(at=10.0, seq=1),
    Dealt(at=20.0, seq=2),
    CountChanged(at=21.0, seq=3, seat=Seat.WEST, count=13),
    PlayStarted(at=30.0, seq=4),
]
SECOND: list[Event | Alert] = [
    NewHand(at=40.0, seq=5),
    Discarded(at=50.0, seq=6, seat=Seat.SOUTH, seen_at=51.0, uid="E0SECRET", face="SECRET"),
    ALERT,
    WITHDRAWN,
    Discarded(at=70.0, seq=7, seat=Seat.WEST, seen_at=72.0),
]


async def write(path: Path, *runs: dict[str, list[Event | Alert]]) -> None:
    for run in runs:
        log = await EventLog.open(path, "test")
        task = asyncio.create_task(log.run(lambda _: None))
        for table, batch in run.items():
            await log.append(table, batch)
        await log.drain()
        task.cancel()
        await log.close()


def handed(path: Path, *at_s: float) -> None:
    """Date the log's records of T1 as if they had been handed to it at these moments."""
    with sqlite3.connect(path) as database:
        database.execute("DROP TRIGGER records_update")
        for seq, moment_s in enumerate(at_s, 1):
            database.execute("UPDATE records SET mono_s = ? WHERE seq = ?", (moment_s, seq))
    database.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    asyncio.run(write(tmp_path / "log.sqlite", {"T1": [*FIRST, *SECOND]}))
    return tmp_path / "log.sqlite"


def test_a_hand_is_played_from_what_was_told(path: Path) -> None:
    with open_log(path) as log:
        stored = stored_hand(log, "T1", 2)
    timeline = stored.timeline
    assert (stored.table, stored.hand, timeline.began_s, timeline.ended_s) == ("T1", 2, 40.0, 72.0)
    assert [one.total for one in timeline.first.counts if one.seat is Seat.WEST] == [13]
    assert timeline.view(50.9).last_discard is None
    assert timeline.view(51.0).last_discard == 50.0
    assert timeline.alerts_s == (52.0,)


def test_a_later_word_on_an_alert_comes_between_its_neighbours(path: Path) -> None:
    for speed in (1.0, 6.0):  # a demo's events pass faster than the host's time
        handed(path, 10, 20, 21, 30, *(40 + (at_s - 40) / speed for at_s in (40.0, 51.0, 52.0, 67.0, 72.0)))
        with open_log(path) as log:
            timeline = stored_hand(log, "T1", 2).timeline
        states = [(moment.at_s, one.state) for moment in timeline.moments for one in moment.records if _is_alert(one)]
        assert states == [(52.0, AlertState.RAISED), (pytest.approx(67.0), AlertState.WITHDRAWN)]
        path.unlink()
        asyncio.run(write(path, {"T1": [*FIRST, *SECOND]}))


def _is_alert(record: Event | Alert) -> bool:
    return isinstance(record, Alert)


def test_identities_stay_in_the_log_unless_asked_for(path: Path) -> None:
    with open_log(path) as log:
        assert b"SECRET" not in msgspec.json.encode(stored_hand(log).timeline)
        assert b"SECRET" not in msgspec.json.encode(stored_hand(log, identities=True).timeline), "it is not over yet"
    asyncio.run(write(path, {"T1": [NewHand(at=90.0, seq=8)]}))
    with open_log(path) as log:
        assert b"SECRET" not in msgspec.json.encode(stored_hand(log, hand=2).timeline)
        assert b"SECRET" in msgspec.json.encode(stored_hand(log, hand=2, identities=True).timeline)


def test_a_monitor_started_again_in_a_hand_knows_nothing_and_time_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    asyncio.run(write(path, {"T1": [*FIRST]}, {"T1": [Discarded(at=5.0, seq=5, seat=Seat.SOUTH)]}))
    with sqlite3.connect(path) as database:  # the machine was started again, five minutes later
        database.execute("UPDATE runs SET mono_s = 8.0, utc_us = 1000000000 WHERE run = 1")
        database.execute("UPDATE runs SET mono_s = 2.0, utc_us = 1300000000 WHERE run = 2")
    database.close()
    handed(path, 10, 20, 21, 30, 5)
    with open_log(path) as log:
        stored = stored_hand(log)
    assert stored.timeline.began_s == 10.0
    assert stored.timeline.ended_s == 311.0  # three seconds into a run that began 300 s after the first one's 8.0
    assert stored.timeline.view(310.0).counts
    assert stored.timeline.view(311.0).counts == ()
    assert stored.timeline.view(311.0).last_discard == 311.0


def test_a_clock_set_back_between_two_runs_turns_nothing_back(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    asyncio.run(write(path, {"T1": [*FIRST]}, {"T1": [Discarded(at=5.0, seq=5, seat=Seat.SOUTH)]}))
    with sqlite3.connect(path) as database:
        database.execute("UPDATE runs SET mono_s = 8.0, utc_us = 1000000000 WHERE run = 1")
        database.execute("UPDATE runs SET mono_s = 2.0, utc_us = 400000000 WHERE run = 2")
    database.close()
    handed(path, 10, 20, 21, 30, 5)
    with open_log(path) as log:
        assert stored_hand(log).timeline.ended_s == 33.0


@pytest.mark.parametrize(
    ("table", "hand", "says"),
    [
        (None, 1, "several tables. Say which with --table: T1, T2"),
        ("T9", 1, "nothing of table T9. It holds T1, T2"),
        ("T2", 7, "no hand 7 of T2. It holds 1"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(tmp_path: Path, table: str | None, hand: int, says: str) -> None:
    asyncio.run(write(tmp_path / "log.sqlite", {"T1": FIRST, "T2": FIRST}))
    with open_log(tmp_path / "log.sqlite") as log, pytest.raises(LogError) as problem:
        stored_hand(log, table, hand)
    assert says in str(problem.value)


def test_an_empty_log_says_so(tmp_path: Path) -> None:
    asyncio.run(write(tmp_path / "log.sqlite", {}))
    with open_log(tmp_path / "log.sqlite") as log, pytest.raises(LogError, match="no record yet"):
        stored_hand(log)


async def test_what_stands_from_before_is_read_as_far_back_as_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    await write(path, {"T1": [*FIRST, *SECOND]})
    with open_log(path) as log:
        whole = stored_hand(log, "T1", 2)
        assert stored_hand(log, "T1", 2, earlier_hands=1) == whole
        alone = stored_hand(log, "T1", 2, earlier_hands=0)
    assert [one.rack for one in whole.timeline.first.counts] != []
    assert alone.timeline.first.counts == ()
    assert [one.records for one in alone.timeline.moments] == [one.records for one in whole.timeline.moments]


async def test_a_table_without_counts_is_laid_out_without_them(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    await write(path, {"T1": [*FIRST, *SECOND]})
    with open_log(path) as log:
        timeline = stored_hand(log, "T1", 2, audience=Audience(count_monitoring=False)).timeline
    assert timeline.first.counts == ()
    assert timeline.alerts_s == ()
