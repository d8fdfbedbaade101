"""When a surprising number of tiles is believed: after a long rest, or when its rack comes back to it."""

from hypothesis import given
from hypothesis import strategies as st

from monitor.inference.proof import AGAIN_S, REST_S, TAGS_REST_S, TOUCHED_S, Proof

SPANS = st.floats(0.1, 20.0)


def proof(*rests: tuple[int, float]) -> Proof:
    made = Proof()
    for total, since_s in rests:
        made.rested(total, since_s)
    return made


@given(SPANS)
def test_a_scale_that_rests_is_sure_after_its_time_and_not_before(rest_s: float) -> None:
    assert proof((12, 100.0)).weighed_holds(100.0 + rest_s, None) == (rest_s >= REST_S)


def test_a_dip_between_touches_proves_nothing_however_late_it_is_asked() -> None:
    """A rack that rested for a second and has been touched since holds nobody knows what."""
    assert not proof((12, 100.0)).weighed_holds(115.0, moving_s=101.0)


def test_a_rack_that_comes_back_to_its_number_is_sure_at_once() -> None:
    assert proof((12, 100.0), (12, 100.0 + AGAIN_S)).weighed_holds(100.0 + AGAIN_S, moving_s=None)
    assert not proof((12, 100.0), (13, 102.0), (12, 106.0)).weighed_holds(106.1, moving_s=None)


@given(SPANS)
def test_a_long_touch_makes_a_sure_number_unsure_until_the_rack_rests_again(touch_s: float) -> None:
    made = proof((12, 100.0))
    assert made.weighed_holds(110.0, None)
    assert made.weighed_holds(110.0 + touch_s, moving_s=110.0) == (touch_s < TOUCHED_S)
    made.rested(12, 131.0)
    assert made.weighed_holds(131.1, None)


def test_tags_are_sure_once_the_search_has_given_up_what_is_away_and_for_long() -> None:
    """Off turn a tag may be silent: thirteen belong to the rack for as long as the search expects one back."""
    made = proof((12, 100.0))
    assert not made.tags_hold(130.0, 13, holding=False)
    assert not made.tags_hold(131.0, 12, holding=False)
    assert not made.tags_hold(130.9 + TAGS_REST_S, 12, holding=False)
    assert made.tags_hold(131.0 + TAGS_REST_S, 12, holding=False)
    assert made.tags_hold(132.0 + TAGS_REST_S, 13, holding=False), "until the number changes"
    made.rested(13, 145.0)
    assert not made.tags_hold(146.0, 12, holding=True)
