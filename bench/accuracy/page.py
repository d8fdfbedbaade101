"""Figures and plots of a run as one HTML page that needs nothing else: build/accuracy/index.html.

Owns what stands on the page and in which order; `page.html` has its form, `svg` draws.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import jinja2
from markupsafe import Markup
from msgspec import Struct

from bench.accuracy import reliability, svg
from bench.accuracy.figures import MEASURES, Evenings, Measure, delays, diagram, evenings, naive_evenings
from bench.accuracy.rulings import JUDGED
from bench.accuracy.scenarios import MEANING, Family, command
from bench.accuracy.table import PLAIN
from bench.accuracy.watching import Outcome
from hw.simulator.options import Tier

_F1 = ("racked F1", "discarded F1", "exposed F1", "joker exchanged F1")
_RATIO_AIM = 1.5
_CONFIDENT = ("racked", "discarded", "exposed", "joker_exchanged", "passed", "count_changed")


class Cell(Struct, frozen=True):
    """One figure of a table, as words."""

    text: str
    style: str = ""
    aim: str = ""
    naive: str = ""


class Row(Struct, frozen=True):
    """A named row of them."""

    name: str
    cells: tuple[Cell, ...]


class Table(Struct, frozen=True):
    """A table of figures."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


class Plot(Struct, frozen=True):
    """A titled drawing."""

    title: str
    svg: Markup
    words: str = ""


class Failure(Struct, frozen=True):
    """One evening that went wrong, and how to see it again."""

    key: str
    words: str
    command: str


class Group(Struct, frozen=True):
    """Evenings that went wrong in the same way."""

    kind: str
    failures: tuple[Failure, ...]


def write(path: Path, outcomes: Sequence[Outcome], code: str) -> None:
    """Write the page."""
    folder = jinja2.FileSystemLoader(Path(__file__).parent)
    template = jinja2.Environment(loader=folder, autoescape=True, trim_blocks=True).get_template("page.html")
    plain = [outcome for outcome in outcomes if outcome.family in PLAIN]
    tiers = _tiers(outcomes)
    html = template.render(
        n=len(outcomes),
        hands=sum(outcome.hands for outcome in outcomes),
        first_seed=min((outcome.options.seed for outcome in outcomes), default=0),
        code=code,
        tiers=tiers,
        off=[outcome for outcome in outcomes if outcome.off],
        main=_figures("", plain) if plain else None,
        f1_plots=[_beside_baseline(m, plain) for m in MEASURES if m.name in _F1] if plain else [],
        noise_plots=_over_noise(outcomes),
        delay_plot=_delay_plot(outcomes),
        delay_table=_delay_table(outcomes),
        decision_table=_decision_table(outcomes),
        reliability_plots=_reliability(outcomes),
        families=[
            _figures(f"{family}: {MEANING[family]}", some)
            for family in Family
            if (some := [outcome for outcome in outcomes if outcome.family is family])
        ],
        groups=groups(outcomes),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(html, encoding="utf-8")


def groups(outcomes: Sequence[Outcome]) -> list[Group]:
    """Evenings that went wrong, by what went wrong, the most frequent first."""
    by_kind: dict[str, list[Failure]] = {}
    for outcome in outcomes:
        for words in outcome.off:
            kind = " ".join(words.split()[:2])
            by_kind.setdefault(kind, []).append(Failure(outcome.key, words, command(outcome.options)))
    return [Group(kind, tuple(some)) for kind, some in sorted(by_kind.items(), key=lambda item: -len(item[1]))]


def _tiers(outcomes: Sequence[Outcome]) -> list[Tier]:
    return [tier for tier in Tier if any(outcome.options.tier is tier for outcome in outcomes)]


def _figures(title: str, outcomes: Sequence[Outcome]) -> Table:
    """All measures that have something to say; a row without any figure but 0 and without an aim is left out."""
    tiers = _tiers(outcomes)
    some = {tier: [outcome for outcome in outcomes if outcome.options.tier is tier] for tier in tiers}
    ours = {tier: evenings(some[tier]) for tier in tiers}
    naive = {tier: naive_evenings(some[tier]) for tier in tiers}
    rows = [Row("hands", tuple(Cell(str(ours[tier].hands)) for tier in tiers))]
    for measure in MEASURES:
        values = [measure.of(ours[tier]) for tier in tiers]
        if any(values) or (measure.aims and any(value is not None for value in values)):
            cells = tuple(_cell(measure, tier, ours[tier], naive[tier]) for tier in tiers)
            rows.append(Row(measure.name, cells))
    return Table(title, tuple(tiers), tuple(rows))


def _cell(measure: Measure, tier: Tier, ours: Evenings, naive: Evenings) -> Cell:
    value, beside = measure.of(ours), measure.of(naive)
    meets, aim = measure.meets(tier, value), measure.aims.get(tier)
    return Cell(
        measure.words(ours) + (" ✗" if meets is False else ""),
        "" if meets is None else "met" if meets else "missed",
        "" if not aim else f"{aim:g}",
        measure.words(naive) if beside is not None and measure.beside else "",
    )


def _beside_baseline(measure: Measure, outcomes: Sequence[Outcome]) -> Plot:
    rows: list[svg.Row] = []
    for tier in _tiers(outcomes):
        some = [outcome for outcome in outcomes if outcome.options.tier is tier]
        dots: list[svg.Dot] = []
        for value, style, who, shape in (
            (measure.of(naive_evenings(some)), "naive", "naive", "dot"),
            (measure.aims.get(tier), "aim", "aim", "tick"),
            (measure.of(evenings(some)), tier.value, "rackwatch", "dot"),
        ):
            if value is not None:
                dots.append(svg.Dot(value, style, f"{who} {value:.3f}", shape))
        rows.append(svg.Row(tier.value, tuple(dots)))
    drawn = svg.rows(measure.name, rows, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0))
    return Plot(measure.name, _drawn(drawn))


