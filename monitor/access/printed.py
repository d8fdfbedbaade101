"""A device's token as a QR code: in the terminal, as SVG, or on a page to print.

The code holds an address whose token stands behind `#`: a browser keeps that part to itself, so no server's or proxy's
log ever has it. What is printed is a key: whoever has the paper has the device's role.
"""

import html
import io
from pathlib import Path
from typing import Final

import segno

from monitor.access.book import Device
from monitor.access.file import OWNER_ONLY
from monitor.access.roles import MAY
from monitor.errors import UnusableFileError
from monitor.staging import staged_file

_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{name} · Rackwatch</title>
<style>
body {{ font: 14pt sans-serif; margin: 2cm; max-width: 16cm; color: #000; background: #fff }}
svg {{ width: 8cm; height: 8cm }}
</style>
</head>
<body>
<h1>{name}</h1>
<p>{role}{table}: {may}.</p>
{code}
<p>Scan the code with the device that is meant. It opens {address}.</p>
<p>This page is a key. Keep it where you keep keys; when it is lost: rackwatch access revoke.</p>
</body>
</html>
"""


def link(address: str, token: str) -> str:
    """What the code says: `address` is where browsers find the pages, such as `http://192.168.1.5:8107`."""
    return f"{address.rstrip('/')}/with#{token}"


def terminal_code(text: str) -> str:
    """The code in half blocks, light on dark or the other way round."""
    drawn = io.StringIO()
    segno.make_qr(text).terminal(out=drawn, compact=True)
    return drawn.getvalue()


def write_code(path: Path, device: Device, address: str, token: str) -> None:
    """The code as `.svg`, or on a page (`.html`), readable by its owner alone. Raises `UnusableFileError`."""
    code = segno.make_qr(link(address, token))
    match path.suffix.lower():
        case ".svg":
            text = code.svg_inline(scale=8, title=device.name)
        case ".html":
            text = _PAGE.format(
                name=html.escape(device.name),
                role=device.role,
                table=f" for table {html.escape(device.table)}" if device.table else "",
                may=html.escape(MAY[device.role]),
                address=html.escape(address),
                code=code.svg_inline(omitsize=True),
            )
        case _:
            raise UnusableFileError(path, "ends in neither .html nor .svg")
    with staged_file(path) as part:
        part.touch(OWNER_ONLY)
        part.chmod(OWNER_ONLY)
        part.write_text(text, encoding="utf-8")
