"""The log's door: whatever is taken can be read back as it went in, and what cannot costs nothing but itself."""

import asyncio
import math
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.alerts import Alert, AlertState, Authority, Fact, Level, Rule, What
from monitor.errors import LogError
from monitor.events import CountChanged, Discarded, Event, HandStarted, Seat, without_identities
from monitor.log.amending import write_notes
from monitor.log.notes import Amended
from monitor.log.payloads import Record, refusal
from monitor.log.place import log_place
from monitor.log.reader import open_log
from monitor.log.store import EventLog
from monitor.log.verifying import verify

FLOATS = st.floats() | st.sampled_from((math.nan, math.inf, -math.inf, 1e11, -1e300, 1e10, -0.0))
MAYBE = st.none() | FLOATS
NUMBERS = st.integers(-(1 << 65), 1 << 65) | st.integers(0, 152)
TEXTS = st.text(max_size=20) | st.sampled_from(("\ud800", "\0", "\u2028", '"', "🀄", "é" * 300))


def alert(
    at: float, raised_at: float, seq: int, message: str, confidence: float | None = None, facts: tuple[Fact, ...] = ()
) -> Alert:
    return Alert(
        id=f"T1-{message}",
        rule=Rule.WRONG_COUNT,
        at=at,
        raised_at=raised_at,
        article="205",
        authority=Authority.LEAGUE,
        level=Level.RULING_DUE,
        message=message,
        state=AlertState.RAISED,
        seq=seq,
        table="T1",
        confidence=confidence,
        facts=facts,
    )


FACTS = st.builds(Fact, st.sampled_from(What), FLOATS, FLOATS, FLOATS, NUMBERS, by=st.none() | TEXTS, confidence=MAYBE)
EVENTS = st.one_of(
    st.builds(HandStarted, at=FLOATS, seq=NUMBERS, earliest=MAYBE, latest=MAYBE, table=TEXTS),
    st.builds(CountChanged, at=FLOATS, seq=NUMBERS, count=st.none() | NUMBERS, reason=st.none() | TEXTS),
    st.builds(Discarded, at=FLOATS, seen_at=MAYBE, confidence=MAYBE, uid=st.none() | TEXTS, face=st.none() | TEXTS),
)
ALERTS = st.builds(alert, FLOATS, FLOATS, NUMBERS, TEXTS, MAYBE, st.lists(FACTS, max_size=2).map(tuple))
RECORDS = st.lists(EVENTS | ALERTS, min_size=1, max_size=8)


async def written(path: Path, batch: Sequence[Record]) -> EventLog:
    log = await EventLog.open(path, "test")
    task = asyncio.create_task(log.run(lambda _group: None))
    await log.append("T1", batch)
    await asyncio.wait({task, drained := asyncio.create_task(log.drain())}, return_when=asyncio.FIRST_COMPLETED)
    assert drained.done(), "the writer goes on whatever comes"
    task.cancel()
    await log.close()
    return log


def in_the_open(record: Record) -> Record:
    return record if isinstance(record, Alert) else without_identities(record)  # type: ignore[arg-type]


@given(batch=RECORDS)
@settings(max_examples=100, deadline=None)
def test_whatever_is_appended_can_be_read_back(batch: list[Event | Alert]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.sqlite"
        log = asyncio.run(written(path, batch))
        taken = [record for record in batch if not refusal(record)]
        with open_log(path) as opened:
            assert [each.record for each in opened.told()] == [in_the_open(record) for record in taken]
            assert verify(opened).flaw is None
        assert log.refused == len(batch) - len(taken)


GOOD: list[Event] = [HandStarted(at=1.0, seq=1, table="T1"), CountChanged(at=2.0, seq=2, count=13, seat=Seat.EAST)]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (CountChanged(at=math.nan, seq=3, count=13), "at: "),
        (CountChanged(at=math.inf, seq=3, count=13), "at: "),
        (CountChanged(at=2e10, seq=3, count=13), "at: must be a number from -10,000,000,000 to 10,000,000,000"),
        (CountChanged(at=1.0, earliest=math.nan, count=13), "earliest: would not be read back as it is"),
        (CountChanged(at=1.0, seq=3, count=153), "count: "),
        (CountChanged(at=1.0, seq=1 << 70, count=13), "seq: must be a whole number"),
        (Discarded(at=1.0, uid="\ud800"), "surrogates"),
        (alert(math.nan, 1.0, 1, "x"), "at: "),
        (alert(1.0, 1.0, 1 << 63, "x"), "seq: "),
        (alert(1.0, 1e300, 1, "x"), "raised_at: "),
        (alert(1.0, 1.0, 1, "x", facts=(Fact(What.RACKED, 1.0, -math.inf, 2.0),)), "facts[1].earliest: "),
    ],
)
async def test_a_record_that_nobody_could_read_is_refused_and_the_rest_is_kept(
    tmp_path: Path, wrong: Event | Alert, why: str
) -> None:
    log = await written(tmp_path / "log.sqlite", [GOOD[0], wrong, GOOD[1], wrong])
    assert log.refused == 2
    assert log.last_refusal.startswith(f"T1: {type(wrong).__name__}: ")
    assert why in log.last_refusal
    with open_log(tmp_path / "log.sqlite") as opened:
        assert [each.record for each in opened.records()] == GOOD


async def test_a_note_that_nobody_could_read_is_told_to_whoever_wrote_it(tmp_path: Path) -> None:
    await written(tmp_path / "log.sqlite", GOOD)
    note = Amended(author="Ada", reason="x", event=CountChanged(at=math.nan, count=13), hand=1, table="T1")
    with pytest.raises(LogError, match=r"could not be read back \(.*\): nothing was written"):
        await write_notes(log_place(tmp_path / "log.sqlite"), "test", [note])
