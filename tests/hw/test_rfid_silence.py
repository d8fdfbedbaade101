"""The law of silences: it learns how long present tags stay silent, and what company and absence elsewhere mean."""

import pytest

from hw.rfid_silence import SilenceLaw


def survival(law: SilenceLaw, age_s: float) -> float:
    """Share of silences that last longer, by following the law in small steps."""
    left, at_s, step_s = 1.0, 0.0, 0.01
    while at_s < age_s:
        left *= 1.0 - law.end_per_s(at_s) * step_s
        at_s += step_s
    return left


def test_the_first_assumption_is_as_documented() -> None:
    law = SilenceLaw()
    assert survival(law, 0.43) == pytest.approx(0.5, abs=0.05)
    assert survival(law, 2.4) == pytest.approx(0.1, abs=0.03)


def test_it_learns_how_long_silences_are() -> None:
    law = SilenceLaw()
    for _ in range(300):
        law.ended(1.9, 0)
    assert survival(law, 1.5) > 0.9
    assert survival(law, 2.5) < 0.2


def test_long_silences_are_learned_too() -> None:
    law = SilenceLaw()
    for _ in range(50):
        law.ended(44.0, 0)
    assert survival(law, 10.0) > 0.7


def test_more_company_leaves_less_doubt() -> None:
    law = SilenceLaw()
    assert law.doubt(0, 13) == 1.0
    assert law.doubt(0, 13) > law.doubt(1, 13) > law.doubt(2, 13) > 0.0


def test_company_says_less_where_silences_are_frequent() -> None:
    quiet, noisy = SilenceLaw(), SilenceLaw()
    for law, tile_s in ((quiet, 50_000.0), (noisy, 2_000.0)):
        for _ in range(60):
            law.ended(1.0, 0)
        law.rested(tile_s)
    assert quiet.silence_per_s < noisy.silence_per_s
    assert quiet.doubt(2, 13) < noisy.doubt(2, 13)


def test_where_gone_tiles_are_found_elsewhere_not_being_found_means_something() -> None:
    law = SilenceLaw()
    before = law.unfound(2.4, 0)
    for _ in range(40):
        law.gone(0, 0.9)
    assert law.unfound(0.4, 0) > 0.9
    assert law.unfound(2.4, 0) < 0.15 < before
    assert law.unfound(2.4, 1) == SilenceLaw().unfound(2.4, 1)


def test_where_they_never_are_it_means_nothing() -> None:
    law = SilenceLaw()
    for _ in range(40):
        law.gone(0, float("inf"))
    assert law.unfound(9.0, 0) > 0.95
