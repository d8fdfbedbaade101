"""A replay as plain lines, for a file or a pipe: what happened when it became known, without control codes.

Owns the lines and their pace. Refuses to know the screen for people (`_screen`). Counts change at every touch, so they
are told together, whenever a tile was discarded or the hand went on to another phase.
"""

from collections.abc import Callable, Iterator

from monitor.alerts import Alert, AlertState, Rule
from monitor.cli._console import EventMemory
from monitor.cli._words import event_words, printable, sureness
from monitor.events import SEATS, Corrected, CountChanged, Dealt, Discarded, HandEnded, PlayStarted, ThrownIn
from monitor.timeline import Moment, Timeline
from monitor.view import Counts, TableView
from monitor.wording import LEVELS, RULES, STATES, article, seat_name

LATE_S = 1.0
"""What became known so much later than it happened is told with the moment at which it happened; our choice."""
TELLS_COUNTS = (Dealt, PlayStarted, Discarded, HandEnded, ThrownIn)


def play_lines(
    timeline: Timeline,
    speed: float,
    clock: Callable[[float], str],
    say: Callable[[str], None],
    sleep: Callable[[float], None],
) -> None:
    """Say each line when it comes, `speed` times as fast as life; `sleep` waits so many seconds."""
    memory = EventMemory()
    at_s = timeline.began_s
    for moment in timeline.moments:
        lines = list(_lines(moment, timeline.table, clock, memory))
        if not lines:
            continue
        sleep(max(0.0, moment.at_s - at_s) / speed)
        at_s = moment.at_s
        for line in lines:
            say(printable(f"{clock(at_s):>8}  {line}"))
    sleep(max(0.0, timeline.ended_s - at_s) / speed)
    left_out = f"; {timeline.left_out} later records do not fit and are left out" if timeline.left_out else ""
    say(f"{clock(timeline.ended_s):>8}  The end{left_out}")


def _lines(moment: Moment, table: str, clock: Callable[[float], str], memory: EventMemory) -> Iterator[str]:
    counts_due = False
    for record in moment.records:
        about = memory.about(table, record)
        if isinstance(record, Alert):
            if record.rule is not Rule.WINDOW_CLOSED:
                yield _alert(record)
        elif not isinstance(record, CountChanged):
            late = moment.at_s - record.at > LATE_S and not isinstance(record, Corrected)
            yield event_words(record, about) + (f" (at {clock(record.at)})" if late else "")
            counts_due = counts_due or isinstance(record, TELLS_COUNTS)
    if counts_due:
        yield _counts(moment.view)


def _alert(alert: Alert) -> str:
    what = RULES[alert.rule] + (f", {seat_name(alert.seat)}" if alert.seat is not None else "")
    if alert.state is not AlertState.RAISED:
        return f"{what}: {STATES[alert.state]}"
    resting = ", ".join(filter(None, (what, article(alert))))
    return f"{LEVELS[alert.level].upper()}: {resting}. {alert.message}"


def _counts(view: TableView) -> str:
    known = {one.seat: one for one in view.counts}
    return f"Racks: {'; '.join(_count(known.get(seat, Counts(seat))) for seat in SEATS)}"


def _count(counts: Counts) -> str:
    name = seat_name(counts.seat)
    if counts.total is None:
        return f"{name} not known{f' ({counts.reason})' if counts.reason else ''}"
    slope, ledge = counts.placed
    placed = f" ({slope} + {ledge})" if ledge else ""
    words = sureness(counts.confidence)
    return f"{name} {counts.total}{placed}{'' if words == sureness(None) else f', {words}'}"
