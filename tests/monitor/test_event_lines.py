"""Lines that others wrote: each flaw in a sentence that names key, value and what may stand there; little is lost."""

import codecs
import json
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.event_lines import LEFT_OUT, OF_A_SEAT, ReadEvent, read_event
from monitor.events import Called, Corrected, CountChanged, Event, HandEnded, Recorded, Seat, parse_event

KINDS: tuple[type[Recorded], ...] = get_args(Event)
NEEDED: dict[str, dict[str, Any]] = {
    "count_changed": {"count": 13},
    "seats_swapped": {"with": "west"},
    "corrected": {"replaces": 1},
}
RAW_WORDS = ("Expected", "Object", "Invalid", "`", "$", "truncated", "malformed", "recursion")
DEEP = b'{"kind":"tick","at":1,"x":' + b"[" * 1200 + b"]" * 1200 + b"}"


def line(kind: str = "racked", **keys: Any) -> bytes:
    return json.dumps({"kind": kind, "at": 5.0, "seat": "east", **NEEDED.get(kind, {}), **keys}).encode()


def read(text: bytes | str) -> ReadEvent:
    found = read_event(text)
    assert isinstance(found, ReadEvent), found
    return found


def refused(text: bytes | str) -> str:
    found = read_event(text)
    assert isinstance(found, str), found
    assert not [word for word in RAW_WORDS if word in found], found
    return found


def test_a_line_of_every_kind_is_read_and_nothing_is_done_to_it() -> None:
    for kind in KINDS:
        found = read(line(str(kind.__struct_config__.tag), seq=3, earliest=4, latest=6, seen_at=7, confidence=0.5))
        assert type(found.event) is kind
        assert found.done == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"{", "breaks off before its JSON is complete"),
        (b'{"kind":"tick","at":1', "breaks off before its JSON is complete"),
        (b"[1]", 'must be an object in braces, not a list. An event is a line such as {"kind":"tick","at":1.5}'),
        (b"3", "must be an object in braces, not 3. An event"),
        (b"null", "must be an object in braces, not null. An event"),
        (b"hello", "is not JSON: invalid character near byte 1. An event is a line such as"),
        (b'{"kind":"tick","at":NaN}', "is not JSON: invalid character near byte 21"),
        (b'{"kind":"tick","at":1} x', "is not JSON: trailing characters near byte 25"),
        (b"\xff", "is not UTF-8 text. Save it as UTF-8"),
        ('{"kind":"tick","at":1}'.encode("utf-16"), "is not UTF-8 text"),
        (b'{"kind":"racked","at":1,"uid":"\xff"}', "is not UTF-8 text"),
        ('{"kind":"tick","at":1,"x":"\ud800"}', "is not UTF-8 text"),
        (b'{"kind":"racked","at":1,"uid":"\\ud800"}', "holds half a character"),
        (DEEP, "is nested too deeply"),
        (DEEP.decode(), "is nested too deeply"),
        (b'{"kind":"sneezed","at":1,', "breaks off before its JSON is complete"),
        (b'{"kind":"sneezed","x":' + b"[" * 5000, "is nested too deeply"),
        (b"0\x00", "must be an object in braces, not a whole number"),
        (b"1e999", "must be an object in braces"),
        (b'{"at":1}', 'kind: is missing. Add "kind": …'),
        (b'{"kind":"tick"}', 'at: is missing. Add "at": …'),
        (b'{"kind":3,"at":1}', "kind: must be the name of a kind, not 3"),
        (b'{"kind":["tick"],"at":1}', "kind: must be the name of a kind, not a list"),
        (line("rackd"), "kind: 'rackd' is not known. Did you mean racked?"),
        (line("called_withdrawn"), "Did you mean call_withdrawn?"),
        (line("zzz"), "Known here: count_changed, hand_started, dealt,"),
        (line("x" * 500), "kind: 'xxx"),
    ],
)
def test_what_is_no_event_is_said_in_plain_words(text: bytes | str, says: str) -> None:
    assert says in refused(text)
    assert len(refused(text)) < 500


def test_a_strict_decoder_refuses_what_is_nested_too_deeply_as_it_refuses_other_lines() -> None:
    with pytest.raises(msgspec.DecodeError, match="nested too deeply"):
        parse_event(DEEP)


