"""How likely people do what at the table, as log-probabilities and mean seconds.

Owns every number of the grammar of turns. Costs are our choice from what people do and from the project's research
figures; their order decides, not their last digit.
"""

from math import exp, log

THROUGH_SHARE = 0.2
"""Share of turns in which the pick is thrown on without touching the rack. Our choice."""

THROUGH_S = 1.6
"""Usual least time of such a turn; shorter ones cost."""

TOGETHER_S = 0.5
"""A rack so shortly before a claim was made in the same moment: its tile goes back, it is not the discard claimed."""

LEAST_TURN_S = 0.5
"""Usual least time from a discard to the next rack."""

TOUCH_ENDS_S = 0.4
"""What a touch ends with left so long before the rack rests."""

LEAVING_S = 0.1
"""A discard that nothing sees land is dated so long after it left the rack; it lands within `LANDING_MOST_S`."""

LANDING_MOST_S = 1.1

EXCHANGE_MOST_S = 6.0
"""From a natural on the ledge to its joker on the slope, at most. Our choice."""

GIVEN_MOST_S = 12.0
"""And from a natural's leaving its slope. Our choice."""

CARRIED_S = 0.5
CARRIED_MOST_S = 2.0
"""A pick that goes to a ledge for a joker was carried there for about, and at most, so long. Our choice."""

TAKEN_BACK_S = 30.0
"""A tile that comes to a slope so soon after it was discarded was not. Our choice."""

LANDS_LATE_S = 12.0
"""A discard is dated by the landing of its tile if that is seen so soon after its leaving. Our choice."""

TILE_SD_G = 0.3
"""Difference of weight of two tiles of a set: 1 to 3 % of 12 g, twice."""

LOSE_OWED_S = 6.0
"""A pick that was not racked so long after the discard is not coming: the count is what it is."""

LOSE_AWAY_S = 12.0

LOSE_CLAIM_S = 15.0
"""A claim of which nothing was seen for so long was taken back, or its exposure was missed."""

# log-probabilities of readings, our choice from what people do; their order decides, not their last digit
P_LIFT = log(0.15)
P_LIFT_HOLDING = log(0.12)
P_DISCARD = log(0.7)
P_DISCARD_FIRST = log(0.15)
P_EXCHANGE = log(0.08)
TOUCH_MEANT = log(1.6)
TOUCH_MEANT_LEDGE = log(7.0)
"""How much likelier a rack with exposures is touched while somebody waits for its joker than by chance; the ledge by
itself is hardly ever touched for anything else. Our choice."""
P_MORE_JOKERS = log(0.3)
MOST_JOKERS = 4
"""Naturals given at once for jokers: each more is rarer; the procedure allows any number (Article 205)."""
P_LENT = log(0.02)
P_GIVEN_UNSEEN = log(0.3)
"""A joker came for the pick itself, or for a natural that nobody heard leave, while others are lifted."""
P_LENT_DIRECTLY = log(0.05)
P_UNPRESSED_CLAIM = log(0.002)
P_EXTRA_PICK = log(0.0015)
P_NO_PICK = log(0.003)
P_LOST = log(0.002)
P_DEAD_RACKS = log(0.002)
"""A dead hand picks, where the tile may be a natural that somebody lays on its exposures."""
P_RESTLESS_RACKING = log(0.25)
"""One tile is racked with a single landing; where a rack felt several, tiles were rather moved to its ledge."""
P_SINGLE_EXPOSURE = log(0.3)
"""An exposure lays down three tiles or more: that it felt like one landing is rare."""
SHORT_EXPOSURE = 2
P_SHORT_EXPOSURE = log(0.02)
"""An exposure lays down three tiles or more: that only so many of it are known when its seat discards is rare."""
SEVERAL = 3
P_SILENT = log(0.05)
"""A tag that is not heard for so long that its tile cannot be in a hand: weak ones are not, now and then."""
P_PRESS_IGNORED = log(0.12)
P_PRESS_MEANT = log(0.88)
P_LATE_CLAIM = log(0.1)
P_OVERTAKEN = log(0.3)
P_EARLY = log(0.06)
P_OUT_OF_TURN = log(0.003)
P_TAKEN_BACK = log(0.002)
"""A discard comes to a slope: only an exposure holds discards."""
P_THROUGH_WATCHED = log(0.02)
P_NEVER = log(1e-6)
P_UNKNOWN_TURN = log(0.3)

# mean seconds that a thing in suspense lasts
STAYS_AWAY_S = 2.0
STAYS_OWED_S = 2.0
STAYS_LENT_S = 1.5
STAYS_GIVEN_S = 8.0
STAYS_CLAIMING_S = 6.0


def haste(held_s: float) -> float:
    """Cost of discarding `held_s` after racking: an expert takes about a second (research: pace).

    Negative: the discard came first, and its sensor is the slower one.
    """
    return P_DISCARD_FIRST - P_DISCARD if held_s < 0.0 else min(0.0, 6.0 * (held_s - 0.9))


def returning(racked_before_s: float) -> float:
    """Cost of a tile going back to the wall that was racked so long before the claim that took the turn: no claim is
    granted so late."""
    return -min(5.0, max(0.0, racked_before_s - 1.5))


STRAY_SHARE = 0.03
STRAY_G = 3.0
"""In so many touches a hand, a crooked tile or a rubbing rack leaves a weight that says nothing, of about so much."""


def log_weight(x_g: float, sd_g: float) -> float:
    """Log-likelihood of a weight that differs by `x_g` from what is expected, but for strays."""
    expected = (1.0 - STRAY_SHARE) * exp(-0.5 * (x_g / sd_g) ** 2) / sd_g
    stray = STRAY_SHARE * exp(-0.5 * (x_g / STRAY_G) ** 2) / STRAY_G
    return log(expected + stray + 1e-12)
