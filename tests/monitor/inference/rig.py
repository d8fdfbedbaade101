"""Four racks whose counts are set by hand, for the phases of a hand."""

from hw.observations import Zone
from monitor.events import Event
from monitor.inference.deal import GIVEN_S
from monitor.inference.phases import Hand, Phase
from monitor.inference.racks import four_racks


class Deal:
    """Four racks whose counts are set by hand; time passes in tenths of a second."""

    def __init__(self, *counts: int | None) -> None:
        self.racks = four_racks()
        self.hand = Hand(self.racks)
        self.now_s = 8.0
        self.told: list[Event] = []
        for seat, count in enumerate(counts):
            if count is not None:
                self.rest(seat, count)
        self.wait(2.0)

    def rest(self, seat: int, count: int | None, *, reason: str = "") -> "Deal":
        """A rack comes to rest with a count."""
        self.racks[seat].set(Zone.RACK, count, self.now_s, self.now_s, reason)
        self.told += self.hand.changed(seat, self.now_s)
        return self

    def touch(self, seat: int) -> "Deal":
        """A rack is being touched."""
        self.racks[seat].moving(Zone.RACK, self.now_s)
        return self

    def wait(self, seconds: float) -> "Deal":
        """Time passes."""
        end_s = self.now_s + seconds
        while self.now_s < end_s - 1e-9:
            self.now_s = min(self.now_s + 0.1, end_s)
            self.told += self.hand.advance(self.now_s)
        return self

    def deal(self, *full: int) -> "Deal":
        """Blocks of four, three rounds, then the last tiles."""
        for block in (4, 8, 12):
            for seat in range(4):
                self.rest(seat, min(block, full[seat])).wait(0.5)
        for seat in range(4):
            if full[seat] > 12:
                self.rest(seat, full[seat]).wait(0.5)
        return self

    def pass_tiles(self, n: int = 3, back: tuple[int, int, int, int] | None = None) -> "Deal":
        """Everybody gives, then everybody racks what came."""
        before = [rack.total or 0 for rack in self.racks]
        after = back or (before[0], before[1], before[2], before[3])
        for seat in range(4):
            self.rest(seat, before[seat] - n).wait(0.7)
        self.wait(GIVEN_S + 0.5)
        for seat in range(4):
            self.rest(seat, after[seat]).wait(0.6)
        return self.wait(3.0)

    def kinds(self) -> list[str]:
        return [type(event).__name__ for event in self.told]

    def of(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.told if type(event) is kind]


def dealt(*full: int) -> Deal:
    """An empty table, dealt; the telling so far is forgotten."""
    deal = Deal(0, 0, 0, 0).wait(1.0).deal(*(full or (14, 13, 13, 13))).wait(2.0)
    assert deal.hand.phase is Phase.PASSING
    deal.told.clear()
    return deal
