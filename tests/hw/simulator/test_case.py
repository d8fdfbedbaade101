"""Cases: the handed form, equal bytes for equal options, the same hand on every tier, content that decodes."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from firmware_bridge.arrival import Arrival
from firmware_bridge.messages import Channel, Input, InventoryRound, Place, Readings
from firmware_bridge.recording import BadLine, read_recording
from firmware_bridge.routing import Router
from hw.calibration import TableSetup
from hw.simulator.case import lines_of, simulate, write_case
from hw.simulator.evening import Evening, simulate_evening
from hw.simulator.options import Ending, Options, Pace, Reader, RuleFault, SensorFault, Tier

SHORT = Options(seed=31, pace=Pace.EXPERT, discards=5, tier=Tier.WEIGHT10)
SCORE = Path(__file__).parents[4] / "shared" / "score" / "score.py"


def arrivals(path: Path) -> list[Arrival]:
    """What the product's own door makes of a recording: everything but the ids that no tag can have."""
    router = Router(frozenset({"T1"}))
    found: list[Arrival] = []
    for received in read_recording(path):
        assert not isinstance(received, BadLine)
        found += router.route(received)
    assert router.rejected == {}
    assert router.bad_rows < 0.01 * len(found)
    return found


def kept(readings: Readings | None, enrolled: set[str]) -> Readings:
    """A message without the ids of no tile, which the product may refuse together with its round's completeness."""
    assert readings is not None
    rounds = [
        InventoryRound(i.ticks, i.antenna, tuple(u for u in i.uids if u in enrolled), complete=True)
        for i in readings.inventory
    ]
    return replace(readings, inventory=tuple(rounds))


def test_a_written_case_has_the_handed_form_and_decodes_whole(tmp_path: Path, quick: Evening) -> None:
    write_case(tmp_path / "cases", "x", quick.options)
    assert sorted(p.name for p in (tmp_path / "cases").iterdir()) == [
        "x.recording.jsonl.gz", "x.setup.json", "x.truth.json",
    ]  # fmt: skip
    truth = json.loads((tmp_path / "cases" / "x.truth.json").read_text())
    assert set(truth) >= {"name", "tier", "seed", "fault", "chaos", "end", "counts", "busy", "events", "faults"}
    assert truth["name"] == "x"
    assert truth["chaos"] == []
    assert all(len(row) == 4 for row in truth["counts"])
    assert all(len(row) == 3 for row in truth["busy"])
    setup = msgspec.json.decode((tmp_path / "cases" / "x.setup.json").read_bytes(), type=TableSetup)
    assert setup == quick.furniture.setup
    got = arrivals(tmp_path / "cases" / "x.recording.jsonl.gz")
    readings = [a.message for a in got if isinstance(a.message, Readings)]
    enrolled = set(setup.tiles)
    assert [kept(r, enrolled) for r in readings] == [kept(m.readings, enrolled) for m in quick.messages]
    assert [a.at_s for a in got] == sorted(a.at_s for a in got)


def test_events_have_the_keys_of_the_handed_truths(harsh: Evening) -> None:
    wanted = {
        "hand_started": {"at", "kind", "seat"},
        "dealt": {"at", "kind", "seat"},
        "passed": {"at", "kind", "seat", "to", "n"},
        "charleston_over": {"at", "kind", "seat"},
        "play_started": {"at", "kind", "seat"},
        "picked": {"at", "kind", "seat", "tile"},
        "racked": {"at", "kind", "seat", "tile"},
        "discarded": {"at", "kind", "seat", "tile", "lifted"},
        "exposed": {"at", "kind", "seat", "tiles"},
    }
    truth = msgspec.to_builtins(harsh.truth)
    seen = set()
    for event in truth["events"]:
        seen.add(event["kind"])
        assert set(event) >= wanted.get(event["kind"], {"at", "kind", "seat"})
        if "tile" in event:
            assert event["tile"] in harsh.furniture.setup.tiles
    assert seen >= set(wanted) - {"exposed"}


