"""The Python API: the numbers of the command, typed, and shown without harm."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import jostle
from jostle.cli.main import cli
from jostle.repository import Repository
from jostle.values.plain_values import plain
from jostle_lab.synthetic import Spec, plant
from synth import EPOCH, SECOND, Profile
from synth_machine import MachineProfile
from synth_segments import Segment, Stream

MIB = 1 << 20
#: What a notebook shows may hold these elements, and no attributes but these.
ELEMENTS = {
    "b",
    "br",
    "div",
    "path",
    "small",
    "span",
    "svg",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
}
ATTRIBUTES = {
    "aria-label",
    "d",
    "fill",
    "fill-opacity",
    "height",
    "role",
    "stroke",
    "style",
    "title",
    "viewbox",
    "width",
}
HOSTILE = "<script>alert(1)<b>\"'&\x1b[31m"


@pytest.fixture(scope="module")
def injected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("api") / "site"
    plant(folder, Spec(jobs=6, slices=160, length=80, processes=2, mounts=1, users=2), seed=5)
    return folder


@pytest.fixture(scope="module")
def site(injected: Path) -> Iterator[jostle.Site]:
    with jostle.open(injected) as opened:
        yield opened


def run(*words: object) -> str:
    done = CliRunner().invoke(cli, [*map(str, words)])
    assert done.exit_code == 0, done.output
    return done.stdout


def printed(*words: object) -> Any:
    return json.loads(run(*words, "--json"))


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(plain(value), default=str))


def test_the_jobs_are_those_of_the_command(site: jostle.Site) -> None:
    rows = printed("jobs", "--all", "--repository", site.path)["jobs"]
    jobs = site.jobs()
    assert [as_json(job.facts) for job in jobs] == rows
    for row, values in zip(rows, jobs.arrow().to_pylist(), strict=True):
        for name in (
            "job",
            "program",
            "uid",
            "processes",
            "ranks",
            "hosts",
            "read_bytes",
            "written_bytes",
            "running",
        ):
            assert values[name] == row[name], name
    last, row = site.job(), rows[-1]
    assert (last.name, jobs[-1].name) == (row["job"], row["job"])
    assert abs(last.start - datetime.fromisoformat(row["start"])) < timedelta(milliseconds=1)
    assert last.start.tzinfo is UTC
    assert last.seconds == pytest.approx((row["end_ns"] - row["start_ns"]) / 1e9)


def test_jobs_are_chosen_as_the_command_does(site: jostle.Site) -> None:
    uid, program = site.jobs()[0].uid, site.jobs()[-1].program
    middle = site.jobs()[2].end
    for words, chosen in (
        (["--user", uid], site.jobs(user=uid)),
        (["--program", program[:3] + "*"], site.jobs(program=program[:3] + "*")),
        (["--since", middle.isoformat()], site.jobs(since=middle)),
        (["--since", middle.isoformat()], site.jobs(since=middle.isoformat())),
        (["--since", "1h"], site.jobs(since=timedelta(hours=1))),
    ):
        rows = printed("jobs", "--all", "--repository", site.path, *words)["jobs"]
        assert [job.name for job in chosen] == [row["job"] for row in rows], words
    assert 0 < len(site.jobs(since=middle)) < len(site.jobs())


def test_answers_are_those_of_the_command(site: jostle.Site) -> None:
    job = site.job("solver-0002")
    where = (job.name, "--repository", site.path)
    digest = printed("digest", *where)
    assert as_json(job.digest().to_json()).items() <= digest.items()
    estimate = printed("estimate", *where)
    assert as_json(job.verdict().to_json()) | {"figures": estimate["figures"]} == estimate
    assert as_json(job.estimate().to_json()).items() <= estimate.items()
    found = job.estimate()
    halves = [found.start_ns, (found.start_ns + found.end_ns) // 2, found.end_ns]
    spans = found.lost_between(halves)
    assert len(spans) == 2 and min(spans) >= 0
    assert sum(spans) <= found.lost_s.value * 1.001 + 1e-6
    interference = printed("interference", *where)
    answer = as_json(job.interference().to_json()) | {"figures": interference["figures"]}
    assert answer == interference
    background = printed("background", *where)
    assert as_json(job.background().to_json()) | {"plot": None} == background
    steps = [step for step in job.background().table() if step.resource is None]
    own = [value for line in background["own"] for value in line["values"]]
    assert [step.value for step in steps] == own
    (timeline,) = printed("timeline", *where)["jobs"]
    values = [value for line in timeline["series"] for value in line["values"]]
    assert [step.value for step in job.timeline()] == values
    alongside = printed("neighbours", *where)["neighbours"]
    assert as_json(job.neighbours()) == alongside
    lost = printed("jobs", "--lost", "--program", job.program, "--repository", site.path)["jobs"]
    (row,) = (row for row in lost if row["job"] == job.name)
    assert as_json(job.loss().to_json()) == row["lost"]


def test_advice_and_replay_of_a_site_are_those_of_the_command(
    site: jostle.Site, tmp_path: Path
) -> None:
    where = ("--repository", site.path)
    advice = site.advice()
    assert as_json(advice.to_json()) == printed("advise", "--site", *where)
    replayed = printed("replay", *where)
    del replayed["policy"]
    assert as_json(site.replay().to_json()) == replayed
    assert site.replay(advice) == site.replay()
    policy = tmp_path / "policy.tsv"
    policy.write_text("")
    nothing = site.replay(policy, cores=64)
    assert (nothing.cores, nothing.saved.value) == (64, 0.0)
    policy.write_text("no table")
    with pytest.raises(jostle.JostleError, match="line 1"):
        site.replay(str(policy))


def test_slices_are_those_of_the_export(site: jostle.Site, tmp_path: Path) -> None:
    job = site.job("burster-0001")
    for metrics, words in ((None, []), (["bytes"], ["--metric", "bytes"])):
        file = tmp_path / f"{len(words)}.parquet"
        run("export", job.name, "-o", file, "--repository", site.path, *words)
        exported = pq.read_table(file)
        rows = job.slices(metrics).arrow()
        names = [name for name in exported.column_names if name not in ("job", "start", "end")]
        if metrics:  # the command's table also has rows of processes, without a metric
            exported = exported.filter(pa.compute.is_valid(exported["mount"]))
        assert set(rows.column_names) == {*names, "start", "end"}
        order = [("process", "ascending"), ("mount", "ascending"), ("slice", "ascending")]
        ours, theirs = (table.select(names).sort_by(order) for table in (rows, exported))
        assert ours.to_pylist() == theirs.to_pylist()
    both = job.slices(["posix_write_bytes", "os_user_ns"])
    assert both.columns[-2:] == ["os_user_ns", "posix_write_bytes"]
    first = both[0]
    assert first["end"] - first["start"] == timedelta(seconds=1)
    assert first["start"] == datetime.fromtimestamp(first["slice"], UTC)


def test_a_batch_job_has_a_loss_and_parts(tmp_path: Path) -> None:
    for job, pid, begin, end in (("slurm-1", 1, 0, 40), ("slurm-1-s0", 2, 0, 40)):
        profile = Profile(
            job=job,
            pid=pid,
            slice_ns=SECOND,
            start_ns=EPOCH + begin * SECOND,
            end_ns=EPOCH + end * SECOND,
            end_reason=1,
        )
        profile.add_mount(0, "/data")
        for index in range(end - begin):
            slow = 4 if 20 <= index < 28 and pid > 1 else 1
            profile.add_slice(
                profile.first_slice + index,
                {
                    "os_user_ns": 500_000_000,
                    "posix_write_ops": {0: 20},
                    "posix_write_bytes": {0: MIB},
                    "posix_write_ns": {0: slow * 100_000_000},
                },
            )
        profile.write(tmp_path / "spool")
    noted = {
        "event": "begin",
        "system": "slurm",
        "cluster": "big",
        "id": "1",
        "job": "slurm-1",
        "submit_ns": EPOCH - SECOND,
        "start_ns": EPOCH,
        "time_ns": EPOCH,
        "name": "<b>run",
        "user": "root",
        "uid": os.geteuid(),
        "gid": 0,
        "account": "phys",
        "partition": "long",
        "nodes": ["n1"],
        "node": "n1",
    }
    file = tmp_path / "spool" / f"batch-big-1.{EPOCH // SECOND - 1}.jsb"
    file.write_text(json.dumps(noted) + "\n")
    Repository(tmp_path / "site", create=True).ingest([tmp_path / "spool"])
    with jostle.open(tmp_path / "site") as site:
        (job,) = site.jobs()
        assert [part.name for part in job.parts] == ["slurm-1", "slurm-1-s0"]
        (row,) = printed("jobs", "--lost", "--repository", site.path)["jobs"]
        for whole in (job, site.job("1")):
            assert as_json(whole.loss().to_json()) == row["lost"]
            with pytest.raises(jostle.JostleError, match="Name one of the parts"):
                whole.digest()
        (values,) = site.jobs().arrow().to_pylist()
        assert (values["batch_name"], values["partition"]) == ("<b>run", "long")
        (noted_row,) = site.batch_jobs()
        assert (noted_row["account"], noted_row["end"]) == ("phys", None)
        assert noted_row["start"] == datetime.fromtimestamp(EPOCH // SECOND, UTC)
        Strict(site.batch_jobs()._repr_html_())
        assert job.parts[1].digest().metrics["posix_write_bytes"].total == 40 * MIB
        assert "slurm-1" in job._repr_html_()


def test_tables_are_typed_and_can_be_cut(site: jostle.Site) -> None:
    jobs = site.jobs()
    assert [job.name for job in jobs[1:4]] == [jobs[place].name for place in (1, 2, 3)]
    assert len(jobs[:0]) == 0 and list(jobs[:0]) == []
    with pytest.raises(IndexError):
        jobs[len(jobs)]
    processes = site.job("solver-0002").processes()
    assert processes[0].world_size == len(processes) and isinstance(processes[0], jostle.Process)
    assert processes[0].end > processes[0].start
    (mount,) = {mount.mount for mount in site.job("solver-0002").mounts()}
    assert mount == "lustre:mds0@tcp:/fs0"
    rows = site.sql(
        "SELECT job, count(*) AS n FROM slices WHERE job = $1 GROUP BY job", ["solver-0002"]
    )
    assert rows[0]["n"] == len(site.job("solver-0002").slices(["os_user_ns"]))
    assert pa.table(rows).column_names == ["job", "n"], "through __arrow_c_stream__"


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_data_frames(site: jostle.Site, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, name, None)
        with pytest.raises(jostle.MissingPackageError, match=f"pip install {name}"):
            getattr(site.jobs(), name)()
    pytest.importorskip(name)
    jobs = site.jobs()
    frame = getattr(jobs, name)()
    assert list(frame["job"]) == [job.name for job in jobs]
    assert str(frame["start"].dtype) in (
        "datetime64[us, UTC]",
        "Datetime(time_unit='us', time_zone='UTC')",
    )
    for table in (jobs[0].slices(), jobs[0].timeline(), jobs[0].segments(), jobs[0].files()):
        assert len(getattr(table, name)()) == len(table)


def test_sql_only_reads(site: jostle.Site, tmp_path: Path) -> None:
    for sql in (
        f"COPY (SELECT 1) TO '{tmp_path}/x'",
        "SELECT 1; SELECT 2",
        "CREATE TABLE a(i INT)",
        "SET threads = 1",
        "ATTACH 'x' AS x",
        "",
        "EXPLAIN ANALYZE SELECT 1",
    ):
        with pytest.raises(jostle.JostleError, match="a single SELECT"):
            site.sql(sql)
    assert not list(tmp_path.iterdir())
    with pytest.raises(jostle.JostleError, match="SELECT in DuckDB"):
        site.sql("SELEC 1")
    with pytest.raises(jostle.JostleError, match=r"nix(.|\n)*repository.md"):
        site.sql("SELECT nix FROM jobs")


def test_errors_say_how_to_fix(site: jostle.Site, tmp_path: Path) -> None:
    with pytest.raises(jostle.JostleError) as raised:
        site.job("solvr-0002")
    assert "Did you mean" in str(raised.value) and raised.value.hint in str(raised.value)
    with pytest.raises(jostle.JostleError) as raised:
        jostle.open(tmp_path / "none")
    assert raised.value.hint and str(raised.value).count(raised.value.hint) == 1
    with pytest.raises(jostle.JostleError, match="posix_write_bytes"):
        site.jobs()[0].slices(["posix_write_byte"])
    with pytest.raises(jostle.JostleError, match="2d"):
        site.jobs(since="yesterday")


def test_a_damaged_file_is_reported(injected: Path, tmp_path: Path) -> None:
    subprocess.run(["cp", "-r", injected, tmp_path / "site"], check=True)
    for file in (tmp_path / "site/slices").rglob("*.parquet"):
        file.write_bytes(b"PAR1" + bytes(200))
    with jostle.open(tmp_path / "site") as site, pytest.warns(jostle.JostleWarning, match="slices"):
        site.sql("SELECT count(*) FROM slices")


class Strict(HTMLParser):
    """Holds HTML to what a notebook may show: closed elements, nothing that runs or loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ELEMENTS and {name for name, _ in attrs} <= ATTRIBUTES, (tag, attrs)
        for _, value in attrs:
            assert value is not None and "url(" not in value.lower()
            self.text += f" {value} "
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def hostile_site(folder: Path) -> Path:
    """Make a repository in which job, program, mount and file are code."""
    for number, job in enumerate((HOSTILE, "alongside")):
        profile = Profile(
            job=job,
            pid=900 + number,
            slice_ns=SECOND,
            start_ns=EPOCH,
            end_ns=EPOCH + 120 * SECOND,
            end_reason=1,
            program=f"/opt/{HOSTILE}",
            mpi={
                "mpi_state": 4,
                "mpi_adapter": 1,
                "world_size": 1,
                "world_rank": 0,
                "mpi_init_ns": EPOCH,
                "mpi_ready_ns": EPOCH + SECOND,
                "world": "1a2b3c4d",
            },
        )
        profile.add_mount(0, f"/{HOSTILE}", type="nfs4", source=f"server:/{HOSTILE}")
        for index in range(120):
            burst = index % 11 in (3, 4, 5)
            profile.add_slice(
                profile.first_slice + index,
                {
                    "os_user_ns": SECOND // 2,
                    "posix_write_ops": {0: 20},
                    "posix_write_bytes": {0: 900 * MIB if burst and number else 20 * MIB},
                    "posix_write_ns": {0: (3 if burst else 1) * SECOND // 8},
                },
            )
        stream = Stream(EPOCH + SECOND)
        for _ in range(20):
            stream.add(Segment(SECOND, signature_set=7))
        stream.into(profile, in_records=10)
        profile.write(folder / "spool")
    Repository(folder / "site", create=True).ingest([folder / "spool"])
    return folder / "site"


def test_displays_are_whole_and_escaped(tmp_path: Path) -> None:
    with jostle.open(hostile_site(tmp_path)) as site:
        (job,) = (job for job in site.jobs() if "script" in job.name)
        shown = [
            site,
            site.jobs(),
            job,
            job.digest(),
            job.verdict(),
            job.estimate(),
            job.interference(),
            job.background(),
            job.background("os_threads"),
            job.background().table(),
            job.timeline(),
            job.slices(),
            job.slices(["bytes"]),
            job.processes(),
            job.mounts(),
            job.files(),
            job.segments(),
            site.sql("SELECT job, program, '<b>' AS \"<i>\" FROM jobs"),
        ]
        for each in shown:
            printed = Strict(each._repr_html_()).text
            assert "\x1b" not in printed and "\x1b" not in repr(each), type(each)
            assert len(repr(each)) < 10_000
        for each in (site.jobs(), job, job.digest(), job.verdict(), job.interference()):
            assert "<script>alert(1)<b>" in Strict(each._repr_html_()).text, type(each)
        assert "● " in job.verdict()._repr_html_() or "○" in job.verdict()._repr_html_()
        with pytest.raises(AssertionError):
            Strict("<b><script></script></b>")


def test_a_long_strip_keeps_its_peaks() -> None:
    from jostle.api import html

    values = np.zeros(100_000)
    values[77_777] = 5.0
    drawn = html.spark(values, "load", html.OWN)
    assert len(drawn) < 6000 and "V1.0" in drawn
    Strict(drawn)
    Strict(html.spark(np.array([np.nan]), "<load>", html.OWN))


def test_import_is_light() -> None:
    """Importing jostle for its version loads nothing of the API."""
    script = (
        "import sys, jostle\n"
        "heavy = {'duckdb', 'numpy', 'pyarrow', 'scipy', 'jostle.api'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "assert set(jostle.__all__) <= set(dir(jostle))\n"
        "assert all(getattr(jostle, name) for name in jostle.__all__)\n"
        "assert not {'click', 'fastapi', 'matplotlib', 'rich'} & set(sys.modules)\n"
        "assert not hasattr(jostle, 'nothing')\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_nothing_is_printed(site: jostle.Site) -> None:
    out = io.StringIO()
    with redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("error")
        site.job("last").verdict()
    assert not out.getvalue()


def test_machines_and_their_components(tmp_path: Path) -> None:
    agent = MachineProfile(host="node1")
    disk = agent.add_component("disk", "sda")
    cpu = agent.add_component("batch_job", "job_7", job="slurm-7")
    first = agent.first_slice
    agent.add_slice(first, {disk: {"storage_read_bytes": 4096}, cpu: {"cpu_user_ns": 10}})
    agent.add_slice(first + 1, {disk: {"storage_read_bytes": None, "storage_read_ops": 3}})
    agent.heartbeat_ns = agent.end_ns = agent.start_ns + 2 * agent.slice_ns
    agent.end_reason = 1
    (tmp_path / "spool").mkdir()
    (tmp_path / "spool" / agent.name).write_bytes(agent.bytes())
    Repository(tmp_path / "site", create=True).ingest([tmp_path / "spool"])
    with jostle.open(tmp_path / "site") as site:
        (machine,) = site.machines()
        assert (machine.host, machine.role) == ("node1", "node")
        assert [part.name for part in site.components()] == ["job_7", "sda"]
        assert [part.job for part in site.components(kind="batch_job", host="node1")] == ["slurm-7"]
        names = ["storage_read_bytes", "storage_read_ops"]
        rows = site.component_slices(kind="disk", metrics=names)
        assert [[row[name] for name in names] for row in rows] == [[4096, 0], [None, 3]]
        assert rows[0]["end"] == rows[1]["start"]
        later = site.component_slices(since=rows[1]["start"])
        assert [row["slice"] for row in later] == [first + 1]
        assert len(site.component_slices(until=rows[1]["start"])) == 2
        with pytest.raises(jostle.JostleError, match="scope component"):
            site.component_slices(metrics=["posix_write_bytes"])
        for table in (site.machines(), site.components(), rows, site.component_slices()):
            Strict(table._repr_html_())
