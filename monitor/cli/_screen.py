"""One moment of a table as a screen of text: racks, turn, window, alerts, what happened, and where in time this is.

Owns layout, signs and colour; whatever colour says, a word or a sign says too. Refuses to know keys and time: a pure
function of what a player shows. Words are the catalogue's (`monitor.wording`).
"""

from collections.abc import Iterable
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.text import Text

from hw.observations import NO_REST
from monitor.alerts import Alert, AlertState, Level
from monitor.cli._looks import Looks
from monitor.cli._words import event_words, printable, since, sureness
from monitor.events import SEATS, Event
from monitor.playback import Motion, Shown
from monitor.view import Counts, Phase, TableView, Window, WindowState
from monitor.wording import CLOSINGS, LEVELS, PHASES, RULES, STATES, WINDOWS, article, seat_name, turn_line

RECENT_LINES: Final = 4
"""What happened keeps so many lines, however many alerts there are."""
FEWEST_LINES: Final = 3
"""The newest alert keeps so many, whatever else must go."""
MESSAGE_LINES: Final = 3
"""Our choice: no alert has longer words at 80 columns; the whole is in `rackwatch explain`."""

_LEVELS: Final = {
    Level.RULING_DUE: "bold reverse",
    Level.ADVICE: "bold",
    Level.NOTICE: "bold",
    Level.TECHNICAL: "",
}
_DUE: Final = (Level.RULING_DUE, Level.ADVICE)
"""What is marked at the rack of its seat, too."""
_DIM: Final = "dim"


def screen(shown: Shown, looks: Looks) -> RenderableType:
    """The screen, no wider than asked for; where it would be higher, less of what happened is told."""
    view = shown.view
    gap = [Text()] if looks.roomy else []
    top = [_heading(shown, looks), *_rule(looks), *_play(view, shown.at_s, looks)]
    top += [Text(f"{'tiles':>14}  slope + ledge", _DIM)] if gap else []
    top += [*_racks(view, looks), *gap]
    bottom = [*gap, *_sensors(view), *_bar(shown, looks), *_keys(looks)]
    room = max(0, looks.height - len(top) - len(bottom))
    alerts = _alerts(view.alerts, looks, room - RECENT_LINES - len(gap))
    recent = _recent(view.recent, looks, room - len(alerts) - len(gap))
    filled = [*alerts, *gap, *recent]
    filled += [Text()] * (room - len(filled))
    return Group(*(_cut(line, looks.width) for line in (*top, *filled[:room], *bottom)))


def _cut(line: Text, width: int) -> Text:
    line.plain = printable(line.plain)
    line.no_wrap = True
    line.overflow = "ellipsis"
    line.truncate(width, overflow="ellipsis")
    return line


def _sides(left: Text, right: Text, width: int) -> Text:
    """Two texts at the two ends of a line; the right one stays whole."""
    left.truncate(max(0, width - right.cell_len - 1), overflow="ellipsis")
    return Text.assemble(left, " " * max(1, width - left.cell_len - right.cell_len), right)


def _heading(shown: Shown, looks: Looks) -> Text:
    view, signs = shown.view, looks.signs
    left = Text.assemble((f" {view.table}", "bold"), f" {signs.dot} hand {view.hand}" if view.hand else "")
    left.append(f" {signs.dot} {looks.title}", _DIM)
    words = {
        Motion.PLAYING: f"{signs.playing} {shown.speed:g} {signs.times}",
        Motion.PAUSED: f"{signs.paused} paused, {shown.speed:g} {signs.times}",
        Motion.ENDED: "the end",
    }
    return _sides(left, Text(f"{words[shown.motion]} ", "bold"), looks.width)


def _rule(looks: Looks) -> Iterable[Text]:
    if looks.roomy:
        yield Text(looks.signs.rule * looks.width, _DIM)


