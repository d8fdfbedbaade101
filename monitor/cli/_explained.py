"""An alert as a director reads it in a terminal: the explanation, and how the alert came to stand as it does.

Owns the layout of the text. The explanation's words are the rules' own.
"""

from monitor.rules.explain import explain
from monitor.told import ToldAlert
from monitor.wording import LEVELS, RULES, STATES, article, seat_name


def listed(told: ToldAlert) -> str:
    """One line: the id, whether the alert stands, and its sentence."""
    return f"{told.last.id}  {STATES[told.last.state]}: {told.last.message}"


def explained(told: ToldAlert) -> str:
    """The whole of it."""
    alert = told.last
    where = " · ".join(
        part
        for part in (
            alert.table,
            RULES[alert.rule] + (f": {seat_name(alert.seat)}" if alert.seat is not None else ""),
            article(alert),
            LEVELS[alert.level],
            STATES[alert.state],
        )
        if part
    )
    lines = [
        f"  {f'{line.said}: ' if line.said else ''}{STATES[line.alert.state]}: {line.alert.message}"
        for line in told.lines
    ]
    return f"{alert.id}\n{where}\n\n{explain(alert, told.clock).as_text()}\nHow it was told\n" + "\n".join(lines)