def test_equal_options_give_equal_files_and_other_seeds_other_ones(tmp_path: Path) -> None:
    options = replace(SHORT, tier=Tier.HYBRID)
    for folder in ("one", "two"):
        write_case(tmp_path / folder, "a", options)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()
    assert simulate(SHORT).lines != simulate(replace(SHORT, seed=32)).lines


def test_every_tier_sees_the_same_hand() -> None:
    truths = [simulate_evening(replace(SHORT, tier=tier)).truth for tier in (Tier.WEIGHT10, Tier.WEIGHT80, Tier.RFID)]
    for truth in truths[1:]:
        assert (truth.counts, truth.busy, truth.end) == (truths[0].counts, truths[0].busy, truths[0].end)
        assert [(e.kind, e.at, e.seat) for e in truth.events] == [(e.kind, e.at, e.seat) for e in truths[0].events]


@pytest.mark.parametrize(
    ("tier", "channels", "nodes", "rfid"),
    [
        (Tier.WEIGHT10, {Channel.RACK}, 4, False),
        (Tier.WEIGHT80, {Channel.SLOPE, Channel.LEDGE}, 4, False),
        (Tier.RFID, set(), 4, True),
        (Tier.RFID_FLOOR, set(), 5, True),
        (Tier.HYBRID, {Channel.RACK}, 5, True),
    ],
)
def test_tiers_have_their_sensors(tier: Tier, channels: set[Channel], nodes: int, rfid: bool) -> None:
    evening = simulate_evening(replace(SHORT, tier=tier))
    readings = [m.readings for m in evening.messages if m.readings]
    assert {w.channel for r in readings for w in r.weight} == channels
    assert len({r.node for r in readings}) == nodes
    assert any(r.inventory for r in readings) == rfid
    setup = evening.furniture.setup
    assert len(setup.tiles) == (152 if rfid else 0)
    assert set(setup.calibration) == {f"{p.value}.{c.value}" for p in list(Place)[:4] for c in channels}
    for key, stated in setup.calibration.items():
        cell = next(c for n in evening.furniture.nodes for c in n.cells if f"{n.place.value}.{c.channel.value}" == key)
        assert stated.counts_per_g == pytest.approx(cell.counts_per_g, rel=0.05)


def test_mixed_tables_lack_what_they_lack() -> None:
    options = replace(
        SHORT,
        tier=Tier.HYBRID,
        silent_racks=(Place.EAST, Place.WEST),
        racks_without_rfid=(Place.SOUTH,),
        racks_without_weight=(Place.NORTH,),
        wall_antenna=True,
        table="T7",
    )
    evening = simulate_evening(options)
    by_place = {p: [m.readings for m in evening.messages if m.place is p and m.readings] for p in Place}
    assert not by_place[Place.EAST]
    assert not by_place[Place.WEST]
    assert not any(r.inventory for r in by_place[Place.SOUTH])
    assert not any(r.weight for r in by_place[Place.NORTH])
    assert {i.antenna.value for r in by_place[Place.FLOOR] for i in r.inventory} == {"discard", "wall"}
    assert {r.node for rs in by_place.values() for r in rs} == {"t7-south", "t7-north", "t7-floor"}
    assert set(evening.furniture.setup.calibration) == {"south.rack"}


def test_a_streaming_table_sends_reads_and_no_inventories() -> None:
    readings = [
        m.readings
        for m in simulate_evening(replace(SHORT, tier=Tier.RFID, reader=Reader.STREAMING)).messages
        if m.readings
    ]
    assert any(r.reads for r in readings)
    assert not any(r.inventory for r in readings)