def _play(view: TableView, at_s: float, looks: Looks) -> Iterable[Text]:
    phase = Text.assemble(f" {_label('Phase', looks)}", (PHASES[view.phase], "bold"))
    if view.phase is Phase.PLAY and view.turn is not None:
        yield phase
        yield Text.assemble(f" {_label('Turn', looks)}", (turn_line(view), "bold"))
    else:
        yield phase.append(f" {looks.signs.dot} {turn_line(view)}", _DIM) if looks.wide else phase
        yield Text.assemble(f" {_label('Turn', looks)}", ("nobody's", _DIM))
    yield from _window(view, at_s, looks)


def _label(word: str, looks: Looks) -> str:
    return f"{word:<9}" if looks.wide else f"{word:<7}"


def _window(view: TableView, at_s: float, looks: Looks) -> Iterable[Text]:
    """Open since when by whose discard, or closed by what. The rule knows no time limit, so none is shown."""
    window, indent = view.window, f" {_label('', looks)}"
    line = Text(f" {_label('Window', looks)}")
    more = Text()
    if window.state is WindowState.NONE:
        line.append(WINDOWS[window.state].lower(), _DIM)
    else:
        is_open = window.state is WindowState.OPEN
        line.append(WINDOWS[WindowState.OPEN if is_open else WindowState.CLOSED], "bold green" if is_open else "bold")
        if window.discarder is not None:
            line.append(f" on {seat_name(window.discarder)}'s discard")
        more = _window_open(view, at_s, looks) if is_open else _window_closed(window, looks)
    if looks.wide:
        yield line.append_text(more)
    else:
        yield line
        yield Text.assemble(indent, Text(more.plain.lstrip(" :;,")))


def _window_open(view: TableView, at_s: float, looks: Looks) -> Text:
    line = Text()
    if view.window.since is not None:
        line.append(f" since {looks.clock(view.window.since)} ({since(at_s - view.window.since)})")
    if view.caller is not None:
        line.append(f", {seat_name(view.caller)} calls", "bold")
    return line


def _window_closed(window: Window, looks: Looks) -> Text:
    cause = CLOSINGS[window.cause] if window.cause is not None else "closed it"
    line = Text(f": {seat_name(window.seat)} {cause}" if window.seat is not None else f": {cause}")
    return line.append(f" at {looks.clock(window.since)}", _DIM) if window.since is not None else line


def _racks(view: TableView, looks: Looks) -> Iterable[Text]:
    counts = {one.seat: one for one in view.counts}
    for seat in SEATS:
        turn = view.turn is seat
        line = Text(f" {looks.signs.turn if turn else ' '} ")
        line.append(f"{seat_name(seat):<6}", "bold" if turn else "")
        line.append("E " if view.east is seat else "  ", "bold")
        _append_count(line, counts.get(seat, Counts(seat)), looks)
        if seat in view.dead:
            line.append("  dead", "bold")
        due = [one for one in view.alerts if one.seat is seat and one.state is AlertState.RAISED and one.level in _DUE]
        if due:
            line.append(f"  {looks.signs.alert}{f' {LEVELS[due[0].level]}' if looks.wide else ''}", "bold")
        yield line


def _append_count(line: Text, counts: Counts, looks: Looks) -> None:
    if counts.total is None:
        line.append(f"{'?':>3}  ", "bold")
        line.append(_unknown(counts.reason))
        return
    slope, ledge = counts.placed
    line.append(f"{counts.total:>3}  ", "bold")
    if counts.ledge is not None and slope is not None and ledge is not None:
        line.append(f"{f'{slope} + {ledge}':<8}")
    else:
        line.append(f"{'':<8}")
    if looks.wide:
        drawn = looks.signs.slope * (slope or 0) + (" " + looks.signs.ledge * ledge if ledge else "")
        line.append(f"{drawn:<19}")
    words = sureness(counts.confidence)
    line.append(f" {words}", _DIM if words == sureness(None) else "bold")


def _unknown(reason: str) -> str:
    if not reason:
        return "not known"
    return "in motion" if reason == NO_REST else f"not known: {reason}"


