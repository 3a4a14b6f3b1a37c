"""The repository's interface: queries, jobs, background, compaction, retention, export, errors."""

from __future__ import annotations

import csv
import itertools
import json
import os
import pickle
import shutil
import time
import warnings
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import (
    SLICE,
    expected_keys,
    make_profile,
    make_shorts,
    plain_rollup,
    stored_keys,
    write_all,
)

from jostle.repository import DamagedError, JobError, Repository, RepositoryError, SnapshotGoneError
from jostle.repository.maintenance import compact as compact_module
from jostle.repository.store.log import Log
from jostle.repository.store.storage import open_storage
from jostle.schema.metrics import (
    BY_ID,
    HIST_BUCKETS,
    HISTOGRAM_IDS,
    METRICS,
    MOUNT_IDS,
    PROCESS_IDS,
)
from jostle.values.arrow_columns import ints
from synth import EPOCH, SECOND, Profile


@pytest.fixture(scope="module")
def injected(tmp_path_factory):
    """Twelve profiles of three jobs, each in a commit of its own; and the folder they are in."""
    folder = tmp_path_factory.mktemp("injected")
    made = [make_profile(seed, job=f"job-{'abc'[seed % 3]}") for seed in range(12)]
    store = Repository(folder / "repository", create=True)
    for profile in made:
        profile.write(folder / "spool")
        store.ingest([folder / "spool"])
    return folder, made


@pytest.fixture
def profiles(injected, spool, store):
    """The same, in the test's own repository."""
    folder, made = injected
    shutil.copytree(folder / "repository", store.path, dirs_exist_ok=True)
    shutil.copytree(folder / "spool", spool, dirs_exist_ok=True)
    return made


def lived(profiles, job, at):
    """The part of a slice in which a job lived, ns; the slice where it lies beyond its life."""
    own = [profile for profile in profiles if profile.job == job]
    begin = max(at * SLICE, min(profile.start_ns for profile in own))
    end = min((at + 1) * SLICE, max(profile.end_ns for profile in own))
    return (begin, end) if end > begin else (at * SLICE, (at + 1) * SLICE)


def plain_background(profiles, job, metric):
    """Per mount and slice, the load of others while the job ran."""
    rollup = plain_rollup(profiles, metric)
    mounts = {mount for owner, mount, _ in rollup if owner == job}
    own = [lived(profiles, job, at) for owner, _, at in rollup if owner == job]
    first, last = min(begin for begin, _ in own), max(end for _, end in own)
    out: dict[tuple[str, int], float] = defaultdict(float)
    for (owner, mount, at), values in rollup.items():
        begin, end = lived(profiles, owner, at)
        both = min(end, last) - max(begin, first)
        if owner != job and mount in mounts and both > 0:
            out[mount, at] += sum(values) * both / (end - begin)
    return dict(out)


def test_series(store, profiles):
    rows = store.series("job-a", "posix_write_bytes").to_pylist()
    plain = {
        key[1:]: values
        for key, values in plain_rollup(profiles, "posix_write_bytes").items()
        if key[0] == "job-a"
    }
    found = {(r["resource"], r["slice"]): (r["sum"], r["min"], r["max"], r["count"]) for r in rows}
    assert found == {key: (sum(v), min(v), max(v), len(v)) for key, v in plain.items()}


def test_background_is_the_sum_over_all_others(store, profiles):
    for job in ("job-a", "job-b"):
        rows = store.background(job, "posix_write_bytes").to_pylist()
        found: dict[tuple[str, int], int] = defaultdict(int)
        for r in rows:
            found[r["resource"], r["slice"]] += r["sum"]
        # A part of a sum is rounded.
        assert found == pytest.approx(plain_background(profiles, job, "posix_write_bytes"), abs=4)
    counted = store.background("job-a", "posix_write_bytes", count_jobs=True).to_pylist()
    owners = defaultdict(set)
    for owner, mount, at in plain_rollup(profiles, "posix_write_bytes"):
        owners[mount, at].add(owner)
    jobs: dict[tuple[str, int], int] = defaultdict(int)
    for r in counted:  # a row for each part of a slice in which others began or ended
        jobs[r["resource"], r["slice"]] += r["jobs"]
    assert all(number == len(owners[key] - {"job-a"}) for key, number in jobs.items())
    others = {r["job"] for r in store.neighbours("job-a", "posix_write_bytes").to_pylist()}
    assert others == {"job-b", "job-c"}


