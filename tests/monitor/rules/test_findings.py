"""What every alert of every written case has in common: article, level, authority, evidence that is there."""

import itertools

import pytest
from msgspec.structs import replace

from monitor.alerts import Alert, AlertState, Authority, Level, Rule, Verdict, What
from monitor.events import Event, Seat

from .script import Case, cases, heard, standing

CASES = list(cases())
Told = list[tuple[Case, list[Alert]]]
Lines = list[tuple[Case, Alert]]


@pytest.fixture(scope="session")
def told() -> Told:
    """Every alert line of every case."""
    return [(case, [r for r in heard(case.events, case.profile) if isinstance(r, Alert)]) for case in CASES]


@pytest.fixture(scope="session")
def lines(told: Told) -> Lines:
    """The same, line by line."""
    return [(case, alert) for case, alerts in told for alert in alerts]


ARTICLES = {
    Rule.MISSING_TILE: "205",
    Rule.REDEAL: "205",
    Rule.WRONG_COUNT: "205",
    Rule.WRONG_EXPOSURE: "205",
    Rule.LATE_CALL: "107",
    Rule.SIMULTANEOUS_CALL: "107",
    Rule.WINDOW_CLOSED: "107",
    Rule.OUT_OF_TURN: "107",
    Rule.INVALID_DECLARATION: "205",
    Rule.DEAD_HAND_ACTS: "205",
    Rule.SENSOR_FAULT: "",
}
LEVELS = {
    Rule.MISSING_TILE: {Level.ADVICE},
    Rule.REDEAL: {Level.RULING_DUE},
    Rule.WRONG_COUNT: {Level.ADVICE, Level.RULING_DUE},
    Rule.WRONG_EXPOSURE: {Level.RULING_DUE},
    Rule.LATE_CALL: {Level.RULING_DUE},
    Rule.SIMULTANEOUS_CALL: {Level.RULING_DUE},
    Rule.WINDOW_CLOSED: {Level.NOTICE},
    Rule.OUT_OF_TURN: {Level.NOTICE},
    Rule.INVALID_DECLARATION: {Level.RULING_DUE},
    Rule.DEAD_HAND_ACTS: {Level.RULING_DUE},
    Rule.EVENT_PROCEDURE: {Level.NOTICE},
    Rule.SENSOR_FAULT: {Level.TECHNICAL},
}
MOMENTS = {
    Rule.MISSING_TILE: {What.DEALT},
    Rule.REDEAL: {What.DEALT, What.RESTED, What.DISCARDED, What.DECLARED},
    Rule.WRONG_COUNT: {What.DEALT, What.RESTED, What.DISCARDED, What.PLAY_STARTED, What.DECLARED, What.EXPOSED},
    Rule.WRONG_EXPOSURE: {What.DISCARDED},
    Rule.LATE_CALL: {What.CALLED, What.DECLARED},
    Rule.SIMULTANEOUS_CALL: {What.CALLED, What.DECLARED},
    Rule.OUT_OF_TURN: {What.PICKED, What.RACKED, What.DISCARDED},
    Rule.INVALID_DECLARATION: {What.DEAD, What.DECLARED},
    Rule.DEAD_HAND_ACTS: {What.PICKED, What.RACKED, What.DISCARDED, What.CALLED, What.EXPOSED},
    Rule.EVENT_PROCEDURE: {What.JOKER_EXCHANGED, What.CALLED},
    Rule.SENSOR_FAULT: {What.UNKNOWN_COUNT},
}
KINDS = {
    What.DEALT: "Dealt",
    What.PLAY_STARTED: "PlayStarted",
    What.PICKED: "Picked",
    What.NAMED: "Named",
    What.RACKED: "Racked",
    What.DISCARDED: "Discarded",
    What.CALLED: "Called",
    What.EXPOSED: "Exposed",
    What.JOKER_EXCHANGED: "JokerExchanged",
    What.DECLARED: "Declared",
    What.DEAD: "Dead",
    What.RESTED: "CountChanged",
    What.UNKNOWN_COUNT: "CountChanged",
}


@pytest.mark.parametrize("rule", Rule)
def test_article_level_and_authority(rule: Rule, lines: Lines) -> None:
    lines = [(case, alert) for case, alert in lines if alert.rule is rule]
    assert lines
    for case, alert in lines:
        own = "107" if alert.rests_on == "procedure.touch_commits" else "205"
        assert alert.article == ARTICLES.get(rule, own), case.name
        assert alert.level in LEVELS[rule], case.name
        events = rule in (Rule.EVENT_PROCEDURE, Rule.SENSOR_FAULT) or (
            rule is Rule.REDEAL and ("restart" in str(case.settings))
        )
        assert alert.authority is (Authority.EVENT if events else Authority.LEAGUE), case.name
        assert (alert.verdict is None) is (rule is not Rule.SIMULTANEOUS_CALL)
        assert (alert.seat is None) is (rule is Rule.REDEAL)


