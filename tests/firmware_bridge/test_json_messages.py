"""JSON messages: whole, damaged, and at random. Rows 38, 42 and 43 of the faults seen in the field among them."""

import json
import random

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from firmware_bridge.arrival import Arrival
from firmware_bridge.json_messages import MAX_PAYLOAD_BYTES, JsonMessages, encode_input, encode_readings
from firmware_bridge.messages import (
    WEAKEST_RSSI_DBM,
    Antenna,
    ButtonEdge,
    ButtonName,
    Channel,
    Input,
    InputName,
    InventoryRound,
    Place,
    Readings,
    TagRead,
    WeightSample,
)
from firmware_bridge.received import Published
from firmware_bridge.rejections import Rejected, Rejection
from tests.firmware_bridge import strategies

TOPIC = "rackwatch/v1/T1/east/readings"
INPUT_TOPIC = "rackwatch/v1/T1/table/input"
UID = "E0040100A1B2C3D4"
SPEC_EXAMPLE = b"""{"node": "t1-east", "boot": 7, "seq": 1042, "ticks": 53994120,
 "weight":    [[53894120, "rack", 202076], [53906402, "rack", 202061]],
 "inventory": [[53899000, "slope", ["E0040100A1B2C3D4"], true], [53940000, "ledge", [], true]],
 "reads":     [[53899000, "slope", "E0040100A1B2C3D4", -54.5]],
 "button":    [[53990000, "call", true]]}"""


def decode(payload: bytes | str, topic: str = TOPIC) -> Arrival | Rejected:
    payload = payload.encode() if isinstance(payload, str) else payload
    return JsonMessages().decode(Published(1.5, topic, payload))


def arrival(payload: bytes | str, topic: str = TOPIC) -> Arrival:
    decoded = decode(payload, topic)
    assert isinstance(decoded, Arrival), decoded
    return decoded


def readings(payload: bytes | str) -> Readings:
    message = arrival(payload).message
    assert isinstance(message, Readings)
    return message


def with_rows(**rows: str) -> str:
    fields = ", ".join(f'"{key}": {value}' for key, value in rows.items())
    return f'{{"node": "n", "boot": 1, "seq": 2, "ticks": 9, {fields}}}'


def test_the_example_of_the_contract() -> None:
    assert arrival(SPEC_EXAMPLE) == Arrival(
        1.5,
        "T1",
        Place.EAST,
        Readings(
            "t1-east",
            7,
            1042,
            53994120,
            weight=(WeightSample(53894120, Channel.RACK, 202076), WeightSample(53906402, Channel.RACK, 202061)),
            inventory=(
                InventoryRound(53899000, Antenna.SLOPE, (UID,), True),
                InventoryRound(53940000, Antenna.LEDGE, (), True),
            ),
            reads=(TagRead(53899000, Antenna.SLOPE, UID, -54.5),),
            button=(ButtonEdge(53990000, ButtonName.CALL, True),),
        ),
    )


@given(strategies.readings)
def test_what_is_encoded_decodes_to_the_same(sent: Readings) -> None:
    got = arrival(encode_readings(sent))
    assert got.message == sent
    assert len(got.bad) == 0


@given(strategies.inputs)
def test_an_input_that_is_encoded_decodes_to_the_same(sent: Input) -> None:
    assert arrival(encode_input(sent), INPUT_TOPIC) == Arrival(1.5, "T1", None, sent)


def test_empty_arrays_need_not_be_sent() -> None:
    assert json.loads(encode_readings(Readings("n", 1, 2, 3))) == {"node": "n", "boot": 1, "seq": 2, "ticks": 3}


@given(strategies.readings)
def test_the_slow_path_reads_a_whole_message_as_the_quick_one_does(sent: Readings) -> None:
    fields = json.loads(encode_readings(sent))
    fields["weight"] = [[1, "nowhere", 2], *fields.get("weight", [])]
    got = arrival(json.dumps(fields))
    assert got.message == sent
    assert len(got.bad) == 1


def test_unknown_keys_and_longer_rows_of_a_newer_node_are_ignored() -> None:
    got = arrival(with_rows(weight='[[1, "rack", 5, "new"]]', battery="3.7", nested='{"a": [1]}'))
    assert got.message == Readings("n", 1, 2, 9, weight=(WeightSample(1, Channel.RACK, 5),))
    assert len(got.bad) == 0


@pytest.mark.parametrize(
    "word", ["nan", "NaN", "-nan", "inf", "-Infinity", "null", '"5"', "1e400", "[]", "99999999999999"]
)
def test_fault_42_a_number_that_is_none_costs_its_row_and_no_other(word: str) -> None:
    got = arrival(with_rows(weight=f'[[1, "rack", 5], [2, "rack", {word}], [3, "rack", 7]]'))
    assert isinstance(got.message, Readings)
    assert [sample.raw for sample in got.message.weight] == [5, 7]
    assert len(got.bad) == 1


