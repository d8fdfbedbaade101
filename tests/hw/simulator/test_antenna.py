"""What antennas hear of tiles: presence, absence, crosstalk, rounds' lengths, half rounds, single reads."""

from itertools import pairwise

import numpy as np
import pytest
from msgspec.structs import replace

from firmware_bridge.messages import Antenna, Place
from hw.simulator.antenna import Round, Tags, appearances, inventories, stream
from hw.simulator.options import Noise, Reader
from hw.simulator.physical import Happening, Hover, Move, Surface
from tests.hw.simulator.bench import FLOOR, IDEAL, LEDGE, SLOPE, WALL, noisy, scene

BOTH = (Antenna.SLOPE, Antenna.LEDGE)


def tags(n: int = 4) -> Tags:
    return Tags(tuple(f"E00401{k:010X}" for k in range(n)), np.ones(n))


def rounds(happening: Happening, noise=IDEAL, reader: Reader = Reader.INVENTORY, antennas=BOTH) -> list[Round]:  # type: ignore[no-untyped-def]
    n = len(happening.faces)
    return inventories(happening, Place.EAST, antennas, tags(n), noise, np.random.default_rng(2), reader)


def test_a_racked_tile_is_heard_from_its_landing_until_its_lift() -> None:
    moves = (Move(0, 4.0, 5.0, WALL, SLOPE, Place.EAST), Move(0, 10.0, 11.0, SLOPE, FLOOR, Place.EAST))
    heard = [r for r in rounds(scene(*moves)) if r.antenna is Antenna.SLOPE]
    inside = [r for r in heard if 5.1 < r.at_s < 10.0]
    assert inside
    assert all(r.uids == tags().uids[:1] for r in inside)
    assert not any(r.uids for r in heard if r.at_s < 5.0 or r.at_s > 10.1)


def test_slope_and_ledge_are_read_in_turn_and_apart() -> None:
    moves = (Move(0, 1.0, 2.0, WALL, SLOPE, Place.EAST), Move(1, 1.0, 2.0, WALL, LEDGE, Place.EAST))
    late = [r for r in rounds(scene(*moves)) if r.at_s > 2.2]
    assert [r.antenna for r in late[:4]] == [late[0].antenna, late[1].antenna] * 2
    assert {r.antenna for r in late} == set(BOTH)
    for r in late:
        assert r.uids == (tags().uids[0 if r.antenna is Antenna.SLOPE else 1],)


@pytest.mark.parametrize(("n", "low_s", "high_s"), [(1, 0.014, 0.025), (14, 0.11, 0.17)])
def test_a_round_takes_as_long_as_its_tags_need(n: int, low_s: float, high_s: float) -> None:
    """Research: 14 tags take 131 ms on average, 1 tag 17 ms."""
    happening = scene(tiles=n, start=SLOPE)
    spans = np.diff([r.at_s for r in rounds(happening, antennas=(Antenna.SLOPE,))])
    assert low_s < float(spans.mean()) < high_s
    slow = np.diff([r.at_s for r in rounds(happening, reader=Reader.SLOW, antennas=(Antenna.SLOPE,))])
    assert float(slow.mean()) > 0.1


def test_a_held_tile_near_the_rack_is_heard_sometimes_and_a_tapped_one_mostly() -> None:
    away = Move(0, 2.0, 12.0, WALL, FLOOR, Place.EAST)
    share = {}
    for touching in (False, True):
        hover = Hover(0, Place.EAST, Surface.SLOPE, 3.0, 11.0, touching)
        near = [r for r in rounds(scene(away, hovers=(hover,))) if 3.1 < r.at_s < 11.0 and r.antenna is Antenna.SLOPE]
        share[touching] = sum(bool(r.uids) for r in near) / len(near)
    assert 0.2 < share[False] < 0.6
    assert share[True] > 0.8


@pytest.mark.parametrize("noise", Noise)
def test_hearing_and_half_rounds_are_those_of_their_level(noise: Noise) -> None:
    heard, total, half, crosstalk = 0, 0, 0, 0
    for seed in range(6):
        happening = scene(tiles=13, start=SLOPE, end_s=30.0)
        got = inventories(
            happening, Place.EAST, BOTH, tags(13), noisy(noise), np.random.default_rng(seed), Reader.INVENTORY
        )
        slope = [r for r in got if r.antenna is Antenna.SLOPE]
        known = set(tags(13).uids)
        heard += sum(len(known & set(r.uids)) for r in slope if r.complete)
        total += 13 * sum(r.complete for r in slope)
        half += sum(not r.complete for r in slope)
        crosstalk += sum(len(known & set(r.uids)) for r in got if r.antenna is Antenna.LEDGE)
    assert heard / total == pytest.approx(noisy(noise).heard, abs=0.06)
    if noise is not Noise.QUIET:
        assert half > 0
        assert crosstalk > 0


def test_weak_and_dead_tags() -> None:
    strengths = Tags(tags().uids, np.array([1.0, 0.3, 0.0, 1.0]))
    got = inventories(
        scene(start=SLOPE), Place.EAST, (Antenna.SLOPE,), strengths, IDEAL, np.random.default_rng(2), Reader.INVENTORY
    )
    share = [sum(uid in r.uids for r in got) / len(got) for uid in strengths.uids]
    assert share[0] == share[3] == 1.0
    assert 0.2 < share[1] < 0.4
    assert share[2] == 0.0


def test_phantoms_are_never_enrolled_ids() -> None:
    noise = replace(IDEAL, phantom=0.5)
    extra = [uid for r in rounds(scene(), noise) for uid in r.uids]
    assert len(extra) > 50
    assert not set(extra) & set(tags().uids)


def test_a_streaming_reader_reads_one_tag_at_a_time_and_may_hand_it_over_late() -> None:
    happening = scene(tiles=13, start=SLOPE, end_s=60.0)
    reads = stream(happening, Place.EAST, BOTH, tags(13), noisy(Noise.BRUTAL), np.random.default_rng(4))
    own = [r for r in reads if r.antenna is Antenna.SLOPE]
    assert {r.uid for r in own} >= set(tags(13).uids)
    assert all(r.out_s >= r.at_s for r in reads)
    assert [r.out_s for r in reads] == sorted(r.out_s for r in reads)
    assert any(a.at_s > b.at_s for a, b in pairwise(reads))
    strays = [r.rssi_dbm for r in reads if r.antenna is Antenna.LEDGE]
    assert np.mean(strays) < np.mean([r.rssi_dbm for r in own]) - 5.0


def test_row_21_a_reader_of_changes_tells_a_tag_once_while_it_stays() -> None:
    moves = (Move(0, 4.0, 5.0, WALL, SLOPE, Place.EAST), Move(0, 20.0, 21.0, SLOPE, FLOOR, Place.EAST),
             Move(0, 30.0, 31.0, FLOOR, SLOPE, Place.EAST))  # fmt: skip
    happening = scene(*moves, end_s=40.0)
    reads = appearances(stream(happening, Place.EAST, BOTH, tags(), IDEAL, np.random.default_rng(4)))
    told = [round(r.at_s) for r in reads if r.uid == tags().uids[0] and r.antenna is Antenna.SLOPE]
    assert told == [5, 31]
