"""Rollups read without DuckDB: the same sums, in bounded memory, with any change of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from jostle.repository import Repository
from jostle.repository.query.columns import Columns
from jostle_lab.synthetic import Spec, plant

MINUTE_NS = 60 * 10**9
LINES = {
    "rollup": [["posix_write_bytes", "stdio_write_bytes"], ["posix_read_bytes"]],
    "node_rollup": [["os_user_ns", "os_system_ns"]],
}
KEY = {"rollup": "mount", "node_rollup": "host"}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    path = tmp_path_factory.mktemp("columns") / "repository"
    plant(path, Spec(jobs=4, slices=40), 3)
    return Repository(path)


def _jobs(repository: Repository) -> list[dict]:
    return repository.jobs().to_pylist()


@pytest.mark.parametrize("table", ["rollup", "node_rollup"])
@pytest.mark.parametrize("step_ns", [None, MINUTE_NS])
def test_sums_are_those_of_the_view(repository: Repository, table: str, step_ns: int | None):
    job = _jobs(repository)[0]
    span = job["start_ns"] + 10**9, job["end_ns"]
    found = repository.loads.sums(table, LINES[table], span, job=job["job"], step_ns=step_ns)
    step = step_ns or 1
    values = [" + ".join(f"{name}_sum" for name in line) for line in LINES[table]]
    wanted = repository.query(
        f"SELECT {KEY[table]} AS resource, slice * slice_ns // {step} * {step} AS start_ns, "
        + ", ".join(f"sum({value})::DOUBLE AS v{at}" for at, value in enumerate(values))
        + f" FROM {table} WHERE job = $1 AND slice * slice_ns >= $2 AND slice * slice_ns < $3 "
        f"AND ({' OR '.join(f'({value}) <> 0' for value in values)}) GROUP BY 1, 2",
        [job["job"], *span],
    )
    columns = wanted.column_names
    assert wanted.num_rows
    assert sorted(found.select(columns).to_pylist(), key=str) == sorted(wanted.to_pylist(), key=str)
    assert found["start_ns"].to_pylist() == sorted(found["start_ns"].to_pylist())


def test_what_a_job_used_is_what_its_rows_name(repository: Repository):
    job = _jobs(repository)[-1]["job"]
    rows = repository.query(
        "SELECT DISTINCT mount, min(slice * slice_ns) OVER () AS lo, "
        "max((slice + 1) * slice_ns) OVER () AS hi FROM rollup WHERE job = ?",
        [job],
    ).to_pylist()
    found = repository.loads.used(job, "rollup", (0, 2**62))
    (life,) = (row for row in _jobs(repository) if row["job"] == job)
    lo, hi = max(rows[0]["lo"], life["start_ns"]), min(rows[0]["hi"], life["end_ns"])
    assert found == (sorted(row["mount"] for row in rows), lo, hi)


def test_nothing_is_no_row(repository: Repository):
    assert repository.loads.used("nobody", "rollup", (0, 2**62)) == ([], 0, 0)
    assert repository.loads.sums("rollup", LINES["rollup"], (0, 1)).num_rows == 0


def test_columns_keep_to_their_room(repository: Repository):
    columns = Columns(repository._engine, most_bytes=10_000)
    for _ in range(2):
        assert columns.parts("node_rollup", LINES["node_rollup"], (0, 2**62))
        assert columns.bytes <= 10_000


def test_a_damaged_file_is_named(repository: Repository):
    file = repository._engine.files("rollup")[0]
    path = repository.path / file.path
    whole = path.read_bytes()
    path.write_bytes(whole[:50])
    try:
        Columns(repository._engine).parts("rollup", LINES["rollup"], (0, 2**62))
        (damaged,) = repository.left_out().values()
        assert damaged.file == file.path and "cannot be read" in str(damaged)
    finally:
        path.write_bytes(whole)


def test_files_are_listed_once_per_commit(tmp_path: Path):
    plant(tmp_path, Spec(jobs=2, slices=10), 3)
    repository = Repository(tmp_path)
    before = repository.loads.files()
    assert repository.loads.files() is before
    damaged = next(path for path in before.naming if path.startswith("rollup"))
    (tmp_path / damaged).write_bytes(b"nothing")
    repository.query("SELECT sum(count) FROM rollup")
    assert repository.loads.files().naming == before.naming - {damaged}
