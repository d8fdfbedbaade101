"""Where and when each chosen sensor fault strikes, and the list of those put in for the truth.

Owns the choice of victims and spells. The damage itself is done in `cell_faults` (samples), `tag_faults` (inventories)
and `line_faults` (nodes and messages). Refuses to know the game.
"""

from msgspec import Struct
from numpy.random import Generator

from firmware_bridge.messages import Place
from hw.simulator.options import CELL_FAULTS, MQTT_FAULTS, TAG_FAULTS, Options, SensorFault, Wiring
from hw.simulator.sensors import NodePlan
from hw.simulator.truth import SensorTrouble


class Span(Struct, frozen=True):
    """A spell of trouble, `from_s <= t < to_s`."""

    from_s: float
    to_s: float

    def covers(self, at_s: float) -> bool:
        """Is it in trouble then?"""
        return self.from_s <= at_s < self.to_s


class Plan:
    """One evening's faults. `rng` is shared by all who do the damage, in the order of the nodes."""

    def __init__(self, options: Options, nodes: tuple[NodePlan, ...], end_s: float, rng: Generator) -> None:
        serial = options.wiring is Wiring.USB
        impossible = MQTT_FAULTS if serial else {SensorFault.LINE_NOISE}
        self.faults = frozenset(options.sensor_faults) - impossible
        self.end_s = end_s
        self.rng = rng
        self.trouble: list[SensorTrouble] = []
        self._victims: dict[SensorFault, Place] = {}
        weighing = [node.place for node in nodes if node.cells]
        reading = [node.place for node in nodes if node.antennas]
        every = [node.place for node in nodes]
        racks = [node.place for node in nodes if node.buttons]
        for fault in options.sensor_faults:
            pool = weighing if fault in CELL_FAULTS else reading if fault in TAG_FAULTS else racks
            pool = pool or every
            if pool:
                self._victims[fault] = pool[int(rng.integers(0, len(pool)))]

    def strikes(self, fault: SensorFault, place: Place) -> bool:
        """Is this fault put in, and here?"""
        return fault in self.faults and self._victims.get(fault) == place

    def span(self, shortest_s: float, longest_s: float) -> Span:
        """A spell somewhere in the middle of the evening."""
        length_s = float(self.rng.uniform(shortest_s, longest_s))
        from_s = float(self.rng.uniform(0.15, 0.85)) * self.end_s
        return Span(from_s, min(self.end_s, from_s + length_s))

    @property
    def whole(self) -> Span:
        """All the evening."""
        return Span(0.0, self.end_s)

    def tell(self, fault: SensorFault, place: Place | None, span: Span, sensor: str = "", n: int = 0) -> None:
        """Write a fault into the truth."""
        from_s, to_s = span.from_s, span.to_s
        self.trouble.append(
            SensorTrouble(
                fault=fault.value, place=place, sensor=sensor, from_s=round(from_s, 3), to_s=round(to_s, 3), n=n
            )
        )
