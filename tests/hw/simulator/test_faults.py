"""Every sensor fault is told to the truth and can be seen in what arrives."""

from functools import cache
from itertools import pairwise

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from firmware_bridge.messages import Place, Readings
from hw.simulator.evening import Evening, simulate_evening
from hw.simulator.load_cell import FULL_SCALE
from hw.simulator.node import Outgoing
from hw.simulator.options import BAD_DAY, TAG_FAULTS, Noise, Options, Pace, Reader, SensorFault, Tier, Wiring
from hw.simulator.physical import SEATS
from hw.simulator.reception import received_of
from hw.simulator.truth import SensorTrouble

QUICK = Options(seed=21, noise=Noise.QUIET, pace=Pace.EXPERT, discards=4, tier=Tier.WEIGHT10)


@pytest.fixture(scope="module")
def sound() -> Evening:
    return simulate_evening(QUICK)


@cache
def faulty(fault: SensorFault) -> tuple[Evening, SensorTrouble]:
    tier = Tier.RFID if fault in TAG_FAULTS else QUICK.tier
    wiring = Wiring.USB if fault is SensorFault.LINE_NOISE else Wiring.NETWORK
    evening = simulate_evening(replace(QUICK, sensor_faults=(fault,), tier=tier, wiring=wiring))
    told = [t for t in evening.truth.trouble if t.fault == fault.value]
    assert told, "the truth must tell it"
    assert evening.truth.chaos == (fault.value,)
    return evening, told[0]


def said(evening: Evening, place: Place | None) -> list[Readings]:
    return [m.readings for m in evening.messages if m.place == place and m.readings is not None and not m.retain]


def raws(evening: Evening, trouble: SensorTrouble) -> np.ndarray:
    """Raw counts of the rack in trouble; within its spell where it has one."""
    kept = []
    for m in evening.messages:
        if m.place == trouble.place and m.readings is not None:
            for w in m.readings.weight:
                at_s = m.sent_s - ((m.readings.ticks - w.ticks) % 2**32) * 1e-6
                if trouble.from_s + 0.1 <= at_s <= (trouble.to_s or 0.0) - 0.1:
                    kept.append(w.raw)
    return np.array(kept)


def uids(evening: Evening, place: Place | None) -> list[str]:
    return [uid for r in said(evening, place) for one in r.inventory for uid in one.uids]


@pytest.mark.parametrize("fault", SensorFault)
def test_each_fault_is_told_alone(fault: SensorFault) -> None:
    evening, _ = faulty(fault)
    assert {t.fault for t in evening.truth.trouble} == {fault.value}


def test_all_faults_together_are_repeatable() -> None:
    options = replace(QUICK, sensor_faults=tuple(SensorFault), tier=Tier.HYBRID)
    one, two = simulate_evening(options), simulate_evening(options)
    assert one.messages == two.messages
    assert one.truth == two.truth


def test_faults_leave_the_hand_as_it_was(sound: Evening) -> None:
    evening, _ = faulty(SensorFault.BAD_WIRING)
    assert evening.happening == sound.happening


def test_row_1_invalid_codes() -> None:
    evening, trouble = faulty(SensorFault.INVALID_CODES)
    values = raws(evening, trouble)
    invalid = np.isin(values, [FULL_SCALE - 1, -FULL_SCALE, -1, 0, (1 << 22) - 1, (1 << 20) - 1])
    assert 0.005 < invalid.mean() < 0.06


def test_row_2_and_5_spikes(sound: Evening) -> None:
    evening, trouble = faulty(SensorFault.SPIKES)
    changed = raws(evening, trouble) != raws(sound, trouble)
    assert 0.005 < changed.mean() < 0.02


def test_row_4_codes_beyond_24_bits() -> None:
    evening, trouble = faulty(SensorFault.BEYOND_24_BITS)
    assert raws(evening, trouble).min() >= FULL_SCALE


def test_row_7_chip_asleep() -> None:
    evening, trouble = faulty(SensorFault.CHIP_ASLEEP)
    assert set(raws(evening, trouble)) == {-1}


def test_row_9_doubled(sound: Evening) -> None:
    evening, trouble = faulty(SensorFault.DOUBLED)
    before, after = raws(sound, trouble), raws(evening, trouble)
    hit = before != after
    assert 0 < hit.mean() < 0.01
    assert np.array_equal(np.clip(2 * before[hit], -FULL_SCALE, FULL_SCALE - 1), after[hit])