def test_background_of_a_process_metric_is_by_node(store, profiles):
    rows = store.background("job-a", "os_user_ns").to_pylist()
    used = {p.host for p in profiles if p.job == "job-a"}
    assert {r["resource"] for r in rows} <= used
    slices = [r["slice"] for r in store.series("job-a", "os_user_ns").to_pylist()]
    total = 0
    for profile in profiles:
        if profile.job == "job-a" or profile.host not in used:
            continue
        for row in [*profile.rows, profile.remainder]:
            value = row.values.get("os_user_ns", 0)
            for i in range(row.span):
                last = i == row.span - 1
                share = value - value // row.span * (row.span - 1) if last else value // row.span
                if min(slices) <= row.slice + i <= max(slices):
                    total += share
    assert sum(r["sum"] for r in rows) == total


def test_run_tables_have_each_slice_of_the_job_once(store, profiles):
    tables = store.run_tables("job-a")
    plain = {
        key[1:]: v
        for key, v in plain_rollup(profiles, "posix_write_ns").items()
        if key[0] == "job-a"
    }
    stats = [f"posix_write_ns_{stat}" for stat in ("sum", "min", "max")]
    rows = tables.mount_slices.select(["mount", "slice", "count", *stats]).to_pylist()
    found = {(r["mount"], r["slice"]): tuple(r[name] for name in ("count", *stats)) for r in rows}
    assert found == {key: (len(v), sum(v), min(v), max(v)) for key, v in plain.items()}
    assert tables.slices.num_rows == len(
        {(r["host"], r["slice"]) for r in tables.slices.to_pylist()}
    )
    assert {"os_runqueue_ns_sum", "state_io_ns_max"} <= set(tables.slices.column_names)
    assert tables.processes.num_rows == 4
    assert tables.worlds == ()
    assert store.run_tables("nobody").slices.num_rows == 0


@pytest.mark.parametrize("job", ["job-a", "job-b", "job-c", "nobody"])
def test_job_tables_add_up_the_rows_of_the_views(store, profiles, job):
    tables = store.job_tables(job)
    for table, keys, totals, metrics in (
        ("slices", ["process"], tables.totals, PROCESS_IDS),
        ("mount_slices", ["process", "mount"], tables.mount_totals, MOUNT_IDS),
    ):
        assert totals.column_names == [*keys, *metrics]
        wanted: dict[tuple, dict] = {}
        rows = store.query(f"SELECT * FROM {table} WHERE job = ?", [job]).to_pylist()
        for row in rows:
            key = tuple(row[name] for name in keys)
            known = wanted.setdefault(key, dict(zip(keys, key, strict=True)))
            for name in metrics:
                if name in HISTOGRAM_IDS:
                    before = known.get(name, [0] * HIST_BUCKETS)
                    known[name] = [a + b for a, b in zip(before, row[name], strict=True)]
                elif BY_ID[name].kind == "gauge":
                    known[name] = max(known.get(name, 0), row[name])
                else:
                    known[name] = known.get(name, 0) + row[name]
        assert totals.to_pylist() == [wanted[key] for key in sorted(wanted)]
        assert bool(rows) == (job != "nobody")


def test_gauges_hold_over_idle_slices(store, spool):
    profile = Profile(job="g", end_ns=EPOCH + 9 * SLICE, end_reason=1)
    first = profile.first_slice
    profile.add_slice(first, {"os_rss_bytes": 100})
    profile.add_slice(first + 4, {"os_rss_bytes": 300}, 2)
    profile.write(spool)
    store.ingest([spool])
    rows = store.series("g", "os_rss_bytes").to_pylist()
    levels = {r["slice"] - first: r["sum"] for r in rows}
    assert levels == {**dict.fromkeys(range(4), 100), **dict.fromkeys(range(4, 10), 300)}


def test_views_have_the_documented_columns(store, profiles, root):
    plain = duckdb.connect(":memory:")
    plain.execute((root / "tests/repository/expected_tables.sql").read_text())
    for table in ("slices", "mount_slices", "rollup"):
        wanted = {(r[0], r[1]) for r in plain.execute(f"DESCRIBE {table}").fetchall()}
        have = {
            (r["column_name"], r["column_type"])
            for r in store.query(f"SELECT * FROM (DESCRIBE SELECT * FROM {table})").to_pylist()
        }
        assert have == wanted


