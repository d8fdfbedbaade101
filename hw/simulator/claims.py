"""Exposures, joker exchanges and the shown hand: what happens on the ledges (procedure, rows 8-11).

Owns which claims are possible with the tiles a seat really holds, and the gestures of laying tiles out and swapping
jokers. Refuses to know whose turn it is.
"""

from msgspec import Struct

from firmware_bridge.messages import ButtonName, Place
from hw.simulator.fidgets import fidget, to_slope
from hw.simulator.physical import SEATS, Spot, Surface
from hw.simulator.stage import Stage
from hw.simulator.state import Discard, Exposure, Hand
from hw.simulator.tiles import JOKER
from hw.simulator.truth import TruthEvent, TruthFault

_EXCHANGE_RATE = 0.55
"""How often a possible joker exchange is made at once (our choice)."""
_WISH_RATE = 0.3
"""How often the next tile of the wall, which nobody has seen, proves to be one that can be exchanged (our choice)."""


class Claim(Struct, frozen=True):
    """Who claims, and the tiles of the own hand that go with the discard."""

    seat: Place
    own: tuple[int, ...]


class _Swap(Struct, frozen=True):
    """One natural tile for one joker of one exposure."""

    natural: int
    joker: int
    exposure: Exposure


def _ledge(seat: Place) -> Spot:
    return Spot(Surface.LEDGE, seat)


def find(stage: Stage, hand: Hand, last: Discard, barred: Place | None = None) -> Claim | None:
    """A claim of the discard that somebody alive can make with natural tiles and jokers; None where nobody can."""
    face = stage.faces[last.tile]
    if face == JOKER:
        return None
    found: list[Claim] = []
    for seat in SEATS:
        if seat in (last.seat, barred) or seat in hand.dead or seat in hand.wrong:
            continue
        slope = stage.slope(seat)
        jokers = [tile for tile in slope if stage.faces[tile] == JOKER]
        naturals = [tile for tile in slope if stage.faces[tile] == face]
        most = min(5, len(jokers) + len(naturals), len(slope) - 2)
        if most >= 2 and naturals:
            n = 2 if stage.people.chance(0.6) else int(stage.rng.integers(2, most + 1))
            # Jokers are laid first half of the time, which leaves naturals to exchange later.
            pool = jokers + naturals[1:] if stage.people.chance(0.5) else naturals[1:] + jokers
            found.append(Claim(seat, (naturals[0], *pool[: n - 1])))
        elif most >= 2 and len(jokers) >= 2 and stage.people.chance(0.3):
            found.append(Claim(seat, tuple(jokers[:2])))
    return found[int(stage.rng.integers(0, len(found)))] if found else None


def expose(stage: Stage, hand: Hand, last: Discard, claim: Claim, spoken_s: float, *, wrong: bool) -> float:
    """Lay the claimed tile and the own ones on the ledge in one of several orders; returns when the last lies.

    `wrong`: only one own tile goes with it, or seven lie there, which no exposure may be.
    """
    people, seat = stage.people, claim.seat
    own = list(claim.own)
    if wrong:
        others = [tile for tile in stage.slope(seat) if tile not in own]
        own = own[:1] if people.chance(0.6) or len(others) < 5 else own + stage.some(others, 6 - len(own))
    start_s = max(spoken_s + people.spell(seat, 0.8), stage.idle_from_s[seat] + 0.05)
    order = [last.tile, *own]
    if people.chance(0.3):
        order = [*own, last.tile]
    now_s, last_s = start_s, start_s
    for tile in order:
        now_s = max(now_s, stage.at_rest_s(tile) + 0.02)
        landed_s = now_s + people.spell(seat, people.tempo.reach_s * (1.4 if tile == last.tile else 0.9), 0.3)
        last_s = max(last_s, stage.carry(seat, tile, now_s, landed_s, _ledge(seat)))
        now_s += people.between(0.02, 0.25) if tile != last.tile and people.chance(0.5) else landed_s - now_s + 0.05
    hand.exposures.append(Exposure(seat, stage.faces[last.tile], order))
    stage.referee.log(TruthEvent(at=last_s, kind="exposed", seat=seat, tiles=tuple(str(tile) for tile in order)))
    if wrong:
        fault = TruthFault(at=last_s, kind="wrong_exposure", seat=seat, count=len(order), phase="play")
        stage.referee.fault(fault)
        hand.wrong.add(seat)
    return last_s


