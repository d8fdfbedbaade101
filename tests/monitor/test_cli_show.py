"""Replay for people, as a whole: on a pseudo-terminal, in a pipe, from a recording and from a log."""

import asyncio
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.recording import BadLine, read_recording
from firmware_bridge.routing import Router
from hw.simulator.case import write_case
from hw.simulator.options import Options, Pace, RuleFault, Tier
from monitor.events import NewHand
from monitor.log.store import EventLog
from monitor.replay import replay
from monitor.settings_file import load_setup
from monitor.table import Table
from tests.monitor.test_cli_replay import rackwatch

IDENTITY = re.compile(r"\[\w[^\]]*\]")
"""How a tile is named in a line, where it is."""
ON_ITS_TERMINAL = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); from monitor.cli import main; main()"
PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("case")
    fault = RuleFault.DOUBLE_PICK
    write_case(folder, "hand", Options(seed=5, tier=Tier.RFID_FLOOR, pace=Pace.EXPERT, rule_fault=fault, discards=12))
    return folder


@pytest.fixture(scope="module")
def log(case: Path) -> Path:
    async def write() -> None:
        log = await EventLog.open(case / "log.sqlite", "test")
        task = asyncio.create_task(log.run(lambda _: None))
        setup = load_setup(case / "hand.setup.json")
        lines = read_recording(case / "hand.recording.jsonl.gz")
        for record in replay(Table(setup), Router(frozenset({setup.table})), lines, _ignore):
            await log.append(setup.table, [record])
        await log.append(setup.table, [NewHand(at=1000.0)])  # its tiles may be named then
        await log.drain()
        task.cancel()
        await log.close()

    asyncio.run(write())
    return case / "log.sqlite"


def _ignore(_: BadLine) -> None:
    pass


def shown(case: Path, *more: str) -> subprocess.CompletedProcess[str]:
    setup = ("--setup", case / "hand.setup.json")
    return rackwatch("replay", case / "hand.recording.jsonl.gz", *setup, "--show", "--speed", "64", *more)


def test_in_a_pipe_there_are_plain_lines_as_time_passes(case: Path) -> None:
    began_s = time.monotonic()
    done = shown(case)
    assert time.monotonic() - began_s > 120 / 64
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert all(line.isprintable() for line in lines)
    stamps = [float(minutes) * 60 + float(rest) for minutes, rest in (line.split()[0].split(":") for line in lines)]
    assert stamps == sorted(stamps)
    text = done.stdout
    for words in ("Dealt", "Play began", "East discarded", "Window closed: ", "Racks: East 1", "The end"):
        assert words in text, words
    assert "RULING DUE: Wrong number of tiles, East, Article 205. East has 14 tiles" in text
    assert not any(uid in text for uid in load_setup(case / "hand.setup.json").tiles)
    assert not IDENTITY.search(text)


def test_tiles_are_named_when_asked_for(log: Path) -> None:
    done = rackwatch("replay", log, "--hand", "1", "--show", "--speed", "64", "--identities")
    assert done.returncode == 0
    assert IDENTITY.search(done.stdout)


def test_a_log_is_played_without_a_set_up_and_says_the_same(case: Path, log: Path) -> None:
    done = rackwatch("replay", log, "--table", "T1", "--hand", "1", "--show", "--speed", "64")
    assert done.returncode == 0
    assert not IDENTITY.search(done.stdout)

    def said(text: str) -> list[str]:
        return [re.sub(r" \(at [\d:.]+\)", "", line).split(maxsplit=1)[1] for line in text.splitlines()]

    assert said(done.stdout) == said(shown(case).stdout)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--speed", "4"), "it is for --show"),
        (("--show", "--speed", "0.05"), "Invalid value for '--speed'"),
        (("--show", "--speed", "65"), "Invalid value for '--speed'"),
        (("--show", "--hand", "1"), "this is for an event log"),
        (("--table", "T1"), "this is for an event log"),
    ],
)
def test_options_of_a_recording_that_do_not_fit(case: Path, words: tuple[str, ...], says: str) -> None:
    done = rackwatch("replay", case / "hand.recording.jsonl.gz", "--setup", case / "hand.setup.json", *words)
    assert (done.returncode, says in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "with --show it is played"),
        (("--show", "--events", "events.jsonl"), "shown as it was written"),
        (("--show", "--profile", "league"), "shown as it was written"),
        (("--show", "--hand", "9"), "holds no hand 9 of T1"),
        (("--show", "--table", "T2"), "holds nothing of table T2"),
    ],
)
def test_options_of_a_log_that_do_not_fit(log: Path, words: tuple[str, ...], says: str) -> None:
    done = rackwatch("replay", log, *words)
    assert (done.returncode, says in done.stderr) == (2, True), done.stderr
    assert "Traceback" not in done.stderr


def test_a_recording_needs_a_set_up(case: Path) -> None:
    done = rackwatch("replay", case / "hand.recording.jsonl.gz", "--show")
    assert (done.returncode, "needs the set-up" in done.stderr) == (2, True)