def test_resolve_job(store, profiles):
    assert store.resolve_job("job-a") == "job-a"
    assert store.resolve_job("last") in {"job-a", "job-b", "job-c"}
    with pytest.raises(JobError, match="3 jobs begin with 'job'"):
        store.resolve_job("job")
    with pytest.raises(JobError, match="no job 'jbo-a'") as error:
        store.resolve_job("jbo-a")
    assert "job-a" in error.value.hint
    assert error.value.exit_code == 2


def test_resolve_by_prefix_and_in_an_empty_repository(store, spool):
    with pytest.raises(JobError, match="holds no job"):
        store.resolve_job("last")
    make_profile(1, job="slurm-123").write(spool)
    make_profile(2, job="pbs-7").write(spool)
    store.ingest([spool])
    assert store.resolve_job("slurm") == "slurm-123"


def test_a_user_looks_among_own_jobs(store, spool):
    later = EPOCH + 100 * SLICE
    given(make_profile(1, job="run-of-one").write(spool), 61001)
    two = make_profile(2, job="run-of-two", start_ns=later, end_ns=later + 9 * SLICE)
    given(two.write(spool), 61002)
    store.ingest([spool])
    assert store.resolve_job("last") == "run-of-two@uid61002"
    assert store.resolve_job("last", owner=61001) == "run-of-one@uid61001"
    assert store.resolve_job("run", owner=61001) == "run-of-one@uid61001"
    for word in ("run-of-two", "run-of-tw", "urn"):
        with pytest.raises(JobError, match=f"no job '{word}' of uid 61001") as error:
            store.resolve_job(word, owner=61001)
        assert "two" not in error.value.hint
    with pytest.raises(JobError, match="no job of uid 3"):
        store.resolve_job("last", owner=3)


def test_a_job_is_named_after_its_ranks_not_its_launcher(store, spool):
    make_profile(1, job="run", program="/usr/bin/orterun", slices=20).write(spool)
    make_profile(2, job="run", program="/home/a/solver", mpi={"mpi_state": 2}).write(spool)
    make_profile(3, job="run", program="/usr/bin/sh", slices=20).write(spool)
    store.ingest([spool])
    assert store.alongside("run").job.program == "solver"


def test_a_name_of_several_users_is_a_job_of_each(store, spool):
    for number, user in enumerate((61001, 61002)):
        given(make_profile(number, job="run").write(spool), user)
    store.ingest([spool])
    assert {row["uid"]: row["job"] for row in store.jobs().to_pylist()} == {
        61001: "run@uid61001",
        61002: "run@uid61002",
    }
    for user in (61001, 61002):
        assert store.resolve_job("run", owner=user) == f"run@uid{user}"
        assert store.alongside(f"run@uid{user}").job.user == user
    with pytest.raises(JobError, match="2 jobs begin with 'run'"):
        store.resolve_job("run")
    assert store.newest("run") in ("run@uid61001", "run@uid61002")


def given(path, owner):
    """Makes a file another user's."""
    if os.geteuid() != 0:
        pytest.skip("only root can give files to others")
    os.chown(path, owner, owner)


@pytest.mark.parametrize("metric", ["posix_write_size", "nonsense", "posix_writ_bytes"])
def test_wrong_metrics(store, profiles, metric):
    with pytest.raises(JobError) as error:
        store.series("job-a", metric)
    assert error.value.hint


def test_missing_numbers_are_zero_and_the_others_exact():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ints(pa.table({"n": pa.array([None, 2**60 + 1], pa.int64())}), "n")
    assert found.tolist() == [0, 2**60 + 1]


def test_wrong_sql(store):
    with pytest.raises(JobError, match="nonsense"):
        store.query("SELECT nonsense FROM slices")


def test_compaction_keeps_everything(store, profiles, spool):
    def answers():
        tables = ("slices", "mount_slices", "rollup", "node_rollup", "processes", "mounts")
        out = {}
        for table in tables:
            rows = store.query(f"SELECT * FROM {table}").to_pylist()
            out[table] = sorted(map(repr, rows))
        return out

    before = answers()
    report = store.compact()
    assert report.files_after < report.files_before / 3
    assert answers() == before
    again = store.compact()
    assert again.files_after == again.files_before
    assert store.ingest([spool]).slices == 0


