"""What a typed JSON decoder raises on what it cannot read, and in which words that is told.

Owns nothing else: who counts it, and what is kept of the rest, is up to the decoders beside it (`json_rows`,
`commands`, `recording`).
"""

import msgspec

UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)
"""Bad JSON or another shape, no UTF-8 or half a surrogate pair, brackets without end."""


def why(failure: Exception) -> str:
    """What was wrong, for a person to read."""
    return "is nested too deeply" if isinstance(failure, RecursionError) else str(failure)
