"""The single steps of the grammar: what an explanation becomes when a tile is put back, lent, exposed, discarded.

Owns how stages, turn and story change. Knows no alternatives: which steps are open is the grammar's business.
"""

from collections.abc import Iterator
from math import log

from msgspec.structs import replace

from hw.observations import Moment, Zone
from monitor.events import Called, Discarded, Exposed, JokerExchanged, Racked, Returned, Via
from monitor.inference.belief import NOBODY, Explanation, Player, Stage, Story, Told, next_alive, seat_of
from monitor.inference.moves import Landed, Move
from monitor.inference.odds import (
    CARRIED_MOST_S,
    CARRIED_S,
    EXCHANGE_MOST_S,
    LANDING_MOST_S,
    LANDS_LATE_S,
    LEAST_TURN_S,
    LEAVING_S,
    P_EARLY,
    P_LENT,
    P_LENT_DIRECTLY,
    P_LOST,
    P_UNKNOWN_TURN,
    TAKEN_BACK_S,
    THROUGH_S,
    TILE_SD_G,
    log_weight,
)


def put_back(e: Explanation, move: Move, player: Player, n: int) -> Explanation:
    uids = player.away_uids - {move.uid} if move.uid is not None else player.away_uids
    away = player.away - n
    residue = player.away_residue_g + move.residue_g
    score = fits_same(move, player.away_residue_g) if away == 0 and move.noise_g > 0 else 0.0
    back = replace(
        player,
        away=away,
        away_uids=uids if away else NOBODY,
        away_residue_g=residue if away else 0.0,
        since_s=move.moment.at_s,
    )
    return replace(e.with_player(move.seat, back), score=e.score + score)


def is_joker(move: Move) -> bool:
    """Whether a tile that came to a slope is known for a joker: nothing else is taken from an exposure."""
    return move.from_ledge_of >= 0 and move.zone is Zone.SLOPE and (move.exposed or move.from_ledge_of != move.seat)


def lend(e: Explanation, move: Move, player: Player, sign: int) -> Iterator[Explanation]:
    """One more or one fewer on a rack in the middle of somebody's joker exchange; on the own one it shows on the ledge.

    A pick may go there straight from the hand, which only a ledge tells.
    """
    seat, active, ledge = move.seat, e.turn, move.zone is Zone.LEDGE
    if active < 0 or not player.shown or (active == seat and not ledge):
        return
    holder = e.players[active]
    laid = sign > 0 or (player.lent > 0 and _is_recent(player.laid_at, move))
    if holder.stage is not Stage.HOLDING and not (ledge and laid and holder.stage is Stage.RESTING):
        return  # a ledge's tile that falls silent in nobody's exchange is no joker
    lent = player.lent + sign
    if lent == 0:
        cost = 0.0
    elif abs(lent) > 2:
        return
    else:
        cost = log(0.6) if holder.given else P_LENT
    if ledge and lent:
        cost = max(cost, log(0.3) if holder.stage is Stage.HOLDING else P_LENT_DIRECTLY)
    laid_at = move.moment if sign > 0 else player.laid_at
    borrowed = e.with_player(seat, replace(player, lent=lent, laid_at=laid_at, since_s=move.moment.at_s))
    if lent == 0:
        holder = borrowed.players[active]
        borrowed = borrowed.with_player(active, replace(holder, answered=holder.answered + 1))
    yield replace(borrowed, score=e.score + cost)


def _is_recent(laid: Moment | None, move: Move) -> bool:
    return laid is not None and move.moment.at_s - laid.at_s < EXCHANGE_MOST_S


def began(e: Explanation, move: Move, player: Player) -> Moment:
    """When the exchange began whose joker `move` is: as the natural left the slope, or was carried to the ledge."""
    if player.given_at is not None:
        return player.given_at
    owners = [move.from_ledge_of] if move.from_ledge_of >= 0 else range(4)
    laid = [at for k in owners if (at := e.players[k].laid_at) and _is_recent(at, move)]
    if not laid:
        return replace(move.moment, earliest_s=move.moment.earliest_s - EXCHANGE_MOST_S)
    newest = max(laid, key=lambda at: at.at_s)
    return Moment(newest.at_s - CARRIED_S, newest.earliest_s - CARRIED_MOST_S, newest.latest_s)