def test_row_11_cold_start(sound: Evening) -> None:
    evening, trouble = faulty(SensorFault.COLD_START)
    first = [[w.raw for r in said(one, trouble.place) for w in r.weight][:8] for one in (sound, evening)]
    assert all(a != b for a, b in zip(first[0][:5], first[1][:5], strict=True))
    assert first[0][5:] == first[1][5:]


def test_row_12_smoothed(sound: Evening) -> None:
    evening, trouble = faulty(SensorFault.SMOOTHED)
    before, after = raws(sound, trouble), raws(evening, trouble)
    means = np.convolve(before, np.full(trouble.n, 1.0 / trouble.n), mode="valid")
    assert np.abs(after[trouble.n - 1 :] - means).max() <= 1.0


def test_row_15_warming(sound: Evening) -> None:
    evening, trouble = faulty(SensorFault.WARMING)
    cell = next(n for n in evening.furniture.nodes if n.place == trouble.place).cells[0]
    difference_g = (raws(evening, trouble) - raws(sound, trouble)) / cell.counts_per_g
    assert 1.0 < abs(difference_g[-1]) < 6.0
    assert np.abs(np.diff(difference_g)).max() < 0.05


def test_row_16_a_reboot_steps_the_zero_by_half_a_percent_to_one(sound: Evening) -> None:
    evening, trouble = faulty(SensorFault.REBOOT)
    readings = said(evening, trouble.place)
    boots = {r.boot for r in readings}
    assert len(boots) == 2
    cell = next(n for n in evening.furniture.nodes if n.place == trouble.place).cells[0]
    later = replace(trouble, from_s=(trouble.to_s or 0.0) + 1.0, to_s=evening.truth.end)
    step = np.median(raws(evening, later)) - np.median(raws(sound, later))
    assert 0.004 < abs(step) / abs(cell.zero_counts) < 0.011


def test_row_18_stuck() -> None:
    evening, trouble = faulty(SensorFault.STUCK_CELL)
    assert len(set(raws(evening, trouble))) == 1


def test_badly_wired_cells_drift_by_tiles_in_seconds(sound: Evening) -> None:
    evening, trouble = faulty(SensorFault.BAD_WIRING)
    cell = next(n for n in evening.furniture.nodes if n.place == trouble.place).cells[0]
    drift_g = (raws(evening, trouble) - raws(sound, trouble)) / cell.counts_per_g
    assert np.ptp(drift_g) > 24.0


def test_row_20_a_flapping_tag() -> None:
    evening, trouble = faulty(SensorFault.FLAPPING_TAG)
    heard = [trouble.sensor in one.uids for r in said(evening, trouble.place) for one in r.inventory if one.uids]
    assert sum(a != b for a, b in pairwise(heard)) > 50


def test_row_23_cut_and_row_25_reversed_uids() -> None:
    evening, trouble = faulty(SensorFault.CUT_UID)
    assert any(uid.startswith("88") and len(uid) == 8 for uid in uids(evening, trouble.place))
    evening, trouble = faulty(SensorFault.REVERSED_UID)
    enrolled = set(evening.furniture.setup.tiles)
    turned = {bytes.fromhex(uid)[::-1].hex().upper() for uid in enrolled}
    assert turned & set(uids(evening, trouble.place))


def test_row_26_a_neighbouring_table_s_tags() -> None:
    evening, trouble = faulty(SensorFault.NEIGHBOUR_TABLE)
    strangers = set(uids(evening, trouble.place)) - set(evening.furniture.setup.tiles)
    assert len(strangers) >= 5


def test_row_28_collisions_and_row_31_empty_reports() -> None:
    for fault in (SensorFault.COLLISIONS, SensorFault.EMPTY_REPORTS):
        evening, trouble = faulty(fault)
        inside = [
            one
            for m in evening.messages
            if m.place == trouble.place and m.readings and trouble.from_s + 0.3 < m.sent_s < (trouble.to_s or 0) - 0.1
            for one in m.readings.inventory
        ]
        assert inside
        assert not any(one.complete for one in inside)


