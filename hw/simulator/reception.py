"""What the host receives of an evening, before any decoding: the product's own records of transports.

Owns the choice between the two wirings. evening -> **reception** -> case (a recording) or live (a wire).
"""

from firmware_bridge.messages import Place
from firmware_bridge.received import LineBytes, Published, Received
from firmware_bridge.routing import Seat, port_name
from hw.simulator.evening import Evening, dice
from hw.simulator.node import Outgoing
from hw.simulator.options import SensorFault, Wiring
from hw.simulator.serial_lines import LineEncoder
from hw.simulator.wire import payload_of

_LINE_NOISE = 4
"""The stream of dice of noisy lines."""


def topic_of(evening: Evening, place: Place) -> str:
    """Where a node's messages are published."""
    return f"rackwatch/v1/{evening.options.table}/{place.value}/readings"


def port_of(evening: Evening, place: Place) -> str:
    """What a node's serial port is called in a recording."""
    return port_name(Seat(evening.options.table, place))


def encoders_of(evening: Evening) -> dict[Place, LineEncoder]:
    """A fresh encoder for every node's serial line."""
    noisy = SensorFault.LINE_NOISE in evening.options.sensor_faults
    return {
        life.plan.place: LineEncoder(life.plan, dice(evening.options, _LINE_NOISE, k) if noisy else None)
        for k, life in enumerate(evening.lives)
    }


def published(evening: Evening, message: Outgoing) -> Published:
    """One message as it comes from the broker."""
    topic = topic_of(evening, message.place)
    return Published(message.arrived_s, topic, payload_of(message), retain=message.retain)


def typed_inputs(evening: Evening) -> list[Published]:
    """What referees and directors entered; it comes over the broker whatever the nodes' wiring."""
    table = evening.options.table
    return [
        Published(typed.at_s, f"rackwatch/v1/{table}/{typed.about}/input", typed.payload.encode())
        for typed in evening.happening.typed
    ]


def received_of(evening: Evening) -> list[Received]:
    """Everything in order of arrival; times count from the switching on of a monitor that is late."""
    late_s = evening.options.late_start_s
    received: list[Received] = list(typed_inputs(evening))
    if evening.options.wiring is Wiring.USB:
        encoders = encoders_of(evening)
        received += [
            LineBytes(m.arrived_s, port_of(evening, m.place), encoders[m.place].encode(m)) for m in evening.messages
        ]
    else:
        received += [published(evening, m) for m in evening.messages]
    received.sort(key=lambda one: one.at_s)
    return [_since(one, late_s) for one in received if one.at_s >= late_s]


def _since(received: Received, from_s: float) -> Received:
    match received:
        case Published(at_s, topic, payload, qos, retain):
            return Published(at_s - from_s, topic, payload, qos, retain)
        case LineBytes(at_s, port, data, sent):
            return LineBytes(at_s - from_s, port, data, sent)
