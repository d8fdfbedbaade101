"""The figures as lines for a terminal: a column a tier, `*` where an aim is missed."""

from collections.abc import Iterator, Sequence

from bench.accuracy.figures import MEASURES, Evenings, Measure, evenings
from bench.accuracy.scenarios import MEANING, Family, command
from bench.accuracy.watching import Outcome
from hw.simulator.options import Tier

PLAIN = frozenset({Family.LEGAL, Family.FAULT})
"""The families like the handed cases: what the aims were stated for."""


def lines(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The main table, one a family, and every evening that went wrong."""
    plain = [outcome for outcome in outcomes if outcome.family in PLAIN]
    if plain:
        yield from _table("lawful hands and rule faults at normal noise (* misses its aim)", plain)
    for family in Family:
        some = [outcome for outcome in outcomes if outcome.family is family]
        if some:
            yield ""
            yield from _table(f"{family}: {MEANING[family]}", some)
    off = [outcome for outcome in outcomes if outcome.off]
    yield ""
    yield f"{len(off)} of {len(outcomes)} evenings with a false or missed ruling"
    for outcome in off:
        yield f"  {outcome.key}: {'; '.join(outcome.off)}"
        yield f"    {command(outcome.options)}"


def _table(title: str, outcomes: Sequence[Outcome]) -> Iterator[str]:
    tiers = [tier for tier in Tier if any(outcome.options.tier is tier for outcome in outcomes)]
    columns = {tier: evenings([o for o in outcomes if o.options.tier is tier]) for tier in tiers}
    yield title
    yield f"{'':<34}" + "".join(f"{tier:>13}" for tier in tiers)
    yield f"{'hands':<34}" + "".join(f"{columns[tier].hands:>13}" for tier in tiers)
    for measure in MEASURES:
        values = {tier: measure.of(columns[tier]) for tier in tiers}
        if any(value is not None for value in values.values()):
            yield f"{measure.name:<34}" + "".join(f"{_cell(measure, tier, columns[tier]):>13}" for tier in tiers)


def _cell(measure: Measure, tier: Tier, them: Evenings) -> str:
    return measure.words(them) + ("*" if measure.meets(tier, measure.of(them)) is False else " ")
