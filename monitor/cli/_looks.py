"""How a screen of a replay is made: its size, its signs, and how moments are written on it.

Owns these choices, which `_screen` follows. Every sign has a plain one beside it, for terminals that have no others.
"""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

WIDE: Final = 72
"""Columns from which racks are drawn beside their numbers, and keys stand in one line."""
ROOMY: Final = 20
ROOMY_NARROW: Final = 28
"""Lines from which blank ones set the parts apart, where it is wide and where it is not."""


class Signs(Struct, frozen=True):
    """The characters that are not words."""

    turn: str = "▸"
    slope: str = "■"
    ledge: str = "▣"
    played: str = "━"
    coming: str = "─"
    alert: str = "▲"
    rule: str = "─"
    playing: str = "▶"
    paused: str = "‖"
    dot: str = "·"
    arrows: str = "← →"
    times: str = "×"


PLAIN_SIGNS: Final = Signs(">", "#", "=", "=", "-", "!", "-", ">", "||", "-", "left right", "x")
"""For terminals that have no others."""


class Looks(Struct, frozen=True):
    """How a screen is made: its size, how moments are written, what it is of, and its signs."""

    width: int
    height: int
    clock: Callable[[float], str]
    title: str
    signs: Signs = Signs()

    @property
    def wide(self) -> bool:
        """Whether there are columns for everything."""
        return self.width >= WIDE

    @property
    def roomy(self) -> bool:
        """Whether there are lines to set the parts apart."""
        return self.height >= (ROOMY if self.wide else ROOMY_NARROW)