def test_fault_42_a_strength_that_is_none_leaves_the_read() -> None:
    message = readings(with_rows(reads=f'[[1, "slope", "{UID}", nan], [2, "slope", "{UID}"]]'))
    assert message.reads == (
        TagRead(1, Antenna.SLOPE, UID, WEAKEST_RSSI_DBM),
        TagRead(2, Antenna.SLOPE, UID, WEAKEST_RSSI_DBM),
    )


def test_the_letters_nan_in_a_string_are_left_alone() -> None:
    payload = '{"node": "nan \\" inf", "boot": 1, "seq": 2, "ticks": 9, "weight": [[1, "rack", nan], [1, "rack", 6]]}'
    message = readings(payload)
    assert message.node == 'nan " inf'
    assert [sample.raw for sample in message.weight] == [6]


def test_a_message_without_its_head_is_refused() -> None:
    for field in ("node", "boot", "seq", "ticks"):
        fields = json.loads(SPEC_EXAMPLE)
        del fields[field]
        refused = decode(json.dumps(fields))
        assert isinstance(refused, Rejected)
        assert refused.reason is Rejection.WRONG_SHAPE
        assert field in refused.detail


@pytest.mark.parametrize(
    ("field", "value"),
    [("ticks", 1 << 32), ("ticks", -1), ("seq", -1), ("boot", "7"), ("node", ""), ("node", 3), ("ticks", 1.5)],
)
def test_a_head_out_of_range_is_refused(field: str, value: object) -> None:
    fields = json.loads(SPEC_EXAMPLE) | {field: value}
    refused = decode(json.dumps(fields))
    assert isinstance(refused, Rejected)
    assert refused.reason is Rejection.WRONG_SHAPE


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"", Rejection.NOT_JSON),
        (b"{", Rejection.NOT_JSON),
        (b"{" * 5000, Rejection.NOT_JSON),
        (b'{"x":' + b"[" * 60000, Rejection.NOT_JSON),
        (b"null", Rejection.WRONG_SHAPE),
        (b"[1,2", Rejection.WRONG_SHAPE),
        (b"\xff\xfe{}", Rejection.NOT_UTF8),
        (b" " * (MAX_PAYLOAD_BYTES + 1), Rejection.TOO_LONG),
    ],
)
def test_nonsense_is_refused_with_its_reason(payload: bytes, reason: Rejection) -> None:
    refused = decode(payload)
    assert isinstance(refused, Rejected)
    assert (refused.at_s, refused.source, refused.reason) == (1.5, TOPIC, reason)


def test_fault_43_a_payload_that_is_no_utf8_is_refused_and_the_next_is_read() -> None:
    messages = JsonMessages()
    refused = messages.decode(Published(1.0, TOPIC, SPEC_EXAMPLE.replace(b"t1-east", b"t1-\xff\xfe")))
    assert isinstance(refused, Rejected)
    assert refused.reason is Rejection.NOT_UTF8
    assert isinstance(messages.decode(Published(1.1, TOPIC, SPEC_EXAMPLE)), Arrival)


def test_unknown_channels_antennas_and_buttons_are_left_out_and_counted() -> None:
    got = arrival(
        with_rows(
            weight='[[1, "lid", 5], [2, "rack", 6]]',
            inventory=f'[[1, "roof", ["{UID}"], true], [2, "slope", ["{UID}"], true]]',
            reads=f'[[1, "roof", "{UID}", -50]]',
            button='[[1, "bell", true], [2, "call", false], [3, "call", 1]]',
        )
    )
    assert got.message == Readings(
        "n",
        1,
        2,
        9,
        weight=(WeightSample(2, Channel.RACK, 6),),
        inventory=(InventoryRound(2, Antenna.SLOPE, (UID,), True),),
        button=(ButtonEdge(2, ButtonName.CALL, False),),
    )
    assert len(got.bad) == 5


@pytest.mark.parametrize("key", ["weight", "inventory", "reads", "button", "faults"])
@pytest.mark.parametrize(("value", "bad"), [("null", 0), ("7.5", 1), ('"x"', 1), ("{}", 1)])
def test_an_array_that_is_none_counts_once_and_null_not_at_all(key: str, value: str, bad: int) -> None:
    got = arrival(with_rows(**{key: value}))
    assert got.message == Readings("n", 1, 2, 9)
    assert len(got.bad) == bad


@pytest.mark.parametrize("broken", ["8804A1B2", "E00401", "xyz", "", "5"])
def test_a_round_that_heard_what_is_no_uid_is_incomplete(broken: str) -> None:
    got = arrival(with_rows(inventory=f'[[1, "slope", ["{UID}", "{broken}"], true]]'))
    assert isinstance(got.message, Readings)
    assert got.message.inventory == (InventoryRound(1, Antenna.SLOPE, (UID,), False),)
    assert len(got.bad) == 1


