"""The state machines as pictures: mermaid text drawn from the tables of `procedure.py`.

Owns nothing but the drawing. `docs/articles.md` carries these pictures, and a test says when they no longer equal the
tables.
"""

from collections.abc import Iterable

from monitor.events import Closing, Recorded
from monitor.rules.procedure import PHASES, SEAT, TURN, WINDOW
from monitor.rules.state import Openness, Phase, Standing, Step


def diagrams() -> dict[str, str]:
    """Each state machine's picture, by name."""
    phases = [
        (phase, f"{_named(kind)} (new hand)" if move.new_hand else _named(kind), move.to)
        for phase, moves in PHASES.items()
        for kind, move in moves.items()
    ]
    turn = [(step, _named(kind), to) for step, moves in TURN.items() for kind, to in moves.items()]
    window = [(openness, _named(what), to) for openness, moves in WINDOW.items() for what, to in moves.items()]
    seat = [(standing, happening.value, to) for standing, moves in SEAT.items() for happening, to in moves.items()]
    return {
        "phases": _drawn(Phase, phases),
        "turn": _drawn(Step, turn),
        "window": _drawn(Openness, window),
        "seat": _drawn(Standing, seat),
    }


def _named(what: type[Recorded] | Closing) -> str:
    """What leads from one state to another: an event's kind, or what closes a window."""
    return f"closed by {what}" if isinstance(what, Closing) else str(what.__struct_config__.tag)


def _drawn(states: Iterable[str], moves: Iterable[tuple[str, str, str]]) -> str:
    labels: dict[str, list[str]] = {}
    for start, label, end in moves:
        labels.setdefault(f"{start} --> {end}", []).append(label)
    lines = [f"    {state}" for state in states]
    lines += [f"    {arrow}: {', '.join(names)}" for arrow, names in labels.items()]
    return "\n".join(("stateDiagram-v2", *lines))
