"""Errors of the Python API, which show their remedy, and the warning about incomplete answers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from jostle.errors import JostleError

P = ParamSpec("P")
R = TypeVar("R")


class MissingPackageError(JostleError):
    """Error: a form of tables needs a Python package that is not installed."""

    def __init__(self, package: str) -> None:
        """Create the error.

        Args:
            package: Name of the package to install.
        """
        super().__init__(
            f"This needs the package {package}, which is not installed.",
            hint=f"pip install {package}; .arrow() needs no further package.",
        )


class JostleWarning(UserWarning):
    """Warning that an answer lacks data, such as the rows of a damaged file."""


def with_hints(method: Callable[P, R]) -> Callable[P, R]:
    """Wrap a method so that the text of its errors includes the hint: notebooks show only texts."""

    @functools.wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(*args, **kwargs)
        except JostleError as error:
            if error.hint and error.hint not in str(error):
                error.args = (f"{error}\n{error.hint}",)
            raise

    return call
