"""How many small changes to the rules core its tests notice: mutmut, over a copy of what it needs.

Run by `make mutants`, with the Python that mutmut is installed in; `--sample N` tries so many changes drawn at random.
Hypothesis' properties are left out: they take long and would notice more, so the share told is a lower bound.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from math import sqrt
from pathlib import Path

ROOT = Path(__file__).parent.parent
COPY = ROOT / "build" / "mutants"
NEEDED = (
    *("bench", "config", "docs", "firmware_bridge", "hw", "monitor"),
    *("tests/__init__.py", "tests/monitor/rules", "tests/monitor/test_cli_judge.py"),
)
LEFT_OUT = {"test_properties.py", "test_articles.py"}
CORES = 2
MUTMUT = str(Path(sys.executable).with_name("mutmut"))


def main() -> None:
    """Copy, mutate, test, and print the share of changes that some test noticed, then those that none did."""
    wanted = argparse.ArgumentParser(description=__doc__)
    wanted.add_argument("--sample", type=int, default=0, help="try so many changes, drawn at random; 0: all")
    wanted.add_argument("--seed", type=int, default=1, help="of the drawing")
    options = wanted.parse_args()
    _copy()
    _mutmut("run", "monitor.rules.none*", check=False)  # makes the changes, and tries none of them
    names = sorted(_results())
    drawn = random.Random(options.seed).sample(names, min(options.sample or len(names), len(names)))
    subprocess.run([MUTMUT, "run", "--max-children", str(CORES), *drawn], cwd=COPY, check=False)
    ends = _results()
    for name in drawn:
        if ends[name] == "survived" and not _passes_every_test(name):
            ends[name] = "killed"
    counted = Counter(ends[name] for name in drawn)
    noticed = counted["killed"] + counted["timeout"]
    share = noticed / len(drawn)
    bound = 1.96 * sqrt(share * (1 - share) / len(drawn)) if len(drawn) < len(names) else 0.0
    print(f"\n{noticed} of {len(drawn)} changes noticed, of {len(names)} that there are: {share:.1%} ± {bound:.1%}")
    for name in sorted(drawn):
        if ends[name] not in ("killed", "timeout"):
            print(f"  {ends[name]}: {name}")


def _passes_every_test(name: str) -> bool:
    """Whether no test at all notices the change: mutmut tries only tests that it saw run through the changed function,
    and what a shared fixture computed for all of them it saw in the first alone."""
    tests = json.loads((COPY / "tests.json").read_text())
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(
        words, cwd=COPY / "mutants", env={**os.environ, "MUTANT_UNDER_TEST": name}, capture_output=True, check=False
    )
    return done.returncode == 0


def _copy() -> None:
    shutil.rmtree(COPY, ignore_errors=True)
    for name in NEEDED:
        source, copy = ROOT / name, COPY / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy)
    tests = sorted(str(path.relative_to(COPY)) for path in COPY.glob("tests/**/test_*.py") if path.name not in LEFT_OUT)
    (COPY / "tests.json").write_text(json.dumps(tests))
    (COPY / "pyproject.toml").write_text(
        "[tool.mutmut]\n"
        'source_paths = ["monitor/rules"]\n'
        'also_copy = ["monitor", "config", "docs", "tests", "bench", "hw", "firmware_bridge"]\n'
        f"pytest_add_cli_args_test_selection = {json.dumps(tests)}\n"
    )


def _results() -> dict[str, str]:
    """What became of every change, by its name."""
    lines = _mutmut("results", "--all", "true", check=True).splitlines()
    named = (line.strip().rpartition(": ") for line in lines if ": " in line)
    return {name: end for name, _, end in named}


def _mutmut(*words: str, check: bool) -> str:
    return subprocess.run([MUTMUT, *words], cwd=COPY, check=check, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
