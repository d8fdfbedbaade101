"""Play: when it begins, what of it is told, when it pauses, and when it proves to have been none.

Owns the search over turns and its beginning and end. Phases and moves -> **play** -> findings. Refuses to know sensors
and how counts are told.

East's first discard looks like a tile on its way in a courtesy pass, or lifted to be sorted. So play is believed
to have begun when what follows fits nothing else; the moves since are read again from there; and when tiles turn up
that were passed after all, everything told of it is taken back.
"""

from hw.observations import Moment
from monitor.events import SEATS, Discarded, Exposed, PlayStarted
from monitor.inference.belief import Key, Player, Stage
from monitor.inference.charleston import Evidence, Start
from monitor.inference.exposures import Exposures
from monitor.inference.findings import Finding, Numbers
from monitor.inference.joining import Joining
from monitor.inference.moves import Landed, Move
from monitor.inference.phases import UNPLAY_S, Hand, Phase
from monitor.inference.racks import IN_HAND, Rack
from monitor.inference.turns import Turns

REREAD_S = 1.0
"""Moves are read again from so long before East's rack came to rest with a tile fewer."""

START_S = 1.0
"""East's first discard left so near to when its rack came to rest at that (our choice)."""

LONG_SINCE_S = 20.0
"""East's first discard is not looked for longer ago: what happened since cannot be read again as play, and the passes
that were read in between would be wrong numbers of it."""

FIRST_FLOOR_S = 10.0
"""In a hand that was joined, tags of the floor that come from no rack lay there before, when first heard so soon (our
choice)."""

MOST_RECENT = 64
"""Moves kept to be read again once play has begun."""


