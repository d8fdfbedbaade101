"""A hand that was begun before the monitor: turns of two seats, and nothing else, are play."""

import pytest

from hw.observations import Zone
from monitor.inference.joining import WITHIN_S, Joining
from monitor.inference.racks import four_racks

LEVEL = (13, 13, 13, 13)


def joined(*rests: tuple[int | None, ...], every_s: float = 5.0) -> list[bool]:
    """Whether a hand is in play after each of these, rack by rack as they differ; each rest is heard of twice."""
    racks = four_racks()
    joining = Joining(racks)
    said, now_s, last = [], 0.0, (None, None, None, None)
    for totals in rests:
        now_s += every_s
        sure = False
        for rack, before, total in zip(racks, last, totals, strict=True):
            if total is not None and total != before:
                rack.set(Zone.RACK, total, now_s, now_s)
                sure = joining.rested(now_s) or sure
        last = totals
        said.append(joining.rested(now_s + 0.9 * every_s) or sure)
    return said


def turn(seat: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tuple(14 if each == seat else 13 for each in range(4)), LEVEL


def test_turns_of_two_seats_are_play_at_the_end_of_the_second() -> None:
    assert joined(LEVEL, *turn(1), *turn(2)) == [False, False, False, False, True]


def test_tiles_in_a_hand_and_an_exposure_between_turns_change_nothing() -> None:
    between = (13, 11, 13, 13), LEVEL, (13, 13, 9, 13), LEVEL
    assert joined(LEVEL, *turn(1), *between, *turn(3))[-1]


def test_easts_fourteenth_tile_sorted_again_and_again_is_no_play() -> None:
    assert not any(joined((14, 13, 13, 13), *(turn(0)[::-1] * 5)))


@pytest.mark.parametrize(
    "rests",
    [
        # the deal, in blocks
        [(4, 0, 0, 0), (4, 4, 0, 0), (4, 4, 4, 0), (4, 4, 4, 4), (8, 8, 8, 8), (12, 12, 12, 12), (13, 13, 13, 13),
         (14, 13, 13, 13)],
        # three passes, given tile by tile and racked one after the other
        [(14, 13, 13, 13), (13, 13, 13, 13), (12, 13, 13, 13), (11, 12, 13, 13), (11, 10, 10, 10), (11, 13, 10, 10),
         (14, 13, 10, 10), (14, 13, 13, 13)] * 3,
        # two racks swept, the others as they were
        [LEVEL, (13, 13, 13, 14), (13, 13, 2, 0), (13, 13, 0, 0), (0, 0, 0, 0)],
        # somebody with a tile too many
        [(15, 13, 13, 13), LEVEL, (15, 13, 13, 13), LEVEL],
    ],
)  # fmt: skip
def test_deal_passes_and_the_end_of_a_hand_are_no_play(rests: list[tuple[int, ...]]) -> None:
    assert not any(joined(*rests))


def test_a_turn_long_ago_and_one_rack_alone_say_nothing() -> None:
    assert not any(joined(LEVEL, *turn(1), *turn(2), every_s=WITHIN_S))
    assert not any(joined((13, None, None, None), (14, None, None, None), (13, None, None, None)))


def test_discards_of_two_seats_that_land_are_play_unless_racks_are_swept() -> None:
    racks = four_racks()
    joining = Joining(racks)
    assert not joining.landed(0, 1.0)
    assert not joining.landed(1, 2.0), "nothing is known of any rack"
    for rack in racks:
        rack.set(Zone.RACK, 13, 3.0, 3.0)
    joining.rested(3.0)
    landings = ((0, 4.0), (1, 5.0), (0, 8.0), (0, 9.0), (1, 12.0))
    assert [joining.landed(seat, at_s) for seat, at_s in landings] == [False, False, False, False, True]
    for rack in racks[:2]:
        rack.set(Zone.RACK, 3, 13.0, 13.0)
    assert not joining.landed(2, 13.5)


def test_a_rack_that_was_just_begun_to_be_counted_is_looked_at_first() -> None:
    assert not any(joined(LEVEL, *turn(1), *turn(2), every_s=0.7))
