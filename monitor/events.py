"""The game events of a table: one frozen struct a kind, one tagged union, as they stand in log, stream and export.

Owns the shape of events and nothing else; contract: the project's specification of outputs. Keys may be added with a
default; a change of meaning is a new kind. Times are seconds on the recording's or the host's monotonic clock.

What a key may hold is checked where a line is decoded, and costs nothing where an event is made.
"""

from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from monitor.foreign_text import TOO_DEEP

Seconds = Annotated[float, Meta(ge=-1e10, le=1e10)]
"""A moment. The bounds are our choice: the seconds of a calendar are within them until the year 2286, so a stream that
counts those can be judged; its milliseconds are beyond."""

Number = Annotated[int, Meta(ge=0, le=1 << 53)]
"""The number of a record; 0: none yet. Up to here every reader of JSON counts exactly."""

Tiles = Annotated[int, Meta(ge=0, le=152)]
"""A number of tiles, of at most a whole set: 144 and eight jokers."""

Share = Annotated[float, Meta(ge=0, le=1)]


class Seat(StrEnum):
    """A physical chair, in order of play to the right. Who is East in the game moves between hands."""

    EAST = "east"
    SOUTH = "south"
    WEST = "west"
    NORTH = "north"

    @property
    def right(self) -> "Seat":
        """The seat that plays next."""
        return SEATS[(SEATS.index(self) + 1) % 4]


SEATS = (Seat.EAST, Seat.SOUTH, Seat.WEST, Seat.NORTH)


class Zone(StrEnum):
    """A part of a rack: all of it, the concealed tiles, or the exposures on top."""

    RACK = "rack"
    SLOPE = "slope"
    LEDGE = "ledge"


class Closing(StrEnum):
    """What closes the window on the last discard."""

    RACKED = "racked"
    NAMED = "named"
    DISCARDED = "discarded"
    JOKER_EXCHANGE = "joker_exchange"
    MAH_JONGG = "mah_jongg"
    CLAIMED = "claimed"


class Via(StrEnum):
    """How a claim became known."""

    BUTTON = "button"
    INPUT = "input"
    EXPOSURE = "exposure"


class Claim(StrEnum):
    """What a discard is claimed for."""

    PUNG = "pung"
    KONG = "kong"
    QUINT = "quint"
    SEXTET = "sextet"
    MAH_JONGG = "mah_jongg"


class HandEnd(StrEnum):
    """How a hand ended."""

    MAH_JONGG = "mah_jongg"
    WALL = "wall"
    REDEAL = "redeal"
    ABANDONED = "abandoned"


