"""What of the counts is told, when, and how sure: a number that a lawful turn leaves at once, any other in doubt.

Owns which counts are held back and the confidence of those that are told. Racks, phase and play -> **counts** ->
findings. Refuses to know how tiles are counted (`racks`), when a surprising number is proven (`proof`), and rules.
"""

from msgspec.structs import replace

from monitor.events import CountChanged, Zone
from monitor.inference.belief import Player, Stage
from monitor.inference.findings import Finding, Numbers
from monitor.inference.phases import Hand, Phase
from monitor.inference.play import Play
from monitor.inference.proof import OFF_TURN, PROVEN, UNPROVEN
from monitor.inference.racks import BEING_TOUCHED, IN_HAND, Rack
from monitor.inference.witnesses import Witnesses

OWED_S = 1.5
"""Who has discarded with the pick still in the hand racks it so soon, or the rack is told as it is (our choice)."""

DOUBT_S = 3.0
"""A count that is held back so long, and another than the one told, makes the one told unknown."""

LATE_S, SURPRISING_S = 6.0, 3.0
"""A count that is known so late and is not what a lawful turn leaves is slept on for so long: what was just found out
is often found out better within seconds (our choice)."""

SURELY_IN_TURN = 0.6
"""A tile more is lawful for a seat that is in its turn with at least so much probability (our choice)."""

SHOWN, SHOWN_BY = 13.5, 0.5
"""A hand that is shown has thirteen or fourteen; another number has to be proven before, in play."""

COUNT_STEP_S = 0.1
"""Where nothing else is told, counts are looked at so often: what time alone tells of them takes seconds."""

HELD_S = 12.0
"""A count that the grammar takes for tiles in a hand is told all the same after so long."""
PASSING_HELD_S = 30.0
"""And one that is taken for tiles of a pass, after a short deal: a slow table's courtesy takes so long (our choice)."""


