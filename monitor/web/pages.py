"""Renders views to HTML: the whole page once, then what changed of a card.

Owns templates and what stands on a card. The same template makes the first page and every update, so a page that was
reloaded and one that was updated cannot differ. A card is cut into parts, each one element: an update holds those that
changed. No inline script or style: the page's policy forbids it. Words come from `words`, `monitor.wording` and rules.
"""

from collections.abc import Callable
from enum import StrEnum
from functools import cache
from importlib.metadata import version

import jinja2
from msgspec import Struct

from monitor.alerts import Alert, AlertState, Level
from monitor.events import CountChanged
from monitor.rules.explain import explain, seconds
from monitor.view import TableView
from monitor.web.links import table_address
from monitor.web.order import needs_someone, standing
from monitor.web.picture import racks
from monitor.web.round_face import RoundFace, added_words, left_words
from monitor.web.words import WORDS, say, script_words
from monitor.wording import (
    LEVELS,
    PHASES,
    RULES,
    STATES,
    WINDOWS,
    article,
    event_line,
    seat_name,
    turn_line,
    window_line,
)


class Screen(StrEnum):
    """Which page; its views are folded from what its viewers may see."""

    PUBLIC = "public"
    DIRECTOR = "director"
    CONSOLE = "console"
    """The strip of tables beside the director's queue: the director's views, in short."""


class Change(Struct, frozen=True, omit_defaults=True):
    """What a page puts in: a whole card, or by their number those of its parts that changed. `id`: the element's."""

    id: str
    card: str = ""
    parts: dict[int, str] = {}


class Card(Struct, frozen=True):
    """One table's card: the opening of its element, and the elements in it."""

    id: str
    opening: str
    parts: tuple[str, ...]

    @property
    def html(self) -> str:
        """The whole element."""
        return f"{self.opening}{''.join(self.parts)}</article>"

    def change_from(self, old: "Card | None") -> Change | None:
        """What turns a page's old card into this one; `None`: nothing."""
        if old is None or old.opening != self.opening or len(old.parts) != len(self.parts):
            return Change(self.id, card=self.html)
        changed = {
            index: part for index, (part, was) in enumerate(zip(self.parts, old.parts, strict=True)) if part != was
        }
        return Change(self.id, parts=changed) if changed else None


def render_page(screen: Screen, cards: list[str], notices: list[str], round_line: str) -> str:
    """The whole page with the cards as they are now; `round_line`: `render_round`'s."""
    return template("page.html").render(
        screen=screen,
        title=say(f"title.{screen}"),
        foot=say(f"foot.{screen}", version=version("rackwatch")),
        cards=cards,
        notices=render_notices(notices),
        round=round_line,
        script_words=script_words(),
    )


def render_card(
    screen: Screen,
    view: TableView,
    clock: Callable[[float], str] = seconds,
    *,
    place: str = "",
    picture: bool = True,
    added_s: float = 0.0,
) -> Card:
    """One table's card.

    `clock` writes the moments that an alert's explanation tells of. `place`: the key by which a page puts cards in
    order. `picture`: whether the floor's card shows the table from above and alerts in full. `added_s`: seconds that
    this table alone was given in this round.
    """
    explained = view.alerts if screen is Screen.DIRECTOR else ()
    drawn = template(f"{screen}_card.html")
    context = drawn.new_context(
        {
            "view": view,
            "picture": picture,
            "racks": racks(view) if picture else [],
            "phase": PHASES[view.phase],
            "turn": turn_line(view),
            "added": added_words(added_s) if added_s else "",
            "window": WINDOWS[view.window.state],
            "window_line": window_line(view),
            "standing": [alert for alert in view.alerts if alert.state is AlertState.RAISED],
            "explanations": {alert.id: explain(alert, clock) for alert in explained},
            "recent": [event for event in view.recent if not isinstance(event, CountChanged)],
        }
    )
    parts = ("".join(block(context)).strip() for block in drawn.blocks.values())
    directors = screen is not Screen.PUBLIC
    opening = template("card_opening.html").render(
        view=view,
        wide=screen is Screen.DIRECTOR,
        waits=any(map(_waits, view.alerts)) if directors else needs_someone(view),
        faulty=not directors and needs_someone(view) and not standing(view),
        place=place,
    )
    return Card(f"table-{view.table}", opening.strip(), tuple(part for part in parts if part))


def render_notices(notices: list[str]) -> str:
    """What the monitor itself has to say: its log, its broker, its lines."""
    return template("notices.html").render(notices=notices)


def render_round(face: RoundFace, now_s: float | None = None) -> str:
    """The line of the round's clock. `now_s`: the host's seconds; `None`: whoever shows it puts the time in."""
    return template("round.html").render(face=face, now_s=now_s).strip()


def render_refusal(problem: str, advice: str) -> str:
    """A page that says why this one cannot be seen here."""
    return template("refusal.html").render(problem=problem, advice=advice)


def _waits(alert: Alert) -> bool:
    return alert.state is AlertState.RAISED and alert.level is Level.RULING_DUE


@cache
def template(name: str) -> jinja2.Template:
    """One of ours by its name; all pages share one environment, so that words and filters are the same everywhere."""
    return _environment().get_template(name)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("monitor.web"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["say"] = say
    environment.globals["left"] = left_words
    environment.globals["table_address"] = table_address
    environment.filters.update(
        seat=seat_name,
        added=added_words,
        line=event_line,
        rule=lambda alert: RULES[alert.rule],
        short=lambda alert: WORDS.get(f"alert.short.{alert.rule}", RULES[alert.rule]),
        level=lambda alert: LEVELS[alert.level],
        state=lambda alert: STATES[alert.state],
        article=article,
        spoken=lambda word: say(f"choice.{word}"),
        token=lambda word: word.replace(" ", "-").replace("_", "-"),
    )
    return environment
