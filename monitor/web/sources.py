"""What the pages are made from: one struct that the composition root fills and every group of routes takes."""

from collections.abc import Mapping

from msgspec import Struct

from monitor.access.opening import Entrance
from monitor.audience import Audience
from monitor.chair import Chair
from monitor.history import Histories
from monitor.log.place import LogPlace
from monitor.privacy import Section
from monitor.web.hub import Hub


class Sources(Struct, frozen=True, kw_only=True):
    """`hub`: what screens show. `entrance`: who is let in. `chair`: what directors and scorers may do.

    `place`: the event log, for hands that were played; `audiences` by table: what their directors may see of them.
    `histories`: what was told of the hands that run, as the director may see it. `notice`: what players are told
    about what is kept.
    """

    hub: Hub
    entrance: Entrance
    chair: Chair
    place: LogPlace
    histories: Histories
    audiences: Mapping[str, Audience]
    notice: tuple[Section, ...] = ()
