"""A simulated table plays to its end, and all that each role is sent is searched for what it must not see.

Pages, streams and API; every byte, at several moments of the hand. What a director is sent has it, so that the search
would find it.
"""

import asyncio
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hw.simulator.evening import simulate_evening
from hw.simulator.options import Options, RuleFault, Wiring
from monitor.alerts import Alert
from monitor.audience import COUNT_RULES, Audience
from monitor.desk import Desk, Outlets
from monitor.events import IDENTITY_KEYS, Event
from monitor.log.scribe import Logged
from monitor.web.guards import all_handlers
from monitor.web.pages import Screen
from tests.monitor.web.venue import Venue, everybody, scan, sign_in
