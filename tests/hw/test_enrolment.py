"""Enrolling a tile set: every tile once, nothing that is not there, and a word for everything odd."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.uids import reversed_bytes
from hw.enrolment import Enrolment, Outcome, State
from hw.set_status import set_status
from hw.simulator.tiles import faces
from hw.tag_on_antenna import Heard
from hw.tile_set import AMERICAN_SET, SET_SIZE, face_named
from tests.hw.tag_scene import Bench, tags

SET = tags(1)
BAMS = [uid for uid, face in SET.items() if face == "1-bam"]
TWO = next(uid for uid, face in SET.items() if face == "2-bam")


def begun(bench: Bench, enrolment: Enrolment | None = None) -> Enrolment:
    enrolment = enrolment or Enrolment()
    for _ in range(10):
        if enrolment.state is State.BARE:
            bench.run(enrolment, 2.0)
    assert enrolment.state in {State.WAITING, State.COMPLETE}
    return enrolment


def outcomes(told: list) -> list[Outcome]:
    return [one.outcome for one in told]


def test_the_set_is_the_american_one() -> None:
    assert SET_SIZE == 152
    assert Counter(faces()) == AMERICAN_SET


@pytest.mark.parametrize(
    ("text", "face"),
    [("4-bam", "4-bam"), ("4 bams", "4-bam"), ("9d", "9-dot"), ("1 crack", "1-crak"), ("e", "E"), ("East", "E"),
     ("white dragon", "soap"), ("Jokers", "joker"), ("flower", "flower"), ("RED", "red"), ("10-bam", None),
     ("0b", None), ("", None), ("x", None), ("4", None)],
)  # fmt: skip
def test_faces_are_understood_as_people_say_them(text: str, face: str | None) -> None:
    assert face_named(text) == face


@pytest.mark.parametrize("reel", [False, True])
@pytest.mark.parametrize(("round_s", "heard", "phantom"), [(0.03, 0.97, 0.0), (0.12, 0.9, 0.005), (0.4, 0.7, 0.02)])
def test_a_whole_set_is_enrolled_tile_by_tile(reel: bool, round_s: float, heard: float, phantom: float) -> None:
    bench = Bench(3, heard=heard, phantom=phantom, round_s=round_s, incomplete=0.03)
    enrolment, whole = begun(bench), tags(7, reel=reel)
    for uid, face in whole.items():
        assert enrolment.face == face
        for _ in range(40):
            bench.run(enrolment, 1.0, uid)
            if enrolment.state is State.DOUBTFUL:
                enrolment.confirm()
            if enrolment.state is State.LIFTING:
                break
        while enrolment.state is State.LIFTING:
            bench.run(enrolment, 0.5)
    assert enrolment.state is State.COMPLETE
    assert enrolment.status.complete
    assert enrolment.result.tiles == whole
    assert "complete" in enrolment.advice.words


def test_a_tag_that_is_laid_twice_is_known() -> None:
    bench = Bench()
    enrolment = begun(bench)
    assert outcomes(bench.lay(enrolment, BAMS[0])) == [Outcome.ENROLLED]
    assert outcomes(bench.lay(enrolment, BAMS[0])) == [Outcome.KNOWN]
    assert enrolment.result.tiles == {BAMS[0]: "1-bam"}


def test_one_id_on_tiles_of_two_faces_is_a_clash() -> None:
    bench = Bench()
    enrolment = begun(bench, Enrolment(dict.fromkeys(BAMS, "1-bam")))
    assert enrolment.face == "2-bam"
    (told,) = bench.lay(enrolment, BAMS[0])
    assert told.outcome is Outcome.CLASH
    assert "1-bam" in told.words
    assert "2-bam" in told.words


def test_several_tiles_at_once_are_never_enrolled() -> None:
    bench = Bench()
    enrolment = begun(bench)
    assert bench.run(enrolment, 5.0, {BAMS[0]: 0.95, BAMS[1]: 0.8}) == []
    assert "Several" in enrolment.advice.trouble
    told = bench.run(enrolment, 8.0, BAMS[1])
    assert outcomes(told) == [Outcome.ENROLLED]
    assert set(enrolment.result.tiles) == {BAMS[1]}


@pytest.mark.parametrize("heard", [0.95, 0.75])
def test_a_whole_set_is_enrolled_face_by_face(heard: float) -> None:
    bench = Bench(4, heard=heard, phantom=0.01, near={"E0040100DEADBEEF": 0.03})
    enrolment, whole = begun(bench), tags(9, reel=True)
    enrolment.together = True
    for face, n in AMERICAN_SET.items():
        assert enrolment.face == face
        assert f"{n} tiles {face}" in enrolment.advice.words
        lying = dict.fromkeys((uid for uid, one in whole.items() if one == face), heard)
        for _ in range(60):
            bench.run(enrolment, 0.5, lying)
            if enrolment.state is State.LIFTING:
                break
        while enrolment.state is State.LIFTING:
            bench.run(enrolment, 0.5)
    assert enrolment.state is State.COMPLETE
    assert enrolment.result.tiles == whole


def test_together_the_number_must_be_right_and_no_other_face_among_them() -> None:
    bench = Bench(2, heard=0.95)
    enrolment = begun(bench)
    enrolment.together = True
    assert bench.run(enrolment, 8.0, dict.fromkeys(BAMS[:3], 0.95)) == []
    assert "3 tiles are heard surely" in enrolment.advice.trouble
    assert bench.run(enrolment, 8.0, dict.fromkeys([*BAMS, TWO], 0.95)) == []
    assert "5 tiles are heard surely" in enrolment.advice.trouble
    told = bench.run(enrolment, 12.0, dict.fromkeys(BAMS, 0.95))
    assert outcomes(told) == [Outcome.ENROLLED] * 4
    bench.run(enrolment, 4.0)
    assert enrolment.face == "2-bam"
    assert outcomes(bench.run(enrolment, 8.0, dict.fromkeys([BAMS[0], TWO], 0.95))) == [Outcome.CLASH]
    bench.run(enrolment, 4.0)
    enrolment.together = False
    assert outcomes(bench.run(enrolment, 4.0, TWO)) == [Outcome.ENROLLED]
    assert len(enrolment.result.tiles) == 5


@pytest.mark.parametrize("seed", range(20))
def test_strays_of_neighbours_and_phantoms_are_not_enrolled(seed: int) -> None:
    bench = Bench(seed, heard=0.85, phantom=0.02)
    bench.near = dict.fromkeys(list(SET)[100:110], 0.05)
    enrolment = begun(bench)
    bench.run(enrolment, 20.0)
    assert enrolment.result.tiles == {}
    bench.lay(enrolment, BAMS[0], 6.0)
    assert set(enrolment.result.tiles) == {BAMS[0]}
    bench.run(enrolment, 20.0)
    assert set(enrolment.result.tiles) == {BAMS[0]}
    assert set(enrolment.glimpsed) & set(bench.near)


def test_a_tile_that_lies_on_a_neighbours_antenna_is_told() -> None:
    bench = Bench(other_antenna={BAMS[0]: 0.9})
    enrolment = begun(bench)
    assert bench.run(enrolment, 5.0, {BAMS[0]: 0.7}) == []
    assert "another antenna" in enrolment.advice.trouble
    bench.other_antenna = {BAMS[0]: 0.02}
    assert outcomes(bench.run(enrolment, 6.0, BAMS[0])) == [Outcome.ENROLLED]


def test_an_id_heard_once_is_not_counted() -> None:
    bench = Bench(incomplete=0.0)
    enrolment = begun(bench)
    told = enrolment.feed(Heard(bench.now_s + 0.1, (BAMS[0],)))
    told += bench.run(enrolment, 5.0)
    assert outcomes(told) == [Outcome.FLEETING]
    assert enrolment.result.tiles == {}


@pytest.mark.parametrize(
    ("uid", "outcome"),
    [
        ("88A1B2C3", Outcome.CUT_SHORT),
        ("88A1B2C3D4E5F6", Outcome.CUT_SHORT),
        ("E00401", Outcome.ILL_FORMED),
        ("FFFFFFFFFFFFFFFF", Outcome.ILL_FORMED),
        ("E0040100XYZ00000", Outcome.ILL_FORMED),
    ],
)
def test_ids_that_can_be_no_tag_are_refused(uid: str, outcome: Outcome) -> None:
    bench = Bench()
    enrolment = begun(bench)
    assert outcomes(bench.lay(enrolment, uid)) == [outcome]
    assert enrolment.result.tiles == {}


def test_an_id_of_another_length_is_doubtful_and_may_be_confirmed() -> None:
    bench = Bench()
    enrolment = begun(bench, Enrolment(dict.fromkeys(BAMS[:3], "1-bam")))
    assert outcomes(bench.run(enrolment, 3.0, "04A1B2C3D4E5F6")) == [Outcome.DOUBTFUL]
    assert enrolment.state is State.DOUBTFUL
    assert "14 digits" in enrolment.advice.trouble
    bench.run(enrolment, 3.0)
    assert enrolment.state is State.WAITING
    assert enrolment.confirm().outcome is Outcome.REFUSED
    bench.run(enrolment, 3.0, "04A1B2C3D4E5F6")
    assert enrolment.confirm().outcome is Outcome.ENROLLED
    assert "14 digits" in enrolment.result.doubts["04A1B2C3D4E5F6"]


def test_the_byte_order_of_an_iso_15693_id_does_not_matter_and_a_twin_is_found() -> None:
    bench = Bench()
    enrolment = begun(bench)
    bench.lay(enrolment, reversed_bytes(BAMS[0]))
    assert set(enrolment.result.tiles) == {BAMS[0]}
    assert outcomes(bench.lay(enrolment, reversed_bytes(BAMS[0]))) == [Outcome.KNOWN]
    both = bench.run(enrolment, 4.0, {BAMS[1]: 0.9, reversed_bytes(BAMS[1]): 0.9})
    assert outcomes(both) == [Outcome.ENROLLED], "one tag, read in both orders"
    assert BAMS[1] in enrolment.result.tiles
    plain = "04A1B2C3D4E5F611"
    other = begun(bench, Enrolment({plain: "1-bam"}))
    assert outcomes(bench.lay(other, reversed_bytes(plain))) == [Outcome.REVERSED]


def test_a_weak_tag_is_enrolled_with_a_doubt_and_near_another_only_when_confirmed() -> None:
    bench = Bench(incomplete=0.0)
    enrolment = begun(bench)
    assert outcomes(bench.run(enrolment, 20.0, {BAMS[0]: 0.28})) == [Outcome.DOUBTFUL]
    assert BAMS[0] not in enrolment.result.tiles
    assert enrolment.confirm().outcome is Outcome.ENROLLED
    assert "rounds only" in enrolment.result.doubts[BAMS[0]]
    bench.run(enrolment, 8.0)
    assert enrolment.state is State.WAITING
    near = BAMS[0][:-1] + ("0" if BAMS[0][-1] != "0" else "1")
    told = bench.run(enrolment, 20.0, {near: 0.28})
    assert outcomes(told) == [Outcome.DOUBTFUL]
    assert "one digit" in enrolment.advice.trouble
    assert near not in enrolment.result.tiles


def test_a_tile_that_is_never_heard_is_set_aside() -> None:
    bench = Bench()
    enrolment = begun(bench)
    bench.run(enrolment, 10.0)
    assert "Nothing is heard" in enrolment.advice.trouble
    for _ in range(4):
        enrolment.set_aside()
    assert enrolment.face == "2-bam"
    status = enrolment.status
    assert (status.missing["1-bam"], status.set_aside) == (4, {"1-bam": 4})
    assert "not heard: 4 1-bam" in status.words
    enrolment.undo()
    assert enrolment.face == "1-bam"


def test_a_resident_of_the_antenna_holds_the_start_up_until_it_is_ignored() -> None:
    bench = Bench(near={TWO: 0.9})
    enrolment = Enrolment()
    bench.run(enrolment, 5.0)
    assert enrolment.state is State.BARE
    assert TWO in enrolment.advice.trouble
    assert enrolment.ignore().outcome is Outcome.CHANGED
    bench.run(enrolment, 4.0)
    assert outcomes(bench.lay(enrolment, BAMS[0])) == [Outcome.ENROLLED]
    assert enrolment.ignore().outcome is Outcome.REFUSED


def test_a_half_done_set_is_resumed_and_completed() -> None:
    half = dict(list(SET.items())[:150])
    bench = Bench()
    enrolment = begun(bench, Enrolment(half, {BAMS[0]: "weak", "E0" * 8: "not enrolled"}))
    assert enrolment.status.missing == {"joker": 2}
    assert enrolment.advice.words == "Lay a joker on the antenna (7 of 8)."
    for uid in list(SET)[150:]:
        bench.lay(enrolment, uid)
    assert enrolment.state is State.COMPLETE
    assert enrolment.result.tiles == SET
    assert enrolment.result.doubts == {BAMS[0]: "weak"}
    assert bench.lay(enrolment, "E004010099999999") == []


def test_what_is_missing_and_too_many_is_told_exactly() -> None:
    wrong = {**SET, BAMS[0]: "2-bam", TWO: "4-leaf", "E004010077777777": "joker"}
    status = set_status(wrong)
    assert (status.missing, status.too_many) == ({"1-bam": 1}, {"joker": 1})
    assert status.flaws == (f"4-leaf ({TWO}) is no face of the set",)
    assert not status.complete
    assert set_status(SET).complete
    assert set_status({}).missing == AMERICAN_SET
    assert "no whole id" in set_status({"88A1B2C3": "joker"}).words
    plain = "04A1B2C3D4E5F611"
    assert "either byte order" in set_status({plain: "E", reversed_bytes(plain): "S"}).words


def test_faces_may_be_chosen_corrected_forgotten_and_all_of_it_undone() -> None:
    bench = Bench()
    enrolment = begun(bench)
    assert enrolment.choose("soap").outcome is Outcome.CHANGED
    bench.lay(enrolment, BAMS[0])
    assert enrolment.face == "soap"
    assert enrolment.correct(BAMS[0], "1-bam").outcome is Outcome.CHANGED
    assert enrolment.correct(BAMS[0], "4-leaf").outcome is Outcome.REFUSED
    assert enrolment.correct(TWO, "1-bam").outcome is Outcome.REFUSED
    assert enrolment.forget(BAMS[0]).outcome is Outcome.CHANGED
    assert enrolment.forget(BAMS[0]).outcome is Outcome.REFUSED
    assert enrolment.choose("4-leaf").outcome is Outcome.REFUSED
    enrolment.undo()
    assert enrolment.result.tiles == {BAMS[0]: "1-bam"}
    enrolment.undo()
    assert enrolment.result.tiles == {BAMS[0]: "soap"}
    enrolment.undo()
    assert enrolment.result.tiles == {}
    assert enrolment.undo().outcome is Outcome.REFUSED
    done = begun(bench, Enrolment(SET))
    assert done.state is State.COMPLETE
    assert done.choose("joker").outcome is Outcome.REFUSED
    done.forget(BAMS[0])
    assert (done.state, done.face) == (State.WAITING, "1-bam")


@settings(deadline=None, max_examples=80)
@given(data=st.data())
def test_every_change_can_be_undone(data: st.DataObject) -> None:
    enrolment = Enrolment(dict(list(SET.items())[:20]))
    before = enrolment.result
    changes = 0
    for _ in range(data.draw(st.integers(0, 15))):
        uid = data.draw(st.sampled_from(list(SET)[:25]))
        face = data.draw(st.sampled_from([*AMERICAN_SET, "4-leaf"]))
        match data.draw(st.sampled_from(["correct", "forget", "set aside"])):
            case "correct":
                told = enrolment.correct(uid, face)
            case "forget":
                told = enrolment.forget(uid)
            case _:
                told = enrolment.set_aside()
        changes += told.outcome is Outcome.CHANGED
        status = enrolment.status
        have = Counter(enrolment.result.tiles.values())
        for each, n in AMERICAN_SET.items():
            assert have[each] + status.missing.get(each, 0) - status.too_many.get(each, 0) == n
    for _ in range(changes):
        assert enrolment.undo().outcome is Outcome.CHANGED
    assert enrolment.result == before
    assert enrolment.undo().outcome is Outcome.REFUSED


ROUND = st.tuples(
    st.lists(st.sampled_from([*BAMS, TWO, "88A1B2C3", "", "xyz"]), max_size=4), st.booleans(), st.booleans()
)


@settings(deadline=None, max_examples=60)
@given(rounds=st.lists(ROUND, max_size=80), seed=st.integers(0, 9))
def test_no_sequence_of_rounds_breaks_it_or_enrols_an_id_that_was_hardly_heard(
    rounds: list[tuple[list[str], bool, bool]], seed: int
) -> None:
    bench = Bench(seed)
    enrolment = begun(bench)
    times: Counter[str] = Counter()
    for uids, complete, here in rounds:
        bench.now_s += 0.2
        enrolment.feed(Heard(bench.now_s, tuple(uids), complete, here))
        times.update(set(uids) if here else ())
        assert enrolment.advice.words
    assert all(times[uid] >= 6 for uid in enrolment.result.tiles)
