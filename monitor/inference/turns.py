"""Play as a search: which reading of the moves fits the grammar of turns best.

Owns the grammar of play as probabilities. Observations -> moves -> **turns** -> game events. Refuses to know sensors,
phases other than play, and rules.

Theory of operation. A tile that leaves a rack was discarded, or lifted to be put back, or given in an exchange; which
one shows only in what comes after. So a handful of explanations is kept side by side. Every move makes each of them
branch into the readings the grammar allows, each at its cost in log-probability; time costs those that wait for
something that usually comes soon (a lifted tile that is still away). The best `WIDTH` survive. An event is told when
nearly all the remaining probability agrees on it or `LAG_S` has passed, and is corrected when the survivors disown it
later.

A pick thrown on without touching the rack leaves no trace where no antenna watches the floor: the grammar lets any
number of such turns pass unseen, at a price each, and never concludes from one that somebody was out of turn.
"""

from collections.abc import Iterator
from math import exp, log

from msgspec.structs import replace

from hw.observations import Moment, Zone
from monitor.events import (
    Called,
    Discarded,
    Event,
    Exposed,
    JokerExchanged,
    Racked,
    Returned,
    Seat,
    Via,
)
from monitor.inference.belief import NOBODY, Explanation, Player, Stage, Told, next_alive, seat_of
from monitor.inference.moves import Landed, Move

Key = tuple[int, str, Seat | None]
"""What makes a finding the same in two explanations."""

WIDTH = 24
"""Explanations kept; doubling it changes nothing on simulated evenings (our choice)."""

LAG_S = 2.5
"""A finding is told at the latest so long after its move was seen, the best explanation deciding (our choice)."""

SURE = 0.88
"""Share of the probability that tells a finding at once (our choice)."""

DISOWNED = 0.4
"""A told finding whose share falls below this is struck."""

MEMORY_S = 20.0
"""Findings older than this stand for good."""

THROUGH_SHARE = 0.2
"""Share of turns in which the pick is thrown on without touching the rack (research: a fifth)."""

THROUGH_S = 1.6
"""Usual least time of such a turn; shorter ones cost."""

LEAST_TURN_S = 0.5
"""Usual least time from a discard to the next rack."""

LANDING_S = 0.45
"""A discard lands about so long after it was lifted, within `LANDING_MOST_S` (our choice from a hand's reach)."""

LANDING_MOST_S = 1.1

TILE_SD_G = 0.3
"""Difference of weight of two tiles of a set: 1 to 3 % of 12 g, twice."""

LOSE_OWED_S = 6.0
"""A pick that was not racked so long after the discard is not coming: the count is what it is."""

LOSE_AWAY_S = 12.0

# log-probabilities of readings, our choice from what people do; their order decides, not their last digit
P_LIFT = log(0.15)
P_LIFT_HOLDING = log(0.12)
P_DISCARD = log(0.7)
P_DISCARD_FIRST = log(0.15)
P_EXCHANGE = log(0.08)
P_LENT = log(0.02)
P_UNPRESSED_CLAIM = log(0.002)
P_EXTRA_PICK = log(0.0015)
P_NO_PICK = log(0.003)
P_LOST = log(0.002)
P_PRESS_IGNORED = log(0.12)
P_LATE_CLAIM = log(0.1)
P_OVERTAKEN = log(0.3)
P_EARLY = log(0.06)
P_NEVER = log(1e-6)
P_UNKNOWN_TURN = log(0.3)

# mean seconds that a thing in suspense lasts
STAYS_AWAY_S = 2.0
STAYS_OWED_S = 2.0
STAYS_LENT_S = 1.5
STAYS_GIVEN_S = 8.0
STAYS_CLAIMING_S = 6.0


