"""One page's stream of server-sent events over HTTP: what the hub says, as long as its viewer may hear it."""

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

from litestar import MediaType, Response
from litestar.response import Stream

from monitor.web.hub import First, Hub
from monitor.web.pages import Screen


def streamed(hub: Hub, screen: Screen, may: Callable[[], bool], first: First = dict) -> Response[Any]:
    """Frames until the page goes, or its viewer `may` no more. `first`: what this screen begins with besides cards."""
    if hub.full():
        return Response("too many open pages", status_code=503, media_type=MediaType.TEXT)

    async def frames() -> AsyncIterator[bytes]:
        async with aclosing(hub.stream(screen, first)) as stream:
            async for frame in stream:
                if not may():
                    return
                yield frame

    return Stream(frames(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
