"""Topics, taken apart and put together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.messages import Place
from firmware_bridge.rejections import Rejection
from firmware_bridge.topics import Address, TopicKind, input_topic, light_topic, parse_topic, readings_topic


@pytest.mark.parametrize("place", list(Place))
def test_readings_come_from_every_place(place: Place) -> None:
    assert parse_topic(readings_topic("T1", place)) == Address("T1", place, TopicKind.READINGS)


def test_an_input_is_about_a_seat_or_the_table() -> None:
    assert parse_topic(input_topic("T1", Place.EAST)) == Address("T1", Place.EAST, TopicKind.INPUT)
    assert parse_topic(input_topic("T1", None)) == Address("T1", None, TopicKind.INPUT)


@pytest.mark.parametrize(
    ("topic", "reason"),
    [
        ("rackwatch/v1/T1/middle/readings", Rejection.UNKNOWN_PLACE),
        ("rackwatch/v1/T1/table/readings", Rejection.UNKNOWN_PLACE),
        ("rackwatch/v1/T1/floor/input", Rejection.UNKNOWN_PLACE),
        ("rackwatch/v1/T1/East/readings", Rejection.UNKNOWN_PLACE),
        ("rackwatch/v1//east/readings", Rejection.UNKNOWN_TOPIC),
        ("rackwatch/v2/T1/east/readings", Rejection.UNKNOWN_TOPIC),
        ("rackwatch/v1/T1/east", Rejection.UNKNOWN_TOPIC),
        ("rackwatch/v1/T1/east/readings/more", Rejection.UNKNOWN_TOPIC),
        (light_topic("T1", Place.EAST), Rejection.UNKNOWN_TOPIC),
        ("", Rejection.UNKNOWN_TOPIC),
    ],
)
def test_what_is_none_of_ours_says_why(topic: str, reason: Rejection) -> None:
    assert parse_topic(topic) is reason


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_a_reason(topic: str) -> None:
    assert isinstance(parse_topic(topic), Address | Rejection)
