"""How well held tiles are heard is learned from the evidence of dates, and anew when it changes."""

import pytest

from hw.rfid_held import HELD_SHARES, HeldShare

FIGURES = range(len(HELD_SHARES))


def learn(held: HeldShare, favoured: int, dates: int, nats: float = 1.0) -> None:
    for _ in range(dates):
        asked = held.asked()
        held.learn(asked, [nats if k == favoured else 0.0 for k in asked])


@pytest.mark.parametrize("favoured", FIGURES)
def test_it_finds_the_figure_that_explains_most(favoured: int) -> None:
    held = HeldShare()
    learn(held, favoured, 20)
    assert held.weights[favoured] > 0.9
    assert held.mean == pytest.approx(HELD_SHARES[favoured], abs=0.03)


def test_it_learns_anew() -> None:
    held = HeldShare()
    learn(held, 0, 500)
    learn(held, 3, 12)
    assert held.weights[3] > held.weights[0]


def test_every_figure_goes_on_being_asked() -> None:
    held = HeldShare()
    learn(held, 2, 500)
    assert held.asked() == list(FIGURES)


def test_weights_are_probabilities() -> None:
    held = HeldShare()
    for k in (0, 3, 3, 1, 4, 0):
        learn(held, k, 1, 2.5)
        assert sum(held.weights) == pytest.approx(1.0)
        assert all(weight > 0.0 for weight in held.weights)
