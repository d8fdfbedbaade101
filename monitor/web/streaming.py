"""Answers that go on: server-sent events until the page goes, the server stops, or its viewer may no more."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

from litestar import MediaType, Response
from litestar.response import Stream

from monitor.web.hub import Hub


def streamed(hub: Hub, source: AsyncGenerator[bytes, None], may: Callable[[], bool]) -> Response[Any]:
    """The frames of `source`; whether its viewer still `may` is asked before each."""
    if hub.full():
        return Response("too many open pages", status_code=503, media_type=MediaType.TEXT)

    async def frames() -> AsyncIterator[bytes]:
        async with aclosing(source) as stream:
            async for frame in stream:
                if not may():
                    return
                yield frame

    return Stream(frames(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
