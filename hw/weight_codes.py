"""Which raw codes of a converter are weights, and when a converter has failed.

Owns the codes that mean no weight, and codes that never change. Refuses to know grams and tiles. Raw codes ->
**weight_codes** -> `LoadCell`.
"""

from hw.observations import Quality

CODE_LIMIT = 1 << 23
"""Converters have 24 bits: codes reach from `-CODE_LIMIT` to below `CODE_LIMIT`."""

INVALID_CODES = frozenset({CODE_LIMIT - 1, -CODE_LIMIT, -1, 0}) | {(1 << n) - 1 for n in range(16, 25)}
"""Saturated, asleep, bits lost while reading (research: 0x7FFFFF, 0x800000, all ones, 2^n-1, 0)."""

SATURATED_CODES = frozenset({CODE_LIMIT - 1, -CODE_LIMIT})

FAILED_S = 5.0
"""Without a single weight for so long, a converter has failed; chips that sleep or are reset are back sooner. Ours."""

STALE_SAMPLES = 40
"""So many equal raw codes in a row come from a stuck converter, not from a still table (24 bits never repeat so)."""


class Codes:
    """The codes of one converter. `quality` tells how it does, `invalid` counts what was no weight."""

    def __init__(self) -> None:
        self.invalid = 0
        self.quality = Quality.GOOD
        self._last_raw = 0
        self._repeats = 0
        self._since_s: float | None = None

    def take(self, raw: int, at_s: float) -> bool:
        """Whether a code is a weight to go by; `quality` may change with it."""
        if raw in INVALID_CODES or not -CODE_LIMIT <= raw < CODE_LIMIT:
            self.invalid += 1
            if self._since_s is None:
                self._since_s = at_s
            elif at_s - self._since_s > FAILED_S:
                self.quality = Quality.SATURATED if raw in SATURATED_CODES else Quality.INVALID
            return False
        self._since_s = None
        if raw != self._last_raw:
            self._last_raw = raw
            self._repeats = 0
            self.quality = Quality.GOOD
            return True
        self._repeats += 1
        if self._repeats >= STALE_SAMPLES:
            self.quality = Quality.STALE
        return self.quality is Quality.GOOD

    @property
    def trouble(self) -> str:
        """What is wrong, in words."""
        match self.quality:
            case Quality.STALE:
                return f"the same code {STALE_SAMPLES} times"
            case Quality.GOOD:
                return "samples vary again"
            case _:
                return f"no code is a weight for {FAILED_S:.0f} s"
