"""The words of the pages: one catalogue, in English, that templates and scripts take theirs from.

Owns every sentence and label that a page has of its own, and how a length of time is written. What happened at a table
is put into words by `monitor.wording`, what a rule says by the rules. Refuses to know layout. Pure.
"""

from typing import Final

WORDS: Final = {
    "title.public": "Floor",
    "title.director": "Director",
    "title.refusal": "Not here",
    "title.sign-in": "Sign in",
    "title.signed-in": "Signed in",
    "title.device": "This device",
    "title.page": "{title} · Rackwatch",
    "foot.public": "Rackwatch {version}. Hands and counts are not shown here.",
    "foot.director": "Rackwatch {version} advises. Only players and the director rule.",
    "foot.printed": "As of",
    "empty": "No table has reported yet.",
    "find": "Find a table",
    "to-floor": "To the floor",
    "go-on": "Go on",
    "sign-in": "Sign in",
    "sign-in.name": "Name",
    "sign-in.password": "Password",
    "sign-in.wait": "Too many attempts. Please wait {seconds} s, then try again.",
    "sign-in.wrong": "Name and password do not go together.",
    "signed-in.as": "Signed in as {role}: {may}.",
    "signed-in.as-for": "Signed in as {role} for table {table}: {may}.",
    "sign-out": "Sign out",
    "device.token": "Token",
    "device.unknown": "This code is not known here. It may have been revoked: ask for another.",
    "table": "Table {name}",
    "hand": "hand {number}",
    "round": "round {number}",
    "window": "Window",
    "discard": "Last discard",
    "discard.ago": "ago",
    "discard.none": "not yet",
    "health.good": "Sensors in order",
    "health.bad": "Sensors",
    "alert.short.simultaneous_call": "Call with racking",
    "alert.event": "this event's rule",
    "alert.ended": "no longer stands",
    "alert.why": "Why, and what may follow",
    "director.needs": "For the director",
    "director.nothing": "Nothing needs you.",
    "director.story": "What happened",
    "rack.east": "E",
    "rack.dead": "dead",
    "rack.unknown": "?",
    "rack.tiles": "{number} tiles",
    "rack.not-known": "number not known {reason}",
    "rack.placed": "{slope} on the slope, {ledge} on the ledge",
    "rack.is-east": "East of this hand",
    "rack.in-turn": "in turn",
    "rack.is-dead": "declared dead",
    "script.connecting": "Connecting",
    "script.live": "Live",
    "script.lost": "Connection lost; trying again",
    "script.needed": "Someone is needed at {tables}",
    "script.needed-more": "Someone is needed at {tables} and {more} more",
    "script.quiet": "Nobody is needed",
    "script.found": "{found} of {all}",
    "script.seconds": "{seconds} s",
    "script.minutes": "{minutes}:{seconds}",
    "script.hours": "{hours}:{minutes} h",
}
"""Text by key. What stands in braces is put in by whoever asks; `script.…` goes to the page's script as it is."""

_SCRIPT: Final = "script."


def say(key: str, **values: str | int) -> str:
    """The text of a key with its values put in. Raises `KeyError` for a key, or a value, that is missing."""
    return WORDS[key].format(**values)


def script_words() -> dict[str, str]:
    """What a page's script needs to speak, by the key's last part."""
    return {key.removeprefix(_SCRIPT): text for key, text in WORDS.items() if key.startswith(_SCRIPT)}
