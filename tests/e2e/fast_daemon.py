"""The whole daemon as a process of its own, on a clock that runs faster than life: something to be killed.

`python -m tests.e2e.fast_daemon SETTINGS SPEED BEGAN_S`: at BEGAN_S, on the machine's monotonic clock, both agree. So
each start goes on in the time of the one before. Prints `ready` once everything is open.
"""

import asyncio
import sys
import time
from pathlib import Path

from monitor.cli._console import set_up_log
from monitor.cli._running import run_until_stopped
from monitor.daemon import Daemon
from monitor.settings_file import load_settings


def main(settings: str, speed: float, began_s: float) -> None:
    """Watch until SIGTERM."""

    def clock() -> float:
        return began_s + (time.monotonic() - began_s) * speed

    async def work(stop: asyncio.Event) -> None:
        daemon = Daemon(load_settings(Path(settings)), clock=clock)
        await daemon.run(stop, lambda: print("ready", flush=True))

    set_up_log()
    run_until_stopped(work)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
