"""What alerts say: a plain sentence each, times with bounds, no tile named, no hand declared dead."""

import re

import pytest
from msgspec.structs import replace

from monitor.alerts import Alert, AlertState, Fact, Rule, What
from monitor.events import CountChanged, Dead, Event, Seat, parse_event
from monitor.rules.explain import REASONS, apart, explain, named

from .script import Case, cases, heard, judged

CASES = list(cases())
Lines = list[tuple[Case, Alert]]


@pytest.fixture(scope="session")
def lines() -> Lines:
    """Every alert line of every case."""
    return [
        (case, record) for case in CASES for record in heard(case.events, case.profile) if isinstance(record, Alert)
    ]


def case_named(name: str) -> Case:
    return next(case for case in CASES if case.name == name)


def only(name: str, rule: Rule) -> Alert:
    return next(alert for alert in judged(case_named(name)) if alert.rule is rule)


def test_every_rule_is_told_in_some_case_and_has_its_reason(lines: Lines) -> None:
    assert {alert.rule for _, alert in lines} == set(Rule) == set(REASONS)


@pytest.mark.parametrize("rule", Rule)
def test_a_message_is_one_plain_sentence(rule: Rule, lines: Lines) -> None:
    for _, alert in lines:
        if alert.rule is rule:
            assert alert.message[0].isupper()
            assert alert.message.endswith(".")
            assert "None" not in alert.message
            assert len(alert.message) < 200


def test_one_tile_is_told_as_one_and_the_table_as_the_table() -> None:
    alert = only("one tile is no exposure", Rule.WRONG_EXPOSURE)
    assert alert.message.startswith("West discarded with 1 tile exposed")
    assert "(1 tile)." in explain(alert).as_text()
    assert named(None) == "The table"


def test_a_declaration_rests_on_the_number_that_waits_for_a_ruling() -> None:
    alert = only("mah jongg by a hand with a standing wrong count", Rule.INVALID_DECLARATION)
    assert [fact.what for fact in alert.facts] == [What.RESTED, What.DECLARED]


def test_no_message_declares_a_hand_dead(lines: Lines) -> None:
    """A hand is called dead only where somebody at the table declared it so, and that is said."""
    for case, alert in lines:
        if "dead" in alert.message:
            assert alert.rule in (Rule.DEAD_HAND_ACTS, Rule.INVALID_DECLARATION), (case.name, alert.message)
            assert "declared" in alert.message


def test_what_is_known_without_its_facts_is_explained_as_far_as_it_goes(lines: Lines) -> None:
    """A public record keeps no facts; a sensor's alert has none, and rests on no rule of play."""
    for _, alert in lines:
        bare = explain(replace(alert, facts=()))
        assert bare.facts == ()
        assert "What was seen" not in bare.as_text()
    assert explain(only("a rack that cannot be counted is told to the technician", Rule.SENSOR_FAULT)).authority == (
        "No rule of play."
    )


def test_no_message_or_explanation_names_a_tile() -> None:
    case = case_named("racking closes")
    faces = [event for event in case.events if event.seq]
    named = [_with_face(event) for event in faces]
    for record in heard(named):
        if isinstance(record, Alert):
            assert not re.search(r"bam|E00401", record.message + explain(record).as_text())


def _with_face(event: Event) -> Event:
    if event.seat is Seat.EAST and type(event).__name__ == "Discarded":
        return parse_event(
            f'{{"kind": "discarded", "at": {event.at}, "seq": {event.seq}, "table": "T1", "seat": "east", '
            '"face": "3-bam", "uid": "E0040100A1B2C3D4"}'
        )
    return event


