"""Renders the cases of the director's queue, and the console around them.

Owns what stands on a case and in which part of the queue it is. One template makes the first page and every update; a
case in the stream is the same for all consoles, so what is one browser's alone (the proof of its forms, what was typed,
an answer) is left out there and put in by the page's script. Words come from `words`, `monitor.wording` and the rules.
"""

from importlib.metadata import version as version_of
from typing import assert_never

from msgspec import Struct

from monitor.acts import Declarer, Undone
from monitor.alerts import Rule
from monitor.docket import Case, Handling, Line
from monitor.events import SEATS
from monitor.rules.explain import explain
from monitor.web.act_forms import ActForm
from monitor.web.pages import render_notices, template
from monitor.web.wanted import AGES, Wanted
from monitor.web.words import say, script_words
from monitor.wording import LEVELS, RULES, STATES, act_words, article, time_of_day

_SETTLED_FIRST = 1e11
"""Seconds; so far from 1970 no case is seen."""


class Answer(Struct, frozen=True):
    """What came of a form: whether it is done, and what there is to say."""

    good: bool
    text: str
    version: int = 0


class Mine(Struct, frozen=True):
    """What of a card is one browser's own. `age_s`: how old the case is, for pages without a script."""

    proof: str = ""
    query: str = ""
    age_s: float | None = None
    typed: ActForm = ActForm()
    answer: Answer | None = None


class Told(Struct, frozen=True):
    """An act as a line; `undo` names what would be undone, empty where nothing can be."""

    record: int
    time: str
    author: str
    what: str
    words: str
    stands: bool


class Cases(Struct, frozen=True):
    """What a console puts in: cards of cases, and the ids of those that are gone. `whole`: there are no others."""

    cards: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    whole: bool = False


class Page(Struct, frozen=True, kw_only=True):
    """All that stands on one console. `said`: what the last form came to, where its case is not shown."""

    due: list[str]
    open: list[str]
    settled: list[str]
    tables: list[str]
    names: list[str]
    notices: list[str]
    round: str
    wanted: Wanted
    author: str
    proof: str
    said: str = ""


def part_of(case: Case) -> str:
    """In which part of the queue it stands."""
    return "due" if case.needs_ruling else "open" if case.open else "settled"


def place_of(case: Case) -> str:
    """Where in its part: the oldest first; of what is settled the newest."""
    first_s = case.first_seen_utc_s
    key = _SETTLED_FIRST - first_s if part_of(case) == "settled" else first_s
    return f"{key:016.3f} {case.alert.id}"


def render_case(case: Case, ahead_s: float, mine: Mine | None = None) -> str:
    """One case. `ahead_s`: UTC seconds since 1970 minus the host's, on which pages count ages."""
    alert, mine = case.alert, mine or Mine()
    moments_ahead_s = case.first_seen_utc_s - alert.raised_at if case.earlier else ahead_s
    utc = time_of_day(0.0)
    return (
        template("case.html")
        .render(
            case=case,
            alert=alert,
            mine=mine,
            part=part_of(case),
            place=place_of(case),
            since=f"{case.first_seen_utc_s - ahead_s:.3f}",
            first_seen=utc(case.first_seen_utc_s)[:8],
            age="" if mine.age_s is None else age_words(mine.age_s),
            rule=RULES[alert.rule],
            level=LEVELS[alert.level],
            state=STATES[case.state],
            article=article(alert),
            sure=None if alert.confidence is None else round(alert.confidence * 100),
            handled=handling_words(case),
            parts=explain(alert, time_of_day(moments_ahead_s)).parts,
            acts=[_told(line, case) for line in case.acts],
            seats=SEATS,
            declarers=list(Declarer),
        )
        .strip()
    )


def render_console(page: Page) -> str:
    """The whole page."""
    return template("console.html").render(
        page=page,
        title=say("title.console"),
        foot=say("foot.director", version=version_of("rackwatch")),
        notices=render_notices(page.notices),
        rules={rule.value: RULES[rule] for rule in Rule if rule is not Rule.WINDOW_CLOSED},
        ages=AGES,
        age_names={
            "under-10": say("age.under-10"),
            "under-60": say("age.under-60"),
            "over-10": say("age.over-10"),
            "over-60": say("age.over-60"),
        },
        script_words=script_words(),
    )


def handling_words(case: Case) -> str:
    """How it is handled and by whom, in a sentence."""
    match case.handling:
        case Handling.NEW:
            return say("handling.new")
        case Handling.ACKNOWLEDGED:
            return say("handling.acknowledged", name=case.by)
        case Handling.TAKEN:
            return say("handling.taken", name=case.by)
        case Handling.RULED:
            ruled = "; ".join(f"{made.author} {act_words(made.did)}" for made in case.rulings)
            return say("handling.ruled", rulings=ruled)
        case other:
            assert_never(other)


def age_words(age_s: float) -> str:
    """How long ago, as the page's script writes it."""
    minutes, seconds = divmod(max(0, int(age_s)), 60)
    hours, rest = divmod(minutes, 60)
    if hours:
        return say("script.hours", hours=hours, minutes=f"{rest:02}")
    return (
        say("script.minutes", minutes=minutes, seconds=f"{seconds:02}")
        if minutes
        else say("script.seconds", seconds=seconds)
    )


def _told(line: Line, case: Case) -> Told:
    made = line.made
    what, plain = act_words(made.did), act_words(made.did)
    if isinstance(made.did, Undone):
        named = next((one.made for one in case.acts if one.made.record == made.did.record), None)
        what = plain if named is None else say("act.took-back", author=named.author, what=act_words(named.did))
    words = "" if made.words == plain else made.words
    return Told(made.record, time_of_day(0.0)(made.utc_s)[:8], made.author, what, words, line.stands)
