import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from firmware_bridge.recording import BadLine, RecordingWriter, read_recording
from hw.simulator.case import write_case
from hw.simulator.options import Options, Pace, RuleFault, Tier
from monitor.recordings.folder import Limits, RecordingFolder


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cases")
    fault = RuleFault.DOUBLE_PICK
    write_case(folder, "hand", Options(seed=5, tier=Tier.RFID_FLOOR, pace=Pace.EXPERT, rule_fault=fault, discards=12))
    return folder


def rackwatch(*words: str | Path, seed: str = "0") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from monitor.cli import main; main()", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": seed, "NO_COLOR": "1", "COLUMNS": "200"},
    )


def replay(cases: Path, out: Path, *more: str, seed: str = "0") -> subprocess.CompletedProcess[str]:
    return rackwatch(
        "replay",
        cases / "hand.recording.jsonl.gz",
        "--setup",
        cases / "hand.setup.json",
        "--events",
        out / "events.jsonl",
        "--alerts",
        out / "alerts.jsonl",
        *more,
        seed=seed,
    )


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_recording_gives_events_and_alerts_the_same_twice(cases: Path, tmp_path: Path) -> None:
    for name, seed in (("a", "1"), ("b", "2")):
        (tmp_path / name).mkdir()
        done = replay(cases, tmp_path / name, seed=seed)
        assert done.returncode == 0
        assert [line for line in done.stderr.splitlines() if "no whole uid" not in line] == []
    for file in ("events.jsonl", "alerts.jsonl"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    kinds = {event["kind"] for event in lines(tmp_path / "a" / "events.jsonl")}
    assert {"dealt", "play_started", "racked", "discarded", "count_changed", "window_closed"} <= kinds
    assert "wrong_count" in {alert["rule"] for alert in lines(tmp_path / "a" / "alerts.jsonl")}


def test_files_of_one_run_replay_alone_and_together_as_if_never_cut(cases: Path, tmp_path: Path) -> None:
    received = [one for one in read_recording(cases / "hand.recording.jsonl.gz") if not isinstance(one, BadLine)]
    setup = cases / "hand.setup.json"
    with RecordingWriter(tmp_path / "whole.jsonl.gz", received[0].at_s) as whole:
        for one in received:
            whole.write(one)
    folder = RecordingFolder(tmp_path / "cut", 1, Limits(90_000, 3600.0), lambda: 1.8e9, lambda _: 1 << 40)
    folder.take(received, received[-1].at_s)
    folder.close(received[-1].at_s)
    parts = sorted((tmp_path / "cut").iterdir(), key=lambda path: int(path.name.split("-part-")[1].split("-")[0]))
    assert len(parts) >= 3
    rest = [word for path in parts[1:] for word in ("--then", path)]
    for name, words in (("whole", [tmp_path / "whole.jsonl.gz"]), ("cut", [parts[0], *rest]), ("last", [parts[-1]])):
        done = rackwatch("replay", *words, "--setup", setup, "--events", tmp_path / f"{name}.events")
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "cut.events").read_bytes() == (tmp_path / "whole.events").read_bytes()
    assert len(lines(tmp_path / "whole.events")) > 50
    assert lines(tmp_path / "last.events"), "a later file says what can be known from it"
    wrong = rackwatch("replay", parts[1], "--then", parts[0], "--setup", setup)
    assert wrong.returncode == 2
    assert "give them in their order" in wrong.stderr


def test_identities_only_when_asked_for(cases: Path, tmp_path: Path) -> None:
    assert replay(cases, tmp_path).returncode == 0
    bare = (tmp_path / "events.jsonl").read_text()
    assert replay(cases, tmp_path, "--identities").returncode == 0
    full = (tmp_path / "events.jsonl").read_text()
    assert '"uid"' not in bare
    assert '"face"' not in bare
    assert '"uid"' in full


