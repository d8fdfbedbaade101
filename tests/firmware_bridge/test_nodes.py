"""Who speaks for which place, and who has fallen silent. Rows 30 and 45 of the faults seen in the field among them."""

import pytest

from firmware_bridge.arrival import Arrival, Link
from firmware_bridge.messages import Channel, Hello, Input, InputName, Place, Readings
from firmware_bridge.nodes import (
    NodeBack,
    NodeElsewhere,
    NodeIntroduced,
    NodeSilent,
    Notice,
    PlaceContested,
    PlaceTakenOver,
    TableNodes,
)
from firmware_bridge.session import Delivery


def arrival(
    node: str, seq: int, at_s: float, place: Place = Place.EAST, boot: int = 7, retained: bool = False
) -> Arrival:
    return Arrival(at_s, "T1", place, Readings(node, boot, seq, round(at_s * 1e6)), retained=retained)


def notices(out: list[Delivery | Notice]) -> list[Notice]:
    return [one for one in out if not isinstance(one, Delivery)]


def deliveries(out: list[Delivery | Notice]) -> list[Delivery]:
    return [one for one in out if isinstance(one, Delivery)]


def speak(nodes: TableNodes, node: str, first: int, last: int, place: Place = Place.EAST) -> list[Delivery | Notice]:
    out = []
    for seq in range(first, last):
        out += nodes.feed(arrival(node, seq, seq * 0.1, place))
    return out


def test_each_place_has_its_own_conversation() -> None:
    nodes = TableNodes()
    out = speak(nodes, "t1-east", 1, 5) + speak(nodes, "t1-west", 1, 3, Place.WEST)
    assert [(one.place, one.node) for one in deliveries(out)] == [(Place.EAST, "t1-east")] * 4 + [
        (Place.WEST, "t1-west")
    ] * 2
    assert notices(out) == []
    east = nodes.holder(Place.EAST)
    assert east is not None
    assert east.stats.delivered == 4
    assert nodes.holder(Place.NORTH) is None


def test_fault_45_a_node_that_stops_is_reported_once_with_since_when() -> None:
    nodes = TableNodes(silence_s=3.0)
    speak(nodes, "t1-east", 1, 11)
    assert nodes.advance(3.9) == []
    assert nodes.advance(4.1) == [NodeSilent(Place.EAST, "t1-east", 1.0, 4.1)]
    assert nodes.advance(50.0) == []
    out = nodes.feed(arrival("t1-east", 11, 60.0))
    assert notices(out) == [NodeBack(Place.EAST, "t1-east", 1.0, 60.0)]
    assert len(deliveries(out)) == 1
    assert notices(nodes.advance(63.1)) == [NodeSilent(Place.EAST, "t1-east", 60.0, 63.1)]


def test_a_place_that_never_spoke_is_silent_since_we_listen() -> None:
    nodes = TableNodes(places=[Place.EAST, Place.SOUTH])
    assert nodes.advance(10.0) == []
    nodes.feed(arrival("t1-east", 1, 12.0))
    assert notices(nodes.advance(13.1)) == [NodeSilent(Place.SOUTH, None, 10.0, 13.1)]
    out = nodes.feed(arrival("t1-south", 1, 20.0, Place.SOUTH))
    assert notices(out) == [NodeBack(Place.SOUTH, "t1-south", 10.0, 20.0)]


def test_repeats_are_no_sign_of_life() -> None:
    nodes = TableNodes()
    speak(nodes, "t1-east", 1, 4)
    for at_s in (1.0, 2.0, 3.0):
        repeat = Readings("t1-east", 7, 3, 300_000)
        assert nodes.feed(Arrival(at_s, "T1", Place.EAST, repeat)) == []
    assert notices(nodes.advance(3.5)) == [NodeSilent(Place.EAST, "t1-east", 3 * 0.1, 3.5)]


def test_a_second_node_at_a_place_is_reported_once_and_not_used() -> None:
    nodes = TableNodes()
    speak(nodes, "t1-east", 1, 21)
    out = nodes.feed(arrival("x", 1, 2.05)) + nodes.feed(arrival("x", 2, 2.15))
    assert out == [PlaceContested(Place.EAST, "t1-east", "x", 2.05)]
    assert nodes.rival_messages == 2
    assert len(deliveries(nodes.feed(arrival("t1-east", 21, 2.2)))) == 1


