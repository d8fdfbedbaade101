"""Renders views to HTML: the whole page once, then a card at a time.

Owns templates and how an age or an alert looks. The same card template makes the first page and every update, so a
page that was reloaded and one that was updated cannot differ. No inline script or style: the page's policy forbids it.
"""

from collections.abc import Callable
from enum import StrEnum
from functools import cache
from importlib.metadata import version
from typing import Final

import jinja2

from monitor.alerts import Alert, AlertState, Level
from monitor.events import CountChanged
from monitor.rules.explain import explain, seconds
from monitor.view import TableView
from monitor.web.picture import racks
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


TITLES: Final = {Screen.PUBLIC: "Floor", Screen.DIRECTOR: "Director"}


def render_page(screen: Screen, cards: list[str], notices: list[str]) -> str:
    """The whole page with the cards as they are now."""
    return _template("page.html").render(
        screen=screen, title=TITLES[screen], cards=cards, notices=render_notices(notices), version=version("rackwatch")
    )


def render_card(screen: Screen, view: TableView, clock: Callable[[float], str] = seconds) -> str:
    """One table's card; `clock` writes the moments that an alert's explanation tells of."""
    explained = view.alerts if screen is Screen.DIRECTOR else ()
    return _template(f"{screen}_card.html").render(
        view=view,
        racks=racks(view),
        phase=PHASES[view.phase],
        turn=turn_line(view),
        window=WINDOWS[view.window.state],
        window_line=window_line(view),
        alerts=view.alerts,
        explanations={alert.id: explain(alert, clock) for alert in explained},
        recent=[event for event in view.recent if not isinstance(event, CountChanged)],
        needs_ruling=any(_waits(alert) for alert in view.alerts),
    )


def render_notices(notices: list[str]) -> str:
    """What the monitor itself has to say: its log, its broker, its lines."""
    return _template("notices.html").render(notices=notices)


def render_refusal(problem: str, advice: str) -> str:
    """A page that says why this one cannot be seen here."""
    return _template("refusal.html").render(problem=problem, advice=advice)


def _waits(alert: Alert) -> bool:
    return alert.state is AlertState.RAISED and alert.level is Level.RULING_DUE


@cache
def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("monitor.web"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        seat=seat_name,
        line=event_line,
        rule=lambda alert: RULES[alert.rule],
        level=lambda alert: LEVELS[alert.level],
        state=lambda alert: STATES[alert.state],
        article=article,
        waits=_waits,
        token=lambda word: word.replace(" ", "-").replace("_", "-"),
    )
    return environment.get_template(name)