def _alerts(alerts: tuple[Alert, ...], looks: Looks, room: int) -> list[Text]:
    """Those that stand first, newest first; as many as fit, and how many do not."""
    if not alerts:
        return [Text(" No alerts", _DIM)]
    lines: list[Text] = []
    for index, alert in enumerate(alerts):
        block = list(_alert(alert, looks))
        left = len(alerts) - index
        spare = 1 if left > 1 else 0
        if lines and len(lines) + len(block) + spare > room:
            lines.append(Text(f" and {left} more" if left > 1 else " and one more", _DIM))
            break
        shown = max(FEWEST_LINES, room - spare) if not lines else len(block)
        if len(block) > shown:
            block[shown - 1] = Text.assemble(block[shown - 1], " …")
        lines += block[:shown]
    return lines


def _alert(alert: Alert, looks: Looks) -> Iterable[Text]:
    dot = looks.signs.dot
    what = RULES[alert.rule] + (f" {dot} {seat_name(alert.seat)}" if alert.seat is not None else "")
    when = Text(f"{looks.clock(alert.raised_at)} ", _DIM)
    if alert.state is not AlertState.RAISED:
        yield _sides(Text(f"   {STATES[alert.state]}: {what}", _DIM), when, looks.width)
        return
    level = Text.assemble(" ", (f" {LEVELS[alert.level].upper()} ", _LEVELS[alert.level]), " ")
    resting = f" {dot} {article(alert)}" if article(alert) else ""
    if looks.wide:
        yield _sides(Text.assemble(level, (what, "bold"), resting), when, looks.width)
    else:
        yield _sides(level, when, looks.width)
        yield Text.assemble("   ", (what, "bold"))
    words = Text(alert.message).wrap(_WRAPPER, looks.width - 4)
    for number, line in enumerate(words[:MESSAGE_LINES], 1):
        cut = number == MESSAGE_LINES and len(words) > MESSAGE_LINES
        yield Text.assemble("   ", line.plain.rstrip(), " …" if cut else "")


def _recent(events: tuple[Event, ...], looks: Looks, room: int) -> list[Text]:
    if not events:
        return [Text(" Nothing happened yet", _DIM)]
    clocks = [looks.clock(event.at) for event in events[: max(0, room)]]
    wide = max(map(len, clocks), default=0)
    return [
        Text.assemble(" ", (f"{clock:>{wide}}", _DIM), f"  {event_words(event)}")
        for clock, event in zip(clocks, events, strict=False)
    ]


def _sensors(view: TableView) -> Iterable[Text]:
    if not view.health:
        yield Text(" Sensors in order", _DIM)
        return
    more = f" (and {len(view.health) - 1} more)" if len(view.health) > 1 else ""
    yield Text.assemble((" SENSOR  ", "bold"), f"{view.health[0].message}{more}")


def _bar(shown: Shown, looks: Looks) -> Iterable[Text]:
    """Where in the timeline this is, with a sign at each alert."""
    line, signs = shown.timeline, looks.signs
    times = f" {looks.clock(shown.at_s)} of {looks.clock(line.ended_s)} "
    cells = max(4, looks.width - len(times) - 1)
    span_s = max(line.ended_s - line.began_s, 1e-9)

    def cell(at_s: float) -> int:
        return min(cells - 1, int((at_s - line.began_s) / span_s * cells))

    here = cells if shown.motion is Motion.ENDED else cell(shown.at_s)
    marks = {cell(at_s) for at_s in line.alerts_s}
    bar = Text(" ")
    for number in range(cells):
        passed = number < here
        if number in marks:
            bar.append(signs.alert, "bold")
        else:
            bar.append(signs.played if passed else signs.coming, "" if passed else _DIM)
    yield bar.append(times)
    if line.left_out:
        yield Text(f" {line.left_out} later records do not fit and are left out", "bold")


def _keys(looks: Looks) -> Iterable[Text]:
    signs = looks.signs
    move = f"space pause  {signs.arrows} 10 s  n p alert"
    pace = "+ - speed  q quit"
    if looks.wide:
        yield Text(f" {move}  home end  {pace}", _DIM)
    else:
        yield Text(f" {move}", _DIM)
        yield Text(f" home end  {pace}", _DIM)


_WRAPPER: Final = Console(width=400)
"""What rich asks for to wrap words; nothing is printed on it."""