def test_an_exchanged_board_takes_over_when_the_old_one_is_silent() -> None:
    nodes = TableNodes(silence_s=3.0)
    speak(nodes, "old", 1, 21)
    assert deliveries(nodes.feed(arrival("new", 1, 4.9))) == []
    out = nodes.feed(arrival("new", 2, 5.1))
    assert notices(out) == [PlaceTakenOver(Place.EAST, "new", "old", 5.1)]
    nodes.advance(5.5)
    assert len(deliveries(nodes.feed(arrival("new", 3, 5.6)))) >= 1
    assert notices(nodes.feed(arrival("old", 21, 5.7))) == [PlaceContested(Place.EAST, "new", "old", 5.7)]


def test_one_stray_message_does_not_keep_a_place() -> None:
    nodes = TableNodes()
    nodes.feed(arrival("stray", 1, 0.0))
    out = [one for seq in range(1, 10) for one in nodes.feed(arrival("t1-east", seq, 0.1 * seq))]
    assert PlaceTakenOver(Place.EAST, "t1-east", "stray", 0.1 * 6) in out
    out += nodes.advance(1.0)
    assert [one.readings.seq for one in deliveries(out)] == [6, 7, 8, 9]


def test_fault_30_a_node_at_another_place_than_its_own_is_reported_once() -> None:
    nodes = TableNodes(expected={"t1-east": Place.EAST})
    out = nodes.feed(arrival("t1-east", 1, 0.1, Place.WEST)) + nodes.feed(arrival("t1-east", 2, 0.2, Place.WEST))
    assert notices(out) == [NodeElsewhere(Place.WEST, "t1-east", Place.EAST, 0.1)]
    assert len(deliveries(out)) == 2


def test_one_name_at_two_places_is_two_conversations() -> None:
    nodes = TableNodes()
    out = []
    for seq in range(1, 6):
        out += nodes.feed(arrival("twin", seq, seq * 0.1))
        out += nodes.feed(arrival("twin", seq, seq * 0.1 + 0.01, Place.WEST, boot=8))
    assert notices(out) == [NodeElsewhere(Place.WEST, "twin", Place.EAST, 0.1 + 0.01)]
    assert len(deliveries(out)) == 10
    assert not any(one.rebooted for one in deliveries(out))


def test_an_introduction_is_passed_on_when_it_says_something_new() -> None:
    nodes = TableNodes()

    def hello(seq: int, boot: int) -> list[Delivery | Notice]:
        message = Hello("n", boot, seq, seq * 100, protocol=1, channels=(Channel.RACK,))
        return nodes.feed(Arrival(float(seq), "T1", Place.EAST, message, Link.USB))

    assert [type(one) for one in hello(1, 7)] == [NodeIntroduced]
    assert hello(2, 7) == []
    assert [type(one) for one in hello(3, 8)] == [NodeIntroduced]


def test_fault_38_retained_messages_claim_no_place_and_make_nothing() -> None:
    nodes = TableNodes()
    assert nodes.feed(arrival("ghost", 1, 0.1, retained=True)) == []
    assert nodes.holder(Place.EAST) is None
    assert nodes.retained == 1


def test_what_is_waited_for_in_vain_comes_with_time() -> None:
    nodes = TableNodes()
    speak(nodes, "n", 1, 3)
    nodes.feed(arrival("n", 4, 0.4))
    assert [one.lost for one in deliveries(nodes.advance(0.8))] == [1]


def test_memory_of_names_is_bounded() -> None:
    nodes = TableNodes()
    speak(nodes, "n", 1, 21)
    for number in range(500):
        nodes.feed(arrival(f"rival {number}", 1, 2.0))
    seat = nodes._seats[Place.EAST]
    assert len(seat.rivals) <= 64
    assert len(nodes._homes) <= 64


def test_an_input_is_a_callers_mistake() -> None:
    with pytest.raises(AssertionError):
        TableNodes().feed(Arrival(0.1, "T1", Place.EAST, Input(input=InputName.CALL)))
