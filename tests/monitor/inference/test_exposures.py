"""How many tiles an exposure holds: told once the whole rack is accounted for, and not before."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw.observations import Zone
from monitor.events import Exposed, Seat
from monitor.inference.belief import Key
from monitor.inference.exposures import ASKED_S, LAWFUL, STAYS_S, WRONG_STAYS_S, Exposures
from monitor.inference.findings import Finding
from monitor.inference.racks import four_racks

SEAT = 2


class Shown:
    """West's rack by its zones, and what is told of its exposures. Time passes in tenths of a second."""

    def __init__(self, *, whole: bool = True) -> None:
        self.racks = four_racks()
        self.exposures = Exposures(self.racks, whole=whole)
        self.now_s = 100.0
        self.discarded_s = 0.0
        self.told: list[Exposed] = []
        self.holds(13, 0)

    def holds(self, slope: int, ledge: int) -> "Shown":
        self.racks[SEAT].set(Zone.SLOPE, slope, self.now_s, self.now_s)
        self.racks[SEAT].set(Zone.LEDGE, ledge, self.now_s, self.now_s)
        return self

    def exposes(self, slope: int, ledge: int, n: int | None = None) -> "Shown":
        """It claims, exposes and discards; the exposure is told with `n`."""
        shown = Exposed(at=self.now_s, seat=Seat.WEST, n=n)
        self.exposures.told(SEAT, Finding(shown, Key("1", "Exposed", Seat.WEST), False), self.now_s)
        self.wait(1.0, off_turn=False)
        self.discarded_s = self.now_s
        return self.holds(slope, ledge)

    def wait(self, seconds: float, *, off_turn: bool = True) -> "Shown":
        for _ in range(round(seconds * 10)):
            self.now_s += 0.1
            found = self.exposures.sized(SEAT, self.now_s, discarded_s=self.discarded_s, off_turn=off_turn)
            self.told += [one.event for one in found if isinstance(one.event, Exposed) and one.again]
        return self

    @property
    def sizes(self) -> list[int | None]:
        return [event.n for event in self.told]


@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_an_exposure_is_sized_when_its_rack_has_lain_still(n: int) -> None:
    shown = Shown().wait(STAYS_S + 1.0).exposes(13 - n, n)
    stays_s = STAYS_S if n in LAWFUL else WRONG_STAYS_S
    assert shown.wait(stays_s - 1.0).sizes == []
    assert shown.wait(2.0).sizes == [n]
    assert shown.wait(100.0).sizes == [n]


def test_a_size_that_was_told_right_is_not_told_again() -> None:
    assert Shown().wait(10.0).exposes(10, 3, n=3).wait(30.0).sizes == []


def test_a_silent_tag_is_not_a_missing_tile() -> None:
    """Two are heard on the ledge and twelve in all: the third lies there too, though not heard yet."""
    shown = Shown().wait(10.0).exposes(10, 2).wait(30.0)
    assert shown.sizes == []
    assert shown.holds(10, 3).wait(STAYS_S + 1.0).sizes == [3]


def test_while_the_seat_is_in_its_turn_nothing_is_sized() -> None:
    assert Shown().wait(10.0).exposes(11, 2).wait(30.0, off_turn=False).sizes == []


def test_a_second_exposure_is_what_the_ledge_grew_by() -> None:
    shown = Shown().wait(10.0).exposes(10, 3).wait(10.0)
    assert shown.exposes(6, 7).wait(10.0).sizes == [3, 4]


def test_two_exposures_at_once_cannot_be_told_apart() -> None:
    shown = Shown().wait(10.0).exposes(10, 3).wait(2.0)
    assert shown.exposes(6, 7).wait(30.0).sizes == []
    assert shown.exposes(3, 10).wait(10.0).sizes == [], "nor what came before the third"


def test_an_exposure_that_was_none_is_not_sized() -> None:
    shown = Shown().wait(10.0).exposes(11, 2)
    shown.exposures.struck(SEAT)
    assert shown.wait(30.0).sizes == []


def test_a_rack_that_did_not_add_up_before_the_claim_tells_no_size() -> None:
    """A tag too many on the slope hides one that is silent on the ledge."""
    shown = Shown().wait(10.0).holds(14, 0).wait(10.0)
    assert shown.exposes(11, 2).wait(30.0).sizes == []


def test_a_ledge_on_which_more_was_heard_before_holds_more() -> None:
    shown = Shown().wait(10.0).exposes(10, 3).wait(2.0)
    assert shown.holds(11, 2).wait(30.0).sizes == []


def test_what_was_never_told_as_exposed_is_no_part_of_the_next_exposure() -> None:
    shown = Shown().wait(10.0).holds(10, 3).wait(10.0)
    assert shown.exposes(6, 7).wait(20.0).sizes == []
    shown = Shown().wait(10.0).holds(10, 3).wait(1.0)
    shown.discarded_s = shown.now_s
    assert shown.wait(10.0).exposes(6, 7).wait(20.0).sizes == [4]


def test_a_late_start_learns_what_lies_there_before_it_says_anything() -> None:
    shown = Shown(whole=False).holds(10, 3)
    assert shown.wait(10.0).exposes(7, 6).wait(10.0).sizes == []
    shown = Shown(whole=False).holds(10, 3)
    shown.discarded_s = shown.now_s + 1.0
    assert shown.wait(10.0).exposes(7, 6).wait(10.0).sizes == [3]


def test_after_a_minute_it_stays_unknown() -> None:
    shown = Shown().wait(10.0).exposes(10, 2).wait(ASKED_S + 1.0)
    assert shown.holds(11, 2).wait(30.0).sizes == []


@given(st.lists(st.tuples(st.integers(5, 14), st.integers(0, 6), st.floats(0.0, 20.0)), max_size=8))
def test_nothing_is_ever_sized_that_does_not_add_up(rests: list[tuple[int, int, float]]) -> None:
    shown = Shown().wait(10.0).exposes(13, 0)
    for slope, ledge, seconds in rests:
        shown.holds(slope if slope + ledge != 13 else slope - 1, ledge).wait(seconds)
    assert shown.sizes == []


def test_a_tag_heard_by_the_wrong_antenna_for_a_while_is_no_exposure_of_two() -> None:
    shown = Shown().wait(10.0).exposes(11, 2).wait(STAYS_S + 4.0)
    assert shown.holds(10, 3).wait(30.0).sizes == [], "nor anything else, so late"


def test_an_exposure_that_nobody_told_is_no_part_of_the_one_before() -> None:
    """The first could not be sized while the seat was in its turn; the rack changed after its discard."""
    shown = Shown().wait(10.0).exposes(10, 3).wait(15.0, off_turn=False)
    assert shown.holds(6, 7).wait(30.0).sizes == []
