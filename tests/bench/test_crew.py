"""The whole command, with worker processes: it plays, writes its results and page, and goes on where it was."""

import subprocess
import sys
from pathlib import Path

from bench.accuracy.results import read

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "bench.accuracy", "--hands", "2", "--families", "legal", "--tiers", "weight10"]


def run(folder: Path) -> str:
    done = subprocess.run(
        [*COMMAND, "--seed", "501", "--out", str(folder)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout + done.stderr


def test_two_hands_in_two_processes(tmp_path: Path) -> None:
    first = run(tmp_path)
    assert "2/2 evenings" in first
    outcomes = read(tmp_path / "results.jsonl").by_key
    assert set(outcomes) == {"legal/weight10/501", "legal/weight10/502"}
    assert all(outcome.ours is not None and outcome.naive is not None for outcome in outcomes.values())
    assert (tmp_path / "index.html").stat().st_size > 5_000
    again = run(tmp_path)
    assert "evenings," not in again.splitlines()[0], "nothing was left to play"
