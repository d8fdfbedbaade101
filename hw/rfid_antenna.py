"""One antenna of one node: its rounds, how well it hears, and whether it still works.

Owns the recent rounds (for dating), the hearing rates learned on line, and the watch over silence. Refuses to know
where tiles are: the model above (`hw.rfid`) says which tiles rest at this antenna. Second half-step of the flow:
deliveries -> **rounds of an antenna** -> beliefs of tiles -> observations.
"""

from collections import deque

from msgspec import Struct

from firmware_bridge.messages import Antenna, Place
from hw.observations import Zone

ZONE_OF_ANTENNA: dict[Antenna, Zone | None] = {
    Antenna.SLOPE: Zone.SLOPE,
    Antenna.LEDGE: Zone.LEDGE,
    Antenna.DISCARD: None,
    Antenna.WALL: None,
}

HEARD_PRIOR = 0.85
"""Share of rounds in which a resting tile is heard, before anything is known. Raw read rates of 60-70 % are normal
(SMURF, VLDB 2006), HF at close range does better; our choice between, and quickly overruled by what is heard."""
HEARD_PRIOR_READINGS = 60.0
"""How many readings the prior weighs. Our choice."""
CROSS_PRIOR = 0.05
"""Share of rounds in which an antenna hears a tile of the other zone of its rack. Our choice; learned."""
STRAY = 0.004
"""Share of rounds in which an antenna hears a tile that rests somewhere else altogether. Our choice."""
FORGET_AFTER_READINGS = 4000.0
"""Learned rates weigh at most this many readings, so that they follow a drifting reader. Our choice."""
HISTORY_ROUNDS = 512
"""Rounds kept for dating: ten seconds of an antenna that hears nothing (17 ms a round), a minute of a full one."""


class Round(Struct, frozen=True):
    """One inventory in host time. `heard`: enrolled tiles only."""

    host_s: float
    heard: frozenset[str]
    complete: bool


class AntennaWatch:
    """State of one antenna. `index` numbers the antennas of a table in order of appearance."""

    __slots__ = (
        "antenna", "cross_heard", "cross_readings", "expected", "heard_readings", "history", "index", "last_s", "open",
        "place", "previous_s", "readings", "rounds", "sibling", "zone",
    )  # fmt: skip

    def __init__(self, index: int, place: Place, antenna: Antenna) -> None:
        self.index = index
        self.place = place
        self.antenna = antenna
        self.zone = ZONE_OF_ANTENNA[antenna]
        self.sibling: AntennaWatch | None = None
        self.expected: set[str] = set()
        """Tiles that rest here beyond doubt."""
        self.open: set[str] = set()
        """Tiles in question that may be here."""
        self.history: deque[Round] = deque(maxlen=HISTORY_ROUNDS)
        self.rounds = 0
        self.last_s = float("-inf")
        self.previous_s = float("-inf")
        self.readings = HEARD_PRIOR_READINGS
        self.heard_readings = HEARD_PRIOR * HEARD_PRIOR_READINGS
        self.cross_readings = HEARD_PRIOR_READINGS
        self.cross_heard = CROSS_PRIOR * HEARD_PRIOR_READINGS

    @property
    def heard_rate(self) -> float:
        """Share of complete rounds in which a tile at rest here is heard, over all tiles."""
        return self.heard_readings / self.readings

    @property
    def cross_rate(self) -> float:
        """Share of complete rounds in which this antenna hears a tile that rests in the other zone of its rack."""
        return self.cross_heard / self.cross_readings

    def learn_heard(self, readings: int, heard: int) -> None:
        """`heard` of `readings` rounds heard a tile that rested here all the while."""
        self.readings += readings
        self.heard_readings += heard
        if self.readings > FORGET_AFTER_READINGS:
            self.readings *= 0.5
            self.heard_readings *= 0.5

    def learn_cross(self, readings: int, heard: int) -> None:
        """`heard` of `readings` rounds heard a tile that rested in the other zone all the while."""
        self.cross_readings += readings
        self.cross_heard += heard
        if self.cross_readings > FORGET_AFTER_READINGS:
            self.cross_readings *= 0.5
            self.cross_heard *= 0.5
