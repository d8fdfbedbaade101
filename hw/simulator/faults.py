"""What breaks: cells, tags, antennas, nodes and links. Each fault put in is told to the truth as a `SensorTrouble`.

Owns damage. It comes in three places: to a cell's samples, to a node's rows, to the messages on their way. Refuses to
know the game. sensors -> **faults** -> node -> **faults** -> wire.
"""

import numpy as np
from msgspec.structs import replace
from numpy.random import Generator

from firmware_bridge.messages import InventoryRound, Place, TagRead
from hw.simulator.antenna import Tags
from hw.simulator.load_cell import FULL_SCALE, Samples
from hw.simulator.node import Boot, Timed
from hw.simulator.noise import NoiseProfile
from hw.simulator.options import SensorFault
from hw.simulator.sensors import NodePlan, Weighed
from hw.simulator.truth import SensorTrouble

_INVALID_CODES = (FULL_SCALE - 1, -FULL_SCALE, -1, 0, (1 << 22) - 1, (1 << 20) - 1)
"""Codes that are no weight: 0x7FFFFF, 0x800000, all ones, 0, 2^n-1 (research: load cells)."""


class Plan:
    """Where and when each chosen fault strikes; the same for all readers of the plan."""

    def __init__(
        self, faults: tuple[SensorFault, ...], nodes: tuple[NodePlan, ...], end_s: float, rng: Generator
    ) -> None:
        self.faults = frozenset(faults)
        self.end_s = end_s
        self.rng = rng
        self.trouble: list[SensorTrouble] = []
        self._victims: dict[SensorFault, Place] = {}
        weighing = [node.place for node in nodes if node.cells]
        reading = [node.place for node in nodes if node.antennas]
        every = [node.place for node in nodes]
        racks = [node.place for node in nodes if node.buttons]
        for fault in faults:
            pool = weighing if fault in _CELL_FAULTS else reading if fault in _TAG_FAULTS else racks
            pool = pool or every
            if pool:
                self._victims[fault] = pool[int(rng.integers(0, len(pool)))]

    def strikes(self, fault: SensorFault, place: Place) -> bool:
        """Is this fault put in, and here?"""
        return fault in self.faults and self._victims.get(fault) == place

    def span(self, shortest_s: float, longest_s: float) -> tuple[float, float]:
        """A spell somewhere in the middle of the evening."""
        length_s = float(self.rng.uniform(shortest_s, longest_s))
        from_s = float(self.rng.uniform(0.15, 0.85)) * self.end_s
        return from_s, min(self.end_s, from_s + length_s)

    def tell(self, fault: SensorFault, place: Place, from_s: float, to_s: float, sensor: str = "", n: int = 0) -> None:
        """Write a fault into the truth."""
        self.trouble.append(
            SensorTrouble(
                fault=fault.value, place=place, sensor=sensor, from_s=round(from_s, 3), to_s=round(to_s, 3), n=n
            )
        )


_CELL_FAULTS = frozenset(
    {
        SensorFault.STUCK_CELL,
        SensorFault.BAD_WIRING,
        SensorFault.INVALID_CODES,
        SensorFault.BEYOND_24_BITS,
        SensorFault.SPIKES,
        SensorFault.DOUBLED,
        SensorFault.CHIP_ASLEEP,
        SensorFault.COLD_START,
        SensorFault.SMOOTHED,
        SensorFault.WARMING,
        SensorFault.NAN,
    }
)
_TAG_FAULTS = frozenset(
    {
        SensorFault.DEAD_TAG,
        SensorFault.ANTENNA_OUTAGE,
        SensorFault.FLAPPING_TAG,
        SensorFault.CUT_UID,
        SensorFault.REVERSED_UID,
        SensorFault.NEIGHBOUR_TABLE,
        SensorFault.COLLISIONS,
        SensorFault.EMPTY_REPORTS,
    }
)


# -- a cell's samples --------------------------------------------------------------------------------------------------


