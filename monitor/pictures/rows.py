"""Draws a stretch of a hand: a row a seat, numbers of tiles as a step line, what happened as marks, windows as bands.

Owns the layout of the rows. Everything that has bounds is drawn with them: a mark's bar spans the moments between
which the truth lies 99 times in 100, a step's dotted stretch the moments in which the number changed, a darker band the
bounds of the window's end. Refuses to know what the stretch is about: a report draws an alert over it, a page the
present.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from monitor.events import SEATS, CountChanged, Seat, Zone
from monitor.open_windows import OpenWindow, windows_of
from monitor.pictures.drawing import PALE, SHADE, SOFT, Drawing, width_of
from monitor.pictures.frame import Frame
from monitor.pictures.marks import LABEL_SIZE, Mark, Placed, placed, word
from monitor.standing import Standing
from monitor.wording import seat_name

WIDTH: Final = 720.0
LEFT: Final = 62.0
RIGHT: Final = WIDTH - 8
TOP: Final = 38.0
ROW: Final = 70.0
BOTTOM: Final = TOP + 4 * ROW
"""Where the rows lie, in the drawing's units; above them there is room for words about the whole stretch."""
_LANE_Y = (12.0, 30.0)
_COUNT_TOP, _COUNT_BOTTOM = 44.0, 62.0
LONG_BAR: Final = 30.0
"""Units; our choice: the word of a mark whose bar is longer stands above it."""
SURE: Final = 0.9
"""Our choice: a number told with less confidence is drawn thin."""


class Step(Struct, frozen=True):
    """From `at` on a rack has `count` tiles; the change lies between `earliest` and `latest`."""

    at: float
    earliest: float
    latest: float
    count: int | None
    sure: bool


def draw_windows(drawing: Drawing, events: Sequence[Standing], frame: Frame) -> None:
    """The stretches in which the last discard could be claimed, behind everything else."""
    for window in windows_of(events):
        _window(drawing, window, frame)


def draw_rows(
    drawing: Drawing,
    events: Sequence[Standing],
    marks: Sequence[Mark],
    frame: Frame,
    about: Seat | None = None,
    *,
    worded: bool = True,
) -> None:
    """The four rows with the words of the windows; `about`: the seat whose name stands out.

    `worded`: marks have words, as far as there is room; without, only their shapes tell them apart.
    """
    for window in windows_of(events):
        _window_words(drawing, window, frame)
    for number, seat in enumerate(SEATS):
        top = TOP + number * ROW
        drawing.line(0, top, WIDTH, top, width=0.6, ink=PALE)
        drawing.words(2, top + 16, seat_name(seat), size=13, bold=about is seat)
        _counts(drawing, steps_of(events, seat), frame, top)
        for one in placed([mark for mark in marks if mark.seat is seat], frame):
            _mark(drawing, one, frame, top, worded=worded)


def steps_of(events: Sequence[Standing], seat: Seat) -> list[Step]:
    """A rack's numbers in order of time; of several words on one moment the last."""
    steps: list[Step] = []
    for one in events:
        event = one.event
        if isinstance(event, CountChanged) and event.seat is seat and event.zone is Zone.RACK:
            step = Step(
                event.at, event.low, event.high, event.count, event.confidence is None or event.confidence >= SURE
            )
            if steps and steps[-1].at == step.at:
                earlier = steps.pop()
                step = Step(step.at, min(earlier.earliest, step.earliest), step.latest, step.count, step.sure)
            steps.append(step)
    return steps


def _window(drawing: Drawing, window: OpenWindow, frame: Frame) -> None:
    closed = window.ended(frame.high_s)
    if closed < frame.low_s or window.opened > frame.high_s:
        return
    left, right = frame.x(window.opened), frame.x(closed)
    bottom = BOTTOM
    drawing.box(left, 18, right - left, bottom - 18, fill=SHADE)
    if window.closed is not None:
        low = max(frame.x(window.closed_earliest), left)
        drawing.box(low, 18, frame.x(window.closed_latest) - low, bottom - 18, fill=PALE)
    for edge in (left, right) if window.closed is not None else (left,):
        drawing.line(edge, 18, edge, bottom, width=0.8, ink=SOFT, dash="2 3")


