"""Why something that was received came to no message, or to one with less in it: values, so that every loss can be
counted and shown.

Owns the lists of reasons. Refuses to know how often (routing counts) and who is told.
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


class Unread(StrEnum):
    """Why a row or field is missing from a message that was otherwise taken."""

    NO_UID = "no whole uid"
    NAMELESS_TAG = "a tag whose name was lost"
    CUT_SHORT = "a row cut short"
    UNKNOWN_BUTTON = "an unknown button"
    UNKNOWN_LAYOUT = "a frame of unknown layout"
    WRONG_SHAPE = "wrong shape"


class BadRow(Struct, frozen=True, gc=False):
    """One row or field that is missing from its message. `detail` is for a person to read."""

    reason: Unread
    detail: str = ""


class LeftOut(Struct, frozen=True):
    """Where a row or field was left out. `source` is its topic or port."""

    at_s: float
    source: str
    row: BadRow
