"""How sure a finding of the search over turns is: from the share of its readings, and from how well they fit at all.

Owns the confidence that is told. Share, strain and lag -> **trust** -> an event's `confidence`.

The share of the probability that holds a finding says how it lies to the other readings, not whether any of them is
right: where people do what the grammar hardly knows, or a sensor misses half of it, all readings are bad and one of
them has nearly everything. How bad is seen from the search itself: each step costs the best reading something, and what
it costs beyond what ordinary moves cost is its strain, forgotten within a few turns. And what is found out long after
it happened is what nobody could read when it did. The numbers are fitted to the project's simulator
(`make bench-accuracy`, reliability diagram), over all tiers and paces.
"""

from msgspec import Struct

from monitor.events import Discarded, Event, Exposed, JokerExchanged, Racked, Returned

ORDINARY = 2.0
"""A step may cost so much (logarithm) without any strain: sorting, a dip, a discard after a claim."""
MOST = 3.0
"""And strains no more than so much: one thing that cannot be is soon behind; several in a row are a search astray."""
FORGOTTEN_S = 12.0
"""Mean time in which strain is forgotten: about a go-round."""
STRAINED = 2.0
"""With so much strain half of the trust that strain costs is lost; a half of that costs little."""

LOST = 6.0
"""With so much strain the play is not understood: no reading fits, and nothing should be concluded from any."""

PROMPT_S, LATE_S = 4.0, 9.0
"""What is told within the first loses nothing for being late; what is told after the second, all that that costs."""


class _Trust(Struct, frozen=True):
    """How often a kind of finding is right without strain, what strain costs it, what a divided share means (where
    readings differ about something else, one that is certain has a small share too), and what lag costs it."""

    clear: float
    strain_costs: float
    power: float
    lag_costs: float = 0.3


_TRUST: dict[type[Event], _Trust] = {
    Racked: _Trust(0.96, 0.22, 1.0),
    Discarded: _Trust(0.97, 0.08, 0.3),
    Exposed: _Trust(0.97, 0.12, 0.5),
    JokerExchanged: _Trust(0.95, 0.2, 0.7),
    Returned: _Trust(0.95, 0.2, 1.0, lag_costs=0.0),  # it shows in what comes after
}
_OTHER = _Trust(0.95, 0.2, 1.0)


def strain(cost: float) -> float:
    """What a step strains that cost the best reading so much (a logarithm, below 0)."""
    return min(MOST, max(0.0, -cost - ORDINARY))


def confidence(kind: type[Event], share: float, strained: float, lag_s: float = 0.0) -> float:
    """The probability that a finding of this kind is right that is told `lag_s` after it happened; `share` and the
    result from 0 to 1, `strained` >= 0."""
    trust = _TRUST.get(kind, _OTHER)
    lost = trust.strain_costs * strained**2 / (strained**2 + STRAINED**2)
    late = trust.lag_costs * min(1.0, max(0.0, (lag_s - PROMPT_S) / (LATE_S - PROMPT_S)))
    return round(float(trust.clear * min(share, 1.0) ** trust.power) * (1.0 - lost) * (1.0 - late), 3)