def test_inputs_come_among_the_readings_at_their_time(tmp_path: Path) -> None:
    options = replace(SHORT, rule_fault=RuleFault.DECLARED_DEAD)
    write_case(tmp_path, "dead", options)
    got = arrivals(tmp_path / "dead.recording.jsonl.gz")
    inputs = [a for a in got if isinstance(a.message, Input)]
    truth = simulate(options).truth
    dead = next(e for e in truth.events if e.kind == "dead")
    assert [(a.place, a.message.by) for a in inputs if isinstance(a.message, Input) and a.message.input == "dead"] == [
        (dead.seat, dead.by)
    ]


def test_a_monitor_switched_on_late_hears_only_the_rest(harsh: Evening) -> None:
    whole, late_s = harsh.truth, 60.0
    case = simulate(replace(harsh.options, late_start_s=late_s))
    assert case.truth.end == pytest.approx(whole.end - late_s)
    assert len(case.lines) < len(lines_of(harsh))
    assert json.loads(case.lines[0])["at"] < 0.2
    later = [e for e in whole.events if e.at >= late_s]
    assert [(e.kind, e.seat) for e in case.truth.events] == [(e.kind, e.seat) for e in later]
    assert case.truth.events[0].at == pytest.approx(later[0].at - late_s, abs=1e-3)
    for seat in list(Place)[:4]:
        standing = [r for r in whole.counts if r.seat is seat and r.at <= late_s][-1]
        first = next(r for r in case.truth.counts if r.seat is seat)
        assert (first.at, first.slope, first.ledge) == (0.0, standing.slope, standing.ledge)


@pytest.mark.skipif(not SCORE.exists(), reason="the scoring script lies beside the checkout")
@pytest.mark.parametrize("fault", [None, RuleFault.NORTH_SHORT, RuleFault.SIMULTANEOUS_CALL])
def test_the_scoring_script_takes_our_truth(tmp_path: Path, fault: RuleFault | None) -> None:
    """A perfect monitor's events and alerts score perfectly."""
    options = replace(SHORT, rule_fault=fault, sensor_faults=(SensorFault.LOSS,), hands=2, ending=Ending.MAH_JONGG)
    write_case(tmp_path, "x", options)
    truth = json.loads((tmp_path / "x.truth.json").read_text())
    kinds = ("racked", "discarded", "exposed", "joker_exchanged")
    events = [{"kind": e["kind"], "seat": e["seat"], "at": e["at"]} for e in truth["events"] if e["kind"] in kinds]
    for at, seat, slope, ledge in truth["counts"]:
        events.append({"kind": "count_changed", "seat": seat, "at": at, "zone": "rack", "count": slope + ledge})
    alerts = [{"rule": f["kind"], "seat": f["seat"], "at": f["at"]} for f in truth["faults"]]
    alerts += [
        {"rule": "simultaneous_call", "seat": e["seat"], "at": e["at"], "verdict": "simultaneous"}
        for e in truth["events"]
        if e["kind"] == "simultaneous"
    ]
    for name, rows in (("events", events), ("alerts", alerts)):
        (tmp_path / name).write_text(
            "\n".join(json.dumps(r | {"seq": k, "id": f"{name}{k}"}) for k, r in enumerate(rows))
        )
    command = [
        sys.executable,
        str(SCORE),
        str(tmp_path / "x.truth.json"),
        str(tmp_path / "events"),
        str(tmp_path / "alerts"),
    ]
    scored = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    for kind in kinds:
        assert scored[kind]["missed"] == scored[kind]["extra"] == 0
    assert scored["racked"]["want"] > 0
    assert scored["count_right"] == 1.0
    for rule in ("missing_tile", "wrong_count", "late_call", "redeal", "simultaneous_call"):
        assert scored[rule]["missed"] == scored[rule]["false"] == 0


def test_archives_hold_lines_with_line_ends(tmp_path: Path) -> None:
    write_case(tmp_path, "x", SHORT)
    text = gzip.decompress((tmp_path / "x.recording.jsonl.gz").read_bytes())
    assert text.endswith(b"\n")
    assert tuple(text.splitlines()) == simulate(SHORT).lines
