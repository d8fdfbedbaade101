"""The director's chair on a real log: durable first, two at once, rulings that a table must know of, and restarts."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.messages import Input, InputName
from firmware_bridge.received import Published
from monitor.acts import (
    Acknowledged,
    AllThrownIn,
    DeclaredDead,
    Declarer,
    Dismissed,
    Remarked,
    RoundEnded,
    RoundExtended,
    RoundPaused,
    RoundStarted,
    Taken,
    TimeAdded,
    Undone,
    Upheld,
)
from monitor.alerts import AlertState, Level, Rule
from monitor.audience import Audience
from monitor.chair import Chair, Changed, Done
from monitor.docket import ActConflict, Handling, Refused
from monitor.events import HandEnded, NewHand, Seat
from monitor.log.notes import Acted, Clocked, Said
from monitor.log.payloads import Record
from monitor.log.place import log_place
from monitor.log.reader import open_log, read_log
from monitor.log.store import EventLog
from monitor.log.verifying import verify
from monitor.resuming import resumed
from monitor.round_clock import ClockConflict, Running
from tests.monitor.test_daemon import running
from tests.monitor.test_docket import an_alert

AUDIENCES = {"T1": Audience(), "T2": Audience(count_monitoring=False)}


class Scene:
    """A log, its writer and a chair; `now_s` is the host's clock, `utc_s` ahead of it by `ahead_s`."""

    def __init__(self, log: EventLog, chair: Chair) -> None:
        self.log, self.chair = log, chair
        self.changes: list[Changed] = []
        chair.listen(self.changes.append)

    async def tell(self, *records: Record, table: str = "T1") -> None:
        await self.log.append(table, records)
        await self.log.drain()


class Clock:
    def __init__(self, now_s: float = 100.0, ahead_s: float = 1e9) -> None:
        self.now_s, self.ahead_s = now_s, ahead_s
        self.sent: list[Published] = []


@asynccontextmanager
async def scene(path: Path, clock: Clock) -> AsyncIterator[Scene]:
    place = log_place(path)
    log = await EventLog.open(place, "test", clock=lambda: clock.now_s, wall=lambda: clock.now_s + clock.ahead_s)
    found = await asyncio.to_thread(resumed, place, log.run_number, AUDIENCES, clock.now_s + clock.ahead_s)
    chair = Chair(AUDIENCES, found, log.append, clock.sent.append, lambda: clock.now_s)
    writer = asyncio.create_task(log.run(chair.take))
    try:
        yield Scene(log, chair)
        await log.drain()
    finally:
        writer.cancel()
        await log.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.sqlite"


def acts(path: Path) -> list[Acted | Clocked | Said]:
    return [row.record for row in read_log(path) if isinstance(row.record, Acted | Clocked | Said)]


def inputs(clock: Clock) -> list[tuple[str, Input]]:
    return [(one.topic, msgspec.json.decode(one.payload, type=Input)) for one in clock.sent]


async def test_an_act_is_shown_once_it_is_in_the_log_and_every_console_hears(path: Path) -> None:
    clock = Clock()
    async with scene(path, clock) as at:
        await at.tell(NewHand(at=5.0), an_alert())
        other: list[Changed] = []
        end = at.chair.listen(other.append)
        done = await at.chair.act("Ada", "T1-1", Taken(), 0)
        assert done == Done(3)
        stored = list(read_log(path))[-1]
        assert (stored.seq, stored.table, stored.hand, stored.stream, stored.kind) == (3, "T1", 1, "act", "acted")
        case = at.chair.docket.case("T1-1")
        assert case is not None
        assert (case.handling, case.by, case.version) == (Handling.TAKEN, "Ada", 1)
        assert case.acts[0].made.utc_s == 1e9 + 100.0
        assert at.changes[-1] == other[-1] == Changed(("T1-1",), clock=False)
        end()
        await at.chair.act("Ada", "T1-1", Remarked(), 1, "They agree.")
        assert (len(other), len(at.changes)) == (1, 3)
    assert [note.reason for note in acts(path)] == ["took it", "They agree."]
    with open_log(path) as log:
        assert verify(log).flaw is None


