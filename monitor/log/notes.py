"""Notes: what is written into a log about the log itself. A note never changes what stands; it stands beside it.

Owns their shape. Refuses to know how a note is applied (`monitor.log.amending`).
"""

from typing import Annotated

from msgspec import Meta, Struct

from monitor.events import Event

Author = Annotated[str, Meta(min_length=1, max_length=80, description="Who did it.")]
Reason = Annotated[str, Meta(min_length=1, max_length=400, description="Why.")]


class Note(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind"):
    """What all notes say."""

    author: Author
    reason: Reason
    seq: int = 0
    table: str = ""


class Amended(Note, frozen=True, kw_only=True, omit_defaults=True, tag="amended"):
    """A person puts something right: `event` is to be read as if the monitor had told it, at its own time.

    To strike an event or to change it, `event` is `corrected`; whole racks taken for each other: `seats_swapped`.
    `hand` is the hand that is meant, which may long be over.
    """

    event: Event
    hand: int


class Purged(Note, frozen=True, kw_only=True, omit_defaults=True, tag="purged"):
    """Payloads were taken away for their age: of all records up to number `through`, `records` of them."""

    through: int
    records: int


AnyNote = Amended | Purged
