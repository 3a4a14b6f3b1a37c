"""Converts between names and numbers (uids) of users, as this machine knows them."""

from __future__ import annotations

import pwd
from functools import cache

from jostle.errors import UsageError


@cache
def login_of(uid: int) -> str:
    """Return the login of a user; "" if this machine knows none."""
    try:
        return pwd.getpwuid(uid).pw_name
    except (KeyError, OverflowError):
        return ""


def owner_name(uid: int) -> str:
    """Return the name of a user, or `uid N` if this machine knows no name."""
    return login_of(uid) or f"uid {uid}"


def uid_of(login: str) -> int | None:
    """Return the number of a user; None if this machine knows no such login."""
    try:
        return pwd.getpwnam(login).pw_uid
    except (KeyError, ValueError, UnicodeEncodeError):
        return None


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
            f"There is no user `{name}` on this machine.", hint="Use the user's number (uid)."
        ) from None
