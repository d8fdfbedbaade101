import os
import stat
from pathlib import Path

import pytest

from monitor.access.book import Book, Person
from monitor.access.file import AccessFile, BadBook, NoBook, open_to_others, session_key
from monitor.access.roles import Role
from monitor.errors import UnusableFileError

DORA = Person(name="Dora", role=Role.DIRECTOR, password="$argon2id$x")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_written_is_read_and_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "access.json"
    assert AccessFile(path).read() == NoBook()
    AccessFile(path).write(Book(people=(DORA,)))
    assert AccessFile(path).read() == Book(people=(DORA,))
    assert mode(path) == 0o600
    path.chmod(0o644)
    assert open_to_others(path)
    AccessFile(path).write(Book())
    assert not open_to_others(path)
    assert [left.name for left in tmp_path.iterdir()] == ["access.json"]


def test_a_change_counts_at_once(tmp_path: Path) -> None:
    path = tmp_path / "access.json"
    reader = AccessFile(path)
    assert reader.read() == NoBook()
    AccessFile(path).write(Book(people=(DORA,)))
    assert reader.read() == Book(people=(DORA,))
    AccessFile(path).write(Book())
    assert reader.read() == Book()
    path.unlink()
    assert reader.read() == NoBook()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "access.json: "),
        (b"{", "access.json: "),
        (b"[]", "access.json: "),
        (b"\xff\xfe", "access.json: "),
        (b'{"people": [{"name": "Dora", "role": "boss", "password": "$argon2id$x"}]}', "role"),
        (b'{"people": [{"name": "Dora", "role": "director", "password": "plain"}]}', "password"),
        (b'{"people": [], "persons": []}', "persons"),
        (b'{"devices": [{"name": "t", "role": "club", "sha256": "' + b"0" * 64 + b'"}]}', "with its table"),
    ],
)
def test_a_bad_file_is_told_and_is_not_the_absence_of_one(tmp_path: Path, text: bytes, says: str) -> None:
    path = tmp_path / "access.json"
    path.write_bytes(text)
    found = AccessFile(path).read()
    assert isinstance(found, BadBook)
    assert says in found.problem
    with pytest.raises(UnusableFileError, match=r"access\.json"):
        AccessFile(path).book()
    path.write_bytes(b"{}")
    assert AccessFile(path).read() == Book()


def test_a_folder_in_its_place_is_told(tmp_path: Path) -> None:
    assert isinstance(AccessFile(tmp_path).read(), BadBook)


def test_the_key_is_made_once_and_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "access.json"
    assert session_key(path, make=False) is None
    key = session_key(path, make=True)
    assert key is not None
    assert len(key) == 32
    assert session_key(path, make=False) == key
    assert mode(tmp_path / "access.json.key") == 0o600
    (tmp_path / "access.json.key").write_bytes(os.urandom(31))
    with pytest.raises(UnusableFileError, match="no key of 32 bytes"):
        session_key(path, make=True)
