"""Access control: methods of log-in, roles, and the record of accesses to other users' jobs."""

from __future__ import annotations

from jostle.server.access.access import Access
from jostle.server.access.viewer import Looking, Role, Viewer

__all__ = ["Access", "Looking", "Role", "Viewer"]