def test_a_dead_tag_is_never_heard() -> None:
    evening, trouble = faulty(SensorFault.DEAD_TAG)
    everywhere = {uid for node in evening.furniture.nodes for uid in uids(evening, node.place)}
    assert trouble.sensor in evening.furniture.setup.tiles
    assert trouble.sensor not in everywhere


def test_an_antenna_that_is_out_says_nothing_or_hears_nothing() -> None:
    evening, trouble = faulty(SensorFault.ANTENNA_OUTAGE)
    for m in evening.messages:
        if m.place == trouble.place and m.readings and trouble.from_s + 0.3 < m.sent_s < (trouble.to_s or 0) - 0.1:
            assert not any(one.uids for one in m.readings.inventory if one.antenna.value == trouble.sensor)


def test_silence_and_row_45_a_node_that_stops() -> None:
    for fault in (SensorFault.SILENCE, SensorFault.NODE_STOPS):
        evening, trouble = faulty(fault)
        sent = [m.sent_s for m in evening.messages if m.place == trouble.place]
        assert not any(trouble.from_s <= s < (trouble.to_s or 0.0) for s in sent)
        assert any(s < trouble.from_s for s in sent)


def test_loss_repeats_and_disorder(sound: Evening) -> None:
    lost, _ = faulty(SensorFault.LOSS)
    assert 0.95 < len(lost.messages) / len(sound.messages) < 0.995
    repeated, _ = faulty(SensorFault.DUPLICATES)
    keys = [(m.readings.node, m.readings.boot, m.readings.seq) for m in repeated.messages if m.readings]
    assert 0.01 < 1 - len(set(keys)) / len(keys) < 0.03
    disordered, _ = faulty(SensorFault.DISORDER)
    for place in SEATS:
        seqs = [r.seq for r in said(disordered, place)]
        assert seqs != sorted(seqs)
        assert [r.seq for r in said(sound, place)] == sorted(r.seq for r in said(sound, place))


def test_row_35_and_36_nonsense_and_row_43_no_utf8() -> None:
    evening, _ = faulty(SensorFault.NONSENSE)
    assert sum(m.readings is None for m in evening.messages) == sum(t.n for t in evening.truth.trouble) > 0
    evening, _ = faulty(SensorFault.NOT_UTF8)
    junk = [m.payload for m in evening.messages if m.readings is None]
    assert len(junk) == 2 * len(evening.furniture.nodes)
    for payload in junk:
        assert payload is not None
        with pytest.raises(UnicodeDecodeError):
            payload.decode()


def test_row_38_retained_messages_are_of_another_boot() -> None:
    evening, _ = faulty(SensorFault.RETAINED)
    retained = [m for m in evening.messages if m.retain]
    assert len(retained) == len(evening.furniture.nodes)
    assert [p.retain for p in received_of(evening)[: len(retained)]] == [True] * len(retained)
    for m in retained:
        assert m.readings is not None
        assert m.readings.boot not in {r.boot for r in said(evening, m.place)}
        assert m.readings.button


def test_row_42_nan() -> None:
    evening, trouble = faulty(SensorFault.NAN)
    damaged = [m for m in evening.messages if m.payload is not None]
    assert len(damaged) == trouble.n > 0
    for m in damaged:
        assert m.payload is not None
        assert b",nan]" in m.payload
        with pytest.raises(msgspec.DecodeError):
            msgspec.json.decode(m.payload)


def test_the_clock_wraps_in_mid_hand() -> None:
    evening, trouble = faulty(SensorFault.CLOCK_WRAP)
    messages: list[Outgoing] = [m for m in evening.messages if m.place == trouble.place and m.readings]
    before = [m.readings.ticks for m in messages if m.readings and m.sent_s < trouble.from_s - 0.2]
    after = [m.readings.ticks for m in messages if m.readings and m.sent_s > trouble.from_s + 0.2]
    assert min(before) > 2**31 > max(after)


def test_faults_fall_on_tables_of_every_kind() -> None:
    for tier in (Tier.WEIGHT80, Tier.RFID_FLOOR):
        evening = simulate_evening(replace(QUICK, tier=tier, sensor_faults=BAD_DAY, reader=Reader.STREAMING))
        assert {t.fault for t in evening.truth.trouble} == {fault.value for fault in BAD_DAY}
