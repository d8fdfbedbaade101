"""The one door: what comes out as arrivals, and the count of everything that does not."""

import random
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.arrival import Link
from firmware_bridge.commands import CommandEncoder, Light, Ping
from firmware_bridge.json_messages import encode_readings
from firmware_bridge.messages import Channel, Hello, Place, Pong, Readings, WeightSample
from firmware_bridge.received import LineBytes, Published, Received
from firmware_bridge.recording import BadLine, RecordingWriter, read_recording
from firmware_bridge.rejections import BadRow, LeftOut, Rejected, Rejection, Unread
from firmware_bridge.routing import Router, Seat, port_name, seat_of_port
from firmware_bridge.serial_encoder import SerialNodeEncoder

TOPIC = "rackwatch/v1/T1/east/readings"
EAST = Seat("T1", Place.EAST)


def test_a_published_message_is_one_arrival() -> None:
    sent = Readings("n", 1, 2, 3)
    router = Router()
    (arrival,) = router.route(Published(1.0, TOPIC, encode_readings(sent)))
    assert (arrival.at_s, arrival.table, arrival.place, arrival.message) == (1.0, "T1", Place.EAST, sent)
    assert arrival.link is Link.NETWORK
    assert router.rejected == {}


def test_what_comes_to_nothing_is_counted_by_reason_and_the_latest_kept() -> None:
    router = Router(frozenset({"T1"}))
    for number in range(50):
        assert router.route(Published(float(number), TOPIC, b"{")) == []
    assert router.route(Published(50.0, "elsewhere", b"{}")) == []
    assert router.route(Published(51.0, TOPIC.replace("T1", "T2"), b"{}")) == []
    assert router.rejected == {Rejection.NOT_JSON: 50, Rejection.UNKNOWN_TOPIC: 1, Rejection.UNKNOWN_TABLE: 1}
    assert router.first_rejections[Rejection.NOT_JSON].at_s == 0.0
    assert len(router.latest_rejections) == 32
    assert router.latest_rejections[-1] == Rejected(51.0, TOPIC.replace("T1", "T2"), Rejection.UNKNOWN_TABLE)


def test_rows_left_out_are_counted() -> None:
    router = Router()
    router.route(Published(1.0, TOPIC, b'{"node":"n","boot":1,"seq":1,"ticks":1,"weight":[[1,"rack",nan]]}'))
    router.route(
        Published(2.0, TOPIC, b'{"node":"n","boot":1,"seq":2,"ticks":1,"inventory":[[1,"slope",["?","!"],true]]}')
    )
    assert router.bad_rows == 3
    assert router.left_out == {Unread.WRONG_SHAPE: 1, Unread.NO_UID: 2}
    assert router.first_left_out[Unread.NO_UID] == LeftOut(2.0, TOPIC, BadRow(Unread.NO_UID, "?"))


def test_a_port_speaks_for_the_place_it_is_bound_to() -> None:
    router = Router(ports={"usb-1": EAST})
    encoder = SerialNodeEncoder("n", 7)
    wire = encoder.hello(0) + encoder.readings(Readings("", 0, 0, 100, weight=(WeightSample(90, Channel.RACK, 5),)))
    arrivals = router.route(LineBytes(1.0, "usb-1", wire[:20])) + router.route(LineBytes(1.1, "usb-1", wire[20:]))
    assert [(one.at_s, one.table, one.place, one.link) for one in arrivals] == [
        (1.1, "T1", Place.EAST, Link.USB),
        (1.1, "T1", Place.EAST, Link.USB),
    ]
    assert isinstance(arrivals[0].message, Hello)
    assert arrivals[1].message == Readings("n", 7, 2, 100, weight=(WeightSample(90, Channel.RACK, 5),))


def test_a_ports_own_name_may_tell_its_place() -> None:
    assert seat_of_port(port_name(EAST)) == EAST
    assert seat_of_port("usb-1") is None
    assert seat_of_port("T1/attic") is None
    assert len(Router().route(LineBytes(1.0, "T1/east", SerialNodeEncoder("n", 7).hello(0)))) == 1