@pytest.mark.parametrize(
    ("name", "rule", "sentence"),
    [
        (
            "racking closes",
            Rule.LATE_CALL,
            "West called 1.00 s after South racked: the window on East's discard had closed.",
        ),
        (
            "together is for the caller",
            Rule.SIMULTANEOUS_CALL,
            (
                "West called and South racked at the same time (0.02 s ± 0.05 s apart): "
                "the caller gets the discard, and the picked tile goes back into the wall."
            ),
        ),
        (
            "what cannot be put in order goes to the director",
            Rule.SIMULTANEOUS_CALL,
            (
                "West called and South racked, and which came first cannot be told (0.20 s ± 0.31 s apart): "
                "the director decides."
            ),
        ),
        (
            "north is short since the deal",
            Rule.MISSING_TILE,
            "North is one tile short since the deal and may take what is missing until the first discard.",
        ),
        (
            "another seat short since the deal",
            Rule.MISSING_TILE,
            (
                "South is one tile short since the deal and may take what is missing until the first discard "
                "(our reading: the article speaks of the player at East's left alone)."
            ),
        ),
        ("north takes the missing tile before the first pass", Rule.MISSING_TILE, "North has taken the missing tile."),
        (
            "discovered after the first discard",
            Rule.MISSING_TILE,
            "Play began while North was short: the missing tile can no longer be taken.",
        ),
        (
            "a second wrong hand makes a missing tile a redeal",
            Rule.MISSING_TILE,
            "A second hand has a wrong number of tiles: see the redeal.",
        ),
        (
            "discovered after the first discard",
            Rule.WRONG_COUNT,
            "North has 12 tiles in or on its rack since before the first discard, where 13 belong.",
        ),
        (
            "two tiles picked",
            Rule.WRONG_COUNT,
            "South has 14 tiles in or on its rack after its discard, where 13 belong.",
        ),
        (
            "a rack that rests wrong off turn",
            Rule.WRONG_COUNT,
            "West has 12 tiles in or on its rack while it is not its turn, where 13 belong.",
        ),
        (
            "mah jongg with fifteen",
            Rule.WRONG_COUNT,
            "The hand is over; nothing is left to rule on this.",
        ),
        (
            "one hand over since the deal",
            Rule.WRONG_COUNT,
            (
                "South has 14 tiles in or on its rack before the first discard, where 13 belong; "
                "the article rules on two such hands."
            ),
        ),
        (
            "one hand over puts the tile back",
            Rule.WRONG_COUNT,
            "South has the right number of tiles again, before the first discard.",
        ),
        (
            "a hand declared dead ends its wrong count",
            Rule.WRONG_COUNT,
            "South's hand was ruled on; its number of tiles no longer matters.",
        ),
        (
            "two wrong at the deal",
            Rule.REDEAL,
            "More than one hand has a wrong number of tiles in the Charleston: all is thrown in and a new game begins.",
        ),
        (
            "an event may restart on any wrong number",
            Rule.REDEAL,
            "A number of tiles is wrong, and this event then has all tiles thrown in and a new hand begun.",
        ),
        (
            "two tiles are no exposure",
            Rule.WRONG_EXPOSURE,
            "West discarded with 2 tiles exposed for the claim; an exposure has three to six.",
        ),
        (
            "not what was called for",
            Rule.WRONG_EXPOSURE,
            "West discarded with 3 tiles exposed for the claim, but called for 4.",
        ),
        ("west picks in south's turn", Rule.OUT_OF_TURN, "West picked from the wall out of turn after East's discard."),
        (
            "west discards while south is certain to hold the turn",
            Rule.OUT_OF_TURN,
            "West discarded out of turn after East's discard.",
        ),
        (
            "nobody kills his own hand",
            Rule.INVALID_DECLARATION,
            "South declared its own hand dead; only another player or the director may do that.",
        ),
        (
            "a dead player cannot declare another dead",
            Rule.INVALID_DECLARATION,
            "West declared South's hand dead, but was declared dead before.",
        ),
        (
            "a dead hand declares mah jongg",
            Rule.INVALID_DECLARATION,
            "South declared mah jongg after its hand was declared dead.",
        ),
        (
            "mah jongg by a hand with a standing wrong count",
            Rule.INVALID_DECLARATION,
            "South declared mah jongg while its number of tiles or its exposure waits for a ruling.",
        ),
        (
            "mah jongg taken back before anything is shown",
            Rule.INVALID_DECLARATION,
            "South took the declaration of mah jongg back before anything was shown.",
        ),
        (
            "a dead hand discards",
            Rule.DEAD_HAND_ACTS,
            "South picked from the wall although its hand was declared dead before.",
        ),
        (
            "an event may ask for one exchange at a time",
            Rule.EVENT_PROCEDURE,
            "North made joker exchanges together; this event asks for one at a time, the League does not.",
        ),
        (
            "an event may hold players to a pick they touched",
            Rule.EVENT_PROCEDURE,
            "South called after picking from the wall; this event holds players to the pick.",
        ),
        (
            "a rack that cannot be counted is told to the technician",
            Rule.SENSOR_FAULT,
            "West's rack cannot be counted; nothing is ruled from it until it can.",
        ),
        (
            "mah jongg after racking by a hand short since the deal",
            Rule.WRONG_COUNT,
            (
                "South has 13 tiles in or on its rack declaring mah jongg, where 14 belong; "
                "the number is wrong since before the first discard."
            ),
        ),
        ("a rack that can be counted again", Rule.SENSOR_FAULT, "West's rack can be counted again."),
        (
            "together, and the picked tile goes back",
            Rule.SIMULTANEOUS_CALL,
            "The picked tile went back into the wall; West has the discard.",
        ),
    ],
)
def test_sentences(name: str, rule: Rule, sentence: str) -> None:
    assert only(name, rule).message == sentence


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("racking closes", "The window on East's discard is closed: South racked."),
        ("naming closes", "The window on East's discard is closed: South named the picked tile."),
        ("discarding closes", "The window on East's discard is closed: South discarded."),
        ("beginning a joker exchange closes", "The window on West's discard is closed: North began a joker exchange."),
        ("declaring mah jongg closes", "The window on East's discard is closed: South declared mah jongg."),
        (
            "a call after the claim was shown is late",
            "The window on East's discard is closed: West showed a claim of it.",
        ),
    ],
)
def test_closings_are_told_with_their_cause(name: str, sentence: str) -> None:
    told = [record for record in heard(case_named(name).events) if isinstance(record, Alert)]
    assert sentence in [alert.message for alert in told if alert.rule is Rule.WINDOW_CLOSED]


