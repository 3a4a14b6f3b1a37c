"""Errors of the Python API, which show their remedy, and a warning."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from jostle.errors import JostleError

P = ParamSpec("P")
R = TypeVar("R")


class MissingPackageError(JostleError):
    """A form of tables needs a package that is not installed."""

    def __init__(self, package: str) -> None:
        """Make the error.

        Args:
            package: Name of the package to install.
        """
        super().__init__(
            f"This needs the package {package}, which is not installed.",
            hint=f"pip install {package}; .arrow() needs nothing more.",
        )


class JostleWarning(UserWarning):
    """An answer lacks something, such as the rows of a damaged file."""


def with_hints(method: Callable[P, R]) -> Callable[P, R]:
    """Add its hint to the text of each error of a method: notebooks show an error's text alone."""

    @functools.wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(*args, **kwargs)
        except JostleError as error:
            if error.hint and error.hint not in str(error):
                error.args = (f"{error}\n{error.hint}",)
            raise

    return call
