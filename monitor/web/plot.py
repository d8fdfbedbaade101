"""The last minutes of a table as a picture: the four racks' numbers against time, what happened, and windows as bands.

Owns the stretch that is shown and the words of its axis. Refuses to draw: `monitor.pictures` does, as for the reports.
Pure: told what time it is.
"""

from collections.abc import Sequence
from typing import Final

from monitor.pictures.drawing import SOFT, Drawing, draw_seconds
from monitor.pictures.frame import Frame
from monitor.pictures.marks import marks_of, word
from monitor.pictures.rows import BOTTOM, LEFT, RIGHT, WIDTH, draw_rows, draw_windows
from monitor.standing import Standing
from monitor.web.words import say
from monitor.wording import seat_name

SHOWN_S: Final = 300.0
"""Our choice: some thirty turns. A mark still has room then, its word has not: the page has a key."""
TOLD: Final = 6
"""How many of the latest marks are told to whoever cannot see the picture."""
_FOOT: Final = 20.0


def plot(events: Sequence[Standing], now_s: float) -> str:
    """The five minutes before `now_s` as SVG. `events` in order of time; later ones are left out."""
    frame = Frame(now_s - SHOWN_S, now_s, LEFT, RIGHT)
    known = [one for one in events if one.event.at <= now_s]
    marks = marks_of(known, frame)
    told = "; ".join(f"{seat_name(mark.seat)} {word(mark)}" for mark in marks[-TOLD:])
    drawing = Drawing(WIDTH, BOTTOM + _FOOT, say("plot.title", told=told or say("plot.nothing")))
    draw_windows(drawing, known, frame)
    draw_rows(drawing, known, marks, frame, worded=False)
    drawing.line(LEFT, BOTTOM, RIGHT, BOTTOM)
    draw_seconds(drawing, frame, now_s, BOTTOM)
    drawing.words(WIDTH, 10, say("plot.minutes"), size=11, anchor="end", ink=SOFT)
    return drawing.svg()
