"""Foreign text made fit for a page or a picture: what a log holds was written by others.

Owns length and letters. What is escaped, and how, is the templates' and the drawing's; what is wrong with such text
is `foreign_text`'s.
"""

from typing import Final

LONGEST: Final = 400
"""Characters; our choice: twice the longest sentence that the rules write."""


def plain(text: str, longest: int = LONGEST) -> str:
    """One line without control characters or marks that turn the reading direction, cut where it is too long."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text[: 4 * longest]).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
