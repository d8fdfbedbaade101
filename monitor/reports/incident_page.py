"""Puts an incident into words and pictures: a page that a referee reads in a minute.

Owns what stands on the page and in which order. Says what the log says and no more: no tile's identity, and of a dead
hand only that somebody declared it. Pure.
"""

from collections.abc import Iterator
from datetime import date
from itertools import combinations
from typing import Final

import msgspec
from msgspec import Struct

from monitor.acts import Ruling
from monitor.alerts import Alert, AlertState, Fact, What
from monitor.events import (
    CallWithdrawn,
    Dead,
    DeclarationWithdrawn,
    DirectorCalled,
    Event,
    HandEnded,
    Returned,
    ThrownIn,
)
from monitor.pictures.frame import frame_of
from monitor.plain_text import plain
from monitor.reports.act_sentences import act_sentence, ruling_sentence
from monitor.reports.closeup import closeup, order
from monitor.reports.incident import Incident
from monitor.reports.timeline import timeline
from monitor.reports.when import Clock, local, zone_name
from monitor.rules.explain import claim_and_act, explain, happened
from monitor.wording import LEVELS, RULES, STATES, event_line, put_right, seat_name

EVIDENCE_ROWS: Final = 9
"""Our choice, as the two below: what a page holds beside the picture. What is left out is counted."""
HISTORY_ROWS: Final = 6
ORDER_LINES: Final = 3
RULINGS_LONGEST: Final = 600
"""Characters; our choice: three rulings with a sentence each."""
LONGEST_SENTENCE: Final = 260
"""Characters; our choice: half as long again as the longest that the rules write."""
NOT_CHAINED: Final = "not chained"
SOON_S: Final = 30.0
"""Our choice: a tile put back or a call withdrawn later than this has nothing to do with the alert."""
_FOLLOWS: Final = (Dead, ThrownIn, HandEnded, DirectorCalled)
_SOON: Final = (Returned, CallWithdrawn, DeclarationWithdrawn)
"""What people do about an alert, as far as a log tells."""
_NO_ACTS: Final = (What.DEALT, What.RESTED, What.UNKNOWN_COUNT, What.ENDED)
"""Facts that are no act of a player, so that nothing hangs on which came first."""


class Named(Struct, frozen=True):
    """A short word and what it is: `Table`, `T1`."""

    name: str
    value: str


class Evidence(Struct, frozen=True):
    """One thing the alert rests on: the event's number, what, when, between which bounds, how sure."""

    number: str
    what: str
    when: str
    between: str
    monotonic: str
    sure: str


class Happened(Struct, frozen=True):
    """When and what."""

    when: str
    what: str


class IncidentPage(Struct, frozen=True):
    """All words and pictures of an incident report, ready to be set."""

    title: str
    heads: tuple[Named, ...]
    sentence: str
    timeline: str
    timeline_alt: str
    closeup: str
    closeup_alt: str
    order: tuple[str, ...]
    article: str
    authority: str
    decided: str
    may_follow: str
    left: str
    became: tuple[Happened, ...]
    became_more: str
    ruling: str
    evidence: tuple[Evidence, ...]
    evidence_more: str
    dropped: str
    chain: str
    source: str


