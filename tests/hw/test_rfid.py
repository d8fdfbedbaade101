"""The RFID model as a whole: hands of a noisy table against their truth, and the faults of tags seen in the field."""

import math
from functools import cache
from random import Random

import pytest

from firmware_bridge.messages import Antenna, Place, TagRead
from hw.observations import Quality, SensorHealth, TileMoved, Zone
from hw.rfid import Rfid, ZoneCount
from tests.hw.rfid_node import RACK, A, B, C, Node, node, settled
from tests.hw.rfid_scene import DISCARDS, SEATS, Noise, Scene, Stay, hear, ledge, play, slope

ZONES = {Antenna.SLOPE: Zone.SLOPE, Antenna.LEDGE: Zone.LEDGE, Antenna.DISCARD: None}

PLAIN = Noise(shadows_per_s=0.003)
NOISY = Noise(
    heard=0.75, heard_spread=0.1, weak_tags=0.03, cross=0.08, stray=0.002, incomplete=0.04, phantom=0.01,
    lost_message=0.02, shadows_per_s=0.002,
)  # fmt: skip


# --- hands of a table against their truth


class Run:
    """A scene through the model, and what came of it."""

    def __init__(self, scene: Scene, noise: Noise, seed: int) -> None:
        self.scene = scene
        rfid = Rfid(scene.tiles)
        self.moved: list[TileMoved] = []
        self.counts: list[tuple[float, Place, ZoneCount]] = []
        next_s = 1.0
        for delivery in hear(scene, noise, Random(seed)):
            while delivery.arrived_s > next_s:
                self._keep(rfid.advance(next_s))
                self.counts += [(next_s, seat, rfid.count(seat, Zone.RACK)) for seat in SEATS]
                next_s += 1.0
            self._keep(rfid.feed(delivery))
        self.rfid = rfid

    def _keep(self, told: list[TileMoved | SensorHealth]) -> None:
        self.moved += [each for each in told if isinstance(each, TileMoved)]

    def quiet_counts(self) -> list[tuple[ZoneCount, int]]:
        """What was said and what was true, each second at each rack that no hand had touched for two seconds."""
        busy = {
            (seat, second)
            for seat, start, end in self.scene.busy
            for second in range(math.floor(start), math.ceil(end + 2.0) + 1)
        }
        return [
            (said, len(self.scene.resting(slope(seat), at_s)) + len(self.scene.resting(ledge(seat), at_s)))
            for at_s, seat, said in self.counts
            if (seat, round(at_s)) not in busy
        ]

    def arrivals(self) -> list[tuple[Stay, TileMoved | None]]:
        """Each first or new rest of a tile on a spot, with the move that tells of it."""
        found: list[tuple[Stay, TileMoved | None]] = []
        for uid, stays in self.scene.stays.items():
            told = [m for m in self.moved if m.uid == uid and m.place is not None]
            for k, stay in enumerate(stays):
                if stay.end - stay.start < 1.5 or (k and stays[k - 1].spot == stay.spot):
                    continue
                where = (stay.spot[0], ZONES[stay.spot[1]])
                near = [m for m in told if (m.place, m.zone) == where and abs(m.moment.at_s - stay.start) < 2.0]
                found.append((stay, min(near, key=lambda m: abs(m.moment.at_s - stay.start), default=None)))
        return found

    def false_departures(self) -> list[TileMoved]:
        """Departures of tiles that lay still for a second before and after."""
        return [
            m
            for m in self.moved
            if m.place is None
            and any(s.start < m.moment.at_s - 1.0 and m.moment.at_s + 1.0 < s.end for s in self.scene.stays[m.uid])
        ]


@cache
def run(noise: Noise, pace: float, seed: int) -> Run:
    return Run(play(Random(seed), seconds=150.0, pace=pace, taps=noise.taps), noise, seed)


HANDS = [(PLAIN, 1.0, 7), (PLAIN, 1.8, 8), (NOISY, 1.3, 9)]


@pytest.mark.parametrize(("noise", "pace", "seed"), HANDS)
def test_counts_of_quiet_racks_are_right(noise: Noise, pace: float, seed: int) -> None:
    said = run(noise, pace, seed).quiet_counts()
    assert len(said) > 100
    assert sum(count.tiles == truth for count, truth in said) >= 0.985 * len(said)


