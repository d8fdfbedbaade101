"""Profiles: the League's by default, every key documented, errors that name file, line and key."""

import re
from pathlib import Path

import msgspec
import pytest

from monitor.events import Seat
from monitor.rules.profile import (
    LEAGUE,
    Exchange,
    Monitoring,
    ProfileError,
    RackedWhen,
    _line_of,
    keys_of_profile,
    parse_profile,
)

FOLDER = Path(__file__).parents[3] / "config" / "profiles"
FILES = sorted(FOLDER.glob("*.toml"))
LEAGUE_FILE = FOLDER / "league.toml"


def test_the_league_file_says_what_the_code_takes_by_default() -> None:
    assert parse_profile(LEAGUE_FILE.read_text(encoding="utf-8"), "league.toml") == LEAGUE


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_profile_of_ours_can_be_used_and_has_its_own_title(path: Path) -> None:
    profile = parse_profile(path.read_text(encoding="utf-8"), path.name)
    assert (profile == LEAGUE) is (path == LEAGUE_FILE)
    assert (profile.title == LEAGUE.title) is (path == LEAGUE_FILE)


def test_there_is_a_profile_for_every_event_procedure_we_know_of() -> None:
    profiles = [parse_profile(path.read_text(encoding="utf-8"), path.name) for path in FILES]
    unlike: set[str] = set()
    for profile in profiles:
        for dotted in keys_of_profile():
            if _value(profile, dotted) != _value(LEAGUE, dotted):
                unlike.add(dotted)
    assert {
        "procedure.joker_exchange",
        "procedure.touch_commits",
        "window.racked_when",
        "count.wrong_before_play",
        "count.two_wrong_in_play",
        "count.monitoring",
        "table.empty_seat",
    } <= unlike


def _value(profile: object, dotted: str) -> object:
    for part in dotted.split("."):
        profile = getattr(profile, part)
    return profile


@pytest.mark.parametrize("dotted", keys_of_profile())
def test_every_key_stands_in_the_league_file_below_a_comment(dotted: str) -> None:
    section, _, key = dotted.rpartition(".")
    inside, above = "", ""
    for line in LEAGUE_FILE.read_text(encoding="utf-8").splitlines():
        if head := re.fullmatch(r"\[(\w+)\]", line.strip()):
            inside = head[1]
        if inside == section and re.match(rf"(# )?{key} = ", line):
            assert above.startswith("#"), "no comment"
            return
        above = line
    pytest.fail("not documented")


def test_every_conflict_of_the_sources_is_a_key() -> None:
    text = LEAGUE_FILE.read_text(encoding="utf-8")
    assert text.count("# [C] ") == 4


def test_a_file_lays_its_keys_over_the_leagues() -> None:
    profile = parse_profile('[procedure]\njoker_exchange = "one_at_a_time"\n[count]\noff_turn_motion_s = 8\n')
    assert profile.procedure.joker_exchange is Exchange.ONE_AT_A_TIME
    assert profile.count.off_turn_motion_s == 8.0
    assert profile.window == LEAGUE.window
    assert parse_profile("") == LEAGUE


def test_every_kind_of_value() -> None:
    profile = parse_profile(
        'title = "Ours"\n[window]\nracked_when = "released"\nsimultaneous_within_ms = 150\n'
        '[count]\nmonitoring = "off"\n[procedure]\ntouch_commits = true\n[table]\nempty_seat = "north"\n'
    )
    assert profile.title == "Ours"
    assert profile.window.racked_when is RackedWhen.RELEASED
    assert profile.window.tolerance_s == 0.15
    assert profile.count.monitoring is Monitoring.OFF
    assert profile.procedure.touch_commits is True
    assert profile.table.empty_seat is Seat.NORTH


