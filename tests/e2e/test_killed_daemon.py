"""The monitor killed at any moment while tables play: what was told is in its log, the next start tells no lies.

Set `RACKWATCH_KILLS=1000` for the long run; a few are enough to notice a mistake.
"""

import asyncio
import os
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import msgspec
import pytest

from hw.simulator.truth import Truth
from monitor.alerts import Alert, AlertState, Level
from monitor.events import Corrected, Discarded, Event, Racked, without_identities
from monitor.log.part import Part
from monitor.log.reader import open_log
from monitor.log.schema import Stream
from monitor.log.verifying import verify
from tests.broker import Mosquitto
from tests.e2e.listener import Heard, listening

pytestmark = pytest.mark.broker

KILLS = int(os.environ.get("RACKWATCH_KILLS", "5"))
SEED = int(os.environ.get("RACKWATCH_KILLS_SEED", "17"))
TABLES = 4
HANDS = 2
SPEED = 4.0
VERIFY_EVERY = 25
NEAR_S = 2.0
"""How near, in seconds of the hand, something that was told lies to what happened, the two programs' start in it."""

Told = tuple[str, Stream, int]
"""Table, stream and number of a record: by these three it is known wherever it is told."""


class House:
    """The settings of the monitor that is killed, and every life that it had."""

    def __init__(self, folder: Path, broker: Mosquitto) -> None:
        self.folder = folder
        self.log = folder / "log.sqlite"
        self.lives = 0
        self._settings = folder / "house.toml"
        tables = [f'[[tables]]\nname = "T{number}"\nsetup = "T{number}.json"\n' for number in range(1, TABLES + 1)]
        lines = [
            f'[[serial]]\ntable = "T{number}"\nplace = "{place}"\nport = "ports/t{number}-{place}"\n'
            for number in range(2, TABLES + 1, 2)
            for place in ("east", "south", "west", "north", "floor")
        ]
        self._settings.write_text(
            "".join(tables + lines)
            + f'[mqtt]\nhost = "{broker.host}"\nport = {broker.port}\n[log]\npath = "log.sqlite"\n'
            + '[web]\nport = 0\n[recording]\nfolder = "recordings"\nfile_mb = 8\ntotal_mb = 200\n'
            + '[lines]\nevents = "events.jsonl"\nalerts = "alerts.jsonl"\n'
        )

    async def life(self, began_s: float, seconds: float) -> None:
        """Start, watch for so long once everything is open, and be killed."""
        words = ("-m", "tests.e2e.fast_daemon", str(self._settings), str(SPEED), str(began_s))
        with (self.folder / "said").open("wb") as said:
            child = await asyncio.create_subprocess_exec(
                sys.executable, *words, stdout=asyncio.subprocess.PIPE, stderr=said
            )
        assert child.stdout is not None
        assert await child.stdout.readline() == b"ready\n", (self.folder / "said").read_text()
        await asyncio.sleep(seconds)
        child.kill()
        await child.wait()
        self.lives += 1

    def lines(self) -> dict[Told, set[bytes]]:
        """What was written as JSON lines, whole ones."""
        told: dict[Told, set[bytes]] = defaultdict(set)
        for name, stream in (("events", Stream.EVENT), ("alerts", Stream.ALERT)):
            for line in (self.folder / f"{name}.jsonl").read_bytes().splitlines(keepends=True):
                if line.endswith(b"\n"):
                    told[_named(stream, line)].add(line.strip())
        return told


@asynccontextmanager
async def playing(house: House, broker: Mosquitto, seeds: list[int]) -> AsyncIterator[tuple[float, asyncio.Task[int]]]:
    """The tables play: when their evening began, on the machine's monotonic clock, and the task that ends with it."""
    words = ("-m", "tests.e2e.fast_hall", str(house.folder), str(SPEED), str(HANDS), str(broker.port))
    hall = await asyncio.create_subprocess_exec(
        sys.executable, *words, *map(str, seeds), stdout=asyncio.subprocess.PIPE
    )
    assert hall.stdout is not None
    over = asyncio.create_task(hall.wait())
    try:
        yield float(await hall.stdout.readline()), over
    finally:
        if hall.returncode is None:
            hall.kill()
        await over


def _named(stream: Stream, payload: bytes) -> Told:
    record = msgspec.json.decode(payload)
    return (record["table"], stream, record["seq"])


def published(heard: Heard) -> dict[Told, set[bytes]]:
    """What came to the director over the broker."""
    told: dict[Told, set[bytes]] = defaultdict(set)
    for topic, payload in heard.messages:
        told[_named(Stream.ALERT if topic.endswith("/alerts") else Stream.EVENT, payload)].add(payload)
    return told


