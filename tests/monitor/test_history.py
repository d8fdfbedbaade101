"""What is held of a table: the hand that runs and a little of the one before, with corrections of both."""

from hypothesis import given
from hypothesis import strategies as st

from monitor.events import Corrected, CountChanged, Discarded, Event, NewHand, Seat
from monitor.history import EARLIER_EVENTS, Histories, TableHistory
from monitor.standing import StandingEvents


def history(*events: Event) -> TableHistory:
    taken = TableHistory()
    for event in events:
        taken.take(event)
    return taken


@given(st.lists(st.lists(st.floats(0, 1000), max_size=20), max_size=4))
def test_a_hand_is_what_was_told_since_it_began(hands: list[list[float]]) -> None:
    taken, alone, seq = TableHistory(), StandingEvents(), 0
    for moments in hands:
        for number, at in enumerate([0.0, *moments]):
            seq += 1
            event = Discarded(at=at, seq=seq, seat=Seat.WEST) if number else NewHand(at=at, seq=seq)
            if not number and moments:
                alone = StandingEvents()
            elif not number:
                break
            taken.take(event)
            alone.take(event)
    assert [one.event for one in taken.hand] == [one.event for one in alone.standing]


def test_a_correction_finds_its_event_in_the_hand_before() -> None:
    first, new = Discarded(at=1.0, seq=1, seat=Seat.WEST), NewHand(at=5.0, seq=2)
    taken = history(first, new, Discarded(at=6.0, seq=3, seat=Seat.EAST))
    assert [one.event.seq for one in taken.all] == [1, 2, 3]
    taken.take(Corrected(at=1.0, seq=4, replaces=1, struck=True))
    assert [one.event.seq for one in taken.all] == [2, 3]
    assert [one.event.seq for one in taken.hand] == [2, 3]


def test_of_the_hand_before_the_latest_is_held() -> None:
    many = EARLIER_EVENTS + 50
    earlier = [CountChanged(at=float(n), seq=n, seat=Seat.EAST, count=13) for n in range(1, many)]
    played = Discarded(at=float(many), seq=many, seat=Seat.EAST)
    taken = history(*earlier, played, NewHand(at=many + 1.0, seq=many + 1))
    assert len(taken.all) == EARLIER_EVENTS + 1
    assert taken.all[-2].event == played
    assert len(taken.hand) == 1


def test_tables_are_apart() -> None:
    both = Histories(["T1", "T2"])
    both.take("T2", Discarded(at=1.0, seat=Seat.EAST))
    assert ("T1" in both, "T3" in both) == (True, False)
    assert [len(both[table].all) for table in ("T1", "T2")] == [0, 1]
