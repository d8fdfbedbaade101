"""Events as they stand: corrected, struck, at their true seats, for whom they are meant, no more than can be held."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.audience import Audience
from monitor.events import (
    SEATS,
    Called,
    Corrected,
    CountChanged,
    Discarded,
    Event,
    Passed,
    Racked,
    SeatsSwapped,
    Via,
    WindowClosed,
)
from monitor.rules.ledger import Ledger, heard
from monitor.rules.profile import LEAGUE
from monitor.standing import StandingEvents

E, S, W, N = SEATS


def discard(seq: int, at: float) -> Discarded:
    return Discarded(at=at, seq=seq, seat=E)


def followed(*events: Event, audience: Audience | None = None) -> StandingEvents:
    made = StandingEvents(audience)
    for event in events:
        assert made.take(event)
    return made


def test_a_correction_is_followed_through_its_corrections() -> None:
    made = followed(
        discard(1, 10.0),
        Corrected(at=11.0, seq=2, replaces=1),
        Corrected(at=12.0, seq=3, replaces=2, seat=W),
        discard(4, 11.5),
    )
    assert [(one.event.at, one.event.seat, one.changed, one.seqs) for one in made.all] == [
        (11.5, E, False, (4,)),
        (12.0, W, True, (1, 2, 3)),
    ]
    assert made.seqs == {1, 2, 3, 4}


def test_a_person_names_an_event_by_its_first_number() -> None:
    made = followed(discard(1, 10.0), Corrected(at=11.0, seq=2, replaces=1))
    assert made.amend(Corrected(at=10.0, replaces=1, struck=True), "Ada")
    (one,) = made.all
    assert (one.struck, one.by, one.told.at) == (True, "Ada", 11.0)
    assert made.standing == []


def test_what_is_struck_stays_marked_and_may_come_back() -> None:
    made = followed(discard(1, 10.0), Corrected(at=10.0, seq=2, replaces=1, struck=True))
    (one,) = made.all
    assert (one.struck, one.event) == (True, discard(1, 10.0))
    assert made.take(Corrected(at=12.0, seq=3, replaces=2))
    assert [one.event.at for one in made.standing] == [12.0]


def test_a_correction_of_nothing_or_to_an_unknown_kind_changes_nothing() -> None:
    made = followed(discard(1, 10.0))
    assert not made.take(Corrected(at=10.0, seq=2, replaces=77))
    assert not made.take(Corrected(at=10.0, seq=3, replaces=1, new_kind="from_the_future"))
    assert [one.event for one in made.all] == [discard(1, 10.0)]


def test_memory_is_bounded_and_what_is_forgotten_is_counted() -> None:
    made = StandingEvents(remembered=3)
    for seq in range(1, 11):
        made.take(discard(seq, float(seq)))
    assert ([one.event.seq for one in made.all], made.forgotten, len(made)) == ([8, 9, 10], 7, 3)
    assert not made.take(Corrected(at=1.0, seq=11, replaces=1, struck=True))


def test_an_event_that_was_of_another_kind_tells_no_tile() -> None:
    made = followed(
        Racked(at=5.0, seq=1, seat=S, uid="E004"),
        Corrected(at=5.0, seq=2, replaces=1, new_kind="discarded", face="joker"),
        audience=Audience(),
    )
    (one,) = made.standing
    assert one.event == Discarded(at=5.0, seq=2, seat=S)


@pytest.mark.parametrize("turned", [None, "racked"])
def test_counts_are_left_out_where_they_are_not_monitored_until_they_are_none(turned: str | None) -> None:
    made = followed(
        CountChanged(at=5.0, seq=1, seat=S, count=13),
        Racked(at=6.0, seq=2, seat=S),
        Corrected(at=6.0, seq=3, replaces=2, new_kind="count_changed", count=14),
        Corrected(at=5.0, seq=4, replaces=1, new_kind=turned),
        audience=Audience(count_monitoring=False),
    )
    assert [type(one.event) for one in made.all] == ([] if turned is None else [Racked])


def test_at_one_moment_a_window_closes_after_what_closed_it() -> None:
    made = followed(WindowClosed(at=5.0, seq=1, seat=S), Racked(at=5.0, seq=2, seat=S))
    assert [type(one.event) for one in made.all] == [Racked, WindowClosed]


def test_a_swap_moves_what_was_heard_of_the_racks_before_it() -> None:
    made = followed(
        Racked(at=1.0, seq=1, seat=E),
        Passed(at=2.0, seq=2, seat=W, to=E),
        Called(at=3.0, seq=3, seat=E, via=Via.INPUT),
        SeatsSwapped(at=4.0, seq=4, seat=E, other=W),
        Racked(at=5.0, seq=5, seat=E),
    )
    assert [one.event.seat for one in made.all] == [W, E, E, E, E]
    assert isinstance(passed := made.all[1].event, Passed)
    assert passed.to is W
    assert made.take(Corrected(at=4.0, seq=6, replaces=4, struck=True))
    assert [one.event.seat for one in made.standing] == [E, W, E, E]


MOMENTS = st.integers(0, 9).map(float)
SEAT = st.sampled_from(SEATS)
NUMBERS = st.integers(1, 12)
STEPS = st.lists(
    st.one_of(
        st.builds(Racked, at=MOMENTS, seat=SEAT),
        st.builds(Discarded, at=MOMENTS, seat=SEAT),
        st.builds(Called, at=MOMENTS, seat=SEAT, via=st.sampled_from(Via)),
        st.builds(SeatsSwapped, at=MOMENTS, seat=SEAT, other=SEAT),
        st.builds(Corrected, at=MOMENTS, seat=SEAT, replaces=NUMBERS),
        st.builds(Corrected, at=MOMENTS, replaces=NUMBERS, struck=st.just(True)),
    ),
    max_size=12,
)


def numbered(event: Event, seq: int) -> Event:
    return msgspec.structs.replace(event, seq=seq)


@given(STEPS)
def test_it_stands_as_the_rules_have_it(steps: list[Event]) -> None:
    """Whatever is told, corrected, struck and swapped: the rules' ledger and this fold hold the same acts."""
    ledger, made = Ledger(), StandingEvents()
    for seq, event in enumerate(steps, 1):
        ledger = heard(ledger, numbered(event, seq), LEAGUE)
        made.take(numbered(event, seq))
    ruled = {(one.root, one.event.at, one.event.seat) for one in ledger.whole().entries if not one.struck}
    assert {(one.seqs[0], one.event.at, one.event.seat) for one in made.standing} == ruled
