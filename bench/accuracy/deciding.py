"""What a single sensor decides of clear changes, how long after them, and how soon it could have (`wald`).

Owns the choice of clear changes: a tile that lay still for some seconds before and after, on a rack where nothing else
changed just then. The sensor models run here alone, without a tracker.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from statistics import fmean, median

import numpy as np
from msgspec import Struct

from bench.accuracy.wald import Hearing, information, least_delay_s, least_readings
from firmware_bridge.messages import TICKS_MODULUS, Antenna, Input, Place
from firmware_bridge.nodes import TableNodes
from firmware_bridge.routing import Router
from firmware_bridge.session import Delivery
from hw.observations import CountSettled, Observation, Step, TileMoved, Zone
from hw.sensors import TableSensors
from hw.simulator.evening import Evening
from hw.simulator.physical import Move, Spot, Surface
from hw.simulator.reception import received_of

REST_S = 4.0
"""A tile that lies at least so long before and after is a clear case."""
_SETTLING_S = 1.0
_LATEST_S = 10.0


class Decisions(Struct, frozen=True):
    """One kind of decision of one evening. `least_s`: the bound; None where it has none.

    `missed`: changes that were never told. `false`: told without a change.
    """

    kind: str
    delay_s: tuple[float, ...]
    missed: int
    false: int
    least_s: float | None


class _Known(Struct, frozen=True):
    """What is known of a cell from `seen_s` on."""

    seen_s: float
    count: int | None


def decisions(evening: Evening) -> tuple[Decisions, ...]:
    """The decisions of an evening's tags and scales, with their delays and bounds."""
    observed = _observed(evening)
    clear = _clear_moves(evening.happening.moves)
    found: list[Decisions] = []
    if any(life.plan.antennas for life in evening.lives):
        found += _of_tags(evening, observed, clear)
    if any(life.plan.cells for life in evening.lives):
        found += _of_scales(evening, observed, clear)
    return tuple(found)


def _observed(evening: Evening) -> list[Observation]:
    """What the sensor models alone say, without a tracker."""
    setup = evening.furniture.setup
    nodes, sensors, router = TableNodes(), TableSensors(setup), Router(frozenset({setup.table}))
    observed: list[Observation] = []
    for one in received_of(evening):
        for arrival in router.route(one):
            if arrival.place is None or isinstance(arrival.message, Input):
                continue
            for item in nodes.feed(arrival):
                if isinstance(item, Delivery):
                    observed += sensors.feed(item)
        observed += sensors.advance(one.at_s)
    return observed


def _clear_moves(moves: Sequence[Move]) -> list[Move]:
    """Moves of tiles that lay still before and after."""
    by_tile: dict[int, list[Move]] = {}
    for move in moves:
        by_tile.setdefault(move.tile, []).append(move)
    clear: list[Move] = []
    for some in by_tile.values():
        row = sorted(some, key=lambda move: move.lifted_s)
        before_s = [-math.inf, *(move.landed_s for move in row)]
        after_s = [*(move.lifted_s for move in row[1:]), math.inf]
        for move, before, after in zip(row, before_s, after_s, strict=False):
            if move.lifted_s - before >= REST_S and after - move.landed_s >= REST_S:
                clear.append(move)
    return clear


def _of_tags(evening: Evening, observed: Iterable[Observation], clear: Sequence[Move]) -> list[Decisions]:
    uids = evening.furniture.tags.uids
    told: dict[str, list[TileMoved]] = {}
    for one in observed:
        if isinstance(one, TileMoved):
            told.setdefault(one.uid, []).append(one)
    read = [life.plan.place for life in evening.lives if Antenna.SLOPE in life.plan.antennas]
    came: list[float | None] = []
    left: list[float | None] = []
    for move in clear:
        moves = told.get(uids[move.tile], [])
        if move.target.surface is Surface.SLOPE and move.target.seat in read and not _on_rack(move.source):
            came.append(_first(moves, move.landed_s, _comes_to(move.target.seat)))
        if move.source.surface is Surface.SLOPE and move.source.seat in read and not _on_rack(move.target):
            left.append(_first(moves, move.lifted_s, _goes_from(move.source.seat)))
    rounds = _Rounds(evening)
    hearing = rounds.hearing
    false = _false_moves(evening, told)
    found: list[Decisions] = []
    for kind, delays, wrong, readings, nats in (
        ("tag came to a slope", came, false.came, hearing.off, information(hearing.p, hearing.q)),
        ("tag left a slope", left, false.gone, hearing.on, information(hearing.q, hearing.p)),
    ):
        least = least_readings(readings / max(1, wrong), nats)
        least_s = least_delay_s(least, rounds.every_s, rounds.way_s) if rounds.every_s else None
        found.append(_decisions(kind, delays, wrong, least_s))
    return found