_AFTER_JOKER = {Stage.RESTING: Stage.HOLDING, Stage.HOLDING: Stage.HOLDING, Stage.OWING: Stage.RESTING}
"""Where a seat stands that took a joker for its pick. An exchange may be known only after the discard."""


def take_joker(e: Explanation, move: Move, player: Player, n: int, cost: float) -> Explanation:
    """Jokers came to the slope of a seat that gave naturals for them, or that laid its pick straight from the hand."""
    given = max(0, player.given - n)
    stage = player.stage if player.given else _AFTER_JOKER[player.stage]
    if not player.answered and move.uid is None:
        cost += log(0.15)
    lent_by = [k for k, p in enumerate(e.players) if k != move.seat and p.base and p.lent]
    if move.from_ledge_of >= 0:
        lent_by = [move.from_ledge_of]
    after = replace(player, stage=stage, given=given, since_s=move.moment.at_s)
    if given:
        return replace(e.with_player(move.seat, after), score=e.score + cost)
    after = replace(after, answered=0, given_at=None, given_uids=NOBODY, taken_s=move.moment.at_s)
    changed = replace(e.with_player(move.seat, after), score=e.score + cost)
    owner = changed.players[move.from_ledge_of] if move.from_ledge_of >= 0 else None
    if owner is not None and owner.lent > 0:  # its joker is known to be gone by now
        changed = changed.with_player(move.from_ledge_of, replace(owner, lent=0))
    start = began(e, move, player)
    if start.at_s < player.taken_s:
        return changed  # naturals that left before the joker of another came belong to one procedure
    told = Told(
        move.number,
        JokerExchanged(
            at=start.at_s,
            earliest=start.earliest_s,
            latest=start.latest_s,
            seat=seat_of(move.seat),
            n=max(1, player.given, len(player.given_uids)),
            owners=tuple(seat_of(k) for k in lent_by) or None,
        ),
        move.seen_s,
    )
    return changed.telling(told)


def expose(e: Explanation, move: Move, player: Player, cost: float) -> Explanation:
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
    return replace(e.with_player(seat, holding), turn=seat, turn_since_s=at.at_s, score=e.score + cost).telling(*told)


def exposed_unseen(e: Explanation, seat: int, number: int, by_s: float, seen_s: float) -> Explanation:
    """The exposure of a claim that was over before the claimer's own discard, some time since it began."""
    player = e.players[seat]
    some_time = Moment(player.since_s, player.since_s, max(player.since_s, by_s))
    return expose(e, Move(number, seat, Zone.LEDGE, 1, some_time, seen_s), player, 0.0)


def pass_turn(e: Explanation, seat: int, at_s: float, cost: float) -> Explanation:
    """`seat` has discarded."""
    player = e.players[seat]
    passed = e.with_player(seat, replace(player.after_discard(player.stage), since_s=at_s))
    return replace(passed, overtaken=-1, turn=next_alive(e.players, seat), turn_since_s=at_s, score=e.score + cost)


def paths_to(e: Explanation, seat: int, at_s: float, through: float) -> Iterator[tuple[int, float]]:
    """The turn comes to `seat` directly, or over turns that nobody saw; yields `(seat, cost)`."""
    if e.turn < 0:
        yield seat, P_UNKNOWN_TURN
        return
    cost, turn = 0.0, e.turn
    for unseen in range(4):
        if turn == seat:
            if unseen:
                cost -= 3.0 * max(0.0, unseen * THROUGH_S + LEAST_TURN_S - (at_s - e.turn_since_s))
            yield seat, cost
            return
        player = e.players[turn]
        # a seat that holds has yet to discard, and the sensor that will say so is slower
        cost += P_EARLY if player.stage in {Stage.HOLDING, Stage.CLAIMING} else through
        turn = next_alive(e.players, turn)
    yield seat, cost + P_LOST


def seats_from(e: Explanation, through: float) -> Iterator[tuple[int, float]]:
    """Seats that may have thrown a pick on, the likeliest first."""
    cost, turn = 0.0, e.turn
    for _ in range(3):
        yield turn, cost
        cost += P_EARLY if e.players[turn].stage is Stage.HOLDING else through
        turn = next_alive(e.players, turn)


def fits_same(move: Move, before_g: float) -> float:
    if move.noise_g <= 0:
        return 0.0
    return log_weight(move.residue_g + before_g, 0.04 + 1.5 * move.noise_g)


