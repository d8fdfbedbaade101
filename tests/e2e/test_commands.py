"""The commands as a person runs them, each in a process of its own."""

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from firmware_bridge.recording import BadLine, read_recording
from monitor.events import Dealt, Event
from monitor.log.part import Part
from monitor.log.reader import open_log
from monitor.log.schema import Stream
from monitor.reports.when import clock_of
from tests.broker import Mosquitto, free_port

PATIENCE_S = 60


@contextmanager
def started(*words: str | Path) -> Iterator[subprocess.Popen[str]]:
    """A command that is running; it is ended, if need be, when the test is done with it."""
    command = [sys.executable, "-m", "monitor.cli", *map(str, words)]
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def line_with(process: subprocess.Popen[str], words: str) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if words in line:
            return line
    raise AssertionError(f"the command ended without saying {words!r}: {process.communicate()[1]}")


def until(condition: Callable[[], bool]) -> None:
    """Wait for what other processes do."""
    until_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until_s
        time.sleep(0.05)


def interrupted(process: subprocess.Popen[str], number: signal.Signals = signal.SIGINT) -> tuple[str, str]:
    process.send_signal(number)
    return process.communicate(timeout=PATIENCE_S)


def settings_of(folder: Path) -> Path:
    path = folder / "house.toml"
    serial = "".join(
        f'[[serial]]\ntable = "T1"\nplace = "{place}"\nport = "ports/t1-{place}"\n'
        for place in ("east", "south", "west", "north")
    )
    rest = f'[web]\nport = {free_port()}\n[lines]\nevents = "live.jsonl"\n'
    path.write_text(f'[[tables]]\nname = "T1"\nsetup = "setup.json"\n{serial}{rest}')
    return path


def simulator(folder: Path) -> tuple[str | Path, ...]:
    ports = ("simulate", "--ports", folder / "ports", "--setup", folder / "setup.json")
    return (*ports, "--tier", "weight80", "--pace", "expert", "--speed", "4", "--stay")


def test_the_demo_plays_shows_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    words = ("--speed", "10", "--port", "0", "--pace", "expert", "--folder", tmp_path, "--tier", "weight80")
    with started("demo", *words) as demo:
        url = line_with(demo, "The floor:").split()[-1]
        line_with(demo, "The table is set")
        with urllib.request.urlopen(url) as page:
            assert b"T1" in page.read()
        line_with(demo, "Racks are being filled")
        line_with(demo, "Dealt")
        out, err = interrupted(demo)
        assert (demo.returncode, err) == (0, ""), out
        log = tmp_path / "log.sqlite"
        assert out.splitlines()[-1].startswith(f"The log is kept in {log}. Next: rackwatch report session {log} ")
    with open_log(log) as opened:
        begun, rows = opened.runs()[1], list(opened.told())
    assert any(isinstance(row.record, Dealt) for row in rows)
    assert abs(begun.utc_us / 1e6 - time.time()) < PATIENCE_S
    for row in rows:  # exports go by the run's start, reports and explain by the row: the demo's time of day is as fast
        assert begun.utc_s(row.record.at) == pytest.approx(clock_of(row).utc_s(row.record.at), abs=10.0)


def test_a_demo_that_goes_on_in_a_folder_goes_on_in_time(tmp_path: Path) -> None:
    words = ("--speed", "20", "--port", "0", "--folder", tmp_path, "--tier", "weight80")
    for _ in range(2):
        with started("demo", *words) as demo:
            line_with(demo, "Time passes 20 times as fast as life, on the page and in the log.")
            line_with(demo, "Racks are being filled")
            out, err = interrupted(demo)
            assert (demo.returncode, err) == (0, ""), out
    with open_log(tmp_path / "log.sqlite") as log:
        events = list(log.records(Part(stream=Stream.EVENT)))
    assert {row.run for row in events} == {1, 2}
    for one, other in itertools.pairwise(events):
        assert one.utc_us <= other.utc_us
        assert one.mono_s <= other.mono_s
    first, second = (
        [row.record.known for row in events if row.run == run and isinstance(row.record, Event)] for run in (1, 2)
    )
    assert max(first) <= min(second)


def test_a_demo_without_a_folder_says_that_its_log_is_gone() -> None:
    with started("demo", "--port", "0", "--seconds", "1", "--tier", "weight80") as demo:
        out, err = demo.communicate(timeout=PATIENCE_S)
        assert (demo.returncode, err) == (0, "")
        assert "With --folder FOLDER it stays" in out.splitlines()[-1]


def test_a_demo_that_is_killed_takes_its_simulator_with_it(tmp_path: Path) -> None:
    with started("demo", "--port", "0", "--folder", tmp_path, "--tier", "weight80") as demo:
        line_with(demo, "The table is set")
        ports = list((tmp_path / "ports").iterdir())
        assert len(ports) == 4
        demo.kill()
        until(lambda: not any(port.exists() for port in ports))


