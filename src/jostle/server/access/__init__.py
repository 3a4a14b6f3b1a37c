"""Who may look, and at what: ways to log in, roles, and the record of looks at others' jobs."""

from __future__ import annotations

from jostle.server.access.access import Access
from jostle.server.access.viewer import Looking, Role, Viewer

__all__ = ["Access", "Looking", "Role", "Viewer"]
