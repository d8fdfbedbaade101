"""The director's queue: whatever two directors do in whatever order, it says what the log says."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from monitor.acts import (
    Acknowledged,
    Act,
    AllThrownIn,
    DeclaredDead,
    Declarer,
    Dismissed,
    GivenBack,
    Remarked,
    Taken,
    TimeAdded,
    Undone,
    Upheld,
)
from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.docket import ActConflict, Case, Docket, Filter, Handling, Made, Refused, told
from monitor.events import HandEnded, HandStarted, NewHand, Seat


def an_alert(id_: str = "T1-1", rule: Rule = Rule.LATE_CALL, **keys: object) -> Alert:
    made = Alert(
        id=id_, rule=rule, at=10.0, raised_at=11.0, article="107", authority=Authority.LEAGUE,
        level=Level.RULING_DUE, message="West called late.", state=AlertState.RAISED, table="T1",
    )  # fmt: skip
    return replace(made, **keys)


def same(at_s: float) -> float:
    return at_s


def docket_of(*alerts: Alert, hand: int = 1) -> Docket:
    docket = Docket()
    for alert in alerts:
        docket.take_alert(alert, hand, same)
    return docket


def case_of(docket: Docket, id_: str = "T1-1") -> Case:
    case = docket.case(id_)
    assert case is not None
    return case


def do(docket: Docket, *acts: Act, author: str = "Ada", first: int = 100) -> Case:
    for number, did in enumerate(acts, first):
        docket.take_act("T1-1", Made(number, author, 20.0 + number, "", did))
    return case_of(docket)


ACTS = st.sampled_from(
    [
        Acknowledged(),
        Taken(),
        GivenBack(),
        Upheld(),
        Dismissed(),
        DeclaredDead(Seat.WEST, Declarer.EAST),
        DeclaredDead(Seat.SOUTH),
        AllThrownIn(),
        TimeAdded(300.0),
        Remarked(),
    ]
) | st.integers(95, 140).map(Undone)


@given(st.lists(ACTS, max_size=14))
def test_an_act_counts_as_long_as_no_undoing_that_counts_names_it(acts: list[Act]) -> None:
    made = [Made(number, "Ada", 0.0, "", did) for number, did in enumerate(acts, 100)]
    lines = told(made)
    assert [line.made for line in lines] == made  # nothing is ever lost
    for at, line in enumerate(lines):
        named = [
            later.stands
            for later in lines[at + 1 :]
            if isinstance(later.made.did, Undone) and later.made.did.record == line.made.record
        ]
        assert line.stands is not any(named)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["Ada", "Bo"]), ACTS, st.integers(0, 2)), max_size=20))
def test_two_directors_at_once_keep_the_invariants(steps: list[tuple[str, Act, int]]) -> None:
    """Each acts on the version that they saw some acts ago; what is taken keeps the case whole, what is not changes
    nothing, and the log read again says the same."""
    docket = docket_of(an_alert())
    taken: list[Made] = []
    for number, (author, did, behind) in enumerate(steps, 100):
        case = case_of(docket)
        seen = case.version - behind
        answer = docket.objection(case, author, did, seen)
        if isinstance(answer, ActConflict):
            assert behind > 0
            assert not isinstance(did, Remarked)
            assert len(answer.meanwhile) == min(behind, case.version)
            assert answer.text.startswith("Meanwhile" if answer.meanwhile else "The case")
            continue
        assert behind == 0 or isinstance(did, Remarked) or isinstance(answer, ActConflict)
        if isinstance(answer, Refused):
            assert answer.text.endswith(".")
            assert not isinstance(did, Remarked)
            continue
        made = Made(number, author, float(number), "words", did)
        docket.take_act("T1-1", made)
        taken.append(made)
        after = case_of(docket)
        assert after.version == case.version + (not isinstance(did, Remarked))
        rulings = [type(one.did) for one in after.rulings]
        assert not {Upheld, Dismissed} <= set(rulings)
        assert (after.handling is Handling.RULED) is bool(rulings)
        assert (after.by == "") is (after.handling is Handling.NEW)
        assert after.needs_ruling is (after.handling is not Handling.RULED)
    again = docket_of(an_alert())
    for made in taken:
        again.take_act("T1-1", made)
    assert again.cases() == docket.cases()


def test_an_undoing_undone_brings_the_ruling_back() -> None:
    docket = docket_of(an_alert())
    assert do(docket, Taken(), Upheld()).handling is Handling.RULED
    assert do(docket, Undone(101), first=102).handling is Handling.TAKEN
    case = do(docket, Undone(102), first=103)
    assert case.handling is Handling.RULED
    assert [line.stands for line in case.acts] == [True, True, False, True]
    assert case.complaint("Ada", Undone(102)) == "Record 102 does not count any more: it was undone."
    assert case.complaint("Ada", Undone(99)) == "Record 99 is no act about this alert."


def test_bringing_back_what_the_new_ruling_contradicts_is_refused() -> None:
    case = do(docket_of(an_alert()), Upheld(), Undone(100), Dismissed())
    assert case.complaint("Bo", Undone(101)) == "It cannot be upheld and dismissed: undo the one first."
    assert case.complaint("Bo", Dismissed()) == "That is ruled already."
    assert case.complaint("Bo", TimeAdded(60.0)) == ""


@pytest.mark.parametrize(
    ("before", "did", "says"),
    [
        ((Taken(),), Acknowledged(), "It is taken by Ada."),
        ((Taken(),), Taken(), "You have taken it already."),
        ((), GivenBack(), "It is new."),
        ((Upheld(),), Taken(), "It is ruled by Ada."),
        ((Taken(), GivenBack()), Taken(), ""),
    ],
)
def test_what_may_follow_what(before: tuple[Act, ...], did: Act, says: str) -> None:
    assert do(docket_of(an_alert()), *before).complaint("Ada", did) == says


def test_a_conflict_says_what_the_other_did_and_words_are_always_taken() -> None:
    docket = docket_of(an_alert())
    do(docket, Taken(), DeclaredDead(Seat.WEST, Declarer.EAST), author="Bo")
    answer = docket.objection(case_of(docket), "Ada", Dismissed(), 0)
    assert isinstance(answer, ActConflict)
    assert answer.text == "Meanwhile Bo took it, Bo ruled West's hand dead, as East declared."
    assert docket.objection(case_of(docket), "Ada", Remarked(), 0) is None


def test_what_needs_a_ruling_comes_first_and_the_oldest_of_it() -> None:
    docket = docket_of(
        an_alert("notice", level=Level.NOTICE, raised_at=1.0),
        an_alert("young", raised_at=9.0),
        an_alert("old", raised_at=5.0),
        an_alert("ruled", raised_at=2.0),
        an_alert("window", Rule.WINDOW_CLOSED),
    )
    docket.take_act("ruled", Made(7, "Ada", 1.0, "", Upheld()))
    assert [case.alert.id for case in docket.cases()] == ["old", "young", "notice", "ruled"]
    assert [case.alert.id for case in docket.cases(Filter(oldest_s=5.0), 10.0)] == ["old", "young"]
    assert [case.alert.id for case in docket.cases(Filter(youngest_s=5.0), 10.0)] == ["old", "notice", "ruled"]
    assert docket.cases(Filter(tables=frozenset({"T2"}))) == []
    assert docket.cases(Filter(rules=frozenset({Rule.REDEAL}))) == []


def test_what_was_withdrawn_stays_where_somebody_goes_there() -> None:
    docket = docket_of(an_alert(), an_alert("other"))
    do(docket, Taken())
    for id_ in ("T1-1", "other"):
        docket.take_alert(an_alert(id_, state=AlertState.WITHDRAWN, message="It was in time."), 1, same)
    (case,) = docket.cases()
    assert (case.state, case.ended, case.open, case.needs_ruling) == (
        AlertState.WITHDRAWN, "It was in time.", True, False,
    )  # fmt: skip
    assert case.alert.message == "West called late."
    docket.take_alert(an_alert(), 1, same)
    assert case_of(docket).needs_ruling


def test_memory_is_bounded_and_what_is_settled_makes_room() -> None:
    docket = Docket(most=3)
    for number in range(3):
        docket.take_alert(an_alert(f"a{number}", raised_at=float(number)), 1, same)
    docket.take_act("a2", Made(1, "Ada", 0.0, "", Upheld()))
    docket.take_alert(an_alert("a3", raised_at=3.0), 1, same)
    docket.take_alert(an_alert("a4", raised_at=4.0), 1, same)
    assert [case.alert.id for case in docket.cases()] == ["a1", "a3", "a4"]
    assert docket.dropped == 2


def test_which_hand_an_alert_is_of() -> None:
    """What is found out after the next hand began belongs to the hand before; a stronger clock of a new start does not
    matter, since moments are compared by the time of day."""
    docket = Docket()
    docket.take_event(HandStarted(at=1000.0), "T1", 4, lambda at: at + 5000.0)
    docket.take_alert(an_alert("late", at=5.0), 4, lambda at: at + 5990.0)
    docket.take_alert(an_alert("now", at=50.0), 4, lambda at: at + 5990.0)
    assert (case_of(docket, "late").hand, case_of(docket, "now").hand) == (3, 4)
    assert docket.is_over("T1", 3)
    assert not docket.is_over("T1", 4)
    docket.take_event(HandEnded(at=1100.0), "T1", 4, same)
    assert docket.is_over("T1", 4)
    docket.take_event(NewHand(at=1100.0), "T1", 5, same)
    assert not docket.is_over("T1", 5)


def test_a_restart_keeps_what_still_matters() -> None:
    docket = docket_of(
        an_alert("due"),
        an_alert("advice", level=Level.ADVICE),
        an_alert("acted", level=Level.NOTICE),
        an_alert("resolved"),
        an_alert("sensor", Rule.SENSOR_FAULT, level=Level.TECHNICAL),
    )
    docket.take_alert(an_alert("resolved", state=AlertState.RESOLVED), 1, same)
    docket.take_act("acted", Made(1, "Ada", 0.0, "", Acknowledged()))
    docket.take_event(HandEnded(at=50.0), "T1", 1, same)
    docket.take_alert(an_alert("on", level=Level.ADVICE), 2, same)
    docket.restarted()
    assert {case.alert.id for case in docket.cases()} == {"due", "acted", "on"}
    assert all(case.earlier for case in docket.cases())