def _over_noise(outcomes: Sequence[Outcome]) -> list[Plot]:
    levels: dict[str, list[Outcome]] = {
        "normal": [outcome for outcome in outcomes if outcome.family in PLAIN],
        "harsh": [outcome for outcome in outcomes if outcome.family is Family.HARSH],
        "brutal": [outcome for outcome in outcomes if outcome.family is Family.BRUTAL],
    }
    levels = {name: some for name, some in levels.items() if some}
    if len(levels) < 2:
        return []

    def plot(title: str, of: Callable[[Evenings], float | None], digits: int = 2) -> Plot:
        curves = [
            svg.Line(
                tier.value,
                tier.value,
                tuple(of(evenings([o for o in some if o.options.tier is tier])) for some in levels.values()),
            )
            for tier in _tiers(outcomes)
        ]
        highest = max((v for curve in curves for v in curve.values if v is not None), default=1.0)
        high = next(top for top in (1.0, 2.0, 4.0, 8.0, 16.0, 1e3) if highest <= top)
        return Plot(title, _drawn(svg.lines(title, curves, tuple(levels), high, digits)))

    named = {measure.name: measure for measure in MEASURES}
    shown = (*_F1, "count right in quiet seconds", "truth inside bounds", "racked time error rms, s", "median lag, s")
    return [plot("false rulings a hand", _all_false)] + [plot(name, named[name].of) for name in shown]


def _all_false(them: Evenings) -> float | None:
    total = sum(score.rulings[rule].false for score in them.scores for rule in JUDGED)
    return total / them.hands if them.hands else None


