"""The documents say what the code does: commands, settings, records, links, and nothing of one machine's folders."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from typer.main import get_command

from hw.calibration import CellCalibration, Measured
from monitor.access.roles import MAY, Role
from monitor.alerts import Alert, Rule
from monitor.cli import app
from monitor.events import Event
from monitor.settings import Settings
from monitor.settings_file import load_settings
from monitor.settings_reference import described_keys, reference

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("firmware_bridge/*.md")])
COMMANDS: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
KINDS: tuple[Any, ...] = get_args(Event)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_and_target_that_a_page_names_exists(page: Path) -> None:
    text = page.read_text()
    code = "\n".join(re.findall(r"```.*?```|`[^`\n]+`", text, re.DOTALL))
    for command in re.findall(r"\brackwatch ([a-z][a-z-]*)", code):
        assert command in COMMANDS, f"rackwatch {command}"
    for target in re.findall(r"\bmake ([a-z][a-z-]*)", code):
        assert target in TARGETS, f"make {target}"


def options_of(command: str) -> set[str]:
    """A command's own, and those of the commands below it."""
    named = COMMANDS[command]
    every = [named, *getattr(named, "commands", {}).values()]
    return {name for one in every for parameter in one.params for name in parameter.opts + parameter.secondary_opts}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_option_that_a_page_gives_a_command_exists(page: Path) -> None:
    for command, rest in re.findall(r"\brackwatch ([a-z]+)((?:[^`\n]|\\\n)*)", page.read_text()):
        for option in re.findall(r"(?<=\s)--[a-z-]+", rest):
            assert option in options_of(command) | {"--help"}, f"rackwatch {command} {option}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_links_to_exists(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_readme_names_every_command_and_the_main_targets() -> None:
    text = (ROOT / "README.md").read_text()
    for command in COMMANDS:
        assert f"rackwatch {command}" in text, command
    for target in ("demo", "test"):
        assert f"make {target}" in text


def test_settings_are_documented_as_they_are() -> None:
    assert (ROOT / "docs" / "settings.md").read_text() == reference(), (
        "run: python -m monitor.settings_reference > docs/settings.md"
    )
    for key, description in described_keys():
        assert description, f"{key} has no description"


def test_the_clubs_file_names_every_setting_and_its_comments_are_true(tmp_path: Path) -> None:
    shown = (ROOT / "config" / "club.toml").read_text()
    tournament = (ROOT / "config" / "tournament.toml").read_text()
    for key, _ in described_keys():
        section, name = key.split(".")
        text = tournament if section == "mqtt" else shown
        assert re.search(rf"^(# )?{name} = |^# \[tables\.{name}\.", text, re.MULTILINE) or name == "port", key
    path = tmp_path / "club.toml"
    path.write_text(re.sub(r"^# (?=\w+ = |\[)", "", shown, flags=re.MULTILINE))
    opened = load_settings(path).settings
    closed = load_settings(ROOT / "config" / "club.toml").settings
    assert opened.web == closed.web
    assert opened.tables[0].practice == closed.tables[0].practice
    assert opened.tables[0].calibration
    assert load_settings(ROOT / "config" / "tournament.toml").settings.mqtt is not None


def rows(page: str) -> Iterator[str]:
    for line in (ROOT / "docs" / page).read_text().splitlines():
        if line.startswith("|"):
            yield line


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__struct_config__.tag)
def test_every_event_kind_is_documented_with_its_keys(kind: Any) -> None:
    tag = kind.__struct_config__.tag
    row = next((row for row in rows("records.md") if row.startswith(f"| `{tag}` |")), None)
    assert row is not None, f"docs/records.md does not tell of {tag}"
    shared = {"at", "seq", "table", "seat", "earliest", "latest", "seen_at", "confidence", "uid", "uids", "face"}
    if tag != "corrected":
        own = {field.encode_name for field in msgspec.structs.fields(kind)} - shared
        assert set(re.findall(r"`(\w+)`", row.split("|")[3])) == own


@pytest.mark.parametrize("rule", Rule)
def test_every_alert_rule_is_documented(rule: Rule) -> None:
    assert any(row.startswith(f"| `{rule}` |") for row in rows("records.md")), rule


def test_every_key_of_an_alert_is_documented() -> None:
    text = (ROOT / "docs" / "records.md").read_text()
    for field in msgspec.structs.fields(Alert):
        shared = {"seq", "table", "seat", "at", "earliest", "latest", "confidence", "rule", "raised_at"}
        assert field.name in shared or f"`{field.name}`" in text, field.name


def test_the_roles_are_documented_as_they_are() -> None:
    assert [row for row in rows("access.md") if re.match(r"\| `\w+` \| \w+", row)] == [
        f"| `{role}` | {MAY[role]} |" for role in Role
    ]


def test_there_is_a_reference_for_every_section() -> None:
    assert {key.split(".")[0] for key, _ in described_keys()} == {
        field.name for field in msgspec.structs.fields(Settings)
    }


def sources() -> Iterator[Path]:
    for folder in ("", "docs", "config", "firmware_bridge", "hw", "monitor", "tests", "bench", ".ci"):
        base = ROOT / folder
        for path in base.glob("*") if not folder else base.rglob("*"):
            if (
                path.is_file()
                and not path.name.startswith(".")
                and path.suffix
                in {
                    ".md",
                    ".py",
                    ".toml",
                    ".conf",
                    ".service",
                    ".html",
                    ".js",
                    ".css",
                    "",
                }
            ):
                yield path


def test_nothing_names_a_folder_of_one_machine() -> None:
    pattern = re.compile(r"(?<![\w.])/(?:wo" + r"rk|ro" + r"ot|home/\w+)/")
    for path in sources():
        if "__pycache__" not in path.parts:
            found = pattern.search(path.read_text(encoding="utf-8", errors="ignore"))
            assert found is None, f"{path.relative_to(ROOT)}: {found}"


def test_what_a_calibration_writes_is_documented() -> None:
    text = (ROOT / "docs" / "calibration.md").read_text()
    for struct in (Measured, CellCalibration):
        for field in msgspec.structs.fields(struct):
            assert f"`{field.name}`" in text, field.name
    assert "`tile_doubts`" in text