def _of_scales(evening: Evening, observed: Iterable[Observation], clear: Sequence[Move]) -> list[Decisions]:
    """Single tiles that came to a cell or left it: when is its next number known?"""
    settled: dict[tuple[Place, Zone], list[_Known]] = {}
    for one in observed:
        if isinstance(one, CountSettled | Step):
            count = one.after if isinstance(one, Step) else one.count
            settled.setdefault((one.place, one.zone), []).append(_Known(one.seen_s, count))
    cells = [cell for life in evening.lives for cell in life.plan.cells]
    alone = _alone(evening.happening.moves)
    came: list[float | None] = []
    left: list[float | None] = []
    for cell in cells:
        counts = settled.get((cell.place, Zone(cell.channel.value)), [])
        for move in clear:
            for spot, at_s, by, into in ((move.target, move.landed_s, 1, came), (move.source, move.lifted_s, -1, left)):
                if spot.seat is not cell.place or not _on_rack(spot) or (move.tile, at_s) not in alone:
                    continue
                if cell.channel.value not in ("rack", spot.surface.value):
                    continue
                if cell.channel.value == "rack" and _on_rack(move.source) and _on_rack(move.target):
                    continue
                before = next((one.count for one in reversed(counts) if one.seen_s <= at_s), None)
                seen = [
                    one.seen_s
                    for one in counts
                    if at_s < one.seen_s <= at_s + _LATEST_S and before is not None and one.count == before + by
                ]
                into.append(seen[0] - at_s if seen else None)
    every_s = fmean(1.0 / cell.samples_per_s for cell in cells)
    least_s = least_delay_s(1.0, every_s, _way_s(evening))
    return [_decisions("scale, a tile came", came, 0, least_s), _decisions("scale, a tile left", left, 0, least_s)]


def _alone(moves: Sequence[Move]) -> set[tuple[int, float]]:
    """Tiles and moments of a change of a rack beside which that rack has none for some time."""
    changes = [(m.landed_s, m.target, m.tile) for m in moves if _on_rack(m.target)]
    changes += [(m.lifted_s, m.source, m.tile) for m in moves if _on_rack(m.source)]
    by_seat: dict[Place | None, list[tuple[float, int]]] = {}
    for at_s, spot, tile in sorted(changes, key=lambda change: change[0]):
        by_seat.setdefault(spot.seat, []).append((at_s, tile))
    alone: set[tuple[int, float]] = set()
    for row in by_seat.values():
        times = [-math.inf, *(at_s for at_s, _ in row), math.inf]
        for k, (at_s, tile) in enumerate(row, 1):
            if at_s - times[k - 1] >= _SETTLING_S and times[k + 1] - at_s >= REST_S / 2:
                alone.add((tile, at_s))
    return alone


class _Stay(Struct, frozen=True):
    """A tile lay there from `from_s` to `to_s`."""

    from_s: float
    to_s: float
    spot: Spot


def _stays(evening: Evening) -> list[list[_Stay]]:
    """Where each tile lay, in order of time; in between it was in a hand."""
    happening = evening.happening
    begun_s = [0.0] * len(happening.start)
    where = list(happening.start)
    stays: list[list[_Stay]] = [[] for _ in happening.start]
    for move in sorted(happening.moves, key=lambda move: move.lifted_s):
        stays[move.tile].append(_Stay(begun_s[move.tile], move.lifted_s, where[move.tile]))
        begun_s[move.tile], where[move.tile] = move.landed_s, move.target
    for tile, from_s in enumerate(begun_s):
        stays[tile].append(_Stay(from_s, math.inf, where[tile]))
    return stays


