"""What the console's forms send, read as an act.

Owns the fields' names. What is missing or is no such thing is a refusal in words, never an error: whoever typed it is
asked again. Pure.
"""

from typing import Final

import msgspec
from msgspec import Struct

from monitor.acts import SECONDS_MOST, Act
from monitor.docket import Refused
from monitor.web.words import say

_BARE: Final = frozenset({"acknowledged", "taken", "given_back", "upheld", "dismissed", "thrown_in", "noted"})


class ActForm(Struct, frozen=True):
    """One form as it came; all of it text. `did`: the act's tag; `version`: of the case that its author saw."""

    alert: str = ""
    version: str = ""
    did: str = ""
    words: str = ""
    seat: str = ""
    by: str = ""
    minutes: str = ""
    record: str = ""

    @property
    def version_seen(self) -> int:
        """The version as a number; one that is none is older than any."""
        return int(self.version) if self.version.isascii() and self.version.isdigit() and len(self.version) < 10 else -1

    def act(self) -> Act | Refused:
        """The act that is asked for."""
        fields: dict[str, str | float] = {"what": self.did}
        try:
            match self.did:
                case "declared_dead":
                    fields |= {"seat": self.seat, "by": self.by}
                case "time_added":
                    fields |= {"seconds": float(self.minutes.replace(",", ".")) * 60.0}
                case "undone":
                    fields |= {"record": int(self.record)}
                case other if other not in _BARE:
                    return Refused(say("act.unknown"))
                case _:
                    pass
            did: Act = msgspec.convert(fields, Act)
        except (ValueError, OverflowError):
            return Refused(_COMPLAINTS.get(self.did, say("act.unknown")))
        return did


_COMPLAINTS: Final = {
    "declared_dead": say("act.needs-seat"),
    "time_added": say("act.needs-minutes", most=SECONDS_MOST // 60),
}
