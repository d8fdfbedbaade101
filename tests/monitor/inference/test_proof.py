"""When a surprising number of tiles is believed: after a long rest, or when its rack comes back to it."""

from hypothesis import given
from hypothesis import strategies as st

from monitor.inference.proof import AGAIN_S, NEWS_S, REST_S, TAGS_S, TOUCHED_S, UNEXPLAINED_S, Proof

SPANS = st.floats(0.1, 20.0)


def proof(*rests: tuple[int, float]) -> Proof:
    made = Proof()
    for total, since_s in rests:
        made.rested(total, since_s)
    return made


@given(SPANS)
def test_a_scale_that_rests_is_sure_after_its_time_and_not_before(rest_s: float) -> None:
    assert proof((12, 100.0)).weighed_holds(100.0 + rest_s, None) == (rest_s >= REST_S + NEWS_S)


@given(SPANS)
def test_a_rest_that_a_touch_ended_counts_as_long_as_it_was(rest_s: float) -> None:
    assert proof((12, 100.0)).weighed_holds(100.5 + rest_s, moving_s=100.0 + rest_s) == (rest_s >= REST_S)


def test_a_dip_between_touches_proves_nothing_however_late_it_is_asked() -> None:
    """A rack that rested for a second and has been touched since holds nobody knows what."""
    assert not proof((12, 100.0)).weighed_holds(115.0, moving_s=101.0)


def rested(made: Proof, total: int, since_s: float, rest_s: float) -> bool:
    """The rack rests with `total` for so long, and is touched then; is it sure?"""
    made.rested(total, since_s)
    return made.weighed_holds(since_s + rest_s, moving_s=since_s + rest_s)


def test_a_rack_that_comes_back_to_its_number_is_sure() -> None:
    made = Proof()
    assert not rested(made, 12, 100.0, 2.0)
    assert rested(made, 12, 100.0 + AGAIN_S, 2.0)


def test_two_dips_and_another_number_between_prove_nothing() -> None:
    made = Proof()
    assert not rested(made, 12, 100.0, 1.0)
    assert not rested(made, 12, 107.0, 1.0), "each a dip"
    assert not rested(made, 12, 109.0, 2.0)
    assert not rested(made, 13, 112.0, 2.0)
    assert not rested(made, 12, 116.0, 2.0), "thirteen between"


@given(SPANS)
def test_a_long_touch_makes_a_sure_number_unsure_until_the_rack_rests_again(touch_s: float) -> None:
    made = proof((12, 100.0))
    assert made.weighed_holds(110.0, None)
    assert made.weighed_holds(110.0 + touch_s, moving_s=110.0) == (touch_s < TOUCHED_S)
    made.rested(12, 131.0)
    assert made.weighed_holds(131.1, None)


def test_a_number_that_no_turn_explains_must_rest_for_long() -> None:
    """A purse on a ledge weighs a tile; who picked twice is known to have."""
    made = proof((12, 100.0))
    made.rested(14, 110.0)
    assert not made.weighed_holds(110.0 + NEWS_S + UNEXPLAINED_S - 0.1, None, explained=False)
    assert made.weighed_holds(110.0 + NEWS_S + UNEXPLAINED_S, None, explained=False)
    assert proof((14, 110.0)).weighed_holds(110.0 + NEWS_S + REST_S, None, explained=True)


def test_tags_are_sure_once_the_search_has_given_up_what_is_away_for_long() -> None:
    """Off turn a tag may be silent: thirteen belong to the rack for as long as the search expects one back."""
    made = proof((12, 100.0))
    assert not made.tags_hold(130.0, 13, holding=False)
    assert not made.tags_hold(131.0, 12, holding=False)
    assert not made.tags_hold(130.9 + TAGS_S, 12, holding=False)
    assert made.tags_hold(131.0 + TAGS_S, 12, holding=False)
    made.rested(13, 150.0)
    assert not made.tags_hold(150.1, 12, holding=False), "another number than it is taken to hold"
    assert not made.tags_hold(150.1, 12, holding=True), "that of the same rack in its turn, but hardly told"
    assert made.tags_hold(150.1 + TAGS_S, 12, holding=True)
