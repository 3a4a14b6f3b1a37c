"""Jobs are the same however their processes are stored: settled, not settled, late, or expired."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from jostle.names.identity import named_sql
from jostle.repository import Repository
from jostle.repository.maintenance import compact as compact_module
from jostle.repository.query.resources.co_running import facts
from jostle.repository.store.files import publish, write_chunks
from jostle.repository.store.layout import DAY_NS, HOUR_NS, TABLES
from jostle.repository.store.log import Log
from jostle.repository.store.state import Change
from jostle.repository.store.tables import PartitionChunk

SLICE_NS = 4 * 10**9
FIRST_NS = 20_000 * DAY_NS
PROGRAMS = ("/usr/bin/mpirun", "/bin/bash", "/usr/bin/lammps", "/opt/gromacs", "/bin/awk")
#: What jobs are, said once more and plainly: of all rows, the newest of each process.
PLAIN = f"""
SELECT job, min(start_ns) AS start_ns,
       CASE WHEN bool_and(complete) THEN max(end_ns)
            ELSE max(greatest(end_ns, (last_slice + 1) * slice_ns)) END AS end_ns,
       NOT bool_and(complete) AS running, count(*) AS processes,
       count(*) FILTER (short) AS short_processes, count(DISTINCT host) AS hosts,
       CASE WHEN count(*) FILTER (is_rank) > 0 THEN
            array_to_string([entry.name for entry in list_sort(
                [struct_pack(less := -entry.value::BIGINT, name := entry.key)
                 for entry in map_entries(histogram(identity) FILTER (is_rank))])[1:2]], ', ')
            || CASE WHEN count(DISTINCT identity) FILTER (is_rank) > 2 THEN ', ...' ELSE '' END
       ELSE arg_max(identity, (NOT short, CASE identity WHEN 'mpirun' THEN 0 WHEN 'bash' THEN 1
                                          ELSE 2 END,
                               greatest(end_ns, (last_slice + 1) * slice_ns) - start_ns, identity))
       END AS program,
       CASE WHEN min(uid) = max(uid) THEN min(uid) END AS uid, min(slice_ns) AS slice_ns,
       max(clock_state) AS clock_state, max(clock_error_us) AS clock_error_us
FROM ({named_sql("newest")}) GROUP BY job ORDER BY job
"""
LIVES = """
SELECT job, min(start_ns) AS lo,
       CASE WHEN bool_and(complete) THEN max(CASE WHEN end_reason = 'killed'
            THEN greatest(end_ns, (last_slice + 1) * slice_ns) ELSE end_ns END) ELSE 0 END AS hi
