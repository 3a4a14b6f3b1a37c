"""Options of the method of an estimate, shared by `estimate` and `compare`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from jostle.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--method",
        type=click.Choice(["jostle", "thesis"]),
        default="jostle",
        show_default=True,
        help="Method of the estimate: jostle (measure lost time, infer the rest), or thesis (Shah, "
        "2020).",
    ),
    click.option(
        "--bytes",
        "bytes_rule",
        type=click.Choice(["exact", "median", "ignore"]),
        help="With --method thesis: how byte counts decide which segments are similar [exact].",
    ),
    click.option(
        "--seed",
        type=click.IntRange(0),
        default=0,
        metavar="N",
        help="Seed of the random steps for the intervals [0].",
    ),
)


def estimation_options(function: F) -> F:
    """Add --method, --bytes and --seed."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def how_to_estimate(method: str, bytes_rule: str | None, seed: int) -> dict[str, Any]:
    """Return the arguments of `jostle.analysis.estimate`.

    Raises:
        UsageError: --bytes was given to a method without groups.
    """
    if bytes_rule is not None and method != "thesis":
        raise UsageError(
            f"--bytes is a rule of --method thesis; method {method} does not use it.",
            hint=f"--method thesis --bytes {bytes_rule}, or leave out --bytes.",
        )
    return {"method": method, "bytes_rule": bytes_rule or "exact", "seed": seed}
