"""How many small changes to the rules core its tests notice: mutmut, over a copy of what it needs.

Run by `make mutants`, with the Python that mutmut is installed in. Hypothesis' properties are left out: they take long
and would notice more, so the share told is a lower bound.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
COPY = ROOT / "build" / "mutants"
NEEDED = ("bench", "config", "docs", "monitor", "tests/monitor/rules", "tests/__init__.py")
LEFT_OUT = {"test_properties.py", "test_articles.py"}
CORES = 2


def main() -> None:
    """Copy, mutate, test, and print the share of changes that some test noticed, then those that none did."""
    shutil.rmtree(COPY, ignore_errors=True)
    for name in NEEDED:
        source, copy = ROOT / name, COPY / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy)
    tests = sorted(
        str(path.relative_to(COPY))
        for path in (COPY / "tests/monitor/rules").glob("test_*.py")
        if path.name not in LEFT_OUT
    )
    (COPY / "pyproject.toml").write_text(
        "[tool.mutmut]\n"
        'source_paths = ["monitor/rules"]\n'
        'also_copy = ["monitor", "config", "docs", "tests", "bench"]\n'
        f"pytest_add_cli_args_test_selection = {json.dumps(tests)}\n"
    )
    mutmut = str(Path(sys.executable).with_name("mutmut"))
    subprocess.run([mutmut, "run", "--max-children", str(CORES)], cwd=COPY, check=False)
    subprocess.run([mutmut, "export-cicd-stats"], cwd=COPY, check=True, stdout=subprocess.DEVNULL)
    stats = json.loads((COPY / "mutants" / "mutmut-cicd-stats.json").read_text())
    noticed = stats["killed"] + stats["timeout"]
    print(f"\n{noticed} of {stats['total']} changes noticed ({noticed / stats['total']:.1%}); not noticed:")
    results = subprocess.run([mutmut, "results"], cwd=COPY, check=True, capture_output=True, text=True)
    print(results.stdout)


if __name__ == "__main__":
    main()