def glitch(weighed: Weighed, noise: NoiseProfile, rng: Generator) -> Weighed:
    """What every chip does now and then at its noise level: spikes, invalid codes, stale repeats."""
    raw = weighed.samples.raw.copy()
    n = raw.size
    for k in np.flatnonzero(rng.random(n) < noise.spike_rate):
        raw[k : k + int(rng.integers(1, 3))] += int(rng.normal(0.0, 400.0) * weighed.cell.counts_per_g)
    for k in np.flatnonzero(rng.random(n) < noise.invalid_rate):
        raw[k] = _INVALID_CODES[int(rng.integers(0, len(_INVALID_CODES)))]
    for k in np.flatnonzero(rng.random(n) < noise.stale_rate):
        raw[k : k + int(rng.integers(2, 12))] = raw[k]
    return replace(weighed, samples=Samples(weighed.samples.at_s, np.clip(raw, -FULL_SCALE, FULL_SCALE - 1)))


def spoil_cell(weighed: Weighed, boots: list[Boot], plan: Plan) -> Weighed:
    """Put the chosen cell faults into one cell's samples, and the zero step of a reboot."""
    cell, rng = weighed.cell, plan.rng
    at_s, raw = weighed.samples.at_s, weighed.samples.raw.astype(np.float64)
    gain, place, sensor = cell.counts_per_g, cell.place, cell.channel.value
    seconds = np.arange(0.0, plan.end_s + 1.0)

    def during(span: tuple[float, float]) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        return np.asarray((at_s >= span[0]) & (at_s < span[1]))

    for boot in boots[1:]:
        # The zero steps by 0.5-1 % of the reading after a power cycle, and the first samples are high.
        step = float(rng.choice([-1.0, 1.0])) * float(rng.uniform(0.005, 0.01)) * abs(cell.zero_counts)
        raw[at_s >= boot.from_s] += step
        raw[np.flatnonzero(at_s >= boot.from_s)[:5]] += 0.6 * gain
    if plan.strikes(SensorFault.STUCK_CELL, place):
        span = plan.span(15.0, 60.0)
        held = np.flatnonzero(during(span))
        if held.size:
            raw[held] = raw[held[0]]
        plan.tell(SensorFault.STUCK_CELL, place, *span, sensor)
    if plan.strikes(SensorFault.BAD_WIRING, place):
        span = plan.span(40.0, 120.0)
        walk = np.cumsum(rng.normal(0.0, 9.0, seconds.size)) + 25.0 * np.sin(seconds / float(rng.uniform(2.0, 6.0)))
        mask = during(span)
        raw[mask] += (np.interp(at_s[mask], seconds, walk) - np.interp(span[0], seconds, walk)) * gain
        plan.tell(SensorFault.BAD_WIRING, place, *span, sensor)
    if plan.strikes(SensorFault.WARMING, place):
        # Ten times the usual warm-up: several grams in ten minutes.
        raw += gain * float(rng.choice([-1.0, 1.0])) * 6.0 * (1.0 - np.exp(-at_s / 180.0))
        plan.tell(SensorFault.WARMING, place, 0.0, plan.end_s, sensor)
    if plan.strikes(SensorFault.SMOOTHED, place):
        width = 16
        padded = np.concatenate([np.full(width - 1, raw[0]), raw])
        raw = np.convolve(padded, np.full(width, 1.0 / width), mode="valid")
        plan.tell(SensorFault.SMOOTHED, place, 0.0, plan.end_s, sensor, width)
    if plan.strikes(SensorFault.COLD_START, place):
        raw[:5] += 0.6 * gain * np.array([40.0, 8.0, 3.0, 1.5, 1.0])
        plan.tell(SensorFault.COLD_START, place, 0.0, float(at_s[min(4, at_s.size - 1)]), sensor, 5)
    if plan.strikes(SensorFault.DOUBLED, place):
        hit = rng.random(raw.size) < 0.004
        raw[hit] *= 2.0
        plan.tell(SensorFault.DOUBLED, place, 0.0, plan.end_s, sensor, int(hit.sum()))
    if plan.strikes(SensorFault.SPIKES, place):
        hit = rng.random(raw.size) < 0.01
        raw[hit] += rng.normal(0.0, 300.0, int(hit.sum())) * gain
        plan.tell(SensorFault.SPIKES, place, 0.0, plan.end_s, sensor, int(hit.sum()))
    raw = np.clip(np.rint(raw), -FULL_SCALE, FULL_SCALE - 1)
    if plan.strikes(SensorFault.INVALID_CODES, place):
        hit = np.flatnonzero(rng.random(raw.size) < float(rng.uniform(0.01, 0.05)))
        raw[hit] = rng.choice(np.array(_INVALID_CODES, dtype=np.float64), hit.size)
        plan.tell(SensorFault.INVALID_CODES, place, 0.0, plan.end_s, sensor, int(hit.size))
    if plan.strikes(SensorFault.CHIP_ASLEEP, place):
        span = plan.span(5.0, 30.0)
        raw[during(span)] = -1
        plan.tell(SensorFault.CHIP_ASLEEP, place, *span, sensor)
    if plan.strikes(SensorFault.BEYOND_24_BITS, place):
        span = plan.span(20.0, 60.0)
        mask = during(span)
        raw[mask] = 2.0 * FULL_SCALE + 7.0e6 - raw[mask]
        plan.tell(SensorFault.BEYOND_24_BITS, place, *span, sensor)
    return replace(weighed, samples=Samples(at_s, raw.astype(np.int64)))


