"""Every table that Spark reads has the rows that the repository's own engine gives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import make_profile, make_shorts

from jostle.repository import Repository
from jostle_lab.synthetic import Spec, plant, plant_machines
from synth_random import small_mpi

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytest.importorskip("pyspark")

from jostle.spark import register, tables


@pytest.fixture(scope="session")
def injected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository of jobs, segments, machines and servers, in several commits."""
    folder = tmp_path_factory.mktemp("injected") / "repository"
    result = plant(folder, Spec(jobs=6), seed=5)
    plant_machines(result, seed=5)
    spool = folder.parent / "spool"
    for seed in range(6):
        make_profile(seed, f"job{seed % 2}").write(spool)
        Repository(folder).ingest([spool])
    make_shorts().write(spool)
    for seed in range(3):
        small_mpi(seed, job=f"mpi{seed}").write(spool)
    Repository(folder).ingest([spool])
    return folder


@pytest.fixture
def read(spark: SparkSession) -> Any:
    register(spark)

    def frame(path: Path, table: str, **options: str) -> DataFrame:
        return spark.read.format("jostle").options(table=table, **options).load(str(path))

    return frame


def rows_of(table: pa.Table) -> pa.Table:
    """Return the rows in an order that depends on them alone."""
    keys = [field.name for field in table.schema if not pa.types.is_list(field.type)]
    return table.sort_by([(name, "ascending") for name in keys]).combine_chunks()


def embedded(path: Path, table: str, where: str = "") -> pa.Table:
    names = list(tables.columns(table))
    answer = Repository(path).query(tables.question(table, names, where))
    return answer.cast(pa.schema(list(tables.columns(table).items())))


@pytest.mark.in_turn
@pytest.mark.parametrize("table", tables.NAMES)
def test_tables_are_equal(table: str, injected: Path, read: Any) -> None:
    seen = rows_of(read(injected, table).toArrow())
    assert rows_of(embedded(injected, table)).equals(seen.cast(embedded(injected, table).schema))


def test_what_is_tested_is_there(injected: Path) -> None:
    full = [table for table in tables.NAMES if embedded(injected, table).num_rows]
    assert {
        "slices",
        "mount_slices",
        "rollup",
        "node_rollup",
        "processes",
        "jobs",
        "segments",
        "servers",
        "component_slices",
    } <= set(full)


#: Per column a filter on it: SQL of Spark, and of DuckDB.
_FILTERS = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "job = 'job1'",
                "job <> 'job1'",
                "host IS NOT NULL",
                "host IS NULL",
                "job LIKE 'job%'",
                "job LIKE '%0'",
                "job LIKE '%o%'",
                "NOT job LIKE 'j%'",
                "host IN ('node0', 'node2')",
                "NOT host IN ('node0')",
                "job <=> 'job0'",
                "job = 'it''s'",
                "slice_ns = 4000000000",
            ]
        ),
        st.builds(
            "slice {} {}".format,
            st.sampled_from(["<", "<=", ">", ">=", "="]),
            st.integers(425_000_000, 425_000_030),
        ),
        st.builds(
            "posix_write_bytes {} {}".format,
            st.sampled_from(["<", ">=", "="]),
            st.integers(-1, 10**6),
        ),
    ),
    max_size=4,
)


@pytest.mark.in_turn
@settings(max_examples=8)
@given(parts=_FILTERS)
def test_filters_leave_the_same_rows(spark: SparkSession, injected: Path, parts: list[str]) -> None:
    register(spark)
    where = " AND ".join(parts)
    frame = spark.read.format("jostle").option("table", "mount_slices").load(str(injected))
    seen = rows_of((frame.where(where) if where else frame).toArrow())
    equal = where.replace("<=>", "IS NOT DISTINCT FROM")
    wanted = rows_of(embedded(injected, "mount_slices", equal))
    assert wanted.equals(seen.cast(wanted.schema))


def test_filters_reach_the_files(spark: SparkSession, injected: Path) -> None:
    from pyspark.sql.datasource import EqualTo, GreaterThanOrEqual

    from jostle.spark.source import JostleSource

    source = JostleSource({"path": str(injected), "table": "slices"})
    reader = source.reader(source.schema())
    late = Repository(injected).query(
        "SELECT max(slice) AS s FROM slices WHERE slice_ns = 4000000000"
    )
    filters = [
        EqualTo(("slice_ns",), 4 * 10**9),
        GreaterThanOrEqual(("slice",), late["s"][0].as_py()),
    ]
    assert list(reader.pushFilters(list(filters))) == []
    files = [part.snapshot.files["slices"] for part in reader.partitions()]
    assert 0 < sum(map(len, files)) < len(Repository(injected).snapshot().files["slices"])


def test_columns_and_times_are_chosen(injected: Path, read: Any) -> None:
    frame = read(
        injected, "slices", columns="job, slice", **{"from": "2026-01-01", "to": "2026-01-02"}
    )
    assert frame.columns == ["job", "slice"]
    assert frame.count() == 0
    assert read(injected, "slices", columns="job").count() == embedded(injected, "slices").num_rows
