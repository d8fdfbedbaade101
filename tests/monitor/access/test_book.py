import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.access.book import Book, Device, Person, flaws, with_entry, with_password, without
from monitor.access.roles import MAY, Role
from monitor.access.tokens import digest_of, new_token
from monitor.errors import AccessError

HASH = "$argon2id$v=19$m=8,t=1,p=1$c2FsdA$aGFzaA"


def person(name: str = "Dora", role: Role = Role.DIRECTOR) -> Person:
    return Person(name=name, role=role, password=HASH)


def device(name: str = "tablet", role: Role = Role.CLUB, table: str | None = "T1") -> Device:
    return Device(name=name, role=role, sha256=digest_of(name), table=table)


@given(st.sampled_from(Role), st.sampled_from(Role))
def test_roles_are_in_one_order_and_the_table_tells_all(one: Role, other: Role) -> None:
    roles = list(Role)
    assert one.covers(other) is (roles.index(one) >= roles.index(other))
    assert set(MAY) == set(Role)


def test_who_comes_is_there_and_who_goes_is_not() -> None:
    book = with_entry(with_entry(Book(), person()), device())
    assert book.has_director
    assert book.named("tablet") == device()
    assert book.person(" dora ") == person()
    assert book.device(digest_of("tablet")) == device()
    assert without(book, "Dora") == Book(devices=(device(),))
    assert not without(book, "Dora").has_director
    assert without(without(book, "tablet"), "Dora") == Book()


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (person("dora"), "there is one of that name"),
        (person("Dan", Role.PUBLIC), "needs no name"),
        (person("Dan", Role.CLUB), "a device, with its table"),
        (device(table=None), "with its table"),
        (device(role=Role.DIRECTOR), "director is a role for all tables"),
        (person("D\x1b[1mora"), "letters that can be read"),
    ],
)
def test_what_cannot_be_added(entry: Person | Device, says: str) -> None:
    with pytest.raises(AccessError, match=says):
        with_entry(Book(people=(person(),)), entry)


def test_a_new_password_changes_the_mark_and_nothing_else() -> None:
    book = with_entry(Book(), person())
    changed = with_password(book, "Dora", HASH + "x").named("Dora")
    assert changed is not None
    assert changed.mark != person().mark
    assert msgspec.structs.replace(changed, password=HASH) == person()
    with pytest.raises(AccessError, match=r"no such person\. Known here: Dora"):
        with_password(book, "Dan", HASH)
    with pytest.raises(AccessError, match="no such person or device"):
        without(book, "Dan")


def test_a_book_written_by_hand_is_looked_through() -> None:
    assert flaws(Book(people=(person(), person("DORA")))) == ["dora: the name is there twice"]
    assert flaws(Book(people=(person("Dan", Role.PUBLIC),))) == ["Dan: what the public sees needs no name"]
    assert flaws(Book(people=(person(),), devices=(device(),))) == []


def test_tokens_differ_and_their_digests_do_not_tell_them() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert min(map(len, tokens)) == 43
    assert all(token not in digest_of(token) for token in tokens)


@given(st.text())
def test_any_text_may_be_shown_as_a_token(text: str) -> None:
    assert Book(devices=(device(),)).device(digest_of(text)) is None or text == "tablet"