@pytest.mark.parametrize(
    "row",
    [
        f'[1, "slope", ["{UID}", 5], true]',
        f'[1, "slope", ["{UID}"], null]',
        f'[1, "slope", ["{UID}"]]',
        f'[1, "slope", ["{UID}", null], true]',
        f'[1, "slope", ["{UID}"], "yes"]',
    ],
)
def test_a_round_whose_uids_or_end_are_damaged_is_incomplete(row: str) -> None:
    assert readings(with_rows(inventory=f"[{row}]")).inventory == (InventoryRound(1, Antenna.SLOPE, (UID,), False),)


def test_uids_come_out_canonical_whatever_their_spelling() -> None:
    message = readings(with_rows(inventory='[[1, "slope", ["e0:04:01:00:a1:b2:c3:d4"], true]]'))
    assert message.inventory == (InventoryRound(1, Antenna.SLOPE, (UID,), True),)


def test_fault_38_a_retained_message_is_marked() -> None:
    decoded = JsonMessages().decode(Published(1.5, TOPIC, SPEC_EXAMPLE, retain=True))
    assert isinstance(decoded, Arrival)
    assert decoded.retained


def test_only_known_tables_where_tables_are_known() -> None:
    messages = JsonMessages(frozenset({"T2"}))
    refused = messages.decode(Published(1.0, TOPIC, SPEC_EXAMPLE))
    assert isinstance(refused, Rejected)
    assert refused.reason is Rejection.UNKNOWN_TABLE
    assert isinstance(messages.decode(Published(1.0, TOPIC.replace("T1", "T2"), SPEC_EXAMPLE)), Arrival)


def test_an_input_keeps_the_fields_that_read() -> None:
    got = arrival('{"input": "joker_exchanged", "by": "east", "n": nan, "owners": [1], "for": "pung"}', INPUT_TOPIC)
    assert got.message == Input(input=InputName.JOKER_EXCHANGED, by="east", claim="pung")
    assert len(got.bad) == 1


def test_an_input_that_says_nothing_known_is_refused() -> None:
    for payload in (b'{"input": "sneeze"}', b"{}", b"[]"):
        refused = decode(payload, INPUT_TOPIC)
        assert isinstance(refused, Rejected)
        assert refused.reason is Rejection.WRONG_SHAPE


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
)


def test_a_payload_that_is_no_utf8_in_a_key_we_do_not_know_is_refused_too() -> None:
    refused = decode(b'{"node": "n", "boot": 1, "seq": 2, "ticks": 9, "bu\xf1on": 1}')
    assert isinstance(refused, Rejected)
    assert refused.reason is Rejection.NOT_UTF8


@given(st.binary(max_size=300))
@example(b'{"node":"\\ud800","boot":1,"seq":1,"ticks":1}')
def test_any_bytes_decode_to_a_value(payload: bytes) -> None:
    for topic in (TOPIC, INPUT_TOPIC):
        assert isinstance(decode(payload, topic), Arrival | Rejected)


@given(json_values, json_values, json_values, json_values)
def test_any_json_in_the_rows_leaves_the_message(
    weight: object, inventory: object, reads: object, button: object
) -> None:
    rows = {"weight": weight, "inventory": inventory, "reads": reads, "button": button}
    assert isinstance(decode(with_rows(**{key: json.dumps(value) for key, value in rows.items()})), Arrival)


@given(strategies.readings, st.randoms(use_true_random=False))
def test_a_damaged_message_never_raises_and_never_invents_a_uid(sent: Readings, rng: random.Random) -> None:
    payload = bytearray(encode_readings(sent))
    for _ in range(rng.randrange(1, 4)):
        payload[rng.randrange(len(payload))] = rng.randrange(256)
    decoded = decode(bytes(payload))
    if isinstance(decoded, Arrival) and isinstance(decoded.message, Readings):
        text = payload.decode("utf-8").upper().replace(":", "").replace("-", "").replace(" ", "")
        for heard in decoded.message.inventory:
            assert all(uid in text or bytes.fromhex(uid)[::-1].hex().upper() in text for uid in heard.uids)
        assert msgspec.json.decode(encode_readings(decoded.message), type=Readings) == decoded.message


@pytest.mark.parametrize("n", [-1, 153])
def test_a_number_of_tiles_that_cannot_be_is_left_out_of_an_input(n: int) -> None:
    got = arrival(f'{{"input": "exposed", "n": {n}}}', INPUT_TOPIC)
    assert got.message == Input(input=InputName.EXPOSED)
    assert len(got.bad) == 1


def test_what_is_nested_too_deeply_is_refused_in_plain_words() -> None:
    for topic in (TOPIC, INPUT_TOPIC):
        refused = decode(b'{"x":' + b"[" * 5000, topic)
        assert isinstance(refused, Rejected)
        assert refused.detail == "is nested too deeply"
