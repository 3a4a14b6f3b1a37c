"""Users and their jobs in words."""

from __future__ import annotations

import pwd

from jostle.errors import UsageError
from jostle.report.format.values import count


def owner_name(uid: int) -> str:
    """Return the name of a user, or `uid N` if this machine knows no name."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"


def user_of(name: str) -> int:
    """Return the uid of a user, by name or number.

    Raises:
        UsageError: There is no such user.
    """
    if name.isascii() and name.isdigit():
        return int(name)
    try:
        return pwd.getpwnam(name).pw_uid
    except KeyError:
        raise UsageError(
            f"There is no user `{name}` on this machine.", hint="Give the user's number."
        ) from None


def others_beside(neighbours: int, *, unnamed: bool) -> str:
    """Return who was beside a job: `2 other jobs and other users' jobs`; "" for nobody.

    Args:
        neighbours: Other jobs; those that the viewer may not see count as one.
        unnamed: There are such: how many is not told.
    """
    named = neighbours - unnamed
    jobs = f"{count(named)} other job{'s' if named != 1 else ''}" if named > 0 else ""
    return " and ".join(filter(None, [jobs, "other users' jobs" if unnamed else ""]))
