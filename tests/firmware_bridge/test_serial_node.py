"""A node's side and the host's side of a line against each other: whole, byte by byte, and with frames lost.

Rows 32 and 37 of the faults seen in the field (a bad CRC; opening the port resets the board) among them.
"""

import random
from collections.abc import Iterable, Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.errors import NotEncodableError
from firmware_bridge.frame_packing import pack_buttons, pack_hello, pack_weights
from firmware_bridge.frames import Fault, HelloBody, Kind
from firmware_bridge.framing import Frame, encode_frame
from firmware_bridge.messages import (
    TICKS_MODULUS,
    WEAKEST_RSSI_DBM,
    Antenna,
    ButtonEdge,
    ButtonName,
    Channel,
    Hello,
    InventoryRound,
    NodeMessage,
    Pong,
    Readings,
    TagRead,
    WeightSample,
)
from firmware_bridge.rejections import BadRow, Rejection, Unread
from firmware_bridge.serial_encoder import SerialNodeEncoder, TagForm
from firmware_bridge.serial_node import LineState, Said, SerialNode, Unheard
from firmware_bridge.uids import UidForms
from tests.firmware_bridge import strategies

TILES = tuple(f"E00401{number:010X}" for number in range(1, 40))
CUT_UID = "E004014E529B"
"""Of six bytes, as no tag has them."""
ONE = TILES[0]


def node(tag_form: TagForm = TagForm.ROSTER, boot: int = 0xDEADBEEF, slots: int = 64) -> SerialNodeEncoder:
    return SerialNodeEncoder(
        "t1-east", boot, [Channel.RACK], [Antenna.SLOPE, Antenna.LEDGE], [ButtonName.CALL], tag_form, slots
    )


def hear(*chunks: bytes, line: SerialNode | None = None) -> list[Said | Unheard]:
    line = line or SerialNode()
    events: list[Said | Unheard] = []
    for chunk in chunks:
        line.receive_data(chunk)
        while (event := line.next_event()) is not None:
            events.append(event)
    return events


def messages(events: Iterable[Said | Unheard]) -> list[NodeMessage]:
    return [event.message for event in events if isinstance(event, Said)]


def readings(events: Iterable[Said | Unheard]) -> list[Readings]:
    return [message for message in messages(events) if isinstance(message, Readings)]


def rounds(events: Iterable[Said | Unheard]) -> list[InventoryRound]:
    return [heard for one in readings(events) for heard in one.inventory]


def frames(wire: bytes) -> list[bytes]:
    return [piece + b"\0" for piece in wire.split(b"\0")[:-1]]


def inventory(ticks: int, uids: Sequence[str], complete: bool = True, antenna: Antenna = Antenna.SLOPE) -> Readings:
    return Readings("", 0, 0, ticks, inventory=(InventoryRound(ticks - 100, antenna, tuple(uids), complete),))


def test_a_hello_says_who_and_what() -> None:
    assert messages(hear(node().hello(1234))) == [
        Hello("t1-east", 0xDEADBEEF, 1, 1234, 1, (Channel.RACK,), (Antenna.SLOPE, Antenna.LEDGE), (ButtonName.CALL,))
    ]


def test_rows_come_out_as_they_went_in() -> None:
    sent = Readings(
        "",
        0,
        0,
        5_000_000,
        weight=tuple(WeightSample(4_900_000 + n * 12_500, Channel.RACK, -8_388_608 + n) for n in range(8)),
        inventory=(InventoryRound(4_950_000, Antenna.SLOPE, TILES[:13], True),),
        reads=(TagRead(4_960_000, Antenna.LEDGE, ONE, -54.5), TagRead(4_970_000, Antenna.LEDGE, ONE, WEAKEST_RSSI_DBM)),
        button=(ButtonEdge(4_999_000, ButtonName.CALL, True),),
        faults=Fault.OVERRUN | Fault.READER,
    )
    events = hear(node().readings(sent))
    got = readings(events)
    assert isinstance(messages(events)[0], Hello)
    assert [sample for one in got for sample in one.weight] == list(sent.weight)
    assert rounds(events) == list(sent.inventory)
    assert [read for one in got for read in one.reads] == list(sent.reads)
    assert [edge for one in got for edge in one.button] == list(sent.button)
    assert {one.faults for one in got} == {Fault.OVERRUN | Fault.READER}
    assert {one.ticks for one in got} == {5_000_000}
    assert [message.seq for message in messages(events)] == list(range(1, len(events) + 1))


