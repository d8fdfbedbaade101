"""What stands in the end: corrections take an event's place or strike it, withdrawn alerts do not count."""

from bench.accuracy.standing import settled
from monitor.alerts import AlertState, Rule
from monitor.events import Corrected, CountChanged, Discarded, Racked, Seat

from .hand import alert


def test_a_correction_changes_only_the_keys_it_has() -> None:
    told = Racked(at=10.0, seq=1, seat=Seat.EAST, seen_at=11.0, confidence=0.9)
    (event,) = settled([told, Corrected(at=10.5, seq=2, replaces=1, seen_at=12.0)]).events
    assert isinstance(event, Racked)
    assert (event.at, event.seat, event.seen_at, event.confidence) == (10.5, Seat.EAST, 12.0, 0.9)


def test_a_further_correction_names_the_latest() -> None:
    told = [
        Racked(at=1.0, seq=1, seat=Seat.EAST),
        Corrected(at=2.0, seq=2, replaces=1),
        Corrected(at=3.0, seq=3, replaces=2),
    ]
    assert [event.at for event in settled(told).events] == [3.0]


def test_what_was_struck_is_gone() -> None:
    assert settled([Racked(at=1.0, seq=1), Corrected(at=1.0, seq=2, replaces=1, struck=True)]).events == ()


def test_an_event_of_another_kind() -> None:
    told = [Racked(at=1.0, seq=1, seat=Seat.WEST), Corrected(at=1.0, seq=2, replaces=1, new_kind="discarded")]
    (event,) = settled(told).events
    assert isinstance(event, Discarded)
    assert event.seat is Seat.WEST


def test_a_number_that_became_unknown() -> None:
    (event,) = settled([CountChanged(at=1.0, seq=1, count=13), Corrected(at=1.0, seq=2, replaces=1, count=None)]).events
    assert isinstance(event, CountChanged)
    assert event.count is None


def test_a_correction_of_nothing_is_nothing() -> None:
    assert settled([Corrected(at=1.0, seq=2, replaces=1)]).events == ()


def test_alerts_by_their_first_line_and_last_state() -> None:
    rule = Rule.WRONG_COUNT
    found = settled(
        [
            alert(rule, 1.0, id_="kept"),
            alert(rule, 2.0, id_="back"),
            alert(rule, 9.0, id_="kept", state=AlertState.RESOLVED),
            alert(rule, 9.0, id_="back", state=AlertState.WITHDRAWN),
        ]
    )
    assert [(one.id, one.at) for one in found.kept] == [("kept", 1.0)]
    assert [(one.id, one.at) for one in found.withdrawn] == [("back", 2.0)]