def _fact(at: float, bound: float) -> Fact:
    return Fact(What.RACKED, at, at - bound, at + bound)


def test_times_apart_carry_their_bound() -> None:
    assert apart(_fact(1.0, 0.02), _fact(1.42, 0.03)) == "0.42 s ± 0.05 s"
    assert apart(_fact(1.0, 0.0), _fact(1.42, 0.0)) == "0.42 s"
    assert apart(_fact(1.42, 0.0), _fact(1.0, 0.0)) == "0.42 s"
    assert apart(Fact(What.RACKED, 1.0, 0.5, 1.1), Fact(What.CALLED, 2.0, 2.0, 2.0)) == "1.00 s ± 0.50 s"
    assert apart(Fact(What.RACKED, 1.0, 0.9, 1.5), Fact(What.CALLED, 2.0, 2.0, 2.0)) == "1.00 s ± 0.50 s"


def test_a_late_call_explained() -> None:
    told = explain(only("a racking known after the call makes it late", Rule.LATE_CALL))
    assert told.facts == (
        "100.00 s: East discarded.",
        "103.00 s: South racked.",
        "104.00 s: West called.",
        "South racked 1.00 s before West called.",
    )
    assert told.article.startswith("Article 107")
    assert told.authority == "The League's rule. Decided by the profile's window.simultaneous_within_ms."
    text = told.as_text()
    for part in (told.sentence, *told.facts, told.article, told.authority, told.may_follow, told.left):
        assert part in text


def test_bounds_stand_in_the_facts_and_clocks_are_the_readers() -> None:
    told = explain(only("together is for the caller", Rule.SIMULTANEOUS_CALL), clock=lambda at: f"<{at:.0f}>")
    assert told.facts[:3] == (
        "<100>: East discarded.",
        "<103> ± 0.04 s: South racked.",
        "<103> ± 0.01 s: West called.",
    )
    assert told.facts[3] == "South racked 0.02 s ± 0.05 s before West called."


def first_line(name: str, rule: Rule) -> Alert:
    case = case_named(name)
    lines = heard(case.events, case.profile)
    return next(record for record in lines if isinstance(record, Alert) and record.rule is rule)


@pytest.mark.parametrize(
    ("name", "rule", "sentence"),
    [
        (
            "mah jongg with fifteen",
            Rule.WRONG_COUNT,
            "South has 15 tiles in or on its rack declaring mah jongg, where 14 belong.",
        ),
        (
            "another player's declaration closes",
            Rule.LATE_CALL,
            "West called 1.00 s after North declared mah jongg: the window on East's discard had closed.",
        ),
        (
            "a call after the claim was shown is late",
            Rule.LATE_CALL,
            "North called 1.00 s after West exposed: the window on East's discard had closed.",
        ),
        (
            "a call for a discard two back",
            Rule.LATE_CALL,
            "North called 4.00 s after South discarded: the window on East's discard had closed.",
        ),
        (
            "an exchange with wide bounds cannot be put in order",
            Rule.SIMULTANEOUS_CALL,
            (
                "West called and South began a joker exchange, and which came first cannot be told "
                "(0.20 s ± 0.50 s apart): the director decides."
            ),
        ),
        (
            "together for mah jongg",
            Rule.SIMULTANEOUS_CALL,
            (
                "North declared mah jongg and South racked at the same time (0.02 s ± 0.05 s apart): "
                "the caller gets the discard, and the picked tile goes back into the wall."
            ),
        ),
    ],
)
def test_sentences_as_first_told(name: str, rule: Rule, sentence: str) -> None:
    assert first_line(name, rule).message == sentence