def test_a_button_comes_before_everything_else() -> None:
    sent = inventory(5_000_000, TILES[:13])
    sent = msgspec.structs.replace(sent, button=(ButtonEdge(4_999_000, ButtonName.CALL, True),))
    first = readings(hear(node().readings(sent)))[0]
    assert first.button == sent.button


def test_an_answer_to_a_ping() -> None:
    encoder = node()
    answer = Pong("t1-east", 0xDEADBEEF, 2, 1500, nonce=77, received_ticks=1400)
    assert messages(hear(encoder.hello(1000), encoder.pong(1500, 77, 1400)))[1] == answer


wire_ready = strategies.readings.map(
    lambda sent: msgspec.structs.replace(
        sent,
        weight=tuple(
            WeightSample((sent.ticks - row.ticks % (1 << 24)) % TICKS_MODULUS, row.channel, row.raw % (1 << 23))
            for row in sent.weight
        ),
        inventory=tuple(
            InventoryRound((sent.ticks - row.ticks % (1 << 24)) % TICKS_MODULUS, row.antenna, row.uids, row.complete)
            for row in sent.inventory
        ),
        reads=tuple(
            TagRead((sent.ticks - row.ticks % (1 << 24)) % TICKS_MODULUS, row.antenna, row.uid, row.rssi_dbm)
            for row in sent.reads
        ),
        button=tuple(
            ButtonEdge((sent.ticks - row.ticks % (1 << 24)) % TICKS_MODULUS, row.name, row.pressed)
            for row in sent.button
        ),
    )
)


@given(st.lists(wire_ready, max_size=5), st.sampled_from(TagForm))
def test_whatever_a_node_says_arrives_whole_or_byte_by_byte(sent: list[Readings], form: TagForm) -> None:
    encoder = node(form)
    wire = b"".join(encoder.readings(one) for one in sent)
    events = hear(wire)
    assert events == hear(*(bytes([byte]) for byte in wire))
    assert all(isinstance(event, Said) and not event.bad for event in events)
    got = readings(events)
    assert sorted(row for one in got for row in map(msgspec.to_builtins, one.weight)) == sorted(
        row for one in sent for row in map(msgspec.to_builtins, one.weight)
    )
    assert [edge for one in got for edge in one.button] == [edge for one in sent for edge in one.button]
    assert [read for one in got for read in one.reads] == [read for one in sent for read in one.reads]
    assert [(row.ticks, row.antenna, sorted(row.uids), row.complete) for row in rounds(events)] == [
        (row.ticks, row.antenna, sorted(row.uids), row.complete) for one in sent for row in one.inventory
    ]
    assert [message.seq for message in messages(events)] == list(range(1, len(events) + 1))


@pytest.mark.parametrize("form", TagForm)
@given(st.integers(0, 1 << 32), st.floats(0.0, 0.5))
def test_lost_frames_invent_neither_presence_nor_silence(form: TagForm, seed: int, loss: float) -> None:
    """Over random rounds: a tag named was heard, and a round called complete names every tag it heard."""
    rng = random.Random(seed)
    encoder, line = node(form, slots=20), SerialNode()
    truth: dict[int, tuple[set[str], bool]] = {}
    lost = 0
    events = hear(encoder.hello(0), line=line)
    for number in range(40):
        heard = rng.sample(TILES[:30], rng.randrange(14))
        complete = rng.random() < 0.8
        ticks = 1_000_000 + number * 150_000
        truth[ticks - 100] = (set(heard), complete)
        for frame in frames(encoder.readings(inventory(ticks, heard, complete))):
            if rng.random() < loss:
                lost += 1
            else:
                events += hear(frame, line=line)
    got = rounds(events)
    for row in got:
        heard_then, complete_then = truth[row.ticks]
        assert set(row.uids) <= heard_then
        if row.complete:
            assert complete_then
            assert set(row.uids) == heard_then
    assert len({row.ticks for row in got}) == len(got)
    if not lost:
        assert len(got) == 40
    seqs = [message.seq for message in messages(events)]
    assert seqs == sorted(set(seqs))
    assert encoder.frames_sent - len(seqs) == lost


