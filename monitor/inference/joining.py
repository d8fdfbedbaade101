"""A hand that was begun before the monitor: when what the racks do can be nothing but play.

Owns the recognition of turns without knowing the hand. Racks' counts, landings -> **joining** -> play. Refuses to know
the turns that follow, which are `turns`'.

Tiles that come and go one at a time are dealt, passed, sorted or played. Only in play does a rack rise from thirteen to
fourteen and fall back while all others have thirteen: before East's first discard East has fourteen. One such turn may
be East's fourteenth tile, lifted to be sorted, so those of two seats are waited for. Tiles that land on the floor, from
racks of two seats, say the same.
"""

from typing import Final

from monitor.inference.racks import Rack

OWN, HOLDING = 13, 14
"""Tiles off turn, and in turn."""
LIFTED: Final = 2
"""So many may be in a hand, to be sorted; what lacks more was lifted to be exposed, or passed."""
WITHIN_S: Final = 120.0
"""From one seat's turn to another's (our choice: slow players think for a minute)."""
FIRST_LOOK_S: Final = 4.0
"""A rack that was not counted before is taken at its word after so long: weak tags are first heard within three."""


class Joining:
    """Watches the racks of a table whose hand nobody saw begin."""

    def __init__(self, racks: tuple[Rack, Rack, Rack, Rack]) -> None:
        self._racks = racks
        self._counted_s: dict[int, float] = {}
        self._all_own = False
        self._holder: int | None = None
        self._turns: dict[int, float] = {}
        self._landed: dict[int, float] = {}

    def forget(self) -> None:
        """Another hand, or another part of it."""
        self._all_own, self._holder = False, None
        self._turns.clear()
        self._landed.clear()

    def rested(self, now_s: float) -> bool:
        """A rack came to rest; whether turns of two seats have been seen by now."""
        totals = {seat: rack.total for seat, rack in enumerate(self._racks) if rack.total is not None}
        self._counted_s = {seat: self._counted_s.get(seat, now_s) for seat in totals}
        above = [seat for seat, total in totals.items() if total > OWN]
        if not self.may_play(now_s):
            self.forget()
        elif any(total < OWN for total in totals.values()):
            pass  # tiles are in a hand
        elif above:
            if above[0] != self._holder:
                self._holder = above[0] if self._all_own else None
            self._all_own = False
        else:
            if self._holder is not None:
                self._turns[self._holder] = now_s
            self._holder, self._all_own = None, len(totals) > 1
        return _of_two(self._turns, now_s)

    def landed(self, seat: int, now_s: float) -> bool:
        """A tile from a seat's rack appeared on the floor; whether another seat's has as well."""
        if not self.may_play(now_s):
            self.forget()
            return False
        self._landed[seat] = now_s
        return _of_two(self._landed, now_s)

    def may_play(self, now_s: float) -> bool:
        """Whether the racks have been looked at for long enough, and may be those of a hand in play: nobody has more
        than a tile too many, and one rack at most lacks more than are lifted to be sorted."""
        totals = [rack.total for rack in self._racks if rack.total is not None]
        if not totals or now_s - max(self._counted_s.values(), default=now_s) < FIRST_LOOK_S:
            return False
        holding = sum(total >= HOLDING for total in totals)
        lacking = sum(total < OWN - LIFTED for total in totals)
        return max(totals) <= HOLDING and holding <= 1 and lacking <= len(totals) // 4


def _of_two(seats: dict[int, float], now_s: float) -> bool:
    return sum(now_s - at_s < WITHIN_S for at_s in seats.values()) > 1