def test_many_tiles_short_are_told_by_number() -> None:
    events = case_named("north is short since the deal").events
    short = [replace(e, count=9) if isinstance(e, CountChanged) and e.count == 12 else e for e in events]
    alert = next(record for record in heard(short) if isinstance(record, Alert))
    assert alert.message.startswith("North is 4 tiles short since the deal")
    two = [replace(e, count=11) if isinstance(e, CountChanged) and e.count == 12 else e for e in events]
    alert = next(record for record in heard(two) if isinstance(record, Alert))
    assert alert.message.startswith("North is two tiles short since the deal")


def test_nobody_is_said_to_have_declared_what_nobody_is_known_to() -> None:
    events = [replace(e, by=None) if isinstance(e, Dead) else e for e in case_named("a dead hand discards").events]
    alert = next(r for r in heard(events) if isinstance(r, Alert) and r.rule is Rule.DEAD_HAND_ACTS)
    assert explain(alert).facts[0] == "101.00 s: South's hand was declared dead."


def test_the_whole_text() -> None:
    assert explain(only("racking closes", Rule.LATE_CALL)).as_text() == (
        "West called 1.00 s after South racked: the window on East's discard had closed.\n\n"
        "What was seen\n"
        "  100.00 s: East discarded.\n"
        "  103.00 s: South racked.\n"
        "  104.00 s: West called.\n"
        "  South racked 1.00 s before West called.\n\n"
        "Whose rule\n"
        "  Article 107: the last discard can be claimed until the next player picks and racks, names or discards, or "
        "another player begins a joker exchange or declares mah jongg; a covered discard cannot be claimed at all.\n"
        "  The League's rule. Decided by the profile's window.simultaneous_within_ms.\n\n"
        "What may follow\n"
        "  The claim is not permitted and play goes on.\n\n"
        "What is left to the director\n"
        "  To hear the table: a claim that was spoken before the button was pressed came earlier than the press.\n"
    )


def test_a_call_before_the_racking_is_told_in_that_order() -> None:
    told = explain(only("a call at another seat after all", Rule.LATE_CALL))
    assert told.facts[-1] == "South racked 1.00 s before North called."


@pytest.mark.parametrize(
    ("name", "rule", "facts"),
    [
        (
            "two tiles picked",
            Rule.WRONG_COUNT,
            ("108.00 s: South discarded.", "108.00 s: South's rack came to rest with 14 tiles."),
        ),
        (
            "north is short since the deal",
            Rule.MISSING_TILE,
            ("20.00 s: North's rack came to rest with 12 tiles.", "21.00 s: the deal was complete."),
        ),
        (
            "a dead hand discards",
            Rule.DEAD_HAND_ACTS,
            (
                "101.00 s: South's hand was declared dead by West.",
                "102.00 s: South picked from the wall.",
                "104.00 s: South discarded.",
            ),
        ),
        (
            "two tiles are no exposure",
            Rule.WRONG_EXPOSURE,
            ("104.00 s: West exposed (2 tiles).", "110.00 s: West discarded."),
        ),
        (
            "a rack that cannot be counted is told to the technician",
            Rule.SENSOR_FAULT,
            ("101.00 s: West's rack could no longer be counted.",),
        ),
        (
            "a racking after a turn that nobody saw closes, where picks are not told",
            Rule.LATE_CALL,
            (
                "Nobody saw it: West's turn and discard, before 114.00 s.",
                "114.00 s: North racked.",
                "115.00 s: South called.",
                "North racked 1.00 s before South called.",
            ),
        ),
    ],
)
def test_facts_are_told_in_order_of_time(name: str, rule: Rule, facts: tuple[str, ...]) -> None:
    assert explain(only(name, rule)).facts == facts


def test_an_events_own_rule_says_so_and_a_withdrawn_finding_too() -> None:
    told = explain(only("an event may ask for one exchange at a time", Rule.EVENT_PROCEDURE))
    assert told.authority.startswith("This event's own rule, not the League's.")
    assert "procedure.joker_exchange" in told.authority
    lines = [
        r for r in heard(case_named("an own turn after all takes the finding back").events) if isinstance(r, Alert)
    ]
    gone = next(line for line in lines if line.state is AlertState.WITHDRAWN)
    assert explain(gone).sentence == f"Withdrawn, the finding proved wrong: {gone.message}"


def test_what_is_public_carries_no_count(lines: Lines) -> None:
    from monitor.alerts import PUBLIC_RULES

    for case, alert in lines:
        if alert.rule in PUBLIC_RULES:
            assert alert.count is None, case.name
            assert alert.expected is None
            assert all(fact.count is None for fact in alert.facts), case.name
            assert not re.search(r"\d+ tiles", alert.message + explain(alert).as_text()), case.name