@pytest.mark.parametrize("rule", MOMENTS)
def test_what_an_alerts_moment_is(rule: Rule, lines: Lines) -> None:
    seen = set()
    for case, alert in lines:
        if alert.rule is rule:
            moment = next(fact for fact in alert.facts if fact.at == alert.at and fact.what in MOMENTS[rule])
            seen.add(moment.what)
            assert alert.earliest in (None, moment.earliest), case.name
            assert alert.latest in (None, moment.latest), case.name
    assert seen == MOMENTS[rule]


def test_evidence_is_there_in_order_of_time_and_says_what_happened(lines: Lines) -> None:
    for case, alert in lines:
        by_seq = {event.seq: event for event in case.events}
        assert alert.evidence, case.name
        assert len(set(alert.evidence)) == len(alert.evidence)
        assert set(alert.evidence) == {fact.seq for fact in alert.facts} - {0}
        assert [fact.at for fact in alert.facts] == sorted(fact.at for fact in alert.facts), case.name
        for fact in alert.facts:
            event = by_seq.get(fact.seq)
            if event is None or type(event).__name__ in ("Corrected", "PlayStarted"):
                continue
            if any(type(e).__name__ == "SeatsSwapped" for e in case.events):
                continue
            assert fact.seat is event.seat, case.name
            assert type(event).__name__ == KINDS[fact.what], case.name
            if case.profile.window.racked_when == "placed":
                assert (fact.at, fact.earliest, fact.latest) == (event.at, event.low, event.high), case.name


def test_an_alert_is_never_raised_before_what_it_rests_on_is_known(lines: Lines) -> None:
    for case, alert in lines:
        known = {event.seq: event.known for event in case.events}
        if alert.rule is Rule.WINDOW_CLOSED:
            continue  # the notice of one window goes on when another act proves to have closed it
        assert alert.raised_at >= alert.at, case.name
        if alert.state is AlertState.RAISED:
            rested_on = set(alert.evidence) & set(first_evidence(case, alert, lines))
            assert all(known.get(seq, 0.0) <= alert.raised_at for seq in rested_on), case.name


def first_evidence(case: Case, alert: Alert, lines: Lines) -> tuple[int, ...]:
    """What the alert rested on when it was last raised anew."""
    lines = [line for told, line in lines if told is case and line.id == alert.id]
    since = next(line for line in lines if line.raised_at == alert.raised_at)
    return since.evidence


def test_when_it_was_raised_stays_until_it_is_withdrawn(told: Told) -> None:
    for case, alerts in told:
        for before, after in itertools.pairwise(alerts):
            if before.id == after.id and before.state is AlertState.RAISED and before.level is after.level:
                assert after.raised_at == before.raised_at, case.name


def test_an_id_belongs_to_one_finding(told: Told) -> None:
    for case, alerts in told:
        for alert in alerts:
            same = [other for other in alerts if other.id == alert.id]
            if alert.rule not in (Rule.WINDOW_CLOSED, Rule.REDEAL):
                assert {(a.rule, a.seat) for a in same} == {(alert.rule, alert.seat)}, case.name
                assert f"-{alert.rule}-{alert.seat}" in alert.id, case.name
            seq = [other.seq for other in alerts]
            assert seq == sorted(seq)


def test_an_id_names_the_record_it_is_about(lines: Lines) -> None:
    about = {Rule.OUT_OF_TURN, Rule.LATE_CALL, Rule.SIMULTANEOUS_CALL, Rule.INVALID_DECLARATION, Rule.EVENT_PROCEDURE}
    for case, alert in lines:
        if alert.rule in about:
            root = int(alert.id.rsplit("-", 1)[1])
            event = next(event for event in case.events if event.seq == root)
            corrected = any(getattr(e, "replaces", 0) == root for e in case.events)
            assert corrected or alert.seat in (event.seat, getattr(event, "by", None)), case.name


def test_a_first_line_is_always_raised(told: Told) -> None:
    for case, alerts in told:
        first = {}
        for alert in alerts:
            first.setdefault(alert.id, alert)
        assert all(alert.state is AlertState.RAISED for alert in first.values()), case.name


def test_counts_stand_where_a_count_matters(lines: Lines) -> None:
    for case, alert in lines:
        counted = alert.rule in (Rule.MISSING_TILE, Rule.WRONG_COUNT, Rule.WRONG_EXPOSURE)
        assert (alert.count is not None) is counted, case.name
        if alert.rule in (Rule.MISSING_TILE, Rule.WRONG_COUNT):
            assert alert.expected in (13, 14)
            assert alert.count != alert.expected