class Terminal:
    """A pseudo-terminal with the command on it; `text` is what came since it was last asked for."""

    def __init__(
        self, *words: str | Path, columns: int = 80, program: str = ON_ITS_TERMINAL, **environment: str
    ) -> None:
        self._master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        self.all = ""
        self._decode = codecs.getincrementaldecoder("utf-8")().decode  # a read may end within a letter
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *map(str, words)],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            start_new_session=True,
            env={**os.environ, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **environment},
        )

    def press(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def until(self, words: str) -> str:
        """Read until these words come; give what came."""
        came = ""
        deadline_s = time.monotonic() + PATIENCE_S
        while words not in came:
            left_s = deadline_s - time.monotonic()
            ready, _, _ = select.select([self._master], [], [], max(0.0, left_s))
            assert ready, f"{words!r} did not come: {came[-3000:]}"
            came += self._decode(os.read(self._master, 65536))
        self.all += came
        return came

    def end(self) -> int:
        """The exit code, with all that was still written read."""
        deadline_s = time.monotonic() + PATIENCE_S
        while self.process.poll() is None or select.select([self._master], [], [], 0.0)[0]:
            assert time.monotonic() < deadline_s, "it does not end"
            if select.select([self._master], [], [], 0.1)[0]:
                self.all += self._decode(os.read(self._master, 65536))
        return int(self.process.returncode)

    @property
    def restored(self) -> bool:
        """Whether modes, screen and cursor are as they were."""
        modes = termios.tcgetattr(self.slave) == self.before
        return (
            modes
            and self.all.rfind("\x1b[?1049l") > self.all.rfind("\x1b[?1049h") > -1
            and self.all.rfind("\x1b[?25h") > self.all.rfind("\x1b[?25l") > -1
        )

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._master)
        os.close(self.slave)


@pytest.fixture
def terminal(log: Path) -> Iterator[Terminal]:
    terminal = Terminal("replay", log, "--hand", "1", "--show", "--speed", "2")
    yield terminal
    terminal.close()


def test_keys_on_a_terminal(terminal: Terminal) -> None:
    terminal.until("▶ 2 ×")
    assert termios.tcgetattr(terminal.slave) != terminal.before
    terminal.press(b" ")
    terminal.until("‖ paused")
    terminal.press(b"n")
    came = terminal.until("RULING DUE")
    assert "Wrong number of tiles" in came
    terminal.press(b"\x1b[D")
    assert "RULING DUE" not in terminal.until("No alerts").split("\x1b[H")[-1]
    terminal.press(b"\x1b[C")
    terminal.until("RULING DUE")
    terminal.press(b"+")
    terminal.until("paused, 4 ×")
    terminal.press(b"--")
    terminal.until("paused, 1 ×")
    terminal.press(b"\x1b[H")
    terminal.until("No alerts")
    terminal.press(b"\x1b[F")
    terminal.until("the end")
    assert terminal.process.poll() is None
    terminal.press(b"p")
    terminal.until("paused, 1 ×")
    terminal.press(b"q")
    assert terminal.end() == 0
    assert terminal.restored
    assert not IDENTITY.search(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.all))


@pytest.mark.parametrize(("how", "code"), [("keyboard", 130), ("terminate", 143)])
def test_the_terminal_is_put_back_when_interrupted(terminal: Terminal, how: str, code: int) -> None:
    terminal.until("▶ 2 ×")
    if how == "keyboard":
        terminal.press(b"\x03")
    else:
        terminal.process.send_signal(signal.SIGTERM)
    assert terminal.end() == code
    assert terminal.restored
    assert "Traceback" not in terminal.all


def test_the_terminal_is_put_back_when_something_fails(log: Path) -> None:
    fails = ON_ITS_TERMINAL.replace("main()", "import monitor.cli._show as show; show.Player.pause = None; main()")
    terminal = Terminal("replay", log, "--hand", "1", "--show", program=fails)
    try:
        terminal.until("▶ 1 ×")
        terminal.press(b" ")
        assert terminal.end() == 1
        assert terminal.restored
        assert "TypeError" in terminal.all
    finally:
        terminal.close()


def test_without_colour_and_with_few_columns_all_is_said(log: Path) -> None:
    terminal = Terminal("replay", log, "--hand", "1", "--show", "--speed", "64", columns=40, NO_COLOR="1")
    try:
        terminal.press(b"\x1b[F")
        terminal.until("the end")
        terminal.until("RULING DUE")
        terminal.press(b"q")
        assert terminal.end() == 0
        assert not re.search(r"\x1b\[(?:\d+;)*(?:3|4|9|10)[0-7](?:;\d+)*m", terminal.all)
    finally:
        terminal.close()


def test_where_the_terminal_can_draw_nothing_there_are_lines(log: Path) -> None:
    terminal = Terminal("replay", log, "--hand", "1", "--show", "--speed", "64", TERM="dumb")
    try:
        assert terminal.end() == 0
        assert "The end" in terminal.all
        assert "\x1b" not in terminal.all
    finally:
        terminal.close()
