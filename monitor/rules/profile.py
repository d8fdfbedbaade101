"""The rule profile: every choice that the two articles leave open, or that an event makes for itself.

Owns the keys, their League defaults, and how a TOML text becomes a profile. Reads no file: pass it the text. In the
flow: beside every event that is judged; each ruling quotes the key it rests on. `config/profiles/league.toml`
documents every key and equals the defaults here; an event's own file lays its keys over them.
"""

import difflib
import re
import tomllib
from enum import StrEnum

import msgspec
from msgspec import Struct

from monitor.events import Seat
from monitor.foreign_text import TOML, complaint_about, dotted
from monitor.foreign_toml import complaint_about_toml


class Exchange(StrEnum):
    """How several joker exchanges in one turn are made."""

    TOGETHER = "together"
    ONE_AT_A_TIME = "one_at_a_time"


class RackedWhen(StrEnum):
    """When a picked tile counts as racked."""

    PLACED = "placed"
    RELEASED = "released"


class Declaration(StrEnum):
    """What a declaration of mah jongg on a discard does to other claims of it."""

    CLOSES = "closes"
    COMPETES = "competes"


class Monitoring(StrEnum):
    """Whether racks are counted for the director."""

    ON = "on"
    OFF = "off"


class WrongBeforePlay(StrEnum):
    """What one wrong number of tiles before East's first discard leads to."""

    LEAGUE = "league"
    RESTART = "restart"


class TakenBy(StrEnum):
    """Who may take a tile that has been missing since the deal."""

    ANY = "any"
    NORTH = "north"


class TwoWrong(StrEnum):
    """What two hands with a wrong number of tiles in play lead to."""

    EACH = "each"
    RESTART = "restart"


class _Section(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class WindowRules(_Section, frozen=True):
    """`[window]`: Article 107."""

    simultaneous_within_ms: float = 100.0
    racked_when: RackedWhen = RackedWhen.PLACED
    declaration: Declaration = Declaration.CLOSES

    @property
    def tolerance_s(self) -> float:
        """The tolerance of simultaneous action, in seconds."""
        return self.simultaneous_within_ms / 1000.0


class CountRules(_Section, frozen=True):
    """`[count]`: Article 205."""

    monitoring: Monitoring = Monitoring.ON
    off_turn_motion_s: float = 5.0
    held_pick_s: float = 10.0
    restless_s: float = 12.0
    boundary_rest_s: float = 1.0
    wrong_before_play: WrongBeforePlay = WrongBeforePlay.LEAGUE
    missing_tile_taken_by: TakenBy = TakenBy.ANY
    two_wrong_in_play: TwoWrong = TwoWrong.EACH


class ProcedureRules(_Section, frozen=True):
    """`[procedure]`: what this event asks of its players beyond the League."""

    joker_exchange: Exchange = Exchange.TOGETHER
    touch_commits: bool = False


class TableRules(_Section, frozen=True):
    """`[table]`: who sits there."""

    empty_seat: Seat | None = None


class EvidenceRules(_Section, frozen=True):
    """`[evidence]`: how sure the readings must be before they found a ruling."""

    least_confidence: float = 0.5
    sure_confidence: float = 0.95
    ruling_confidence: float = 0.8
    fastest_turn_s: float = 0.5
    unseen_turn_s: float = 1.0
    crossing_hands_s: float = 1.0
    late_news_s: float = 1.5
    slow_news_s: float = 4.0
    quick_discard_s: float = 2.0
    unknown_count_s: float = 10.0


class Profile(Struct, frozen=True, forbid_unknown_fields=True):
    """One event's rules. The defaults are the League's reading."""

    title: str = "National Mah Jongg League"
    window: WindowRules = WindowRules()
    count: CountRules = CountRules()
    procedure: ProcedureRules = ProcedureRules()
    table: TableRules = TableRules()
    evidence: EvidenceRules = EvidenceRules()


LEAGUE = Profile()
"""The default profile."""


class ProfileError(ValueError):
    """A profile that cannot be used. `source`, `line` (0: unknown), `key` and `why` say where and how to mend it."""

    def __init__(self, source: str, line: int, key: str, why: str) -> None:
        where = f"{source}:{line}" if line else source
        super().__init__(f"{where}: {key}: {why}" if key else f"{where}: {why}")
        self.source, self.line, self.key, self.why = source, line, key, why


def parse_profile(text: str, source: str = "profile") -> Profile:
    """The profile that `text` (TOML) lays over the League's. Raises `ProfileError`; `source` names the text in it."""
    try:
        tree = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        found = complaint_about_toml(error, text)
        raise ProfileError(source, found.line, "", found.problem) from error
    _refuse_unknown(tree, text, source)
    try:
        profile = msgspec.convert(tree, Profile)
    except msgspec.ValidationError as error:
        complaint = complaint_about(error, tree, Profile, TOML)
        key = dotted(complaint.where)
        raise ProfileError(source, _line_of(text, key), key, complaint.sentence) from error
    _refuse_impossible(profile, text, source)
    return profile


def keys_of_profile() -> tuple[str, ...]:
    """Every key, dotted, in the order of the file."""
    keys: list[str] = []
    for top in msgspec.structs.fields(Profile):
        if isinstance(top.default, _Section):
            keys += [f"{top.name}.{key.name}" for key in msgspec.structs.fields(top.default)]
        else:
            keys.append(top.name)
    return tuple(keys)


def _refuse_unknown(tree: dict[str, object], text: str, source: str) -> None:
    known = keys_of_profile()
    tops = sorted({key.split(".")[0] for key in known})
    for top, value in tree.items():
        if top not in tops:
            raise ProfileError(source, _line_of(text, top), top, _unknown(top, tops))
        if isinstance(value, dict):
            inner = [key.split(".")[1] for key in known if key.startswith(top + ".")]
            for key in value:
                if key not in inner:
                    raise ProfileError(source, _line_of(text, f"{top}.{key}"), f"{top}.{key}", _unknown(key, inner))


def _unknown(key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    return f"unknown key; did you mean {near[0]}?" if near else f"unknown key; known are {', '.join(known)}"


def _refuse_impossible(profile: Profile, text: str, source: str) -> None:
    for key in keys_of_profile():
        value: object = profile
        for part in key.split("."):
            value = getattr(value, part)
        if isinstance(value, float):
            if not 0.0 <= value < 1e6:
                raise ProfileError(source, _line_of(text, key), key, f"{value} is no time or share")
            if key.endswith("_confidence") and value > 1.0:
                raise ProfileError(source, _line_of(text, key), key, f"{value} is beyond 1")


def _line_of(text: str, path: str) -> int:
    """The line on which a dotted key stands, failing that the first one with its word in it; 0 where there is none."""
    section, _, key = path.rpartition(".")
    inside, anywhere = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if head := re.match(r"\[\s*([\w.-]+)\s*\]", stripped):
            inside = head[1]
        if _is_line_of(stripped, key if inside == section else path):
            return number
        if key and key in line and not anywhere:
            anywhere = number
    return anywhere


def _is_line_of(stripped: str, key: str) -> bool:
    return re.match(rf"[\"']?{re.escape(key)}[\"']?\s*[=.]", stripped) is not None