def test_a_tag_whose_name_was_lost_makes_its_rounds_incomplete_until_the_next_snapshot() -> None:
    encoder, line = node(), SerialNode()
    hear(encoder.readings(inventory(1_000_000, TILES[:3])), line=line)
    *_, delta = frames(encoder.readings(inventory(1_200_000, TILES[:4])))
    (said,) = hear(delta, line=line)
    assert isinstance(said, Said)
    assert said.bad == (BadRow(Unread.NAMELESS_TAG),)
    assert rounds([said]) == [InventoryRound(1_199_900, Antenna.SLOPE, TILES[:3], False)]
    assert rounds(hear(encoder.readings(inventory(1_400_000, TILES[:2])), line=line)) == [
        InventoryRound(1_399_900, Antenna.SLOPE, TILES[:2], True)
    ]
    assert rounds(hear(encoder.readings(inventory(2_100_000, TILES[:4])), line=line)) == [
        InventoryRound(2_099_900, Antenna.SLOPE, TILES[:4], True)
    ]


def test_a_full_roster_is_begun_anew_and_never_mixed_with_the_old_one() -> None:
    encoder, line = node(slots=4), SerialNode()
    hear(encoder.readings(inventory(1_000_000, TILES[:4])), line=line)
    *_, delta = frames(encoder.readings(inventory(1_100_000, TILES[4:7])))
    assert rounds(hear(delta, line=line)) == [InventoryRound(1_099_900, Antenna.SLOPE, (), False)]
    assert rounds(hear(encoder.readings(inventory(2_200_000, TILES[4:7])), line=line)) == [
        InventoryRound(2_199_900, Antenna.SLOPE, TILES[4:7], True)
    ]


def test_a_round_in_parts_whose_last_part_is_lost_comes_out_incomplete_with_the_next() -> None:
    encoder, line = node(TagForm.SPELLED_OUT), SerialNode()
    hello, *parts = frames(encoder.readings(inventory(1_000_000, TILES[:10])))
    assert len(parts) == 3
    hear(hello, *parts[:2], line=line)
    assert rounds(hear(encoder.readings(inventory(1_100_000, TILES[:2])), line=line)) == [
        InventoryRound(999_900, Antenna.SLOPE, TILES[:8], False),
        InventoryRound(1_099_900, Antenna.SLOPE, TILES[:2], True),
    ]


def test_nothing_is_taken_from_a_node_that_has_not_said_who_it_is() -> None:
    encoder = node()
    encoder.hello(0)
    line = SerialNode()
    events = hear(b"\0" + encoder.readings(inventory(100_000, TILES[:2])), line=line)
    assert [event.reason for event in events if isinstance(event, Unheard)] == [Rejection.BEFORE_HELLO] * 2
    assert line.state is LineState.WAITING
    events = hear(encoder.readings(inventory(1_200_000, TILES[:2])), line=line)
    assert all(isinstance(event, Said) for event in events)
    assert line.node == "t1-east"


def test_fault_37_a_board_that_resets_when_the_port_opens_is_a_new_boot() -> None:
    line = SerialNode()
    before = node(boot=1)
    hear(before.hello(0), before.readings(inventory(100_000, TILES[:3])), line=line)
    after = node(boot=2)
    events = hear(b"\xf0garbage" + frames(before.readings(inventory(200_000, TILES[:2])))[0][:7] + b"\0", line=line)
    assert [event.reason for event in events if isinstance(event, Unheard)] == [Rejection.DAMAGED_FRAME]
    events = hear(after.hello(10), after.readings(inventory(100_000, TILES[3:5])), line=line)
    assert [(message.boot, message.seq) for message in messages(events)] == [(2, 1), (2, 2), (2, 3)]
    assert rounds(events) == [InventoryRound(99_900, Antenna.SLOPE, TILES[3:5], True)]


