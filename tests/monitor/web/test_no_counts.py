"""A simulated table plays, and what each role is sent does not depend on what it must not see.

The hand is shown twice: as it was, and with every count, count alert and identity taken out. Whoever may not see them
is sent the same bytes both times (pages, streams, API, at several moments); a director is not.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from hw.simulator.options import Options, RuleFault
from monitor.acts import RoundExtended, RoundStarted
from monitor.alerts import PUBLIC_RULES, Alert, Rule
from monitor.audience import Audience
from monitor.desk import Desk, Outlets
from monitor.events import CountChanged, without_identities
from monitor.log.notes import Clocked
from monitor.log.scribe import Logged
from monitor.table import Record
from monitor.web.guards import all_handlers
from monitor.web.pages import Screen
from tests.monitor.web.venue import Venue, everybody, scan, sign_in
from tests.scenarios.stage import Shown, played

MOMENTS = 6
SECRET = "East has 15 tiles, as it says on the rack."
PROOF = re.compile(rb'(?<=name="_csrf_token" value=")[0-9a-f]+')
PATHS = {"{file_path:path}": "floor.js", "{table:str}": "T1", "{hand:int}": "1", "{path:str}": "openapi.json"}


def hand() -> Shown:
    return played(Options(seed=1, rule_fault=RuleFault.DOUBLE_PICK, discards=8))


def bare(record: Record) -> Record | None:
    """What is left of a record for those who may see no count."""
    match record:
        case CountChanged():
            return None
        case Alert(rule=rule) if rule not in PUBLIC_RULES and rule is not Rule.SENSOR_FAULT:
            return None
        case Alert():
            return record
        case event:
            return without_identities(event)


def sent(folder: Path, who: str, *, whole: bool) -> Iterator[bytes]:
    """Every byte of every page, stream and answer, some moments of the hand after one another."""
    folder.mkdir()
    venue = Venue(folder, everybody())
    outlets = Outlets(
        directors_record=venue.histories.take,
        public_record=lambda _table, _record: None,
        directors_view=lambda view: venue.hub.show(Screen.DIRECTOR, view),
        public_view=lambda view: venue.hub.show(Screen.PUBLIC, view),
    )
    desk = Desk({"T1": Audience()}, outlets)
    records = hand().records
    turn_the_clock(venue, whole=whole)
    with venue.client() as client:
        become(who, client)
        for moment in range(MOMENTS):
            part = records[len(records) * moment // MOMENTS : len(records) * (moment + 1) // MOMENTS]
            kept = part if whole else [one for one in map(bare, part) if one is not None]
            desk.take([Logged(number, "T1", 1, record) for number, record in enumerate(kept, 1)])
            for path, handler in all_handlers(venue.app):
                if "GET" in handler.http_methods:  # type: ignore[attr-defined]
                    for placeholder, value in PATHS.items():
                        path = path.replace(placeholder, value)  # noqa: PLW2901
                    yield PROOF.sub(b"", client.get(path).content)


def turn_the_clock(venue: Venue, *, whole: bool) -> None:
    """A round, and time that a ruling about a number of tiles gave: with whose words and about what, or without."""
    (alert,) = hand().raised(Rule.WRONG_COUNT)
    did = RoundExtended(300.0, alert.id if whole else "")
    words = SECRET if whole else "added 5 min for T1"
    notes = [
        Clocked(author="Dora", reason="a round", at=0.0, did=RoundStarted(round=1, length_s=3600.0, hands=4)),
        Clocked(author="Dora", reason=words, at=0.0, did=did, table="T1"),
    ]
    venue.chair.take([Logged(number, note.table, 0, note) for number, note in enumerate(notes, 1)])


def become(who: str, client: TestClient[Any]) -> None:
    match who:
        case "club":
            scan(client, "token 1")
        case "program":
            client.headers["authorization"] = "Bearer token 3"
        case "Sue" | "Dora" | "Ada":
            sign_in(client, who)
        case _:
            pass


@pytest.mark.parametrize("who", ["public", "club", "Sue"])
def test_what_those_are_sent_who_may_see_no_count_holds_none(tmp_path: Path, who: str) -> None:
    whole = list(sent(tmp_path / "whole", who, whole=True))
    assert whole == list(sent(tmp_path / "bare", who, whole=False))
    everything = b"".join(whole)
    assert SECRET.encode() not in everything
    assert b"+5 min" in everything
    for alert in hand().raised(*set(Rule) - PUBLIC_RULES - {Rule.SENSOR_FAULT}):
        assert alert.message.encode() not in everything
        assert alert.id.encode() not in everything
    assert not [uid for uid in hand().setup.tiles if uid.encode() in everything]


@pytest.mark.parametrize("who", ["Dora", "Ada", "program"])
def test_a_director_is_sent_counts_and_their_alerts_and_no_identity(tmp_path: Path, who: str) -> None:
    whole = list(sent(tmp_path / "whole", who, whole=True))
    assert whole != list(sent(tmp_path / "bare", who, whole=False))
    everything = b"".join(whole)
    (alert,) = hand().raised(Rule.WRONG_COUNT)
    assert alert.id.encode() in everything
    assert hand().setup.tiles
    assert not [uid for uid in hand().setup.tiles if uid.encode() in everything]
