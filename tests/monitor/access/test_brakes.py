from hypothesis import given
from hypothesis import strategies as st

from monitor.access.brakes import FORGET_S, KEYS, NAME, PEER, Brake, Patience


@given(st.sampled_from([NAME, PEER]), st.lists(st.floats(0.0, 100.0), max_size=60))
def test_the_first_are_free_and_waits_grow_to_their_limit(patience: Patience, steps: list[float]) -> None:
    brake, now_s, before_s = Brake(patience), 0.0, 0.0
    for number, step_s in enumerate(steps, start=1):
        now_s += step_s
        brake.attempt("dora", now_s)
        wait_s = brake.wait_s("dora", now_s)
        assert (wait_s == 0.0) is (number < patience.free)
        assert before_s - 1e-6 <= wait_s <= patience.longest_s + 1e-6
        assert brake.wait_s("dora", now_s + wait_s) < 1e-6
        assert brake.wait_s("ada", now_s) == 0.0
        before_s = wait_s


def test_whoever_is_right_starts_anew_and_time_heals() -> None:
    brake = Brake(NAME)
    for _ in range(9):
        brake.attempt("dora", 0.0)
    assert brake.wait_s("dora", 0.0) == 16.0
    brake.clear("dora")
    assert brake.wait_s("dora", 0.0) == 0.0
    for _ in range(9):
        brake.attempt("dora", 0.0)
    brake.attempt("dora", FORGET_S + 1.0)
    assert brake.wait_s("dora", FORGET_S + 1.0) == 0.0


def test_a_right_attempt_does_not_wash_away_the_wrong_ones_from_there() -> None:
    brake = Brake(Patience(free=3, longest_s=60.0))
    for _ in range(2):
        brake.attempt("192.168.1.5", 0.0)
    brake.attempt("192.168.1.5", 0.0)
    assert brake.wait_s("192.168.1.5", 0.0) == 1.0
    brake.forgive("192.168.1.5")
    assert brake.wait_s("192.168.1.5", 0.0) == 0.0
    brake.attempt("192.168.1.5", 0.0)
    assert brake.wait_s("192.168.1.5", 0.0) == 1.0


def test_what_is_remembered_is_bounded() -> None:
    brake = Brake(NAME)
    for number in range(KEYS + 10):
        brake.attempt(str(number), 0.0)
    assert len(brake._tallies) == KEYS