def test_damaged_lines_are_reported_by_number_and_skipped(cases: Path, tmp_path: Path) -> None:
    whole = gzip.decompress((cases / "hand.recording.jsonl.gz").read_bytes()).splitlines()
    for name in ("hand.setup.json",):
        (tmp_path / name).write_bytes((cases / name).read_bytes())
    damaged = [*whole[:40], b"{", b'{"at": 1}', *whole[40:90], b"\xff\xfe"]
    (tmp_path / "hand.recording.jsonl.gz").write_bytes(gzip.compress(b"\n".join(damaged) + b"\n"))
    done = replay(tmp_path, tmp_path)
    assert done.returncode == 0
    for number in (41, 42, 93):
        assert f"hand.recording.jsonl.gz:{number}: " in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--profile", "leage"), "did you mean league?"),
        (("--profile", "absent.toml"), "absent.toml: cannot be read"),
        (("--setup", "absent.json"), "absent.json"),
        (("--no-such-option",), "no-such-option"),
    ],
)
def test_unusable_arguments_exit_with_2(cases: Path, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    done = replay(cases, tmp_path, *words)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_setup_that_is_none_and_outputs_that_cannot_be_written_exit_with_2(cases: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("[]")
    done = replay(cases, tmp_path, "--setup", str(tmp_path / "bad.json"))
    assert (done.returncode, "is no set-up of a table" in done.stderr) == (2, True)
    done = replay(cases, tmp_path, "--events", str(tmp_path / "absent" / "e.jsonl"))
    assert (done.returncode, "cannot be written" in done.stderr) == (2, True)


JUDGED = """\
{"kind":"hand_started","at":0.0,"east":"east"}
{"kind":"dealt","at":10.0,"east":"east"}
{"kind":"play_started","at":60.0,"seat":"east"}
{"kind":"discarded","at":60.0,"seat":"east","face":"joker"}
no event
{"kind":"racked","at":62.0,"seat":"south"}
{"kind":"called","at":63.0,"seat":"west","via":"button"}
"""


def judge(tmp_path: Path, *more: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "in.jsonl").write_text(JUDGED)
    return rackwatch(
        "judge", tmp_path / "in.jsonl", "--alerts", tmp_path / "alerts.jsonl", "--out", tmp_path / "out.jsonl", *more
    )


def test_judging_events_alone(tmp_path: Path) -> None:
    done = judge(tmp_path)
    assert done.returncode == 0
    assert "in.jsonl:5: " in done.stderr
    alerts = lines(tmp_path / "alerts.jsonl")
    late = next(alert for alert in alerts if alert["rule"] == "late_call")
    assert (late["seat"], late["article"], late["state"]) == ("west", "107", "raised")
    out = lines(tmp_path / "out.jsonl")
    assert [event["kind"] for event in out].count("window_opened") == 1
    assert [event["kind"] for event in out].count("window_closed") == 1
    assert "joker" not in (tmp_path / "out.jsonl").read_text()


def test_a_profile_decides(tmp_path: Path) -> None:
    (tmp_path / "wide.toml").write_text("[window]\nsimultaneous_within_ms = 2000\n")
    assert judge(tmp_path, "--profile", str(tmp_path / "wide.toml"), "--identities").returncode == 0
    rules = {alert["rule"]: alert for alert in lines(tmp_path / "alerts.jsonl")}
    assert "late_call" not in rules
    assert rules["simultaneous_call"]["verdict"] == "simultaneous"
    assert "joker" in (tmp_path / "out.jsonl").read_text()
    (tmp_path / "wide.toml").write_text("[window]\nsimultanous_within_ms = 2000\n")
    done = judge(tmp_path, "--profile", str(tmp_path / "wide.toml"))
    assert done.returncode == 2
    assert "did you mean simultaneous_within_ms?" in done.stderr


def test_help_teaches_every_command() -> None:
    done = rackwatch("--help")
    assert done.returncode == 0
    for command in ("replay", "judge"):
        assert command in done.stdout
        assert rackwatch(command, "--help").returncode == 0
