"""What a hand that was declared dead still does: it sorts its tiles, its jokers are exchanged, and it may act unasked.

Owns the readings of a dead hand's moves. `grammar` asks **dead hands** -> readings. A dead hand has no turn, so nothing
it does moves the turn on.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from hw.observations import Zone
from monitor.inference.belief import NOBODY, Explanation, Player, Told
from monitor.inference.moves import Move
from monitor.inference.odds import P_DEAD_RACKS
from monitor.inference.steps import lend, put_back, racking


def moved_by_a_dead_hand(e: Explanation, move: Move, player: Player) -> Iterator[Explanation]:
    """Its own tiles are sorted, a natural was laid on its exposures, or a new tile was racked."""
    n = move.tiles
    if n == 0 or move.zone is Zone.LEDGE:
        yield e
        return
    exchanges = list(lend(e, move, player, n)) if abs(n) == 1 and move.zone is Zone.RACK else []
    yield from exchanges
    if n < 0:
        uids = NOBODY if move.uid is None else frozenset({move.uid})
        lifted = replace(player, away=player.away - n, away_uids=player.away_uids | uids, since_s=move.moment.at_s)
        yield e.with_player(move.seat, lifted)
    elif player.away and (move.uid is None or move.uid in player.away_uids):
        yield put_back(e, move, player, min(n, player.away))
    elif n > 1 or move.own or move.uid in player.silent:
        yield e
    else:
        racked = Told(move.number, racking(move.seat, move.moment, move), move.seen_s)
        yield replace(e, score=e.score + (P_DEAD_RACKS if exchanges else 0.0)).telling(racked)