def stored(log: Path) -> dict[Told, bytes]:
    """What the log holds, as the director is told it."""
    kept = {}
    with open_log(log) as opened:
        for row in opened.told():
            record = row.record if isinstance(row.record, Alert) else without_identities(row.record)
            stream = Stream.ALERT if isinstance(row.record, Alert) else Stream.EVENT
            kept[row.table, stream, row.record.seq or 0] = msgspec.json.encode(record)
    return kept


class Judged(msgspec.Struct):
    """What lives that were cut short told of rackings and discards: how many, and how many of them happened."""

    told: int = 0
    true: int = 0
    happened: int = 0
    wrong: list[str] = []


def judge(log: Path, after: int, began_s: float, judged: Judged) -> None:
    """Lay what the log was told of one evening, after a record, beside what happened."""
    standing: dict[str, dict[int, Event]] = defaultdict(dict)
    with open_log(log) as opened:
        for row in opened.told(Part(after=after)):
            event = row.record
            if isinstance(event, Corrected):
                standing[row.table].pop(event.replaces, None)
            elif isinstance(event, Racked | Discarded):
                standing[row.table][event.seq] = event
    for number in range(1, TABLES + 1):
        truth = msgspec.json.decode((log.parent / f"T{number}.truth.json").read_bytes(), type=Truth)
        for kind, name in ((Racked, "racked"), (Discarded, "discarded")):
            times = [(one.at, one.seat) for one in truth.events if one.kind == name]
            judged.happened += len(times)
            for event in standing[f"T{number}"].values():
                if isinstance(event, kind):
                    at = event.at - began_s
                    near = [one for one in times if str(one[1]) == str(event.seat) and abs(one[0] - at) < NEAR_S]
                    judged.told += 1
                    if near:
                        judged.true += 1
                        times.remove(min(near, key=lambda one: abs(one[0] - at)))
                    else:
                        judged.wrong.append(f"{event.table} {event.seq} {name} {event.seat} {at:.1f} s")


def life_s(rng: Random) -> float:
    """How long it lives: most are short, some long enough for a whole Charleston or a dozen turns."""
    return rng.uniform(5.0, 20.0) if rng.random() < 0.06 else rng.uniform(0.0, 2.5)


async def test_a_monitor_killed_at_any_moment_loses_nothing_it_told_and_accuses_nobody(tmp_path: Path) -> None:
    rng, judged, last, verified = Random(SEED), Judged(), 0, 0
    with Mosquitto(tmp_path) as broker:
        async with listening(broker, "rackwatch/v1/+/director/+") as heard:
            house = House(tmp_path, broker)
            while house.lives < KILLS:
                seeds = [rng.randrange(10**6) for _ in range(TABLES)]
                async with playing(house, broker, seeds) as (began_s, over):
                    while house.lives < KILLS and not over.done():
                        await house.life(began_s, life_s(rng))
                        if house.lives - verified >= VERIFY_EVERY:
                            with open_log(house.log) as log:
                                assert verify(log).flaw is None
                            verified = house.lives
                judge(house.log, last, began_s, judged)
                with open_log(house.log) as log:
                    last = max((row.seq for row in log.records(Part(after=last))), default=last)
            async with asyncio.timeout(60):
                while heard.came.is_set():
                    heard.came.clear()
                    await asyncio.sleep(1.0)
    kept = stored(house.log)
    for told in (house.lines(), published(heard)):
        assert {name for name, said in told.items() if said != {kept.get(name)}} == set()
    for number in range(1, TABLES + 1):
        for stream in (Stream.EVENT, Stream.ALERT):
            numbers = sorted(seq for table, of, seq in kept if (table, of) == (f"T{number}", stream))
            assert numbers == list(range(1, len(numbers) + 1))
    with open_log(house.log) as log:
        assert verify(log).flaw is None
        assert len(log.runs()) == house.lives
        accused = [
            row.record
            for row in log.told(Part(stream=Stream.ALERT))
            if isinstance(row.record, Alert)
            and row.record.state is AlertState.RAISED
            and row.record.level in {Level.ADVICE, Level.RULING_DUE}
        ]
    print(
        f"{house.lives} kills, {len(kept)} records, {len(published(heard))} published; of {judged.happened} rackings "
        f"and discards {judged.told} told, {judged.true} of them true; advice or rulings: {len(accused)}"
    )
    print(*judged.wrong, sep="\n")
    for alert in accused:
        print(alert.table, alert.at, alert.message)
    assert not [alert for alert in accused if alert.level is Level.RULING_DUE]
