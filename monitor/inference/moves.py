"""The tracker's own currency: tiles came to or left a zone of a rack, or appeared on the floor.

Owns how weight steps and tags' moves become one kind of move; the grammar sees nothing else of sensors.
"""

from msgspec import Struct

from hw.observations import Moment, Zone


class Move(Struct, frozen=True):
    """`tiles` came to (positive) or left (negative) a zone of the rack of seat number `seat`; 0: touched and as before.

    `uid`: the tile, where a tag tells. `from_ledge_of`: the seat on whose ledge the tile last lay, -1 if on none.
    `from_slope_of`: the other seat on whose slope it last lay. `own`: it last lay on this same rack. `exposed`: it
    lay in an exposure. `shifted`: it went between slope and ledge of this rack, so the rack's load did not change.
    `came_s`: when a tile that leaves had come.
    `landings`: when tiles may have landed, where there were several. `raised`: most tiles more than before and after
    that the load was worth meanwhile. `until_s`: when the rack rested.
    `residue_g`, `noise_g`: weight beyond whole tiles, and its standard deviation (0: no weight known).
    """

    number: int
    seat: int
    zone: Zone
    tiles: int
    moment: Moment
    seen_s: float
    uid: str | None = None
    from_ledge_of: int = -1
    from_slope_of: int = -1
    own: bool = False
    exposed: bool = False
    landings: tuple[Moment, ...] = ()
    residue_g: float = 0.0
    noise_g: float = 0.0
    raised: int = 0
    until_s: float = 0.0
    shifted: bool = False
    came_s: float = 0.0


class Landed(Struct, frozen=True):
    """A tile appeared on the discard floor. `from_seat`: the rack it was last on, -1 if on none since the deal."""

    number: int
    uid: str
    from_seat: int
    moment: Moment
    seen_s: float
