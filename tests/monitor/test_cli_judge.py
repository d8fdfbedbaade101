"""`rackwatch judge`: what it says of lines it cannot use, and that its own output can be judged again."""

import codecs
import json
from pathlib import Path

import msgspec
import pytest

from monitor.alerts import Alert, Rule
from monitor.events import Event, Tick
from monitor.rules.court import Unmatched, Unreadable, judge_lines
from monitor.rules.profile import LEAGUE, Profile
from tests.monitor.command import run
from tests.monitor.rules.script import Case, cases

CASES = list(cases())
HAND = [
    {"kind": "play_started", "at": 60.0, "seat": "east"},
    {"kind": "discarded", "at": 60.0, "seat": "east"},
    {"kind": "racked", "at": 62.0, "seat": "south"},
    {"kind": "called", "at": 63.0, "seat": "west", "via": "button"},
    {"kind": "tick", "at": 90.0},
]


def judge(folder: Path, monkeypatch: pytest.MonkeyPatch, *lines: object, options: tuple[str, ...] = ()) -> int:
    """Exit code of judging lines: bytes as they are, anything else as JSON. Writes `a` (alerts) and `o` (events)."""
    text = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in lines]
    (folder / "in").write_bytes(b"\n".join(text) + b"\n")
    words = ("judge", folder / "in", "--alerts", folder / "a", "--out", folder / "o")
    return run(monkeypatch, *words, *options)


def rules(folder: Path) -> list[str]:
    return [json.loads(line)["rule"] for line in (folder / "a").read_text().splitlines()]


@pytest.fixture
def said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> "Said":
    return Said(tmp_path, capsys)