MOMENT = "must be a number from -10,000,000,000 to 10,000,000,000"
TILES = "must be a whole number from 0 to 152"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        *((line("count_changed", count=n), f"count: {TILES}, not {n}") for n in (-1, 153, 1.5)),
        (line("count_changed", count="many"), f'count: {TILES}, not "many"'),
        (line("count_changed", count=True), f"count: {TILES}, not true"),
        (line("count_changed", previous=-1), f"previous: {TILES}, not -1"),
        (line("count_changed", previous=153), f"previous: {TILES}, not 153"),
        (b'{"kind":"count_changed","at":1,"seat":"east"}', "count: is missing"),
        *((line(kind, n=-1), f"n: {TILES}, not -1") for kind in ("exposed", "passed", "joker_exchanged")),
        (line("exposed", n=153), f"n: {TILES}, not 153"),
        (line("corrected", count=-1), f"count: {TILES}, not -1"),
        (line("corrected", n=153), f"n: {TILES}, not 153"),
        (line("corrected", replaces=-1), "replaces: must be a whole number from 0 to 9,007,199,254,740,992, not -1"),
        (line(seq=-1), "seq: must be a whole number from 0 to 9,007,199,254,740,992, not -1"),
        (line(seq=1.5), "seq: must be a whole number"),
        (line(seq=2**53 + 1), "not 9007199254740993"),
        (b'{"kind":"tick","at":1,"seq":1' + b"0" * 5000 + b"}", "seq: must be a whole number from 0 to 9,0"),
        (line(confidence=-0.01), "confidence: must be a number from 0 to 1, not -0.01"),
        (line(confidence=1.01), "confidence: must be a number from 0 to 1, not 1.01"),
        *(
            (line(**{key: value}), f"{key}: {MOMENT}")
            for key in ("at", "earliest", "latest", "seen_at")
            for value in (1.1e10, -1.1e10, "5")
        ),
        (b'{"kind":"tick","at":1e999}', f"at: {MOMENT}"),
        (b'{"kind":"tick","at":null}', f"at: {MOMENT}, not null"),
        (line(earliest=6, latest=5), "earliest: 6.0 is after latest, 5.0. at must lie between the two"),
        (line("count_changed", zone="roof"), "zone: 'roof' is not known. Known here: rack, slope, ledge"),
        (line(seat="up"), "seat: 'up' is not known. Known here: east, south, west, north"),
        (line(seat="nort"), "Did you mean north? Known here: east, south, west, north"),
        (line("corrected", seat="up"), "seat: 'up' is not known"),
        (line(table=3), "table: must be text in quotes, not 3"),
        (line("seats_swapped", **{"with": None}), "with: is missing, and seats_swapped says nothing without it"),
        (line("seats_swapped", **{"with": "up"}), "with: 'up' is not known"),
        (line("seats_swapped", **{"with": "east"}), "with: must be another seat than the one it is swapped"),
        (line("passed", to="east"), "to: must be another seat than the one that passes, not east"),
        (line("corrected", new_kind="rackd"), "new_kind: 'rackd' is not known. Did you mean racked?"),
        (line("corrected", new_kind="tick"), "new_kind: tick is nothing that an event can prove to have been"),
        (line("corrected", new_kind="corrected"), "new_kind: corrected is nothing"),
        (line("corrected", struck="yes"), 'struck: must be true or false, not "yes"'),
    ],
)  # fmt: skip
def test_what_makes_a_line_unusable_is_said_with_key_and_value_and_what_may_stand_there(text: bytes, says: str) -> None:
    assert says in refused(text)


@pytest.mark.parametrize("kind", KINDS)
def test_what_acts_has_a_seat(kind: type[Recorded]) -> None:
    name = str(kind.__struct_config__.tag)
    text = line(name, seat=None)
    if kind in OF_A_SEAT:
        assert refused(text).startswith(f"seat: is missing, and {name} says nothing without it")
    else:
        assert read(text).event.seat is None


def test_what_may_concern_the_whole_table_needs_no_seat() -> None:
    assert {str(kind.__struct_config__.tag) for kind in set(KINDS) - OF_A_SEAT} == {
        *("hand_started", "dealt", "play_started", "window_opened", "window_closed", "thrown_in", "hand_ended"),
        *("new_hand", "director_called", "tick", "corrected"),
    }


def test_bounds_of_what_may_stand_in_a_key() -> None:
    for count in (0, 152, None):
        assert read(line("count_changed", count=count)) == ReadEvent(CountChanged(at=5.0, seat=Seat.EAST, count=count))
    for at in (-1e10, 0, 1e10, 1_800_000_000.25):
        assert read(line(at=at)).event.at == at
    for confidence in (0, 1):
        assert read(line(confidence=confidence)).event.confidence == confidence
    assert read(line(seq=2**53)).event.seq == 2**53
    assert read(line(earliest=5, latest=5, seen_at=5)).done == ()


