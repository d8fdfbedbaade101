"""Two runs, over the evenings that both played: which figures moved, which evenings broke or were mended."""

from collections.abc import Iterator

from bench.accuracy.figures import MEASURES, Better, evenings
from bench.accuracy.results import Run
from bench.accuracy.scenarios import command
from hw.simulator.options import Tier


def differences(before: Run, after: Run) -> Iterator[str]:
    """Lines for a terminal. Figures that did not move are left out."""
    old, new = before.by_key, after.by_key
    both = [key for key in new if key in old and old[key].options == new[key].options]
    yield f"{len(both)} evenings in both ({len(old)} before, {len(new)} after)"
    for tier in Tier:
        keys = [key for key in both if new[key].options.tier is tier]
        was, now = evenings([old[key] for key in keys]), evenings([new[key] for key in keys])
        for measure in MEASURES:
            a, b = measure.of(was), measure.of(now)
            if measure.text(a) == measure.text(b):
                continue
            better = (
                "" if a is None or b is None else ("better" if (b > a) is (measure.better is Better.MORE) else "WORSE")
            )
            yield f"  {tier:<11}{measure.name:<34}{measure.text(a):>9} → {measure.text(b):<9}{better}"
    for key in both:
        gone = set(old[key].off) - set(new[key].off)
        come = set(new[key].off) - set(old[key].off)
        if come:
            yield f"  broke   {key}: {'; '.join(sorted(come))}   {command(new[key].options)}"
        if gone:
            yield f"  mended  {key}: {'; '.join(sorted(gone))}"
