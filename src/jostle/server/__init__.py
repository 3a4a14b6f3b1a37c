"""The server: jobs and their stories over HTTP, for the web front end and for scripts.

The doors of this room are `create_app` and the `Server` that it runs in. It reads one repository,
and never writes to it.
"""

from __future__ import annotations

from jostle.server.access import Access
from jostle.server.app import create_app
from jostle.server.transport.serving import Server

__all__ = ["Access", "Server", "create_app"]