class Turns:
    """The play of one hand. Feed it moves, presses and landings in order of knowledge; read what it tells."""

    def __init__(self, bases: tuple[int, int, int, int], turn: int, started_s: float, *, sees_floor: bool) -> None:
        # a hand begun before the monitor may have exposures that nobody saw
        players = [Player(base=b, shown=turn < 0) for b in bases]
        self._beam = [Explanation((players[0], players[1], players[2], players[3]), turn, started_s, 0.0)]
        self._now_s = started_s
        self._sees_floor = sees_floor
        self._p_through = log(0.02) if sees_floor else log(THROUGH_SHARE)
        self._left_at: dict[str, Moment] = {}
        self._told: dict[Key, Told] = {}

    @property
    def best(self) -> Explanation:
        """The most probable explanation."""
        return self._beam[0]

    # what comes in

    def move(self, move: Move) -> list["Finding"]:
        """Take a move; return findings and corrections."""
        self._pass_time(move.seen_s)
        if move.uid is not None and move.tiles < 0:
            self._left_at[move.uid] = move.moment
        grown: list[Explanation] = []
        for e in self._beam:
            grown.extend(self._readings(self._elsewhere(e, move), move))
        self._keep(grown or self._beam)
        return self._tell(move.seen_s)

    def press(self, seat: int, at: Moment, seen_s: float) -> list["Finding"]:
        """A call button was pressed: perhaps the turn moves there, perhaps it came too late or by mistake."""
        self._pass_time(seen_s)
        grown: list[Explanation] = []
        for e in self._beam:
            player = e.players[seat]
            grown.append(replace(e, score=e.score + P_PRESS_IGNORED))
            if player.stage is Stage.RESTING:
                racked = any(p.stage is Stage.HOLDING and e.turn == k for k, p in enumerate(e.players))
                claiming = replace(player, stage=Stage.CLAIMING, since_s=at.at_s, gained=0, claimed=False, pressed=True)
                cost = P_LATE_CLAIM if racked else log(1 - 0.12)
                grown.append(
                    replace(
                        e.with_player(seat, claiming),
                        turn=seat,
                        turn_since_s=at.at_s,
                        score=e.score + cost,
                        overtaken=e.turn,
                    )
                )
        self._keep(grown)
        return self._tell(seen_s)

    def landed(self, landed: Landed) -> list["Finding"]:
        """A tile appeared on the floor: one from a rack was discarded, one from no rack was thrown on."""
        self._p_through = log(0.02)  # an antenna watches the floor: no turn passes unseen
        self._pass_time(landed.seen_s)
        grown: list[Explanation] = []
        for e in self._beam:
            if landed.from_seat >= 0:
                player = e.players[landed.from_seat]
                lifted = landed.uid in player.away_uids
                grown.append(replace(e, score=e.score + (P_NEVER if lifted else 0.0)))
                if lifted:
                    grown.extend(self._discard_lifted(e, landed))
                continue
            turn = e.turn
            if turn < 0:
                grown.append(e)
                continue
            for seat, cost in self._turns_at(e):
                player = e.players[seat]
                if player.stage is not Stage.RESTING:
                    continue
                at_s = landed.moment
                told = Told(
                    landed.number,
                    Discarded(
                        at=at_s.at_s, earliest=at_s.earliest_s, latest=at_s.latest_s, seat=seat_of(seat), uid=landed.uid
                    ),
                    landed.seen_s,
                )
                grown.append(self._pass_turn(e, seat, at_s.at_s, cost).telling(told))
            grown.append(replace(e, score=e.score + log(0.002)))
        self._keep(grown)
        return self._tell(landed.seen_s)

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
        """The seat has a tile more than its base from the start: East after the deal, or whoever a late start finds so."""
        self._beam = [
            e.with_player(seat, replace(e.players[seat], stage=Stage.HOLDING, since_s=self._now_s)) for e in self._beam
        ]

    def all_told(self, before_s: float) -> bool:
        """Whether all that the best explanation holds to have happened before `before_s` has been told."""
        node = self._beam[0].story
        while node is not None and self._now_s - node.told.seen_s < MEMORY_S:
            if node.told.event.low < before_s and node.told.key not in self._told:
                return False
            node = node.before
        return True

    def finish(self, now_s: float) -> list["Finding"]:
        """The play is over: tell what the best explanation holds."""
        return self._tell(now_s, final=True)

    def advance(self, now_s: float) -> list["Finding"]:
        """Let time pass; return what waiting decided."""
        if now_s - self._now_s < 0.2:
            return []
        self._pass_time(now_s)
        return self._tell(now_s)

    # the grammar

    def _readings(self, e: Explanation, move: Move) -> Iterator[Explanation]:
        player = e.players[move.seat]
        if player.stage is Stage.DEAD:
            yield e
        elif move.tiles > 0:
            if move.zone is Zone.LEDGE:
                yield from self._onto_ledge(e, move, player)
            else:
                yield from self._onto_slope(e, move, player)
        elif move.tiles < 0:
            if move.zone is Zone.LEDGE:
                yield from self._off_ledge(e, move, player)
            else:
                yield from self._off_slope(e, move, player)
        else:
            yield from self._touched(e, move, player)

    def _elsewhere(self, e: Explanation, move: Move) -> Explanation:
        """A tile thought lifted came to another rack: laid there for a joker, it was given; otherwise never lifted."""
        if move.uid is None or move.tiles <= 0:
            return e
        for seat, p in enumerate(e.players):
            if move.uid not in p.away_uids or (seat == move.seat and move.zone is not Zone.LEDGE):
                continue
            if seat == move.seat and p.stage is not Stage.HOLDING:
                continue
            laid = move.zone is Zone.LEDGE and p.stage is Stage.HOLDING and e.players[move.seat].shown
            left = replace(p, away=p.away - 1, away_uids=p.away_uids - {move.uid})
            if laid and seat != move.seat:
                given = replace(left, given=p.given + 1, given_at=p.given_at or self._left_at.get(move.uid))
                return replace(e.with_player(seat, given), score=e.score)
            if seat != move.seat:
                return replace(e.with_player(seat, left), score=e.score + P_NEVER)
        return e

    def _onto_slope(self, e: Explanation, move: Move, player: Player) -> Iterator[Explanation]:
        n = move.tiles
        if move.uid is not None:
            if move.uid in player.away_uids:
                yield self._put_back(e, move, player, 1)
                return
            if move.from_ledge_of >= 0 and player.stage is Stage.HOLDING:
                yield self._take_joker(e, move, player, 1, 0.0)
                return
            most_back = 0 if not move.own else min(n, player.away)
        else:
            most_back = min(n, player.away)
        for back in range(most_back, -1, -1):
            came = n - back
            cost = 0.0 if back == most_back else -2.0
            after = self._put_back(e, move, player, back) if back else e
            after = replace(after, score=after.score + cost)
            if came == 0:
                yield after
            else:
                yield from self._came(after, move, came)

    def _came(self, e: Explanation, move: Move, came: int) -> Iterator[Explanation]:
        """`came` tiles that had not been lifted came onto the slope (or the rack, where ledge and slope are one)."""
        seat = move.seat
        player = e.players[seat]
        at = move.landings[-1] if came == 1 and len(move.landings) > 1 and move.tiles > 1 else move.moment
        racked = Told(move.number, self._racked(seat, at, move), move.seen_s)
        extra = came - 1
        if extra > 1:
            # more than a player ever picks: the base was not what it seemed
            yield replace(e.with_player(seat, replace(player, base=player.base + came)), score=e.score + P_LOST * came)
            return
        more = Told(-move.number, self._racked(seat, move.landings[-1] if move.landings else at, move), move.seen_s)
        told = (racked, more) if extra else (racked,)
        cost = P_EXTRA_PICK * extra
        match player.stage:
            case Stage.RESTING:
                if seat == e.overtaken and came == 1:
                    both = replace(player, stage=Stage.HOLDING, since_s=at.at_s)
                    yield replace(e.with_player(seat, both), score=e.score + P_OVERTAKEN, overtaken=-1).telling(racked)
                for turn, through in self._paths_to(e, seat, at.at_s):
                    holding = replace(player, stage=Stage.HOLDING, since_s=at.at_s, base=player.base + extra)
                    yield replace(
                        e.with_player(seat, holding),
                        turn=turn,
                        turn_since_s=at.at_s,
                        score=e.score + through + cost,
                    ).telling(*told)
                if came == 1 and move.zone is Zone.RACK:
                    yield from self._lend(e, move, player, 1)
                if move.zone is Zone.RACK and came == 1 and e.turn != seat and move.uid is None:
                    yield self._expose(e, move, player, P_UNPRESSED_CLAIM)
            case Stage.OWING:
                residue = self._different(move, player.away_residue_g)
                yield replace(
                    e.with_player(
                        seat, replace(player, stage=Stage.RESTING, away_residue_g=0.0, base=player.base + extra)
                    ),
                    score=e.score + cost + residue,
                ).telling(*told)
            case Stage.HOLDING:
                if player.given:
                    yield self._take_joker(e, move, player, came, -0.7)
                yield replace(
                    e.with_player(seat, replace(player, base=player.base + came)),
                    score=e.score + P_EXTRA_PICK * came,
                ).telling(*told)
            case Stage.CLAIMING:
                if move.zone is Zone.RACK:
                    yield self._expose(e, move, player, 0.0)
                else:
                    yield replace(
                        e.with_player(seat, replace(player, stage=Stage.HOLDING, since_s=at.at_s)),
                        score=e.score + log(0.05),
                    ).telling(racked)
            case Stage.DEAD:
                yield e

    def _off_slope(self, e: Explanation, move: Move, player: Player) -> Iterator[Explanation]:
        seat, n, at = move.seat, -move.tiles, move.moment
        uids = NOBODY if move.uid is None else frozenset({move.uid})
        lift = P_LIFT_HOLDING if player.stage is Stage.HOLDING else P_LIFT
        if player.stage is Stage.CLAIMING:
            lift = 0.0
        lifted = replace(
            player,
            away=player.away + n,
            away_uids=player.away_uids | uids,
            away_residue_g=player.away_residue_g + move.residue_g,
            since_s=at.at_s,
        )
        yield replace(e.with_player(seat, lifted), score=e.score + (0.0 if player.away else lift))
        rest = replace(lifted, away=player.away + n - 1, away_uids=player.away_uids)
        discarded = Told(move.number, self._discarded(seat, at, move), move.seen_s)
        match player.stage:
            case Stage.HOLDING:
                resting = replace(
                    rest, stage=Stage.RESTING, given=0, lent=0, answered=0, gained=0, claimed=False, pressed=False
                )
                if e.turn == seat:
                    cost = P_DISCARD + (lift if n > 1 else 0.0) + (P_LOST if player.given else 0.0)
                    cost += _haste(at.at_s - player.since_s)
                    after = self._pass_turn(e, seat, at.at_s, cost)
                    yield after.with_player(seat, resting).telling(discarded)
                    if n == 1 and any(p.shown for p in e.players):
                        given = replace(player, given=player.given + 1, given_at=player.given_at or at, since_s=at.at_s)
                        yield replace(e.with_player(seat, given), score=e.score + P_EXCHANGE)
                else:
                    returned = Told(
                        move.number,
                        Returned(at=at.at_s, earliest=at.earliest_s, latest=at.latest_s, seat=seat_of(seat)),
                        move.seen_s,
                    )
                    yield replace(e.with_player(seat, resting), score=e.score + log(0.5)).telling(returned)
                    yield replace(e.with_player(seat, resting), score=e.score + log(0.2)).telling(discarded)
            case Stage.RESTING:
                for turn, through in self._paths_to(e, seat, at.at_s):
                    owing = replace(rest, stage=Stage.OWING, since_s=at.at_s)
                    cost = through + P_DISCARD_FIRST + (lift if n > 1 else 0.0)
                    after = self._pass_turn(replace(e, turn=turn), seat, at.at_s, cost)
                    yield after.with_player(seat, owing).telling(discarded)
                if n == 1 and move.zone is Zone.RACK:
                    yield from self._lend(e, move, player, -1)
            case Stage.OWING | Stage.CLAIMING | Stage.DEAD:
                pass

    def _onto_ledge(self, e: Explanation, move: Move, player: Player) -> Iterator[Explanation]:
        """Tiles came onto a ledge that is seen apart from its slope: a claim grows, or a natural is laid for a joker."""
        seat, n = move.seat, move.tiles
        if move.uid in player.away_uids and move.from_ledge_of == seat:
            yield self._put_back(e, move, player, 1)
            return
        if player.stage is Stage.CLAIMING or (player.stage is Stage.RESTING and e.turn != seat) or player.gained:
            back = min(n, player.away) if move.uid is None else int(move.uid in player.away_uids)
            new = n - back
            if new <= 1:
                gained = player.gained + n
                claimed = player.claimed or new == 1
                cost = 0.0 if player.pressed or player.gained else P_UNPRESSED_CLAIM
                if new == 1 and player.claimed:
                    cost += P_EXTRA_PICK
                grown = replace(
                    player,
                    stage=Stage.CLAIMING if player.stage is Stage.RESTING else player.stage,
                    away=player.away - back,
                    away_uids=player.away_uids - ({move.uid} if move.uid else NOBODY),
                    gained=gained,
                    claimed=claimed,
                    since_s=move.moment.at_s,
                )
                after = replace(e.with_player(seat, grown), turn=seat, score=e.score + cost)
                if gained >= 3 and claimed and grown.stage is Stage.CLAIMING and not grown.away:
                    yield self._expose(after, move, grown, 0.0)
                else:
                    yield after
        if player.stage is Stage.HOLDING and player.given and n == 1:
            yield replace(e, score=e.score + log(0.5))  # the own rack's joker makes room for the natural
        if n == 1:
            yield from self._lend(e, move, player, 1)
        if player.away and not player.gained:
            back = min(n, player.away)
            yield replace(self._put_back(e, move, player, back), score=e.score + log(0.01) + P_LOST * (n - back))
        yield replace(e, score=e.score + P_LOST)

    def _off_ledge(self, e: Explanation, move: Move, player: Player) -> Iterator[Explanation]:
        n = -move.tiles
        if n == 1:
            yield from self._lend(e, move, player, -1)
        yield replace(
            e.with_player(
                move.seat,
                replace(
                    player, away=player.away + n, away_uids=player.away_uids | ({move.uid} if move.uid else NOBODY)
                ),
            ),
            score=e.score + log(0.02),
        )

    def _touched(self, e: Explanation, move: Move, player: Player) -> Iterator[Explanation]:
        """Touched and as before: tiles sorted, or a whole turn too quick to rest in between."""
        seat = move.seat
        yield replace(e, score=e.score + self._same(move, 0.0))
        if move.noise_g <= 0 or move.raised < 1 or not move.landings or player.away:
            return
        different = self._different(move, 0.0)
        giver = self._giver(e, seat)
        if giver >= 0 and player.shown:
            answered = replace(e.players[giver], answered=e.players[giver].answered + 1)
            yield replace(e.with_player(giver, answered), score=e.score + different + log(0.6))
        if player.stage is Stage.RESTING and move.zone is not Zone.LEDGE:
            at = move.landings[0]
            lifted = replace(move.moment, at_s=at.at_s + 0.5, latest_s=max(at.latest_s, move.until_s))
            for turn, through in self._paths_to(e, seat, at.at_s):
                told = (
                    Told(move.number, self._racked(seat, at, move), move.seen_s),
                    Told(move.number, self._discarded(seat, lifted, move), move.seen_s),
                )
                cost = through + different + log(0.05) + _haste(move.until_s - at.at_s)
                yield self._pass_turn(replace(e, turn=turn), seat, at.at_s, cost).telling(*told)

    def _giver(self, e: Explanation, owner: int) -> int:
        """The seat that has given a natural in its turn and waits for a joker, -1 if none."""
        return next((k for k, p in enumerate(e.players) if p.given and p.stage is Stage.HOLDING and k != owner), -1)

    # steps of the grammar

    def _put_back(self, e: Explanation, move: Move, player: Player, n: int) -> Explanation:
        uids = player.away_uids - {move.uid} if move.uid is not None else player.away_uids
        away = player.away - n
        residue = player.away_residue_g + move.residue_g
        score = self._same(move, player.away_residue_g) if away == 0 and move.noise_g > 0 else 0.0
        back = replace(
            player,
            away=away,
            away_uids=uids if away else NOBODY,
            away_residue_g=residue if away else 0.0,
            since_s=move.moment.at_s,
        )
        return replace(e.with_player(move.seat, back), score=e.score + score)

    def _lend(self, e: Explanation, move: Move, player: Player, sign: int) -> Iterator[Explanation]:
        """One more or one fewer on a rack in the middle of somebody's joker exchange."""
        active = next((k for k, p in enumerate(e.players) if k != move.seat and p.stage is Stage.HOLDING), -1)
        if active < 0 or e.turn != active or not player.shown:
            return
        lent = player.lent + sign
        if lent == 0:
            cost = 0.0
        elif abs(lent) > 2:
            return
        else:
            cost = log(0.6) if e.players[active].given else P_LENT
        if move.zone is Zone.LEDGE and lent:
            cost = max(cost, log(0.3))
        borrowed = e.with_player(move.seat, replace(player, lent=lent, since_s=move.moment.at_s))
        if lent == 0:
            holder = e.players[active]
            borrowed = borrowed.with_player(active, replace(holder, answered=holder.answered + 1))
        yield replace(borrowed, score=e.score + cost)

    def _take_joker(self, e: Explanation, move: Move, player: Player, n: int, cost: float) -> Explanation:
        given = max(0, player.given - n)
        if not player.answered and move.uid is None:
            cost += log(0.15)
        lent_by = [k for k, p in enumerate(e.players) if k != move.seat and p.base and p.lent]
        after = replace(
            player, given=given, answered=0, given_at=player.given_at if given else None, since_s=move.moment.at_s
        )
        began = player.given_at or move.moment
        told = Told(
            move.number,
            JokerExchanged(
                at=began.at_s,
                earliest=began.earliest_s,
                latest=began.latest_s,
                seat=seat_of(move.seat),
                n=max(1, player.given),
                owners=tuple(seat_of(k) for k in lent_by) or None,
            ),
            move.seen_s,
        )
        changed = replace(e.with_player(move.seat, after), score=e.score + cost)
        return changed if given else changed.telling(told)

    def _expose(self, e: Explanation, move: Move, player: Player, cost: float) -> Explanation:
        seat, at = move.seat, move.landings[-1] if move.landings else move.moment
        told = [
            Told(
                move.number,
                Exposed(
                    at=at.at_s,
                    earliest=at.earliest_s,
                    latest=at.latest_s,
                    seat=seat_of(seat),
                    n=player.gained if player.gained >= 3 else None,
                ),
                move.seen_s,
            )
        ]
        if not player.pressed:
            told.insert(
                0,
                Told(
                    move.number,
                    Called(
                        at=at.at_s,
                        earliest=at.earliest_s - 10.0,
                        latest=at.latest_s,
                        seat=seat_of(seat),
                        via=Via.EXPOSURE,
                    ),
                    move.seen_s,
                ),
            )
        holding = replace(player, stage=Stage.HOLDING, since_s=at.at_s, pressed=False, claimed=True, shown=True)
        return replace(e.with_player(seat, holding), turn=seat, turn_since_s=at.at_s, score=e.score + cost).telling(
            *told
        )

    def _discard_lifted(self, e: Explanation, landed: Landed) -> Iterator[Explanation]:
        seat = landed.from_seat
        player = e.players[seat]
        away = replace(player, away=player.away - 1, away_uids=player.away_uids - {landed.uid})
        told = Told(
            landed.number,
            Discarded(
                at=landed.moment.at_s,
                earliest=landed.moment.earliest_s - LANDING_MOST_S,
                latest=landed.moment.latest_s,
                seat=seat_of(seat),
                uid=landed.uid,
            ),
            landed.seen_s,
        )
        if player.stage is Stage.HOLDING:
            after = self._pass_turn(e, seat, landed.moment.at_s, 0.0)
            yield after.with_player(seat, replace(away, stage=Stage.RESTING)).telling(told)
        elif player.stage is Stage.RESTING:
            for turn, through in self._paths_to(e, seat, landed.moment.at_s):
                after = self._pass_turn(replace(e, turn=turn), seat, landed.moment.at_s, through + P_DISCARD_FIRST)
                yield after.with_player(seat, replace(away, stage=Stage.OWING)).telling(told)

    def _pass_turn(self, e: Explanation, seat: int, at_s: float, cost: float) -> Explanation:
        """`seat` has discarded."""
        player = replace(e.players[seat], gained=0, claimed=False, pressed=False, since_s=at_s)
        passed = e.with_player(seat, player)
        return replace(passed, overtaken=-1, turn=next_alive(e.players, seat), turn_since_s=at_s, score=e.score + cost)

    def _paths_to(self, e: Explanation, seat: int, at_s: float) -> Iterator[tuple[int, float]]:
        """The turn comes to `seat` directly, or over turns that nobody saw; yields `(seat, cost)`."""
        if e.turn < 0:
            yield seat, P_UNKNOWN_TURN
            return
        cost, turn, unseen = 0.0, e.turn, 0
        for _ in range(4):
            if turn == seat:
                if unseen:
                    cost -= 3.0 * max(0.0, unseen * THROUGH_S + LEAST_TURN_S - (at_s - e.turn_since_s))
                yield seat, cost
                return
            player = e.players[turn]
            # a seat that holds has yet to discard, and the sensor that will say so is slower
            cost += P_EARLY if player.stage in {Stage.HOLDING, Stage.CLAIMING} else self._p_through
            unseen += 1
            turn = next_alive(e.players, turn)
        yield seat, cost + P_LOST

    def _turns_at(self, e: Explanation) -> Iterator[tuple[int, float]]:
        """Seats that may have thrown a pick on, the likeliest first."""
        cost, turn = 0.0, e.turn
        for _ in range(3):
            yield turn, cost
            cost += P_EARLY if e.players[turn].stage is Stage.HOLDING else self._p_through
            turn = next_alive(e.players, turn)

    # weights of tiles

    def _same(self, move: Move, before_g: float) -> float:
        if move.noise_g <= 0:
            return 0.0
        return _log_normal(move.residue_g + before_g, 0.04 + 1.5 * move.noise_g)

    def _different(self, move: Move, before_g: float) -> float:
        if move.noise_g <= 0:
            return 0.0
        return _log_normal(move.residue_g + before_g, TILE_SD_G + move.noise_g)

    # records

    def _racked(self, seat: int, at: Moment, move: Move) -> Racked:
        return Racked(at=at.at_s, earliest=at.earliest_s, latest=at.latest_s, seat=seat_of(seat), uid=move.uid)

    def _discarded(self, seat: int, at: Moment, move: Move) -> Discarded:
        return Discarded(
            at=at.at_s + LANDING_S,
            earliest=at.earliest_s,
            latest=at.latest_s + LANDING_MOST_S,
            seat=seat_of(seat),
            uid=move.uid,
        )

    # the beam

    def _pass_time(self, now_s: float) -> None:
        span_s = now_s - self._now_s
        if span_s <= 0:
            return
        self._now_s = now_s
        aged: list[Explanation] = []
        for e in self._beam:
            cost = 0.0
            after = e
            for seat, p in enumerate(e.players):
                if p.away and p.stage is not Stage.CLAIMING:
                    cost -= span_s / STAYS_AWAY_S
                    if now_s - p.since_s > LOSE_AWAY_S:
                        after = after.with_player(seat, replace(p, base=p.base - p.away, away=0, away_uids=NOBODY))
                        cost += P_LOST * p.away
                if p.stage is Stage.OWING:
                    cost -= span_s / STAYS_OWED_S
                    if now_s - p.since_s > LOSE_OWED_S:
                        after = after.with_player(seat, replace(p, stage=Stage.RESTING, base=p.base - 1))
                        cost += P_NO_PICK
                if p.lent:
                    cost -= span_s / STAYS_LENT_S
                if p.given:
                    cost -= span_s / STAYS_GIVEN_S
                if p.stage is Stage.CLAIMING:
                    cost -= span_s / STAYS_CLAIMING_S
                if p.stage is Stage.HOLDING and e.turn != seat:
                    cost -= span_s / 3.0
            aged.append(replace(after, score=e.score + cost) if cost or after is not e else e)
        self._keep(aged)

    def _keep(self, grown: list[Explanation]) -> None:
        """Merge equals, keep the best `WIDTH`, and count scores from the best."""
        grown.sort(key=lambda e: -e.score)
        best = grown[0].score
        seen: set[tuple[object, ...]] = set()
        kept: list[Explanation] = []
        for e in grown:
            if e.score < best - 14.0 or len(kept) >= WIDTH:
                break
            facts = e.facts()
            if facts in seen:
                continue
            seen.add(facts)
            kept.append(replace(e, score=e.score - best))
        self._beam = kept

    def _tell(self, now_s: float, *, final: bool = False) -> list["Finding"]:
        """What can be told now, and what told earlier is disowned."""
        total = 0.0
        shares: dict[Key, float] = {}
        items: dict[Key, Told] = {}
        best_keys: set[Key] = set()
        for rank, e in enumerate(self._beam):
            weight = exp(e.score)
            total += weight
            node = e.story
            while node is not None and now_s - node.told.seen_s < MEMORY_S:
                key = node.told.key
                items.setdefault(key, node.told)
                shares[key] = shares.get(key, 0.0) + weight
                if rank == 0:
                    best_keys.add(key)
                node = node.before
        findings: list[Finding] = []
        for key, told in items.items():
            share = shares[key] / total
            if key not in self._told and (
                share > SURE or ((final or now_s - told.seen_s > LAG_S) and key in best_keys)
            ):
                self._told[key] = told
                findings.append(
                    Finding(replace(told.event, seen_at=now_s, confidence=round(min(share, 0.999), 3)), key, False)
                )
        for key, told in list(self._told.items()):
            if now_s - told.seen_s > MEMORY_S:
                del self._told[key]
            elif shares.get(key, 0.0) / total < DISOWNED and key not in best_keys:
                del self._told[key]
                findings.append(Finding(told.event, key, True))
        findings.sort(key=lambda f: f.event.at)
        return findings


class Finding:
    """An event the search tells, or (`struck`) takes back; `key` names it across both."""

    __slots__ = ("event", "key", "struck")

    def __init__(self, event: Event, key: Key, struck: bool) -> None:
        self.event = event
        self.key = key
        self.struck = struck


def _haste(held_s: float) -> float:
    """Cost of discarding so soon after racking: an expert takes about a second (research: pace)."""
    return min(0.0, 6.0 * (held_s - 0.9))


def _log_normal(x: float, sd: float) -> float:
    return -0.5 * (x / sd) ** 2 - log(sd)
