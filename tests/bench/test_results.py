"""Outcomes on disk: gone on with, never mixed with other code's, and compared; the page lists what went wrong."""

from pathlib import Path

import pytest

from bench.accuracy import figures, page, table
from bench.accuracy.compare import differences
from bench.accuracy.results import Results, Run, read
from bench.accuracy.scenarios import Family
from bench.accuracy.scoring import score
from bench.accuracy.standing import Settled
from bench.accuracy.watching import Outcome
from firmware_bridge.messages import Place
from hw.simulator.options import Options, Tier
from hw.simulator.truth import TruthEvent
from monitor.alerts import Alert, Rule
from monitor.events import Racked, Seat

from .hand import alert, truth


def outcome(seed: int, *alerts: Alert, racked_at: float = 20.0) -> Outcome:
    hand = truth((TruthEvent(at=20.0, kind="racked", seat=Place.EAST),))
    told = Racked(at=racked_at, seat=Seat.EAST, confidence=0.97)
    scored = score(hand, Settled((told,), alerts, ()))
    options = Options(seed=seed, tier=Tier.RFID)
    return Outcome(key=f"legal/rfid/{seed}", family=Family.LEGAL, options=options, ours=scored, naive=scored)


FALSE = alert(Rule.WRONG_COUNT, 50.0)


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    results = Results(path, "code")
    results.add(outcome(1))
    results.close()
    with path.open("ab") as file:
        file.write(b'{"key": "half wri')
    again = Results(path, "code")
    again.add(outcome(2, FALSE))
    again.close()
    run = read(path)
    assert run.outcomes == (outcome(1), outcome(2, FALSE))


def test_what_other_code_made_is_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    results = Results(path, "old")
    results.add(outcome(1))
    results.close()
    anew = Results(path, "new")
    anew.add(outcome(2))
    anew.close()
    assert read(path) == Run("new", (outcome(2),))
    assert anew.kept == tmp_path / "results-old.jsonl"
    assert read(anew.kept) == Run("old", (outcome(1),))


def test_the_same_code_begins_anew_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    for anew in (False, False, True):
        results = Results(path, "code", anew=anew)
        found = set(results.outcomes)
        results.add(outcome(1))
        results.close()
    assert found == set()
    assert read(path).outcomes == (outcome(1),)


def test_figures_of_two_hands() -> None:
    them = figures.evenings([outcome(1), outcome(2, FALSE, racked_at=30.0)])
    assert figures.false_rulings(Rule.WRONG_COUNT)(them) == 0.5
    assert figures.f1("racked")(them) == pytest.approx(0.5)
    assert figures.found_share(Rule.LATE_CALL)(them) is None
    broken = Outcome(key="x", family=Family.LEGAL, options=Options(seed=3), crash="Traceback\nKeyError: 'east'")
    assert figures.evenings([broken]).crashes == 1
    assert broken.off == ("crash KeyError: 'east'",)


def test_a_comparison_names_what_moved_and_what_broke() -> None:
    lines = list(differences(Run("a", (outcome(1), outcome(3))), Run("b", (outcome(1, FALSE), outcome(2)))))
    assert lines[0].startswith("1 evenings in both")
    (moved,) = [line for line in lines if "false wrong_count" in line and "WORSE" in line]
    assert "0.000 → 1.000" in moved
    assert any(line.startswith("  broke   legal/rfid/1") for line in lines)
    assert list(differences(Run("a", (outcome(1),)), Run("b", (outcome(1),))))[1:] == []


def test_table_and_page_list_what_went_wrong_with_its_command(tmp_path: Path) -> None:
    outcomes = [outcome(1), outcome(2, FALSE)]
    words = "\n".join(table.lines(outcomes))
    assert "--seed 2 --tier rfid" in words
    assert "--seed 1 " not in words
    path = tmp_path / "index.html"
    page.write(path, outcomes, "code")
    html = path.read_text()
    assert "--seed 2 --tier rfid" in html
    assert "<svg" in html
    assert "http" not in html, "the page needs nothing else"
