"""The option `--as-user`: show only sums of other users' jobs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from jostle.names.users import owner_name, user_of

F = TypeVar("F", bound=Callable[..., Any])


def as_user_option(function: F) -> F:
    """Add `--as-user USER`, given to the verb as a uid."""
    return click.option(
        "--as-user",
        "viewer",
        metavar="USER",
        callback=user_id,
        help="Show only what USER (a name or number) may see: jobs of other users appear as sums.",
    )(function)


def user_id(_ctx: click.Context, _param: click.Parameter, value: str | None) -> int | None:
    """Return the uid of a user given by name or number; None for no user.

    Raises:
        UsageError: There is no such user.
    """
    return None if value is None else user_of(value)


def who(user: int | None) -> str:
    """Return the name of a job's owner; "-" if it is not shown."""
    return "-" if user is None else owner_name(user)
