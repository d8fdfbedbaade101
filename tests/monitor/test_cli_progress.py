"""What a person sees while something long goes on, and that nobody else does."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

from monitor.cli._progress import following, say_reading


class OnTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> OnTerminal:
    """What goes to standard error from now on, as if a person were looking."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    seen = OnTerminal()
    monkeypatch.setattr("sys.stderr", seen)
    return seen


def test_as_many_as_come_are_counted_from_when_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = on_terminal(monkeypatch)
    with following("nodes") as passed:
        assert seen.getvalue() == ""
        assert list(passed([5, 6, 7])) == [5, 6, 7]
    assert "nodes" in seen.getvalue()
    assert "3/3" in seen.getvalue()


def test_a_program_within_another_shows_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = on_terminal(monkeypatch)
    with following("nodes", quiet=True) as passed:
        assert list(passed([5, 6, 7])) == [5, 6, 7]
    assert seen.getvalue() == ""


def test_what_ends_half_way_leaves_no_progress_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = on_terminal(monkeypatch)

    def interrupted() -> None:
        with following("nodes") as passed:
            for _ in passed([5, 6, 7]):
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert seen.getvalue().rfind("\x1b[?25h") > seen.getvalue().rfind("\x1b[?25l") > -1


def test_what_is_read_is_said_at_once_and_fit_for_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    say_reading(Path("folder") / "evening\x1b[31m.jsonl")
    assert capsys.readouterr().err == "Reading evening?[31m.jsonl …\n"


def test_a_replay_for_people_says_that_it_reads(tmp_path: Path) -> None:
    """In a pipe too, where nothing comes until all is read."""
    (tmp_path / "t.jsonl").write_text('{"at": 1.0, "topic": "x", "payload": ""}\n')
    (tmp_path / "t.json").write_text('{"table": "T1"}')
    words = ("replay", tmp_path / "t.jsonl", "--setup", tmp_path / "t.json", "--speed", "64", "--show")
    done = subprocess.run(
        [sys.executable, "-m", "monitor.cli", *map(str, words)], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr.splitlines()[0] == "Reading t.jsonl …"
