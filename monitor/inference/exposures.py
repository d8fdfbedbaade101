"""How many tiles an exposure holds, once its whole rack is accounted for.

Owns the sizes of exposures. Racks and told exposures -> **exposures** -> the same exposures told again with `n`.
Refuses to know claims and turns: that a seat is off turn is told to it.

A ledge that shows two tiles holds three with one tag silent, nearly always. So the size is not what a ledge shows while
a claim is laid down, but by how much it grew between two times at which nothing was missing: the rack lay still, and
slope and ledge together held just what a hand off turn holds. It is known some seconds after the claimer's discard,
which is when it is judged.
"""

from math import inf

from msgspec import Struct
from msgspec.structs import replace

from hw.observations import Zone
from monitor.events import Exposed
from monitor.inference.findings import Finding
from monitor.inference.proof import OFF_TURN, PROVEN
from monitor.inference.racks import Rack

STAYS_S = 8.0
"""A ledge holds what it has held for so long; a tag may be silent, or heard by the wrong antenna, for less (our
choice, as for numbers of tiles)."""
LAWFUL = range(3, 7)
WRONG_STAYS_S = 20.0
"""And a size that no exposure has, for so long: one tag of a lawful one may be heard by the wrong antenna for longer
(our choice)."""
LATE_S = 4.0
"""What comes to the ledge so long after the seat's discard, when its slope has changed as well, is no part of that
exposure (our choice: tags tell two seconds late)."""
ASKED_S = 60.0
"""After so long a size stays unknown: by then the ledge holds what others have changed there (our choice)."""


class _Ledge(Struct):
    """One seat's rack. `slope` since `moved_s`, `tiles` on the ledge since `laid_s`, `None` where unknown, both since
    `since_s`; `before`:
    what the ledge held when the rack was last accounted for off turn, `None` if it is not by now; `asked`: the exposure
    whose size is wanted, `over_s`: when its seat discarded; `most`: the most that has lain there since it was told."""

    slope: int | None = None
    tiles: int | None = None
    since_s: float = 0.0
    laid_s: float = 0.0
    moved_s: float = 0.0
    before: int | None = None
    asked: Finding | None = None
    asked_s: float = 0.0
    over_s: float = inf
    most: int = 0


class Exposures:
    """The exposures of one table's hand. `whole`: the hand was seen from its deal, when no ledge held anything."""

    def __init__(self, racks: tuple[Rack, Rack, Rack, Rack], *, whole: bool) -> None:
        self._racks = racks
        self._ledges = [_Ledge(before=0 if whole else None) for _ in racks]

    def told(self, seat: int, finding: Finding, now_s: float) -> None:
        """An exposure was told. Where the one before is not sized yet, nobody can say what belongs to which."""
        ledge = self._ledges[seat]
        if ledge.asked is None:
            ledge.asked = finding
        else:
            ledge.asked = ledge.before = None
        ledge.asked_s, ledge.over_s, ledge.most = now_s, inf, 0

    def struck(self, seat: int) -> None:
        """It was none."""
        self._ledges[seat].asked = None

    def sized(self, seat: int, now_s: float, *, discarded_s: float, off_turn: bool) -> list[Finding]:
        """The exposure told again, if its size is known now and was not, or was another. `discarded_s`: when the seat
        discarded last."""
        ledge, rack = self._ledges[seat], self._racks[seat]
        slope, tiles = rack.zones.get(Zone.SLOPE), rack.zones.get(Zone.LEDGE)
        if tiles != ledge.tiles:
            ledge.tiles, ledge.laid_s, ledge.since_s = tiles, now_s, now_s
        if slope != ledge.slope:
            ledge.slope, ledge.moved_s, ledge.since_s = slope, now_s, now_s
        ledge.most = max(ledge.most, tiles or 0)
        if slope is None or tiles is None or now_s - ledge.since_s < STAYS_S or not (off_turn and rack.resting):
            return []
        accounted = slope + tiles == rack.total == OFF_TURN
        asked = ledge.asked
        if asked is None:
            known = tiles in {0, ledge.before} or discarded_s > ledge.laid_s
            ledge.before = tiles if accounted and known else None
            return []
        if discarded_s >= asked.event.at:
            ledge.over_s = min(ledge.over_s, discarded_s)
        if now_s - ledge.asked_s > ASKED_S or min(ledge.laid_s, ledge.moved_s) > ledge.over_s + LATE_S:
            ledge.asked, ledge.before = None, None
            return []
        if not accounted or discarded_s < asked.event.at or not isinstance(asked.event, Exposed):
            return []
        n = None if ledge.before is None or tiles < ledge.most else tiles - ledge.before
        if n is not None and n not in LAWFUL and now_s - ledge.since_s < WRONG_STAYS_S:
            return []
        ledge.asked, ledge.before = None, tiles
        if n is None or n < 1 or n == asked.event.n:
            return []
        return [asked.told_again(replace(asked.event, n=n, confidence=PROVEN, seen_at=now_s))]
