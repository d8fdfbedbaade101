from monitor.events import Dealt, Discarded, Event, HandEnded, HandStarted, NewHand, PlayStarted
from monitor.log.hands import HandCounter


def numbers(events: list[Event], start: int = 0) -> list[int]:
    counter = HandCounter(start)
    return [counter.take(event) for event in events]


def test_a_hand_under_way_at_the_start_is_hand_zero() -> None:
    assert numbers([PlayStarted(at=1), HandEnded(at=2), HandStarted(at=3), Dealt(at=4)]) == [0, 0, 1, 1]


def test_an_input_and_the_racks_filling_begin_one_hand_not_two() -> None:
    assert numbers([NewHand(at=1), HandStarted(at=2), Dealt(at=3), Discarded(at=4)]) == [1, 1, 1, 1]
    assert numbers([HandStarted(at=1), NewHand(at=2), Dealt(at=3), HandStarted(at=4)], 7) == [8, 8, 8, 9]
