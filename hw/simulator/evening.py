"""One evening put together: played, watched by sensors, spoilt, sent; everything but its written form.

Owns how the parts are combined and seeded: the hand depends on seed, pace, noise and rule fault alone, so that every
tier sees the same hand. options -> script -> sensors -> faults -> node -> **evening** -> reception -> case or live.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.random import Generator

from firmware_bridge.messages import Place
from hw.simulator import cell_faults, faults, line_faults, tag_faults
from hw.simulator.node import Boot, Outgoing, Timed, batch, first_boot, travel
from hw.simulator.noise import PROFILES
from hw.simulator.options import Options
from hw.simulator.physical import Happening
from hw.simulator.script import perform
from hw.simulator.sensors import Furniture, NodePlan, furnish, sense, weight_rows
from hw.simulator.truth import Heading, Truth, begun_later, truth_of

_HAND, _TABLE, _FAULTS, _NODE = range(4)
"""Independent streams of dice that one seed yields."""


class Life(Struct, frozen=True):
    """One node and its boots during the evening."""

    plan: NodePlan
    boots: tuple[Boot, ...]

    def boot(self, nonce: int) -> Boot | None:
        """The boot with this nonce, if there was one."""
        return next((boot for boot in self.boots if boot.nonce == nonce), None)


class Evening(Struct, frozen=True):
    """What happened, every message in order of arrival, and the referee's log."""

    options: Options
    happening: Happening
    furniture: Furniture
    lives: tuple[Life, ...]
    messages: tuple[Outgoing, ...]
    truth: Truth

    def life(self, place: Place) -> Life:
        """The node at a place. Raises KeyError where there is none."""
        for life in self.lives:
            if life.plan.place is place:
                return life
        raise KeyError(place)


def dice(options: Options, stream: int = _HAND, index: int = 0) -> Generator:
    """One of the independent streams of dice of an evening."""
    return np.random.default_rng(np.random.SeedSequence([options.seed, stream, index]))


def simulate_evening(
    options: Options, name: str = "", passed: Callable[[Sequence[NodePlan]], Iterable[NodePlan]] = iter
) -> Evening:
    """Play the hand, let the sensors watch it, put the faults in, send the messages.

    `passed`: the nodes go through it while their messages are made, for whoever shows how far that is.
    """
    noise = PROFILES[options.noise]
    performance = perform(options, dice(options))
    happening = performance.happening
    furniture = furnish(options, happening.faces, noise, dice(options, _TABLE))
    plan = faults.Plan(options, furniture.nodes, happening.end_s, dice(options, _FAULTS))
    furniture = replace(furniture, tags=tag_faults.dead_tags(furniture.tags, plan))
    lives: list[Life] = []
    messages: list[Outgoing] = []
    for k, node in enumerate(passed(furniture.nodes)):
        rng = dice(options, _NODE, k)
        boots = line_faults.lives(node.place, first_boot(happening.end_s, noise, rng), plan)
        lives.append(Life(node, tuple(boots)))
        messages += _sent(options, happening, furniture, lives[-1], plan, rng)
    messages = [m for m in messages if m.arrived_s <= happening.end_s]
    messages.sort(key=lambda m: m.arrived_s)
    heading = Heading(
        name=name or name_of(options),
        tier=options.tier.value,
        seed=options.seed,
        fault=options.rule_fault.value if options.rule_fault else None,
        chaos=tuple(fault.value for fault in options.sensor_faults),
        trouble=tuple(plan.trouble),
    )
    truth = truth_of(heading, happening, performance.referee, furniture.tags.uids)
    if options.late_start_s > 0.0:
        truth = begun_later(truth, options.late_start_s)
    return Evening(options, happening, furniture, tuple(lives), tuple(messages), truth)


def _sent(
    options: Options, happening: Happening, furniture: Furniture, life: Life, plan: faults.Plan, rng: Generator
) -> list[Outgoing]:
    """All that one node sends and that arrives, in order of sending but for disorder."""
    noise, node = PROFILES[options.noise], life.plan
    sensed = sense(happening, furniture, node, options, noise, rng)
    boots = list(life.boots)
    rows: list[Timed] = tag_faults.spoil_rows(list(sensed.rows), node.place, furniture.tags, plan)
    for weighed in sensed.weighed:
        rows += weight_rows(cell_faults.spoil_cell(cell_faults.glitch(weighed, noise, rng), boots, plan))
    messages = line_faults.hush(batch(node.name, node.place, rows, boots, rng), node.place, plan)
    return line_faults.damage(travel(messages, options.wiring, noise, rng), node.place, plan)


def name_of(options: Options) -> str:
    """The case's name, spelt as the handed ones are."""
    fault = options.rule_fault.value if options.rule_fault else "legal"
    suffix = "-session" if options.hands > 1 else ""
    return f"{options.tier.value}-{options.seed:03d}-{fault}{suffix}"
