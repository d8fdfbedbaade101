"""Which raw codes of a converter are weights, and when a converter has failed.

Owns the codes that mean no weight, codes that never change, and codes that come no more. Refuses to know grams and
tiles. Raw codes -> **weight_codes** -> `LoadCell`.
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

SILENT_S = 3.0
"""A converter of which its node has said nothing for so long, while it spoke of other things, is silent. Our choice:
thirty conversions of the slowest, and as long as a node may be silent."""

PAUSE_S = 0.5
"""A longer pause of the node itself is no silence of the converter (our choice: nodes speak ten times a second)."""


class Codes:
    """The codes of one converter. `quality` tells how it does, `invalid` counts what was no weight."""

    def __init__(self) -> None:
        self.invalid = 0
        self.quality = Quality.GOOD
        self._last_raw = 0
        self._repeats = 0
        self._since_s: float | None = None
        self._spoke_s: float | None = None
        self._unheard_s = 0.0

    def take(self, raw: int, at_s: float) -> bool:
        """Whether a code is a weight to go by; `quality` may change with it."""
        self._spoke_s = at_s
        self._unheard_s = 0.0
        if raw in INVALID_CODES or not -CODE_LIMIT <= raw < CODE_LIMIT:
            self.invalid += 1
            if self._since_s is None:
                self._since_s = at_s
            elif at_s - self._since_s > FAILED_S:
                self.quality = Quality.SATURATED if raw in SATURATED_CODES else Quality.INVALID
            return False
        self._since_s = None
        if self.quality is Quality.SILENT:
            self.quality = Quality.GOOD
        if raw != self._last_raw:
            self._last_raw = raw
            self._repeats = 0
            self.quality = Quality.GOOD
            return True
        self._repeats += 1
        if self._repeats >= STALE_SAMPLES:
            self.quality = Quality.STALE
        return self.quality is Quality.GOOD

    def unheard(self, at_s: float) -> None:
        """The node spoke at `at_s` and had no code; of a converter that never spoke nothing is known."""
        if self._spoke_s is None or at_s <= self._spoke_s:
            return
        self._unheard_s += min(at_s - self._spoke_s, PAUSE_S)
        self._spoke_s = at_s
        if self._unheard_s > SILENT_S:
            self.quality = Quality.SILENT

    @property
    def trouble(self) -> str:
        """What is wrong, in words."""
        match self.quality:
            case Quality.STALE:
                return f"the same code {STALE_SAMPLES} times"
            case Quality.SILENT:
                return f"no sample for {SILENT_S:.0f} s, while its node speaks"
            case Quality.GOOD:
                return "samples come and vary again"
            case _:
                return f"no code is a weight for {FAILED_S:.0f} s"
