"""Every written case, judged as it stands; and whatever order its records become known in, the end is the same."""

import random

import pytest

from monitor.alerts import Alert
from monitor.events import Corrected, EastIs, Event, SeatsSwapped, Tick

from .script import Case, cases, disagreements, heard, judged, standing

CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file}:{case.name}")
def test_case(case: Case) -> None:
    assert disagreements(case, judged(case)) == []


def test_names_are_unique() -> None:
    names = [case.name for case in CASES]
    assert sorted(set(names)) == sorted(names)


def _ends(case: Case, events: list[Event]) -> list[tuple[object, ...]]:
    end = max(event.at for event in events) + 60.0
    events = [*events, Tick(at=end, table="T1")]
    found: list[Alert] = standing(heard(events, case.profile))
    return sorted((a.id, a.at, a.state, a.verdict or "", a.count or 0, a.message) for a in found)


FREE = [c for c in CASES if not any(isinstance(event, Corrected | SeatsSwapped | EastIs) for event in c.events)]
"""Swaps, the naming of East and corrections speak of what was known before them; everything else may come late."""


@pytest.mark.parametrize("case", FREE, ids=lambda case: f"{case.file}:{case.name}")
def test_order_of_knowledge_does_not_matter(case: Case) -> None:
    events = [event for event in case.events if not isinstance(event, Tick)]
    shuffled = list(events)
    random.Random(case.name).shuffle(shuffled)
    assert _ends(case, shuffled) == _ends(case, events)