def worst_tile(stage: Stage, hand: Hand, seat: Place, at_s: float) -> int:
    """What a player throws: no joker, and no tile that could be exchanged, unless nothing else rests on the slope."""
    slope = [tile for tile in stage.slope(seat) if stage.at_rest_s(tile) <= at_s] or stage.slope(seat)
    wanted = {exposure.face for exposure in hand.exposures}
    good = [tile for tile in slope if stage.faces[tile] != JOKER and stage.faces[tile] not in wanted]
    fair = [tile for tile in slope if stage.faces[tile] != JOKER]
    return stage.some(good or fair or slope, 1)[0]


# -- joker exchanges ---------------------------------------------------------------------------------------------------


def drawn(stage: Stage, hand: Hand, seat: Place) -> int:
    """The next tile of the wall. A returned tile comes first; else chance favours one that an exposure wants."""
    if stage.returned:
        stage.returned = False
        return stage.wall.pop()
    wanted = {e.face for e in hand.exposures if any(stage.faces[tile] == JOKER for tile in e.tiles)}
    if seat not in hand.wrong and stage.people.chance(_WISH_RATE):
        for k in range(len(stage.wall) - 1, -1, -1):
            if stage.faces[stage.wall[k]] in wanted:
                return stage.wall.pop(k)
    return stage.wall.pop()


def _swaps(stage: Stage, hand: Hand, naturals: list[int]) -> list[_Swap]:
    """Every exchange these tiles allow, each tile and joker used once."""
    swaps: list[_Swap] = []
    taken: set[int] = set()
    for natural in naturals:
        for exposure in hand.exposures:
            jokers = [t for t in exposure.tiles if stage.faces[t] == JOKER and t not in taken]
            if exposure.face == stage.faces[natural] and jokers:
                swaps.append(_Swap(natural, jokers[0], exposure))
                taken.add(jokers[0])
                break
    return swaps


def maybe_exchange(stage: Stage, hand: Hand, seat: Place, from_s: float) -> float:
    """Exchange what can be exchanged, all together or one at a time; returns when the last tile lies."""
    people = stage.people
    swaps = _swaps(stage, hand, stage.slope(seat))
    if not swaps or not people.chance(_EXCHANGE_RATE):
        return from_s
    begin_s = max(from_s, stage.idle_from_s[seat]) + people.spell(seat, people.tempo.look_s)
    groups = [swaps] if people.chance(0.6) else [[swap] for swap in swaps]
    now_s = begin_s
    for group in groups:
        now_s = _exchange(stage, seat, group, now_s) + people.between(0.2, 1.0)
    return now_s


def swaps_directly(stage: Stage, hand: Hand, seat: Place, tile: int) -> bool:
    """Will the picked tile go to an exposure straight from the hand, without being racked?"""
    return seat not in hand.wrong and bool(_swaps(stage, hand, [tile])) and stage.people.chance(0.35)


def exchange_drawn(stage: Stage, hand: Hand, seat: Place, tile: int, pick_s: float, from_s: float) -> float:
    """Exchange the picked tile without racking it; returns when the joker is racked."""
    swap = _swaps(stage, hand, [tile])[0]
    people = stage.people
    begin_s = from_s + people.between(0.1, 0.6)
    owner = swap.exposure.seat
    laid_s = stage.carry(seat, tile, pick_s, begin_s + people.spell(seat, people.tempo.reach_s), _ledge(owner))
    event = TruthEvent(at=begin_s, kind="joker_exchanged", seat=seat, n=1, owners=(owner,))
    stage.referee.log(event)
    lift_s = max(stage.at_rest_s(swap.joker), laid_s + people.between(-0.3, 0.8))
    _note(swap)
    return stage.carry(
        seat, swap.joker, lift_s, max(lift_s, laid_s) + people.spell(seat, people.tempo.reach_s), to_slope(seat)
    )


