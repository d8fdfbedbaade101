"""A small world for the RFID model's tests: tiles moved by hands over noisy antennas, with the truth beside it.

Harsher than a good reader, seeded, and no part of the product: it knows nothing of the model under test.
"""

from dataclasses import dataclass, field
from random import Random

from firmware_bridge.clock import TickMap
from firmware_bridge.messages import TICKS_MODULUS, Antenna, InventoryRound, Place, Readings
from firmware_bridge.session import Delivery

SEATS = (Place.EAST, Place.SOUTH, Place.WEST, Place.NORTH)
ROUND_S = 0.017
TAG_S = 0.007
PAUSE_S = 0.002

Spot = tuple[Place, Antenna]
DISCARDS: Spot = (Place.FLOOR, Antenna.DISCARD)


def slope(seat: Place) -> Spot:
    return (seat, Antenna.SLOPE)


def ledge(seat: Place) -> Spot:
    return (seat, Antenna.LEDGE)


@dataclass(frozen=True)
class Noise:
    """How badly the antennas hear. Probabilities are for one complete round."""

    heard: float = 0.9
    heard_spread: float = 0.06
    weak_tags: float = 0.02
    weak_heard: float = 0.5
    cross: float = 0.05
    stray: float = 0.001
    hover: float = 0.6
    incomplete: float = 0.01
    phantom: float = 0.002
    lost_message: float = 0.0
    shadows_per_s: float = 0.0
    shadow_s: float = 1.5
    taps: float = 0.2
    floor: bool = True
    clock_early_s: float = 0.004
    clock_late_s: float = 0.001


@dataclass
class Stay:
    """A tile at rest at a spot over `[start, end)`."""

    spot: Spot
    start: float
    end: float = float("inf")


@dataclass
class Hover:
    """A tile in a hand within hearing of a spot over `[start, end)`."""

    spot: Spot
    start: float
    end: float


@dataclass
class Scene:
    """What really happens."""

    tiles: dict[str, str]
    stays: dict[str, list[Stay]] = field(default_factory=dict)
    hovers: dict[str, list[Hover]] = field(default_factory=dict)
    busy: list[tuple[Place, float, float]] = field(default_factory=list)
    end: float = 0.0

    def put(self, uid: str, spot: Spot, at: float) -> None:
        self.stays.setdefault(uid, []).append(Stay(spot, at))
        self.end = max(self.end, at + 1.0)

    def lift(self, uid: str, at: float) -> None:
        self.stays[uid][-1].end = at

    def hover(self, uid: str, spot: Spot, start: float, end: float) -> None:
        self.hovers.setdefault(uid, []).append(Hover(spot, start, end))

    def where(self, uid: str, at: float) -> Spot | None:
        for stay in reversed(self.stays.get(uid, ())):
            if stay.start <= at:
                return stay.spot if at < stay.end else None
        return None

    def resting(self, spot: Spot, at: float) -> set[str]:
        return {uid for uid in self.stays if self.where(uid, at) == spot}


def tile_set(rng: Random, n: int = 152) -> dict[str, str]:
    """`n` enrolled tiles; some differ from another by one digit only."""
    tiles: dict[str, str] = {}
    while len(tiles) < n:
        uid = f"E00401{rng.getrandbits(40):010X}"
        tiles[uid] = f"{1 + len(tiles) % 9}-bam"
        if rng.random() < 0.1 and len(tiles) < n:
            tiles[uid[:-1] + f"{int(uid[-1], 16) ^ 1:X}"] = "joker"
    return dict(list(tiles.items())[:n])


