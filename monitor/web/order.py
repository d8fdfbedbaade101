"""In which order the floor's tables stand: what needs someone first, then by name.

    1. A call that was late or together with the racking, or an act out of turn, stands: who waits longest first.
    2. A rack whose sensor or node needs attention.
    3. All others.

Within each by name, T2 before T10. An open window is no reason: every table in play has one every few seconds, and
nobody is needed for it. A card comes forward at once and goes back when nothing has needed anybody for `SETTLE_S`, so a
fault that flickers moves no card. Only what the public may know decides, in practice mode too. Reads no clock.
"""

import re
from typing import Final

from msgspec import Struct

from monitor.alerts import PUBLIC_RULES, Alert, AlertState
from monitor.view import TableView

SETTLE_S: Final = 10.0
"""Our choice: long enough to find the table that one was just looking at."""


def standing(view: TableView) -> list[Alert]:
    """The alerts that need somebody at a table, as far as all may know; newest first."""
    return [alert for alert in view.alerts if alert.rule in PUBLIC_RULES and alert.state is AlertState.RAISED]


def needs_someone(view: TableView) -> bool:
    """Whether somebody should go there."""
    return bool(standing(view) or view.health)


def place(view: TableView) -> str:
    """Where a table stands now: keys sort as plain strings, in Python and in a page's script alike."""
    alerts = standing(view)
    if alerts:
        return f"1 {max(0.0, min(alert.raised_at for alert in alerts)):016.3f} {by_name(view.table)}"
    return f"{2 if view.health else 3} {by_name(view.table)}"


def by_name(table: str) -> str:
    """A key that puts T2 before T10: each number is led by how many digits it has. Different names differ."""
    natural = re.sub(r"[0-9]+", lambda number: _led_by_length(number[0].lstrip("0")), table.lower())
    return f"{natural} {table}"


class Places:
    """Where tables stand, with a memory: forward at once, back once it is quiet."""

    def __init__(self) -> None:
        """No table has a place yet."""
        self._held: dict[str, _Held] = {}

    def place(self, view: TableView, now_s: float) -> str:
        """The table's key, at a time that never runs back."""
        wanted, held = place(view), self._held.get(view.table)
        if held is not None and wanted > held.place:
            leaves_s = now_s + SETTLE_S if held.leaves_s is None else held.leaves_s
            if now_s < leaves_s:
                self._held[view.table] = _Held(held.place, leaves_s)
                return held.place
        self._held[view.table] = _Held(wanted)
        return wanted

    def due(self, now_s: float) -> list[str]:
        """Tables that may go back now; ask each for its place again."""
        return [table for table, held in self._held.items() if held.leaves_s is not None and held.leaves_s <= now_s]


class _Held(Struct, frozen=True):
    """`leaves_s`: when the table goes back; `None`: nothing draws it back."""

    place: str
    leaves_s: float | None = None


def _led_by_length(digits: str) -> str:
    return chr(ord("0") + len(digits)) + digits
