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
    Unheard,
    Zone,
    ZoneMoving,
)
from monitor.events import (
    SEATS,
    Called,
    CallWithdrawn,
    Dead,
    Dealt,
    DeclarationWithdrawn,
    Declared,
    DirectorCalled,
    EastIs,
    Event,
    HandEnded,
    HandStarted,
    NewHand,
    Passed,
    PlayStarted,
    Seat,
    ThrownIn,
    Via,
)
from monitor.inference.counts import Counts
from monitor.inference.findings import Finding, Numbers
from monitor.inference.moves import Landed, Move
from monitor.inference.phases import Hand, Phase
from monitor.inference.play import Play
from monitor.inference.racks import Rack, four_racks
from monitor.inference.tags import Tags
from monitor.inference.witnesses import Witnesses

CLAIM_LEAST_S = 0.4
CLAIM_MOST_S = 3.0
"""A pressed claim is told between these ages, when the racks are at rest and all that came before it is told."""

LANDING_WAIT_S = 3.0
"""A landing waits so long for its tile's leaving to be read (longer than any leaving waits for the scales)."""

CAUGHT_UP_S = 4.0
"""After a silence a rack counts again after so long: scales and tags need about a second to come to rest, weak tags
two or three. What they said before the silence says nothing of now."""

SETTLED_S = 0.01
"""Counts change after the deal was over, if only by so much."""