class Counts:
    """The counts of one table's racks as they are told."""

    def __init__(
        self,
        racks: tuple[Rack, Rack, Rack, Rack],
        witnesses: tuple[Witnesses, ...],
        hand: Hand,
        play: Play,
        numbers: Numbers,
    ) -> None:
        self._racks = racks
        self._witnesses = witnesses
        self._hand = hand
        self._play = play
        self._numbers = numbers
        self._held_since: dict[int, float] = {}
        self._sure_since: dict[int, float] = {}
        self._told_s = 0.0

    def due(self, now_s: float) -> bool:
        """Whether time alone may bring something."""
        return now_s - self._told_s >= COUNT_STEP_S

    def tell(self, now_s: float) -> list[Finding]:
        """What can be told of the counts now."""
        self._told_s = now_s
        found: list[Finding] = []
        for seat, rack in enumerate(self._racks):
            if rack.total is None and rack.told_total is None:
                continue
            instead = self._held_back(seat, rack, now_s)
            if instead is not None:
                self._sure_since.pop(seat, None)
                found += [self._numbers.finding(event) for event in instead]
                continue
            sure_s = now_s - self._sure_since.setdefault(seat, now_s)
            late = now_s - rack.since_s > LATE_S
            if late and sure_s < SURPRISING_S and self._surprises(seat):
                continue
            found += [
                self._numbers.finding(replace(event, confidence=self._sureness(seat, event, now_s)))
                for event in rack.tell(now_s, self._play.discarded_s[seat])
            ]
        return found + self._proofs(now_s)

    def tell_deal(self, at_s: float, now_s: float) -> list[Finding]:
        """What each rack was dealt by `at_s`."""
        found: list[Finding] = []
        for seat, (rack, n) in enumerate(zip(self._racks, self._hand.dealt, strict=True)):
            told = rack.tell(now_s, 0.0) if rack.total in (n, None) else rack.tell_total(n, at_s, now_s)
            sure = UNPROVEN if self._may_miss_a_tag(seat, n) else None
            if sure is not None:
                told = [replace(event, confidence=sure) if event.zone is Zone.RACK else event for event in told]
            found += map(self._numbers.finding, told)
        return found

    def _may_miss_a_tag(self, seat: int, count: int) -> bool:
        """Whether so many tiles are too few, and a tag that is hardly heard is likelier than that."""
        return self._racks[seat].may_hold_more and count < self._lawful(seat, self._play.player(seat))

    def _proofs(self, now_s: float) -> list[Finding]:
        """Numbers that were told before and are told again: surer, or doubted after they passed for what a lawful turn
        leaves, since they were first told; else less sure from now on; in the passes since their rack rests or is
        touched."""
        found: list[Finding] = []
        for seat, rack in enumerate(self._racks):
            event = self._numbers.counts.get(rack.seat)
            sure = None if event is None else self._sureness(seat, event, now_s)
            if event is None or sure == event.confidence:
                continue
            if self._play.on:
                at_s = now_s if sure == UNPROVEN and event.confidence is not None else event.at
            else:
                at_s = max(event.at, rack.since_s if rack.resting else rack.touched_s)
            rack.settled_until(at_s)
            again = CountChanged(
                at=at_s,
                seat=event.seat,
                count=event.count,
                previous=event.count,
                confidence=sure,
                seen_at=now_s,
            )
            found.append(self._numbers.finding(again))
        return found

    def _sureness(self, seat: int, event: CountChanged, now_s: float) -> float | None:
        """How sure a number of tiles is: in play one that surprises must be proven, and the play be understood; in the
        passes one that is off must lie still."""
        if event.zone is not Zone.RACK or event.count is None:
            return None
        player, rack = self._play.player(seat), self._racks[seat]
        if self._may_miss_a_tag(seat, event.count):
            return UNPROVEN
        if self._hand.phase is Phase.SHOWN and abs(event.count - SHOWN) > SHOWN_BY and event.confidence != PROVEN:
            return UNPROVEN  # whoever shows a hand lifts it, often before pressing the button
        if player is None:
            settled = rack.total == event.count and not (self._hand.is_off(seat) or self._hand.looks_like_play)
            lawful = settled or event.count == self._hand.due(seat)
            proven = rack.resting and rack.total == event.count and not self._hand.looks_like_play
        else:
            holding = player.stage is Stage.HOLDING
            in_turn = holding and player.base == OFF_TURN and self._play.turn == seat
            lawful = event.count == OFF_TURN + in_turn and (not in_turn or self._play.holds(seat) > SURELY_IN_TURN)
            rests = rack.total == event.count and rack.is_proven(now_s, player.base, holding=holding)
            proven = rests and self._play.understood
        if not (lawful or proven):
            return UNPROVEN
        return None if event.confidence is None and (lawful or player is None) else PROVEN

    def _lawful(self, seat: int, player: Player | None) -> int:
        """What a rack holds where nothing is wrong."""
        return self._hand.due(seat) if player is None else OFF_TURN + (player.stage is Stage.HOLDING)

    def _held_back(self, seat: int, rack: Rack, now_s: float) -> list[CountChanged] | None:
        """What is told instead of a count that is none yet, `None` where it is one."""
        if not rack.resting and rack.total is not None:
            if self._hand.is_off(seat):
                return []
            lifted_s = self._play.lifted_s[seat]
            yet_to_rest = not rack.as_it_rested or lifted_s > rack.since_s  # at all, or since its discard
            if yet_to_rest:
                outdated = lifted_s > rack.told_s and now_s - lifted_s > DOUBT_S
                return rack.doubt(now_s, BEING_TOUCHED) if outdated else []
        # while it is being decided whether East discarded or passed, a tile more means other things in each
        more = self._hand.exceeds(seat) if self._hand.deciding else (rack.total or 0) > (rack.told_total or 0)
        if (self._play.deciding or self._hand.deciding) and (more or rack.withholds):
            rack.withhold()
            return []
        if self._hand.overfull(seat, now_s):
            return []
        passing = self._hand.in_motion(seat)
        if not passing and not self._in_suspense(seat, now_s):
            self._held_since.pop(seat, None)
            return None
        held_s = now_s - self._held_since.setdefault(seat, now_s)
        if held_s >= (PASSING_HELD_S if passing else HELD_S):
            return None
        doubted = held_s > DOUBT_S and rack.total != rack.told_total and not passing
        return rack.doubt(now_s, IN_HAND) if doubted else []

    def _surprises(self, seat: int) -> bool:
        """Whether a rack holds another number than a lawful turn would leave there."""
        player = self._play.player(seat)
        return player is not None and not self._is_lawful(seat, player)

    def _is_lawful(self, seat: int, player: Player) -> bool:
        return self._racks[seat].total == self._lawful(seat, player)

    def _in_suspense(self, seat: int, now_s: float) -> bool:
        """Whether tiles of this seat are taken to be in somebody's hand, so that its count is none yet.

        What a scale weighs is known though its tags are not, and a number that a lawful turn leaves accuses nobody.
        """
        player = self._play.player(seat)
        rack = self._racks[seat]
        if player is None or rack.total is None or (rack.weighed and self._is_lawful(seat, player)):
            return False
        if self._witnesses[seat].unsettled:
            return True
        owing = player.stage is Stage.OWING and now_s - player.since_s < OWED_S
        return bool(player.away or player.lent or player.given or owing or player.stage is Stage.CLAIMING)
