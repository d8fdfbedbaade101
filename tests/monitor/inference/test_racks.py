"""Counts of racks: zones to totals, and each change told once."""

from hypothesis import given
from hypothesis import strategies as st

from hw.observations import NO_REST
from hw.observations import Zone as SensorZone
from monitor.events import SEATS, CountChanged, Seat, Zone
from monitor.inference.racks import IN_HAND, Rack, four_racks

RACK, SLOPE, LEDGE = SensorZone.RACK, SensorZone.SLOPE, SensorZone.LEDGE


def rack(**counts: int | None) -> Rack:
    """A rack whose zones rest with these counts since 10 s."""
    one = Rack(Seat.SOUTH)
    for zone, count in counts.items():
        one.set(SensorZone(zone), count, 10.0, 11.0, "" if count is not None else "stale")
    return one


def told(changes: list[CountChanged]) -> list[tuple[Zone, int | None, int | None]]:
    return [(c.zone, c.previous, c.count) for c in changes]


def test_four_racks_sit_in_order_of_play() -> None:
    assert tuple(one.seat for one in four_racks()) == SEATS


def test_the_total_is_the_rack_s_load_or_slope_and_ledge() -> None:
    assert Rack(Seat.EAST).total is None
    assert rack(rack=13).total == 13
    assert rack(slope=10, ledge=3).total == 13
    assert rack(slope=10).total == 10
    assert rack(ledge=3).total is None
    assert rack(slope=10, ledge=None).total is None
    assert rack(slope=None, ledge=3).total is None
    assert rack(rack=13, slope=9, ledge=3).total == 13
    assert rack(rack=None, slope=10, ledge=3).total == 13


def test_a_silent_rack_holds_nobody_knows_what() -> None:
    heard, silent = rack(rack=13), rack(rack=13)
    silent.silent = True
    assert (heard.total, heard.weighed) == (13, True)
    assert (silent.total, silent.weighed) == (None, False)
    assert not rack(slope=10, ledge=3).weighed


def test_a_count_may_have_changed_since_the_rack_was_touched() -> None:
    """What it rested with before says nothing of the time in between."""
    one = Rack(Seat.SOUTH)
    one.set(RACK, 14, 1.0, 1.0)
    one.tell(1.0, 0.0)
    one.moving(RACK, 5.0)
    one.set(RACK, 13, 11.0, 11.2)
    (told,) = one.tell(11.2, 5.5)
    assert (told.at, told.earliest, told.latest) == (11.0, 5.0, 11.0)
    one.set(RACK, 12, 13.0, 13.2)
    (told,) = one.tell(13.2, 5.5)
    assert (told.at, told.earliest, told.latest) == (13.0, None, None)


def test_what_was_withheld_is_told_as_it_was() -> None:
    one = Rack(Seat.SOUTH)
    one.set(RACK, 13, 1.0, 1.5)
    one.tell(1.5, 0.0)
    for count, at_s in ((13, 2.0), (14, 3.0), (14, 3.5), (13, 4.0)):
        one.set(RACK, count, at_s, at_s)
        one.withhold()
    told = one.tell_withheld(9.0)
    assert [(event.count, event.previous, event.at, event.seen_at) for event in told] == [
        (14, 13, 3.0, 9.0),
        (13, 14, 4.0, 9.0),
    ]
    assert one.tell_withheld(9.5) == []


def test_what_is_told_meanwhile_is_not_told_again() -> None:
    one = Rack(Seat.SOUTH)
    one.set(RACK, 14, 1.0, 1.0)
    one.withhold()
    one.set(RACK, 13, 2.0, 2.0)
    one.tell(2.0, 0.0)
    assert one.tell_withheld(3.0) == []


def test_a_rack_rests_when_all_its_zones_do() -> None:
    one = rack(slope=10, ledge=3)
    rests = [one.resting]
    one.moving(LEDGE, 1.0)
    rests.append(one.resting)
    one.set(LEDGE, 3, 12.0, 12.5)
    rests.append(one.resting)
    assert rests == [True, False, True]


def test_a_rack_that_is_touched_again_still_has_what_it_rested_with_but_not_while_one_zone_moves_on() -> None:
    one = rack(slope=10, ledge=3)
    one.moving(SLOPE, 12.0)
    touched = [one.as_it_rested]
    one.moving(LEDGE, 12.1)
    one.set(LEDGE, 4, 13.0, 13.3)
    touched.append(one.as_it_rested)
    one.moving(LEDGE, 14.0)
    touched.append(one.as_it_rested)
    one.set(SLOPE, 9, 15.0, 15.3)
    one.set(LEDGE, 4, 15.0, 15.3)
    one.moving(LEDGE, 16.0)
    touched.append(one.as_it_rested)
    assert touched == [True, False, False, True]


def test_zones_are_told_before_the_rack_and_each_change_once() -> None:
    one = rack(slope=10, ledge=3)
    assert told(one.tell(11.0, 0.0)) == [(Zone.SLOPE, None, 10), (Zone.LEDGE, None, 3), (Zone.RACK, None, 13)]
    assert one.tell(12.0, 0.0) == []
    one.set(LEDGE, 4, 12.0, 12.5)
    assert told(one.tell(12.5, 0.0)) == [(Zone.LEDGE, 3, 4), (Zone.RACK, 13, 14)]
    assert one.told_total == 14


def test_tiles_between_slope_and_ledge_leave_the_total_untold() -> None:
    one = rack(slope=10, ledge=3)
    one.tell(11.0, 0.0)
    one.set(SLOPE, 9, 12.0, 12.5)
    one.set(LEDGE, 4, 12.0, 12.5)
    assert told(one.tell(12.5, 0.0)) == [(Zone.SLOPE, 10, 9), (Zone.LEDGE, 3, 4)]


