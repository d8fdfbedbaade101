"""What an alert says to people: one plain sentence, and the longer explanation.

Owns the words. Decides nothing. A message never names a tile and never declares a hand dead.
"""

from monitor.alerts import Fact, Rule, Verdict, What
from monitor.events import Closing, Seat
from monitor.rules.state import Closed, Ending, Finding


def message(outcome: Finding | Closed) -> str:
    """One plain sentence about what was found."""
    return outcome.key
