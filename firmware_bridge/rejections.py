"""Why something that was received came to no message: values, so that every loss can be counted and shown.

Owns the list of reasons. Refuses to know how often (routing counts) and who is told.
"""

from enum import StrEnum

from msgspec import Struct


class Rejection(StrEnum):
    """Why one reception, or one frame in it, came to nothing."""

    UNKNOWN_TOPIC = "unknown topic"
    UNKNOWN_TABLE = "unknown table"
    UNKNOWN_PLACE = "unknown place"
    TOO_LONG = "too long"
    NOT_UTF8 = "not UTF-8"
    NOT_JSON = "not JSON"
    WRONG_SHAPE = "wrong shape"
    DAMAGED_FRAME = "damaged frame"
    UNKNOWN_FRAME = "unknown frame"
    BEFORE_HELLO = "before hello"
    UNPLACED_NODE = "unplaced node"


class Rejected(Struct, frozen=True):
    """One thing that came to nothing. `source` is its topic or port; `detail` is for a person to read."""

    at_s: float
    source: str
    reason: Rejection
    detail: str = ""
