"""The grammar of a turn: into which readings a move makes an explanation branch, each at its cost.

Owns what may happen at the table and in which order. Moves -> **grammar** -> explanations, among which `turns` chooses.
Refuses to know sensors, phases other than play, and rules.

    RESTING  --a tile came, and it is the seat's turn-----------> HOLDING   racked
    RESTING  --a tile went, and it is the seat's turn-----------> OWING     discarded, the pick still in hand
    RESTING  --a tile came, and it is another's turn------------> HOLDING   racked out of turn, the turn stays
    RESTING  --call pressed, or tiles came onto the ledge-------> CLAIMING
    OWING    --a tile came--------------------------------------> RESTING   racked
    CLAIMING --the claimed tile and its company lie there-------> HOLDING   called, exposed
    HOLDING  --a tile went--------------------------------------> RESTING   discarded; in another's turn: returned
    HOLDING  --a natural went, a joker came---------------------> HOLDING   joker exchanged
    any      --tiles went, the same came back-------------------> the same  sorted
"""

from collections.abc import Iterator
from math import log
from typing import assert_never

from msgspec.structs import replace

from hw.observations import Moment, Zone
from monitor.events import Discarded, Returned
from monitor.inference.belief import NOBODY, Explanation, Player, Stage, Told, seat_of
from monitor.inference.dead_hands import moved_by_a_dead_hand
from monitor.inference.moves import Landed, Move
from monitor.inference.odds import (
    GIVEN_MOST_S,
    LANDING_MOST_S,
    LOSE_OWED_S,
    MOST_JOKERS,
    P_DISCARD,
    P_DISCARD_FIRST,
    P_EARLY,
    P_EXCHANGE,
    P_EXTRA_PICK,
    P_GIVEN_UNSEEN,
    P_LATE_CLAIM,
    P_LIFT,
    P_LIFT_HOLDING,
    P_LOST,
    P_MORE_JOKERS,
    P_NEVER,
    P_NO_PICK,
    P_OUT_OF_TURN,
    P_OVERTAKEN,
    P_PRESS_IGNORED,
    P_PRESS_MEANT,
    P_RESTLESS_RACKING,
    P_SHORT_EXPOSURE,
    P_SINGLE_EXPOSURE,
    P_TAKEN_BACK,
    P_THROUGH_WATCHED,
    P_UNPRESSED_CLAIM,
    SEVERAL,
    SHORT_EXPOSURE,
    THROUGH_SHARE,
    TOGETHER_S,
    TOUCH_ENDS_S,
    TOUCH_MEANT,
    TOUCH_MEANT_LEDGE,
    haste,
    returning,
)
from monitor.inference.steps import (
    dated_by_landing,
    discarding,
    expose,
    exposed_unseen,
    fits_other,
    fits_same,
    giver_to,
    has_returned,
    is_joker,
    lend,
    pass_turn,
    paths_to,
    put_back,
    racking,
    seats_from,
    take_joker,
    was_discarded,
)


