"""Names of users."""

from __future__ import annotations

import pwd


def owner_name(uid: int) -> str:
    """Return the name of a user, or `uid N` if this machine knows no name."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
