"""How sure a finding is told: never above what its kind deserves, less the smaller its share and the worse the fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.events import Called, Discarded, Event, Exposed, JokerExchanged, Racked
from monitor.inference.trust import LATE_S, PROMPT_S, STRAINED, confidence

KINDS = (Racked, Discarded, Exposed, JokerExchanged, Called)
SHARES = st.floats(0.0, 1.0)
STRAINS = st.floats(0.0, 500.0)


@given(st.sampled_from(KINDS), SHARES, SHARES, STRAINS, STRAINS)
def test_more_share_and_less_strain_are_never_less_sure(
    kind: type[Event], a: float, b: float, c: float, d: float
) -> None:
    surest = confidence(kind, max(a, b), min(c, d))
    assert 0.0 <= confidence(kind, min(a, b), max(c, d)) <= surest < 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_half_of_what_strain_costs_is_lost_at_its_scale(kind: type[Event]) -> None:
    clear, half, most = (confidence(kind, 1.0, strain) for strain in (0.0, STRAINED, 1e6))
    assert half == pytest.approx((clear + most) / 2.0, abs=1e-3)
    assert most < 0.95 * clear


def test_a_divided_share_says_less_of_a_discard_than_of_a_racking() -> None:
    """Whether a tile went through or was held divides the readings of a discard, which all agree that it was one."""
    assert confidence(Discarded, 0.5, 0.0) > 0.75 > confidence(Racked, 0.5, 0.0)


def test_what_is_found_out_long_after_is_less_sure() -> None:
    prompt, late = (confidence(Racked, 1.0, 0.0, lag_s) for lag_s in (PROMPT_S, LATE_S))
    assert prompt == confidence(Racked, 1.0, 0.0) > 1.3 * late
    assert late == confidence(Racked, 1.0, 0.0, 1e3)
