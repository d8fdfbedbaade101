"""Which cases a director wants to see: what stands behind the `?` of the console's address.

Owns the names and choices there. What cannot be read is no wish. Pure.
"""

from collections.abc import Mapping
from math import inf
from typing import Final
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import asdict

from monitor.alerts import Rule
from monitor.docket import Filter


class Age(Struct, frozen=True):
    """How long ago a case was first seen, in seconds."""

    youngest_s: float = 0.0
    oldest_s: float = inf


AGES: Final[Mapping[str, Age]] = {
    "under-10": Age(oldest_s=600.0),
    "under-60": Age(oldest_s=3600.0),
    "over-10": Age(youngest_s=600.0),
    "over-60": Age(youngest_s=3600.0),
}
"""Minutes; our choice."""


class Wanted(Struct, frozen=True):
    """A table, a rule, a key of `AGES`; empty: any."""

    table: str = ""
    rule: str = ""
    age: str = ""

    def as_filter(self) -> Filter:
        """The docket's filter."""
        age = AGES.get(self.age, Age())
        return Filter(
            tables=frozenset({self.table} if self.table else ()),
            rules=frozenset({Rule(self.rule)} if self.rule else ()),
            youngest_s=age.youngest_s,
            oldest_s=age.oldest_s,
        )

    def query(self, **more: str) -> str:
        """With its `?`; empty where any case is wanted and there is no more."""
        named = {name: value for name, value in {**asdict(self), **more}.items() if value}
        return f"?{urlencode(named)}" if named else ""


def wanted_by(query: Mapping[str, str]) -> Wanted:
    """What an address asks for."""
    rule, age = query.get("rule", ""), query.get("age", "")
    return Wanted(table=query.get("table", ""), rule=rule if rule in set(Rule) else "", age=age if age in AGES else "")