class _Rounds:
    """The complete rounds of all slope antennas: what they heard, how often they come, how long their way is."""

    def __init__(self, evening: Evening) -> None:
        self.way_s = _way_s(evening)
        heard: dict[Place, list[tuple[float, frozenset[str]]]] = {}
        for message in evening.messages:
            readings = message.readings
            for row in readings.inventory if readings is not None else ():
                if readings is not None and row.antenna is Antenna.SLOPE and row.complete:
                    at_s = message.sent_s - _age_s(readings.ticks, row.ticks)
                    heard.setdefault(message.place, []).append((at_s, frozenset(row.uids)))
        gaps = [b - a for row in heard.values() for (a, _), (b, _) in pairwise(row) if b > a]
        self.every_s = median(gaps) if gaps else 0.0
        self.hearing = _hearing(evening, heard)


def _hearing(evening: Evening, heard: dict[Place, list[tuple[float, frozenset[str]]]]) -> Hearing:
    uids, stays = evening.furniture.tags.uids, _stays(evening)
    on = on_heard = off = off_heard = 0
    for place, rounds in heard.items():
        times = np.array([at_s for at_s, _ in rounds])
        for tile, uid in enumerate(uids):
            hits = np.array([uid in present for _, present in rounds])
            for stay in stays[tile]:
                low, high = np.searchsorted(times, (stay.from_s + _SETTLING_S, stay.to_s - _SETTLING_S))
                n, k = int(high - low), int(hits[low:high].sum())
                if n <= 0 or stay.spot == Spot(Surface.LEDGE, place):
                    continue
                if stay.spot == Spot(Surface.SLOPE, place):
                    on, on_heard = on + n, on_heard + k
                else:
                    off, off_heard = off + n, off_heard + k
    return Hearing(on, on_heard, off, off_heard)


class _False(Struct, frozen=True):
    came: int
    gone: int


def _false_moves(evening: Evening, told: dict[str, list[TileMoved]]) -> _False:
    """Tiles told to have come to a slope that were not near it, and told gone from one on which they lay still."""
    came = gone = 0
    stays = _stays(evening)
    for tile, uid in enumerate(evening.furniture.tags.uids):
        lay = stays[tile]
        near = [
            _Stay(hover.from_s, hover.to_s, Spot(hover.surface, hover.rack))
            for hover in evening.happening.hovers
            if hover.tile == tile
        ]
        for before, now in pairwise([None, *told.get(uid, [])]):
            if now is None:
                continue
            low_s, high_s = now.moment.at_s - _SETTLING_S, now.seen_s + _SETTLING_S
            if now.zone is Zone.SLOPE:
                there = [
                    s for s in (*lay, *near) if s.spot.seat is now.place and s.from_s <= high_s and s.to_s >= low_s
                ]
                came += not there
            if before is not None and before.zone is Zone.SLOPE and now.place is not before.place:
                gone += any(
                    s.spot == Spot(Surface.SLOPE, before.place) and s.from_s <= low_s and s.to_s >= high_s for s in lay
                )
    return _False(came, gone)


def _way_s(evening: Evening) -> float:
    """Mean time from a reading to its being with the host: batching and the link."""
    ways: list[float] = []
    for message in evening.messages[:: max(1, len(evening.messages) // 2000)]:
        readings = message.readings
        if readings is None:
            continue
        ticks = [*(row.ticks for row in readings.weight), *(row.ticks for row in readings.inventory)]
        ways += [message.arrived_s - message.sent_s + _age_s(readings.ticks, of) for of in ticks]
    return fmean(ways) if ways else 0.0


def _age_s(ticks: int, of: int) -> float:
    return ((ticks - of) % TICKS_MODULUS) / 1e6


def _on_rack(spot: Spot) -> bool:
    return spot.surface in (Surface.SLOPE, Surface.LEDGE)


def _comes_to(place: Place | None) -> Callable[[TileMoved], bool]:
    return lambda moved: moved.place is place and moved.zone is Zone.SLOPE


def _goes_from(place: Place | None) -> Callable[[TileMoved], bool]:
    return lambda moved: moved.place is not place


def _first(moves: Iterable[TileMoved], from_s: float, fits: Callable[[TileMoved], bool]) -> float | None:
    """How long after `from_s` the first fitting move was told; None if it was not."""
    seen = [m.seen_s for m in moves if from_s - _SETTLING_S <= m.moment.at_s and m.seen_s > from_s and fits(m)]
    return seen[0] - from_s if seen and seen[0] - from_s <= _LATEST_S else None


def _decisions(kind: str, delays: Sequence[float | None], false: int, least_s: float | None) -> Decisions:
    told = tuple(round(delay, 3) for delay in delays if delay is not None)
    return Decisions(kind, told, sum(delay is None for delay in delays), false, least_s)
