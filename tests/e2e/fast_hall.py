"""A hall of simulated tables that plays on whatever becomes of the monitor: half on a broker, half on serial lines.

`python -m tests.e2e.fast_hall FOLDER SPEED HANDS PORT SEED…` plays one table a seed, T1 and so on; odd ones on the
broker at PORT of loopback. Writes down each table's set-up and what happens, and prints the moment on the machine's
monotonic clock at which everything begins, when it does.
"""

import asyncio
import sys
import time
from pathlib import Path

import msgspec

from hw.simulator.evening import Evening, simulate_evening
from hw.simulator.live_mqtt import Broker, MqttTable
from hw.simulator.live_serial import PtyTable
from hw.simulator.options import Options, Tier, Wiring
from hw.simulator.pacing import Pacing


def evening_of(number: int, seed: int, hands: int) -> Evening:
    """What table T`number` plays; nothing unlawful happens."""
    wiring = Wiring.NETWORK if number % 2 else Wiring.USB
    return simulate_evening(Options(seed=seed, table=f"T{number}", tier=Tier.HYBRID, hands=hands, wiring=wiring))


async def play(folder: Path, speed: float, port: int, evenings: list[Evening]) -> None:
    """Play all of them to their ends, nobody waiting for the monitor."""
    pacing = Pacing(speed=speed, own_clocks=False)
    async with asyncio.TaskGroup() as tables:
        for evening in evenings:
            name = evening.options.table
            (folder / f"{name}.json").write_bytes(msgspec.json.encode(evening.furniture.setup))
            (folder / f"{name}.truth.json").write_bytes(msgspec.json.encode(evening.truth))
            if evening.options.wiring is Wiring.NETWORK:
                tables.create_task(MqttTable(evening, Broker(port=port), pacing).run())
            else:
                tables.create_task(_on_lines(PtyTable(evening, folder / "ports", pacing)))
        print(time.monotonic(), flush=True)


async def _on_lines(table: PtyTable) -> None:
    async with table:
        await table.play()


if __name__ == "__main__":
    seeds = [int(word) for word in sys.argv[5:]]
    evenings = [evening_of(number, seed, int(sys.argv[3])) for number, seed in enumerate(seeds, 1)]
    asyncio.run(play(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[4]), evenings))
