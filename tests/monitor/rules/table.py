"""A table of four players who play by the rules, and who can be made to commit one fault: events for property tests.

Every method is a move that the articles allow, told as a monitor that errs in nothing would tell it. `Fault` moves are
those that they do not allow. The table knows nothing of the rules core.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

import msgspec

from monitor.events import SEATS, Event, Seat

Tell = Callable[[Event], None]


class Style(StrEnum):
    """How a player takes a turn."""

    PLAIN = "plain"
    THROWN_ON = "thrown_on"
    ONE_HANDED = "one_handed"
    RESTLESS = "restless"


@dataclass
class Table:
    """`tell` hears every event at once. `told_picks`: whether this table tells picks; `now` is the time."""

    tell: Tell
    told_picks: bool = True
    east: Seat = Seat.EAST
    now: float = 0.0
    counts: dict[Seat, int] = field(default_factory=dict)
    dead: set[Seat] = field(default_factory=set)
    exposers: list[Seat] = field(default_factory=list)
    last: Seat | None = None
    playing: bool = False

    def event(self, kind: str, seat: Seat | None = None, **keys: object) -> None:
        """Tell one event, now."""
        told = {"kind": kind, "at": round(self.now, 3), "table": "T1", **keys}
        if seat is not None:
            told["seat"] = seat.value
        self.tell(msgspec.convert(told, Event))

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    def rests(self, seat: Seat, count: int) -> None:
        """The rack comes to rest with so many tiles."""
        self.counts[seat] = count
        self.event("count_changed", seat, count=count)

    def moves(self, seat: Seat, by: int) -> None:
        """So many tiles come to the rack, or leave it."""
        self.rests(seat, self.counts[seat] + by)

    # ---- the deal and the Charleston

    def deal(self, *, off: dict[Seat, int] | None = None) -> None:
        """Racks fill; `off` says by how much a rack is wrong."""
        self.dead, self.exposers, self.last, self.playing = set(), [], None, False
        self.event("hand_started", east=self.east.value)
        self.wait(20)
        for seat in SEATS:
            self.rests(seat, (14 if seat is self.east else 13) + (off or {}).get(seat, 0))
        self.wait(1)
        self.event("dealt", east=self.east.value)
        self.wait(4)

    def charleston_pass(self, places: int, haste: float, *, extra: Seat | None = None) -> None:
        """Everyone passes three to the seat so many places on; `extra` passes four."""
        sent = {seat: 4 if seat is extra else 3 for seat in SEATS}
        for seat in SEATS:
            self.event("passed", seat, to=SEATS[(SEATS.index(seat) + places) % 4].value, n=sent[seat])
            self.wait(0.1)
            self.moves(seat, -sent[seat])
            self.wait(haste)
        for i, seat in enumerate(SEATS):
            self.moves(seat, sent[SEATS[(i - places) % 4]])
            self.wait(haste)
        self.wait(3)

    def sorts(self, seat: Seat, tiles: int, seconds: float) -> None:
        """A player takes tiles off the rack, and puts them back after some seconds."""
        self.moves(seat, -tiles)
        self.wait(seconds)
        self.moves(seat, tiles)
        self.wait(0.2)

    def first_discard(self, think: float) -> None:
        """East begins play."""
        self.wait(think)
        self.playing = True
        self.event("play_started", self.east)
        self._discards(self.east)

    # ---- turns

    @property
    def next(self) -> Seat:
        """Whose turn it is."""
        assert self.last is not None
        seat = self.last.right
        while seat in self.dead:
            seat = seat.right
        return seat

    @property
    def alive(self) -> list[Seat]:
        """Who still plays."""
        return [seat for seat in SEATS if seat not in self.dead]

    def picks(self, seat: Seat) -> None:
        """A tile from the wall, if this table tells."""
        if self.told_picks:
            self.event("picked", seat)

    def racks(self, seat: Seat) -> None:
        """The picked tile is placed on the slope."""
        self.event("racked", seat)
        self.moves(seat, 1)

    def _discards(self, seat: Seat, *, from_rack: bool = True) -> None:
        self.last = seat
        self.event("discarded", seat)
        if from_rack:
            self.moves(seat, -1)

    def turn(self, style: Style, think: float) -> None:
        """The next player picks and discards."""
        seat = self.next
        self.wait(0.6)
        self.picks(seat)
        self.wait(0.5)
        match style:
            case Style.THROWN_ON:
                self._discards(seat, from_rack=False)
            case Style.ONE_HANDED:
                self._discards(seat)
                self.wait(min(think, 3.0))
                self.racks(seat)
            case Style.RESTLESS:
                self.racks(seat)
                self.wait(1)
                self.sorts(seat, 3, think)
                self._discards(seat)
            case Style.PLAIN:
                self.racks(seat)
                self.wait(think)
                self._discards(seat)
        self.wait(0.2)

    def unseen_turn(self) -> None:
        """The next player throws the pick on, and nobody sees it. Only where picks are not told."""
        assert not self.told_picks
        self.last = self.next
        self.wait(2.5)

    def claim(self, seat: Seat, size: int, think: float, *, button: bool, picked: bool, racked: bool) -> None:
        """Another player claims; perhaps the next one had picked, or racks after the call, and puts the tile back."""
        taker = self.next
        self.wait(0.7)
        if picked and taker is not seat:
            self.picks(taker)
            self.wait(0.4)
        if button:
            self.event("called", seat, via="button")
        if racked and picked and button and taker is not seat:
            self.wait(0.4)
            self.racks(taker)
            self.wait(1)
            self.event("returned", taker)
            self.moves(taker, -1)
        elif picked and taker is not seat:
            self.wait(0.4)
            self.event("returned", taker)
        self.wait(1)
        self.event("exposed", seat, n=size)
        self.moves(seat, 1)
        self.exposers.append(seat)
        self.wait(think)
        self._discards(seat)
        self.wait(0.2)

    def mistaken_call(self, seat: Seat) -> None:
        """A call pressed by mistake, and taken back."""
        self.wait(0.3)
        self.event("called", seat, via="button")
        self.wait(0.5)
        self.event("call_withdrawn", seat)
        self.wait(0.2)

    def exchange_turn(self, jokers: int, owner: Seat, think: float) -> None:
        """The next player picks, racks, exchanges jokers with an exposure of `owner`, and discards."""
        seat = self.next
        self.wait(0.6)
        self.picks(seat)
        self.wait(0.5)
        self.racks(seat)
        self.wait(1)
        self.event("joker_exchanged", seat, n=jokers, owners=[owner.value])
        self.wait(0.4)
        self.moves(seat, -jokers)
        if owner is not seat:
            self.wait(0.4)
            self.moves(owner, -1)
            self.wait(think)
            self.moves(owner, 1)
        self.wait(think)
        self.moves(seat, jokers)
        self.wait(0.5)
        self._discards(seat)
        self.wait(0.2)

    def dies(self, seat: Seat, by: str) -> None:
        """Another player, or the director, declares a hand dead."""
        self.wait(0.3)
        self.event("dead", seat, by=by)
        self.dead.add(seat)
        self.wait(0.3)

    def wins(self) -> None:
        """The next player picks, racks and declares mah jongg; tiles are shown and swept together."""
        seat = self.next
        self.wait(0.6)
        self.picks(seat)
        self.wait(0.5)
        self.racks(seat)
        self.wait(2)
        self.event("declared", seat)
        self.wait(2)
        self.rests(seat, 3)
        self.wait(10)
        self.ends("mah_jongg")

    def ends(self, how: str) -> None:
        """The hand is over; tiles are swept together; East moves on."""
        self.event("hand_ended", how=how)
        for seat in SEATS:
            self.wait(0.5)
            self.rests(seat, 0)
        self.east = self.east.right
        self.playing = False
        self.last = None
        self.wait(20)

    # ---- faults

    def double_pick(self, think: float) -> Seat:
        """The next player racks two tiles and discards one."""
        seat = self.next
        self.wait(0.6)
        self.picks(seat)
        self.wait(0.5)
        self.racks(seat)
        self.wait(0.4)
        self.moves(seat, 1)
        self.wait(think)
        self._discards(seat)
        self.wait(0.2)
        return seat

    def no_pick(self, think: float) -> Seat:
        """The next player discards without picking."""
        seat = self.next
        self.wait(think + 1)
        self._discards(seat)
        self.wait(0.2)
        return seat

    def late_call(self, seat: Seat, late: float, think: float) -> Seat:
        """The next player racks; `seat` calls so much later, is refused, and play goes on."""
        taker = self.next
        self.wait(0.6)
        self.picks(taker)
        self.wait(0.5)
        self.racks(taker)
        self.wait(late)
        self.event("called", seat, via="button")
        self.wait(think + 2)
        self._discards(taker)
        self.wait(0.2)
        return seat

    def simultaneous_call(self, seat: Seat, apart: float, size: int, think: float) -> Seat:
        """The next player racks as `seat` calls, `apart` seconds after (or before); the tile goes back."""
        taker = self.next
        self.wait(0.6)
        self.picks(taker)
        self.wait(0.5)
        if apart < 0:
            self.event("called", seat, via="button")
        self.wait(max(0.0, -apart))
        self.racks(taker)
        self.wait(max(0.0, apart))
        if apart >= 0:
            self.event("called", seat, via="button")
        self.wait(1)
        self.event("returned", taker)
        self.moves(taker, -1)
        self.wait(0.5)
        self.event("exposed", seat, n=size)
        self.moves(seat, 1)
        self.exposers.append(seat)
        self.wait(think)
        self._discards(seat)
        self.wait(0.2)
        return seat

    def picks_out_of_turn(self, seat: Seat) -> Seat:
        """A player whose turn it is not picks, is told so, and puts the tile back."""
        self.wait(0.8)
        self.event("picked", seat)
        self.wait(1.5)
        self.event("returned", seat)
        self.wait(0.2)
        return seat

    def wrong_exposure(self, seat: Seat, size: int, think: float) -> Seat:
        """A claim with a size that cannot be."""
        self.claim(seat, size, think, button=True, picked=False, racked=False)
        return seat

    def kills_itself(self, seat: Seat) -> Seat:
        """A player declares the own hand dead, which has no effect."""
        self.wait(0.3)
        self.event("dead", seat, by=seat.value)
        return seat

    def dead_hand_picks(self) -> Seat:
        """A hand that was declared dead picks all the same, and puts the tile back."""
        seat = self.next
        self.dies(seat, "director")
        self.wait(1)
        self.event("picked", seat)
        self.wait(1)
        self.event("returned", seat)
        self.wait(1)
        return seat