def test_a_node_without_a_place_is_named_until_it_is_bound() -> None:
    router = Router()
    encoder = SerialNodeEncoder("stranger", 7)
    assert router.route(LineBytes(1.0, "usb-9", encoder.hello(0))) == []
    assert router.rejected == {Rejection.UNPLACED_NODE: 1}
    assert router.unplaced == {"usb-9": "stranger"}
    router.bind("usb-9", EAST)
    assert router.unplaced == {}
    assert len(router.route(LineBytes(1.0, "usb-9", encoder.hello(10)))) == 1


def test_damaged_frames_are_counted() -> None:
    router = Router()
    encoder = SerialNodeEncoder("n", 7)
    wire = bytearray(encoder.hello(0) + encoder.hello(1) + encoder.hello(2))
    wire[len(wire) // 2] ^= 0x55
    assert len(router.route(LineBytes(1.0, "T1/east", bytes(wire)))) == 2
    assert router.rejected == {Rejection.DAMAGED_FRAME: 1}


def test_an_answer_carries_when_its_question_left_once() -> None:
    router = Router()
    host, encoder = CommandEncoder(), SerialNodeEncoder("n", 7)
    router.route(LineBytes(0.5, "T1/east", encoder.hello(0)))
    assert router.route(LineBytes(1.0, "T1/east", host.encode(Light(1, 2, 3)) + host.encode(Ping(41)), sent=True)) == []
    (arrival,) = router.route(LineBytes(1.003, "T1/east", encoder.pong(2000, 41, 1500)))
    assert isinstance(arrival.message, Pong)
    assert arrival.ping_sent_s == 1.0
    (again,) = router.route(LineBytes(1.004, "T1/east", encoder.pong(2000, 41, 1500)))
    assert again.ping_sent_s is None


def test_questions_that_are_never_answered_are_forgotten() -> None:
    router = Router()
    host = CommandEncoder()
    for nonce in range(100):
        router.route(LineBytes(float(nonce), "T1/east", host.encode(Ping(nonce)), sent=True))
    assert len(router._lines["T1/east"]._pings_s) <= 16


def test_no_number_of_ports_fills_the_memory() -> None:
    router = Router()
    for number in range(2000):
        router.route(LineBytes(1.0, f"port {number}", b"\0"))
    assert len(router._lines) == 1024
    assert router.rejected == {Rejection.UNPLACED_NODE: 2000 - 1024}


def test_a_recording_replays_to_the_same_arrivals(tmp_path: Path) -> None:
    host, encoder = CommandEncoder(), SerialNodeEncoder("n", 7)
    live: list[Received] = [
        Published(0.1, TOPIC, encode_readings(Readings("m", 1, 2, 3))),
        LineBytes(0.2, "T1/south", encoder.hello(0)),
        LineBytes(0.3, "T1/south", host.encode(Ping(1)), sent=True),
        LineBytes(0.301, "T1/south", encoder.pong(100, 1, 90)),
        Published(0.4, TOPIC, b"\xff\xfe", retain=True),
    ]
    path = tmp_path / "r.jsonl.gz"
    with RecordingWriter(path) as writer:
        for received in live:
            writer.write(received)
    first, second = Router(), Router()
    arrivals = [arrival for received in live for arrival in first.route(received)]
    replayed = [
        arrival
        for received in read_recording(path)
        if not isinstance(received, BadLine)
        for arrival in second.route(received)
    ]
    assert replayed == arrivals
    assert len(arrivals) == 3
    assert second.rejected == first.rejected


@given(
    st.lists(
        st.builds(Published, st.just(1.0), st.text(max_size=20) | st.just(TOPIC), st.binary(max_size=80))
        | st.builds(
            LineBytes, st.just(1.0), st.sampled_from(["T1/east", "usb-1"]), st.binary(max_size=80), st.booleans()
        ),
        max_size=20,
    ),
    st.randoms(use_true_random=False),
)
def test_anything_may_be_received(received: list[Received], rng: random.Random) -> None:
    router = Router()
    encoder = SerialNodeEncoder("n", 7)
    for one in received:
        router.route(one)
        if rng.random() < 0.5:
            router.route(LineBytes(1.0, "T1/east", encoder.hello(0)))
    assert router.route(LineBytes(2.0, "T1/east", b"\0" + encoder.hello(0)))
