"""A monitor killed at any moment: what was told is in the log, the chain holds, and the next start goes on.

Set `RACKWATCH_KILLS=1000` for the long run; a few are enough to notice a mistake.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

from monitor.log.part import Part
from monitor.log.reader import open_log
from monitor.log.verifying import verify

KILLS = int(os.environ.get("RACKWATCH_KILLS", "6"))
VERIFY_EVERY = 25

PROGRAM = """
import asyncio, sys
from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.events import Discarded, HandEnded, HandStarted, PlayStarted, Seat
from monitor.log.store import EventLog

def alert(table, seq):
    return Alert(id=f"{table}-{seq}", rule=Rule.WRONG_COUNT, at=1.0, raised_at=1.0, article="205", table=table, seq=seq,
        authority=Authority.LEAGUE, level=Level.RULING_DUE, message="South has 14 tiles.", state=AlertState.RAISED)

def tell(group):
    sys.stdout.write("".join(f"{one.seq} {one.table or '-'} {one.hand}\\n" for one in group))
    sys.stdout.flush()

async def play(log, table, first):
    seq = first
    while True:
        hand = [HandStarted, PlayStarted] + [Discarded] * 5 + [HandEnded]
        for kind in hand:
            seq += 1
            more = {"uid": f"E{seq}", "face": "joker", "seat": Seat.EAST} if kind is Discarded else {}
            await log.append(table, [kind(at=float(seq), seq=seq, table=table, **more), alert(table, seq)])
            await asyncio.sleep(0.0005)

async def main():
    log = await EventLog.open(sys.argv[1], "test")
    writer = asyncio.create_task(log.run(tell))
    sys.stdout.write("open\\n")
    sys.stdout.flush()
    await asyncio.gather(writer, *(play(log, f"T{n}", 0) for n in range(4)))

asyncio.run(main())
"""


def killed(path: Path, after_s: float) -> list[tuple[int, str, int]]:
    """What a monitor told that was killed so long after it had opened the log."""
    child = subprocess.Popen([sys.executable, "-c", PROGRAM, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "open\n"
    timer = subprocess.Popen(["sleep", f"{after_s:.4f}"])
    lines: list[str] = []
    os.set_blocking(child.stdout.fileno(), False)
    timer.wait()
    child.send_signal(signal.SIGKILL)
    child.wait()
    os.set_blocking(child.stdout.fileno(), True)
    lines = child.stdout.read().splitlines(keepends=True)
    child.stdout.close()
    told = [line.split() for line in lines if line.endswith("\n")]
    return [(int(seq), table, int(hand)) for seq, table, hand in told]


def test_what_was_told_survives_a_kill_at_any_moment(tmp_path: Path) -> None:
    path, rng = tmp_path / "log.sqlite", Random(11)
    last = 0
    for kill in range(1, KILLS + 1):
        told = killed(path, rng.uniform(0.0, 0.08))
        with open_log(path) as log:
            stored = {each.seq: (each.table or "-", each.hand) for each in log.records(Part(after=last))}
            assert {seq: (table, hand) for seq, table, hand in told}.items() <= stored.items()
            assert sorted(stored) == list(range(last + 1, last + 1 + len(stored)))
            if kill % VERIFY_EVERY == 0 or kill == KILLS:
                assert verify(log).flaw is None
            assert len(log.runs()) == kill
        last = max(stored, default=last)
    assert last > 0
