import os
import pty
import termios

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.cli._keys import Key, Keyboard, KeyDecoder, keyboard

PRESSED = b" q\x1b[C\x1b[D\x1bOC\x1bOD\x1b[H\x1b[F\x1bOH\x1bOF\x1b[1~\x1b[4~\x1b[5~\x1b[6~nNpP+=-_Q"
MEANT = [
    *(Key.PAUSE, Key.QUIT, Key.FORWARD, Key.BACK, Key.FORWARD, Key.BACK, Key.HOME, Key.END, Key.HOME, Key.END),
    *(Key.HOME, Key.END, Key.FAR_BACK, Key.FAR_FORWARD, Key.NEXT_ALERT, Key.NEXT_ALERT),
    *(Key.PREVIOUS_ALERT, Key.PREVIOUS_ALERT, Key.FASTER, Key.FASTER, Key.SLOWER, Key.SLOWER, Key.QUIT),
]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
def test_keys_in_any_pieces(size: int) -> None:
    decoder = KeyDecoder()
    pieces = [PRESSED[start : start + size] for start in range(0, len(PRESSED), size)]
    keys = [key for piece in pieces for key in decoder.feed(piece)]
    assert keys == MEANT


def test_what_means_nothing_is_passed_over() -> None:
    assert KeyDecoder().feed(b"x\x1b[A\x1b[200~\x1b[1;5C\x1bx\xff\x00 ") == [Key.PAUSE]
    assert KeyDecoder().feed(b"\x1b\x1b[C") == [Key.FORWARD]
    decoder = KeyDecoder()
    assert decoder.feed(b"\x1b[" + b"1" * 100) == []
    assert decoder.feed(b"~ ") == [Key.PAUSE]


@given(st.lists(st.binary(max_size=30)))
def test_noise_stops_nothing_and_holds_little(pieces: list[bytes]) -> None:
    decoder = KeyDecoder()
    for piece in pieces:
        decoder.feed(piece)
        assert len(decoder._held) <= 16
    decoder.feed(b"~~~~~~~~~~~~~~~~")
    assert decoder.feed(b" ") == [Key.PAUSE]


def test_the_modes_are_put_back_when_something_fails() -> None:
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)

    def press_and_fail() -> None:
        with keyboard(slave) as keys:
            assert termios.tcgetattr(slave) != before
            os.write(master, b"\x1b[C")
            assert keys.wait(5.0) == [Key.FORWARD]
            assert keys.wait(0.0) == []
            raise ZeroDivisionError

    try:
        with pytest.raises(ZeroDivisionError):
            press_and_fail()
        assert termios.tcgetattr(slave) == before
    finally:
        os.close(master)
        os.close(slave)


def test_a_terminal_that_is_gone_asks_to_quit() -> None:
    reading, writing = os.pipe()
    os.close(writing)
    assert Keyboard(reading).wait(5.0) == [Key.QUIT]
    os.close(reading)
