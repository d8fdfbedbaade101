"""What is done to the clock of the round, read from what a form or a program sent.

Owns the form's fields and what is said where they make no act. What may be done as the clock stands is the round
clock's to say, who may do it the guard's.
"""

import math
from collections.abc import Mapping

import msgspec
from msgspec import Struct

from monitor.acts import ClockAct
from monitor.web.words import say

MINUTE_S = 60.0


class Wanted(Struct, frozen=True):
    """An act on the clock as its author saw it. `table`: whom time is given; empty: all."""

    did: ClockAct
    version: int
    table: str = ""


class Unreadable(Struct, frozen=True):
    """The fields make no act; `why` is a sentence for whoever filled them in."""

    why: str


def wanted(form: Mapping[str, str]) -> Wanted | Unreadable:
    """From the fields `what` (the act's tag), `version`, and what it needs of `round`, `minutes`, `hands`, `table`."""
    what, table = form.get("what", ""), form.get("table", "")
    fields: dict[str, str | float] = {"what": what}
    match what:
        case "started":
            fields |= {"round": form.get("round", ""), "hands": form.get("hands", "")}
            fields["length_s"] = _seconds(form.get("minutes", ""))
            problem = say("clock.start-problem")
        case "extended":
            fields["seconds"] = _seconds(form.get("minutes", ""))
            problem = say("clock.add-problem")
        case _:
            problem = say("clock.problem")
    try:
        read = msgspec.convert({"did": fields, "version": form.get("version"), "table": table}, Wanted, strict=False)
    except msgspec.ValidationError:
        return Unreadable(problem)
    return Unreadable(problem) if what == "extended" and not fields["seconds"] else read


def _seconds(minutes: str) -> float | str:
    """Seconds; empty, which no act takes, where it is no number."""
    try:
        seconds = float(minutes.strip().replace(",", ".")) * MINUTE_S
    except ValueError:
        return ""
    return seconds if math.isfinite(seconds) else ""