# -- a node's rows -----------------------------------------------------------------------------------------------------


def spoil_rows(rows: list[Timed], place: Place, tags: Tags, plan: Plan) -> list[Timed]:
    """Put the chosen tag and antenna faults into one node's rows."""
    rng = plan.rng
    if plan.strikes(SensorFault.ANTENNA_OUTAGE, place):
        rows = _outage(rows, place, plan)
    if plan.strikes(SensorFault.COLLISIONS, place):
        span = plan.span(20.0, 60.0)

        def collide(one: InventoryRound) -> InventoryRound:
            kept = tuple(uid for uid in one.uids if rng.random() < 0.4)
            return InventoryRound(one.ticks, one.antenna, kept, complete=False)

        rows = [
            _with_round(t, collide(t.row)) if _in(t, span) and isinstance(t.row, InventoryRound) else t for t in rows
        ]
        plan.tell(SensorFault.COLLISIONS, place, *span)
    if plan.strikes(SensorFault.FLAPPING_TAG, place):
        rows = _flapping(rows, place, plan)
    if plan.strikes(SensorFault.CUT_UID, place):
        rows = _other_ids(rows, place, plan, SensorFault.CUT_UID, 0.03)
    if plan.strikes(SensorFault.REVERSED_UID, place):
        rows = _other_ids(rows, place, plan, SensorFault.REVERSED_UID, 0.03)
    if plan.strikes(SensorFault.NEIGHBOUR_TABLE, place):
        strangers = [f"{0xE004_0100_0000_0000 + int(k):016X}" for k in rng.integers(0, 1 << 40, 6)]
        taken = set(tags.uids)
        strangers = [uid for uid in strangers if uid not in taken]

        def join(one: InventoryRound) -> InventoryRound:
            heard = tuple(uid for uid in strangers if rng.random() < 0.2)
            return InventoryRound(one.ticks, one.antenna, one.uids + heard, one.complete)

        rows = [_with_round(t, join(t.row)) if isinstance(t.row, InventoryRound) else t for t in rows]
        plan.tell(SensorFault.NEIGHBOUR_TABLE, place, 0.0, plan.end_s, n=len(strangers))
    if plan.strikes(SensorFault.EMPTY_REPORTS, place):
        span = plan.span(2.0, 6.0)

        def empty(one: InventoryRound) -> InventoryRound:
            return InventoryRound(one.ticks, one.antenna, (), complete=False)

        rows = [_with_round(t, empty(t.row)) if _in(t, span) and isinstance(t.row, InventoryRound) else t for t in rows]
        plan.tell(SensorFault.EMPTY_REPORTS, place, *span)
    return rows


