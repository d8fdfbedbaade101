"""`rackwatch access`: what it changes, what it says, and that it says a secret once."""

import io
import re
from pathlib import Path
from typing import Any

import pytest

from monitor.access.book import Book, Device, Person
from monitor.access.file import AccessFile
from monitor.access.passwords import is_password
from monitor.access.roles import Role
from monitor.access.tokens import digest_of
from tests.monitor.command import run

Printed = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
PASSWORD = "four words are good"


@pytest.fixture
def club(tmp_path: Path) -> Path:
    path = tmp_path / "club.toml"
    path.write_text('[[tables]]\nname = "T1"\n')
    return path


def book(club: Path) -> Book:
    return AccessFile(club.with_name("access.json")).book()


def access(monkeypatch: Patch, club: Path, what: str, *words: str, says: str = PASSWORD) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(says + "\n"))
    return run(monkeypatch, "access", what, club, *words)


def test_a_person_comes_gets_another_password_and_goes(club: Path, monkeypatch: Patch, capsys: Printed) -> None:
    assert access(monkeypatch, club, "add", "Dora", "--role", "director", "--stdin") == 0
    assert "Dora may sign in as director." in capsys.readouterr().out
    (dora,) = book(club).people
    assert (dora.name, dora.role) == ("Dora", Role.DIRECTOR)
    assert is_password(PASSWORD, dora.password)
    assert {path.name: path.stat().st_mode & 0o777 for path in club.parent.glob("access.*")} == {
        "access.json": 0o600,
        "access.json.key": 0o600,
    }
    assert access(monkeypatch, club, "password", "Dora", "--stdin", says="four other words are") == 0
    (changed,) = book(club).people
    assert is_password("four other words are", changed.password)
    capsys.readouterr()
    assert access(monkeypatch, club, "list") == 0
    said = capsys.readouterr().out
    assert re.search(r"Dora +director +person", said)
    assert "for those who sign in" in said
    assert dora.password not in said
    assert access(monkeypatch, club, "revoke", "Dora") == 0
    assert book(club) == Book()


def test_a_password_is_asked_for_twice_and_not_shown(club: Path, monkeypatch: Patch, capsys: Printed) -> None:
    asked: list[tuple[str, dict[str, Any]]] = []

    def prompt(text: str, **options: Any) -> str:
        asked.append((text, options))
        return PASSWORD

    monkeypatch.setattr("typer.prompt", prompt)
    assert access(monkeypatch, club, "add", "Ada", "--role", "admin") == 0
    assert asked == [("Password", {"hide_input": True, "confirmation_prompt": "Once more"})]
    assert PASSWORD not in capsys.readouterr().out


def test_a_device_gets_a_token_that_is_shown_once_and_kept_as_a_digest(
    club: Path, monkeypatch: Patch, capsys: Printed
) -> None:
    words = ("tablet", "--role", "club", "--table", "T1", "--address", "http://192.168.1.5:8107")
    assert access(monkeypatch, club, "device", *words) == 0
    said = capsys.readouterr().out
    token = re.search(r"^[\w-]{43}$", said, re.MULTILINE)
    assert token is not None
    assert said.count(token[0]) == 1
    assert "▄" in said
    assert "http://192.168.1.5:8107/with" in said
    assert "Only this machine" not in said
    (device,) = book(club).devices
    assert device == Device(name="tablet", role=Role.CLUB, sha256=digest_of(token[0]), table="T1", added=device.added)
    assert token[0] not in club.with_name("access.json").read_text()


@pytest.mark.parametrize("name", ["tablet.html", "tablet.svg"])
def test_a_devices_code_is_printed_for_its_owner_alone(
    club: Path, monkeypatch: Patch, capsys: Printed, name: str
) -> None:
    paper = club.with_name(name)
    words = ("<b>wall</b>", "--role", "director", "--print", str(paper))
    assert access(monkeypatch, club, "device", *words) == 0
    text = paper.read_text()
    assert "<svg" in text
    assert "<b>wall" not in text
    assert paper.stat().st_mode & 0o777 == 0o600
    said = capsys.readouterr().out
    assert "Only this machine finds that address" in said
    token = re.search(r"^[\w-]{43}$", said, re.MULTILINE)
    assert token is not None
    assert token[0] not in text, "the code alone holds it"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("add", "Dora", "--role", "boss", "--stdin"), "boss is no role. Roles: club, scorer, director, admin"),
        (("add", "Dora", "--role", "public", "--stdin"), "no role"),
        (("add", "Dora", "--role", "club", "--stdin"), "with its table"),
        (("device", "tablet", "--role", "club"), "with its table"),
        (("device", "tablet", "--role", "club", "--table", "T9"), "there is no table T9"),
        (("device", "wall", "--role", "director", "--print", "wall.txt"), "neither .html nor .svg"),
        (("revoke", "Dan"), "Known here: nobody"),
        (("password", "Dan", "--stdin"), "no such person"),
    ],
)
def test_what_cannot_be_is_told_and_changes_nothing(
    club: Path, monkeypatch: Patch, capsys: Printed, words: tuple[str, ...], says: str
) -> None:
    assert access(monkeypatch, club, *words) == 2
    assert says in " ".join(capsys.readouterr().err.replace("│", "").split())
    assert book(club) == Book()


def test_a_short_password_is_refused(club: Path, monkeypatch: Patch, capsys: Printed) -> None:
    assert access(monkeypatch, club, "add", "Dora", "--role", "director", "--stdin", says="short") == 2
    assert "10 characters at least" in capsys.readouterr().err
    assert book(club) == Book()


def test_where_the_settings_name_no_address_there_is_a_token_and_no_code(
    club: Path, monkeypatch: Patch, capsys: Printed
) -> None:
    club.write_text('[[tables]]\nname = "T1"\n[web]\nhost = "0.0.0.0"\n')
    assert access(monkeypatch, club, "device", "wall", "--role", "director", "--print", "wall.html") == 2
    assert book(club) == Book()
    assert access(monkeypatch, club, "device", "wall", "--role", "director") == 0
    assert "With --address there is a code" in capsys.readouterr().out


def test_a_bad_file_is_told_and_left_as_it_is(club: Path, monkeypatch: Patch, capsys: Printed) -> None:
    path = club.with_name("access.json")
    path.write_text("{")
    for words in (("list",), ("revoke", "Dora"), ("add", "Dora", "--role", "director", "--stdin")):
        assert access(monkeypatch, club, *words) == 2
        assert str(path) in capsys.readouterr().err
    assert path.read_text() == "{"


def test_people_of_the_file_are_those_of_the_book(club: Path, monkeypatch: Patch) -> None:
    for name in ("Dora", "Sue"):
        assert access(monkeypatch, club, "add", name, "--role", "scorer", "--stdin") == 0
    assert access(monkeypatch, club, "add", "dora", "--role", "scorer", "--stdin") == 2
    assert [isinstance(one, Person) and one.name for one in book(club).entries] == ["Dora", "Sue"]
