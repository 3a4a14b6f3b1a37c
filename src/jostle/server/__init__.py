"""The HTTP server: serves jobs and their verdicts to the web front end and to scripts.

Its interface is `create_app` and the `Server` that runs the application. It reads one repository
and never writes to it.
"""

from __future__ import annotations

from jostle.server.access import Access
from jostle.server.app import create_app
from jostle.server.transport.serving import Server

__all__ = ["Access", "Server", "create_app"]
