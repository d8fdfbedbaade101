"""The roles and what each of them may do.

Owns their order: whoever has a role may do all that the roles below it may. Refuses to know who has which one.
"""

from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """From the least to the most, in this order."""

    PUBLIC = "public"
    CLUB = "club"
    SCORER = "scorer"
    DIRECTOR = "director"
    ADMIN = "admin"

    def covers(self, least: "Role") -> bool:
        """Whether this role may do what `least` may."""
        return _ORDER[self] >= _ORDER[least]


_ORDER: Final = {role: place for place, role in enumerate(Role)}

MAY: Final = {
    Role.PUBLIC: "sees the floor: phase, turn, window, alerts of Article 107, technical health",
    Role.CLUB: "sees the club screen of its table",
    Role.SCORER: "runs the round clock and enters what a referee sees, such as a hand's end or who is East",
    Role.DIRECTOR: "sees counts and rules on alerts",
    Role.ADMIN: "sets up nodes, people and settings",
}
"""What each role adds to the one below it."""

TABLE_ROLES: Final = frozenset({Role.CLUB, Role.SCORER})
"""Roles that may be for one table alone: a tablet that stands there."""