def play(rng: Random, seconds: float = 240.0, pace: float = 1.0, taps: float = 0.2, floor: bool = True) -> Scene:
    """A hand as the antennas would feel it: deal, passes, turns with sorting, exposures, exchanges, a sweep."""
    scene = Scene(tile_set(rng))
    wall = list(scene.tiles)
    rng.shuffle(wall)
    racks: dict[Place, list[str]] = {s: [] for s in SEATS}
    ledges: dict[Place, list[str]] = {s: [] for s in SEATS}
    now = 3.0

    def carry(uid: str, seat: Place, to: Spot | None, at: float, takes: float) -> None:
        """Lift at `at` (if it lies), land at `at + takes`, perhaps a tap or a hover before."""
        scene.busy.append((seat, at, at + takes))
        if scene.stays.get(uid) and scene.stays[uid][-1].end > at:
            scene.lift(uid, at)
        if to is None:
            return
        scene.put(uid, to, at + takes)
        if takes > 0.7 and rng.random() < taps:
            length = rng.uniform(0.03, 0.3)
            start = at + 0.15 + rng.random() * max(0.0, takes - length - 0.5)
            scene.hover(uid, to, start, start + length)
        if rng.random() < 0.3:
            scene.hover(uid, to, at + takes - rng.uniform(0.0, 0.15), at + takes)

    for block in (4, 4, 4, 1):
        for seat in SEATS:
            for _ in range(block + (block == 1 and seat is Place.EAST)):
                uid = wall.pop()
                racks[seat].append(uid)
                carry(uid, seat, slope(seat), now, rng.uniform(0.6, 1.6) / pace)
            now += rng.uniform(0.6, 1.2) / pace
    now += 4.0 / pace
    for step in rng.sample((1, 2, 3), 2):
        leaving = {seat: rng.sample(racks[seat], 3) for seat in SEATS}
        for k, seat in enumerate(SEATS):
            to = SEATS[(k + step) % 4]
            at = now + rng.uniform(0.0, 3.0) / pace
            landing = at + rng.uniform(2.0, 5.0) / pace
            for uid in leaving[seat]:
                racks[seat].remove(uid)
                scene.busy.append((seat, at, at + 0.5))
                scene.lift(uid, at + rng.uniform(0.0, 0.3))
                scene.put(uid, slope(to), landing + rng.uniform(0.0, 1.0))
                scene.busy.append((to, landing - 0.5, landing + 1.0))
        for seat, uids in leaving.items():
            racks[SEATS[(SEATS.index(seat) + step) % 4]].extend(uids)
        now += 11.0 / pace
    turn = 0
    while now < seconds and len(wall) > 4:
        seat = SEATS[turn % 4]
        roll = rng.random()
        picked = wall.pop()
        takes = rng.uniform(0.3, 1.8) / pace
        last: str | None = None
        if roll < 0.15:
            carry(picked, seat, DISCARDS if floor else None, now, takes)
            now += takes + rng.uniform(0.5, 2.5) / pace
            turn += 1
            continue
        if roll < 0.28 and len(racks[seat]) > 5:
            size = rng.choice((2, 2, 3))
            for uid in [picked, *rng.sample(racks[seat], size)]:
                carry(uid, seat, ledge(seat), now + rng.random() * 0.8, rng.uniform(0.5, 1.2))
                if uid in racks[seat]:
                    racks[seat].remove(uid)
                ledges[seat].append(uid)
            now += 2.5 / pace
        else:
            carry(picked, seat, slope(seat), now, takes)
            racks[seat].append(picked)
            last = picked
            now += takes + 0.3 / pace
        owners = [s for s in SEATS if ledges[s]]
        if owners and rng.random() < 0.2:
            owner = rng.choice(owners)
            natural, joker = rng.choice(racks[seat]), rng.choice(ledges[owner])
            carry(natural, seat, ledge(owner), now, rng.uniform(0.8, 1.5))
            scene.busy.append((owner, now, now + 4.0))
            carry(joker, seat, slope(seat), now + 2.0, rng.uniform(0.8, 1.8))
            racks[seat].remove(natural)
            ledges[owner].append(natural)
            ledges[owner].remove(joker)
            racks[seat].append(joker)
            last = None
            now += 4.2
        now += rng.uniform(0.2, 3.0) / pace
        for other in SEATS:
            if rng.random() < 0.35:
                movers = [u for u in racks[other] if u != last and u not in scene.hovers]
                for uid in rng.sample(movers, min(len(movers), rng.choice((1, 1, 2, 3, 5)))):
                    if scene.stays[uid][-1].start < now:
                        start = now + rng.random() * 0.4
                        if other is seat:
                            start -= 0.0
                        carry(uid, other, slope(other), start, rng.uniform(0.3, 3.0))
        now += 1.0 / pace
        candidates = [u for u in racks[seat] if scene.stays[u][-1].start < now]
        if not candidates:
            now += 4.0
            candidates = racks[seat]
        thrown = rng.choice(candidates)
        racks[seat].remove(thrown)
        carry(thrown, seat, DISCARDS if floor else None, now, rng.uniform(0.3, 0.9) / pace)
        now += rng.uniform(1.0, 4.0) / pace
        turn += 1
    now += 6.0
    for seat in SEATS:
        for uid in racks[seat] + ledges[seat]:
            at = now + rng.random() * 1.5
            scene.busy.append((seat, at, at + 1.0))
            scene.lift(uid, at)
    scene.end = now + 6.0
    return scene