def test_a_table_is_checked_watched_and_recorded_and_the_recording_replays(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    with started(*simulator(tmp_path)) as nodes:
        line_with(nodes, "north")
        with started("check", settings) as check:
            out, _ = check.communicate(timeout=PATIENCE_S)
            assert check.returncode == 0, out
            assert out.count("✓") == 9
        with started("record", settings, tmp_path / "raw.jsonl.gz", "--seconds", "8") as record:
            out, err = record.communicate(timeout=PATIENCE_S)
            assert record.returncode == 0, err
            assert "T1/east: " in out
        with started("run", settings, "--show") as run:
            until(
                lambda: (
                    (tmp_path / "live.jsonl").exists() and b"count_changed" in (tmp_path / "live.jsonl").read_bytes()
                )
            )
            out, err = interrupted(run, signal.SIGTERM)
            assert run.returncode == 0, err
            assert "watching" in err
            assert "Traceback" not in err
        assert nodes.poll() is None
        out, err = interrupted(nodes)
        assert (nodes.returncode, err) == (0, "")
    lines = [line for line in read_recording(tmp_path / "raw.jsonl.gz") if not isinstance(line, BadLine)]
    assert len(lines) > 100
    events = tmp_path / "events.jsonl"
    with started("replay", tmp_path / "raw.jsonl.gz", "--setup", tmp_path / "setup.json", "--events", events) as replay:
        _, err = replay.communicate(timeout=PATIENCE_S)
        assert (replay.returncode, err) == (0, "")
    assert {json.loads(line)["table"] for line in events.read_text().splitlines()} == {"T1"}


def test_check_says_what_is_wrong_and_exits_with_1(tmp_path: Path) -> None:
    with started("check", settings_of(tmp_path)) as check:
        out, _ = check.communicate(timeout=PATIENCE_S)
        assert check.returncode == 1
        assert "✗ table T1" in out
        assert "Plug the node in" in out
    settings = settings_of(tmp_path)
    settings.write_text(f'{settings.read_text()}[mqtt]\nhost = "127.0.0.1"\nport = {free_port()}\n')
    (tmp_path / "setup.json").write_text("{}")
    with started("check", settings) as check:
        out, err = check.communicate(timeout=PATIENCE_S)
        assert check.returncode == 1
        assert re.search(r"✗ broker: 127\.0\.0\.1:\d+ does not answer: connection refused$", out, re.MULTILINE)
        assert "correct [mqtt] host and port" in out
        assert err == ""
        assert all(line[:1] in "✓✗ " for line in out.splitlines()[:-1]), out
    with started("check", settings_of(tmp_path), "--quick", "--show") as check:
        out, _ = check.communicate(timeout=PATIENCE_S)
        assert "Plug the node in" not in out
        assert re.search(r"serial\[1\]\.place +east +house\.toml:6", out)


@pytest.mark.parametrize("command", ["run", "check"])
def test_settings_that_cannot_be_used_exit_with_2_and_a_line(tmp_path: Path, command: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text('[[tables]]\nnam = "T1"\n')
    with started(command, path) as process:
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 2
        assert f"{path}:2: tables[1].nam: there is no such key. Did you mean name?" in err
        assert "Traceback" not in err + out


@pytest.mark.broker
def test_simulate_says_what_it_waits_for(tmp_path: Path) -> None:
    port = free_port()
    with started("simulate", "--mqtt", f"127.0.0.1:{port}", "--tier", "weight10") as nodes:
        assert nodes.stderr is not None
        assert nodes.stderr.readline() == f"127.0.0.1:{port} does not answer (connection refused); trying again\n"
        time.sleep(1.0)  # five nodes try again and again: it was said once
        assert interrupted(nodes) == ("", "")
    broker = Mosquitto(tmp_path)
    with started("simulate", "--mqtt", f"{broker.host}:{broker.port}", "--tier", "weight10") as nodes:
        assert nodes.stderr is not None
        assert "does not answer" in nodes.stderr.readline()
        broker.start()
        try:
            line_with(nodes, "playing")
        finally:
            broker.stop()
    with started("simulate", "--ports", tmp_path, "--tier", "weight10") as nodes:
        assert line_with(nodes, "waiting") == (
            "waiting until these ports are opened: east, south, west, north (see --no-wait)\n"
        )


def test_simulate_wants_one_place_to_play_at(tmp_path: Path) -> None:
    with started("simulate") as process:
        _, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 2
        assert "--ports" in err
    with started("record", settings_of(tmp_path).with_name("none.toml"), tmp_path / "x") as process:
        _, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 2
