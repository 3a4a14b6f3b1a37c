"""The option `--as-user`: limit what is shown of other users' jobs to sums."""

from __future__ import annotations

import pwd
from collections.abc import Callable
from typing import Any, TypeVar

import click

from jostle.errors import UsageError
from jostle.report.format.users import owner_name

F = TypeVar("F", bound=Callable[..., Any])


def as_user_option(function: F) -> F:
    """Add `--as-user USER`, given to the verb as a uid."""
    return click.option(
        "--as-user",
        "viewer",
        metavar="USER",
        callback=user_id,
        help="Show what USER (a name or number) may see: other users' jobs only as sums.",
    )(function)


def user_id(_ctx: click.Context, _param: click.Parameter, value: str | None) -> int | None:
    """Return the uid of a user who was named by name or number; None for nobody.

    Raises:
        UsageError: There is no such user.
    """
    if value is None:
        return None
    if value.isascii() and value.isdigit():
        return int(value)
    try:
        return pwd.getpwnam(value).pw_uid
    except KeyError:
        raise UsageError(
            f"There is no user `{value}` on this machine.", hint="Give the user's number."
        ) from None


def who(user: int | None) -> str:
    """Return a job's owner; "-" where it is not shown."""
    return "-" if user is None else owner_name(user)