def test_compaction_takes_the_newest_row_of_a_process(store, profiles):
    store.compact()
    files = Log(store.path).refresh().of("processes")
    assert [file.rows for file in files] == [12]


def test_compaction_removes_strays(store, profiles, monkeypatch):
    stray = store.path / "slices" / "date=2020-01-01" / "hour=00"
    stray.mkdir(parents=True)
    (stray / "x.parquet").write_bytes(b"x")
    (store.path / "commits" / ".half").write_bytes(b"{")
    assert store.compact().strays_removed == 0  # it may be about to be committed
    monkeypatch.setattr(compact_module, "GRACE_S", -1.0)
    assert store.compact().strays_removed > 0
    assert not (stray / "x.parquet").exists()
    assert not (store.path / "commits" / ".half").exists()
    assert stored_keys(store) == expected_keys(profiles)


def test_expire(store, spool):
    hour = 3600 * SECOND
    start = EPOCH // hour * hour
    made = []
    for number in range(6):
        begin = start + number * 24 * hour
        made.append(make_profile(number, job=f"day{number}", start_ns=begin))
    write_all(spool, made)
    for profile in made:
        store.ingest([spool / profile.name])
    now = (start + 6 * 24 * hour) / SECOND
    report = compact_module.expire(store.path, 3 * 24 * 3600, now_s=now)
    assert report.processes_removed == 3
    assert stored_keys(store) == expected_keys(made[3:])
    assert {r["job"] for r in store.jobs().to_pylist()} == {"day3", "day4", "day5"}
    assert {r["job"] for r in store.query("SELECT job FROM mounts").to_pylist()} == {
        "day3",
        "day4",
        "day5",
    }
    assert store.query("SELECT count(*) n FROM rollup WHERE job = 'day0'").to_pylist() == [{"n": 0}]
    # What is expired does not come back from a spool that still holds it.
    again = store.ingest([spool])
    assert (again.slices, again.commits) == (0, 0)
    assert stored_keys(store) == expected_keys(made[3:])
    assert compact_module.expire(store.path, 3 * 24 * 3600, now_s=now).files_removed == 0


@pytest.mark.parametrize("form", ["parquet", "csv", "json"])
def test_export(store, profiles, tmp_path, form):
    out = tmp_path / f"rows.{form}"
    report = store.export("slices", form, out, job="job-a")
    assert report.rows == len(read_back(out, form))
    truth = store.query("SELECT sum(os_user_ns) n FROM slices WHERE job = 'job-a'").to_pylist()
    assert sum(int(row["os_user_ns"]) for row in read_back(out, form)) == truth[0]["n"]
    report = store.export("job-a", form, tmp_path / f"job.{form}")
    rows = read_back(tmp_path / f"job.{form}", form)
    assert {row["job"] for row in rows} == {"job-a"}
    assert {row["mount"] for row in rows} >= {"nfs:server:/scratch"}
    assert not list(tmp_path.glob(".*"))