def incident_page(incident: Incident, log_name: str, chain: str | None = None) -> IncidentPage:
    """The page. `chain`: the hash of the hand's last record in the log's chain, where it has one."""
    alert, clock = incident.seen, incident.clock
    told = explain(msgspec.structs.replace(alert, state=incident.alert.state), clock.time)
    authority, _, decided = told.authority.partition(". ")
    became, became_more = _became(incident)
    frame = frame_of(alert, 0.0, 1.0)
    evidence = [_evidence(fact, clock, drawn=frame.holds(fact.at)) for fact in alert.facts]
    evidence = evidence or list(_told_events(incident))
    pair = claim_and_act(alert)
    return IncidentPage(
        title=f"{RULES[alert.rule]}{'' if alert.seat is None else f': {seat_name(alert.seat)}'}",
        heads=_heads(incident),
        sentence=plain(told.sentence, LONGEST_SENTENCE),
        timeline=timeline(alert, incident.events, clock),
        timeline_alt=f"Timeline of the four racks around {clock.time(alert.at)}; the evidence is listed below.",
        closeup="" if pair is None else closeup(*pair, clock),
        closeup_alt="" if pair is None else order(*pair),
        order=tuple(_order(alert)),
        article=told.article,
        authority=plain(authority.removesuffix(".")),
        decided=plain(decided, 120),
        may_follow=told.may_follow,
        left=told.left,
        became=became,
        became_more=became_more,
        ruling=_ruling(incident),
        evidence=tuple(evidence[:EVIDENCE_ROWS]),
        evidence_more=_more(len(evidence) - EVIDENCE_ROWS, "event", "of the evidence"),
        dropped=_more(incident.dropped, "early event", "of this hand, not drawn here,"),
        chain=NOT_CHAINED if chain is None else plain(chain, 150),
        source=plain(f"{log_name}, run {incident.run}, alert {alert.id}", 200),
    )


def _heads(incident: Incident) -> tuple[Named, ...]:
    alert, clock = incident.seen, incident.clock
    state = incident.alert.state
    standing = f"{STATES[state]}; {LEVELS[alert.level]}" if state is AlertState.RAISED else STATES[state]
    low = alert.at if alert.earliest is None else alert.earliest
    high = alert.at if alert.latest is None else alert.latest
    utc_s = clock.utc_s(alert.at)
    between = f", between {clock.time(low)} and {clock.time(high)}" if high - low >= 0.005 else ""
    return (
        Named("Table", plain(incident.table, 40)),
        Named("Hand", f"{incident.hand}" if incident.hand else "under way when the monitor started"),
        Named("Seat", seat_name(alert.seat)),
        Named("Moment", f"{local(utc_s):%A %-d %B %Y}, {clock.time(alert.at)} {zone_name(utc_s)}{between}"),
        Named("Monotonic clock", _between_s(alert.at, low, high)),
        Named("The alert", f"{standing}{_confidence(alert.confidence, '; ')}"),
    )


def _between_s(at: float, low: float, high: float) -> str:
    return f"{at:.3f} s [{low:.3f}, {high:.3f}]" if high - low >= 0.0005 else f"{at:.3f} s"


def _confidence(share: float | None, before: str = "") -> str:
    return "" if share is None else f"{before}{share:.0%} sure"


def _evidence(fact: Fact, clock: Clock, *, drawn: bool) -> Evidence:
    exact = fact.latest - fact.earliest < 0.005
    return Evidence(
        number=f"{fact.seq}" if fact.seq > 0 else "none",
        what=plain(happened(fact)) + ("" if drawn else " (outside the picture)"),
        when=clock.time(fact.at),
        between="exact" if exact else f"{clock.time(fact.earliest)} to {clock.time(fact.latest)}",
        monotonic=_between_s(fact.at, fact.earliest, fact.latest),
        sure=_confidence(fact.confidence) or ("a guess" if fact.seq <= 0 else "certain"),
    )


def _told_events(incident: Incident) -> Iterator[Evidence]:
    """The evidence of an alert line that bears no facts, from the events themselves."""
    wanted = set(incident.seen.evidence)
    for one in incident.events:
        if wanted & set(one.seqs):
            event, clock = one.event, incident.clock
            yield Evidence(
                number=f"{one.seqs[0]}",
                what=plain(event_line(event)),
                when=clock.time(event.at),
                between=f"{clock.time(event.low)} to {clock.time(event.high)}",
                monotonic=_between_s(event.at, event.low, event.high),
                sure=_confidence(event.confidence) or "certain",
            )


