"""What a simulated evening is asked to be: one frozen record, from which everything else follows.

Owns the choices (tier, pace, noise, faults, length) and their names. Refuses to know how any of them is played out.
Stands first in the simulator: **options** -> script -> sensors -> faults -> case or live wire.
"""

from enum import StrEnum

from msgspec import Struct

from firmware_bridge.messages import Place


class Tier(StrEnum):
    """Which sensors a table has (contract: spec of cases)."""

    WEIGHT10 = "weight10"
    WEIGHT80 = "weight80"
    RFID = "rfid"
    RFID_FLOOR = "rfid_floor"
    HYBRID = "hybrid"


class Pace(StrEnum):
    """How quickly the four play (procedure: 5-10 s a turn; an expert picks and discards in about 1 s)."""

    SLOW = "slow"
    NORMAL = "normal"
    EXPERT = "expert"


class Noise(StrEnum):
    """How rough hands are and how poor the sensors."""

    QUIET = "quiet"
    NORMAL = "normal"
    HARSH = "harsh"
    BRUTAL = "brutal"


class Ending(StrEnum):
    """How a hand ends. `OPEN`: the recording stops in mid-hand after `discards`."""

    OPEN = "open"
    MAH_JONGG = "mah_jongg"
    WALL = "wall"
    ANY = "any"


class Reader(StrEnum):
    """What reads the tags: whole inventories, slow hobby inventories, a streaming UHF reader, or one that tells a tag
    once when it appears and then says nothing while it stays."""

    INVENTORY = "inventory"
    SLOW = "slow"
    STREAMING = "streaming"
    CHANGES = "changes"


class Wiring(StrEnum):
    """The way a node's messages take."""

    NETWORK = "network"
    USB = "usb"


class RuleFault(StrEnum):
    """What goes wrong at the table. Each leaves its entry in the truth."""

    NORTH_SHORT = "north_short"
    NORTH_TAKES_TILE = "north_takes_tile"
    OTHER_SHORT = "other_short"
    TWO_WRONG_AT_DEAL = "two_wrong_at_deal"
    OVERPASS = "overpass"
    UNDERPASS = "underpass"
    DOUBLE_PICK = "double_pick"
    NO_PICK = "no_pick"
    TWO_WRONG_IN_PLAY = "two_wrong_in_play"
    DECLARED_DEAD = "declared_dead"
    LATE_CALL = "late_call"
    SIMULTANEOUS_CALL = "simultaneous_call"
    EARLY_CALL = "early_call"
    WRONG_EXPOSURE = "wrong_exposure"
    OUT_OF_TURN = "out_of_turn"
    DEAD_HAND_ACTS = "dead_hand_acts"
    OWN_DEATH = "own_death"
    MAH_JONGG_IN_ERROR = "mah_jongg_in_error"


class SensorFault(StrEnum):
    """What goes wrong between a sensor and the host (rows of the research notes on faults, and worse days)."""

    LOSS = "loss"
    DUPLICATES = "dup"
    DISORDER = "disorder"
    NONSENSE = "nonsense"
    SILENCE = "silence"
    REBOOT = "reboot"
    DEAD_TAG = "dead_tag"
    ANTENNA_OUTAGE = "antenna_outage"
    STUCK_CELL = "stuck_cell"
    BAD_WIRING = "bad_wiring"
    INVALID_CODES = "invalid_codes"
    BEYOND_24_BITS = "beyond_24_bits"
    SPIKES = "spikes"
    DOUBLED = "doubled"
    CHIP_ASLEEP = "chip_asleep"
    COLD_START = "cold_start"
    SMOOTHED = "smoothed"
    WARMING = "warming"
    FLAPPING_TAG = "flapping_tag"
    CUT_UID = "cut_uid"
    REVERSED_UID = "reversed_uid"
    NEIGHBOUR_TABLE = "neighbour_table"
    COLLISIONS = "collisions"
    EMPTY_REPORTS = "empty_reports"
    NAN = "nan"
    NOT_UTF8 = "not_utf8"
    RETAINED = "retained"
    CLOCK_WRAP = "clock_wrap"
    NODE_STOPS = "node_stops"
    LINE_NOISE = "line_noise"


CELL_FAULTS = frozenset(
    {
        SensorFault.STUCK_CELL,
        SensorFault.BAD_WIRING,
        SensorFault.INVALID_CODES,
        SensorFault.BEYOND_24_BITS,
        SensorFault.SPIKES,
        SensorFault.DOUBLED,
        SensorFault.CHIP_ASLEEP,
        SensorFault.COLD_START,
        SensorFault.SMOOTHED,
        SensorFault.WARMING,
        SensorFault.NAN,
    }
)
"""Faults of a load cell or of the chip that reads it."""

TAG_FAULTS = frozenset(
    {
        SensorFault.DEAD_TAG,
        SensorFault.ANTENNA_OUTAGE,
        SensorFault.FLAPPING_TAG,
        SensorFault.CUT_UID,
        SensorFault.REVERSED_UID,
        SensorFault.NEIGHBOUR_TABLE,
        SensorFault.COLLISIONS,
        SensorFault.EMPTY_REPORTS,
    }
)
"""Faults of a tag or of the antenna that reads it."""

MQTT_FAULTS = frozenset(
    {
        SensorFault.DUPLICATES,
        SensorFault.DISORDER,
        SensorFault.NAN,
        SensorFault.NOT_UTF8,
        SensorFault.RETAINED,
    }
)
"""Faults that only a broker, or JSON, can bring about."""

BAD_DAY = (
    SensorFault.LOSS,
    SensorFault.DUPLICATES,
    SensorFault.DISORDER,
    SensorFault.NONSENSE,
    SensorFault.SILENCE,
    SensorFault.REBOOT,
    SensorFault.DEAD_TAG,
)
"""The seven that the handed bad days combine."""


class Options(Struct, frozen=True, kw_only=True):
    """One simulated evening. Equal options give equal bytes.

    The rule fault happens in the first hand; a redeal is played out (thrown in, dealt again) where `hands` > 1.

    `discards`: length of play of an `OPEN` hand; of another ending, when it comes about. `silent_racks` have no node at
    all, `racks_without_rfid` and `racks_without_weight` lack those sensors where the tier has them. The first hand's
    East sits at `first_east`; East moves on to the right after each hand, whoever won. `late_start_s`: the monitor is
    switched on so long after the evening began; recording and truth begin there, at 0.

    A fault that the table's sensors or its wiring cannot have is left out, and the truth has no entry of it: a serial
    line neither repeats nor disorders, and only a serial line has noise.
    """

    seed: int
    tier: Tier = Tier.HYBRID
    pace: Pace = Pace.NORMAL
    noise: Noise = Noise.NORMAL
    rule_fault: RuleFault | None = None
    sensor_faults: tuple[SensorFault, ...] = ()
    hands: int = 1
    discards: int = 18
    ending: Ending = Ending.OPEN
    first_east: Place = Place.EAST
    reader: Reader = Reader.INVENTORY
    wiring: Wiring = Wiring.NETWORK
    wall_antenna: bool = False
    silent_racks: tuple[Place, ...] = ()
    racks_without_rfid: tuple[Place, ...] = ()
    racks_without_weight: tuple[Place, ...] = ()
    late_start_s: float = 0.0
    table: str = "T1"
