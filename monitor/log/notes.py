"""Notes: what is written into a log about the log itself, and what people did. None changes what stands beside it.

Owns their shape. Refuses to know how a note is applied (`monitor.log.amending`, `monitor.docket`,
`monitor.round_clock`). Notes about the log stay for ever, so that it can be verified; what people did about the play
is a stream of its own and goes with the play when it is old.
"""

from typing import Annotated

from msgspec import Meta, Struct

from firmware_bridge.messages import Input
from monitor.acts import Act, ClockAct
from monitor.alerts import Rule
from monitor.audience import COUNT_RULES, Audience
from monitor.events import Event, Seat, Seconds

AUTHOR_LONGEST, REASON_LONGEST = 80, 400
AUTHOR = "rackwatch"
"""Who writes the notes that no person does."""
Author = Annotated[str, Meta(min_length=1, max_length=AUTHOR_LONGEST, description="Who did it.")]
Reason = Annotated[str, Meta(min_length=1, max_length=REASON_LONGEST, description="Why.")]


class Note(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind"):
    """What all notes say: who, and why; where a director said no word, `reason` is the act's own."""

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


class Linked(Note, frozen=True, kw_only=True, omit_defaults=True, tag="linked"):
    """Records up to number `through` are of a version that did not link them: they were linked as they were found."""

    through: int


class Doubted(Note, frozen=True, kw_only=True, omit_defaults=True, tag="doubted"):
    """When the monitor started, the log did not end as it was signed; `reason` says how. It went on all the same."""


class Purged(Note, frozen=True, kw_only=True, omit_defaults=True, tag="purged"):
    """What was written before `before_utc_us` was taken away, up to number `through`: `records` payloads. No notes."""

    through: int
    records: int
    before_utc_us: int


class Released(Note, frozen=True, kw_only=True, omit_defaults=True, tag="released"):
    """A key was published: it opens which tile it was in `hand` of `table`, where start `run` of the monitor sealed it.

    The key itself stands in the log's table `released`, until a purge takes what it opens.
    """

    hand: int
    run: int
    key_sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="SHA-256 of the key, in hexadecimal.")]


AnyNote = Amended | Purged | Linked | Doubted | Released


class Acted(Note, frozen=True, kw_only=True, omit_defaults=True, tag="acted"):
    """A director did something about an alert: `did`, at `at`. `rule` and `hand` are the alert's."""

    at: Seconds
    alert: Annotated[str, Meta(min_length=1, max_length=200, description="Id of the alert that it is about.")]
    rule: Rule
    hand: int
    did: Act


class Clocked(Note, frozen=True, kw_only=True, omit_defaults=True, tag="clocked"):
    """A director did something to the clock of the round: `did`, at `at`, for `table` or for all."""

    at: Seconds
    did: ClockAct


class Said(Note, frozen=True, kw_only=True, omit_defaults=True, tag="said"):
    """A person told a table something that no sensor sees, at `at`; the event that it became follows by itself."""

    at: Seconds
    said: Input
    seat: Seat | None = None


AnyAct = Acted | Clocked | Said
"""What people did about the play."""


def directors_act(act: AnyAct, audience: Audience) -> AnyAct | None:
    """The act as the director may see it: none about an alert that tells a number of tiles, where these are off."""
    hidden = isinstance(act, Acted) and act.rule in COUNT_RULES and not audience.count_monitoring
    return None if hidden else act
