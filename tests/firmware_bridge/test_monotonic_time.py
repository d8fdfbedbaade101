"""Row 47 of the faults seen in the field: the wall clock steps back. Nothing here ever looks at it."""

import ast
import inspect
import time
from pathlib import Path

import pytest

import firmware_bridge
from firmware_bridge.transports import mqtt, replay, serial_port

MODULES = sorted(Path(firmware_bridge.__file__).parent.rglob("*.py"))
WALL_CLOCKS = {"time.time", "time.time_ns", "time.localtime", "time.gmtime", "datetime.now", "datetime.utcnow"}


def names_used(tree: ast.AST) -> set[str]:
    return {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def imported(tree: ast.AST) -> set[str]:
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module.split(".")[0])
    return modules


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_fault_47_no_module_looks_at_a_wall_clock_and_pure_ones_at_no_clock_at_all(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not names_used(tree) & WALL_CLOCKS
    assert "datetime" not in imported(tree)
    if path.parent.name != "transports":
        assert not imported(tree) & {"time", "random", "asyncio", "socket", "threading"}


def test_fault_47_arrivals_are_stamped_by_the_monotonic_clock_unless_another_is_handed_in() -> None:
    for transport in (mqtt.MqttTransport, serial_port.SerialTransport, replay.ReplayTransport):
        assert inspect.signature(transport).parameters["clock"].default is time.monotonic
