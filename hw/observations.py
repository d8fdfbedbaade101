"""What the sensor models say to the table: steps, places of tiles, presses, health, each with the time it happened.

Owns the vocabulary between sensors and inference. Refuses to know turns, phases and rules. Third stage of the flow:
messages -> session -> **observations** -> inference.
"""

from enum import StrEnum

from msgspec import Struct

from firmware_bridge.messages import ButtonName, Place


class Zone(StrEnum):
    """A part of a rack, or the whole of it."""

    RACK = "rack"
    SLOPE = "slope"
    LEDGE = "ledge"


class Moment(Struct, frozen=True):
    """A time on the host's monotonic clock with its 99 % bounds: `earliest_s <= truth <= latest_s`."""

    at_s: float
    earliest_s: float
    latest_s: float


class Quality(StrEnum):
    """How a sensor is doing."""

    GOOD = "good"
    SILENT = "silent"
    STALE = "stale"
    SATURATED = "saturated"
    DRIFTING = "drifting"
    LOSSY = "lossy"
    REBOOTED = "rebooted"
    INVALID = "invalid"


class Step(Struct, frozen=True):
    """A zone was touched and came to rest again, with `after` tiles where it had `before` (perhaps as many).

    `onset`: when the zone was first disturbed. `edge`: when the net change came about (the last time its load crossed
    half-way between old and new rest; the onset where the change began with it). `rest_s`: since when it rests.
    `low`, `high`: fewest and most tiles the load was worth meanwhile. `residue_g`: what the load changed beyond whole
    tiles of nominal weight, with its standard deviation `noise_g`: the same tiles put back leave about none, other
    tiles leave the difference of their weights. `clean`: the load never went to the other side of where it had been.
    `rises`: moments at which a tile may have landed.
    """

    place: Place
    zone: Zone
    before: int
    after: int
    onset: Moment
    edge: Moment
    rest_s: float
    seen_s: float
    low: int
    high: int
    residue_g: float
    noise_g: float
    clean: bool
    rises: tuple[Moment, ...] = ()


NO_REST = "no rest"
"""Why a count is not known while a zone has been touched for long: its sensor is well, and will count again."""


class CountSettled(Struct, frozen=True):
    """A zone came to rest with `count` tiles; `None` while it cannot be known, and `reason` says why."""

    place: Place
    zone: Zone
    count: int | None
    since: Moment
    seen_s: float
    reason: str = ""
    confidence: float = 1.0


class ZoneMoving(Struct, frozen=True):
    """A zone is being touched: what it weighs or shows is no count until it settles again."""

    place: Place
    zone: Zone
    since_s: float
    seen_s: float


class TileMoved(Struct, frozen=True):
    """An enrolled tile is now believed at a place (`None`: nowhere that an antenna looks)."""

    uid: str
    place: Place | None
    zone: Zone | None
    moment: Moment
    seen_s: float
    confidence: float


class Unheard(Struct, frozen=True):
    """Whether a tile that is hardly heard is likelier to lie on a rack than a number too small by one is wrong."""

    place: Place
    likely: bool
    seen_s: float


class Pressed(Struct, frozen=True):
    """A button at a seat was pressed."""

    place: Place
    button: ButtonName
    moment: Moment
    seen_s: float


class SensorHealth(Struct, frozen=True):
    """A sensor's condition changed. `sensor` names it (`node`, `rack`, `slope antenna`, ...)."""

    place: Place
    sensor: str
    quality: Quality
    at_s: float
    detail: str = ""


Observation = Step | CountSettled | ZoneMoving | TileMoved | Unheard | Pressed | SensorHealth
