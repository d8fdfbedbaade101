"""What a database says in its own words, and what a person can do about it.

Owns the sentences. Refuses to know what was tried. What is not known here is told as the database has it.
"""

import shutil
from typing import Final

from monitor.log.place import LogPlace

_REMEDIES: Final = (
    ("disk is full", "Free some space on its disk"),
    ("is malformed", "The file is damaged: put back a copy, or save what is whole with sqlite3's .recover"),
    ("not a database", "It is another file, or damaged: name the log, or put back a copy"),
    ("readonly", "Give whoever runs this the right to write it and its folder"),
    ("is locked", "Another program holds it: close that one"),
    ("unable to open", "See whether whoever runs this may read it and write its folder"),
)
"""Words of SQLite (`sqlite3_errstr`), and what helps."""
_FULL_BYTES: Final = 1 << 16
"""Less free space than this is none: SQLite cannot make its index of the newest records there, an I/O error to it."""


def reason_of(problem: Exception) -> str:
    """What the database said, without the statement."""
    return str(getattr(problem, "orig", None) or problem)


def why(place: LogPlace, problem: Exception) -> str:
    """The same in brackets, and what to do about it where that is known."""
    reason = reason_of(problem)
    remedy = next((remedy for words, remedy in _REMEDIES if words in reason), "")
    if "I/O error" in reason:
        remedy = "Its disk is full: free some space" if _is_full(place) else "See whether its disk is well"
    return f"({reason}). {remedy}" if remedy else f"({reason})"


def _is_full(place: LogPlace) -> bool:
    if place.file is None:
        return False
    try:
        return shutil.disk_usage(place.file.parent).free < _FULL_BYTES
    except OSError:
        return False
