"""Interface for pages of other distributions: viewer, server context, unfinished results."""

from __future__ import annotations

from jostle.server.access import Looking, Viewer
from jostle.server.cache.background_cache import BackgroundCache, CachedResult
from jostle.server.context import ServerContext
from jostle.server.routes.making import MAKING, WAIT_S, making

__all__ = [
    "MAKING",
    "WAIT_S",
    "BackgroundCache",
    "CachedResult",
    "Looking",
    "ServerContext",
    "Viewer",
    "making",
]
