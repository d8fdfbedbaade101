"""Which evenings are simulated, in families that each ask one question. Pure: the same numbers give the same list.

Owns the choice of seed, tier, pace, noise and faults, and the command that plays one again. All tiers of a family see
the same hands (hw.simulator.evening), so that tiers can be compared hand by hand.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct

from firmware_bridge.messages import Place
from hw.simulator.options import (
    BAD_DAY,
    CELL_FAULTS,
    TAG_FAULTS,
    Ending,
    Noise,
    Options,
    Pace,
    Reader,
    RuleFault,
    SensorFault,
    Tier,
    Wiring,
)

FIRST_SEED = 50_000
"""Tests stay below it."""
_APART = 10_000
"""Hands of a family at most: each has seeds of its own."""
_DISCARDS = 18
"""Length of play of the handed cases."""
_FAULTY_DISCARDS = 13
"""Length of play where a fault is to be found: it happens within the first nine discards."""
_PACES = (Pace.NORMAL, Pace.EXPERT, Pace.SLOW)

_WEIGHING = (Tier.WEIGHT10, Tier.WEIGHT80, Tier.HYBRID)
_READING = (Tier.RFID, Tier.RFID_FLOOR, Tier.HYBRID)


_Kind = TypeVar("_Kind", bound=StrEnum)


class Family(StrEnum):
    """What a group of hands asks."""

    LEGAL = "legal"
    FAULT = "fault"
    HARSH = "harsh"
    BRUTAL = "brutal"
    SENSOR = "sensor"
    BAD_DAY = "bad_day"
    EVENING = "evening"
    ODD = "odd"


MEANING = {
    Family.LEGAL: "lawful hands, normal noise, every pace",
    Family.FAULT: "each rule fault in turn, normal noise, every pace; in one round on every other tier",
    Family.HARSH: "lawful hands and faults, noise about doubled",
    Family.BRUTAL: "lawful hands and faults, noise about four times",
    Family.SENSOR: "one sensor, node or link at fault, lawful or not",
    Family.BAD_DAY: "loss, repeats, disorder, nonsense, silence, a reboot and a dead tag at once",
    Family.EVENING: "three hands with passes, mah jongg or wall, sweeping, East moving on",
    Family.ODD: "late starts, racks without sensors, other readers, other wiring",
}


_TIMED = frozenset({Family.LEGAL, Family.HARSH, Family.BRUTAL})
_TIMED_HANDS = 4


class Scenario(Struct, frozen=True):
    """One evening to be played."""

    family: Family
    options: Options

    @property
    def key(self) -> str:
        """Its name among all of a run."""
        return f"{self.family}/{self.options.tier}/{self.options.seed}"

    @property
    def timed(self) -> bool:
        """Are its sensors' single decisions timed too? A few evenings tell enough."""
        return self.family in _TIMED and self.options.seed % 1000 < _TIMED_HANDS


class Wanted(Struct, frozen=True, kw_only=True):
    """How much is wanted: `hands` lawful hands a tier, and `rounds` through the list of each other family."""

    hands: int = 4
    rounds: int = 1
    tiers: tuple[Tier, ...] = tuple(Tier)
    families: tuple[Family, ...] = tuple(Family)
    first_seed: int = FIRST_SEED


def scenarios(wanted: Wanted) -> Iterator[Scenario]:
    """All evenings, tiers in turn, so that a run that is stopped has something of each."""
    for family in wanted.families:
        seed = wanted.first_seed + _APART * list(Family).index(family)
        n = wanted.hands if family is Family.LEGAL else wanted.rounds * _LENGTHS[family]
        if n > _APART:
            raise ValueError(f"at most {_APART} hands a family, not {n}")
        for k in range(n):
            for tier in wanted.tiers:
                options = _options(family, tier, seed + k, k)
                if options is not None:
                    yield Scenario(family, options)


