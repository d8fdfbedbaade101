"""A table's tracker: observations in, game events out.

Owns the flow inside inference: racks' counts, the hand's phase, the search over turns, and when which of them speaks.
Observations -> **tracker** -> findings (events, and findings taken back). Refuses to know rules and alerts.
"""

from msgspec.structs import replace

from firmware_bridge.messages import ButtonName, Place
from hw.observations import (
    CountSettled,
    Moment,
    Observation,
    Pressed,
    Quality,
    SensorHealth,
    Step,
    TileMoved,
    Zone,
    ZoneMoving,
)
from monitor.events import (
    SEATS,
    Called,
    Dead,
    DeclarationWithdrawn,
    Declared,
    DirectorCalled,
    Discarded,
    EastIs,
    Event,
    HandEnded,
    HandStarted,
    NewHand,
    PlayStarted,
    Seat,
    ThrownIn,
    Via,
)
from monitor.inference.belief import Key, Stage
from monitor.inference.moves import Landed, Move
from monitor.inference.phases import Hand, Phase
from monitor.inference.racks import Rack, four_racks
from monitor.inference.tags import Tags
from monitor.inference.turns import Finding, Turns
from monitor.inference.witnesses import Witnesses

CLAIM_LEAST_S = 0.4
CLAIM_MOST_S = 3.0
"""A pressed claim is told between these ages, when the racks are at rest and all that came before it is told."""

DOUBT_S = 3.0
"""A count that is held back so long, and another than the one told, makes the one told unknown."""

LANDING_WAIT_S = 3.0
"""A landing waits so long for its tile's leaving to be read (longer than any leaving waits for the scales)."""

HELD_S = 12.0
"""A count that the grammar takes for tiles in a hand is told all the same after so long."""

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