class Recorded(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind"):
    """What every event has.

    `earliest` and `latest` bound `at` with 99 % confidence; absent: exact. `seen_at`: when the monitor knew it;
    absent: at once. `confidence`: 0 to 1; absent: certain.
    """

    at: Seconds
    seq: Number = 0
    table: str = ""
    seat: Seat | None = None
    earliest: Seconds | None = None
    latest: Seconds | None = None
    seen_at: Seconds | None = None
    confidence: Share | None = None

    @property
    def low(self) -> float:
        """Earliest moment, `at` where exact."""
        return self.at if self.earliest is None else self.earliest

    @property
    def high(self) -> float:
        """Latest moment, `at` where exact."""
        return self.at if self.latest is None else self.latest

    @property
    def known(self) -> float:
        """When the monitor knew it."""
        return self.at if self.seen_at is None else self.seen_at


class CountChanged(Recorded, frozen=True, kw_only=True, tag="count_changed"):
    """A zone of a rack settled on another number of tiles; `None` while it cannot be known."""

    count: Tiles | None
    zone: Zone = Zone.RACK
    previous: Tiles | None = None
    reason: str | None = None


class HandStarted(Recorded, frozen=True, kw_only=True, tag="hand_started"):
    """The racks are being filled."""

    east: Seat | None = None


class Dealt(Recorded, frozen=True, kw_only=True, tag="dealt"):
    """All four racks settled after the deal."""

    east: Seat | None = None


class Passed(Recorded, frozen=True, kw_only=True, tag="passed"):
    """A seat's tiles left for a Charleston pass."""

    to: Seat | None = None
    n: Tiles | None = None


class PlayStarted(Recorded, frozen=True, kw_only=True, tag="play_started"):
    """East's first discard."""


class Picked(Recorded, frozen=True, kw_only=True, tag="picked"):
    """A tile was taken from the wall."""


class Named(Recorded, frozen=True, kw_only=True, tag="named"):
    """The next player named the picked tile."""


class Racked(Recorded, frozen=True, kw_only=True, tag="racked"):
    """A picked tile was placed on the slope and stayed."""

    uid: str | None = None


class Discarded(Recorded, frozen=True, kw_only=True, tag="discarded"):
    """A tile left the hand for good onto the table."""

    uid: str | None = None
    face: str | None = None


class WindowOpened(Recorded, frozen=True, kw_only=True, tag="window_opened"):
    """The last discard may be claimed."""


class WindowClosed(Recorded, frozen=True, kw_only=True, tag="window_closed"):
    """The last discard may no longer be claimed."""

    cause: Closing | None = None


class Called(Recorded, frozen=True, kw_only=True, tag="called"):
    """A seat claimed a discard."""

    via: Via | None = None
    claim: Claim | None = msgspec.field(default=None, name="for")
    discard_by: Seat | None = None


class CallWithdrawn(Recorded, frozen=True, kw_only=True, tag="call_withdrawn"):
    """A call came to nothing."""


class Exposed(Recorded, frozen=True, kw_only=True, tag="exposed"):
    """A claim's tiles lie on the ledge."""

    n: Tiles | None = None
    uids: tuple[str, ...] | None = None


class JokerExchanged(Recorded, frozen=True, kw_only=True, tag="joker_exchanged"):
    """One exchange procedure, however many jokers; `at` is its beginning."""

    n: Tiles | None = None
    owners: tuple[Seat, ...] | None = None


class Returned(Recorded, frozen=True, kw_only=True, tag="returned"):
    """A picked tile went back into the wall."""


class Declared(Recorded, frozen=True, kw_only=True, tag="declared"):
    """Mah jongg was declared."""


class DeclarationWithdrawn(Recorded, frozen=True, kw_only=True, tag="declaration_withdrawn"):
    """Mah jongg was taken back before anything was shown."""


class Dead(Recorded, frozen=True, kw_only=True, tag="dead"):
    """A hand was declared dead by `by`: another seat's name, or `director`."""

    by: str | None = None


class SeatsSwapped(Recorded, frozen=True, kw_only=True, tag="seats_swapped"):
    """Whole racks were taken for the wrong seats."""

    other: Seat | None = msgspec.field(default=None, name="with")


class ThrownIn(Recorded, frozen=True, kw_only=True, tag="thrown_in"):
    """All tiles were thrown in."""

    how: HandEnd | None = None


class HandEnded(Recorded, frozen=True, kw_only=True, tag="hand_ended"):
    """The hand is over."""

    how: HandEnd | None = None


class EastIs(Recorded, frozen=True, kw_only=True, tag="east_is"):
    """An input set the East chair (`seat`)."""


class NewHand(Recorded, frozen=True, kw_only=True, tag="new_hand"):
    """An input began a new hand."""


class DirectorCalled(Recorded, frozen=True, kw_only=True, tag="director_called"):
    """A seat asked for the director."""


class Tick(Recorded, frozen=True, kw_only=True, tag="tick"):
    """Time has passed, nothing happened."""


class Corrected(Recorded, frozen=True, kw_only=True, tag="corrected"):
    """A later finding replaces the event with `seq` = `replaces`.

    Only the keys that changed are set; `at` is the corrected moment, `seen_at` the time of correcting. `struck`: the
    event never happened. `new_kind`: it was another kind of event. A further correction names the latest one's `seq`.
    """

    replaces: Number
    struck: bool = False
    new_kind: str | None = None
    count: Tiles | None | msgspec.UnsetType = msgspec.UNSET
    zone: Zone | None = None
    to: Seat | None = None
    n: Tiles | None = None
    via: Via | None = None
    claim: Claim | None = msgspec.field(default=None, name="for")
    discard_by: Seat | None = None
    owners: tuple[Seat, ...] | None = None
    by: str | None = None
    east: Seat | None = None
    uid: str | None = None
    uids: tuple[str, ...] | None = None
    face: str | None = None
    cause: Closing | None = None
    how: HandEnd | None = None


Event = (
    CountChanged
    | HandStarted
    | Dealt
    | Passed
    | PlayStarted
    | Picked
    | Named
    | Racked
    | Discarded
    | WindowOpened
    | WindowClosed
    | Called
    | CallWithdrawn
    | Exposed
    | JokerExchanged
    | Returned
    | Declared
    | DeclarationWithdrawn
    | Dead
    | SeatsSwapped
    | ThrownIn
    | HandEnded
    | EastIs
    | NewHand
    | DirectorCalled
    | Tick
    | Corrected
)

IDENTITY_KEYS = frozenset({"uid", "uids", "face"})
"""Keys that tell which tile it is: sealed log only, until the hand is opened."""

_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


def parse_event(line: bytes | str) -> Event:
    """Decode one JSON line. Unknown keys are ignored; raises `msgspec.ValidationError` or `msgspec.DecodeError`.

    Strict, for what this product wrote itself; a line that others wrote is `event_lines.read_event`'s.
    """
    try:
        return _decoder.decode(line)
    except RecursionError as error:
        raise msgspec.DecodeError(TOO_DEEP) from error


def without_identities(event: Event) -> Event:
    """The same event with every key of `IDENTITY_KEYS` blank."""
    blank: dict[str, Any] = {k: None for k in IDENTITY_KEYS if getattr(event, k, None) is not None}
    return msgspec.structs.replace(event, **blank) if blank else event
