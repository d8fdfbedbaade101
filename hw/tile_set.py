"""The American set: which faces there are and how many tiles of each. Knows nothing of tags and play.

108 suit tiles (bam, crak, dot; one to nine, four each), 16 winds, 12 dragons, 8 flowers, 8 jokers: 152. A box holds
spares besides; only enrolled tiles are in play. Source: research notes on procedure, row 1.
"""

from types import MappingProxyType

SUITS = ("bam", "crak", "dot")
HONOURS = ("E", "S", "W", "N", "red", "green", "soap")
FLOWER = "flower"
JOKER = "joker"

AMERICAN_SET = MappingProxyType(
    {
        **{f"{rank}-{suit}": 4 for suit in SUITS for rank in range(1, 10)},
        **dict.fromkeys(HONOURS, 4),
        FLOWER: 8,
        JOKER: 8,
    }
)
"""How many tiles there are of each face, in the order in which a set is laid out."""

SET_SIZE = sum(AMERICAN_SET.values())

_SPOKEN = {
    "red dragon": "red",
    "green dragon": "green",
    "white": "soap",
    "white dragon": "soap",
    "east": "E",
    "south": "S",
    "west": "W",
    "north": "N",
}
_SHORT = {"b": "bam", "c": "crak", "d": "dot", "bams": "bam", "craks": "crak", "crack": "crak", "dots": "dot"}


def face_named(text: str) -> str | None:
    """The face that a person means: `4-bam`, `4 bam`, `4b`, `e`, `east`, `white`, `Joker`; `None` where it is none."""
    words = " ".join(text.replace("-", " ").lower().split())
    if words[:1].isdigit():
        suit = words[1:].strip()
        words = f"{words[0]}-{_SHORT.get(suit, suit)}"
    words = _SPOKEN.get(words, words)
    if len(words) == 1:
        words = words.upper()
    singular = words.removesuffix("s")
    return next((face for face in (words, singular) if face in AMERICAN_SET), None)
