"""PROTOCOL.md says what the code does: every example, table of codes and number in it."""

import re
from pathlib import Path

import firmware_bridge
from firmware_bridge import frame_packing, frames, framing, serial_node
from firmware_bridge.arrival import Arrival
from firmware_bridge.commands import (
    Command,
    CommandEncoder,
    CommandKind,
    Identify,
    Light,
    LightPattern,
    Ping,
    decode_command,
    decode_light,
)
from firmware_bridge.json_messages import MAX_PAYLOAD_BYTES, JsonMessages
from firmware_bridge.messages import (
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
from firmware_bridge.received import Published
from firmware_bridge.serial_encoder import DUTY_US, SerialNodeEncoder, TagForm
from firmware_bridge.serial_node import Said, SerialNode
from firmware_bridge.transports.serial_port import PING_EVERY_S

TEXT = (Path(firmware_bridge.__file__).parent / "PROTOCOL.md").read_text(encoding="utf-8")
BOOT = 0x1A2B3C4D
TAGS = ("E0040100A1B2C3D4", "E0040100A1B2C3D5")
SLOPE = Antenna.SLOPE


def wires(after: str) -> list[bytes]:
    """The bytes of the table that follows some words."""
    table = TEXT.split(after, 1)[1].split("| frame | bytes |", 1)[1].split("\n\n", 1)[0]
    return [bytes.fromhex(cell) for cell in re.findall(r"\| `([0-9a-f ]+)` \|", table)]


def said(*wire: bytes) -> list[NodeMessage]:
    line = SerialNode()
    line.receive_data(b"".join(wire))
    messages = []
    while (event := line.next_event()) is not None:
        assert isinstance(event, Said)
        assert not event.bad
        messages.append(event.message)
    return messages


def rows(name: str) -> list[list[str]]:
    """The rows of the first table after a heading."""
    table = TEXT.split(name, 1)[1].split("|---", 1)[1].split("\n", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()]


def test_the_frames_of_the_examples_say_what_is_said_of_them() -> None:
    assert said(*wires("this and the frames after it")) == [
        Hello(
            "t1-east",
            BOOT,
            1,
            1000,
            1,
            (Channel.RACK,),
            (Antenna.SLOPE, Antenna.LEDGE),
            (ButtonName.CALL, ButtonName.MAH_JONGG),
        ),
        Readings(
            "t1-east",
            BOOT,
            2,
            200_000,
            weight=(WeightSample(187_500, Channel.RACK, 202_076), WeightSample(200_000, Channel.RACK, -5)),
        ),
        Readings("t1-east", BOOT, 3, 200_500, button=(ButtonEdge(200_000, ButtonName.CALL, True),)),
        Readings("t1-east", BOOT, 4, 300_000),
        Readings("t1-east", BOOT, 5, 300_000, inventory=(InventoryRound(299_000, SLOPE, TAGS, True),)),
        Readings("t1-east", BOOT, 6, 400_000, inventory=(InventoryRound(399_000, SLOPE, TAGS[1:], True),)),
        Readings("t1-east", BOOT, 7, 500_000, reads=(TagRead(499_000, SLOPE, TAGS[1], -54.5),)),
        Pong("t1-east", BOOT, 8, 600_100, nonce=7, received_ticks=600_000),
    ]


def test_the_frames_of_the_examples_are_those_that_a_node_sends() -> None:
    node = SerialNodeEncoder(
        "t1-east", BOOT, [Channel.RACK], [SLOPE, Antenna.LEDGE], [ButtonName.CALL, ButtonName.MAH_JONGG]
    )

    def readings(ticks: int, **content: object) -> bytes:
        return node.readings(Readings("", 0, 0, ticks, **content))  # type: ignore[arg-type]

    sent = [
        node.hello(1000),
        readings(
            200_000, weight=(WeightSample(187_500, Channel.RACK, 202_076), WeightSample(200_000, Channel.RACK, -5))
        ),
        readings(200_500, button=(ButtonEdge(200_000, ButtonName.CALL, True),)),
        readings(300_000, inventory=(InventoryRound(299_000, SLOPE, TAGS, True),)),
        readings(400_000, inventory=(InventoryRound(399_000, SLOPE, TAGS[1:], True),)),
        readings(500_000, reads=(TagRead(499_000, SLOPE, TAGS[1], -54.5),)),
        node.pong(600_100, 7, 600_000),
    ]
    assert b"".join(sent) == b"".join(wires("this and the frames after it"))
    spelling = SerialNodeEncoder("t1-east", 1, tag_form=TagForm.SPELLED_OUT)
    spelling.hello(0)
    sent_spelled = spelling.readings(
        Readings("", 0, 0, 300_000, inventory=(InventoryRound(299_000, SLOPE, TAGS[:1], True),))
    )
    assert [sent_spelled] == wires("had it spelled out its rounds")


def test_the_hello_taken_apart_byte_by_byte_is_the_one_on_the_wire() -> None:
    block = TEXT.split("Byte by byte:", 1)[1].split("```", 2)[1]
    body = bytes.fromhex("".join(re.findall(r"^((?:[0-9a-f]{2} ?)+)", block, re.MULTILINE)))
    decoder = framing.FrameDecoder()
    decoder.receive_data(wires("this and the frames after it")[0])
    frame = decoder.next_event()
    assert isinstance(frame, framing.Frame)
    assert (
        body[:-2]
        == bytes([frame.kind]) + frame.seq.to_bytes(2, "little") + frame.ticks.to_bytes(4, "little") + frame.payload
    )
    assert framing.crc16(body[:-2]) == int.from_bytes(body[-2:], "little") == 0x44EA


def test_the_hosts_examples() -> None:
    commands: list[Command] = [Ping(7), Light(255, 0, 0, LightPattern.SLOW, 2.0), Identify()]
    encoder = CommandEncoder()
    assert [encoder.encode(command) for command in commands] == wires("And from the host:")
    decoder = framing.FrameDecoder()
    decoder.receive_data(b"".join(wires("And from the host:")))
    got = []
    while isinstance(event := decoder.next_event(), framing.Frame):
        got.append(decode_command(event))
    assert got == commands


def test_the_json_examples_decode() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    decoded = JsonMessages().decode(Published(0.0, "rackwatch/v1/T1/east/readings", example.encode()))
    assert isinstance(decoded, Arrival)
    assert decoded.bad == ()
    assert isinstance(decoded.message, Readings)
    assert decoded.message.weight
    assert decoded.message.inventory
    assert decoded.message.reads
    assert decoded.message.button
    (light,) = re.findall(r'`(\{"red".*?\})`', TEXT)
    assert decode_light(light.encode()) == Light(255, 0, 0, LightPattern.SLOW, 2.0)
    (said_input,) = re.findall(r'`(\{"input".*?\})`', TEXT)
    decoded = JsonMessages().decode(Published(0.0, "rackwatch/v1/T1/east/input", said_input.encode()))
    assert isinstance(decoded, Arrival)
    assert decoded.bad == ()


def test_types_and_fault_bits_are_those_of_the_code() -> None:
    assert {(int(row[0].strip("`"), 16), row[1]) for row in rows("### Frames of a node")} == {
        (kind.value, kind.name) for kind in frames.Kind
    }
    assert {(int(row[0].strip("`"), 16), row[1]) for row in rows("### Frames of the host")} == {
        (kind.value, kind.name) for kind in CommandKind
    }
    assert {(int(row[0].strip("`"), 16), row[1]) for row in rows("### Fault bits")} == {
        (fault.value, fault.name) for fault in frames.Fault
    }


def test_codes_are_those_of_the_code() -> None:
    codes = TEXT.split("Codes: ", 1)[1].split("In a mask", 1)[0]
    for word, known in (("channel", frames.CHANNELS), ("antenna", frames.ANTENNAS), ("button", frames.BUTTONS)):
        listed = codes.split(word, 1)[1].split(";", 1)[0].replace("\n", " ")
        assert re.findall(r"(\d) `(\w+)`", listed) == [(str(code), item.value) for code, item in enumerate(known)]
    patterns = re.findall(r"pattern u8 \((.*?)\)", TEXT)[0]
    assert patterns == ", ".join(f"{code} {pattern.value}" for code, pattern in enumerate(LightPattern))


def test_numbers_are_those_of_the_code() -> None:
    assert framing.MAX_PAYLOAD_BYTES == 48
    assert frame_packing.WEIGHTS_PER_FRAME == 7
    assert frame_packing.EDGES_PER_FRAME == 11
    assert frame_packing.MAX_AGE_US / 1e6 == 16.777215
    assert frames.MAX_NAME_BYTES == 32
    assert frames.MAX_SLOTS == 255
    assert frames.PROTOCOL_VERSION == 1
    assert serial_node._LARGEST_LOSS == 1000
    assert DUTY_US == 1_000_000
    assert PING_EVERY_S == 1.0
    assert MAX_PAYLOAD_BYTES == 64 * 1024
    for words in (
        "0 to 48 bytes",
        "up to 7 ×",
        "up to 11 ×",
        "1 to 32 bytes",
        "at most 255",
        "more than 1000",
        "64 kB",
    ):
        assert words in TEXT
