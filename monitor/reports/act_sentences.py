"""What directors did, as sentences of a report.

Owns phrasing. Refuses to know where it stands. Pure, but for the zone of the machine.
"""

from monitor.docket import Line
from monitor.reports.when import local
from monitor.wording import act_words


def act_sentence(line: Line) -> str:
    """Who did what, in which words, and whether it was undone."""
    undone = "" if line.stands else " (undone since)"
    return f"{line.made.author} {act_words(line.made.did)}{undone}{_words(line)}."


def ruling_sentence(line: Line) -> str:
    """The same of a ruling, with its moment."""
    made = line.made
    return f"Ruled: {made.author} {act_words(made.did)} at {local(made.utc_s):%H:%M:%S}{_words(line)}."


def _words(line: Line) -> str:
    own = line.made.words.strip().removesuffix(".")
    return "" if line.made.words == act_words(line.made.did) else f": {own}"
