"""Finds and reads rule profiles: by name among those that come along, or from a file.

Owns where profiles lie. What is in them is `monitor.rules.profile`'s.
"""

import difflib
from pathlib import Path

from monitor.errors import UnusableFileError
from monitor.rules.profile import LEAGUE, Profile, ProfileError, parse_profile

_HERE = Path(__file__).parent
_FOLDERS = (_HERE / "_config" / "profiles", _HERE.parent / "config" / "profiles")
"""In an installed wheel, and in a checkout."""


def load_profile(name: str) -> Profile:
    """`league`, the name of a profile that comes along, or the path of a TOML file. Raises `UnusableFileError`."""
    if name == "league":
        return LEAGUE
    if not name.strip():
        names = ", ".join(known_profiles())
        raise UnusableFileError(Path("profile"), f"is empty; give one of {names}, or a file: NAME.toml")
    path = Path(name)
    if "/" not in name and path.suffix != ".toml":
        known = known_profiles()
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
            raise UnusableFileError(path, f"there is no profile of this name; {hint} (or give a file: NAME.toml)")
        path = known[name]
    try:
        return parse_profile(path.read_text(encoding="utf-8-sig"), str(path))
    except OSError as problem:
        raise UnusableFileError(path, f"cannot be read: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise UnusableFileError(path, "is not UTF-8 text") from problem
    except ProfileError as problem:
        why = f"{problem.key}: {problem.why}" if problem.key else problem.why
        raise UnusableFileError(path, why, problem.line) from problem


def known_profiles() -> dict[str, Path]:
    """Profiles that come along, by name."""
    return {path.stem: path for folder in _FOLDERS for path in sorted(folder.glob("*.toml"))}
