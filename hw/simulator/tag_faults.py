"""What breaks in tags, antennas and readers: one function a fault, applied to a node's rows.

Owns damage to inventories and reads. Refuses to know the game and the way of messages. Flow: sensors ->
**tag_faults** -> node.
"""

from firmware_bridge.messages import InventoryRound, Place, TagRead
from hw.simulator.antenna import Tags
from hw.simulator.faults import Plan, Span
from hw.simulator.node import Timed
from hw.simulator.options import SensorFault


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
        plan.tell(SensorFault.COLLISIONS, place, span)
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
        plan.tell(SensorFault.NEIGHBOUR_TABLE, place, plan.whole, n=len(strangers))
    if plan.strikes(SensorFault.EMPTY_REPORTS, place):
        span = plan.span(2.0, 6.0)

        def empty(one: InventoryRound) -> InventoryRound:
            return InventoryRound(one.ticks, one.antenna, (), complete=False)

        rows = [_with_round(t, empty(t.row)) if _in(t, span) and isinstance(t.row, InventoryRound) else t for t in rows]
        plan.tell(SensorFault.EMPTY_REPORTS, place, span)
    return rows


def dead_tags(tags: Tags, plan: Plan) -> Tags:
    """One or two tags of the set are never heard at all."""
    if SensorFault.DEAD_TAG not in plan.faults:
        return tags
    strength = tags.strength.copy()
    victims = plan.rng.permutation(len(tags.uids))[: int(plan.rng.integers(1, 3))]
    strength[victims] = 0.0
    for tile in victims:
        plan.tell(SensorFault.DEAD_TAG, None, plan.whole, tags.uids[int(tile)])
    return Tags(tags.uids, strength)


def _in(timed: Timed, span: Span) -> bool:
    return span.covers(timed.at_s)


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
    plan.tell(SensorFault.ANTENNA_OUTAGE, place, span, antenna.value)
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
    plan.tell(SensorFault.FLAPPING_TAG, place, plan.whole, victim)
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
    plan.tell(fault, place, plan.whole, n=count)
    return kept
