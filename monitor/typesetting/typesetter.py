"""A program of its own: a job as JSON comes in, a PDF goes out, or one line of what is wrong.

Owns typst, which is named here alone. It is run by its path, so it imports nothing of the monitor: the only thing that
lives in its process is the document, and all of it is given back when the process ends.
"""

import json
import sys

import typst


def main() -> int:
    """Set the job on standard input: the fields of `typeset._Job`."""
    job = json.load(sys.stdin.buffer)
    try:
        pdf = typst.compile(
            job["template"].encode(),
            format="pdf",
            sys_inputs=job["inputs"],
            ignore_system_fonts=job["own_fonts_only"],
            pdf_standards=job["standards"],
            timestamp=job["made_s"],
        )
    except typst.TypstError as problem:
        sys.stderr.write(" ".join(problem.message.split()))
        return 1
    if not isinstance(pdf, bytes):
        raise TypeError(f"typst gave {type(pdf).__name__}")
    sys.stdout.buffer.write(pdf)
    return 0


if __name__ == "__main__":
    sys.exit(main())
