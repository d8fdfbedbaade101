"""`rackwatch explain`: the words of the director's page, from a log, a settings file or JSON lines."""

import asyncio
import codecs
import json
import re
from pathlib import Path

import msgspec
import pytest

from monitor.alerts import Alert, AlertState, Rule
from monitor.events import Event
from monitor.log.store import EventLog
from monitor.rules.explain import explain
from monitor.told import told_alerts
from tests.monitor.command import run
from tests.monitor.rules.script import cases, heard

TOGETHER = next(case for case in cases() if case.name == "together, and the picked tile goes back")
TAKEN_BACK = next(case for case in cases() if case.name == "a wrong count that was a misreading is taken back")


def alerts(records: list[Event | Alert]) -> list[Alert]:
    return [one for one in records if isinstance(one, Alert) and one.rule is not Rule.WINDOW_CLOSED]


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "alerts.jsonl"
    records = [one for one in heard(TOGETHER.events) if isinstance(one, Alert)]
    path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in records))
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.sqlite"

    async def write() -> None:
        log = await EventLog.open(path, "test")
        task = asyncio.create_task(log.run(lambda _: None))
        await log.append("T1", heard(TAKEN_BACK.events))
        await log.drain()
        task.cancel()
        await log.close()

    asyncio.run(write())
    return path


def test_an_alert_of_json_lines_is_explained_in_the_rules_own_words(
    lines: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raised, resolved = alerts(heard(TOGETHER.events))
    assert run(monkeypatch, "explain", raised.id, "--from", lines) == 0
    text = capsys.readouterr().out
    assert explain(resolved).as_text() in text
    assert "South racked 0.02 s ± 0.05 s before West called." in text
    told = text.partition("How it was told\n")[2]
    assert told == f"  105.00 s: stands: {raised.message}\n  resolved: {resolved.message}\n"
    assert "window_closed" not in text


def test_a_log_tells_the_time_of_day_and_what_was_taken_back(
    log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (alert,) = {one.id for one in alerts(heard(TAKEN_BACK.events))}
    assert run(monkeypatch, "explain", alert, "--from", log) == 0
    text = capsys.readouterr().out
    assert "Withdrawn, the finding proved wrong: " in text
    assert re.search(r"  \d\d:\d\d:\d\d\.\d\d: \w+ discarded\.", text)
    assert re.search(r"How it was told\n  \d\d:\d\d:\d\d\.\d\d: stands: .*\n  \d\d:\d\d:\d\d\.\d\d: withdrawn: ", text)


def test_moments_of_a_log_lie_as_far_apart_as_they_did(log: Path) -> None:
    (told,) = told_alerts(log).values()
    seconds = [float(told.clock(at).rpartition(":")[2]) for at in (103.0, 104.25)]
    assert (seconds[1] - seconds[0]) % 60 == pytest.approx(1.25, abs=0.011)
    assert [line.alert.state for line in told.lines] == [AlertState.RAISED, AlertState.WITHDRAWN]


def test_a_settings_file_leads_to_its_log(
    log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = log.with_name("club.toml")
    settings.write_text('[[tables]]\nname = "T1"\n[log]\npath = "log.sqlite"\n')
    assert run(monkeypatch, "explain", "--from", settings) == 0
    assert capsys.readouterr().out.startswith("T1-1-wrong_count-")


def test_without_an_id_the_alerts_are_listed_and_with_all_each_is_explained(
    lines: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "explain", "--from", lines) == 0
    listed = capsys.readouterr().out.splitlines()
    assert len(listed) == 1
    assert "resolved: The picked tile went back" in listed[0]
    assert run(monkeypatch, "explain", "--all", "--from", lines) == 0
    assert "What is left to the director" in capsys.readouterr().out


def test_the_usual_log_is_taken_where_none_is_named(
    log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(log.parent)
    assert run(monkeypatch, "explain") == 2
    assert "there is no rackwatch.sqlite here" in re.sub(r"\W+", " ", capsys.readouterr().err).replace(
        "rackwatch sqlite", "rackwatch.sqlite"
    )
    log.rename("rackwatch.sqlite")
    assert run(monkeypatch, "explain") == 0
    assert capsys.readouterr().out.startswith("T1-1-wrong_count-")


def test_an_unknown_id_is_told_with_those_most_like_it(
    lines: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = alerts(heard(TOGETHER.events))[0].id
    assert run(monkeypatch, "explain", known[:-1], "--from", lines) == 2
    assert f"Did you mean {known}?" in capsys.readouterr().err
    assert run(monkeypatch, "explain", "???", "--from", lines) == 2
    assert "without an id lists them all" in capsys.readouterr().err


def test_a_bad_line_is_told_and_loses_nothing_else(
    lines: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    deep = b'{"x":' + b"[" * 5000 + b"\n"
    lines.write_bytes(b'{"rule": "redeal"\n\n\xff\n' + deep + b'{"id": "x", "rule": "redael"}\n' + lines.read_bytes())
    assert run(monkeypatch, "explain", "--from", lines) == 0
    out, err = capsys.readouterr()
    assert "simultaneous_call" in out
    assert [line.removeprefix(f"{lines}:").removesuffix(" (skipped)") for line in err.splitlines()] == [
        "1: breaks off before its JSON is complete",
        "3: is not UTF-8 text. Save it as UTF-8",
        "4: is nested too deeply",
        f"5: rule: 'redael' is not known. Did you mean redeal? Known here: {', '.join(Rule)}",
    ]


def test_a_mark_before_the_first_line_costs_no_alert(lines: Path) -> None:
    plain = told_alerts(lines)
    lines.write_bytes(codecs.BOM_UTF8 + lines.read_bytes())
    assert [one.lines for one in told_alerts(lines).values()] == [one.lines for one in plain.values()]


def test_where_nothing_was_told_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "none.jsonl"
    empty.touch()
    for words in (("explain",), ("explain", "--all")):
        assert run(monkeypatch, *words, "--from", empty) == 0
        assert capsys.readouterr().out == "No alert has been told.\n"
    assert run(monkeypatch, "explain", "--from", tmp_path / "absent.jsonl") == 2
    assert "cannot be read: No such file" in capsys.readouterr().err


def test_a_judgement_can_carry_the_explanations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events, out = tmp_path / "events.jsonl", tmp_path / "alerts.jsonl"
    events.write_bytes(b"".join(msgspec.json.encode(event) + b"\n" for event in TOGETHER.events))
    assert run(monkeypatch, "judge", events, "--alerts", out, "--explain") == 0
    told = [json.loads(line) for line in out.read_text().splitlines()]
    wanted = [explain(one).as_text() for one in alerts(heard(TOGETHER.events))]
    assert [one["explanation"] for one in told if one["rule"] != "window_closed"] == wanted
    assert all("explanation" not in one for one in told if one["rule"] == "window_closed")
    assert len(told_alerts(out)) == 1  # the longer lines are read like the others