def _options(family: Family, tier: Tier, seed: int, k: int) -> Options | None:
    """The `k`th evening of a family; None where this tier has none such."""
    pace = _PACES[k % len(_PACES)]
    match family:
        case Family.LEGAL:
            return Options(seed=seed, tier=tier, pace=pace, discards=_DISCARDS)
        case Family.FAULT:
            if (k + k // len(RuleFault) + list(Tier).index(tier)) % 2:
                return None
            pace = _PACES[(k + k // len(RuleFault)) % len(_PACES)]  # in three rounds each fault at every pace
            return Options(seed=seed, tier=tier, pace=pace, rule_fault=_cycled(RuleFault, k), discards=_FAULTY_DISCARDS)
        case Family.HARSH | Family.BRUTAL:
            noise = Noise.HARSH if family is Family.HARSH else Noise.BRUTAL
            fault = None if k % 2 == 0 else _cycled(RuleFault, k // 2 * 5 + 2)
            return Options(seed=seed, tier=tier, pace=pace, noise=noise, rule_fault=fault, discards=_FAULTY_DISCARDS)
        case Family.SENSOR:
            return _sensor(tier, seed, k)
        case Family.BAD_DAY:
            fault = None if k % 2 == 0 else _cycled(RuleFault, k // 2 * 5 + 5)
            return Options(
                seed=seed,
                tier=tier,
                pace=pace,
                rule_fault=fault,
                sensor_faults=BAD_DAY,
                discards=_FAULTY_DISCARDS,
            )
        case Family.EVENING:
            fault = None if k % 2 == 0 else _cycled(RuleFault, k // 2 * 5)
            return Options(seed=seed, tier=tier, pace=pace, rule_fault=fault, hands=3, ending=Ending.ANY)
        case Family.ODD:
            return _odd(tier, seed, k)


def _sensor(tier: Tier, seed: int, k: int) -> Options | None:
    """In a round each fault comes to one of the tiers that can have it, in five to all; each third with a fault."""
    fault = _cycled(SensorFault, k)
    able = _WEIGHING if fault in CELL_FAULTS else _READING if fault in TAG_FAULTS else tuple(Tier)
    if able[(k + k // len(SensorFault)) % len(able)] is not tier:
        return None
    return Options(
        seed=seed,
        tier=tier,
        pace=_PACES[k % len(_PACES)],
        rule_fault=RuleFault.DOUBLE_PICK if k % 3 == 2 else None,
        sensor_faults=(fault,),
        discards=_FAULTY_DISCARDS,
        wiring=Wiring.USB if fault is SensorFault.LINE_NOISE else Wiring.NETWORK,
    )


def _odd(tier: Tier, seed: int, k: int) -> Options | None:
    """Tables that are not as the tiers have them."""
    reads, weighs = tier in _READING, tier in _WEIGHING
    base = Options(seed=seed, tier=tier, discards=_FAULTY_DISCARDS)
    match k % _LENGTHS[Family.ODD]:
        case 0:
            return _with(base, late_start_s=205.0)
        case 1:
            return _with(base, silent_racks=(Place.SOUTH, Place.NORTH))
        case 2 if reads:
            return _with(base, reader=Reader.STREAMING)
        case 3 if reads:
            return _with(base, reader=Reader.CHANGES)
        case 4 if reads:
            return _with(base, reader=Reader.SLOW)
        case 5 if reads and weighs:
            return _with(base, racks_without_rfid=(Place.EAST, Place.WEST))
        case 6:
            return _with(base, wiring=Wiring.USB)
        case _:
            return None


def _with(
    base: Options,
    *,
    late_start_s: float = 0.0,
    silent_racks: tuple[Place, ...] = (),
    racks_without_rfid: tuple[Place, ...] = (),
    reader: Reader = Reader.INVENTORY,
    wiring: Wiring = Wiring.NETWORK,
) -> Options:
    return Options(
        seed=base.seed,
        tier=base.tier,
        discards=base.discards,
        late_start_s=late_start_s,
        silent_racks=silent_racks,
        racks_without_rfid=racks_without_rfid,
        reader=reader,
        wiring=wiring,
    )


def _cycled(kinds: type[_Kind], k: int) -> _Kind:
    every = list(kinds)
    return every[k % len(every)]


_LENGTHS = {
    Family.FAULT: len(RuleFault),
    Family.HARSH: 4,
    Family.BRUTAL: 2,
    Family.SENSOR: len(SensorFault),
    Family.BAD_DAY: 2,
    Family.EVENING: 1,
    Family.ODD: 7,
}
"""Evenings of one round, a tier (fewer where a tier cannot have one)."""


def command(options: Options) -> str:
    """The command that plays this evening again and says what went wrong."""
    return "python -m bench.accuracy.one " + " ".join(_flags(options))


def _flags(options: Options) -> Iterator[str]:
    """Every choice that is not the default, as a flag of `bench.accuracy.one`."""
    yield f"--seed {options.seed} --tier {options.tier}"
    plain = Options(seed=options.seed)
    if options.pace is not plain.pace:
        yield f"--pace {options.pace}"
    if options.noise is not plain.noise:
        yield f"--noise {options.noise}"
    if options.rule_fault is not None:
        yield f"--fault {options.rule_fault}"
    for fault in options.sensor_faults:
        yield f"--sensor-fault {fault}"
    if options.hands != plain.hands:
        yield f"--hands {options.hands}"
    if options.discards != plain.discards:
        yield f"--discards {options.discards}"
    if options.ending is not plain.ending:
        yield f"--ending {options.ending}"
    if options.reader is not plain.reader:
        yield f"--reader {options.reader}"
    if options.wiring is not plain.wiring:
        yield f"--wiring {options.wiring}"
    if options.late_start_s != plain.late_start_s:
        yield f"--late-start {options.late_start_s:g}"
    for place in options.silent_racks:
        yield f"--silent-rack {place}"
    for place in options.racks_without_rfid:
        yield f"--without-rfid {place}"
