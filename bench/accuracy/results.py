"""Outcomes on disk, one JSON line an evening, so that a run can be stopped, gone on with, and laid beside another.

Owns the file's form. Its first line tells which code made it: outcomes of different code are never mixed in one file.
"""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.accuracy.watching import Outcome

ROOT = Path(__file__).parents[2]
_MEASURED = ("firmware_bridge", "hw", "monitor", "bench/accuracy")
_FACES = frozenset(
    f"{name}.py" for name in ("__main__", "compare", "crew", "figures", "one", "page", "results", "svg", "table")
)
"""Modules of the benchmark that only show: they change no outcome."""


class Header(Struct, frozen=True):
    """The first line. `code`: a digest of all that makes an outcome."""

    code: str


class Run(Struct, frozen=True):
    """A file that was read."""

    code: str
    outcomes: tuple[Outcome, ...]

    @property
    def by_key(self) -> dict[str, Outcome]:
        """The outcomes by their names; of two with one name the later."""
        return {outcome.key: outcome for outcome in self.outcomes}


def fingerprint() -> str:
    """A digest of the code that makes outcomes: the product, the simulator and the scoring."""
    digest = sha256()
    for folder in _MEASURED:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if folder != "bench/accuracy" or path.name not in _FACES:
                digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def read(path: Path) -> Run:
    """Read a file. A last line that a stopped run left half written is left out; raises OSError, msgspec errors."""
    lines = path.read_bytes().split(b"\n")
    if not lines[0]:
        return Run("", ())
    whole = lines[1:-1]
    return Run(msgspec.json.decode(lines[0], type=Header).code, tuple(_outcomes(whole)))


def code_of(path: Path) -> str:
    """Which code made a file; nothing where there is none, or none that can be read."""
    if not path.exists():
        return ""
    with path.open("rb") as file:
        first = file.readline()
    return msgspec.json.decode(first, type=Header).code if first.strip() else ""


def _outcomes(lines: list[bytes]) -> Iterator[Outcome]:
    decoder = msgspec.json.Decoder(Outcome)
    for line in lines:
        yield decoder.decode(line)


class Results:
    """A file of outcomes that grows as they come."""

    def __init__(self, path: Path, code: str, *, anew: bool = False) -> None:
        """Go on with the file, or begin it. What other code made is kept beside it as `NAME-CODE.jsonl`."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.kept: Path | None = None
        before = code_of(path)
        if before not in ("", code):
            self.kept = path.with_name(f"{path.stem}-{before}{path.suffix}")
            path.replace(self.kept)
        again = before == code and not anew
        self.outcomes = read(path).by_key if again else {}
        encoded = [msgspec.json.encode(Header(code)), *(msgspec.json.encode(one) for one in self.outcomes.values())]
        fresh = path.with_name(path.name + ".new")
        fresh.write_bytes(b"\n".join(encoded) + b"\n")
        fresh.replace(path)
        self._file = path.open("ab")

    def add(self, outcome: Outcome) -> None:
        """Write one down at once."""
        self.outcomes[outcome.key] = outcome
        self._file.write(msgspec.json.encode(outcome) + b"\n")
        self._file.flush()

    def close(self) -> None:
        """No more come."""
        self._file.close()
