"""`python -m bench.accuracy`: play, score, show. Stop it at any time (Ctrl-C, SIGTERM); the same command goes on."""

import argparse
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter

from msgspec import MsgspecError

from bench.accuracy import page, table
from bench.accuracy.compare import differences
from bench.accuracy.crew import played
from bench.accuracy.results import Results, Run, fingerprint, read
from bench.accuracy.scenarios import FIRST_SEED, Family, Wanted, scenarios
from bench.accuracy.watching import Outcome
from hw.simulator.options import Tier

OUT = Path("build/accuracy")
RESULTS = "results.jsonl"
PAGE = "index.html"


def _arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.accuracy", description=__doc__)
    parser.add_argument("--hands", type=int, default=4, help="lawful hands a tier (default 4; a long run: 1000)")
    parser.add_argument("--rounds", type=int, default=1, help="rounds through the list of every other family")
    parser.add_argument("--tiers", default=",".join(Tier), help="some of: %(default)s")
    parser.add_argument("--families", default=",".join(Family), help="some of: %(default)s")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="first seed (default %(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--out", type=Path, default=OUT, help="folder of results and page (default %(default)s)")
    parser.add_argument("--anew", action="store_true", help="do not go on with the results that are there")
    parser.add_argument("--compare", type=Path, help="print the differences to another run's results.jsonl")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Run; 0 done, 2 unusable arguments or files."""
    asked = _arguments(argv)
    try:
        wanted = Wanted(
            hands=asked.hands,
            rounds=asked.rounds,
            tiers=tuple(Tier(name) for name in asked.tiers.split(",")),
            families=tuple(Family(name) for name in asked.families.split(",")),
            first_seed=asked.seed,
        )
        every = list(scenarios(wanted))
        other = read(asked.compare) if asked.compare else None
        code = fingerprint()
        results = Results(asked.out / RESULTS, code, anew=asked.anew)
    except (ValueError, OSError, MsgspecError) as problem:
        print(f"bench.accuracy: {problem}", file=sys.stderr)
        return 2
    if results.kept is not None:
        print(f"other code made the results that were here; they are kept as {results.kept}", file=sys.stderr)
    left = [one for one in every if one.key not in results.outcomes]
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for done in _shown(played(left, asked.processes), len(left)):
            results.add(done)
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here", file=sys.stderr)
    finally:
        results.close()
    outcomes = [results.outcomes[one.key] for one in every if one.key in results.outcomes]
    for line in table.lines(outcomes):
        print(line)
    page.write(asked.out / PAGE, outcomes, code)
    print(f"\n{asked.out / PAGE}")
    if other is not None:
        print("\ncompared with", asked.compare)
        for line in differences(other, Run(code, tuple(outcomes))):
            print(line)
    return 0


def _shown(outcomes: Iterator[Outcome], n: int) -> Iterator[Outcome]:
    """The same, with a line of progress on the error stream."""
    began, off = perf_counter(), 0
    for k, one in enumerate(outcomes, 1):
        off += bool(one.off)
        spent_s = perf_counter() - began
        left_s = spent_s / k * (n - k)
        ends = "\n" if not sys.stderr.isatty() and (k % 20 == 0 or k == n) else "\r" if sys.stderr.isatty() else ""
        if ends:
            words = f"{k}/{n} evenings, {off} with a wrong ruling, {spent_s / 60:.1f} min, {left_s / 60:.1f} left"
            print(f"{words:<78}", end=ends, file=sys.stderr, flush=True)
        yield one
    if n and sys.stderr.isatty():
        print(file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
