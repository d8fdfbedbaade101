"""Events as they stand: corrected, without identities, in order of time, and no more of them than can be held."""

import pytest

from monitor.audience import Audience
from monitor.events import Corrected, CountChanged, Discarded, Racked, Seat
from monitor.reports import hand_events
from monitor.reports.hand_events import HandEvents


def test_corrections_of_corrections_and_struck_events() -> None:
    events = HandEvents(Audience())
    assert events.take(Racked(at=5.0, seq=1, seat=Seat.SOUTH, uid="E004"))
    assert events.take(Discarded(at=3.0, seq=2, seat=Seat.EAST, face="joker"))
    assert events.take(Corrected(at=2.0, seq=3, replaces=1))
    assert events.take(Corrected(at=1.0, seq=4, replaces=3, seat=Seat.WEST, uid="E005"))
    assert events.take(Corrected(at=3.0, seq=5, replaces=2, struck=True))
    (one,) = events.standing
    assert isinstance(one.event, Racked)
    assert (one.event.at, one.event.seat, one.event.uid, one.seqs) == (1.0, Seat.WEST, None, (1, 3, 4))
    assert events.seqs == {1, 3, 4}


def test_a_correction_of_another_hand_is_not_taken() -> None:
    assert not HandEvents(Audience()).take(Corrected(at=2.0, seq=3, replaces=1))


def test_an_event_that_was_of_another_kind() -> None:
    events = HandEvents(Audience())
    events.take(Racked(at=5.0, seq=1, seat=Seat.SOUTH, uid="E004"))
    events.take(Corrected(at=5.0, seq=2, replaces=1, new_kind="discarded", face="joker"))
    (one,) = events.standing
    assert isinstance(one.event, Discarded)
    assert (one.event.uid, one.event.face) == (None, None)


def test_counts_are_left_out_where_they_are_not_monitored() -> None:
    events = HandEvents(Audience(count_monitoring=False))
    events.take(CountChanged(at=5.0, seq=1, seat=Seat.SOUTH, count=13))
    assert events.standing == []


def test_what_is_dropped_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_events, "KEPT_EVENTS", 3)
    events = HandEvents(Audience())
    for seq in range(1, 6):
        events.take(Racked(at=float(seq), seq=seq, seat=Seat.SOUTH))
    assert ([one.event.seq for one in events.standing], events.dropped) == ([3, 4, 5], 2)