class Play:
    """The play of one table's hands. `discarded_s`: each seat's last discard; `lifted_s`: earliest it left."""

    def __init__(self, hand: Hand, racks: tuple[Rack, Rack, Rack, Rack], numbers: Numbers) -> None:
        self._hand = hand
        self._racks = racks
        self._numbers = numbers
        self._turns: Turns | None = None
        self._paused: Turns | None = None
        self._joining = Joining(racks)
        self._joined_s: float | None = None
        self._sees_floor = False
        self._recent: list[Move] = []
        self._started_by: Finding | None = None
        self._told: list[Finding] = []
        self._exposures = Exposures(racks, whole=False)
        self.discarded_s = [0.0] * 4
        self.lifted_s = [0.0] * 4

    @property
    def on(self) -> bool:
        """Whether moves are read as play."""
        return self._turns is not None

    @property
    def is_dark(self) -> bool:
        """Whether nobody knows what hand this is: racks are counted, and no move means anything."""
        return self._hand.phase is Phase.UNKNOWN and self._turns is None

    @property
    def deciding(self) -> bool:
        """Whether a hand seen from its deal is read as play and its first discard has not been told."""
        return self.on and self._hand.dealt_s > 0 and self._started_by is None

    @property
    def understood(self) -> bool:
        """Whether the moves of late are play that fits some reading."""
        return self._turns is not None and self._turns.understood

    @property
    def turn(self) -> int:
        """Whose turn it is by the best explanation, -1 where nobody knows or out of play."""
        return -1 if self._turns is None else self._turns.best.turn

    def holds(self, seat: int) -> float:
        """The probability that a tile more on the seat's rack is the pick of its turn, or its claim."""
        return 0.0 if self._turns is None else self._turns.holds(seat)

    def player(self, seat: int) -> Player | None:
        """The seat as the best explanation has it, `None` out of play."""
        return None if self._turns is None else self._turns.best.players[seat]

    def knows_before(self, at_s: float) -> bool:
        """Whether all that is thought to have happened before `at_s` has been told."""
        return self._turns is None or self._turns.all_told(at_s)

    # what comes in

    def move(self, move: Move) -> list[Finding]:
        """A move of a rack; out of play it is kept, in case it proves the first of it."""
        if move.tiles and self._hand.phase is Phase.PASSING:
            self._recent.append(move)
            del self._recent[:-MOST_RECENT]
        return [] if self._turns is None else self._read(self._turns.move(move), move.seen_s)

    def landed(self, landed: Landed) -> list[Finding]:
        """A tile landed on the floor."""
        self._sees_floor = True
        if self._hand.phase is Phase.UNKNOWN and landed.from_seat >= 0:
            self._join(now_s=landed.seen_s, sure=self._joining.landed(landed.from_seat, landed.seen_s))
        if landed.from_seat < 0 and self._joined_s is not None and landed.seen_s - self._joined_s < FIRST_FLOOR_S:
            return []
        found = self.begin(landed.seen_s, discarded=landed.from_seat == self._hand.east)
        if self._turns is not None:
            found += self._read(self._turns.landed(landed), landed.seen_s)
        return found

    def rested(self, now_s: float) -> None:
        """A rack came to rest, perhaps with another count."""
        if self._hand.phase is Phase.UNKNOWN:
            self._join(now_s, sure=self._joining.rested(now_s))

    def press(self, seat: int, at: Moment, now_s: float) -> list[Finding]:
        """A seat claims the last discard."""
        return [] if self._turns is None else self._read(self._turns.press(seat, at, now_s), now_s)

    def withdrawn(self, seat: int, now_s: float) -> None:
        """A seat took its claim back."""
        if self._turns is not None:
            self._turns.withdrawn(seat, now_s)

    def dead(self, seat: int) -> None:
        """A hand was declared dead."""
        if self._turns is not None:
            self._turns.dead(seat)

    def advance(self, now_s: float) -> list[Finding]:
        """Let time pass."""
        found = self.begin(now_s)
        found += self._unplay(now_s)
        if self._turns is not None:
            found += self._read(self._turns.advance(now_s), now_s)
        return found + self._sizes(now_s)

    def _sizes(self, now_s: float) -> list[Finding]:
        """Exposures whose size has become known."""
        found: list[Finding] = []
        for seat in range(4) if self.on else ():
            player = self.player(seat)
            off_turn = player is not None and player.stage is Stage.RESTING and self.turn != seat
            found += self._exposures.sized(seat, now_s, discarded_s=self.discarded_s[seat], off_turn=off_turn)
        return found

    # beginning and end

    def begin(self, now_s: float, *, pressed: bool = False, discarded: bool = False) -> list[Finding]:
        """East has one tile fewer and the others have what they had: East's first discard.

        `pressed`: somebody calls; `discarded`: a tile of East's was seen to land. Either leaves no doubt.
        """
        hand = self._hand
        if self._turns is not None:
            return []
        if hand.phase is Phase.UNKNOWN:
            self._join(now_s, sure=pressed and self._joining.may_play(now_s))
            return []
        if pressed or discarded:
            hand.weigh(Evidence.LANDED if discarded else Evidence.CALLED)
        started = hand.start(now_s)
        if started is None or hand.east is None:
            return []
        if now_s - started.dropped_s > LONG_SINCE_S:
            self._start_turns(None, now_s)
            return []
        return self._begin(started, hand.east, now_s)

    def _begin(self, started: Start, east: int, now_s: float) -> list[Finding]:
        hand, base, dropped_s = self._hand, started.rests, started.dropped_s
        moves = [m for m in self._recent if m.moment.at_s >= dropped_s - REREAD_S]
        hand.play(started)
        turns = self._start_turns(east, min(dropped_s, *(m.seen_s for m in moves)) if moves else dropped_s)
        for seat in hand.seen:
            # what was lifted before the moves that are read again comes back after them
            lifted = sum(m.tiles for m in moves if m.seat == seat) - (self._racks[seat].total or 0) + base[seat]
            if lifted > 0:
                turns.start_lifted(seat, lifted)
        found = [self._numbers.finding(e) for e in self._racks[east].tell_total(base[east] - 1, dropped_s, now_s)]
        for seat in hand.seen:
            if seat == east:
                continue
            found += [self._numbers.finding(e) for e in self._racks[seat].tell_withheld(now_s)]
            # a dip was told as what it was in the passes; in play it is tiles in a hand
            if self._racks[seat].told_total != base[seat]:
                found += [self._numbers.finding(e) for e in self._racks[seat].doubt(now_s, IN_HAND)]
        told: list[Finding] = []
        for move in moves:
            told += [finding.seen(now_s) for finding in turns.move(move)]
        self._recent.clear()
        return found + self._read(told + turns.advance(now_s), now_s)

    def start(self, now_s: float) -> None:
        """Somebody says that play has begun."""
        if self._turns is None:
            self._start_turns(self._hand.east, now_s)

    def stop(self, now_s: float) -> list[Finding]:
        """Play pauses: what the search knows by now is told."""
        if self._turns is None:
            return []
        found = self._read(self._turns.finish(now_s), now_s)
        self._paused, self._turns = self._turns, None
        return found

    def resume(self) -> None:
        """Play goes on where it paused."""
        if self._paused is not None:
            self._turns, self._paused = self._paused, None
            self._hand.play()

    def end(self, now_s: float) -> list[Finding]:
        """The hand is over."""
        found = self.stop(now_s)
        self._paused = None
        self._started_by = None
        self._joined_s = None
        self._told.clear()
        self._recent.clear()
        return found

    def forget_moves(self) -> None:
        """The phase changed: what moved before belongs to the phase before."""
        self._recent.clear()
        self._joining.forget()

    def passed_on(self, move: Move) -> list[Finding]:
        """A tile went from one slope to another: that is a pass, and if play seemed to have begun it had not."""
        self._hand.weigh(Evidence.PASSED_ON)
        return self._unplay(move.seen_s)

    def _start_turns(self, east: int | None, started_s: float) -> Turns:
        """Play begins at rest: East, where known, has a tile more than its base; else nobody knows the turn."""
        hand = self._hand
        if east is not None and hand.started is not None:
            bases = [n if k != east else n - 1 for k, n in enumerate(hand.started.rests)]
        else:
            east = None
            bases = [13 if rack.total is None else min(13, rack.total) for rack in self._racks]
        turns = Turns(
            (bases[0], bases[1], bases[2], bases[3]),
            -1 if east is None else east,
            started_s,
            sees_floor=self._sees_floor,
        )
        holding = [east] if east is not None else [k for k, rack in enumerate(self._racks) if rack.total == 14]
        for seat in holding:
            turns.start_holding(seat)
        self._turns = turns
        self._exposures = Exposures(self._racks, whole=hand.dealt_s > 0)
        hand.play()
        return turns

    def _unplay(self, now_s: float) -> list[Finding]:
        """What was told of play is taken back if East's tile proves to have been part of a pass."""
        if not self.on or not self._hand.was_no_play(now_s):
            return []
        found = [finding.taken_back() for finding in self._told]
        self._turns = None
        self._started_by = None
        self._told.clear()
        self._hand.back_to_passing()
        return found

    def _join(self, now_s: float, *, sure: bool) -> None:
        """A hand that nobody saw begin is in play, once that is sure."""
        if sure and self._turns is None:
            self._start_turns(None, now_s)
            self._joining.forget()
            self._joined_s = now_s

    def _read(self, findings: list[Finding], now_s: float) -> list[Finding]:
        """Pass on what the search told; its first discard is the start of play."""
        found: list[Finding] = []
        for finding in findings:
            event = finding.event
            if isinstance(event, Discarded) and not finding.struck and event.seat is not None:
                self.discarded_s[SEATS.index(event.seat)] = event.at
                self.lifted_s[SEATS.index(event.seat)] = event.low
            if isinstance(event, Exposed) and event.seat is not None:
                if finding.struck:
                    self._exposures.struck(SEATS.index(event.seat))
                else:
                    self._exposures.told(SEATS.index(event.seat), finding, now_s)
            if isinstance(event, Discarded) and not finding.struck and self._started_by is None and self._hand.dealt_s:
                self._started_by = finding
                start = self._start_of_play(event, now_s)
                found.append(Finding(start, Key(finding.key.cause, "PlayStarted", event.seat), False))
            elif (
                finding.struck
                and self._started_by is not None
                and finding.key == self._started_by.key
                and self._hand.started is None  # else the racks say that play has begun, however it is read
            ):
                found.append(Finding(self._started_by.event, Key(finding.key.cause, "PlayStarted", event.seat), True))
                self._started_by = None
            found.append(finding)
        if self._started_by is not None and now_s - self._started_by.event.at < UNPLAY_S:
            self._told += [f for f in found if not f.struck]
        else:
            self._told.clear()
        return found

    def _start_of_play(self, first: Discarded, now_s: float) -> PlayStarted:
        """East's first discard: the first one told, or where that is another's, the tile that East's rack lost."""
        east, started = self._hand.east, self._hand.started
        if east is None or started is None or first.seat is SEATS[east]:
            return PlayStarted(
                at=first.at, earliest=first.earliest, latest=first.latest, seat=first.seat, seen_at=now_s
            )
        dropped_s = started.dropped_s
        earliest_s, latest_s = dropped_s - START_S, dropped_s + START_S
        count = self._numbers.counts.get(SEATS[east])
        if count is not None and count.low <= dropped_s <= count.at + START_S:
            earliest_s = min(earliest_s, count.low)  # the rack was being touched since then
        return PlayStarted(at=dropped_s, earliest=earliest_s, latest=latest_s, seat=SEATS[east], seen_at=now_s)
