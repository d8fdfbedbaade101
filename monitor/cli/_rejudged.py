"""Rulings then and now, side by side in a terminal. Owns the layout; the words are the alerts' own."""

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from monitor.alerts import Alert
from monitor.cli._words import printable
from monitor.rejudging import Compared
from monitor.wording import RULES, STATES, seat_name


def as_table(compared: Iterable[Compared]) -> Table:
    """A row a ruling; what differs is marked, not by colour alone."""
    table = Table("", "rule", "seat", "then", "now", show_lines=True)
    for each in compared:
        seat = "" if each.seat is None else seat_name(each.seat)
        mark = Text("") if each.same else Text("≠", style="bold")
        table.add_row(mark, Text(RULES[each.rule]), Text(seat), _said(each.then), _said(each.now))
    return table


def _said(alert: Alert | None) -> Text:
    if alert is None:
        return Text("nothing")
    verdict = "" if alert.verdict is None else f" ({alert.verdict})"
    return Text(printable(f"{alert.message}{verdict} [{STATES[alert.state]}]"))