def test_a_restart_whose_hello_was_lost_is_noticed_by_the_count() -> None:
    line = SerialNode()
    before = node(boot=1)
    hear(before.hello(0), *(before.readings(Readings("", 0, 0, n)) for n in range(50)), line=line)
    after = node(boot=2)
    after.hello(10)
    (event,) = hear(after.readings(Readings("", 0, 0, 20)), line=line)
    assert isinstance(event, Unheard)
    assert event.reason is Rejection.BEFORE_HELLO
    assert line.state is LineState.WAITING
    assert messages(hear(after.hello(30), line=line))[0].boot == 2


def test_the_count_goes_on_beyond_16_bits() -> None:
    encoder, line = node(), SerialNode()
    encoder._seq = (1 << 16) - 3
    events = hear(encoder.hello(0), *(encoder.readings(Readings("", 0, 0, n)) for n in range(1, 5)), line=line)
    assert [message.seq for message in messages(events)] == [65534, 65535, 65536, 65537, 65538]
    later = SerialNode()
    assert messages(hear(encoder.hello(10), line=later))[0].seq == 65539


@given(st.lists(st.sets(st.sampled_from([*TILES[:3], CUT_UID])), min_size=1, max_size=30))
def test_an_id_that_is_none_is_counted_when_it_is_heard_and_not_when_a_snapshot_repeats_it(
    heard: list[set[str]],
) -> None:
    encoder, line = node(), SerialNode()
    told: list[Said | Unheard] = []
    for second, uids in enumerate(heard, 1):  # a snapshot is due in each
        told += hear(encoder.readings(inventory(second * 1_000_000, tuple(sorted(uids)))), line=line)
    bad = [row for event in told if isinstance(event, Said) for row in event.bad]
    assert bad == [BadRow(Unread.NO_UID, CUT_UID)] * sum(CUT_UID in uids for uids in heard)
    for uids, row in zip(heard, rounds(told), strict=True):
        assert (set(row.uids), row.complete) == (uids - {CUT_UID}, CUT_UID not in uids)


def test_a_button_of_no_known_code_is_counted_and_the_others_kept() -> None:
    encoder, line = node(), SerialNode()
    hear(encoder.hello(0), line=line)
    edge = ButtonEdge(100, ButtonName.CALL, pressed=True)
    payload = pack_buttons(0, 100, [edge, edge])
    (said,) = hear(encode_frame(Frame(Kind.BUTTON, 2, 100, payload[:-1] + bytes([0x85]) + b"\0")), line=line)
    unknown, cut = BadRow(Unread.UNKNOWN_BUTTON, "code 5"), BadRow(Unread.CUT_SHORT)
    assert said == Said(Readings("t1-east", 0xDEADBEEF, 2, 100, button=(edge,)), (unknown, cut))


def test_types_of_a_newer_node_count_and_say_nothing() -> None:
    encoder, line = node(), SerialNode()
    hear(encoder.hello(0), line=line)
    (said,) = hear(encode_frame(Frame(0x42, 2, 100, b"whatever")), line=line)
    assert said == Said(Readings("t1-east", 0xDEADBEEF, 2, 100), (BadRow(Unread.UNKNOWN_LAYOUT, "type 0x42"),))


def test_a_newer_protocol_is_not_guessed_at() -> None:
    hello = pack_hello(HelloBody(2, 1, 0, (), (), (), "future"))
    (event,) = hear(encode_frame(Frame(Kind.HELLO, 1, 0, hello)))
    assert isinstance(event, Unheard)
    assert "protocol 2" in event.detail