def hear(scene: Scene, noise: Noise, rng: Random) -> list[Delivery]:
    """What the nodes say of the scene, in order of arrival."""
    rate = {}
    for uid in scene.tiles:
        weak = rng.random() < noise.weak_tags
        rate[uid] = noise.weak_heard if weak else min(0.99, max(0.3, rng.gauss(noise.heard, noise.heard_spread)))
    shadows: dict[str, list[tuple[float, float]]] = {}
    if noise.shadows_per_s:
        for uid in scene.tiles:
            at = rng.expovariate(noise.shadows_per_s)
            while at < scene.end:
                length = rng.uniform(0.3, 2 * noise.shadow_s - 0.3)
                shadows.setdefault(uid, []).append((at, at + length))
                at += length + rng.expovariate(noise.shadows_per_s)
    out: list[Delivery] = []
    antennas = dict.fromkeys(SEATS, (Antenna.SLOPE, Antenna.LEDGE))
    if noise.floor:
        antennas[Place.FLOOR] = (Antenna.DISCARD,)
    for place, pair in antennas.items():
        out.extend(_node(scene, noise, rng, place, pair, rate, shadows))
    out.sort(key=lambda d: d.arrived_s)
    return out


def _node(
    scene: Scene,
    noise: Noise,
    rng: Random,
    place: Place,
    pair: tuple[Antenna, ...],
    rate: dict[str, float],
    shadows: dict[str, list[tuple[float, float]]],
) -> list[Delivery]:
    ticks_offset = rng.getrandbits(32)
    spots = [(place, antenna) for antenna in pair]
    involved = {
        uid
        for uid in scene.tiles
        if any(s.spot in spots for s in scene.stays.get(uid, ()))
        or any(h.spot in spots for h in scene.hovers.get(uid, ()))
    }
    everyone = list(scene.tiles)
    out: list[Delivery] = []
    now, seq, sent = rng.random() * 0.05, 0, 0.0
    batch: list[InventoryRound] = []
    k = 0
    while now < scene.end:
        antenna = pair[k % len(pair)]
        k += 1
        uids: list[str] = []
        for uid in sorted(involved):
            where = scene.where(uid, now)
            share = 0.0
            if where is not None and where[0] is place:
                share = rate[uid] if where[1] is antenna else noise.cross
                if any(a <= now < b for a, b in shadows.get(uid, ())):
                    share *= 0.05
            for hover in scene.hovers.get(uid, ()):
                if hover.start <= now < hover.end and hover.spot[0] is place:
                    share = max(share, noise.hover if hover.spot[1] is antenna else noise.cross)
            if rng.random() < share:
                uids.append(uid)
        if noise.stray and rng.random() < noise.stray * 30:
            uids.append(rng.choice(everyone))
        complete = rng.random() >= noise.incomplete
        if not complete:
            uids = [u for u in uids if rng.random() < 0.5]
        if rng.random() < noise.phantom:
            uids.append(f"E00401{rng.getrandbits(40):010X}")
        uids = list(dict.fromkeys(uids))
        rng.shuffle(uids)
        batch.append(InventoryRound(_ticks(now, ticks_offset), antenna, tuple(uids), complete))
        now += ROUND_S + TAG_S * len(uids) + PAUSE_S
        if now - sent > 0.1:
            sent = now
            seq += 1
            if rng.random() >= noise.lost_message:
                arrived = now + 0.004 + rng.expovariate(1 / 0.01)
                if out:
                    arrived = max(arrived, out[-1].arrived_s)
                ticks = _ticks(now, ticks_offset)
                clock = TickMap(ticks, now, 1e-6, noise.clock_early_s, noise.clock_late_s)
                readings = Readings(f"t1-{place}", 1, seq, ticks, inventory=tuple(batch))
                out.append(Delivery(place, f"t1-{place}", arrived, readings, clock))
            batch = []
    return out


def _ticks(at_s: float, offset: int) -> int:
    return (round(at_s * 1e6) + offset) % TICKS_MODULUS
