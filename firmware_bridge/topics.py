"""The topics of nodes and inputs (contract: spec of recordings), taken apart and put together.

Owns their form. Refuses to know payloads and which tables exist.
"""

from enum import Enum

from msgspec import Struct

from firmware_bridge.messages import Place
from firmware_bridge.rejections import Rejection

SUBSCRIPTIONS = ("rackwatch/v1/+/+/readings", "rackwatch/v1/+/+/input")
"""Everything that comes from nodes and referees."""

_PREFIX = ["rackwatch", "v1"]
_WHOLE_TABLE = "table"


class TopicKind(Enum):
    """What a topic carries."""

    READINGS = "readings"
    INPUT = "input"


class Address(Struct, frozen=True):
    """A topic, taken apart. `place` is absent where the whole table is meant."""

    table: str
    place: Place | None
    kind: TopicKind


def readings_topic(table: str, place: Place) -> str:
    """The topic on which the node at a place publishes."""
    return f"rackwatch/v1/{table}/{place}/readings"


def input_topic(table: str, seat: Place | None) -> str:
    """The topic of inputs about a seat, or about the whole table."""
    return f"rackwatch/v1/{table}/{seat or _WHOLE_TABLE}/input"


def light_topic(table: str, place: Place) -> str:
    """The topic on which the node at a place is told what its light shows."""
    return f"rackwatch/v1/{table}/{place}/light"


def parse_topic(topic: str) -> Address | Rejection:
    """Take a topic apart, or say why it is none of ours."""
    parts = topic.split("/")
    if len(parts) != 5 or parts[:2] != _PREFIX or not parts[2]:
        return Rejection.UNKNOWN_TOPIC
    table, where, last = parts[2:]
    place = _PLACES.get(where)
    match last:
        case "readings" if place is not None:
            return Address(table, place, TopicKind.READINGS)
        case "input" if where == _WHOLE_TABLE:
            return Address(table, None, TopicKind.INPUT)
        case "input" if place is not None and place is not Place.FLOOR:
            return Address(table, place, TopicKind.INPUT)
        case "readings" | "input":
            return Rejection.UNKNOWN_PLACE
        case _:
            return Rejection.UNKNOWN_TOPIC


_PLACES = {place.value: place for place in Place}
