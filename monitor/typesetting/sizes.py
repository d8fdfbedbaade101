"""The sizes of paper, by the names that a command line has for them."""

from enum import StrEnum


class Paper(StrEnum):
    """Size of a document's pages."""

    A4 = "a4"
    LETTER = "letter"

    @property
    def typst(self) -> str:
        """What Typst calls it."""
        return "us-letter" if self is Paper.LETTER else str(self)
