"""`python -m bench.accuracy.one`: one simulated evening again, with what the monitor told of it beside the truth."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from bench.accuracy.scoring import KINDS, Score, score
from bench.accuracy.standing import settled
from bench.accuracy.watching import Watched, watch
from firmware_bridge.messages import Place
from hw.simulator.case import write_case
from hw.simulator.options import Ending, Noise, Options, Pace, Reader, RuleFault, SensorFault, Tier, Wiring
from hw.simulator.truth import TruthEvent
from monitor.alerts import Alert, Rule
from monitor.events import Event, Tick

_SECOND_NATURE = frozenset({Rule.WINDOW_CLOSED})


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.accuracy.one", description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--tier", type=Tier, default=Tier.HYBRID)
    parser.add_argument("--pace", type=Pace, default=Pace.NORMAL)
    parser.add_argument("--noise", type=Noise, default=Noise.NORMAL)
    parser.add_argument("--fault", type=RuleFault)
    parser.add_argument("--sensor-fault", type=SensorFault, action="append", default=[])
    parser.add_argument("--hands", type=int, default=1)
    parser.add_argument("--discards", type=int, default=18)
    parser.add_argument("--ending", type=Ending, default=Ending.OPEN)
    parser.add_argument("--reader", type=Reader, default=Reader.INVENTORY)
    parser.add_argument("--wiring", type=Wiring, default=Wiring.NETWORK)
    parser.add_argument("--late-start", type=float, default=0.0)
    parser.add_argument("--silent-rack", type=Place, action="append", default=[])
    parser.add_argument("--without-rfid", type=Place, action="append", default=[])
    parser.add_argument("--from", type=float, dest="low", metavar="SECONDS", help="everything from then on")
    parser.add_argument("--to", type=float, dest="high", metavar="SECONDS", help="and until then")
    parser.add_argument("--write", type=Path, help="write the case, events and alerts into this folder")
    return parser.parse_args(argv)


def options_of(asked: argparse.Namespace) -> Options:
    """The evening that was asked for."""
    return Options(
        seed=asked.seed,
        tier=asked.tier,
        pace=asked.pace,
        noise=asked.noise,
        rule_fault=asked.fault,
        sensor_faults=tuple(asked.sensor_fault),
        hands=asked.hands,
        discards=asked.discards,
        ending=asked.ending,
        reader=asked.reader,
        wiring=asked.wiring,
        late_start_s=asked.late_start,
        silent_racks=tuple(asked.silent_rack),
        racks_without_rfid=tuple(asked.without_rfid),
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Play it; 1 where a ruling is false or missed."""
    asked = arguments(argv)
    options = options_of(asked)
    watched = watch(options)
    scored = score(watched.truth, settled(watched.records))
    if asked.low is not None or asked.high is not None:
        for line in everything(watched, asked.low or 0.0, watched.truth.end if asked.high is None else asked.high):
            print(line)
    for line in told(watched, scored):
        print(line)
    if asked.write is not None:
        _write(asked.write, options, watched)
        print(f"written to {asked.write}")
    return 1 if scored.off(bad_day=bool(options.sensor_faults)) else 0


def told(watched: Watched, scored: Score) -> Iterator[str]:
    """What is due and what was said, in order of time; then the figures."""
    truth = watched.truth
    lines = [(fault.at, f"due       {fault.kind} {fault.seat}") for fault in truth.faults]
    lines += [(event.at, f"truth     {event.kind} {event.seat}") for event in truth.events if event.kind in _LANDMARKS]
    lines += [
        (trouble.from_s, f"trouble   {trouble.fault} {trouble.place} {trouble.sensor} until {trouble.to_s}")
        for trouble in truth.trouble
    ]
    for one in watched.told:
        alert = one.record
        if isinstance(alert, Alert) and alert.rule not in _SECOND_NATURE:
            about = f"{alert.rule} {alert.seat or ''} (about {alert.at:.2f}) {alert.id}: {alert.message}"
            lines.append((one.known_s, f"{alert.state:<10}{about}"))
    for at_s, words in sorted(lines, key=lambda line: line[0]):
        yield f"{at_s:9.2f}  {words}"
    for kind in KINDS:
        name = str(kind.__struct_config__.tag)
        tally = scored.tallies[name]
        yield f"{name:<16} {tally.hit} of {tally.want} told, {tally.extra} that were none"
    yield f"count right      {scored.seconds.right} of {scored.seconds.quiet} quiet seat-seconds"
    for words in scored.off(bad_day=False):
        yield f"off: {words}"


_LANDMARKS = frozenset(
    {"hand_started", "dealt", "charleston_over", "play_started", "simultaneous", "close_call", "declared", "hand_ended"}
)


def everything(watched: Watched, low_s: float, high_s: float) -> Iterator[str]:
    """All that happened and all that was told between two moments, in order of time and of knowledge."""
    truth = watched.truth
    lines = [(event.at, f"truth     {_keys(event)}") for event in truth.events]
    lines += [(row.at, f"truth     {row.seat} has {row.slope} + {row.ledge}") for row in truth.counts]
    for one in watched.told:
        record = one.record
        if not isinstance(record, Tick) and not (isinstance(record, Alert) and record.rule in _SECOND_NATURE):
            lines.append((one.known_s, f"     told {_keys(record)}"))
    for at_s, words in sorted(lines, key=lambda line: line[0]):
        if low_s <= at_s <= high_s:
            yield f"{at_s:9.2f}  {words}"
    yield ""


def _keys(record: Event | Alert | TruthEvent) -> str:
    """A record's keys and values, short: without table, and of an alert without what it rests on."""
    keys = msgspec.to_builtins(record)
    return " ".join(f"{key}={_short(value)}" for key, value in keys.items() if key not in _LEFT_OUT)


def _short(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


_LEFT_OUT = frozenset({"table", "evidence", "facts", "article", "authority", "tile", "tiles", "uid", "uids", "face"})


def _write(folder: Path, options: Options, watched: Watched) -> None:
    """The case in the handed cases' form, and what was told of it."""
    write_case(folder, watched.truth.name, options)
    for name, alerts in (("events", False), ("alerts", True)):
        some = [msgspec.json.encode(record) for record in watched.records if isinstance(record, Alert) is alerts]
        (folder / f"{watched.truth.name}.{name}.jsonl").write_bytes(b"".join(line + b"\n" for line in some))


if __name__ == "__main__":
    sys.exit(main())
