"""Play as a search: which reading of the moves fits the grammar of turns best.

Owns the search and its memory. Moves -> **turns** -> findings. Refuses to know what may follow
what (`grammar`), sensors, phases other than play, and rules.

Theory of operation. A tile that leaves a rack was discarded, or lifted to be put back, or given in an exchange; which
one shows only in what comes after. So a handful of explanations is kept side by side. Every move makes each of them
branch into the readings the grammar allows, each at its cost in log-probability; time costs those that wait for
something that usually comes soon (a lifted tile that is still away). The best `WIDTH` survive. An event is told when
nearly all the remaining probability agrees on it or `LAG_S` has passed, and is corrected when the survivors disown it
later.

A pick thrown on without touching the rack leaves no trace where no antenna watches the floor: the grammar lets any
number of such turns pass unseen, at a price each, and never concludes from one that somebody was out of turn.
"""

from collections.abc import Callable, Iterator
from math import exp

from msgspec.structs import replace

from hw.observations import Moment
from monitor.events import Racked
from monitor.inference.beam import best_of
from monitor.inference.belief import Explanation, Key, Player, Stage, Told, next_alive
from monitor.inference.findings import Finding
from monitor.inference.grammar import Grammar
from monitor.inference.moves import Landed, Move
from monitor.inference.odds import (
    LOSE_AWAY_S,
    LOSE_CLAIM_S,
    LOSE_OWED_S,
    P_LOST,
    P_NO_PICK,
    P_SILENT,
    P_THROUGH_WATCHED,
    STAYS_AWAY_S,
    STAYS_CLAIMING_S,
    STAYS_GIVEN_S,
    STAYS_LENT_S,
    STAYS_OWED_S,
)
from monitor.inference.steps import claim_given_up, given_up
from monitor.inference.trust import FORGOTTEN_S, LOST, confidence, strain

WIDTH = 24
"""Explanations kept (our choice)."""
FAR_OFF = 14.0
"""An explanation so much worse than the best is dropped (logarithm; our choice)."""

LAG_S = 2.5
"""A finding is told at the latest so long after its move was seen, the best explanation deciding (our choice)."""

SURE = 0.88
"""Share of the probability that tells a finding at once (our choice)."""

DISOWNED, STRUCK_S = 0.4, 12.0
"""A told finding whose share falls below this is struck, but not so long after it happened: by then others have acted
on it, and what it seemed to be in time for is not late for its being none."""

OLD_S = 25.0
"""What happened so long ago is not told any more: it would rewrite what has been ruled since."""

MEMORY_S = 20.0
"""Findings older than this stand for good."""

VERSIONS_S = 6.0
"""Two explanations may have one finding from moves that were seen so far apart: a step, and a tag or a landing."""