def test_exports_have_time_stamps(store, profiles, tmp_path):
    tables = ("slices", "mount_slices", "rollup", "node_rollup", "processes", "jobs", "job-a")
    for what, form in itertools.product(tables, ("parquet", "csv", "json")):
        out = tmp_path / f"{what}.{form}"
        assert store.export(what, form, out).rows
        if form == "parquet":
            schema = pq.read_schema(out)
            assert schema.field("start").type == schema.field("end").type == pa.timestamp("ns")
        for row in read_back(out, form):
            if "slice" in row:
                length, span = int(row["slice_ns"]), int(row.get("span") or 1)
                start = int(row["slice"]) * length
                end = start + span * length
            else:
                start, end = int(row["start_ns"]), int(row["end_ns"])
            for name, ns in (("start", start), ("end", end)):
                if form == "parquet":
                    assert in_ns(row[name]) == ns
                else:
                    whole = datetime.fromtimestamp(ns // 10**9, UTC)
                    assert row[name] == f"{whole:%Y-%m-%dT%H:%M:%S}.{ns % 10**9:09d}Z"


def in_ns(instant) -> int:
    return pa.scalar(instant, pa.timestamp("ns")).value


def test_exports_without_times_have_no_time_stamps(store, profiles, tmp_path):
    store.export("mounts", "csv", tmp_path / "mounts.csv")
    assert "start" not in read_back(tmp_path / "mounts.csv", "csv")[0]


@pytest.mark.parametrize("table", ["node_rollup", "mount_slices", "slices"])
def test_export_of_a_part(store, profiles, tmp_path, table):
    metric = "posix_write_bytes" if table == "mount_slices" else "os_user_ns"
    column = f"{metric}_sum" if table == "node_rollup" else metric
    covered = "1" if table == "node_rollup" else "span"
    rows = store.query(
        f"SELECT slice, slice_ns, {covered} AS covered, {column} AS value FROM {table}"
    ).to_pylist()
    times = sorted({row["slice"] * row["slice_ns"] for row in rows})
    # From the midst of the second slice to the begin of the last one.
    span = (times[1] + rows[0]["slice_ns"] // 2, times[-1])
    report = store.export(table, "csv", tmp_path / "part.csv", span=span, metrics=[metric])
    made = read_back(tmp_path / "part.csv", "csv")
    wanted = [
        row
        for row in rows
        if row["slice"] * row["slice_ns"] < span[1]
        and (row["slice"] + row["covered"]) * row["slice_ns"] > span[0]
    ]
    assert 0 < report.rows == len(made) == len(wanted) < len(rows)
    assert sorted(int(row[column]) for row in made) == sorted(row["value"] for row in wanted)
    measured = {name for name in made[0] if name.startswith(("os_", "posix_", "stdio_"))}
    assert measured == (
        {f"{metric}_{stat}" for stat in ("sum", "min", "max")}
        if table == "node_rollup"
        else {metric}
    )
    whole = store.export("job-a", "csv", tmp_path / "job.csv", span=span, metrics=[metric])
    assert whole.rows and column.removesuffix("_sum") in read_back(tmp_path / "job.csv", "csv")[0]


def test_export_of_a_part_has_records_that_reach_into_it(store, spool, tmp_path):
    """A process that was stopped wrote one record of many slices: it is in each of them."""
    profile = Profile(job="stopped", end_ns=EPOCH + 99 * SLICE, end_reason=1)
    first = profile.first_slice
    profile.add_slice(first, {"os_user_ns": 5}, 40)
    profile.add_slice(first + 60, {"os_user_ns": 7})
    profile.write(spool)
    store.ingest([spool])
    for begin, wanted in ((30, ["5"]), (45, []), (60, ["7"])):
        span = ((first + begin) * SLICE, (first + begin + 2) * SLICE)
        store.export("slices", "csv", tmp_path / "x", span=span, metrics=["os_user_ns"])
        assert [row["os_user_ns"] for row in read_back(tmp_path / "x", "csv")] == wanted


def test_export_says_what_a_table_lacks(store, profiles, tmp_path):
    with pytest.raises(JobError, match="no times") as error:
        store.export("mounts", "csv", tmp_path / "x", span=(0, 1))
    assert "node_rollup" in error.value.hint
    with pytest.raises(JobError, match="no `posix_write_bytes`") as error:
        store.export("node_rollup", "csv", tmp_path / "x", metrics=["posix_write_bytes"])
    assert "mount_slices, rollup" in error.value.hint
    assert not list(tmp_path.glob("x"))


def read_back(path: Path, form: str):
    if form == "parquet":
        return pq.read_table(path).to_pylist()
    if form == "json":
        return json.loads(path.read_text())
    with path.open() as stream:
        return list(csv.DictReader(stream))


def test_export_errors(store, profiles, tmp_path):
    with pytest.raises(JobError, match="no format"):
        store.export("slices", "xlsx", tmp_path / "x")
    with pytest.raises(JobError, match="no job"):
        store.export("nothing", "csv", tmp_path / "x")
    with pytest.raises(RepositoryError, match="does not exist"):
        store.export("slices", "csv", tmp_path / "no" / "x")


def test_missing_foreign_and_damaged_repositories(tmp_path, store):
    with pytest.raises(RepositoryError, match="no repository at") as error:
        Repository(tmp_path / "nothing")
    assert (error.value.exit_code, bool(error.value.hint)) == (2, True)
    foreign = tmp_path / "home"
    foreign.mkdir()
    (foreign / "letter.txt").write_text("x")
    with pytest.raises(RepositoryError, match="is not a jostle repository"):
        Repository(foreign)
    with pytest.raises(RepositoryError, match="holds other files"):
        Repository(foreign, create=True)
    marker = store.path / "jostle-repository.json"
    marker.write_text('{"format": "jostle", "version": 99}')
    with pytest.raises(RepositoryError, match="version 99"):
        Repository(store.path)
    marker.write_text("garbage")
    with pytest.raises(RepositoryError, match="is damaged"):
        Repository(store.path)
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(RepositoryError):
        Repository(file)
    with pytest.raises(RepositoryError):
        Repository(file, create=True)


def test_a_lost_and_a_damaged_file(store, profiles):
    """Only its own content is lost, and it is named."""
    path = next((store.path / "slices").rglob("*.parquet"))
    rows = store.query("SELECT count(*) AS rows FROM slices")["rows"][0].as_py()
    kept = path.read_bytes()
    path.write_bytes(b"PAR1" + kept[4:400])
    for harm in (lambda: None, path.unlink):
        harm()
        left = store.query("SELECT count(*) AS rows FROM slices")["rows"][0].as_py()
        assert left < rows
        assert [store.path / file for file in store.left_out()] == [path]


def test_odd_names(store, spool, tmp_path):
    odd = 'it\'s "a" job; DROP TABLE x'
    make_profile(1, job=odd).write(spool, "odd.1.1.jst")
    make_shorts("it's", 2).write(spool)
    store.ingest([spool])
    assert store.series(odd, "posix_write_bytes").num_rows
    assert store.export(odd, "csv", tmp_path / "it's.csv").rows
    assert store.resolve_job(odd) == odd


def test_every_kind_of_metric_has_a_series(store, profiles):
    """That the views have a column for each of them is tested above."""
    kinds = {(metric.scope, metric.kind): metric.id for metric in METRICS}
    assert len(kinds) > 4
    for (_, kind), metric in kinds.items():
        if kind != "histogram":
            store.series("job-a", metric)
            store.background("job-a", metric)


def test_who_runs_alone_has_no_company(store, spool):
    for number, (job, start) in enumerate((("one", 0), ("two", 3), ("three", 7200))):
        make_profile(number, job, slices=5, start_ns=EPOCH + start * SECOND).write(spool)
    store.ingest([spool])
    assert store.has_company("one") and store.has_company("two")
    assert not store.has_company("three")


@pytest.mark.parametrize("harm", ["zeros", "cut", "gone"])
def test_a_damaged_file_is_named_and_is_no_mistake_of_who_asks(store, profiles, harm):
    """DuckDB seldom says which file it stumbled over, nor that it was a file at all."""
    path = sorted((store.path / "rollup").rglob("*.parquet"))[1]
    data = path.read_bytes()
    if harm == "gone":
        path.unlink()
    else:
        path.write_bytes(
            data[:4] + bytes(len(data) - 12) + data[-8:]
            if harm == "zeros"
            else data[: len(data) // 2]
        )
    reported: list[DamagedError] = []
    store.on_damage(reported.append)
    store.series("job-a", "posix_write_bytes")
    store.query("SELECT sum(count) FROM rollup")
    (damaged,) = reported  # once, whatever is asked
    assert damaged.exit_code == 1
    assert store.path / damaged.file == path
    assert damaged.reason
    assert str(store.path) not in damaged.reason
    with pytest.raises(JobError, match="failed"):
        store.query("SELECT no_such_column FROM processes")


def test_a_snapshot_stays_as_it_is(tmp_path, spool):
    """Also while others write; what was removed meanwhile is an error, and no smaller answer."""
    store = Repository(tmp_path / "repository", create=True)
    for number in range(3):
        make_profile(number).write(spool)
        store.ingest([spool])
    snapshot = pickle.loads(pickle.dumps(store.snapshot()))
    before = stored_keys(store)
    make_profile(9).write(spool)
    store.ingest([spool])
    store.compact()
    old = Repository.at(snapshot)
    assert stored_keys(old) == before != stored_keys(store)
    assert old.commits() == snapshot.number == 3
    place = open_storage(store.path)
    for name in list(place.strays(Log(store.path).refresh(), -60.0, time.time())):
        place.remove([name])  # as a compaction does after its time of grace
    for name in ("slices", "processes"):
        with pytest.raises(SnapshotGoneError, match=f"{name}/.* as of commit 3 is gone"):
            Repository.at(snapshot).query(f"SELECT count(*) FROM {name}")
    some = store.snapshot(["slices"], (0, 1))
    assert some.files == {"slices": ()} and some.name == str(store.path)