async def test_of_two_directors_at_once_one_acts_and_the_other_is_told(path: Path) -> None:
    async with scene(path, Clock()) as at:
        await at.tell(an_alert())
        answers = await asyncio.gather(
            at.chair.act("Ada", "T1-1", Upheld(), 0),
            at.chair.act("Bo", "T1-1", Dismissed(), 0),
            at.chair.act("Cy", "T1-1", Remarked(), 0, "I saw it."),
        )
        assert [type(one) for one in answers] == [Done, ActConflict, Done]
        assert isinstance(answers[1], ActConflict)
        assert answers[1].text == "Meanwhile Ada upheld it."
        late = await at.chair.act("Bo", "T1-1", Dismissed(), 0)
        assert isinstance(late, ActConflict)
        assert late.text == "Meanwhile Ada upheld it."
    assert len(acts(path)) == 2


async def test_what_cannot_be_is_refused_in_a_sentence(path: Path) -> None:
    async with scene(path, Clock()) as at:
        await at.tell(an_alert())
        refusals = [
            await at.chair.act("Ada", "T1-9", Upheld(), 0),
            await at.chair.act("Ada", "T1-1", Remarked(), 0),
            await at.chair.act("Ada", "T1-1", Upheld(), 0, "x" * 401),
            await at.chair.act("", "T1-1", Upheld(), 0),
            await at.chair.say("Ada", "T9", Input(input=InputName.NEW_HAND)),
            await at.chair.say("Ada", "T1", Input(input=InputName.NAMED)),
            await at.chair.say("Ada", "T1", Input(input=InputName.SEATS_SWAPPED, other="east"), Seat.EAST),
            await at.chair.clock("Ada", RoundPaused(), 0),
            await at.chair.clock("Ada", RoundExtended(60.0), 0, table="T9"),
            await at.chair.clock("Ada", RoundPaused(), 0, table="T1"),
        ]
        for one in refusals:
            assert isinstance(one, Refused), one
            assert one.text.endswith(".")
        assert isinstance(await at.chair.act("Ada", "T1-1", Upheld(), 0), Done)  # nothing is held by what was refused
        assert isinstance(await at.chair.clock("Ada", RoundStarted(1, 3000.0, 4), 0), Done)


async def test_a_ruling_reaches_its_table_as_long_as_its_hand_is_on(path: Path) -> None:
    clock = Clock()
    async with scene(path, clock) as at:
        await at.tell(NewHand(at=5.0), an_alert(), an_alert("T1-2"))
        done = await at.chair.act("Ada", "T1-1", DeclaredDead(Seat.WEST, Declarer.EAST), 0)
        assert done == Done(4, "T1 takes West's hand for dead.")
        assert inputs(clock) == [("rackwatch/v1/T1/west/input", Input(input=InputName.DEAD, by="east"))]
        undone = await at.chair.act("Ada", "T1-1", Undone(4), 1)
        assert isinstance(undone, Done)
        assert "no input brings a hand back: T1 goes on taking West's hand for dead" in undone.text
        again = await at.chair.act("Ada", "T1-1", Undone(undone.record), 2)
        assert isinstance(again, Done)
        assert again.text == "The ruling counts again; T1 is told nothing anew."
        await at.chair.act("Ada", "T1-2", AllThrownIn(), 0)
        assert inputs(clock)[1:] == [("rackwatch/v1/T1/table/input", Input(input=InputName.THROW_IN))]
        await at.tell(HandEnded(at=120.0), an_alert("T1-3"))
        late = await at.chair.act("Ada", "T1-3", DeclaredDead(Seat.WEST), 0)
        assert isinstance(late, Done)
        assert late.text == "T1 is not told: that hand is over."
        assert len(clock.sent) == 2


