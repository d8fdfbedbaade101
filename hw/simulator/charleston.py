"""The Charleston: right, across, left; perhaps left, across, right; perhaps a courtesy (procedure, row 3).

Owns how tiles are passed: set aside first or not, blind or seen, received tiles racked before the own three have left
or after, short pauses between passes, seats that begin while others still rack. Script stage two.
"""

from msgspec import Struct

from firmware_bridge.messages import Place
from hw.simulator.fidgets import fidget, to_slope
from hw.simulator.options import Noise, RuleFault
from hw.simulator.physical import SEATS, Spot, Surface, right_of
from hw.simulator.stage import Stage
from hw.simulator.truth import TruthEvent, TruthFault

_RIGHT, _ACROSS, _LEFT = 1, 2, 3


class _Plan(Struct):
    """What one seat does in one pass."""

    giver: Place
    receiver: Place
    own: int
    blind: int = 0
    racks_first: bool = False


def charleston(stage: Stage, east: Place, fault: RuleFault | None, from_s: float, *, stops_at_wrong: bool) -> float:
    """Play the whole Charleston from `from_s`; returns when it is over.

    `stops_at_wrong`: the table notices a wrong number of tiles before the next pass and stops.
    """
    people = stage.people
    ready_s = dict.fromkeys(SEATS, from_s)
    first = [_RIGHT, _ACROSS, _LEFT]
    second = [_LEFT, _ACROSS, _RIGHT] if people.chance(0.7) else []
    wrong_at = int(stage.rng.integers(0, 3)) if fault in (RuleFault.OVERPASS, RuleFault.UNDERPASS) else -1
    for k, steps in enumerate(first + second):
        plans = {seat: _Plan(right_of(seat, -steps), right_of(seat, steps), 3) for seat in SEATS}
        if k == 2 or (k == 5 and second):
            _plan_blind(stage, plans)
        culprit = None
        if k == wrong_at:
            culprit = SEATS[int(stage.rng.integers(0, 4))]
            # The wrong number is of seen tiles, so it is no question of what was forwarded.
            plans[culprit].blind = 0
            plans[culprit].own = 4 if fault is RuleFault.OVERPASS else 2
        for seat in SEATS:
            plans[seat].racks_first = plans[seat].blind == 0 and people.chance(
                people.manners[seat].racks_received_first
            )
        end_s = _pass(stage, plans, ready_s)
        if culprit is not None:
            _log_redeal(stage, plans, culprit, end_s)
            if stops_at_wrong:
                return end_s + people.between(6.0, 20.0)
        overlap = stage.options.noise in (Noise.HARSH, Noise.BRUTAL) and people.chance(0.25)
        _rest(stage, ready_s, end_s, settle=culprit is not None, overlap=overlap)
        if fault is RuleFault.NORTH_TAKES_TILE and k == len(first + second) - 1:
            ready_s[right_of(east, 3)] = _take_missing(stage, right_of(east, 3), ready_s)
    if people.chance(0.6):
        end_s = _courtesy(stage, ready_s)
        _rest(stage, ready_s, end_s, settle=False, overlap=False)
    over_s = max(ready_s.values())
    for seat in SEATS:
        fidget(stage, seat, over_s - people.between(0.0, 0.2))
    stage.referee.log(TruthEvent(at=over_s, kind="charleston_over", seat=east))
    return over_s


def _plan_blind(stage: Stage, plans: dict[Place, _Plan]) -> None:
    """Up to two seats pass on one to three of the tiles they are just being given, unseen."""
    for seat in stage.rng.permutation(4)[: int(stage.rng.integers(0, 3))]:
        plan = plans[SEATS[int(seat)]]
        plan.blind = int(stage.rng.integers(1, 4))
        plan.own = 3 - plan.blind


def _pass(stage: Stage, plans: dict[Place, _Plan], ready_s: dict[Place, float]) -> float:
    """One pass of all seats that have a plan; returns when the last tile is racked."""
    people = stage.people
    waiting = dict(plans)
    given: dict[Place, list[int]] = {}
    last_s = max(ready_s.values())
    while waiting:
        able = [s for s, p in waiting.items() if not (p.blind or p.racks_first) or p.giver in given]
        if not able:
            # Everybody waits for somebody: one of them passes three of the own unseen tiles first.
            stuck = plans[stage.some_seat(list(waiting))]
            stuck.own, stuck.blind, stuck.racks_first = stuck.own + stuck.blind, 0, False
            continue
        seat = able[0]
        plan = waiting.pop(seat)
        incoming = given.get(plan.giver, [])
        if plan.racks_first:
            start_s = max([ready_s[seat], *(stage.at_rest_s(tile) for tile in incoming)]) + people.between(0.2, 1.2)
            fidget(stage, seat, start_s)
            _rack(stage, seat, incoming, max(start_s, stage.idle_from_s[seat] + 0.05))
        given[seat] = _give(stage, seat, plan, incoming, ready_s[seat])
    for seat, plan in plans.items():
        incoming = [tile for tile in given[plan.giver] if stage.spot(tile) == Spot(Surface.TABLE, seat)]
        if incoming:
            start_s = max([stage.idle_from_s[seat], *(stage.at_rest_s(tile) for tile in incoming)])
            start_s += people.between(0.15, 1.5)
            _rack(stage, seat, incoming, start_s)
    for seat in plans:
        last_s = max(last_s, *(stage.at_rest_s(tile) for tile in stage.slope(seat)))
    return last_s


