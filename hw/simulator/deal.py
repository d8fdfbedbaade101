"""The deal: blocks of four, East's two and the others' one, setting the tiles up, sorting (procedure, row 2).

Knows which seats are dealt a wrong number and logs it. Script stage one: **deal** -> charleston -> play -> ending.
"""

from firmware_bridge.messages import Place
from hw.simulator.fidgets import fidget, lean, sort_hand, to_slope
from hw.simulator.options import RuleFault
from hw.simulator.physical import SEATS, Spot, Surface, right_of
from hw.simulator.stage import Stage
from hw.simulator.truth import TruthEvent, TruthFault


def deal(stage: Stage, east: Place, fault: RuleFault | None, from_s: float) -> float:
    """Deal a hand beginning at `from_s` from the end of `stage.wall`; returns when all four are ready."""
    people = stage.people
    order = [right_of(east, k) for k in range(4)]
    numbers = _numbers(stage, order, fault)
    stage.referee.log(TruthEvent(at=from_s, kind="hand_started", seat=east))
    piling = {seat: people.chance(people.manners[seat].piles_the_deal) for seat in SEATS}
    now_s, last_s = from_s, from_s
    for block in (*[4] * 3, None):
        for seat in order:
            n = block if block is not None else numbers[seat] - 12
            if n > 0:
                last_s = max(last_s, _take(stage, seat, n, max(now_s, stage.idle_from_s[seat]), piling[seat]))
            now_s += people.between(0.5, 1.4) * (people.tempo.reach_s / 0.55)
    for seat in order:
        if piling[seat]:
            last_s = max(last_s, _set_up(stage, seat, stage.idle_from_s[seat] + people.between(0.2, 1.5)))
    _log_fault(stage, order, numbers, last_s)
    for seat in SEATS:
        sort_for_s = people.spell(seat, people.tempo.sort_s * 4.0, 0.5)
        begin_s = stage.idle_from_s[seat] + people.between(0.1, 1.0)
        sort_hand(stage, seat, begin_s, begin_s + sort_for_s)
        if people.chance(people.manners[seat].leans):
            lean(stage, seat, begin_s, begin_s + people.spell(seat, 2.0))
    ready_s = max(last_s, *stage.idle_from_s.values()) + people.between(0.3, 2.5)
    for seat in SEATS:
        fidget(stage, seat, ready_s - people.between(0.0, 0.2), 0.7)
    stage.referee.log(TruthEvent(at=ready_s, kind="dealt", seat=east))
    return ready_s


def _numbers(stage: Stage, order: list[Place], fault: RuleFault | None) -> dict[Place, int]:
    """How many tiles each seat ends the deal with."""
    numbers = dict.fromkeys(order, 13)
    numbers[order[0]] = 14
    north = order[3]
    match fault:
        case RuleFault.NORTH_SHORT | RuleFault.NORTH_TAKES_TILE:
            numbers[north] = 12
        case RuleFault.OTHER_SHORT:
            numbers[order[int(stage.rng.integers(0, 3))]] -= 1
        case RuleFault.TWO_WRONG_AT_DEAL:
            first, second = stage.rng.permutation(4)[:2]
            numbers[order[int(first)]] -= 1
            numbers[order[int(second)]] += -1 if stage.people.chance(0.5) else 1
        case _:
            pass
    return numbers


def _log_fault(stage: Stage, order: list[Place], numbers: dict[Place, int], at_s: float) -> None:
    wrong = {seat: n for seat, n in numbers.items() if n != (14 if seat == order[0] else 13)}
    if len(wrong) == 1:
        seat, n = next(iter(wrong.items()))
        expected = 14 if seat == order[0] else 13
        fault = TruthFault(at=at_s, kind="missing_tile", seat=seat, count=n, expected=expected, phase="deal")
        stage.referee.fault(fault)
    elif wrong:
        counts = {seat.value: n for seat, n in wrong.items()}
        stage.referee.fault(TruthFault(at=at_s, kind="redeal", seat=min(wrong), counts=counts, phase="deal"))


def _take(stage: Stage, seat: Place, n: int, from_s: float, piling: bool) -> float:
    """Take a block off the wall, onto the rack or onto a pile before it; returns when the last tile lies."""
    people = stage.people
    last_s = from_s
    landed_s = from_s + people.spell(seat, people.tempo.reach_s * 1.6)
    for tile in [stage.wall.pop() for _ in range(n)]:
        target = Spot(Surface.TABLE, seat) if piling else to_slope(seat)
        last_s = stage.carry(seat, tile, from_s + people.between(0.0, 0.05), landed_s, target)
        landed_s += people.between(0.0, 0.08) if piling else people.between(0.02, 0.45)
    return last_s


def _set_up(stage: Stage, seat: Place, from_s: float) -> float:
    """Rack a piled deal, two to four tiles at a time."""
    people = stage.people
    now_s, last_s = from_s, from_s
    pile = stage.on(Surface.TABLE, seat)
    while pile:
        n = min(len(pile), int(stage.rng.integers(2, 5)))
        group, pile = pile[:n], pile[n:]
        now_s = max(now_s, *(stage.at_rest_s(tile) for tile in group)) + 0.02
        landed_s = now_s + people.spell(seat, people.tempo.reach_s)
        for tile in group:
            last_s = stage.carry(seat, tile, now_s, landed_s, to_slope(seat))
            landed_s += people.between(0.0, 0.25)
        now_s = last_s + people.between(0.1, 0.6)
    return last_s