class Turns:
    """The play of one hand. Feed it moves, presses and landings in order of knowledge; read what it tells."""

    def __init__(self, bases: tuple[int, int, int, int], turn: int, started_s: float, *, sees_floor: bool) -> None:
        # a hand begun before the monitor may have exposures that nobody saw
        players = [Player(base=b, shown=turn < 0) for b in bases]
        self._beam = [Explanation((players[0], players[1], players[2], players[3]), turn, started_s)]
        self._now_s = started_s
        self._grammar = Grammar()
        if sees_floor:
            self._grammar.through = P_THROUGH_WATCHED
        self._told: dict[Key, Told] = {}
        self._strain = 0.0

    @property
    def understood(self) -> bool:
        """Whether what happened lately fits the best explanation at all."""
        return self._strain < LOST

    @property
    def best(self) -> Explanation:
        """The most probable explanation."""
        return self._beam[0]

    def holds(self, seat: int) -> float:
        """The probability that the seat is in its turn and has a tile more than its base."""
        total = holding = 0.0
        for e in self._beam:
            weight = exp(e.score)
            total += weight
            holding += weight * (e.turn == seat and e.players[seat].stage is Stage.HOLDING)
        return confidence(Racked, holding / total, self._strain)

    # what comes in

    def move(self, move: Move) -> list[Finding]:
        """Take a move; return findings and corrections."""
        return self._branch(lambda e: self._grammar.readings(e, move), move.seen_s)

    def press(self, seat: int, at: Moment, seen_s: float) -> list[Finding]:
        """A call button was pressed at `seat`."""
        return self._branch(lambda e: self._grammar.claims(e, seat, at), seen_s)

    def landed(self, landed: Landed) -> list[Finding]:
        """A tile appeared on the floor."""
        return self._branch(lambda e: self._grammar.landings(e, landed), landed.seen_s)

    def withdrawn(self, seat: int, now_s: float) -> None:
        """The seat took its claim back: it claims nothing, and whose turn it was has it again."""
        self._beam = [
            claim_given_up(e, seat, now_s) if e.players[seat].stage is Stage.CLAIMING else e for e in self._beam
        ]

    def dead(self, seat: int) -> None:
        """The seat was declared dead: its turn is skipped and its tiles mean nothing more."""
        self._beam = [
            replace(
                e.with_player(seat, replace(e.players[seat], stage=Stage.DEAD)),
                turn=next_alive(e.players, seat) if e.turn == seat else e.turn,
            )
            for e in self._beam
        ]

    def start_holding(self, seat: int) -> None:
        """The seat has a tile more than its base from the start: East, or whoever a late start finds so."""
        self._beam = [
            e.with_player(seat, replace(e.players[seat], stage=Stage.HOLDING, since_s=self._now_s)) for e in self._beam
        ]

    def start_lifted(self, seat: int, tiles: int) -> None:
        """The seat has tiles in its hands from the start."""
        self._beam = [
            e.with_player(seat, replace(e.players[seat], away=tiles, since_s=self._now_s)) for e in self._beam
        ]

    def all_told(self, before_s: float) -> bool:
        """Whether all that the best explanation holds to have happened before `before_s` has been told.

        A seat that holds a tile more, in its turn or one that a claim took, may have discarded, only the sensor is slow
        to say so.
        """
        best = self._beam[0]
        if any(k >= 0 and best.players[k].stage is Stage.HOLDING for k in (best.overtaken, best.turn)):
            return False
        recent = best.recent(self._now_s, MEMORY_S)
        return all(told.event.low >= before_s or told.key in self._told for told in recent)

    def finish(self, now_s: float) -> list[Finding]:
        """The play is over: tell what the best explanation holds."""
        return self._tell(now_s, final=True)

    def advance(self, now_s: float) -> list[Finding]:
        """Let time pass; return what waiting decided."""
        if now_s - self._now_s < 0.2:
            return []
        self._pass_time(now_s)
        return self._tell(now_s)

    # the beam

    def _branch(self, read: Callable[[Explanation], Iterator[Explanation]], seen_s: float) -> list[Finding]:
        self._pass_time(seen_s)
        grown = [reading for e in self._beam for reading in read(e)]
        self._keep(grown or self._beam)
        return self._tell(seen_s)

    def _keep(self, grown: list[Explanation]) -> None:
        """Keep the best of these; how much worse even the best became is strain."""
        self._strain += strain(max(e.score for e in grown))
        self._beam = best_of(grown, WIDTH, FAR_OFF)

    def _pass_time(self, now_s: float) -> None:
        span_s = now_s - self._now_s
        if span_s <= 0:
            return
        self._now_s = now_s
        self._strain *= exp(-span_s / FORGOTTEN_S)
        aged: list[Explanation] = []
        for e in self._beam:
            cost = 0.0
            after = e
            for seat, p in enumerate(e.players):
                if p.away and p.stage not in {Stage.CLAIMING, Stage.DEAD}:
                    cost -= span_s / STAYS_AWAY_S
                    if now_s - p.since_s > LOSE_AWAY_S:
                        after = given_up(after, seat, now_s)
                        silent = len(p.away_uids)
                        cost += P_LOST * (p.away - silent) + P_SILENT * silent
                if p.stage is Stage.OWING:
                    cost -= span_s / STAYS_OWED_S
                    if now_s - p.since_s > LOSE_OWED_S:
                        unpaid = replace(p, stage=Stage.RESTING, base=p.base - 1, owed_s=p.since_s)
                        after = after.with_player(seat, unpaid)
                        cost += P_NO_PICK
                if p.lent:
                    cost -= span_s / STAYS_LENT_S
                if p.given:
                    cost -= span_s / STAYS_GIVEN_S
                if p.stage is Stage.CLAIMING:
                    cost -= span_s / STAYS_CLAIMING_S
                    if now_s - p.since_s > LOSE_CLAIM_S:
                        after = claim_given_up(after, seat, now_s)
                        cost += P_LOST
                if p.stage is Stage.HOLDING and e.turn != seat:
                    cost -= span_s / 3.0
            aged.append(replace(after, score=e.score + cost) if cost or after is not e else e)
        self._keep(aged)

    def _tell(self, now_s: float, *, final: bool = False) -> list[Finding]:
        """What can be told now, and what told earlier is disowned."""
        total = 0.0
        shares: dict[Key, float] = {}
        items: dict[Key, Told] = {}
        best_keys: set[Key] = set()
        for rank, e in enumerate(self._beam):
            weight = exp(e.score)
            total += weight
            for told in e.recent(now_s, MEMORY_S + VERSIONS_S):
                key = told.key
                items.setdefault(key, told)
                shares[key] = shares.get(key, 0.0) + weight
                if rank == 0:
                    best_keys.add(key)
        findings: list[Finding] = []
        for key, told in items.items():
            share = shares[key] / total
            if now_s - told.seen_s >= MEMORY_S or now_s - told.event.at >= OLD_S or key in self._told:
                continue
            if share > SURE or ((final or now_s - told.seen_s > LAG_S) and key in best_keys):
                self._told[key] = told
                sure = confidence(type(told.event), share, self._strain, now_s - told.event.at)
                event = replace(told.event, seen_at=now_s, confidence=sure)
                findings.append(Finding(event, key, False))
        for key, told in list(self._told.items()):
            age_s = now_s - told.seen_s
            if age_s >= MEMORY_S + 2 * VERSIONS_S:
                del self._told[key]
            elif age_s < STRUCK_S and shares.get(key, 0.0) / total < DISOWNED and key not in best_keys:
                del self._told[key]
                findings.append(Finding(told.event, key, True))
        findings.sort(key=lambda f: f.event.at)
        return findings