def test_an_echo_of_the_hosts_own_frames_does_not_disturb_the_count() -> None:
    encoder, line = node(), SerialNode()
    hear(encoder.hello(0), line=line)
    (event,) = hear(encode_frame(Frame(0x81, 30_000, 0, bytes(4))), line=line)
    assert isinstance(event, Unheard)
    (said,) = hear(encoder.readings(Readings("", 0, 0, 1)), line=line)
    assert isinstance(said, Said)


@pytest.mark.parametrize("kind", [*Kind, 0x00, 0x7F])
@given(st.lists(st.binary(max_size=48), min_size=1, max_size=10))
def test_any_payload_of_any_type_is_a_value_and_the_count_is_kept(kind: int, payloads: list[bytes]) -> None:
    encoder, line = node(), SerialNode()
    hear(encoder.hello(0), line=line)
    for seq, payload in enumerate(payloads, 2):
        (event,) = hear(encode_frame(Frame(kind, seq, seq, payload)), line=line)
        if isinstance(event, Said) and isinstance(event.message, Readings):
            assert event.message.seq == seq
            assert all(UidForms().canonical("", uid) == uid for row in event.message.inventory for uid in row.uids)
        elif kind != Kind.HELLO:
            assert isinstance(event, Said)


@pytest.mark.parametrize("at", range(2, 42, 4))
def test_row_32_tags_in_a_frame_with_a_bad_crc_are_dropped_and_counted(at: int) -> None:
    """Five tags in two frames: none of the damaged one is believed, and nothing follows from their silence."""
    encoder, line = node(TagForm.SPELLED_OUT), SerialNode()
    hear(encoder.hello(0), line=line)
    first, *others = frames(encoder.readings(inventory(1000, TILES[:5])))
    assert len(others) == 1
    damaged = bytearray(first)
    damaged[at] ^= 0x20 if damaged[at] != 0x20 else 0x01
    sound = encoder.readings(inventory(2000, TILES[5:8]))
    heard = hear(bytes(damaged), *others, sound, line=line)
    *cut, whole = rounds(heard)
    assert (set(whole.uids), whole.complete) == (set(TILES[5:8]), True)
    assert all(set(one.uids) <= set(TILES[4:5]) and not one.complete for one in cut)
    assert Rejection.DAMAGED_FRAME in {one.reason for one in heard if isinstance(one, Unheard)}


def test_a_row_cut_short_is_counted_and_the_others_kept() -> None:
    encoder, line = node(), SerialNode()
    hear(encoder.hello(0), line=line)
    sample = WeightSample(90, Channel.LEDGE, -5)
    payload = pack_weights(0, Channel.LEDGE, 100, [sample, sample])[:-1]
    (said,) = hear(encode_frame(Frame(Kind.WEIGHT, 2, 100, payload)), line=line)
    assert said == Said(Readings("t1-east", 0xDEADBEEF, 2, 100, weight=(sample,)), (BadRow(Unread.CUT_SHORT),))


@pytest.mark.parametrize(
    "sent",
    [
        Readings("", 0, 0, 100, weight=(WeightSample(101, Channel.RACK, 0),)),
        Readings("", 0, 0, 20_000_000, weight=(WeightSample(1, Channel.RACK, 0),)),
        Readings("", 0, 0, 100, weight=(WeightSample(100, Channel.RACK, 1 << 23),)),
        Readings("", 0, 0, 100, reads=(TagRead(100, Antenna.SLOPE, ONE, 1e6),)),
        Readings("", 0, 0, 100, faults=256),
        inventory(1_000_000, [f"{n:016X}" for n in range(1, 70)]),
    ],
)
def test_what_the_wire_has_no_form_for_is_a_callers_mistake(sent: Readings) -> None:
    with pytest.raises(NotEncodableError):
        node().readings(sent)


@pytest.mark.parametrize("name", ["", "x" * 33, "ü" * 17])
def test_a_name_must_fit(name: str) -> None:
    with pytest.raises(NotEncodableError):
        SerialNodeEncoder(name, 1).hello(0)