def _window_words(drawing: Drawing, window: OpenWindow, frame: Frame) -> None:
    left, right = frame.x(window.opened), frame.x(window.ended(frame.high_s))
    whose = "the discard" if window.discarder is None else f"{seat_name(window.discarder)}'s discard"
    label = next((one for one in (f"{whose} can be claimed", whose) if width_of(one, 10) <= right - left - 4), "")
    if label:
        drawing.words((left + right) / 2, 29, label, size=10, anchor="middle", halo=True)


def _counts(drawing: Drawing, steps: Sequence[Step], frame: Frame, top: float) -> None:
    """The step line; where the number is not known, a question mark on a dotted line in the middle."""
    shown = _shown(steps, frame)
    known = [step.count for step in shown if step.count is not None]
    lowest, highest = (min(known), max(known)) if known else (13, 13)
    scale = (_COUNT_BOTTOM - _COUNT_TOP) / max(highest - lowest, 2)
    middle = (highest + lowest) / 2
    centre = top + (_COUNT_TOP + _COUNT_BOTTOM) / 2

    def level(count: int | None) -> float:
        return centre if count is None else centre - (count - middle) * scale

    numbered = frame.left - 20
    last: int | None = -1
    for number, step in enumerate(shown):
        following = shown[number + 1] if number + 1 < len(shown) else None
        left = frame.x(step.at)
        right = frame.x(_until(step, following)) if following is not None else frame.right
        y = level(step.count)
        if right > left:
            drawing.line(left, y, right, y, width=2.2 if step.sure else 1, dash="2 3" if step.count is None else "")
        label = "?" if step.count is None else f"{step.count}"
        if following is not None:
            edge, after = frame.x(following.at), level(following.count)
            drawing.line(max(left, right), y, edge, y, width=1, dash="1.5 2")
            drawing.line(edge, y, edge, after, width=1)
        at = left + 3
        if at >= numbered and step.count != last:
            last = step.count
            drawing.words(at, y - 3, label, size=11, bold=step.sure, halo=True)
            numbered = at + width_of(label, 11) + 4
    if not shown:
        drawing.words(frame.left + 3, centre, "number of tiles not told", size=10, ink=SOFT)


def _until(step: Step, following: Step) -> float:
    """Until when a number is drawn as known; one that was told again did not change."""
    return following.at if following.count == step.count else following.earliest


def _shown(steps: Sequence[Step], frame: Frame) -> list[Step]:
    """The steps in the picture, and before them the one that holds at its left edge."""
    before = [step for step in steps if step.at < frame.low_s][-1:]
    return before + [step for step in steps if frame.holds(step.at)]


def _mark(drawing: Drawing, one: Placed, frame: Frame, top: float, *, worded: bool) -> None:
    mark, y = one.mark, top + _LANE_Y[one.lane]
    x, low, high = frame.x(mark.at), frame.x(mark.earliest), frame.x(mark.latest)
    if high - low > 2:
        drawing.line(low, y, high, y, width=1.2)
        for end in (low, high):
            drawing.line(end, y - 3, end, y + 3, width=1.2)
    drawing.path(f"M{x:.1f},{y:.1f} {mark.look.shape}", fill="#000000" if mark.evidence else "#ffffff")
    if one.worded and worded:
        _worded(drawing, mark, frame, y)


def _worded(drawing: Drawing, mark: Mark, frame: Frame, y: float) -> None:
    """The mark's word: behind its bar, or above it where the bar is long."""
    x, low, high = frame.x(mark.at), frame.x(mark.earliest), frame.x(mark.latest)
    above = high - x > LONG_BAR
    right = x + 8 if above else max(x + 8, high + 5)
    over = right + width_of(word(mark), LABEL_SIZE) > frame.right
    anchor, at = ("end", x - 8 if above else min(x - 8, low - 5)) if over else ("start", right)
    height = y - 5 if above else y + 3.5
    drawing.words(at, height, word(mark), size=LABEL_SIZE, anchor=anchor, bold=mark.evidence, halo=True)
