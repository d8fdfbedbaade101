from pathlib import Path

import pytest

from monitor.access.book import Book, Device, Person
from monitor.access.door import AT_THIS_MACHINE, PUBLIC, Caller, Door, Standing, who_is_let_in
from monitor.access.opening import entrance
from monitor.access.roles import Role
from monitor.access.sessions import Lifetimes
from monitor.access.tokens import digest_of
from monitor.settings_file import load_settings

DORA = Person(name="Dora", role=Role.DIRECTOR, password="$argon2id$x")
TABLET = Device(name="tablet", role=Role.CLUB, sha256=digest_of("token"), table="T1")


def door(folder: Path, *, loopback: bool = True) -> Door:
    return Door(folder / "access.json", Lifetimes(100.0, 100.0, 100.0), lambda: 0.0, loopback=loopback)


@pytest.mark.parametrize(
    ("book", "loopback", "standing", "says"),
    [
        (None, True, Standing.THIS_MACHINE, "this machine alone"),
        (None, False, Standing.NOBODY, "make a director"),
        (Book(devices=(TABLET,)), True, Standing.NOBODY, "make a director"),
        (Book(devices=(TABLET,)), False, Standing.NOBODY, "make a director"),
        (Book(people=(DORA,)), True, Standing.SIGN_IN, "on this machine too"),
        (Book(people=(DORA,)), False, Standing.SIGN_IN, "those who sign in"),
        (b"{", True, Standing.UNUSABLE, "nobody is let in"),
        (b"{", False, Standing.UNUSABLE, "nobody is let in"),
    ],
)
def test_what_holds(
    tmp_path: Path, book: Book | bytes | None, *, loopback: bool, standing: Standing, says: str
) -> None:
    at = door(tmp_path, loopback=loopback)
    if isinstance(book, Book):
        at.file.write(book)
    elif book is not None:
        at.file.path.write_bytes(book)
    assert at.standing() is standing
    assert says in who_is_let_in(at)
    here = AT_THIS_MACHINE if standing is Standing.THIS_MACHINE else PUBLIC
    assert (at.by_place(local=True), at.by_place(local=False)) == (here, PUBLIC)


def test_who_is_known(tmp_path: Path) -> None:
    at = door(tmp_path)
    assert at.by_token("token") is None
    at.file.write(Book(people=(DORA,), devices=(TABLET,)))
    assert at.by_token("token") == Caller(Role.CLUB, "tablet", "T1")
    assert at.by_token("") is None
    session = at.begin("dora", DORA.password)
    assert session is not None
    assert at.by_session(session) == Caller(Role.DIRECTOR, "Dora")
    assert at.begin("dora", "$argon2id$another") is None  # changed while it was being compared
    assert at.begin("nobody", DORA.password) is None
    at.end(session)
    assert at.by_session(session) is None
    other = at.begin("dora", DORA.password)
    assert other is not None
    at.file.path.write_bytes(b"{")
    assert (at.by_session(other), at.by_token("token")) == (None, None)


def test_a_tables_caller_is_for_that_one() -> None:
    tablet, scorer = Caller(Role.CLUB, "tablet", "T1"), Caller(Role.SCORER, "Sue")
    assert tablet.may(Role.CLUB, "T1")
    assert not tablet.may(Role.CLUB, "T2")
    assert scorer.may(Role.CLUB, "T2")
    assert not tablet.may(Role.SCORER, "T1")


@pytest.mark.parametrize(
    ("web", "access", "loopback"),
    [
        ("", "", True),
        ('host = "::1"', "", True),
        ('host = "localhost"', "", True),
        ('host = "0.0.0.0"', "", False),
        ('host = "192.168.1.2"', "", False),
        ("", 'proxies = "127.0.0.1"', False),
    ],
)
def test_this_machine_alone_is_meant_where_nobody_else_can_come(
    tmp_path: Path, web: str, access: str, *, loopback: bool
) -> None:
    settings = tmp_path / "club.toml"
    settings.write_text(f'[[tables]]\nname = "T1"\n[web]\n{web}\n[access]\n{access}\n')
    made = entrance(load_settings(settings), lambda: 0.0)
    assert (made.door.standing() is Standing.THIS_MACHINE) is loopback
    assert [path.name for path in tmp_path.iterdir()] == ["club.toml"], "nothing is made where nobody signs in"
    made.door.file.write(Book(people=(DORA,)))
    again = entrance(load_settings(settings), lambda: 0.0)
    assert again.key == entrance(load_settings(settings), lambda: 0.0).key != made.key