def test_a_change_is_dated_by_its_rest_but_not_before_the_discard_that_made_it_nor_after_it_is_seen() -> None:
    one = rack(rack=13)
    (change,) = one.tell(11.0, 0.0)
    assert (change.at, change.seen_at, change.seat) == (10.0, 11.0, Seat.SOUTH)
    one.set(RACK, 12, 12.0, 12.5)
    assert one.tell(12.5, 12.3)[0].at == 12.3
    one.set(RACK, 13, 14.0, 14.5)
    assert one.tell(14.5, 15.2)[0].at == 14.5


def test_tags_replace_a_scale_that_is_sick_and_not_one_that_is_touched_for_long() -> None:
    one = rack(slope=10, ledge=2, rack=13)
    one.set(RACK, None, 12.0, 12.5, NO_REST)
    assert one.total is None
    one.set(RACK, None, 13.0, 13.5, "saturated")
    assert one.total == 12


def test_what_tags_gain_says_nothing_of_when_a_weighed_rack_rests() -> None:
    one = rack(rack=13)
    since_s = one.since_s
    one.gain(SLOPE, 1, 50.0, 50.5)
    assert (one.zones[SLOPE], one.since_s) == (1, since_s)


def test_an_unknown_count_says_why() -> None:
    one = rack(rack=13)
    one.tell(11.0, 0.0)
    one.set(RACK, None, 12.0, 12.5, "no rest")
    (lost,) = one.tell(12.5, 0.0)
    assert (lost.count, lost.previous, lost.reason) == (None, 13, "no rest")
    one.set(RACK, 13, 13.0, 13.5)
    (again,) = one.tell(13.5, 0.0)
    assert (again.count, again.previous, again.reason) == (13, None, None)
    one.silent = True
    assert [c.reason for c in one.tell(20.0, 0.0)] == ["silent"]


def test_a_doubted_count_is_told_unknown_and_told_again_when_it_is_sure() -> None:
    one = rack(slope=10, ledge=3)
    one.tell(11.0, 0.0)
    assert {(c.zone, c.count, c.reason) for c in one.doubt(12.0, IN_HAND)} == {
        (zone, None, "tiles in a hand") for zone in (Zone.SLOPE, Zone.LEDGE, Zone.RACK)
    }
    assert one.doubt(12.1, IN_HAND) == []
    assert told(one.tell(13.0, 0.0)) == [(Zone.SLOPE, None, 10), (Zone.LEDGE, None, 3), (Zone.RACK, None, 13)]


def test_a_total_of_before_is_told_where_it_was_not() -> None:
    one = rack(rack=14)
    one.tell(11.0, 0.0)
    (change,) = one.tell_total(13, 12.0, 15.0)
    assert (change.at, change.seen_at, change.previous, change.count) == (12.0, 15.0, 14, 13)
    assert one.tell_total(13, 12.0, 15.0) == []
    assert told(one.tell(15.0, 0.0)) == [(Zone.RACK, 13, 14)]


def test_tiles_known_by_name_are_added_up() -> None:
    one = Rack(Seat.WEST)
    one.gain(SLOPE, 1, 5.0, 5.5)
    one.gain(SLOPE, 1, 6.0, 6.5)
    one.gain(LEDGE, 1, 7.0, 7.5)
    assert (one.total, one.resting) == (3, True)
    one.gain(LEDGE, -1, 8.0, 8.5)
    one.gain(LEDGE, -1, 9.0, 9.5)
    assert (one.zones[LEDGE], one.total) == (0, 2)


@given(
    st.lists(
        st.tuples(st.sampled_from([SLOPE, LEDGE]), st.one_of(st.none(), st.integers(0, 17)), st.sampled_from("sdm")),
        max_size=25,
    )
)
def test_what_is_told_is_a_chain(acts: list[tuple[SensorZone, int | None, str]]) -> None:
    """Of each zone, every line goes on from the one before and says something new; the last is what lies there."""
    one = Rack(Seat.EAST)
    lines: list[CountChanged] = []
    for k, (zone, count, act) in enumerate(acts):
        match act:
            case "s":
                one.set(zone, count, float(k), k + 0.5)
            case "d":
                lines += one.doubt(k + 0.5, IN_HAND)
            case _:
                one.moving(zone, 1.0)
        lines += one.tell(k + 0.6, 0.0)
    last: dict[Zone, int | None] = {}
    for line in lines:
        assert line.previous == last.get(line.zone)
        assert line.zone not in last or line.count != line.previous
        assert line.at <= line.known
        last[line.zone] = line.count
    assert last.get(Zone.RACK) == one.total
    for zone, count in one.zones.items():
        assert last.get(Zone(zone.value)) == count


def test_a_touch_began_when_it_was_first_felt_and_is_remembered() -> None:
    rack = Rack(Seat.WEST)
    rack.set(RACK, 14, 20.0, 20.3)
    rack.moving(RACK, 23.0)
    rack.moving(RACK, 24.0)
    assert rack.touched_s == 23.0
    rack.set(RACK, 14, 25.0, 25.3)
    assert rack.touched_s == 24.0


def test_tags_of_a_lawful_number_make_another_that_is_weighed_unsure() -> None:
    made = rack(rack=14)
    assert made.is_proven(100.0, 14, holding=False)
    made = rack(rack=14, slope=10, ledge=3)
    assert not made.is_proven(100.0, 14, holding=False)
    made = rack(rack=14, slope=11, ledge=3)
    assert made.is_proven(100.0, 14, holding=False)
    made = rack(rack=12, slope=10, ledge=2)
    assert made.is_proven(100.0, 12, holding=False)