async def test_a_referee_s_word_goes_to_the_table_and_the_log_says_whose_it_was(path: Path) -> None:
    clock = Clock()
    async with scene(path, clock) as at:
        await at.chair.say("Ada", "T2", Input(input=InputName.DEAD), Seat.SOUTH, "nineteen tiles")
        await at.chair.say("Ada", "T2", Input(input=InputName.HAND_ENDED, how="wall"))
    assert inputs(clock) == [
        ("rackwatch/v1/T2/south/input", Input(input=InputName.DEAD, by="director")),
        ("rackwatch/v1/T2/table/input", Input(input=InputName.HAND_ENDED, how="wall")),
    ]
    assert [(type(note), note.author, note.reason) for note in acts(path)] == [
        (Said, "Ada", "nineteen tiles"), (Said, "Ada", "Hand over: wall game"),
    ]  # fmt: skip


async def test_time_that_is_ruled_is_on_the_clock_and_taken_off_with_the_ruling(path: Path) -> None:
    clock = Clock()
    async with scene(path, clock) as at:
        await at.tell(an_alert())
        done = await at.chair.act("Ada", "T1-1", TimeAdded(60.0), 0)
        assert isinstance(done, Done)
        assert done.text == "The clock stays as it is: the round is over, or none was begun."
        await at.chair.clock("Ada", RoundStarted(1, 3000.0, 4), 0)
        more = await at.chair.act("Ada", "T1-1", TimeAdded(300.0), 1)
        assert isinstance(more, Done)
        assert more.text == "T1 has 5 min more in this round."
        now_s = 1e9 + 100.0
        assert (at.chair.round.remaining_s("T1", now_s), at.chair.round.remaining_s("T2", now_s)) == (3300.0, 3000.0)
        assert at.changes[-1].clock
        back = await at.chair.act("Bo", "T1-1", Undone(more.record), 2)
        assert isinstance(back, Done)
        assert back.text == "T1 no longer has 5 min more in this round."
        assert at.chair.round.remaining_s("T1", now_s) == 3000.0
        first = await at.chair.act("Bo", "T1-1", Undone(done.record), 3)  # of before the round: nothing to take off
        assert isinstance(first, Done)
        assert first.text.startswith("The clock stays")
        await at.chair.clock("Ada", RoundEnded(), at.chair.round.version)
        assert at.chair.round.running is Running.ENDED


async def test_two_hands_on_the_clock_are_one(path: Path) -> None:
    async with scene(path, Clock()) as at:
        await at.chair.clock("Ada", RoundStarted(1, 3000.0, 4), 0)
        answers = await asyncio.gather(
            at.chair.clock("Ada", RoundExtended(300.0), 1, table="T1"),
            at.chair.clock("Bo", RoundExtended(300.0), 1, table="T1"),
        )
        assert [type(one) for one in answers] == [Done, ClockConflict]
        assert isinstance(answers[1], ClockConflict)
        assert answers[1].text == "Meanwhile Ada added 5 min for T1."
        assert isinstance(await at.chair.clock("Bo", RoundPaused(), 1), ClockConflict)


async def test_a_console_that_fails_and_one_that_goes_away_stop_nothing(path: Path) -> None:
    def broken(_: Changed) -> None:
        raise ZeroDivisionError

    async with scene(path, Clock()) as at:
        await at.tell(an_alert())
        at.chair.listen(broken)
        gone = asyncio.create_task(at.chair.act("Ada", "T1-1", Acknowledged(), 0))
        await asyncio.sleep(0)
        gone.cancel()
        held = await at.chair.act("Bo", "T1-1", Taken(), 0)
        assert isinstance(held, ActConflict)  # what she did is on its way to the disk
        await at.log.drain()
        assert isinstance(await at.chair.act("Bo", "T1-1", Taken(), 1), Done)