@pytest.mark.parametrize(("noise", "pace", "seed"), HANDS)
def test_a_count_that_is_sure_is_right(noise: Noise, pace: float, seed: int) -> None:
    sure = [(c, truth) for c, truth in run(noise, pace, seed).quiet_counts() if c.confidence > 0.99 and not c.moving]
    assert sum(count.tiles != truth for count, truth in sure) <= 0.01 * len(sure)


@pytest.mark.parametrize(("noise", "pace", "seed"), HANDS)
def test_every_arrival_is_found_and_dated(noise: Noise, pace: float, seed: int) -> None:
    arrivals = run(noise, pace, seed).arrivals()
    found = [(stay, move) for stay, move in arrivals if move is not None]
    assert len(found) >= 0.99 * len(arrivals)
    held = sum(m.moment.earliest_s <= s.start <= m.moment.latest_s for s, m in found)
    assert held >= 0.96 * len(found)
    widths = sorted(m.moment.latest_s - m.moment.earliest_s for _, m in found)
    lags = sorted(m.seen_s - s.start for s, m in found)
    errors = sorted(abs(m.moment.at_s - s.start) for s, m in found)
    assert errors[int(0.9 * len(errors))] < (0.2 if noise is PLAIN else 0.3)
    assert widths[len(widths) // 2] < (0.6 if noise is PLAIN else 1.0)
    assert lags[len(lags) // 2] < 1.0


@pytest.mark.parametrize(("noise", "pace", "seed"), HANDS)
def test_tiles_that_lie_still_seldom_depart(noise: Noise, pace: float, seed: int) -> None:
    one = run(noise, pace, seed)
    silences = 0.003 * 52 * one.scene.end
    assert len(one.false_departures()) <= 0.2 * silences


def test_without_silences_none_departs() -> None:
    assert run(Noise(), 1.0, 11).false_departures() == []


def test_knowledge_comes_in_order_and_after_the_fact() -> None:
    moved = run(PLAIN, 1.0, 7).moved
    assert [m.seen_s for m in moved] == sorted(m.seen_s for m in moved)
    for move in moved:
        assert move.moment.earliest_s <= move.moment.at_s <= move.moment.latest_s
        assert move.moment.at_s <= move.seen_s
        assert 0.5 < move.confidence <= 1.0


def test_each_tile_leaves_before_it_comes_elsewhere() -> None:
    at: dict[str, TileMoved] = {}
    for move in run(NOISY, 1.3, 9).moved:
        before = at.get(move.uid)
        assert (before is None or before.place is None) != (move.place is None)
        at[move.uid] = move


def test_the_same_deliveries_tell_the_same() -> None:
    scene = play(Random(5), seconds=40.0)
    assert Run(scene, NOISY, 5).moved == Run(scene, NOISY, 5).moved


def test_where_the_floor_is_not_watched_a_discard_just_leaves() -> None:
    noise = Noise(floor=False)
    one = Run(play(Random(12), seconds=120.0, taps=noise.taps, floor=False), noise, 12)
    assert all(m.place is not Place.FLOOR for m in one.moved)
    said = one.quiet_counts()
    assert sum(count.tiles == truth for count, truth in said) >= 0.98 * len(said)


# --- one tile, one thing at a time


def test_a_tile_is_said_to_rest_where_it_lies() -> None:
    one = node(A)
    one.rest(0.0, 3.0, ())
    one.rest(3.0, 5.0, (A,))
    (move,) = one.moves()
    assert (move.place, move.zone) == (Place.EAST, Zone.SLOPE)
    assert move.moment.earliest_s < 2.95 < move.moment.latest_s
    assert move.seen_s < 4.0
    assert one.rfid.count(Place.EAST, Zone.RACK).tiles == 1


def test_a_tap_is_no_arrival() -> None:
    one = node(A)
    one.rest(0.0, 3.0, ())
    one.rest(3.0, 3.2, (A,))
    one.rest(3.2, 8.0, ())
    assert one.moves() == []
    assert one.count() == 0


def test_after_a_tap_the_tile_arrives_when_it_is_placed() -> None:
    one = node(A)
    one.rest(0.0, 3.0, ())
    one.rest(3.0, 3.2, (A,))
    one.rest(3.2, 4.5, ())
    one.rest(4.5, 6.5, (A,))
    (move,) = one.moves()
    assert move.moment.at_s == pytest.approx(4.45, abs=0.15)


def test_lifted_for_seconds_and_put_back_in_another_order() -> None:
    one = settled(*RACK)
    one.rest(5.0, 9.0, RACK[3:])
    assert one.count() == 10
    one.rest(9.0, 11.0, RACK[::-1])
    assert one.count() == 13
    assert {m.uid for m in one.moves()} == set(RACK[:3])
    for uid in RACK[:3]:
        left, back = one.moves(uid)
        assert left.moment.earliest_s < 4.95 < left.moment.latest_s
        assert back.moment.earliest_s < 8.95 < back.moment.latest_s


def test_from_slope_to_ledge_and_the_claimed_tile_with_them() -> None:
    one = settled(*RACK)
    for k in range(50, 80):
        one.hear(k / 10, RACK[2:])
        one.hear(k / 10 + 0.05, (*RACK[:2], A) if k > 58 else (), Antenna.LEDGE)
    assert (one.count(Zone.SLOPE), one.count(Zone.LEDGE)) == (11, 3)
    for uid in RACK[:2]:
        left, came = one.moves(uid)
        assert (left.place, came.zone) == (None, Zone.LEDGE)
        assert left.moment.latest_s < came.moment.at_s
    assert [m.zone for m in one.moves(A)] == [Zone.LEDGE]


def test_an_exchange_between_two_racks_keeps_both_counts() -> None:
    east = settled(*RACK)
    west = Node(east.rfid, Place.WEST)
    for k in range(50, 100):
        with_east = RACK if k < 60 else (*RACK[1:], A) if k > 75 else RACK[1:]
        on_west = (A,) if k < 70 else () if k < 75 else (RACK[0],)
        east.hear(k / 10, with_east)
        west.hear(k / 10 + 0.03, on_west, Antenna.LEDGE)
    assert (east.count(Zone.RACK), west.count(Zone.RACK)) == (13, 1)
    assert west.moves(RACK[0])[-1].zone is Zone.LEDGE
    assert east.moves(A)[-1].zone is Zone.SLOPE


def test_a_silent_tile_is_told_as_a_doubt_before_it_is_decided() -> None:
    one = settled(*RACK)
    one.rest(5.0, 6.0, RACK[1:])
    assert one.moves() == []
    (doubt,) = one.rfid.doubts(Place.EAST)
    assert (doubt.uid, doubt.zone) == (RACK[0], Zone.SLOPE)
    assert 0.01 < doubt.here < 0.9
    assert doubt.silent_since_s == pytest.approx(4.9, abs=0.01)
    assert one.rfid.count(Place.EAST, Zone.SLOPE).moving == 1


def test_a_gap_in_the_rounds_is_inside_the_bounds() -> None:
    one = settled(*RACK)
    one.rest(12.0, 14.0, (*RACK, A))
    (move,) = one.moves()
    assert move.moment.earliest_s < 5.2
    assert move.moment.latest_s > 11.8


def test_the_wall_antenna_is_on_no_rack() -> None:
    one = Node(Rfid({A: "1-bam"}), Place.FLOOR)
    one.rest(0.0, 3.0, (A,), Antenna.WALL)
    assert one.rfid.count(Place.FLOOR) == ZoneCount(0, 0.0, 0)
    one.rest(3.0, 4.0, (), Antenna.WALL)
    one.rest(4.0, 6.0, (A,), Antenna.DISCARD)
    assert one.rfid.count(Place.FLOOR).tiles == 1
    assert one.moves()[-1].place is Place.FLOOR


# --- research: faults seen in the field, by row


def test_fault_19_a_tag_present_and_absent_at_every_poll_is_present() -> None:
    one = node(*RACK)
    for k in range(200):
        one.hear(k / 10, RACK if k % 2 else RACK[1:])
    assert one.count() == 13
    assert [m.place for m in one.moves(RACK[0])] == [Place.EAST]


def test_fault_20_a_flapping_tag_is_debounced() -> None:
    one = settled(*RACK)
    rng = Random(3)
    for k in range(50, 600):
        one.hear(k / 10, RACK if rng.random() < 0.5 else RACK[1:])
    assert one.moves() == []


def test_fault_21_a_tag_reported_once_stays_where_the_reader_reports_changes_only() -> None:
    one = node(A, B, C)
    one.say(1.0, reads=tuple(TagRead(1_000_000 + k, Antenna.SLOPE, uid, -50.0) for k, uid in enumerate((A, B, C))))
    for k in range(11, 600):
        one.say(k / 10)
        if k % 10 == 0:
            one.told += one.rfid.advance(k / 10)
    assert one.count() == 3
    assert sorted(m.uid for m in one.moves()) == [A, B, C]


def test_fault_23_a_cut_uid_is_no_tile() -> None:
    one = settled(*RACK)
    one.rest(5.0, 8.0, (*RACK, "88E00401"))
    assert one.moves() == []
    assert one.rfid.unknown_reads == 30


def test_fault_25_a_uid_in_the_other_byte_order_is_no_tile() -> None:
    one = node(A)
    one.rest(0.0, 3.0, (bytes.fromhex(A)[::-1].hex().upper(),))
    assert one.count() == 0
    assert one.rfid.unknown_reads == 30


def test_fault_26_an_id_that_differs_by_one_digit_is_another() -> None:
    one = node(A, B)
    one.rest(0.0, 3.0, (A,))
    assert {m.uid for m in one.moves()} == {A}
    assert one.count() == 1
    one.rest(3.0, 6.0, (A, C))
    assert one.count() == 1
    assert one.rfid.unknown_reads == 30


def test_fault_26_a_tile_heard_by_two_racks_is_in_one_place() -> None:
    east = settled(*RACK)
    west = Node(east.rfid, Place.WEST)
    rng = Random(4)
    for k in range(50, 350):
        east.hear(k / 10, RACK)
        west.hear(k / 10 + 0.03, (RACK[0],) if rng.random() < 0.1 else ())
    assert east.moves() == west.moves() == []
    assert (east.count(), west.count()) == (13, 0)


def test_fault_28_incomplete_inventories_remove_nothing() -> None:
    one = settled(*RACK)
    for k in range(50, 350):
        one.hear(k / 10, RACK[: k % 5], complete=False)
    assert one.moves() == []
    assert one.count() == 13


def test_fault_28_incomplete_inventories_may_add() -> None:
    one = settled(*RACK)
    for k in range(50, 80):
        one.hear(k / 10, (A,), complete=False)
    assert [m.uid for m in one.moves()] == [A]


def test_fault_31_a_report_without_tags_is_a_heartbeat() -> None:
    one = node(A, B)
    one.rest(0.0, 5.0, ())
    told = one.rfid.advance(5.0)
    assert one.moves() == []
    assert told == []


def test_fault_32_what_a_bad_frame_leaves_is_counted_and_moves_nothing() -> None:
    one = settled(*RACK)
    one.rest(5.0, 7.0, (*RACK, "", "E00401", "FFFFFFFFFFFFFFFF"))
    assert one.moves() == []
    assert one.rfid.unknown_reads == 60


def test_a_tag_silent_while_a_hand_covers_the_rack_survives() -> None:
    one = settled(*RACK)
    rng = Random(6)
    for k in range(50, 62):
        one.hear(k / 10, tuple(uid for uid in RACK if rng.random() < 0.4))
    one.rest(6.2, 12.0, RACK)
    assert one.moves() == []


def test_a_deaf_antenna_is_told_and_moves_no_tile() -> None:
    one = settled(*RACK)
    one.rest(5.0, 30.0, ())
    one.told += one.rfid.advance(30.0)
    (health,) = [e for e in one.told if isinstance(e, SensorHealth)]
    assert (health.place, health.sensor, health.quality) == (Place.EAST, "slope antenna", Quality.INVALID)
    assert one.moves() == []
    assert one.rfid.count(Place.EAST, Zone.SLOPE).confidence == 0.0
    one.rest(30.0, 33.0, RACK)
    assert one.moves() == []
    assert one.count() == 13
    assert one.rfid.count(Place.EAST, Zone.SLOPE).confidence > 0.9


def test_what_left_while_an_antenna_was_deaf_is_missed_afterwards() -> None:
    one = settled(*RACK)
    one.rest(5.0, 20.0, ())
    one.rest(20.0, 25.0, RACK[2:])
    assert {m.uid for m in one.moves()} == set(RACK[:2])
    assert one.count() == 11


def test_fault_45_an_antenna_that_falls_silent_leaves_the_count_unknown() -> None:
    one = settled(*RACK)
    one.told += one.rfid.advance(15.0)
    assert [e.quality for e in one.told if isinstance(e, SensorHealth)] == [Quality.SILENT]
    assert one.rfid.count(Place.EAST, Zone.RACK).confidence == 0.0
    assert one.count() == 13


def test_rounds_older_than_the_last_are_dropped_and_counted() -> None:
    one = settled(*RACK)
    one.hear(3.0, ())
    one.hear(4.0, (A,))
    assert one.rfid.late_rounds == 2
    assert one.rfid.doubts(Place.EAST) == []


def test_a_rack_swept_by_hands_is_empty() -> None:
    one = settled(*RACK)
    for k in range(50, 100):
        one.hear(k / 10, RACK[max(0, k - 50) :])
    assert one.count() == 0


def test_streaming_reads_place_and_remove_tiles() -> None:
    one = node(*RACK, A)
    rng = Random(9)
    for k in range(400):
        there = RACK if k < 200 else RACK[1:]
        reads = tuple(
            TagRead(round((k / 10 + rng.random() / 10) * 1e6), Antenna.SLOPE, uid, -52.0 + rng.gauss(0.0, 3.0))
            for uid in there
            if rng.random() < 0.5
        )
        one.say(k / 10 + 0.1, reads=reads)
    assert one.count() == 12
    assert [m.place for m in one.moves(RACK[0])] == [Place.EAST, None]
    left = one.moves(RACK[0])[1].moment
    assert left.earliest_s < 20.0 < left.latest_s + 0.5
    assert all(len(one.moves(uid)) == 1 for uid in RACK[1:])


def test_a_streaming_reader_cut_off_for_a_while_removes_nothing() -> None:
    one = node(*RACK)
    for k in [*range(200), *range(500, 520)]:
        reads = tuple(TagRead(k * 100_000 + j, Antenna.SLOPE, uid, -52.0) for j, uid in enumerate(RACK))
        one.say(k / 10 + 0.1, reads=reads)
    assert one.count() == 13
    assert all(m.place is Place.EAST for m in one.moves())


def test_a_discard_is_found_on_the_floor() -> None:
    scene = Scene(dict.fromkeys(RACK, "1-bam"))
    for uid in RACK:
        scene.put(uid, slope(Place.EAST), 1.0)
    scene.lift(RACK[0], 8.0)
    scene.put(RACK[0], DISCARDS, 8.6)
    scene.end = 12.0
    one = Run(scene, Noise(weak_tags=0.0), 2)
    came, left, landed = [m for m in one.moved if m.uid == RACK[0]]
    assert (came.place, left.place, landed.place) == (Place.EAST, None, Place.FLOOR)
    assert left.moment.earliest_s <= 8.0 <= left.moment.latest_s
    assert landed.moment.earliest_s <= 8.6 <= landed.moment.latest_s
    assert landed.seen_s < 9.6


def swept(strays_every_s: float, until_s: float) -> Node:
    """A tile lay on the floor until 10 s and is heard there now and then since, as from a wall beside it."""
    one = Node(Rfid({A: "1-bam", B: "1-bam"}), Place.FLOOR)
    one.rest(0.0, 10.0, (A, B), Antenna.DISCARD)
    for k in range(500, round(until_s * 50)):
        stray = k % round(strays_every_s * 50) in (0, 7)
        one.hear(k / 50, (A, B) if stray else (B,), Antenna.DISCARD)
    return one


@pytest.mark.parametrize("strays_every_s", [2.0, 5.0])
def test_a_tile_swept_from_the_floor_does_not_land_there_again_for_a_few_strays(strays_every_s: float) -> None:
    one = swept(strays_every_s, 120.0)
    assert [m.place for m in one.moves(A)] == [Place.FLOOR, None]


def test_a_stray_that_lands_at_last_is_told_as_soon_as_any() -> None:
    one = swept(2.0, 119.9)
    for k in range(5995, 6060):
        one.hear(k / 50, (A, B), Antenna.DISCARD)
    landed = one.moves(A)[-1]
    assert landed.place is Place.FLOOR
    assert landed.moment.earliest_s <= 119.9 <= landed.moment.latest_s + 0.1
    assert landed.seen_s < 120.9


def test_a_tile_told_gone_that_was_only_silent_is_told_back() -> None:
    one = settled(*RACK)
    one.rest(5.0, 11.0, RACK[1:])
    one.rest(11.0, 14.0, RACK)
    assert [m.place for m in one.moves(RACK[0])] == [None, Place.EAST]
    assert one.count() == 13
