"""One antenna of one node: its rounds, how well it hears, and whether it still works.

Owns the recent rounds (for dating), the hearing rates learned on line, and the watch over silence. Refuses to know
where tiles are: the model above (`hw.rfid`) says which tiles rest at this antenna. Its place in the flow:
deliveries -> **rounds of an antenna** -> beliefs of tiles -> observations.
"""

from collections import deque
from collections.abc import Set
from enum import Enum, auto

from msgspec import Struct

from firmware_bridge.messages import Antenna, Place
from hw.observations import Quality, SensorHealth, Zone

ZONE_OF_ANTENNA: dict[Antenna, Zone | None] = {
    Antenna.SLOPE: Zone.SLOPE,
    Antenna.LEDGE: Zone.LEDGE,
    Antenna.DISCARD: None,
    Antenna.WALL: None,
}
SIBLING_OF_ANTENNA: dict[Antenna, Antenna | None] = {
    Antenna.SLOPE: Antenna.LEDGE,
    Antenna.LEDGE: Antenna.SLOPE,
    Antenna.DISCARD: None,
    Antenna.WALL: None,
}

HEARD_PRIOR = 0.85
"""Share of rounds in which a resting tile is heard, before anything is known. Raw read rates of 60-70 % are normal
(SMURF, VLDB 2006), HF at close range does better; our choice between, quickly overruled by what is heard."""
CROSS_PRIOR = 0.04
"""Share of rounds in which an antenna hears a tile of the other zone of its rack, before anything is known. Our
choice."""
STRAY = 0.004
"""Share of rounds in which an antenna hears a tile that is somewhere else altogether. Our choice."""
PRIOR_READINGS = 60.0
"""How many readings those priors weigh. Our choice."""
TAG_PRIOR_READINGS = 6.0
"""What an antenna's mean rate weighs beside a tag's own readings before it is known how much tags differ. Our
choice."""
FORGET_READINGS = 4000.0
"""Learned rates weigh at most this many readings, so that they follow a drifting reader. Our choice."""
HISTORY_ROUNDS = 512
"""Rounds kept for dating: ten seconds of an antenna that hears nothing (17 ms a round), a minute of a full one."""
SILENT_AFTER_S = 3.0
SILENT_AFTER_ROUNDS = 20.0
"""An antenna is silent when no round came for so long, and for so many of its usual rounds. Our choice."""
DEAF_FROM_TILES = 5
"""An antenna that loses this many tiles, all it had, from one round to the next is deaf: hands are slower. Our
choice."""
LOSSY_ABOVE = 0.5
LOSSY_ROUNDS = 40.0
"""An antenna is lossy when more than this share of about so many last rounds was incomplete. Our choice."""


class Round(Struct, frozen=True):
    """One inventory in host time, from `began_s` to `host_s`. `heard`: enrolled tiles only.

    Where it is not `complete`, silence proves nothing. `usual`: silence of this reader never proves anything, or has
    not yet been seen to; nothing was lost.
    """

    began_s: float
    host_s: float
    heard: frozenset[str]
    complete: bool
    usual: bool = False


class Condition(Enum):
    """What the watch thinks of its antenna."""

    WORKS = auto()
    SILENT = auto()
    DEAF = auto()
    LOSSY = auto()