async def test_who_comes_while_the_disk_does_not_keep_up_is_told_to_wait(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scene(path, Clock()) as at:
        await at.tell(an_alert())
        monkeypatch.setattr("monitor.chair.WAITING_MOST", 0)
        told = await at.chair.act("Ada", "T1-1", Upheld(), 0)
        assert isinstance(told, Refused)
        assert "does not keep up" in told.text
        monkeypatch.undo()
        assert isinstance(await at.chair.act("Ada", "T1-1", Upheld(), 0), Done)


async def test_counts_that_are_switched_off_are_no_case(path: Path) -> None:
    async with scene(path, Clock()) as at:
        await at.tell(an_alert("T2-1", Rule.WRONG_COUNT, table="T2"), table="T2")
        assert at.chair.docket.cases() == []
        assert at.changes == []
    async with scene(path, Clock()) as at:
        assert at.chair.docket.cases() == []


async def test_a_restart_loses_no_case_and_no_round(path: Path) -> None:
    """The machine itself starts anew: its monotonic clock begins again, and the time of day goes on."""
    clock = Clock()
    async with scene(path, clock) as at:
        await at.tell(NewHand(at=5.0), an_alert(), an_alert("T1-2", level=Level.NOTICE))
        await at.tell(an_alert("T1-3", state=AlertState.RAISED), an_alert("T1-4", Rule.WINDOW_CLOSED))
        await at.chair.act("Ada", "T1-1", Taken(), 0)
        await at.chair.act("Ada", "T1-3", Upheld(), 0, "clear")
        clock.now_s = 200.0
        await at.chair.clock("Ada", RoundStarted(1, 3000.0, 4), 0)
        before = {case.alert.id: case for case in at.chair.docket.cases()}
    again = Clock(now_s=7.0, ahead_s=1e9 + 500.0 - 7.0)
    async with scene(path, again) as at:
        kept = {case.alert.id: case for case in at.chair.docket.cases()}
        assert kept == {id_: msgspec.structs.replace(case, earlier=True) for id_, case in before.items()}
        assert at.chair.round.remaining_s("T1", 1e9 + 500.0) == 3000.0 - 300.0
        assert at.chair.round.gap is not None
        assert (at.chair.round.gap.since_utc_s, at.chair.round.gap.until_utc_s) == (1e9 + 200.0, 1e9 + 500.0)
        assert isinstance(await at.chair.act("Bo", "T1-1", DeclaredDead(Seat.EAST), 1), Done)
        assert len(again.sent) == 1  # the hand goes on
    async with scene(path, Clock(now_s=9.0, ahead_s=1e9 + 2 * 86_400.0)) as at:
        assert at.chair.docket.cases() == []
        assert at.chair.round.running is Running.NONE


async def test_what_cannot_be_read_costs_what_was_before_and_not_the_start(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scene(path, Clock()) as at:
        await at.tell(an_alert())
    database = sqlite3.connect(path)
    database.execute("DROP TRIGGER records_update")
    database.execute("UPDATE records SET payload = X'7B7D' WHERE stream = 'alert'")
    database.commit()
    database.close()
    found = resumed(log_place(path), 1, AUDIENCES, 1e9)
    assert found.docket.cases() == []
    assert found.trouble.startswith("Cases of earlier starts could not be read: ")


async def test_the_daemon_has_a_chair(tmp_path: Path) -> None:
    async with running(tmp_path) as run:
        run.say("T1")
        await run.until_told(1)
        chair = run.daemon.chair
        assert chair is not None
        done = await chair.say("Ada", "T1", Input(input=InputName.DEAD, by="east"), Seat.WEST)
        assert isinstance(done, Done)
        await run.until_told(2)
        assert isinstance(await chair.clock("Ada", RoundStarted(1, 3000.0, 4), 0), Done)
    kinds = [row.kind for row in read_log(tmp_path / "log.sqlite")]
    assert kinds == ["new_hand", "said", "dead", "clocked"]


async def test_the_log_read_again_is_what_was_folded_live(path: Path) -> None:
    async with scene(path, Clock()) as at:
        await at.tell(NewHand(at=5.0), an_alert(), an_alert("T1-2"))
        for version, did in enumerate((Taken(), Upheld(), Undone(5), Dismissed())):
            assert isinstance(await at.chair.act("Ada", "T1-1", did, version), Done)
        live = at.chair.docket
    live.restarted()
    assert resumed(log_place(path), 1, AUDIENCES, 1e9 + 101.0).docket.cases() == live.cases()
