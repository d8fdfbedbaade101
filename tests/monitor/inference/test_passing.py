"""The grammar of the passes: what a reading holds to lie on no rack."""

import pytest

from monitor.inference.passing import Part, Reading, Rules, abroad

EMPTY = Part(passes=1)


@pytest.mark.parametrize(
    ("parts", "tiles"),
    [
        ((EMPTY, EMPTY, EMPTY, EMPTY), 0),
        ((Part(passes=1, away=2), EMPTY, EMPTY, EMPTY), 2),
        ((Part(passes=1, out=3), EMPTY, EMPTY, EMPTY), 3),
        ((Part(passes=1, out=3), EMPTY, Part(passes=1, got=3), EMPTY), 0),
        ((Part(passes=1, out=4, away=1), EMPTY, Part(passes=1, got=3), EMPTY), 2),
    ],
)
def test_tiles_given_and_not_racked_or_in_hands_lie_on_no_rack(parts: tuple[Part, ...], tiles: int) -> None:
    """In the second pass tiles go across."""
    assert abroad(Reading(parts), Rules(east=0)) == tiles


def test_of_a_rack_that_is_not_seen_nothing_is_known() -> None:
    parts = (EMPTY, EMPTY, Part(passes=1, away=1), EMPTY)
    assert abroad(Reading(parts), Rules(east=0, unseen=frozenset({0}))) == 4