@pytest.mark.parametrize(
    ("text", "line", "key", "why"),
    [
        (
            "[window]\n\nsimultanous_within_ms = 1",
            3,
            "window.simultanous_within_ms",
            "did you mean simultaneous_within_ms",
        ),
        ("[windw]\nracked_when = 1", 1, "windw", "did you mean window"),
        ("# x\ntitel = 'a'", 2, "titel", "did you mean title"),
        ("[procedure]\nxyz = 1", 2, "procedure.xyz", "known are joker_exchange, touch_commits"),
        ("count.off_turn_motion = 1", 1, "count.off_turn_motion", "did you mean off_turn_motion_s"),
        ("[count]\noff_turn_motion_s = 'five'", 2, "count.off_turn_motion_s", 'must be a number, not "five"'),
        (
            "[count]\nmonitoring = 'no'",
            2,
            "count.monitoring",
            "'no' is not known. Did you mean on? Known here: on, off",
        ),
        ("[window]\n[count]\noff_turn_motion_s = -1", 3, "count.off_turn_motion_s", "-1.0 is no time or share"),
        ("[count]\noff_turn_motion_s = inf", 2, "count.off_turn_motion_s", "inf is no time or share"),
        ("[count]\noff_turn_motion_s = nan", 2, "count.off_turn_motion_s", "nan is no time or share"),
        ("[evidence]\nsure_confidence = 1.5", 2, "evidence.sure_confidence", "1.5 is beyond 1"),
        ("window = 3", 1, "window", "must be a section, not 3"),
        ("[window\n", 1, "", "is not TOML: Expected ']' at the end of a table declaration (column 8)"),
        ("\ncount = {off_turn_motion = 1}", 2, "count.off_turn_motion", "did you mean off_turn_motion_s"),
        (
            "\n[count]\n\n[window]\nracked_when = 'x'",
            5,
            "window.racked_when",
            "'x' is not known. Known here: placed, released",
        ),
        ("a=", 1, "", "is not TOML: Invalid value"),
        (f"a={'[' * 5000}{']' * 5000}", 0, "", "nested too deeply"),
        (f"# 1\na={'1' * 5000}", 2, "", "holds a number of thousands of digits. Write a shorter one"),
        ("[count]\nrestless_s = 0x" + "f" * 5000, 2, "count.restless_s", "must be a number, not so large a number"),
        ("[count]\nrestless_s = 1979-05-27", 2, "count.restless_s", "must be a number, not 1979-05-27"),
        ("[count]\nrestless_s = true", 2, "count.restless_s", "must be a number, not true"),
        ("[procedure]\ntouch_commits = 1", 2, "procedure.touch_commits", "must be true or false, not 1"),
        (
            "[table]\nempty_seat = 'nort'",
            2,
            "table.empty_seat",
            "Did you mean north? Known here: east, south, west, north",
        ),
        ("title = 1\ntitle = 2\n", 2, "", "title is given twice (first on line 1). Keep one of the two"),
        ("title = 1\n# 2\ntitle = 2", 3, "", "title is given twice (first on line 1)"),
        ("[a]\nx = 1\n[b]\nx = 1\nx = 2\n", 5, "", "x is given twice (first on line 4)"),
        ("a = 1\na = '''\nx\n'''\n", 2, "", "a is given twice (first on line 1)"),
        ("[count]\n[window]\n[count]\n", 3, "", "[count] is given twice (first on line 1)"),
        ("count = 1\n[count]\n", 2, "", "[count] is given twice. Keep one of the two"),
        ("\ncount = {a = 1, a = 2}\n", 2, "", "a is given twice. Keep one of the two"),
        (
            "# racked_when\n[window]\nracked_when = 'placed'\n[count]\nracked_when = 1",
            5,
            "count.racked_when",
            "unknown",
        ),
        (
            "# off_turn_motion_s\n[window]\n[count]\noff_turn_motion_s = 'x'",
            4,
            "count.off_turn_motion_s",
            "must be a number",
        ),
        ("# count\n[ count ]\nmonitoring = 'no'", 3, "count.monitoring", "is not known"),
        ("[window]\n'racked when' = 1", 2, "window.racked when", "did you mean racked_when"),
    ],
)
def test_errors_name_file_line_and_key(text: str, line: int, key: str, why: str) -> None:
    with pytest.raises(ProfileError) as told:
        parse_profile(text, "ours.toml")
    assert (told.value.source, told.value.line, told.value.key) == ("ours.toml", line, key)
    assert why in told.value.why
    assert str(told.value).startswith(f"ours.toml:{line}: " if line else "ours.toml: ")
    assert " - at " not in str(told.value)
    assert key in str(told.value)
    assert why in str(told.value)


def test_bounds_of_what_is_allowed() -> None:
    profile = parse_profile("[count]\noff_turn_motion_s = 0\n[evidence]\nsure_confidence = 1.0\n")
    assert profile.count.off_turn_motion_s == 0.0
    assert profile.evidence.sure_confidence == 1.0
    assert parse_profile("[count]\nrestless_s = 999999\n").count.restless_s == 999999.0
    with pytest.raises(ProfileError):
        parse_profile("[count]\nrestless_s = 1000000\n")


def test_a_text_without_a_name_is_called_a_profile() -> None:
    with pytest.raises(ProfileError, match=r"^profile:1: "):
        parse_profile("x = 1")


def test_a_word_that_is_nowhere_has_no_line() -> None:
    assert _line_of("[window]\n", "count.off_turn_motion_s") == 0
    assert _line_of("[window]\n", "") == 0
    assert _line_of("x\ny off_turn_motion_s\noff_turn_motion_s", "count.off_turn_motion_s") == 2


def test_an_error_without_a_line_names_the_file_alone() -> None:
    assert str(ProfileError("ours.toml", 0, "", "cannot be read")) == "ours.toml: cannot be read"


def test_a_profile_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        LEAGUE.title = "x"  # type: ignore[misc]
    assert msgspec.structs.replace(LEAGUE, title="x").title == "x"
