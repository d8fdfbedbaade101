"""Found, missed, false, excused: alerts beside the rulings that are due."""

import pytest

from bench.accuracy.rulings import Ruled, ruled
from bench.accuracy.standing import Settled
from firmware_bridge.messages import Place
from hw.simulator.truth import Truth, TruthEvent, TruthFault
from monitor.alerts import Alert, Rule, Verdict
from monitor.events import Seat

from .hand import alert, truth

WRONG = TruthFault(at=50.0, kind="wrong_count", seat=Place.EAST)


def judged(rule: Rule, hand: Truth, *alerts: Alert) -> Ruled:
    return ruled(rule, hand, Settled((), alerts, ()))


def test_found_in_time() -> None:
    found = judged(Rule.WRONG_COUNT, truth(faults=(WRONG,)), alert(Rule.WRONG_COUNT, 52.0, raised_at=57.0))
    assert (found.due, found.found, found.false, found.delay_s, found.told) == (1, 1, 0, (7.0,), ())


@pytest.mark.parametrize(("at", "seat"), [(47.0, Seat.EAST), (52.0, Seat.WEST)])
def test_too_early_or_another_seat_is_false_and_the_fault_missed(at: float, seat: Seat) -> None:
    found = judged(Rule.WRONG_COUNT, truth(faults=(WRONG,)), alert(Rule.WRONG_COUNT, at, seat))
    assert (found.found, found.false) == (0, 1)
    assert [words.split()[0] for words in found.told] == ["false", "missed"]


def test_told_again_is_no_new_false_alarm() -> None:
    again = alert(Rule.WRONG_COUNT, 90.0, id_="b")
    found = judged(Rule.WRONG_COUNT, truth(faults=(WRONG,)), alert(Rule.WRONG_COUNT, 50.0), again)
    assert (found.found, found.false) == (1, 0)


def test_a_lawful_hand_excuses_nothing() -> None:
    for rule in (Rule.WRONG_COUNT, Rule.OUT_OF_TURN, Rule.SIMULTANEOUS_CALL, Rule.REDEAL):
        assert judged(rule, truth(), alert(rule, 50.0)).false == 1


def test_a_redeal_concerns_the_table_whatever_the_seat() -> None:
    due = TruthFault(at=50.0, kind="redeal", seat=Place.EAST, counts={"east": 12, "west": 14})
    assert judged(Rule.REDEAL, truth(faults=(due,)), alert(Rule.REDEAL, 100.0, None)).found == 1
    assert judged(Rule.REDEAL, truth(faults=(due,)), alert(Rule.REDEAL, 111.0, None)).found == 0


def test_racks_that_a_thrown_in_hand_left_wrong_are_excused_and_no_others() -> None:
    due = TruthFault(at=50.0, kind="redeal", seat=Place.EAST, counts={"east": 12, "west": 14})
    hand = truth(faults=(due,))
    assert judged(Rule.WRONG_COUNT, hand, alert(Rule.WRONG_COUNT, 60.0, Seat.WEST)).false == 0
    assert judged(Rule.WRONG_COUNT, hand, alert(Rule.WRONG_COUNT, 60.0, Seat.NORTH)).false == 1
    assert judged(Rule.WRONG_COUNT, hand, alert(Rule.WRONG_COUNT, 40.0, Seat.WEST)).false == 1


def test_doubt_about_a_close_call_is_honest_and_about_others_is_not() -> None:
    hand = truth((TruthEvent(at=50.0, kind="close_call", seat=Place.EAST),))
    doubt = alert(Rule.SIMULTANEOUS_CALL, 50.5, verdict=Verdict.UNDETERMINED)
    assert judged(Rule.SIMULTANEOUS_CALL, hand, doubt).undetermined == 1
    assert judged(Rule.SIMULTANEOUS_CALL, hand, doubt).false == 0
    sure = alert(Rule.SIMULTANEOUS_CALL, 50.5, verdict=Verdict.SIMULTANEOUS)
    assert judged(Rule.SIMULTANEOUS_CALL, hand, sure).false == 1
    assert judged(Rule.SIMULTANEOUS_CALL, truth(), doubt).false == 1


def test_what_was_withdrawn_is_counted_apart() -> None:
    found = ruled(Rule.REDEAL, truth(), Settled((), (), (alert(Rule.REDEAL, 50.0),)))
    assert (found.false, found.withdrawn) == (0, 1)