class Grammar:
    """The readings of one table's moves. `through`: cost of a turn that nobody saw."""

    def __init__(self) -> None:
        self.through = log(THROUGH_SHARE)
        self._left_at: dict[str, Moment] = {}

    def readings(self, e: Explanation, move: Move) -> Iterator[Explanation]:
        """What a move may mean."""
        if move.uid is not None and move.tiles < 0:
            self._left_at[move.uid] = move.moment
        yield from self._readings(self._elsewhere(e, move), move)

    def claims(self, e: Explanation, seat: int, at: Moment) -> Iterator[Explanation]:
        """What a pressed call may mean: the turn moves there, or it came too late or by mistake."""
        player = e.players[seat]
        yield replace(e, score=e.score + P_PRESS_IGNORED)
        if player.stage is not Stage.RESTING:
            return
        racked = any(p.stage is Stage.HOLDING and e.turn == k for k, p in enumerate(e.players))
        claiming = replace(player, stage=Stage.CLAIMING, since_s=at.at_s, gained=0, claimed=False, pressed=True)
        yield replace(
            e.with_player(seat, claiming),
            turn=seat,
            turn_since_s=at.at_s,
            score=e.score + (P_LATE_CLAIM if racked else P_PRESS_MEANT),
            overtaken=e.turn,
        )

    def landings(self, e: Explanation, landed: Landed) -> Iterator[Explanation]:
        """What a tile on the floor may mean: one from a rack was discarded, one from no rack was thrown on."""
        self.through = P_THROUGH_WATCHED
        if landed.from_seat >= 0 and not has_returned(e, landed):
            player = e.players[landed.from_seat]
            lifted = landed.uid in player.away_uids
            elsewhere = lifted or landed.uid in player.given_uids
            yield replace(dated_by_landing(e, landed), score=e.score + (P_NEVER if elsewhere else 0.0))
            if lifted:
                yield from self._discard_lifted(e, landed)
            return
        if e.turn < 0:
            yield e
            return
        at = landed.moment
        for seat, cost in seats_from(e, self.through):
            if e.players[seat].stage is not Stage.RESTING:
                continue
            thrown = Discarded(
                at=at.at_s, earliest=at.earliest_s, latest=at.latest_s, seat=seat_of(seat), uid=landed.uid
            )
            told = Told(landed.number, thrown, landed.seen_s)
            yield pass_turn(e, seat, at.at_s, cost).telling(told)
        yield replace(e, score=e.score + P_LOST)

    def _readings(self, e: Explanation, move: Move) -> Iterator[Explanation]:
        player = e.players[move.seat]
        if player.stage is Stage.DEAD:
            yield from moved_by_a_dead_hand(e, move, player)
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
        """A tile thought lifted turned up: laid on a ledge for a joker it was given, a joker on a slope was taken, and
        on another rack else it was never lifted."""
        if move.uid is None or move.tiles <= 0:
            return e
        for seat, p in enumerate(e.players):
            if move.uid not in p.away_uids:
                continue
            left = replace(p, away=p.away - 1, away_uids=p.away_uids - {move.uid})
            if move.zone is Zone.LEDGE:
                claims = seat == move.seat and p.gained > 0
                may_lay = p.stage is Stage.HOLDING or (p.stage is Stage.RESTING and e.turn == seat)
                laid = may_lay and e.players[move.seat].shown and not claims
                left_at = self._left_at.get(move.uid)
                if laid and left_at is not None and not p.given and left_at.at_s < p.taken_s:
                    return e.with_player(seat, left)  # its joker has come already
                if laid and move.from_ledge_of < 0:
                    given = replace(
                        left,
                        given=p.given + 1,
                        given_at=p.given_at or left_at,
                        given_uids=p.given_uids | {move.uid},
                    )
                    return e.with_player(seat, given)
            elif is_joker(move):
                return e.with_player(seat, left)
            if seat != move.seat:
                return replace(e.with_player(seat, left), score=e.score + P_NEVER)
        return e

    def _onto_slope(self, e: Explanation, move: Move, player: Player) -> Iterator[Explanation]:
        n = move.tiles
        if move.uid is not None:
            if is_joker(move) and player.stage in {Stage.HOLDING, Stage.RESTING, Stage.OWING}:
                yield from self._joker_came(e, move, player)
                return
            nameless = move.own and player.away > len(player.away_uids)
            if move.uid in player.away_uids or nameless:
                yield put_back(e, move, player, 1)
                return
            if move.uid in player.silent:
                yield e.with_player(move.seat, replace(player, silent=player.silent - {move.uid}))
                return
            if move.own and move.from_ledge_of < 0:
                # it lay here before, so this reading was wrong to let it go
                yield replace(e, score=e.score + P_NEVER)
                return
            most_back = 0
        else:
            most_back = min(n, player.away)
        for back in range(most_back, -1, -1):
            came = n - back
            cost = 0.0 if back == most_back else -2.0
            after = put_back(e, move, player, back) if back else e
            after = replace(after, score=after.score + cost)
            if came == 0:
                yield after
            else:
                yield from self._came(after, move, came)

    def _joker_came(self, e: Explanation, move: Move, player: Player) -> Iterator[Explanation]:
        """A tile that is known for a joker came: for a natural given before, for one thought lifted, or for the pick
        itself, straight from the hand."""
        seat = move.seat
        paths = [(e.turn, 0.0)]
        if player.stage is Stage.RESTING:
            paths = list(paths_to(e, seat, move.moment.at_s, self.through))
        since_s = move.moment.at_s - GIVEN_MOST_S
        left = {uid: at for uid in sorted(player.away_uids) if (at := self._left_at.get(uid)) and at.at_s > since_s}
        lifted = {} if player.given else left
        for turn, cost in paths:
            on_turn = e if turn == e.turn else replace(e, turn=turn, turn_since_s=move.moment.at_s)
            for uid, left_at in lifted.items():
                given = replace(
                    player,
                    away=player.away - 1,
                    away_uids=player.away_uids - {uid},
                    given=1,
                    given_at=left_at,
                    given_uids=frozenset({uid}),
                )
                yield take_joker(on_turn, move, given, 1, cost - log(len(lifted)))
            yield take_joker(on_turn, move, player, 1, cost + (P_GIVEN_UNSEEN if lifted else 0.0))

    def _came(self, e: Explanation, move: Move, came: int) -> Iterator[Explanation]:
        """`came` tiles that had not been lifted came onto the slope (or the rack, where ledge and slope are one)."""
        seat = move.seat
        player = e.players[seat]
        at = move.landings[-1] if came == 1 and len(move.landings) > 1 and move.tiles > 1 else move.moment
        racked = Told(move.number, racking(seat, at, move), move.seen_s)
        extra = came - 1
        if extra > 1:
            # more than a player ever picks: the base was not what it seemed
            yield replace(e.with_player(seat, replace(player, base=player.base + came)), score=e.score + P_LOST * came)
            return
        more = Told(-move.number, racking(seat, move.landings[-1] if move.landings else at, move), move.seen_s)
        told = (racked, more) if extra else (racked,)
        cost = P_EXTRA_PICK * extra + (P_TAKEN_BACK if was_discarded(e, move) else 0.0)
        restless = move.zone is Zone.RACK and move.uid is None and len(move.landings) >= SEVERAL
        if restless and came == 1:
            cost += P_RESTLESS_RACKING
        match player.stage:
            case Stage.RESTING:
                if seat == e.overtaken and came == 1:
                    both = replace(player, stage=Stage.HOLDING, since_s=at.at_s)
                    yield replace(e.with_player(seat, both), score=e.score + P_OVERTAKEN + cost, overtaken=-1).telling(
                        racked
                    )
                if came == 1 and player.owed_s and at.at_s - player.owed_s < LOSE_OWED_S:
                    racked_late = replace(player, base=player.base + 1, owed_s=0.0)
                    yield replace(e.with_player(seat, racked_late), score=e.score - P_NO_PICK).telling(racked)
                for turn, through in paths_to(e, seat, at.at_s, self.through):
                    holding = replace(player, stage=Stage.HOLDING, since_s=at.at_s, base=player.base + extra)
                    yield replace(
                        e.with_player(seat, holding),
                        turn=turn,
                        turn_since_s=at.at_s,
                        score=e.score + through + cost,
                    ).telling(*told)
                if came == 1 and e.turn not in {-1, seat} and e.players[e.turn].stage is Stage.RESTING:
                    astray = replace(player, stage=Stage.HOLDING, since_s=at.at_s)
                    yield replace(e.with_player(seat, astray), score=e.score + P_OUT_OF_TURN + cost).telling(racked)
                if came == 1 and move.zone is Zone.RACK:
                    yield from lend(e, move, player, 1)
                if move.zone is Zone.RACK and came == 1 and e.turn != seat and move.uid is None:
                    yield expose(e, move, player, P_UNPRESSED_CLAIM)
            case Stage.OWING:
                residue = fits_other(move, player.away_residue_g)
                yield replace(
                    e.with_player(
                        seat, replace(player, stage=Stage.RESTING, away_residue_g=0.0, base=player.base + extra)
                    ),
                    score=e.score + cost + residue,
                ).telling(*told)
            case Stage.HOLDING:
                if player.given:
                    yield take_joker(e, move, player, came, -0.7)
                yield replace(
                    e.with_player(seat, replace(player, base=player.base + came)),
                    score=e.score + P_EXTRA_PICK * came,
                ).telling(*told)
            case Stage.CLAIMING:
                if move.zone is Zone.RACK:
                    yield expose(e, move, player, 0.0 if restless else P_SINGLE_EXPOSURE)
                else:
                    yield replace(
                        e.with_player(seat, replace(player, stage=Stage.HOLDING, since_s=at.at_s)),
                        score=e.score + log(0.05),
                    ).telling(racked)
            case Stage.DEAD:
                yield e
            case _ as unreachable:
                assert_never(unreachable)

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
        discarded = Told(move.number, discarding(seat, at, move), move.seen_s)
        match player.stage:
            case Stage.HOLDING:
                resting = rest.after_discard(Stage.RESTING)
                if e.turn == seat:
                    cost = P_DISCARD + (lift if n > 1 else 0.0) + (P_LOST if player.given else 0.0)
                    cost += haste(at.at_s - player.since_s)
                    after = pass_turn(e, seat, at.at_s, cost)
                    yield after.with_player(seat, resting).telling(discarded)
                    if n <= MOST_JOKERS and any(p.shown for p in e.players):
                        given = replace(
                            player,
                            given=player.given + n,
                            given_at=player.given_at or at,
                            given_uids=player.given_uids | uids,
                            since_s=at.at_s,
                        )
                        cost = P_EXCHANGE + (n - 1) * P_MORE_JOKERS
                        yield replace(e.with_player(seat, given), score=e.score + cost)
                else:
                    # a claim took the turn: what left before it is the discard it is for, what left after it went back
                    resting_now = e.with_player(seat, resting)
                    before = at.earliest_s < e.turn_since_s and player.since_s < e.turn_since_s - TOGETHER_S
                    if before:
                        yield replace(resting_now, score=e.score + P_DISCARD).telling(discarded)
                    if at.latest_s > e.turn_since_s:
                        back = Returned(at=at.at_s, earliest=at.earliest_s, latest=at.latest_s, seat=seat_of(seat))
                        cost = P_DISCARD_FIRST if before else P_DISCARD
                        cost += returning(e.turn_since_s - player.since_s)
                        yield replace(resting_now, score=e.score + cost).telling(Told(move.number, back, move.seen_s))
                        if not before:
                            yield replace(resting_now, score=e.score + P_DISCARD_FIRST).telling(discarded)
            case Stage.RESTING:
                for turn, through in paths_to(e, seat, at.at_s, self.through):
                    owing = replace(rest.after_discard(Stage.OWING), since_s=at.at_s)
                    cost = through + P_DISCARD_FIRST + (lift if n > 1 else 0.0)
                    after = pass_turn(replace(e, turn=turn), seat, at.at_s, cost)
                    yield after.with_player(seat, owing).telling(discarded)
                if n == 1 and move.zone is Zone.RACK:
                    yield from lend(e, move, player, -1)
            case Stage.CLAIMING if player.gained >= SHORT_EXPOSURE:
                # it discards, though no more than these were seen to come
                shown = exposed_unseen(e, seat, move.number, at.earliest_s, move.seen_s)
                after = pass_turn(shown, seat, at.at_s, P_SHORT_EXPOSURE)
                yield after.with_player(seat, replace(rest.after_discard(Stage.RESTING), shown=True)).telling(discarded)
            case Stage.OWING | Stage.CLAIMING | Stage.DEAD:
                pass
            case _ as unreachable:
                assert_never(unreachable)

    def _onto_ledge(self, e: Explanation, move: Move, player: Player) -> Iterator[Explanation]:
        """Tiles came onto a ledge that is seen apart from its slope: a claim grows, or a natural is laid down."""
        seat, n = move.seat, move.tiles
        if move.uid in player.away_uids and move.from_ledge_of == seat:
            yield put_back(e, move, player, 1)
            return
        # who is next may claim too; what came from nobody's rack is rather a pick that rests there
        claims = player.stage is Stage.RESTING and (e.turn != seat or move.own or move.from_slope_of >= 0)
        if player.stage is Stage.CLAIMING or claims or player.gained:
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
                if gained >= 3 and claimed and grown.stage is Stage.CLAIMING:
                    yield expose(after, move, grown, 0.0)
                else:
                    yield after
        if n == 1:
            yield from lend(e, move, player, 1)
        if player.away and not player.gained:
            back = min(n, player.away)
            yield replace(put_back(e, move, player, back), score=e.score + log(0.01) + P_LOST * (n - back))
        yield replace(e, score=e.score + P_LOST)

    def _off_ledge(self, e: Explanation, move: Move, player: Player) -> Iterator[Explanation]:
        n = -move.tiles
        if n == 1:
            yield from lend(e, move, player, -1)
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
        yield replace(e, score=e.score + fits_same(move, 0.0))
        if move.noise_g <= 0 or move.raised < 1 or not move.landings or player.away:
            return
        different = fits_other(move, 0.0)
        giver = giver_to(e, seat)
        if giver >= 0 and player.shown:
            answered = replace(e.players[giver], answered=e.players[giver].answered + 1)
            meant = TOUCH_MEANT_LEDGE if move.zone is Zone.LEDGE else TOUCH_MEANT
            yield replace(e.with_player(giver, answered), score=e.score + different + meant)
        if player.stage is Stage.HOLDING and e.turn == seat and move.zone is not Zone.LEDGE:
            # a second pick racked and a discard in one touch: off turn it has a tile more from now on
            end_s = max(move.moment.at_s, move.until_s - TOUCH_ENDS_S)
            left = replace(move.moment, at_s=end_s, latest_s=max(move.moment.latest_s, move.until_s))
            told = Told(move.number, discarding(seat, left, move), move.seen_s)
            after = pass_turn(
                e, seat, move.moment.at_s, P_EXTRA_PICK + different + haste(move.until_s - player.since_s)
            )
            resting = replace(player.after_discard(Stage.RESTING), base=player.base + 1)
            yield after.with_player(seat, resting).telling(told)
        if player.stage is Stage.RESTING and move.zone is not Zone.LEDGE:
            at = move.landings[0]
            lifted = replace(move.moment, at_s=at.at_s + 0.5, latest_s=max(at.latest_s, move.until_s))
            for turn, through in paths_to(e, seat, at.at_s, self.through):
                both = (
                    Told(move.number, racking(seat, at, move), move.seen_s),
                    Told(move.number, discarding(seat, lifted, move), move.seen_s),
                )
                cost = through + different + log(0.05) + haste(move.until_s - at.at_s)
                yield pass_turn(replace(e, turn=turn), seat, at.at_s, cost).telling(*both)

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
        if player.stage in {Stage.HOLDING, Stage.CLAIMING}:
            claimed = player.stage is Stage.CLAIMING
            # a claimer who throws has exposed, though the tags of it are not all heard yet
            by_s = landed.moment.earliest_s
            began = exposed_unseen(e, seat, landed.number, by_s, landed.seen_s) if claimed and player.gained else e
            after = pass_turn(began, seat, landed.moment.at_s, P_EARLY if claimed else 0.0)
            yield after.with_player(seat, away.after_discard(Stage.RESTING)).telling(told)
        elif player.stage is Stage.RESTING:
            for turn, through in paths_to(e, seat, landed.moment.at_s, self.through):
                after = pass_turn(replace(e, turn=turn), seat, landed.moment.at_s, through + P_DISCARD_FIRST)
                yield after.with_player(seat, away.after_discard(Stage.OWING)).telling(told)
