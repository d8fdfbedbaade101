"""The command in this very process: its words in, its exit code out."""

from pathlib import Path

import pytest

from monitor import cli


def run(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    """Exit code of `rackwatch` with these words."""
    monkeypatch.setattr("sys.argv", ["rackwatch", *map(str, words)])
    with pytest.raises(SystemExit) as end:
        cli.main()
    return int(end.value.code or 0)