def _order(alert: Alert) -> Iterator[str]:
    """What the times leave open, of acts at different seats, beside what the closer look shows."""
    told = claim_and_act(alert)
    acts = [fact for fact in alert.facts if fact.what not in _NO_ACTS]
    pairs = [
        (one, other)
        for one, other in combinations(acts, 2)
        if (told is None or {one, other} != set(told))
        and one.seat is not other.seat
        and max(one.earliest, other.earliest) <= min(one.latest, other.latest)
    ]
    for one, other in pairs[:ORDER_LINES]:
        yield plain(f"Cannot be put in order by their times: “{happened(one)}” and “{happened(other)}”.")
    more = _more(len(pairs) - ORDER_LINES, "pair", "that cannot be put in order")
    if more:
        yield more


def _became(incident: Incident) -> tuple[tuple[Happened, ...], str]:
    """How the alert was told, and what people did about it, in order of time."""
    own: list[tuple[float, str]] = []
    for line in incident.lines:
        state = "raised" if line.alert.state is AlertState.RAISED else STATES[line.alert.state]
        own.append((line.utc_s, f"The monitor: {state}. {line.alert.message}"))
    if len(own) > HISTORY_ROWS:
        own = [own[0], *own[1 - HISTORY_ROWS :]]
    acts = [one.event for one in incident.events if _follows(one.event, incident.seen)]
    people = [(line.made.utc_s, act_sentence(line)) for line in incident.acts]
    people += [(incident.clock.utc_s(event.at), f"At the table: {_followed(event)}") for event in acts]
    people += [
        (one.written_utc_s, f"{one.author} put right: {put_right(one.event)} ({one.reason}).")
        for one in incident.put_right
    ]
    shown = sorted(own + people[: HISTORY_ROWS - len(own)], key=lambda row: row[0])
    day = local(incident.lines[0].utc_s).date()
    rows = tuple(Happened(_when(utc_s, day), plain(what, 220)) for utc_s, what in shown)
    left_out = len(incident.lines) + incident.left_out + len(people) - len(rows)
    return rows, _more(left_out, "line", "of what followed")


def _when(utc_s: float, day: date) -> str:
    """A time of day, and the date where it is another `day`'s."""
    moment = local(utc_s)
    return f"{moment:%H:%M:%S}" if moment.date() == day else f"{moment:%-d %B %H:%M:%S}"


def _follows(event: Event, alert: Alert) -> bool:
    """Whether people may have done this about the alert: what is common in play only soon after its moment."""
    if isinstance(event, _SOON):
        return alert.at <= event.at <= alert.at + SOON_S
    return isinstance(event, _FOLLOWS) and event.at >= alert.at


def _followed(event: Event) -> str:
    return _declared(event) if isinstance(event, Dead) else f"{event_line(event)}."


def _ruling(incident: Incident) -> str:
    """Who ruled what and when, where the log tells. Only a person declares a hand dead."""
    about, clock = incident.seen, incident.clock
    ruled = [line for line in incident.acts if isinstance(line.made.did, Ruling)]
    if ruled:
        stands = " ".join(ruling_sentence(line) for line in ruled if line.stands)
        return plain(stands or "What was ruled was undone, and nothing else was ruled.", RULINGS_LONGEST)
    for one in incident.events:
        event = one.event
        if isinstance(event, Dead) and event.seat is about.seat and event.at >= about.at and event.by != event.seat:
            how = "Ruled" if event.by == "director" else "Declared by a player" if event.by else "Declared"
            return plain(f"{how}: {_declared(event)} ({clock.time(event.at)})", LONGEST_SENTENCE)
    if incident.alert.state is not AlertState.RAISED:
        return "The log tells of no ruling by a person; how the alert ended stands above."
    return "The log tells of no ruling."


def _declared(event: Event) -> str:
    by = event.by if isinstance(event, Dead) else None
    who = "; the log does not tell by whom" if by is None else f" by {plain(by.capitalize(), 40)}"
    return f"{seat_name(event.seat)}'s hand was declared dead{who}."


def _more(count: int, what: str, where: str) -> str:
    if count <= 0:
        return ""
    return f"One more {what} {where} is in the log." if count == 1 else f"{count} more {what}s {where} are in the log."
