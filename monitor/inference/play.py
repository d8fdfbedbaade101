"""Play: when it begins, what of it is told, when it pauses, and when it proves to have been none.

Owns the search over turns and its beginning and end. Phases and moves -> **play** -> findings. Refuses to know sensors
and how counts are told.

East's first discard looks like a tile on its way in a courtesy pass, or lifted to be sorted. So play is believed
to have begun when what follows fits nothing else; the moves since are read again from there; and when tiles turn up
that were passed after all, everything told of it is taken back.
"""

from hw.observations import Moment
from monitor.events import SEATS, Discarded, PlayStarted
from monitor.inference.belief import Key, Player
from monitor.inference.findings import Finding, Numbers
from monitor.inference.moves import Landed, Move
from monitor.inference.phases import Hand, Phase
from monitor.inference.racks import IN_HAND, Rack
from monitor.inference.turns import Turns

START_REST_S = 4.0
"""East one short and everybody else at rest so long: play has begun, though nobody has moved since."""

START_LONELY_S = 6.0
"""East one short so long, whatever single tiles the others lift: play has begun."""

START_STALE_S = 20.0
"""East one short so long although others passed tiles: what looked like a courtesy pass was none."""

LONG_PASSING_S = 60.0
"""So long after the deal play may begin although fewer than three rounds of passes were seen."""

LATE_SINGLES = 4
"""So many single tiles come and gone at two seats or more: a hand was in play when the monitor began."""

PASS_BACK = 2
"""A rack this many short at rest, at two seats: those were passes and no play."""

UNPLAY_S = 40.0
UNPLAY_REST_S = 2.0
"""So long after the start that is still believed, where those racks rest so long."""