class Said:
    """What came to stderr, the file's name left out."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._folder, self._capsys = folder, capsys

    def __call__(self) -> list[str]:
        lines = self._capsys.readouterr().err.splitlines()
        return [line.removeprefix(f"{self._folder / 'in'}:") for line in lines]


def test_bad_lines_are_told_by_number_and_cost_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Said
) -> None:
    deep = b'{"kind":"tick","at":1,"x":' + b"[" * 1200 + b"]" * 1200 + b"}"
    called = {**HAND[3], "for": "sandwich"}
    assert judge(tmp_path, monkeypatch, *HAND[:3], deep, b"", b"{", called, {"kind": "racked", "at": 64}, HAND[4]) == 0
    assert said() == [
        "4: is nested too deeply (skipped)",
        "6: breaks off before its JSON is complete (skipped)",
        "7: for: 'sandwich' is not known. Known here: pung, kong, quint, sextet, mah_jongg (left out)",
        "8: seat: is missing, and racked says nothing without it. It must be one of east, south, west, north (skipped)",
    ]
    assert "late_call" in rules(tmp_path)


def test_a_mark_before_the_first_line_costs_no_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Said
) -> None:
    first = codecs.BOM_UTF8 + json.dumps(HAND[0]).encode()
    assert judge(tmp_path, monkeypatch, first, *HAND[1:]) == 0
    assert said() == []
    assert json.loads((tmp_path / "o").read_text().splitlines()[0])["kind"] == "play_started"
    assert judge(tmp_path, monkeypatch, codecs.BOM_UTF8, *HAND) == 0
    assert said() == []


def test_lines_of_text_may_begin_with_the_mark_too() -> None:
    told = list(judge_lines(["\ufeff" + json.dumps(HAND[0]), "\ufeff" + json.dumps(HAND[1])]))
    assert [(r.line, r.skipped) for r in told if isinstance(r, Unreadable)] == [(2, True)]


def test_corrections_of_nothing_are_told_once_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Said
) -> None:
    good = {"kind": "corrected", "at": 62.5, "replaces": 3}
    unknown = {"kind": "corrected", "at": 65.0, "replaces": 99}
    itself = {"kind": "corrected", "at": 65.0, "replaces": 8, "seq": 8}
    no_event = {"kind": "corrected", "at": 65.0, "replaces": 4, "new_kind": "count_changed"}
    assert judge(tmp_path, monkeypatch, *HAND[:4], good, HAND[4]) == 0
    assert said() == []
    assert judge(tmp_path, monkeypatch, *HAND[:4], good, unknown) == 0
    assert said() == ["6: replaces 99: this correction found nothing to correct"]
    assert judge(tmp_path, monkeypatch, *HAND[:4], good, unknown, no_event, itself, HAND[4]) == 0
    assert said() == ["6: replaces 99: this correction and 2 more found nothing to correct"]


def test_corrections_of_nothing_are_counted_over_all_tables() -> None:
    lines = [json.dumps({"kind": "corrected", "at": 1.0, "replaces": 50, "table": table}) for table in ("T1", "T2")]
    assert list(judge_lines(lines))[-1] == Unmatched(count=2, line=1, replaces=50)


def test_a_correction_of_a_window_event_is_no_correction_of_nothing() -> None:
    case = next(case for case in CASES if case.name == "together, and the picked tile goes back")
    again = judged(outcome(judged(encoded(case))))
    assert not [r for r in again if isinstance(r, Unmatched | Unreadable)]


def test_an_unusable_profile_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Said) -> None:
    assert judge(tmp_path, monkeypatch, *HAND, options=("--profile", "")) == 2
    assert "profile: is empty; give one of fingers-off, league" in " ".join(said())
    (tmp_path / "p.toml").write_bytes(codecs.BOM_UTF8 + b'[window]\nracked_when = "relesed"\n')
    assert judge(tmp_path, monkeypatch, *HAND, options=("--profile", str(tmp_path / "p.toml"))) == 2
    told = " ".join(said())
    assert "p.toml:2: window.racked_when: 'relesed' is not known. Did you mean released? Known here: placed" in told
    (tmp_path / "p.toml").write_bytes(codecs.BOM_UTF8 + b"[window]\nsimultaneous_within_ms = 2000\n")
    assert judge(tmp_path, monkeypatch, *HAND, options=("--profile", str(tmp_path / "p.toml"))) == 0
    assert "simultaneous_call" in rules(tmp_path)


# ---- its own output, judged again


def encoded(case: Case) -> list[bytes]:
    return [msgspec.json.encode(event) for event in case.events]


def judged(lines: list[bytes], profile: Profile = LEAGUE) -> list[Event | Alert | Unreadable | Unmatched]:
    return list(judge_lines(lines, profile))


def outcome(records: list[Event | Alert | Unreadable | Unmatched]) -> list[bytes]:
    """The file that `--out` gets."""
    return [msgspec.json.encode(r) for r in records if not isinstance(r, Alert | Unreadable | Unmatched)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("numbered", [True, False])
def test_what_comes_out_can_be_judged_again_and_says_the_same(case: Case, numbered: bool) -> None:
    events = case.events if numbered else [msgspec.structs.replace(event, seq=0) for event in case.events]
    first = judged([msgspec.json.encode(event) for event in events], case.profile)
    again = judged(outcome(first), case.profile)
    assert [r for r in again if not isinstance(r, Unmatched)] == [r for r in first if not isinstance(r, Unmatched)]
    assert outcome(again) == outcome(first)
    ticks = [event for event in case.events if isinstance(event, Tick)]
    assert len([r for r in first if isinstance(r, Tick)]) == len(ticks)


def test_a_file_judged_again_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [json.dumps(one).encode() for one in HAND]
    assert judge(tmp_path, monkeypatch, *lines[:3], b"{", *lines[3:]) == 0
    out, alerts = (tmp_path / "o").read_bytes(), (tmp_path / "a").read_bytes()
    assert b'"tick"' in out
    assert judge(tmp_path, monkeypatch, *out.splitlines()) == 0
    assert ((tmp_path / "o").read_bytes(), (tmp_path / "a").read_bytes()) == (out, alerts)


def test_silence_alone_is_told_again() -> None:
    """A count that stands wrong is raised by time alone: without the tick the second judgement would not know."""
    case = next(case for case in CASES if any(want.rule is Rule.WRONG_COUNT for want in case.wants))
    again = judged(outcome(judged(encoded(case), case.profile)), case.profile)
    assert [r for r in again if isinstance(r, Alert) and r.rule is Rule.WRONG_COUNT]


def test_a_tick_that_names_no_table_is_for_all() -> None:
    named = [{**one, "table": table} for one in HAND[:4] for table in ("T1", "T2")]
    before = [json.dumps(one).encode() for one in named]
    told = judged([*before, b'{"kind":"tick","at":90.0}', b'{"kind":"tick","at":91.0,"table":"T1"}'])
    late = [r for r in told if isinstance(r, Alert) and r.rule is Rule.LATE_CALL]
    assert {(r.table, r.raised_at) for r in late} == {("T1", 90.0), ("T2", 90.0)}
    assert len([r for r in told if isinstance(r, Tick)]) == 2
    assert judged(outcome(told)) == told