def dead_tags(tags: Tags, plan: Plan) -> Tags:
    """One or two tags of the set are never heard at all."""
    if SensorFault.DEAD_TAG not in plan.faults:
        return tags
    strength = tags.strength.copy()
    victims = plan.rng.permutation(len(tags.uids))[: int(plan.rng.integers(1, 3))]
    strength[victims] = 0.0
    for tile in victims:
        plan.trouble.append(
            SensorTrouble(fault=SensorFault.DEAD_TAG.value, sensor=tags.uids[int(tile)], to_s=round(plan.end_s, 3))
        )
    return Tags(tags.uids, strength)


def _in(timed: Timed, span: tuple[float, float]) -> bool:
    return span[0] <= timed.at_s < span[1]


def _with_round(timed: Timed, one: InventoryRound) -> Timed:
    return Timed(timed.at_s, timed.out_s, one)


def _outage(rows: list[Timed], place: Place, plan: Plan) -> list[Timed]:
    """One antenna's cable is loose: its rounds are complete and hear nothing, or do not come at all."""
    antennas = sorted({t.row.antenna for t in rows if isinstance(t.row, InventoryRound | TagRead)})
    if not antennas:
        return rows
    antenna = antennas[int(plan.rng.integers(0, len(antennas)))]
    deaf = plan.rng.random() < 0.5
    span = plan.span(20.0, 60.0)
    plan.tell(SensorFault.ANTENNA_OUTAGE, place, *span, antenna.value)
    kept: list[Timed] = []
    for timed in rows:
        match timed.row:
            case InventoryRound(antenna=a, ticks=ticks) if a is antenna and _in(timed, span):
                if deaf:
                    kept.append(_with_round(timed, InventoryRound(ticks, a, (), complete=True)))
            case TagRead(antenna=a) if a is antenna and _in(timed, span):
                pass
            case _:
                kept.append(timed)
    return kept


def _flapping(rows: list[Timed], place: Place, plan: Plan) -> list[Timed]:
    """One tag is there and not there by turns."""
    heard: dict[str, int] = {}
    for timed in rows:
        if isinstance(timed.row, InventoryRound):
            for uid in timed.row.uids:
                heard[uid] = heard.get(uid, 0) + 1
    if not heard:
        return rows
    victim = max(sorted(heard), key=lambda uid: heard[uid])
    plan.tell(SensorFault.FLAPPING_TAG, place, 0.0, plan.end_s, victim)
    kept: list[Timed] = []
    seen = 0
    for timed in rows:
        row = timed.row
        if isinstance(row, InventoryRound) and victim in row.uids:
            seen += 1
            if seen % 2:
                row = InventoryRound(row.ticks, row.antenna, tuple(u for u in row.uids if u != victim), row.complete)
        kept.append(Timed(timed.at_s, timed.out_s, row))
    return kept


def _other_ids(rows: list[Timed], place: Place, plan: Plan, fault: SensorFault, share: float) -> list[Timed]:
    """Some reads give a real tag's id cut to its first bytes, or in the other byte order."""
    count = 0

    def twist(uid: str) -> str:
        if fault is SensorFault.CUT_UID:
            return "88" + uid[:6]
        return bytes.fromhex(uid)[::-1].hex().upper() if len(uid) == 16 else uid

    kept: list[Timed] = []
    for timed in rows:
        row = timed.row
        if isinstance(row, InventoryRound) and row.uids and plan.rng.random() < share:
            k = int(plan.rng.integers(0, len(row.uids)))
            row = InventoryRound(
                row.ticks, row.antenna, (*row.uids[:k], twist(row.uids[k]), *row.uids[k + 1 :]), row.complete
            )
            count += 1
        kept.append(Timed(timed.at_s, timed.out_s, row))
    plan.tell(fault, place, 0.0, plan.end_s, n=count)
    return kept