def _delay_plot(outcomes: Sequence[Outcome]) -> Markup:
    rows: list[svg.Row] = []
    for rule in JUDGED:
        dots = [
            svg.Dot(
                max(0.1, delay),
                outcome.options.tier.value,
                f"{outcome.key}: {delay:.1f} s",
                down=3.5 * (list(Tier).index(outcome.options.tier) - 2),
            )
            for outcome in outcomes
            if outcome.ours is not None
            for delay in outcome.ours.rulings[rule].delay_s
        ]
        if dots:
            middle = median(dot.value for dot in dots)
            rows.append(svg.Row(_short(rule), (*dots, svg.Dot(middle, "middle", f"median {middle:.1f} s", "tick"))))
    return _drawn(svg.rows("seconds from fault to alert", rows, (0.1, 1.0, 10.0, 100.0), log=True, unit=" s"))


def _short(rule: str) -> str:
    return rule.replace("_", " ").replace("simultaneous", "simult.").replace("declaration", "decl.")


def _delay_table(outcomes: Sequence[Outcome]) -> Table | None:
    tiers = _tiers(outcomes)
    rows: list[Row] = []
    for rule in JUDGED:
        by_tier = [delays(evenings([o for o in outcomes if o.options.tier is tier]), rule) for tier in tiers]
        if any(by_tier):
            cells = [Cell(f"{median(d):.1f} / {max(d):.1f} ({len(d)})" if d else "–") for d in by_tier]
            rows.append(Row(rule.value, tuple(cells)))
    return Table("median / worst, s", tuple(tiers), tuple(rows)) if rows else None


def _decision_table(outcomes: Sequence[Outcome]) -> Table | None:
    """Pooled over evenings: the delays together, the mean of the evenings' bounds."""
    rows: list[Row] = []
    for tier in _tiers(outcomes):
        for noise in dict.fromkeys(outcome.options.noise for outcome in outcomes):
            some = [
                decided
                for outcome in outcomes
                if outcome.options.tier is tier and outcome.options.noise is noise
                for decided in outcome.decisions
            ]
            for kind in dict.fromkeys(decided.kind for decided in some):
                these = [decided for decided in some if decided.kind == kind]
                spent = [delay for decided in these for delay in decided.delay_s]
                bounds = [decided.least_s for decided in these if decided.least_s is not None]
                if not spent or not bounds:
                    continue
                mean_s, least_s = sum(spent) / len(spent), sum(bounds) / len(bounds)
                ratio = mean_s / least_s
                rows.append(
                    Row(
                        f"{kind}, {tier}, {noise}",
                        (
                            Cell(str(len(spent))),
                            Cell(str(sum(decided.missed for decided in these))),
                            Cell(str(sum(decided.false for decided in these))),
                            Cell(f"{mean_s:.2f} s"),
                            Cell(f"{median(spent):.2f} s"),
                            Cell(f"{max(spent):.2f} s"),
                            Cell(f"{least_s:.2f} s"),
                            Cell(f"{ratio:.1f}" + (" ✗" if ratio > _RATIO_AIM else ""), _style(ratio)),
                        ),
                    )
                )
    columns = ("told", "missed", "false", "mean", "median", "worst", "bound", "mean / bound")
    return Table("decision", columns, tuple(rows)) if rows else None


def _style(ratio: float) -> str:
    return "missed" if ratio > _RATIO_AIM else "met"


def _reliability(outcomes: Sequence[Outcome]) -> list[Plot]:
    them = evenings(outcomes)
    plots: list[Plot] = []
    for kind in _CONFIDENT:
        bins = diagram(them, kind)
        n = sum(one.n for one in bins)
        if not n:
            continue
        certain = bins[-1]
        points = [
            svg.Point(one.summed / one.n, one.right / one.n, *svg.wilson(one.right, one.n), one.n)
            for one in bins
            if one.n
        ]
        words = f"{n} told, mean distance {reliability.error(bins) or 0.0:.3f}"
        if certain.n:
            words += f"; without a confidence {certain.n}, of them right {certain.right / certain.n:.3f}"
        plots.append(Plot(kind.replace("_", " "), _drawn(svg.reliability(kind, points)), words))
    return plots


def _drawn(drawing: str) -> Markup:
    return Markup(drawing)  # made by `svg`, which escapes what it is given
