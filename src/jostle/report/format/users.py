"""Names of people."""

from __future__ import annotations

import pwd


def owner_name(uid: int) -> str:
    """Return the name of a user, or the number when nobody has it."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
