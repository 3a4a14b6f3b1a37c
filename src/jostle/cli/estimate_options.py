"""How an estimate is made: options that `estimate` and `compare` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--method", type=click.Choice(["jostle", "thesis"]), default="jostle",
                 show_default=True, help="Account first and infer the rest; or as Shah's thesis "
                 "does."),
    click.option("--bytes", "bytes_rule", type=click.Choice(["exact", "median", "ignore"]),
                 default="exact", show_default=True,
                 help="With --method thesis: how bytes make segments alike."),
    click.option("--seed", type=click.IntRange(0), default=0, metavar="N",
                 help="Of the random steps behind the intervals [0]."),
)  # fmt: skip


def estimation_options(function: F) -> F:
    """Add --method, --bytes and --seed."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
