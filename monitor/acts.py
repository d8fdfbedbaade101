"""What directors do: about an alert, and to the clock of the round. One frozen struct each, as they stand in the log.

Owns the vocabulary and its bounds. Refuses to know who did it and when (`monitor.log.notes`), what may follow what
(`monitor.docket`, `monitor.round_clock`) and the words for it (`monitor.wording`). The monitor advises; only here a
hand is declared dead, by whom the director says.
"""

from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct

from monitor.events import Number, Seat

SECONDS_MOST: Final = 86_400
"""A day; our choice: no round is longer, and nobody is given more."""

Added = Annotated[float, Meta(ge=-SECONDS_MOST, le=SECONDS_MOST)]
Length = Annotated[float, Meta(gt=0, le=SECONDS_MOST)]


class Declarer(StrEnum):
    """Who declared a hand dead: a player's chair, or the director."""

    EAST = "east"
    SOUTH = "south"
    WEST = "west"
    NORTH = "north"
    DIRECTOR = "director"


class _Did(Struct, frozen=True, omit_defaults=True, tag_field="what"):
    pass


class Acknowledged(_Did, frozen=True, tag="acknowledged"):
    """A director has seen it."""


class Taken(_Did, frozen=True, tag="taken"):
    """A director goes there; also from another who had taken it."""


class GivenBack(_Did, frozen=True, tag="given_back"):
    """Nobody goes there any more."""


class Upheld(_Did, frozen=True, tag="upheld"):
    """Ruled: the finding is right."""


class Dismissed(_Did, frozen=True, tag="dismissed"):
    """Ruled: nothing follows from it."""


class DeclaredDead(_Did, frozen=True, tag="declared_dead"):
    """Ruled: the hand of a seat is dead, as another player or the director declared."""

    seat: Seat
    by: Declarer = Declarer.DIRECTOR


class AllThrownIn(_Did, frozen=True, tag="thrown_in"):
    """Ruled: all tiles are thrown in."""


class TimeAdded(_Did, frozen=True, tag="time_added"):
    """Ruled: the table gets so many seconds more in this round."""

    seconds: Length


class Remarked(_Did, frozen=True, tag="noted"):
    """Words about it, and nothing else."""


class Undone(_Did, frozen=True, tag="undone"):
    """An earlier act about the same alert is not to count; the original stays. Of an undoing: it counts again."""

    record: Number


Ruling = Upheld | Dismissed | DeclaredDead | AllThrownIn | TimeAdded
Act = Acknowledged | Taken | GivenBack | Ruling | Remarked | Undone
"""What may be done about one alert."""


class RoundStarted(_Did, frozen=True, tag="started"):
    """A round is on the clock, which runs."""

    round: Annotated[int, Meta(ge=1, le=1000)]
    length_s: Length
    hands: Annotated[int, Meta(ge=1, le=1000)]


class RoundPaused(_Did, frozen=True, tag="paused"):
    """The clock stands, for every table."""


class RoundResumed(_Did, frozen=True, tag="resumed"):
    """It runs again."""


class RoundExtended(_Did, frozen=True, tag="extended"):
    """A table, or every table where none is named, has so many seconds more; less than none takes them back.

    `alert`: the alert about which that was ruled.
    """

    seconds: Added
    alert: str = ""


class RoundEnded(_Did, frozen=True, tag="ended"):
    """The round is over."""


ClockAct = RoundStarted | RoundPaused | RoundResumed | RoundExtended | RoundEnded
"""What may be done to the clock of the round."""