def test_verdicts_are_only_those_of_the_contract(lines: Lines) -> None:
    verdicts = {alert.verdict for _, alert in lines}
    assert verdicts == {None, *Verdict}


def _case(name: str) -> Case:
    return next(case for case in CASES if case.name == name)


def _last(name: str, rule: Rule, lines: Lines) -> Alert:
    return [alert for case, alert in lines if case.name == name and alert.rule is rule][-1]


@pytest.mark.parametrize(
    ("name", "rule", "what"),
    [
        ("a dead hand declares mah jongg", Rule.INVALID_DECLARATION, [What.DEAD, What.DECLARED]),
        ("mah jongg by a hand with a standing wrong count", Rule.INVALID_DECLARATION, [What.RESTED, What.DECLARED]),
        ("mah jongg by a hand with a standing wrong exposure", Rule.INVALID_DECLARATION, [What.EXPOSED, What.DECLARED]),
        ("mah jongg with fifteen", Rule.INVALID_DECLARATION, [What.RESTED, What.DECLARED]),
        ("a dead player cannot declare another dead", Rule.INVALID_DECLARATION, [What.DEAD, What.DEAD]),
        ("nobody kills his own hand", Rule.INVALID_DECLARATION, [What.DEAD]),
        (
            "a dead hand that acts often is told once",
            Rule.DEAD_HAND_ACTS,
            [What.DEAD] + [What.PICKED, What.DISCARDED] * 2,
        ),
        ("two wrong at the deal", Rule.REDEAL, [What.RESTED, What.RESTED, What.DEALT]),
        ("two tiles are no exposure", Rule.WRONG_EXPOSURE, [What.EXPOSED, What.DISCARDED]),
        ("west picks in south's turn", Rule.OUT_OF_TURN, [What.DISCARDED, What.PICKED]),
        ("an event may restart on two wrong in play", Rule.REDEAL, [What.RESTED, What.DISCARDED, What.RESTED]),
    ],
)
def test_what_a_finding_rests_on(name: str, rule: Rule, what: list[What], lines: Lines) -> None:
    assert sorted(fact.what for fact in _last(name, rule, lines).facts) == sorted(what)


def test_who_declared_is_told(lines: Lines) -> None:
    dead = _last("a dead hand discards", Rule.DEAD_HAND_ACTS, lines).facts[0]
    assert (dead.what, dead.seat, dead.by) == (What.DEAD, Seat.SOUTH, "west")


def test_no_finding_touches_another_hands() -> None:
    """Judged alone or after another hand, a hand gives the same findings at the same moments."""
    before = _case("a plain go-round").events
    for case in CASES:
        if case.events[0].at > 1.0 or any(type(e).__name__ == "NewHand" for e in case.events[:1]):
            continue
        later: list[Event] = [
            e.__class__(**{**{f: getattr(e, f) for f in e.__struct_fields__}, **_moved(e, 1000.0)}) for e in case.events
        ]
        alone = _ends(heard(case.events, case.profile), 0.0, "T1-1-")
        after = _ends(heard([*before, *later], case.profile), 1000.0, "T1-2-")
        if case.events[0].__class__.__name__ == "HandStarted":
            assert {a for a in alone if a[0] is not Rule.WINDOW_CLOSED} <= after, case.name


def _moved(event: Event, by: float) -> dict[str, object]:
    moved: dict[str, object] = {"at": event.at + by, "seq": event.seq + 500}
    for bound in ("earliest", "latest", "seen_at"):
        value = getattr(event, bound)
        moved[bound] = None if value is None else value + by
    if hasattr(event, "replaces"):
        moved["replaces"] = event.replaces + 500
    return moved


def _ends(records: list[Event | Alert], by: float, ids: str) -> set[tuple[object, ...]]:
    last = {r.id: r for r in records if isinstance(r, Alert) and ids[3:5] == r.id[3:5]}
    return {(a.rule, a.seat, round(a.at - by, 3), a.state, a.verdict) for a in last.values()}


def test_evidence_is_as_sure_as_it_was_when_it_was_ruled_from() -> None:
    """A number that surprises is told in doubt first, and again once it is proven: the ruling rests on the second."""
    begun = next(case for case in CASES if case.name == "a rack that rests wrong off turn").events
    (rested,) = [event for event in begun if event.at == 101.0]
    unsure = replace(rested, confidence=0.4)
    proven = replace(rested, confidence=0.95, seq=0, seen_at=106.0)
    others = [event for event in begun if event is not rested]
    events = [*others[:-1], unsure, proven, others[-1]]
    (alert,) = standing([r for r in heard(events) if not isinstance(r, Alert) or r.rule is Rule.WRONG_COUNT])
    assert [fact.confidence for fact in alert.facts if fact.what is What.RESTED] == [0.95]