FROM newest GROUP BY job
"""

Row = dict[str, Any]


class WrittenRows:
    """A repository, and all rows of processes that were ever written and did not expire."""

    def __init__(self, folder: Path) -> None:
        self.store = Repository(folder / "repository", create=True)
        self.rows: list[Row] = []

    def write(self, rows: list[Row]) -> None:
        """Publish rows in one commit, as an ingester does."""
        self.rows += rows
        table = pa.Table.from_pylist(rows, pa.schema(list(TABLES["processes"].keys.items())))
        files = write_chunks(self.store.path, [PartitionChunk("processes", table, 0, 0)])
        publish(self.store.path, Log(self.store.path), Change("ingest", files))

    def expire(self, horizon_ns: int) -> None:
        """Removes processes that ended before a horizon; one that ends last keeps it valid."""
        if all(row["process"] != 99 for row in self.rows):
            self.write([process(99, ends=(FIRST_NS + 40 * DAY_NS) // SLICE_NS)])
        compact_module.expire(self.store.path, 0.0, now_s=horizon_ns / 1e9)
        gone = {row["process"] for row in self.rows if row["complete"] and _end(row) <= horizon_ns}
        self.rows = [row for row in self.rows if row["process"] not in gone]

    def plainly(self, sql: str) -> list[Row]:
        """Ask the rows themselves."""
        with duckdb.connect() as database:
            rows = pa.Table.from_pylist(
                self.rows, pa.schema(list(TABLES["processes"].keys.items()))
            )
            database.register("written", rows)
            newest = (
                "CREATE VIEW newest AS SELECT * FROM written QUALIFY "
                "row_number() OVER (PARTITION BY process ORDER BY revision DESC) = 1"
            )
            database.execute(newest)
            return database.sql(sql).to_arrow_table().to_pylist()

    def check(self) -> None:
        """Compare all answers about jobs."""
        self._check(self.store)
        self._check(Repository(self.store.path))

    def _check(self, store: Repository) -> None:
        jobs = store.query("SELECT * FROM jobs ORDER BY job").to_pylist()
        assert jobs == self.plainly(PLAIN)
        lives = {row["job"]: (row["lo"], row["hi"] or 2**63 - 1) for row in self.plainly(LIVES)}
        assert store._engine.lives.known() == lives
        processes = store.query("SELECT * FROM processes ORDER BY process").to_pylist()
        assert processes == self.plainly("SELECT * FROM newest ORDER BY process")
        for job, known in facts(store._engine).items():
            rows = [row for row in processes if row["job"] == job]
            assert known.nodes == tuple(sorted({row["host"] for row in rows}))
            assert known.ranks == sum((row["mpi_state"] or 0) > 0 for row in rows)
        if processes:
            job = processes[-1]["job"]
            here = [row["process"] for row in processes if row["job"] == job]
            assert sorted(store.job_processes(job)["process"].to_pylist()) == here


def _end(row: Row) -> int:
    return max((row["last_slice"] + 1) * row["slice_ns"], row["end_ns"])


def process(
    number: int,
    *,
    ends: int | None = None,
    revision: int = 1,
    job: int | None = None,
    kind: int = 0,
    begins: int = FIRST_NS // SLICE_NS,
    reason: str = "exit",
) -> Row:
    """Return a row of processes; `ends`: its last slice, where it is over."""
    over, last = ends is not None, ends or begins + revision
    row: Row = dict.fromkeys(TABLES["processes"].keys)
    return row | {
        "process": number,
        "job": f"job{number % 4 if job is None else job}",
        "host": f"node{number % 3}",
        "boot_id": f"boot{number % 2}",
        "pid": number,
        "uid": 7,
        "program": PROGRAMS[kind % len(PROGRAMS)],
        "slice_ns": SLICE_NS,
        "complete": over,
        "start_ns": begins * SLICE_NS + number,
        "first_slice": begins,
        "last_slice": last,
        "end_ns": last * SLICE_NS + 5 * number if over else 0,
        "short": kind == 4,
        "end_reason": reason if over else "",
        "records": revision,
        "revision": revision,
        "mpi_state": 4 if kind in (2, 3) and number % 2 else 0,
        "world_size": 0,
        "clock_state": number % 5,
        "clock_error_us": number * 7,
        "notes": [],
        "warnings": [],
        "mpi_library": None,
        "batch": None if number % 2 else "slurm-1",
    }


_STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("write"),
            st.lists(
                st.tuples(
                    st.integers(1, 12),
                    st.integers(0, 4),
                    st.booleans(),
                    st.sampled_from(("exit", "killed")),
                ),
                min_size=1,
                max_size=6,
            ),
        ),
        st.tuples(st.just("compact"), st.none()),
        st.tuples(st.just("expire"), st.integers(1, 3)),
    ),
    min_size=2,
    max_size=10,
)


@given(_STEPS)
@settings(max_examples=10, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
def test_jobs_are_what_all_their_processes_are(steps: list[tuple[str, Any]]) -> None:
    """In any order: rows of running processes, ends, late processes, compaction, retention."""
    with tempfile.TemporaryDirectory() as folder:
        written = WrittenRows(Path(folder))
        revisions: dict[int, int] = {}
        over: set[int] = set()
        horizon = 0
        for what, value in steps:
            if what == "write":
                rows = {}
                for number, kind, ends, reason in value:
                    if number in over or number in rows:
                        continue
                    revisions[number] = revisions.get(number, 0) + 1
                    begins = (FIRST_NS + (number % 3) * DAY_NS + number * HOUR_NS) // SLICE_NS
                    end = begins + 100 * number * (number % 5)
                    if ends and (end + 1) * SLICE_NS <= horizon:
                        continue  # an ingester does not take it
                    rows[number] = process(
                        number,
                        ends=end if ends else None,
                        revision=revisions[number],
                        kind=kind,
                        begins=begins,
                        reason=reason,
                    )
                    over |= {number} if ends else set()
                if rows:
                    written.write(list(rows.values()))
            elif what == "compact":
                compact_module.compact(written.store.path)
            else:
                horizon = max(horizon, FIRST_NS + value * DAY_NS + 7 * HOUR_NS)
                written.expire(horizon)
            if what != "write":
                written.check()
        written.check()


def test_a_late_process_of_a_settled_job_counts(tmp_path: Path) -> None:
    """Its node was down, and its spool arrived the day after; then its job runs once more."""
    written = WrittenRows(tmp_path)
    slices = DAY_NS // SLICE_NS
    begins = FIRST_NS // SLICE_NS
    written.write([process(1, ends=begins + 9, job=1)])
    written.write([process(2, ends=begins + slices, job=1)])
    written.store.compact()
    files = Log(written.store.path).refresh()
    assert len(files.of("process_kinds")) == 2
    assert all(file.hi for file in files.of("processes"))
    written.check()
    written.write([process(3, ends=begins + 2 * slices, job=1, kind=2)])
    written.check()
    written.write([process(4, job=1)])
    written.check()
    written.store.compact()
    written.check()
    (running,) = [file for file in Log(written.store.path).refresh().of("processes") if not file.hi]
    assert running.rows == 1


@pytest.mark.parametrize("table", ["processes", "process_kinds"])
def test_what_is_settled_survives_a_damaged_file(tmp_path: Path, table: str) -> None:
    """Before and after the fix: sums have none of it, processes have its content."""
    written = WrittenRows(tmp_path)
    begins = FIRST_NS // SLICE_NS
    written.write([process(1, ends=begins + 9), process(2, ends=begins + 9)])
    written.write([process(3), process(4, ends=begins + 30_000)])
    written.store.compact()
    (place, *_) = sorted((written.store.path / table).glob("ended=*/*.parquet"))
    place.write_bytes(b"0" * place.stat().st_size)
    for replaced in (written.store.path / "processes").glob("*.parquet"):
        if (
            replaced.relative_to(written.store.path).as_posix()
            not in Log(written.store.path).refresh()
        ):
            replaced.unlink()  # a fix would take it back
    if table == "process_kinds":
        written.check()
    written.store.repair()
    if table == "processes":
        written.rows = [row for row in written.rows if row["process"] > 2]
    assert not Log(written.store.path).refresh().of("process_kinds")
    written.check()
    written.store.compact()
    assert Log(written.store.path).refresh().of("process_kinds")
    written.check()
