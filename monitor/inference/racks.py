"""What lies on each rack: zones to totals, and which count is settled enough to be told.

Owns the counts of a table as its sensors give them. Observations -> **racks** -> phases, counts told. Refuses to know
the grammar of turns: whether a dip is tiles in a hand is asked of the caller.
"""

from hw.observations import NO_REST
from hw.observations import Zone as SensorZone
from monitor.events import SEATS, CountChanged, Seat, Zone
from monitor.inference.proof import OFF_TURN, Proof

IN_HAND = "tiles in a hand"
"""Why a count is not known while tiles are lifted."""

BEING_TOUCHED = "being touched"
"""And while a rack that must lie still to be believed does not."""


class Rack:
    """One rack. `total` is slope and ledge together; `None` while a zone is unknown."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.zones: dict[SensorZone, int | None] = {}
        self.at_rest: dict[SensorZone, bool] = {}
        self.silent = False
        self.since_s = 0.0
        self.moving_s = 0.0
        self.seen_s = 0.0
        self.reason = "no sensor"
        self._told: dict[Zone, int | None] = {}
        self._told_s = 0.0
        self._withheld: list[tuple[int, float]] = []
        self._touched_long = False
        self._touched: dict[SensorZone, float] = {}
        self._proof = Proof()
        self._by_tags = False
        self._unheard = False

    @property
    def total(self) -> int | None:
        """Tiles in and on the rack."""
        if not self.zones or self.silent:
            return None
        weighed = self.zones.get(SensorZone.RACK)
        if weighed is not None or self._touched_long:
            return weighed
        slope, ledge = self.zones.get(SensorZone.SLOPE), self.zones.get(SensorZone.LEDGE, 0)
        return None if slope is None or ledge is None else slope + ledge

    @property
    def weighed(self) -> bool:
        """Whether one scale carries the whole rack and its load is known."""
        return not self.silent and self.zones.get(SensorZone.RACK) is not None

    @property
    def resting(self) -> bool:
        """Whether every zone of the rack is at rest."""
        return all(self.at_rest.values())

    def set(self, zone: SensorZone, count: int | None, since_s: float, seen_s: float, reason: str = "") -> None:
        """A zone came to rest with `count` tiles."""
        self.zones[zone] = count
        self.at_rest[zone] = True
        self._touched.pop(zone, None)
        if zone is SensorZone.RACK:  # tags replace a scale that is sick, not one that is about to count again
            self._touched_long = count is None and reason == NO_REST
        self.since_s = max(self.since_s, since_s) if count is not None else since_s
        self.seen_s = seen_s
        self.reason = reason
        self._proof.rested(self.total, since_s)

    def gain(self, zone: SensorZone, tiles: int, since_s: float, seen_s: float) -> None:
        """A zone that is known tile by tile gained tiles (or lost them)."""
        self._by_tags = not self.weighed
        for each in (SensorZone.SLOPE, SensorZone.LEDGE):
            self.zones.setdefault(each, 0)
            self.at_rest.setdefault(each, True)
        count = max(0, (self.zones[zone] or 0) + tiles)
        if self.weighed:
            self.zones[zone] = count  # when such a rack rests its scale says
        else:
            self.set(zone, count, since_s, seen_s)

    def unheard(self, likely: bool) -> None:
        """Whether a tile that no antenna hears well is likelier there than a number too small by one."""
        self._unheard = likely

    @property
    def may_hold_more(self) -> bool:
        """Whether the rack is counted by tags, and one of them may be unheard."""
        return self._by_tags and self._unheard

    def moving(self, zone: SensorZone, since_s: float) -> None:
        """A zone is being touched."""
        self.at_rest[zone] = False
        self.moving_s = since_s
        self._touched.setdefault(zone, since_s)

    @property
    def as_it_rested(self) -> bool:
        """Whether `total` is what the whole rack last rested with, though it may be touched again by now."""
        return all(at_s > self.since_s for at_s in self._touched.values())

    def is_proven(self, now_s: float, base: int, *, holding: bool) -> bool:
        """Whether a `total` that surprises is sure by now; `base` and `holding` as the search over turns has them."""
        if self._by_tags:
            return self._proof.tags_hold(now_s, base, holding=holding)
        if self._tags_say_lawful(OFF_TURN + holding):
            return False
        moving_s = None if self.resting else self.touched_s
        return self._proof.weighed_holds(now_s, moving_s, explained=self.total == base + holding)

    def _tags_say_lawful(self, lawful: int) -> bool:
        """Whether the rack is weighed and read, and its tags are those of a lawful number."""
        slope, ledge = self.zones.get(SensorZone.SLOPE), self.zones.get(SensorZone.LEDGE, 0)
        return self.weighed and slope is not None and ledge is not None and slope + ledge == lawful

    def tell(self, seen_s: float, discarded_s: float) -> list[CountChanged]:
        """What of the counts has not been told yet: zones first, the rack's total last.

        `discarded_s`: the seat's last discard. A rack rests before the tile that left it lands, and what it rests with
        is what the discard left. The count may have changed since the rack was first touched.
        """
        told: list[CountChanged] = []
        self._withheld.clear()
        before_s = self._told_s
        self._told_s = max(before_s, min(max(self.since_s, discarded_s), seen_s))
        since_s = self.moving_s if before_s < self.moving_s < self._told_s else None
        counts: dict[Zone, int | None] = {
            Zone(zone.value): None if self.silent else count
            for zone, count in self.zones.items()
            if zone is not SensorZone.RACK
        }
        counts[Zone.RACK] = self.total
        for zone, count in counts.items():
            if zone in self._told and self._told[zone] == count:
                continue
            previous = self._told.get(zone)
            self._told[zone] = count
            told.append(
                CountChanged(
                    at=self._told_s,
                    seat=self.seat,
                    earliest=since_s,
                    latest=None if since_s is None else self._told_s,
                    zone=zone,
                    count=count,
                    previous=previous,
                    reason=("silent" if self.silent else self.reason or None) if count is None else None,
                    seen_at=seen_s,
                )
            )
        return told

    @property
    def touched_s(self) -> float:
        """Since when the rack is being touched, or last was."""
        return min(self._touched.values(), default=self.moving_s)

    def doubt(self, seen_s: float, reason: str) -> list[CountChanged]:
        """What was told no longer holds, and what does is not known yet."""
        self._told_s = max(self._told_s, min(self.since_s, seen_s))
        told = [
            CountChanged(
                at=self._told_s,
                seat=self.seat,
                zone=zone,
                count=None,
                previous=count,
                reason=reason,
                seen_at=seen_s,
            )
            for zone, count in self._told.items()
            if count is not None
        ]
        self._told = dict.fromkeys(self._told)
        return told

    def withhold(self) -> None:
        """What the rack holds now is not told yet, since nobody can tell what it means; it is remembered."""
        if self.total is not None and (not self._withheld or self._withheld[-1][0] != self.total):
            self._withheld.append((self.total, self.since_s))

    @property
    def withholds(self) -> bool:
        """Whether something is withheld, so that what comes after it must wait too."""
        return bool(self._withheld)

    def tell_withheld(self, seen_s: float) -> list[CountChanged]:
        """What was withheld is told in order, as it was."""
        told = [event for count, at_s in self._withheld for event in self.tell_total(count, at_s, seen_s)]
        self._withheld.clear()
        return told

    def settled_until(self, at_s: float) -> None:
        """What was told held until `at_s`: a later change is dated after it, however early a weak tag dates it."""
        self._told_s = max(self._told_s, at_s)

    def tell_total(self, count: int, at_s: float, seen_s: float) -> list[CountChanged]:
        """Tell a total that the rack had at `at_s`, where it was not told then; what it has now may be another."""
        previous = self._told.get(Zone.RACK)
        if previous == count:
            return []
        self._told[Zone.RACK] = count
        self._told_s = max(self._told_s, at_s)
        return [CountChanged(at=self._told_s, seat=self.seat, count=count, previous=previous, seen_at=seen_s)]

    @property
    def told_s(self) -> float:
        """What was told was dated so late at the latest."""
        return self._told_s

    @property
    def told_total(self) -> int | None:
        """The total as last told."""
        return self._told.get(Zone.RACK)


def four_racks() -> tuple[Rack, Rack, Rack, Rack]:
    """The racks of a table in order of play."""
    a, b, c, d = (Rack(seat) for seat in SEATS)
    return a, b, c, d