REREAD_S = 1.0
"""Moves are read again from so long before East's rack came to rest with a tile fewer."""

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
        self._sees_floor = False
        self._recent: list[Move] = []
        self._started_by: Finding | None = None
        self._told: list[Finding] = []
        self.discarded_s = [0.0] * 4
        self.lifted_s = [0.0] * 4

    @property
    def on(self) -> bool:
        """Whether moves are read as play."""
        return self._turns is not None

    @property
    def deciding(self) -> bool:
        """Whether a hand seen from its deal is read as play and its first discard has not been told."""
        return self.on and self._hand.dealt_s > 0 and self._started_by is None

    def player(self, seat: int) -> Player | None:
        """The seat as the best explanation has it, `None` out of play."""
        return None if self._turns is None else self._turns.best.players[seat]

    def knows_before(self, at_s: float) -> bool:
        """Whether all that is thought to have happened before `at_s` has been told."""
        return self._turns is None or self._turns.all_told(at_s)

    # what comes in

    def move(self, move: Move) -> list[Finding]:
        """A move of a rack; out of play it is kept, in case it proves the first of it."""
        if move.tiles and self._hand.phase in {Phase.PASSING, Phase.UNKNOWN}:
            self._recent.append(move)
            del self._recent[:-MOST_RECENT]
        return [] if self._turns is None else self._read(self._turns.move(move), move.seen_s)

    def landed(self, landed: Landed) -> list[Finding]:
        """A tile landed on the floor."""
        self._sees_floor = True
        found = self.begin(landed.seen_s, discarded=landed.from_seat == self._hand.east)
        if self._turns is not None:
            found += self._read(self._turns.landed(landed), landed.seen_s)
        return found

    def press(self, seat: int, at: Moment, now_s: float) -> list[Finding]:
        """A seat claims the last discard."""
        return [] if self._turns is None else self._read(self._turns.press(seat, at, now_s), now_s)

    def dead(self, seat: int) -> None:
        """A hand was declared dead."""
        if self._turns is not None:
            self._turns.dead(seat)

    def advance(self, now_s: float) -> list[Finding]:
        """Let time pass."""
        found = self.begin(now_s)
        if self._turns is not None:
            found += self._unplay(now_s) or self._read(self._turns.advance(now_s), now_s)
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
            return self._begin_late(now_s, pressed=pressed)
        if hand.phase is not Phase.PASSING or hand.east is None:
            return []
        east, base = hand.east, hand.rest
        dropped_s = hand.dropped_s
        pressed = pressed or discarded
        if dropped_s is None or not (pressed or hand.rounds >= 3 or now_s - hand.dealt_s > LONG_PASSING_S):
            return []
        beside = {k: (self._racks[k].total or 0) - base[k] for k in hand.seen if k != east}
        waited_s = now_s - dropped_s
        passed = hand.passed_since(dropped_s, east)
        followed = any(n == 1 and k != (east + 2) % 4 and beside.get((k + 2) % 4, 0) == 0 for k, n in beside.items())
        begun = (
            pressed
            or (followed and not passed)
            or (waited_s > START_REST_S and not passed and not any(beside.values()))
            or (waited_s > START_LONELY_S and not passed)
            or (waited_s > START_STALE_S and min(beside.values(), default=0) > -2)
        )
        if not begun:
            return []
        moves = [m for m in self._recent if m.moment.at_s >= dropped_s - REREAD_S]
        turns = self._start_turns(east, hand.rest_s)
        for seat, n in beside.items():
            # what was lifted before the moves that are read again comes back after them
            lifted = sum(m.tiles for m in moves if m.seat == seat) - n
            if lifted > 0:
                turns.start_lifted(seat, lifted)
        found = [self._numbers.finding(e) for e in self._racks[east].tell_total(base[east] - 1, dropped_s, now_s)]
        for seat in beside:
            found += [self._numbers.finding(e) for e in self._racks[seat].tell_withheld(now_s)]
            # a dip was told as what it was in the passes; in play it is tiles in a hand
            if self._racks[seat].told_total != base[seat]:
                found += [self._numbers.finding(e) for e in self._racks[seat].doubt(now_s, IN_HAND)]
        told: list[Finding] = []
        for move in moves:
            told += turns.move(move)
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
        self._told.clear()
        self._recent.clear()
        return found

    def forget_moves(self) -> None:
        """The phase changed: what moved before belongs to the phase before."""
        self._recent.clear()

    def passed_on(self, move: Move) -> list[Finding]:
        """A tile went from one slope to another: that is a pass, and if play seemed to have begun it had not."""
        early = self.on and (self._started_by is None or move.seen_s - self._started_by.event.at < UNPLAY_S)
        found = self._take_back([]) if early and self._hand.dealt_s else []
        if self._hand.phase is Phase.PASSING:
            self._hand.passed_on(move.from_slope_of, move.seen_s)
        return found

    def _start_turns(self, east: int | None, started_s: float) -> Turns:
        """Play begins at rest: East, where known, has a tile more than its base; else nobody knows the turn."""
        hand = self._hand
        if east is not None and hand.dealt_s:
            bases = [n if k != east else n - 1 for k, n in enumerate(hand.rest)]
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
        hand.play()
        return turns

    def _unplay(self, now_s: float) -> list[Finding]:
        """Two racks several tiles short soon after: East's tile was part of a pass, and nothing was play."""
        hand = self._hand
        if self._started_by is None or not hand.dealt_s or now_s - self._started_by.event.at > UNPLAY_S:
            return []
        passing = [
            k
            for k in hand.seen
            if (self._racks[k].total or 0) <= hand.rest[k] - PASS_BACK
            and self._racks[k].resting
            and now_s - self._racks[k].since_s > UNPLAY_REST_S
        ]
        if len(passing) < 2:
            return []
        return self._take_back(passing)

    def _take_back(self, dipped: list[int]) -> list[Finding]:
        """What was told of play was no play."""
        found = [finding.taken_back() for finding in self._told]
        self._turns = None
        self._started_by = None
        self._told.clear()
        self._hand.back_to_passing(dipped)
        return found

    def _begin_late(self, now_s: float, *, pressed: bool) -> list[Finding]:
        singles = [m for m in self._recent if abs(m.tiles) == 1 and now_s - m.moment.at_s < 60.0]
        big = any(abs(m.tiles) > 2 and now_s - m.moment.at_s < 30.0 for m in self._recent)
        if big or not (pressed or (len(singles) >= LATE_SINGLES and len({m.seat for m in singles}) > 1)):
            return []
        self._start_turns(None, now_s)
        return []

    def _read(self, findings: list[Finding], now_s: float) -> list[Finding]:
        """Pass on what the search told; its first discard is the start of play."""
        found: list[Finding] = []
        for finding in findings:
            event = finding.event
            if isinstance(event, Discarded) and not finding.struck and event.seat is not None:
                self.discarded_s[SEATS.index(event.seat)] = event.at
                self.lifted_s[SEATS.index(event.seat)] = event.low
            if isinstance(event, Discarded) and not finding.struck and self._started_by is None and self._hand.dealt_s:
                self._started_by = finding
                start = self._start_of_play(event, now_s)
                found.append(Finding(start, Key(finding.key.cause, "PlayStarted", event.seat), False))
            elif finding.struck and self._started_by is not None and finding.key == self._started_by.key:
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
        east = self._hand.east
        dropped_s = self._hand.dropped_s
        if east is None or dropped_s is None or first.seat is SEATS[east]:
            return PlayStarted(
                at=first.at, earliest=first.earliest, latest=first.latest, seat=first.seat, seen_at=now_s
            )
        return PlayStarted(
            at=dropped_s, earliest=dropped_s - 1.0, latest=dropped_s + 1.0, seat=SEATS[east], seen_at=now_s
        )
