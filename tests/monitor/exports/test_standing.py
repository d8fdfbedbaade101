from monitor.events import Corrected, Discarded, Event, Seat
from monitor.exports.entries import EventEntry, Origin
from monitor.exports.standing import HandTally, StandingEvents
from monitor.log.reader import Run

RUN = Run(1, 0, 0.0, "test")


def entry(event: Event) -> EventEntry:
    return EventEntry(Origin(event.seq, 1, "T1", 1, event.at, event.at, RUN), event)


def discard(seq: int, at: float) -> Discarded:
    return Discarded(at=at, seq=seq, seat=Seat.EAST)


def test_a_correction_is_followed_through_its_corrections() -> None:
    followed = StandingEvents()
    for event in (
        discard(1, 10.0),
        Corrected(at=11.0, seq=2, replaces=1),
        Corrected(at=12.0, seq=3, replaces=2, seat=Seat.WEST),
        discard(4, 11.5),
    ):
        assert followed.take(entry(event))
    assert [(one.event.at, one.event.seat, one.changed, one.origin.seq) for one in followed.all()] == [
        (11.5, Seat.EAST, False, 4),
        (12.0, Seat.WEST, True, 1),
    ]


def test_what_is_struck_stays_and_is_marked() -> None:
    followed = StandingEvents()
    followed.take(entry(discard(1, 10.0)))
    followed.take(entry(Corrected(at=10.0, seq=2, replaces=1, struck=True)))
    (one,) = followed.all()
    assert one.struck
    assert one.event == discard(1, 10.0)


def test_a_correction_of_nothing_or_to_an_unknown_kind_changes_nothing() -> None:
    followed = StandingEvents()
    followed.take(entry(discard(1, 10.0)))
    assert not followed.take(entry(Corrected(at=10.0, seq=2, replaces=77)))
    followed.take(entry(Corrected(at=10.0, seq=3, replaces=1, new_kind="from_the_future")))
    assert [type(one.event) for one in followed.all()] == [Discarded]


def test_memory_is_bounded() -> None:
    followed = StandingEvents(remembered=3)
    for seq in range(1, 11):
        followed.take(entry(discard(seq, float(seq))))
    assert [one.event.seq for one in followed.all()] == [8, 9, 10]


def test_pace_is_of_the_discards_that_stand() -> None:
    tally = HandTally("T1", 1)
    for event in (
        discard(1, 10.0),
        discard(2, 15.0),
        discard(3, 30.0),
        Corrected(at=15.0, seq=4, replaces=2, struck=True),
    ):
        tally.take(entry(event))
    summary = tally.summary()
    assert (summary.discards, summary.play_s, summary.pace_s, summary.length_s) == (2, 20.0, 20.0, 20.0)
    assert HandTally("T1", 2).summary().pace_s is None