def _give(stage: Stage, seat: Place, plan: _Plan, incoming: list[int], ready_s: float) -> list[int]:
    """Choose, perhaps set aside, and push the tiles across; returns them."""
    people = stage.people
    begin_s = max(ready_s, stage.idle_from_s[seat]) + people.spell(seat, people.tempo.pass_s)
    if plan.own:
        fidget(stage, seat, begin_s, 1.5)
    begin_s = max(begin_s, stage.idle_from_s[seat] + 0.05)
    chosen = stage.some(stage.passable(seat), plan.own)
    first_s, now_s = begin_s, begin_s
    aside = people.chance(0.3)
    target = Spot(Surface.TABLE, plan.receiver)
    for tile in chosen:
        landed_s = now_s + people.spell(seat, people.tempo.reach_s * (0.8 if aside else 1.3), 0.3)
        stage.carry(seat, tile, now_s, landed_s, Spot(Surface.TABLE, seat) if aside else target)
        now_s += people.between(0.05, 0.4) if people.chance(0.7) else people.spell(seat, people.tempo.pass_s * 0.4)
    now_s = max([now_s, *(stage.at_rest_s(tile) for tile in chosen)])
    if aside:
        now_s += people.between(0.2, 1.5)
        for tile in chosen:
            stage.carry(seat, tile, now_s + 0.01, now_s + people.between(0.4, 1.0), target)
    blind = stage.some([tile for tile in incoming if stage.spot(tile).surface is Surface.TABLE], plan.blind)
    if blind:
        now_s = max([now_s, *(stage.at_rest_s(tile) for tile in blind)]) + people.between(0.2, 1.0)
        if not chosen:
            first_s = now_s
        for tile in blind:
            stage.carry(seat, tile, now_s, now_s + people.between(0.4, 1.1), target)
    n = len(chosen) + len(blind)
    stage.referee.log(TruthEvent(at=first_s, kind="passed", seat=seat, to=plan.receiver, n=n))
    return chosen + blind


def _rack(stage: Stage, seat: Place, tiles: list[int], from_s: float) -> None:
    """Lift received tiles together, look, and rack them one after the other."""
    people = stage.people
    from_s = max([from_s, *(stage.at_rest_s(tile) + 0.01 for tile in tiles)])
    landed_s = from_s + people.spell(seat, people.tempo.look_s)
    for tile in tiles:
        stage.carry(seat, tile, from_s + people.between(0.0, 0.08), landed_s + 0.1, to_slope(seat))
        landed_s += people.between(0.03, 0.5)


def _rest(stage: Stage, ready_s: dict[Place, float], end_s: float, *, settle: bool, overlap: bool) -> None:
    """When each seat may begin the next pass: together after a short pause, or each as soon as it is done itself."""
    people = stage.people
    pause_s = max(0.3, people.tempo.boundary_s * float(stage.rng.lognormal(0.0, 0.5)))
    if settle:
        pause_s = max(pause_s, 1.5)
    for seat in SEATS:
        ready_s[seat] = stage.idle_from_s[seat] + 0.2 if overlap else end_s + pause_s
        if not overlap:
            stage.busy(seat, end_s + pause_s)


def _log_redeal(stage: Stage, plans: dict[Place, _Plan], culprit: Place, at_s: float) -> None:
    seats = (culprit, plans[culprit].receiver)
    counts = {seat.value: stage.held(seat) for seat in seats}
    stage.referee.fault(TruthFault(at=at_s, kind="redeal", seat=culprit, counts=counts, phase="charleston"))


def _take_missing(stage: Stage, north: Place, ready_s: dict[Place, float]) -> float:
    """North notices and takes the missing tile before East's first discard, which the article allows."""
    people = stage.people
    at_s = max(ready_s.values()) + people.between(0.2, 1.0)
    stage.carry(north, stage.wall.pop(), at_s, at_s + people.spell(north, people.tempo.reach_s), to_slope(north))
    return stage.idle_from_s[north] + 0.3


def _courtesy(stage: Stage, ready_s: dict[Place, float]) -> float:
    """Opposite seats exchange nought to three tiles; the lower number wins."""
    last_s = max(ready_s.values())
    for seat in SEATS[:2]:
        other = right_of(seat, _ACROSS)
        n = int(stage.rng.integers(0, 4))
        if n:
            plans = {seat: _Plan(other, other, n), other: _Plan(seat, seat, n)}
            last_s = max(last_s, _pass(stage, plans, ready_s))
    return last_s
