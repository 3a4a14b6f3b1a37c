"""Runs queries of the command line in Spark, on one snapshot of a repository."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from jostle import __version__
from jostle.analysis.identification.model import Matrix, Visibility
from jostle.analysis.identification.runs.matrix import MatrixPart, combined, matrix_parts
from jostle.analysis.identification.runs.matrix_rows import Roles, roles_of
from jostle.repository import Repository, Snapshot
from jostle.repository.query.divided import Question, combine
from jostle.repository.query.engine import ALWAYS, Engine
from jostle.repository.query.export import ExportSelection
from jostle.repository.query.lifetimes import Life
from jostle.repository.query.resources.co_running import facts
from jostle.repository.query.resources.programs import alive, of_jobs, questions, shares
from jostle.repository.store.files import plain_errors
from jostle.repository.store.layout import TABLES
from jostle.repository.types import ExportReport
from jostle.spark import tables
from jostle.spark.errors import SparkError, plain
from jostle.spark.parts import days, pieces
from jostle.spark.session import Cluster
from jostle.spark.tasks import Failure, caught, gathered, keyed, packed_answer, unpacked, written

if TYPE_CHECKING:
    from pyspark import RDD

#: Least number of tasks that work on shares of resources, which have unequal sizes.
_LEAST_TASKS = 16


class SparkEngine:
    """Queries the files of one commit of a repository in the workers of a Spark cluster."""

    def __init__(self, cluster: Cluster, repository: Repository) -> None:
        """Create the engine for the newest commit.

        Args:
            cluster: The cluster; its workers reach the repository by the same path.
            repository: The repository.
        """
        self._cluster = cluster
        self._snapshot = repository.snapshot()
        self._engine = Engine.of_snapshot(self._snapshot)
        #: The repository as of this commit; queries that can be divided are divided among the
        #: workers.
        self.repository = Repository.at(self._snapshot)
        self.repository.divided.by = self.divided

    def divided(self, question: Question) -> pa.Table:
        """Run a query, with one task per day."""
        parts = [(part, question) for part in self._days(question)]
        work = partial(caught, packed_answer, __version__)
        answers = self._collected(self._spread(parts).map(work))
        return combine([unpacked(data) for data in answers], question)

    def matrix(self, as_user: int | None = None, span: tuple[int, int] = ALWAYS) -> Matrix:
        """Find which program slowed which, as `jostle.analysis.matrix` does.

        There is one task per day, which reads its rollups, and then one per share of the resources,
        which compares the jobs' loads there. Only sums over jobs are returned to this process.

        Args:
            as_user: Uid of the viewer, as in `jostle.analysis.matrix`.
            span: Time in which the slices begin, ns since the epoch.
        """
        everyone = alive(facts(self._engine), span)
        roles = roles_of(
            everyone, Visibility() if as_user is None else Visibility(users=frozenset({as_user}))
        )
        asked = questions(everyone, span)
        parts = [
            (place, number, part, question)
            for place, question in enumerate(asked.values())
            for number, part in enumerate(self._days(question))
        ]
        work = partial(_matrix_parts, tuple(asked.items()), self._engine.lives.known(), roles)
        tasks = max(_LEAST_TASKS, 4 * self._cluster.session.sparkContext.defaultParallelism)
        rows = (
            self._spread(parts)
            .flatMap(partial(keyed, shares, __version__))
            .groupByKey(tasks, _key)
            .map(partial(gathered, work, __version__))
        )
        done: dict[int, list[MatrixPart]] = dict(self._collected(rows))
        return combined([part for key in sorted(done) for part in done[key]], roles)[0]

    def export(
        self,
        what: str,
        form: str,
        out: Path,
        *,
        span: tuple[int, int] | None,
        metrics: Sequence[str] | None,
    ) -> ExportReport:
        """Write a table, or a job's slices, into a folder of files, one per part.

        Args:
            what: Name of a table, or full name of a job.
            form: Format: parquet, csv or json.
            out: The folder, which must not exist; workers and this machine must see it.
            span: Time that exported rows overlap, as in Repository.export.
            metrics: Ids of the metrics, as in Repository.export.
        """
        is_table = what in tables.NAMES
        names = tables.read(what) if is_table else ("slices", "mount_slices")
        whole = self._part(names, span or ALWAYS)
        parts = pieces(whole, tables.divided(what)) if is_table else days(whole)
        chosen = ExportSelection(None, span, None if metrics is None else tuple(metrics))
        temporary = out.absolute().with_name(f".{out.name}.{uuid.uuid4().hex}")
        try:
            with plain_errors(out.parent):
                temporary.mkdir()
            targets = [
                (part, str(temporary / f"part-{number:05d}.{form}"))
                for number, part in enumerate(parts)
            ]
            work = partial(caught, partial(written, what, form, chosen), __version__)
            rows = self._collected(self._spread(targets).map(work))
            if any(not Path(target).exists() for _, target in targets):
                raise SparkError(
                    f"The workers wrote to a {out.parent} of their own.",
                    hint="Name a folder on a file system that all nodes share.",
                )
            size = sum(path.stat().st_size for path in temporary.iterdir())
            with plain_errors(out.parent):
                temporary.rename(out)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return ExportReport(out, sum(rows), size)

    def _days(self, question: Question) -> list[Snapshot]:
        return days(self._part(question.tables(), question.span))

    def _part(self, names: Collection[str], span: tuple[int, int]) -> Snapshot:
        """Return the files of some tables; of tables with slices only those that overlap a span."""
        lo, hi = span
        files = {
            name: tuple(
                file
                for file in self._snapshot.files.get(name, ())
                if not TABLES[name].partition_ns or (file.hi > lo and file.lo < hi)
            )
            for name in names
        }
        return replace(self._snapshot, files=files)

    def _spread(self, parts: Sequence[Any]) -> RDD[Any]:
        context = self._cluster.session.sparkContext
        return context.parallelize(parts, max(len(parts), 1))

    def _collected(self, rows: RDD[Any]) -> list[Any]:
        """Return all results; raise the first error of a worker."""
        try:
            results: list[Any] = rows.collect()
        except Exception as error:
            raise plain(error, self._cluster.said()) from error
        for each in results:
            value = each[1] if isinstance(each, tuple) else each
            if isinstance(value, Failure):
                raise value.error()
        return results


def _key(key: int) -> int:
    return key


def _matrix_parts(
    asked: Sequence[tuple[str, Question]],
    lives: Mapping[str, Life],
    roles: Roles,
    place: int,
    tables: list[pa.Table],
) -> list[MatrixPart]:
    kind, question = asked[place]
    return matrix_parts(kind, of_jobs(combine(tables, question), lives, roles.jobs), roles)