def fits_other(move: Move, before_g: float) -> float:
    if move.noise_g <= 0:
        return 0.0
    return log_weight(move.residue_g + before_g, TILE_SD_G + move.noise_g)


def racking(seat: int, at: Moment, move: Move) -> Racked:
    return Racked(at=at.at_s, earliest=at.earliest_s, latest=at.latest_s, seat=seat_of(seat), uid=move.uid)


def discarding(seat: int, at: Moment, move: Move) -> Discarded:
    return Discarded(
        at=at.at_s + LEAVING_S,
        earliest=at.earliest_s,
        latest=at.latest_s + LANDING_MOST_S,
        seat=seat_of(seat),
        uid=move.uid,
    )


def was_discarded(e: Explanation, move: Move) -> bool:
    """Whether the tile that comes from another's slope is what that seat discarded last, as this explanation has it."""
    if move.from_slope_of < 0:
        return False
    events = (told.event for told in e.recent(move.seen_s, TAKEN_BACK_S))
    giver = seat_of(move.from_slope_of)
    last = next((event for event in events if isinstance(event, Discarded) and event.seat is giver), None)
    return last is not None and last.uid in {None, move.uid}


def has_returned(e: Explanation, landed: Landed) -> bool:
    """Whether the seat of the tile that landed took it back to the wall, as this explanation has it: then another threw
    it on."""
    events = (told.event for told in e.recent(landed.seen_s, TAKEN_BACK_S))
    return isinstance(next((event for event in events if event.seat is seat_of(landed.from_seat)), None), Returned)


def dated_by_landing(e: Explanation, landed: Landed) -> Explanation:
    """A discard's tile was seen to land, later than one that leaves the rack for good flies: it was in the hand until
    then, or its tag was not heard when it was back for a while."""
    passed: list[Told] = []
    node = e.story
    while node is not None and landed.seen_s - node.told.seen_s < LANDS_LATE_S:
        event = node.told.event
        if isinstance(event, Discarded) and event.uid == landed.uid:
            if landed.moment.earliest_s <= event.high:
                return e
            moment = landed.moment
            dated = replace(event, at=moment.at_s, earliest=moment.earliest_s - LANDING_MOST_S, latest=moment.latest_s)
            story = Story(replace(node.told, event=dated), node.before)
            for told in reversed(passed):
                story = Story(told, story)
            return replace(e, story=story)
        passed.append(node.told)
        node = node.before
    return e


def giver_to(e: Explanation, owner: int) -> int:
    """The seat that has given a natural in its turn and waits for a joker, -1 if none."""
    return next((k for k, p in enumerate(e.players) if p.given and p.stage is Stage.HOLDING and k != owner), -1)


def claim_given_up(e: Explanation, seat: int, now_s: float) -> Explanation:
    """A claim that came to nothing: the seat is as before, and whose turn it was has it again."""
    rest = replace(e.players[seat].after_discard(Stage.RESTING), since_s=now_s)
    turn = e.overtaken if e.turn == seat and e.overtaken >= 0 else e.turn
    return replace(e.with_player(seat, rest), turn=turn)


def given_up(e: Explanation, seat: int, now_s: float) -> Explanation:
    """Lifted tiles that did not come back: in the seat's own turn one of them was its discard, the rest is lost.

    Off turn nobody keeps a tile in hand for so long: a tag that is heard nowhere lies where it lay, and is silent. So
    does one that left before the turn came.
    """
    player = e.players[seat]
    if player.stage is not Stage.HOLDING or player.since_s <= e.turn_since_s:
        lost = replace(
            player,
            base=player.base - player.away + len(player.away_uids),
            away=0,
            away_uids=NOBODY,
            away_residue_g=0.0,
            silent=player.silent | player.away_uids,
        )
        return e.with_player(seat, lost)
    rest = replace(
        player.after_discard(Stage.RESTING),
        base=player.base - player.away + 1,
        away=0,
        away_uids=NOBODY,
        away_residue_g=0.0,
    )
    gone = e.with_player(seat, rest)
    told = Told(
        int(player.since_s * 1000),
        Discarded(at=player.since_s, earliest=player.since_s - 1.0, latest=player.since_s + 2.0, seat=seat_of(seat)),
        now_s,
    )
    return replace(gone, turn=next_alive(e.players, seat) if e.turn == seat else e.turn).telling(told)