class Tracker:
    """One table's tracker. Deterministic: what it tells depends on observations and times given, nothing else."""

    def __init__(self) -> None:
        self._racks = four_racks()
        self._hand = Hand(self._racks)
        self._numbers = Numbers()
        self._play = Play(self._hand, self._racks, self._numbers)
        self._witnesses = tuple(Witnesses(seat) for seat in range(4))
        self._counts = Counts(self._racks, self._witnesses, self._hand, self._play, self._numbers)
        self._tags = Tags()
        self._landings: list[Landed] = []
        self._claims: list[Finding] = []
        self._passes: dict[Passed, Finding] = {}
        self._back_s: dict[int, float] = {}

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
            case ZoneMoving(place=place, zone=zone, since_s=since_s, seen_s=seen_s):
                if place is Place.FLOOR:
                    return []
                self._rack(place).moving(zone, since_s)
                return self._counts.tell(seen_s) if self._hand.is_off(_seat(place)) else []
            case Pressed():
                return self._pressed(observation)
            case TileMoved():
                return self._tile(observation)
            case Unheard(place=place, likely=likely):
                self._rack(place).unheard(likely)
                return []
            case SensorHealth():
                return self._health(observation)

    def input(self, event: Event) -> list[Finding]:
        """Take what a referee or another system says happened, at `event.at`."""
        now_s = event.at
        seat = None if event.seat is None else SEATS.index(event.seat)
        found = [self._numbers.finding(event)]
        at = Moment(now_s, now_s, now_s)
        match event:
            case Called() if seat is not None:
                found += self._play.begin(now_s, pressed=True)
                found += self._play.press(seat, at, now_s)
            case CallWithdrawn() if seat is not None:
                self._play.withdrawn(seat, now_s)
            case Declared():
                found += self._stop_play(now_s)
                self._hand.shown()
            case DeclarationWithdrawn():
                self._play.resume()
            case Dead(by=by):
                if seat is not None and by != event.seat:
                    self._play.dead(seat)
            case EastIs() if seat is not None:
                self._hand.east = seat
            case ThrownIn() | HandEnded():
                found += self._end_play(now_s)
                self._hand.ended(now_s)
            case NewHand():
                found += self._end_play(now_s)
                self._hand.restart()
            case PlayStarted():
                self._play.start(now_s)
            case _:
                pass
        return found + self._counts.tell(now_s)

    def advance(self, now_s: float) -> list[Finding]:
        """Let time pass."""
        found = self._heard_again(now_s)
        for witnesses, rack in zip(self._witnesses, self._racks, strict=True):
            found += self._take(witnesses.advance(now_s, resting=rack.resting, moving_s=rack.moving_s))
        found += self._release_landings(now_s)
        found += self._phase_told(self._hand.advance(now_s), now_s)
        found += self._play.advance(now_s)
        found += self._release_claims(now_s)
        if not found and not self._counts.due(now_s):
            return found
        return found + self._counts.tell(now_s)

    # observations

    def _step(self, step: Step) -> list[Finding]:
        seat = _seat(step.place)
        rack = self._racks[seat]
        rack.set(step.zone, step.after, step.rest_s, step.seen_s)
        if self._play.is_dark:
            return self._changed(seat, step.seen_s)
        found = self._take(self._witnesses[seat].weighed(step, resting=rack.resting))
        return found + self._changed(seat, step.seen_s)

    def _take(self, moves: list[Move]) -> list[Finding]:
        found: list[Finding] = []
        for move in moves:
            if move.uid is not None:
                self._racks[move.seat].gain(move.zone, move.tiles, move.moment.at_s, move.seen_s)
            found += self._play.move(replace(move, number=self._numbers.next()))
        return found

    def _settled(self, settled: CountSettled) -> list[Finding]:
        seat = _seat(settled.place)
        self._racks[seat].set(settled.zone, settled.count, settled.since.at_s, settled.seen_s, settled.reason)
        return self._changed(seat, settled.seen_s)

    def _changed(self, seat: int, now_s: float) -> list[Finding]:
        found = self._phase_told(self._hand.changed(seat, now_s), now_s)
        self._play.rested(now_s)
        found += self._play.begin(now_s)
        return found + self._counts.tell(now_s)

    def _health(self, health: SensorHealth) -> list[Finding]:
        """A silent node's rack holds nobody knows what; the floor's silence only hides discards."""
        if health.sensor != "node" or health.place is Place.FLOOR:
            return []
        seat = _seat(health.place)
        if health.quality is Quality.SILENT:
            self._racks[seat].silent = True
            self._back_s.pop(seat, None)
        elif self._racks[seat].silent:
            self._back_s[seat] = health.at_s
        return self._changed(seat, health.at_s)

    def _heard_again(self, now_s: float) -> list[Finding]:
        """Racks whose node is back for long enough that its sensors have caught up with what happened meanwhile."""
        found: list[Finding] = []
        for seat in [seat for seat, back_s in self._back_s.items() if now_s - back_s > CAUGHT_UP_S]:
            del self._back_s[seat]
            self._racks[seat].silent = False
            found += self._changed(seat, now_s)
        return found

    def _tile(self, moved: TileMoved) -> list[Finding]:
        found: list[Finding] = []
        for move in self._tags.moves(moved):
            rack = self._racks[move.seat]
            if self._play.is_dark:
                rack.gain(move.zone, move.tiles, move.moment.at_s, move.seen_s)
                found += self._changed(move.seat, moved.seen_s)
                continue
            if move.from_slope_of >= 0 and move.zone is Zone.SLOPE:
                found += self._play.passed_on(move)
            gone = moved.place is not None and moved.place.value != SEATS[move.seat].value
            found += self._take(self._witnesses[move.seat].heard(move, weighed=rack.weighed, elsewhere=gone))
            found += self._changed(move.seat, moved.seen_s)
        for seat, witnesses in zip(SEATS, self._witnesses, strict=True):
            if moved.place is not None and moved.place.value != seat.value:
                found += self._take(witnesses.elsewhere(moved.uid, moved.moment, moved.seen_s))
        landed = self._tags.landing(moved)
        if landed is not None:
            self._landings.append(replace(landed, number=self._numbers.next()))
        return found + self._release_landings(moved.seen_s)

    def _release_landings(self, now_s: float) -> list[Finding]:
        """A landing is read after the tile's leaving of its rack, which may still wait for the scales."""
        found: list[Finding] = []
        while self._landings:
            landed = self._landings[0]
            leaving = landed.from_seat >= 0 and self._witnesses[landed.from_seat].awaits(landed.uid)
            if leaving and now_s - landed.seen_s < LANDING_WAIT_S:
                break
            del self._landings[0]
            found += self._play.landed(replace(landed, seen_s=now_s))
        return found

    def _pressed(self, pressed: Pressed) -> list[Finding]:
        seat = _seat(pressed.place)
        at, chair = pressed.moment, SEATS[seat]
        now_s = pressed.seen_s
        match pressed.button:
            case ButtonName.DIRECTOR:
                called = DirectorCalled(
                    at=at.at_s, earliest=at.earliest_s, latest=at.latest_s, seat=chair, seen_at=now_s
                )
                return [self._numbers.finding(called)]
            case ButtonName.CALL:
                found = self._play.begin(now_s, pressed=True)
                claim = Called(
                    at=at.at_s, earliest=at.earliest_s, latest=at.latest_s, seat=chair, seen_at=now_s, via=Via.BUTTON
                )
                self._claims.append(self._numbers.finding(claim))
                found += self._play.press(seat, at, now_s)
                return found + self._release_claims(now_s)
            case ButtonName.MAH_JONGG:
                found = self._stop_play(now_s)
                found.append(
                    self._numbers.finding(
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
            known = not self._play.on or (
                all(rack.resting for rack in self._racks)
                and not any(witnesses.unsettled for witnesses in self._witnesses)
                and self._play.knows_before(event.at)
                and age_s > CLAIM_LEAST_S
            )
            if not known and age_s < CLAIM_MOST_S:
                break
            found.append(self._claims.pop(0).seen(now_s))
        return found

    def _stop_play(self, now_s: float) -> list[Finding]:
        found = self._play.stop(now_s) + [claim.seen(now_s) for claim in self._claims]
        self._claims.clear()
        return found

    def _end_play(self, now_s: float) -> list[Finding]:
        return self._stop_play(now_s) + self._play.end(now_s)

    # phases

    def _phase_told(self, events: list[Event], now_s: float) -> list[Finding]:
        found = [self._passes.pop(passed).taken_back() for passed in self._hand.taken_back()]
        for event in events:
            if isinstance(event, Passed):
                self._passes[event] = self._numbers.finding(event)
                found.append(self._passes[event])
                continue
            if isinstance(event, HandEnded):
                found += self._end_play(now_s)
            if isinstance(event, HandStarted):
                self._tags.new_hand()
                self._passes.clear()
            if isinstance(event, Dealt):
                found += self._dealt(event, now_s)
                continue
            found.append(self._numbers.finding(event))
            self._play.forget_moves()
        return found

    def _dealt(self, dealt: Dealt, now_s: float) -> list[Finding]:
        """What each rack was dealt is told before the deal is, and no later change is dated before it."""
        found = self._counts.tell_deal(dealt.at, now_s)
        at_s = max(dealt.at, *(rack.told_s for rack in self._racks))
        for rack in self._racks:
            rack.settled_until(at_s + SETTLED_S)
        self._play.forget_moves()
        return [*found, self._numbers.finding(replace(dealt, at=at_s))]

    def _rack(self, place: Place) -> Rack:
        return self._racks[_seat(place)]


def _seat(place: Place) -> int:
    return SEATS.index(Seat(place.value))