# ---- what an event can do without


def test_a_call_for_nothing_known_is_a_call_all_the_same() -> None:
    found = read(line("called", via="pigeon", discard_by="south", **{"for": "sandwich"}))
    assert found.event == Called(at=5.0, seat=Seat.EAST, discard_by=Seat.SOUTH)
    assert sorted(found.done) == [
        "for: 'sandwich' is not known. Known here: pung, kong, quint, sextet, mah_jongg (left out)",
        "via: 'pigeon' is not known. Known here: button, input, exposure (left out)",
    ]


@pytest.mark.parametrize("value", ["?", 3, ["east", "up"], {"x": 1}, 1e300])
@pytest.mark.parametrize("kind", KINDS)
def test_every_key_that_an_event_can_do_without_is_left_out_where_it_is_bad(kind: type[Recorded], value: Any) -> None:
    name = str(kind.__struct_config__.tag)
    plain = read(line(name)).event
    for field in msgspec.structs.fields(kind):
        key = field.encode_name
        if key not in LEFT_OUT:
            continue
        found = read(line(name, **{key: value}))
        if found.done:
            assert found.event == plain
            assert len(found.done) == 1
            assert found.done[0].startswith(key)
            assert found.done[0].endswith("(left out)")
        else:
            assert getattr(found.event, field.name) not in {None, ""}


def test_a_key_that_no_type_can_hold_is_left_out_too() -> None:
    assert read(b'{"kind":"racked","at":5.0,"seat":"east","uid":1e999}').done == (
        "uid: must be text in quotes (left out)",
    )


def test_where_the_table_is_meant_a_bad_seat_is_left_out() -> None:
    found = read(line("hand_ended", seat="up", how="wall"))
    assert isinstance(found.event, HandEnded)
    assert found.event.seat is None
    assert found.done == ("seat: 'up' is not known. Known here: east, south, west, north (left out)",)


def test_a_line_with_a_worse_flaw_is_refused_for_that() -> None:
    assert refused(line("called", confidence=2, **{"for": "sandwich"})).startswith("confidence: ")
    assert refused(line("called", seat=None, **{"for": "sandwich"})).startswith("seat: ")


# ---- moments


def test_bounds_are_widened_to_hold_the_moment() -> None:
    late = read(line(earliest=6, latest=7))
    assert (late.event.earliest, late.event.latest) == (5.0, 7.0)
    assert late.done == (
        "at: 5.0 is not within its bounds, earliest 6.0 and latest 7.0 (they were widened to hold it)",
    )
    early = read(line(latest=4))
    assert (early.event.earliest, early.event.latest) == (None, 5.0)
    assert early.done == ("at: 5.0 is not within its bounds, latest 4.0 (they were widened to hold it)",)


def test_nothing_is_known_before_it_happened() -> None:
    found = read(line(seen_at=4))
    assert found.event.known == 5.0
    assert found.done == ("seen_at: 4.0 is before at, 5.0 (taken as known at once)",)


def test_what_was_mended_needs_no_mending_again() -> None:
    for text in (line(earliest=6, latest=7, seen_at=1), line("called", via="pigeon")):
        event = read(text).event
        assert read(msgspec.json.encode(event)) == ReadEvent(event)


# ---- anything


@given(st.binary(max_size=200))
def test_any_bytes_are_an_event_or_a_sentence(text: bytes) -> None:
    refused(text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
)
KEYS = sorted({field.encode_name for kind in KINDS for field in msgspec.structs.fields(kind)})


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=4))
def test_any_values_are_an_event_or_a_sentence(kind: type[Recorded], keys: dict[str, Any]) -> None:
    name = str(kind.__struct_config__.tag)
    found = read_event(line(name, **keys))
    if isinstance(found, str):
        assert found.partition(":")[0].partition("[")[0] in {*keys, "seat", "with"}
        assert not [word for word in RAW_WORDS[:3] if found.partition(": ")[2].startswith(word)]
    else:
        assert found.event.low <= found.event.at <= found.event.high
        assert found.event.known >= found.event.at
        assert read_event(msgspec.json.encode(found.event)) == ReadEvent(found.event)


def test_a_mark_before_the_text_is_the_files_and_no_lines() -> None:
    assert "is not JSON" in refused(codecs.BOM_UTF8 + line())


def test_a_correction_keeps_null_apart_from_nothing() -> None:
    found = read(line("corrected", count=None, **{"for": "sandwich"}))
    assert isinstance(found.event, Corrected)
    assert found.event.count is None
    assert len(found.done) == 1
