"""What is known of a table's sensors before it plays: cells' zero and gain, and which tag is which tile."""

from msgspec import Struct


class CellCalibration(Struct, frozen=True):
    """One load cell. `zero_counts` is the raw reading with an empty rack in place; zero drifts."""

    counts_per_g: float
    zero_counts: float
    tile_g: float


class TableSetup(Struct, frozen=True):
    """A table's sensors. `calibration` is keyed `place.channel`; `tiles` maps enrolled uids to faces."""

    table: str
    tier: str = ""
    calibration: dict[str, CellCalibration] = {}
    tiles: dict[str, str] = {}