class Tracker:
    """One table's tracker. Deterministic: what it tells depends on observations and times given, nothing else."""

    def __init__(self) -> None:
        self._sees_floor = False
        self._racks = four_racks()
        self._hand = Hand(self._racks)
        self._turns: Turns | None = None
        self._number = 0
        self._recent: list[Move] = []
        self._witnesses = tuple(Witnesses(seat) for seat in range(4))
        self._started_by: Finding | None = None
        self._play_told: list[Finding] = []
        self._claims: list[Finding] = []
        self._paused: Turns | None = None
        self._tags = Tags(self._racks)
        self._landings: list[Landed] = []
        self._discarded_s = [0.0] * 4
        self._held_since: dict[int, float] = {}
        self._now_s = 0.0

    @property
    def phase(self) -> Phase:
        """The hand's phase."""
        return self._hand.phase

    def observe(self, observation: Observation) -> list[Finding]:
        """Take one observation, in order of `seen_s`."""
        match observation:
            case Step():
                return self._step(observation)
            case CountSettled():
                return self._settled(observation)
            case ZoneMoving(place=place, zone=zone):
                if place is not Place.FLOOR:
                    self._rack(place).moving(zone)
                return []
            case Pressed():
                return self._pressed(observation)
            case TileMoved():
                return self._tile(observation)
            case SensorHealth():
                return self._health(observation)

    def input(self, event: Event) -> list[Finding]:
        """Take what a referee or another system says happened, at `event.at`."""
        now_s = event.at
        seat = None if event.seat is None else SEATS.index(event.seat)
        found = [self._own(event)]
        self._number += 1
        at = Moment(now_s, now_s, now_s)
        match event:
            case Called() if seat is not None:
                found += self._begin_play(now_s, pressed=True)
                if self._turns is not None:
                    found += self._read(self._turns.press(seat, at, now_s), now_s)
            case Declared():
                found += self._stop_play(now_s)
                self._hand.shown()
            case DeclarationWithdrawn() if self._paused is not None:
                self._turns, self._paused = self._paused, None
                self._hand.play()
            case Dead(by=by):
                if self._turns is not None and seat is not None and by != event.seat:
                    self._turns.dead(seat)
            case EastIs() if seat is not None:
                self._hand.east = seat
            case ThrownIn() | NewHand() | HandEnded():
                found += self._stop_play(now_s)
                self._paused = None
                self._forget_play()
                self._hand.restart()
            case PlayStarted() if self._turns is None:
                self._start_turns(self._hand.east, now_s)
            case _:
                pass
        return found + self._counts(now_s)

    def advance(self, now_s: float) -> list[Finding]:
        """Let time pass."""
        self._now_s = now_s
        found: list[Finding] = []
        for witnesses, rack in zip(self._witnesses, self._racks, strict=True):
            found += self._take(witnesses.advance(now_s, resting=rack.resting))
        found += self._release_landings(now_s)
        found += self._phase_told(self._hand.advance(now_s), now_s)
        found += self._begin_play(now_s)
        if self._turns is not None:
            found += self._unplay(now_s) or self._read(self._turns.advance(now_s), now_s)
            found += self._release_claims(now_s)
        return found + self._counts(now_s)

    # observations

    def _step(self, step: Step) -> list[Finding]:
        seat = _seat(step.place)
        rack = self._racks[seat]
        rack.set(step.zone, step.after, step.rest_s, step.seen_s)
        found = self._take(self._witnesses[seat].weighed(step, resting=rack.resting))
        return found + self._changed(seat, step.seen_s)

    def _take(self, moves: list[Move]) -> list[Finding]:
        found: list[Finding] = []
        for move in moves:
            self._number += 1
            found += self._moved(replace(move, number=self._number))
        return found

    def _settled(self, settled: CountSettled) -> list[Finding]:
        seat = _seat(settled.place)
        self._racks[seat].set(settled.zone, settled.count, settled.since.at_s, settled.seen_s, settled.reason)
        return self._changed(seat, settled.seen_s)

    def _changed(self, seat: int, now_s: float) -> list[Finding]:
        found = self._phase_told(self._hand.changed(seat, now_s), now_s)
        found += self._begin_play(now_s)
        return found + self._counts(now_s)

    def _health(self, health: SensorHealth) -> list[Finding]:
        """A silent node's rack holds nobody knows what; the floor's silence only hides discards."""
        if health.sensor != "node" or health.place is Place.FLOOR:
            return []
        self._racks[_seat(health.place)].silent = health.quality is Quality.SILENT
        return self._changed(_seat(health.place), health.at_s)

    def _tile(self, moved: TileMoved) -> list[Finding]:
        found: list[Finding] = []
        for move in self._tags.moves(moved):
            rack = self._racks[move.seat]
            if move.from_slope_of >= 0 and move.zone is Zone.SLOPE:
                found += self._passed_on(move)
            found += self._take(self._witnesses[move.seat].heard(move, weighed=rack.weighed))
            found += self._changed(move.seat, moved.seen_s)
        landed = self._tags.landing(moved)
        if landed is not None:
            self._number += 1
            self._landings.append(replace(landed, number=self._number))
        return found + self._release_landings(moved.seen_s)

    def _passed_on(self, move: Move) -> list[Finding]:
        """A tile went from one slope to another: that is a pass, and if play seemed to have begun it had not."""
        early = self._turns is not None and (
            self._started_by is None or move.seen_s - self._started_by.event.at < UNPLAY_S
        )
        found = self._take_back_play([]) if early and self._hand.dealt_s else []
        if self._hand.phase is Phase.PASSING:
            self._hand.passed_on(move.from_slope_of, move.seen_s)
        return found

    def _release_landings(self, now_s: float) -> list[Finding]:
        """A landing is read after the tile's leaving of its rack, which may still wait for the scales."""
        found: list[Finding] = []
        while self._landings:
            landed = self._landings[0]
            leaving = landed.from_seat >= 0 and self._witnesses[landed.from_seat].awaits(landed.uid)
            if leaving and now_s - landed.seen_s < LANDING_WAIT_S:
                break
            del self._landings[0]
            if self._turns is not None:
                found += self._read(self._turns.landed(replace(landed, seen_s=now_s)), now_s)
            self._sees_floor = True
        return found

    def _moved(self, move: Move) -> list[Finding]:
        now_s = move.seen_s
        if move.tiles and self._hand.phase in {Phase.PASSING, Phase.UNKNOWN}:
            self._recent.append(move)
            del self._recent[:-64]
        if self._turns is not None:
            return self._read(self._turns.move(move), now_s)
        return []

    def _pressed(self, pressed: Pressed) -> list[Finding]:
        seat = _seat(pressed.place)
        at, chair = pressed.moment, SEATS[seat]
        now_s = pressed.seen_s
        self._number += 1
        match pressed.button:
            case ButtonName.DIRECTOR:
                called = DirectorCalled(
                    at=at.at_s, earliest=at.earliest_s, latest=at.latest_s, seat=chair, seen_at=now_s
                )
                return [self._own(called)]
            case ButtonName.CALL:
                found = self._begin_play(now_s, pressed=True)
                claim = Called(
                    at=at.at_s, earliest=at.earliest_s, latest=at.latest_s, seat=chair, seen_at=now_s, via=Via.BUTTON
                )
                if self._turns is not None:
                    self._claims.append(self._own(claim))
                    found += self._read(self._turns.press(seat, at, now_s), now_s)
                else:
                    found.append(self._own(claim))
                return found + self._release_claims(now_s)
            case ButtonName.MAH_JONGG:
                found = self._stop_play(now_s)
                found.append(
                    self._own(
                        Declared(at=at.at_s, earliest=at.earliest_s, latest=at.latest_s, seat=chair, seen_at=now_s)
                    )
                )
                self._hand.shown()
                return found

    def _release_claims(self, now_s: float) -> list[Finding]:
        """Claims whose surroundings are known: what a sensor needs a second for may have come before the press.

        A claim told before the discard it is for would look like a late one for the discard before.
        """
        found: list[Finding] = []
        while self._claims:
            event = self._claims[0].event
            age_s = now_s - event.at
            known = self._turns is None or (
                all(rack.resting for rack in self._racks)
                and not any(witnesses.unsettled for witnesses in self._witnesses)
                and self._turns.all_told(event.at)
                and age_s > CLAIM_LEAST_S
            )
            if not known and age_s < CLAIM_MOST_S:
                break
            claim = self._claims.pop(0)
            found.append(Finding(replace(claim.event, seen_at=now_s), claim.key, False))
        return found

    def _stop_play(self, now_s: float) -> list[Finding]:
        """Play pauses: what the search knows by now is told."""
        if self._turns is None:
            return []
        found = self._read(self._turns.finish(now_s), now_s)
        found += [Finding(replace(c.event, seen_at=now_s), c.key, False) for c in self._claims]
        self._claims.clear()
        self._paused, self._turns = self._turns, None
        return found

    def _forget_play(self) -> None:
        self._turns = None
        self._started_by = None
        self._play_told.clear()
        self._recent.clear()

    # phases

    def _phase_told(self, events: list[Event], now_s: float) -> list[Finding]:
        found: list[Finding] = []
        for event in events:
            if isinstance(event, HandEnded):
                found += self._stop_play(now_s)
                self._paused = None
                self._forget_play()
            found.append(self._own(event))
            if isinstance(event, HandStarted):
                self._tags.new_hand()
            self._recent.clear()
        return found

    def _begin_play(self, now_s: float, *, pressed: bool = False) -> list[Finding]:
        """East has one tile fewer and the others have what they had: East's first discard."""
        hand = self._hand
        if self._turns is not None:
            return []
        if hand.phase is Phase.UNKNOWN:
            return self._begin_late(now_s, pressed=pressed)
        if hand.phase is not Phase.PASSING or hand.east is None:
            return []
        east, base = hand.east, hand.rest
        dropped_s = hand.dropped_s
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
        turns = self._start_turns(east, hand.rest_s)
        found = [self._own(e) for e in self._racks[east].tell_total(base[east] - 1, dropped_s, now_s)]
        told: list[Finding] = []
        for move in [m for m in self._recent if m.moment.at_s >= dropped_s - 1.0]:
            told += turns.move(move)
        self._recent.clear()
        return found + self._read(told + turns.advance(now_s), now_s)

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
        return self._take_back_play(passing)

    def _take_back_play(self, dipped: list[int]) -> list[Finding]:
        """What was told of play was no play."""
        found = [Finding(f.event, f.key, True) for f in self._play_told]
        self._turns = None
        self._started_by = None
        self._play_told.clear()
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
                self._discarded_s[SEATS.index(event.seat)] = event.at
            if isinstance(event, Discarded) and not finding.struck and self._started_by is None and self._hand.dealt_s:
                self._started_by = finding
                start = self._start_of_play(event, now_s)
                found.append(Finding(start, Key(finding.key.cause, "PlayStarted", event.seat), False))
            elif finding.struck and self._started_by is not None and finding.key == self._started_by.key:
                found.append(Finding(self._started_by.event, Key(finding.key.cause, "PlayStarted", event.seat), True))
                self._started_by = None
            found.append(finding)
        if self._started_by is not None and now_s - self._started_by.event.at < UNPLAY_S:
            self._play_told += [f for f in found if not f.struck]
        else:
            self._play_told.clear()
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

    # counts

    def _counts(self, now_s: float) -> list[Finding]:
        found: list[Finding] = []
        begun = self._turns is not None and self._hand.dealt_s > 0 and self._started_by is None
        if begun or self._hand.deciding:
            return found  # whether East discarded or passed is being decided, and counts mean other things in each
        for seat, rack in enumerate(self._racks):
            if rack.total is None and rack.told_total is None:
                continue
            if not rack.resting and rack.total is not None:
                continue
            if self._hand.overfull(seat, now_s):
                continue
            if self._in_suspense(seat):
                since_s = self._held_since.setdefault(seat, now_s)
                if now_s - since_s < HELD_S:
                    if now_s - since_s > DOUBT_S and rack.total != rack.told_total:
                        found += [self._own(event) for event in rack.doubt(now_s)]
                    continue
            else:
                self._held_since.pop(seat, None)
            found += [self._own(event) for event in rack.tell(now_s, self._discarded_s[seat])]
        return found

    def _in_suspense(self, seat: int) -> bool:
        """Whether tiles of this seat are taken to be in somebody's hand, so that its count is none yet."""
        if self._turns is None or self._racks[seat].total is None:
            return False
        if self._witnesses[seat].unsettled:
            return True
        player = self._turns.best.players[seat]
        return bool(player.away or player.lent or player.given or player.stage in {Stage.OWING, Stage.CLAIMING})

    def _own(self, event: Event) -> Finding:
        self._number += 1
        return Finding(event, Key(str(self._number), type(event).__name__, event.seat), False)

    def _rack(self, place: Place) -> Rack:
        return self._racks[_seat(place)]


def _seat(place: Place) -> int:
    return SEATS.index(Seat(place.value))
