"""The option `--engine`, which lets this process or Spark run a query that reads much data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from jostle.errors import UsageError

if TYPE_CHECKING:
    from jostle.analysis.identification.model import Matrix
    from jostle.repository import Repository
    from jostle.repository.types import ExportReport

ALWAYS = (0, 2**63 - 1)
F = TypeVar("F", bound=Callable[..., Any])
_MASTER = re.compile(r"spark://.+|k8s://.+|yarn|local(\[.+\])?")


class Asked(Protocol):
    """The interface of query engines."""

    @property
    def repository(self) -> Repository:
        """The repository; the engine answers queries that can be divided."""

    def matrix(self, as_user: int | None = None, span: tuple[int, int] = ALWAYS) -> Matrix:
        """Find which program slowed which, in slices that begin in a span of time (ns)."""

    def export(
        self,
        what: str,
        form: str,
        out: Path,
        *,
        span: tuple[int, int] | None,
        metrics: Sequence[str] | None,
    ) -> ExportReport:
        """Write a table or a job's slices (see Repository.export)."""


@dataclass(frozen=True)
class _Embedded:
    """DuckDB in this process."""

    repository: Repository

    def matrix(self, as_user: int | None = None, span: tuple[int, int] = ALWAYS) -> Matrix:
        from jostle.analysis import matrix

        return matrix(self.repository.programs_alongside(span), as_user=as_user)

    def export(
        self,
        what: str,
        form: str,
        out: Path,
        *,
        span: tuple[int, int] | None,
        metrics: Sequence[str] | None,
    ) -> ExportReport:
        return self.repository.export(what, form, out, span=span, metrics=metrics)


def engine_option(function: F) -> F:
    """Add `--engine`: None for this process, or the name of a Spark master."""
    return click.option(
        "--engine",
        metavar="ENGINE",
        default="embedded",
        show_default=True,
        callback=_master,
        help="Query engine: embedded (this process), spark (this machine's cores), or a cluster: "
        "spark://HOST:PORT, yarn, k8s://HOST:PORT.",
    )(function)


def _master(_ctx: click.Context, _param: click.Parameter, value: str) -> str | None:
    if value == "embedded":
        return None
    if value == "spark":
        return "local"
    if not _MASTER.fullmatch(value):
        raise UsageError(
            f"`{value}` is not a query engine.",
            hint="Engines: embedded, spark, spark://HOST:PORT, yarn, k8s://HOST:PORT.",
        )
    return value


@contextmanager
def asking(repository: Repository, master: str | None) -> Iterator[Asked]:
    """Yield the query engine; Spark runs until the end of the block.

    Args:
        repository: The repository.
        master: Value of `--engine`.
    """
    if master is None:
        yield _Embedded(repository)
        return
    from jostle.spark.engine import SparkEngine
    from jostle.spark.session import Cluster

    with Cluster(master) as cluster:
        yield SparkEngine(cluster, repository)