class AntennaWatch:
    """State of one antenna. `expected`: tiles that rest here beyond doubt; `open`: those in question that may."""

    def __init__(self, index: int, place: Place, antenna: Antenna) -> None:
        self.index = index
        self.place = place
        self.antenna = antenna
        self.zone = ZONE_OF_ANTENNA[antenna]
        self.sibling: AntennaWatch | None = None
        self.expected: set[str] = set()
        self.open: set[str] = set()
        self.silences: dict[str, float] = {}
        """Tiles at rest here that are silent, or were until they were found to have left: when they were last heard."""
        self.history: deque[Round] = deque(maxlen=HISTORY_ROUNDS)
        self.rounds = 0
        """Complete rounds so far."""
        self.last_s = float("-inf")
        self.previous_s = float("-inf")
        self.clock_early_s = 0.0
        self.clock_late_s = 0.0
        """Bounds of the node's clock, as of the last delivery."""
        self.tag_prior_readings = TAG_PRIOR_READINGS
        """What `heard_rate` weighs beside a tag's own readings: the less, the more tags differ from each other."""
        self.condition = Condition.WORKS
        self.period_s = 0.1
        """Mean time from one round to the next, of late."""
        self._incomplete = 0.0
        self._readings = PRIOR_READINGS
        self._heard = HEARD_PRIOR * PRIOR_READINGS
        self._cross_readings = PRIOR_READINGS
        self._cross_heard = CROSS_PRIOR * PRIOR_READINGS
        self.heard_rate = HEARD_PRIOR
        """Share of complete rounds in which a tile at rest here is heard, over all tiles."""
        self.cross_rate = CROSS_PRIOR
        """Share of complete rounds in which this antenna hears a tile that rests in the other zone of its rack."""

    @property
    def name(self) -> str:
        """How health reports call it."""
        return f"{self.antenna} antenna"

    def take(self, each: Round) -> bool:
        """Remember a round; false where it is older than the last one, or repeats it, and tells nothing."""
        if each.host_s <= self.last_s:
            return False
        self.previous_s, self.last_s = self.last_s, each.host_s
        if self.history:
            self.period_s += 0.05 * (min(each.host_s - self.previous_s, 5.0) - self.period_s)
        else:
            self.previous_s = each.host_s - self.period_s
        self._incomplete += ((not (each.complete or each.usual)) - self._incomplete) / LOSSY_ROUNDS
        self.history.append(each)
        if each.complete:
            self.rounds += 1
        if self.condition is Condition.SILENT or (self.condition is Condition.DEAF and each.heard):
            self.condition = Condition.WORKS
        return True

    def learn_heard(self, readings: int, heard: int) -> None:
        """`heard` of `readings` rounds heard a tile that rested here all the while."""
        self._readings += readings
        self._heard += heard
        self.heard_rate = self._heard / self._readings
        if self._readings > FORGET_READINGS:
            self._readings *= 0.5
            self._heard *= 0.5

    def learn_cross(self, readings: int, heard: int) -> None:
        """`heard` of `readings` chances to hear a tile that rests in the other zone of the rack were taken."""
        self._cross_readings += readings
        self._cross_heard += heard
        self.cross_rate = self._cross_heard / self._cross_readings
        if self._cross_readings > FORGET_READINGS:
            self._cross_readings *= 0.5
            self._cross_heard *= 0.5

    def judge(self, each: Round, missing: Set[str]) -> bool:
        """Whether the silence of this newest round about `missing` tiles may be believed.

        Deafness begins when all of many tiles are lost at once, and ends with the first enrolled tile heard.
        """
        if self.condition is Condition.DEAF:
            return False
        if each.heard or not each.complete or len(missing) < DEAF_FROM_TILES or 2 * len(self.open) > len(missing):
            return each.complete
        self.condition = Condition.DEAF
        return False

    def health(self, now_s: float, reported: Condition) -> SensorHealth | None:
        """The condition as it is now, where it is not the `reported` one any more. Before its first round: none."""
        if self.last_s == float("-inf"):
            return None
        if self.condition is not Condition.DEAF:
            silent_s = now_s - self.last_s
            if silent_s > max(SILENT_AFTER_S, SILENT_AFTER_ROUNDS * self.period_s):
                self.condition = Condition.SILENT
            elif self._incomplete > (LOSSY_ABOVE if reported is not Condition.LOSSY else LOSSY_ABOVE / 2):
                self.condition = Condition.LOSSY
            else:
                self.condition = Condition.WORKS
        if self.condition is reported:
            return None
        match self.condition:
            case Condition.WORKS:
                return SensorHealth(self.place, self.name, Quality.GOOD, self.last_s)
            case Condition.SILENT:
                return SensorHealth(self.place, self.name, Quality.SILENT, self.last_s, "no inventory any more")
            case Condition.DEAF:
                detail = "hears none of the tiles that lay there"
                return SensorHealth(self.place, self.name, Quality.INVALID, self.last_s, detail)
            case Condition.LOSSY:
                detail = f"{self._incomplete:.0%} of its inventories are incomplete"
                return SensorHealth(self.place, self.name, Quality.LOSSY, self.last_s, detail)
