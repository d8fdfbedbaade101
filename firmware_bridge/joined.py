"""Several files of one run read as the one recording that they were cut from.

Owns the way from each file's seconds to those of the first. Refuses to know names: the files are handed in, in order.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from firmware_bridge.errors import RecordingFileError
from firmware_bridge.received import Received
from firmware_bridge.recording import BadLine, read_recording, run_second

_DECIMALS = 6


def read_joined(paths: Sequence[Path]) -> Iterator[Received | BadLine]:
    """Yield what the files hold, at seconds of the first; as `read_recording` does for a single one.

    A `BadLine` of a later file names it. Raises `RecordingFileError` at once where a file cannot be opened, does not
    say where in its run it belongs, or does not follow the one before it.
    """
    if len(paths) == 1:
        return read_recording(paths[0])
    began = [_run_second(path) for path in paths]
    for index, (one, next_one) in enumerate(pairwise(began)):
        if next_one <= one:
            raise RecordingFileError(paths[index + 1], f"does not follow {paths[index].name}: give them in their order")
    return _shifted(paths, [second - began[0] for second in began])


def _run_second(path: Path) -> float:
    second = run_second(path)
    if second is None:
        raise RecordingFileError(path, "does not say where in its run it belongs (run_s in its first line)")
    return second


def _shifted(paths: Sequence[Path], by_s: Sequence[float]) -> Iterator[Received | BadLine]:
    for path, shift_s in zip(paths, by_s, strict=True):
        for line in read_recording(path):
            if shift_s == 0.0:
                yield line
            elif isinstance(line, BadLine):
                yield msgspec.structs.replace(line, reason=f"in {path.name}: {line.reason}")
            else:
                yield msgspec.structs.replace(line, at_s=round(line.at_s + shift_s, _DECIMALS))
