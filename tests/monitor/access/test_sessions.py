import msgspec
from hypothesis import given
from hypothesis import strategies as st

from monitor.access.book import Book, Device, Person
from monitor.access.roles import Role
from monitor.access.sessions import REMEMBERED, Ended, Lifetimes, bearer, begun

LIVES = Lifetimes(idle_s=100.0, person_s=1000.0, device_s=5000.0)
DORA = Person(name="Dora", role=Role.DIRECTOR, password="$argon2id$x")
TABLET = Device(name="tablet", role=Role.CLUB, sha256="0" * 64, table="T1")
BOOK = Book(people=(DORA,), devices=(TABLET,))


@given(st.floats(-10.0, 6000.0), st.floats(0.0, 6000.0))
def test_a_session_stands_while_it_is_young_and_a_persons_while_it_is_used(age_s: float, unused_s: float) -> None:
    now_s = 1e9 + age_s
    used_s = now_s - unused_s
    dora = msgspec.structs.replace(begun(DORA, 1e9), used_s=used_s)
    tablet = msgspec.structs.replace(begun(TABLET, 1e9), used_s=used_s)
    unused_s, age_s = now_s - used_s, now_s - 1e9
    assert (bearer(dora, BOOK, LIVES, now_s) is DORA) is (0 <= age_s < 1000.0 and unused_s < 100.0)
    assert (bearer(tablet, BOOK, LIVES, now_s) is TABLET) is (0 <= age_s < 5000.0)


def test_a_revocation_or_another_password_or_token_ends_it() -> None:
    session = begun(DORA, 0.0)
    assert bearer(session, BOOK, LIVES, 1.0) is DORA
    assert bearer(session, Book(), LIVES, 1.0) is None
    again = msgspec.structs.replace(DORA, password="$argon2id$y")
    assert bearer(session, Book(people=(again,)), LIVES, 1.0) is None
    other = msgspec.structs.replace(TABLET, sha256="1" * 64)
    assert bearer(begun(TABLET, 0.0), Book(devices=(other,)), LIVES, 1.0) is None


def test_another_role_counts_in_a_session_that_began_before() -> None:
    session = begun(DORA, 0.0)
    scorer = msgspec.structs.replace(DORA, role=Role.SCORER)
    assert bearer(session, Book(people=(scorer,)), LIVES, 1.0) is scorer


def test_those_signed_out_of_are_remembered_as_far_as_there_is_room() -> None:
    ended, first = Ended(), begun(DORA, 0.0)
    ended.add(first)
    assert first in ended
    assert begun(DORA, 0.0) not in ended
    for _ in range(REMEMBERED):
        ended.add(begun(DORA, 0.0))
    assert first not in ended
