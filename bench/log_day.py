"""A tournament day in one log: size, and time and memory to open, verify and export it. `python -m bench.log_day`.

Not part of `make bench`: it writes some gigabytes' worth of records first (`--tables 100 --hours 10`), which takes
minutes; `--write` and later `--log` keep a log for several measurements, `--only session` makes one of them. Hands are
simulated ones, told over and over with other numbers and times. Each step runs in a process of its own, so that its
memory is its own; behind it stands that of the largest process it started, which is told as no less than its
parent held just then.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter

from msgspec.structs import replace

from bench.accuracy.watching import watch
from hw.simulator.options import Options, RuleFault, Tier
from monitor.alerts import Alert
from monitor.events import Event
from monitor.log.store import EventLog

_LONGEST_HAND_S = 12 * 60.0


def _command(words: str) -> str:
    return f"from monitor.cli import main; sys.argv = ['', {words}]; main()"


_PROGRAMS = {
    "open": "import monitor.log\nwith monitor.log.open(log) as o: print(len(o.hands()), 'hands')",
    "verify": _command("'verify', log"),
    "jsonl": _command("'export', log, '--format', 'jsonl', '--out', '{out}/day.jsonl'"),
    "csv": _command("'export', log, '--format', 'csv', '--out', '{out}/day.csv'"),
    "xlsx": _command("'export', log, '--format', 'xlsx', '--out', '{out}/day.xlsx'"),
    "pdf of T1": _command("'export', log, '--format', 'pdf', '--out', '{out}/t.pdf', '--table', 'T1'"),
    "session": _command("'report', 'session', log, '--out', '{out}/session.pdf'"),
}
_STEPS = tuple(_PROGRAMS)


def main() -> None:
    """Write a day, then measure what a director does with it."""
    parser = argparse.ArgumentParser(description="A tournament day in one log, and what is done with it.")
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--hours", type=float, default=10.0)
    parser.add_argument("--write", type=Path, help="only write the log, here")
    parser.add_argument("--log", type=Path, help="a log that was written so, instead of a new one")
    parser.add_argument("--only", action="append", choices=_STEPS, help="this step; may be given again")
    wanted = parser.parse_args()
    if wanted.write is not None:
        asyncio.run(_write(wanted.write, wanted.tables, wanted.hours))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = wanted.log or Path(folder) / "day.sqlite"
        if wanted.log is None:
            words = ["--write", str(path), "--tables", str(wanted.tables), "--hours", str(wanted.hours)]
            subprocess.run([sys.executable, "-m", "bench.log_day", *words], check=True)
        for name in wanted.only or _STEPS:
            _step(name, path, _PROGRAMS[name].format(out=folder))


async def _write(path: Path, tables: int, hours: float) -> None:
    hands = [_hand(seed) for seed in range(3)]
    log = await EventLog.open(path, "bench")
    writer = asyncio.create_task(log.run(lambda _group: None))
    written, began = 0, perf_counter()
    for n in range(int(hours * 3600 / _LONGEST_HAND_S)):
        for table in range(1, tables + 1):
            batch = list(_told(hands[(n + table) % len(hands)], f"T{table}", n))
            await log.append(f"T{table}", batch)
            written += len(batch)
    await log.drain()
    spent = perf_counter() - began
    writer.cancel()
    await log.close()
    size = sum(each.stat().st_size for each in path.parent.glob("day.sqlite*"))
    print(
        f"{'write':<10}{spent:8.1f} s  {written:,} records, {size / 1e6:,.0f} MB, {size / written:.0f} bytes a record"
    )


def _hand(seed: int) -> Sequence[Event | Alert]:
    fault = (None, RuleFault.LATE_CALL, RuleFault.NO_PICK)[seed]
    options = Options(seed=seed, tier=Tier.HYBRID, rule_fault=fault, discards=60)
    return list(watch(options).records)


def _told(hand: Sequence[Event | Alert], table: str, n: int) -> Iterator[Event | Alert]:
    """The hand again, later, at another table."""
    shift_s, shift = n * _LONGEST_HAND_S, n * 10_000
    for record in hand:
        moved = {"at": record.at + shift_s, "seq": record.seq + shift, "table": table}
        if isinstance(record, Alert):
            yield replace(record, **moved, raised_at=record.raised_at + shift_s, id=f"{table}-{n}-{record.id}")
        else:
            seen = None if record.seen_at is None else record.seen_at + shift_s
            yield replace(record, **moved, seen_at=seen, earliest=None, latest=None)


def _step(name: str, path: Path, program: str) -> None:
    text = f"import sys, resource\nlog = {str(path)!r}\n"
    text += f"try:\n{_indented(program)}\nexcept SystemExit: pass\n"
    text += (
        "own, below = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))\n"
    )
    text += "print(own, below, file=sys.stderr)"
    began = perf_counter()
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    spent = perf_counter() - began
    own_mb, below_mb = (int(peak_kb) / 1024 for peak_kb in done.stderr.split()[-2:])
    said = (done.stdout.strip() or done.stderr.strip()).splitlines()
    print(
        f"{name:<10}{spent:8.1f} s  {own_mb:6.0f} + {below_mb:3.0f} MB peak  {said[0][:110] if said else ''}",
        flush=True,
    )


def _indented(program: str) -> str:
    return "\n".join(f"    {line}" for line in program.splitlines())


if __name__ == "__main__":
    main()