def _exchange(stage: Stage, seat: Place, swaps: list[_Swap], from_s: float) -> float:
    """One procedure: naturals off the slope, jokers off the ledges, naturals laid, jokers racked; returns its end."""
    people = stage.people
    owners = sorted({swap.exposure.seat for swap in swaps}, key=SEATS.index)
    lift_s = max([from_s, *(stage.at_rest_s(swap.natural) + 0.02 for swap in swaps)])
    event = TruthEvent(at=lift_s, kind="joker_exchanged", seat=seat, n=len(swaps), owners=tuple(owners))
    stage.referee.log(event)
    lifts: list[float] = []
    for _ in swaps:
        lifts.append(lift_s)
        lift_s += people.between(0.05, 0.6)
    now_s = lifts[-1] + people.spell(seat, people.tempo.reach_s * 1.5)
    joker_first = people.chance(0.4)
    jokers: list[float] = []
    for swap, at_s in zip(swaps, lifts, strict=True):
        laid_s = max(now_s, at_s + 0.1)
        taken_s = laid_s + (-people.between(0.1, 0.6) if joker_first else people.between(0.05, 0.6))
        stage.carry(seat, swap.natural, at_s, laid_s, _ledge(swap.exposure.seat))
        jokers.append(max(taken_s, stage.at_rest_s(swap.joker) + 0.01))
        _note(swap)
        now_s = max(laid_s, taken_s) + people.between(0.1, 0.9)
    back_s = now_s + people.spell(seat, people.tempo.reach_s)
    for swap, at_s in zip(swaps, jokers, strict=True):
        back_s = stage.carry(seat, swap.joker, at_s, max(back_s, at_s + 0.2), to_slope(seat)) + people.between(
            0.05, 0.6
        )
    return back_s


def _note(swap: _Swap) -> None:
    tiles = swap.exposure.tiles
    tiles[tiles.index(swap.joker)] = swap.natural


# -- mah jongg ---------------------------------------------------------------------------------------------------------


def declare(stage: Stage, seat: Place, at_s: float, *, button: bool = False) -> None:
    """Mah jongg is declared; nearly always with the button."""
    if button or stage.people.chance(0.9):
        stage.press(seat, ButtonName.MAH_JONGG, at_s)
    stage.referee.log(TruthEvent(at=at_s, kind="declared", seat=seat))


def take_for_mah_jongg(stage: Stage, seat: Place, last: Discard, declared_s: float) -> float:
    """The winner takes the discard onto the ledge."""
    people = stage.people
    start_s = max(declared_s, stage.at_rest_s(last.tile), stage.idle_from_s[seat]) + people.between(0.3, 1.2)
    return stage.carry(seat, last.tile, start_s, start_s + people.spell(seat, people.tempo.reach_s * 1.4), _ledge(seat))


def show_hand(stage: Stage, seat: Place, from_s: float) -> float:
    """Lay the whole hand on top of the rack, a few tiles at a time; returns when it is shown."""
    people = stage.people
    now_s = max(from_s, stage.idle_from_s[seat]) + people.between(0.3, 1.5)
    last_s = now_s
    rest = stage.slope(seat)
    while rest:
        n = min(len(rest), int(stage.rng.integers(1, 5)))
        group, rest = rest[:n], rest[n:]
        now_s = max([now_s, *(stage.at_rest_s(tile) for tile in group)]) + 0.02
        for tile in group:
            lift_s = now_s + people.between(0.0, 0.15)
            last_s = max(last_s, stage.carry(seat, tile, lift_s, lift_s + people.between(0.25, 0.8), _ledge(seat)))
        now_s = last_s + people.between(0.05, 0.5)
    for other in SEATS:
        if other != seat:
            fidget(stage, other, last_s, 0.5)
    return last_s
