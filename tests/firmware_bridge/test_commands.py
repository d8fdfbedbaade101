"""Commands of the host, on the line and in JSON, both ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.commands import (
    Command,
    CommandEncoder,
    Identify,
    Light,
    LightPattern,
    Ping,
    decode_command,
    decode_light,
    encode_light,
)
from firmware_bridge.errors import NotEncodableError
from firmware_bridge.framing import Frame, FrameDecoder

levels = st.integers(0, 255)
lights = st.builds(
    Light, levels, levels, levels, st.sampled_from(LightPattern), st.integers(0, 65535).map(lambda tenths: tenths / 10)
)
commands = st.builds(Ping, st.integers(0, (1 << 32) - 1)) | lights | st.just(Identify())


@given(st.lists(commands, min_size=1, max_size=5))
def test_commands_arrive_as_they_were_sent(sent: list[Command]) -> None:
    encoder, decoder = CommandEncoder(), FrameDecoder()
    got = []
    for command in sent:
        decoder.receive_data(encoder.encode(command, now_s=1.5))
        event = decoder.next_event()
        assert isinstance(event, Frame)
        got.append((event.seq, decode_command(event)))
    assert got == list(enumerate(sent, 1))


@given(lights)
def test_a_light_arrives_over_mqtt_too(light: Light) -> None:
    assert decode_light(encode_light(light)) == light


@given(st.integers(0, 255), st.binary(max_size=48))
def test_any_frame_is_a_command_or_none(kind: int, payload: bytes) -> None:
    assert decode_command(Frame(kind, 0, 0, payload)) is None or kind in {0x81, 0x82, 0x83}


@pytest.mark.parametrize("payload", [b"", b"{}", b'{"red": 256, "green": 0, "blue": 0}', b"\xff", b"[" * 5000])
def test_what_is_no_light_is_none(payload: bytes) -> None:
    assert decode_light(payload) is None


@pytest.mark.parametrize("light", [Light(256, 0, 0), Light(0, -1, 0), Light(0, 0, 0, duration_s=7000.0)])
def test_a_light_that_does_not_fit_is_a_callers_mistake(light: Light) -> None:
    with pytest.raises(NotEncodableError):
        CommandEncoder().encode(light)
