"""A simulated site: reproducible by seed, loads agree with the truth, interference is found."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from jostle.analysis import identify
from jostle.errors import JostleError
from jostle.repository import Repository
from jostle_lab.synthetic import Simulated, SiteSpec, simulate_site
from jostle_lab.synthetic.site.block import rounded_ns
from jostle_lab.synthetic.site.encode import layout, slice_records
from jostle_lab.synthetic.site.mix import draw_jobs
from synth_format import schema_layout, slice_record

SMALL = SiteSpec(nodes=8, days=0.03, seed=5, processes_per_node=4, commit_s=600)
TABLES = (
    "slices",
    "mount_slices",
    "processes",
    "mounts",
    "rollup",
    "node_rollup",
    "machines",
    "components",
    "component_slices",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Simulated:
    return simulate_site(tmp_path_factory.mktemp("site") / "a", SMALL)


def test_the_same_seed_gives_the_same_site(site: Simulated, tmp_path: Path) -> None:
    again = simulate_site(tmp_path / "b", SMALL)
    assert (again.path / "truth.json").read_bytes() == (site.path / "truth.json").read_bytes()
    for table in TABLES:
        question = f"SELECT * FROM {table} ORDER BY ALL"
        assert Repository(again.path).query(question) == Repository(site.path).query(question)


def test_spools_hold_what_the_repository_holds(site: Simulated, tmp_path: Path) -> None:
    spools = simulate_site(tmp_path / "spools", SMALL, "spools")
    assert (spools.path / "truth.json").read_bytes() == (site.path / "truth.json").read_bytes()
    ingested, direct = Repository(tmp_path / "r", create=True), Repository(site.path)
    report = ingested.ingest(sorted(spools.path.glob("node*")))
    assert report.warnings == []
    for table in ("slices", "mount_slices", "rollup", "node_rollup", "mounts"):
        question = f"SELECT * FROM {table} ORDER BY ALL"
        assert ingested.query(question) == direct.query(question), table
    # Their heartbeats are old: processes that ran at the end count as killed there.
    over = [name for name, job in site.jobs.items() if job.end_s is not None]
    processes = (
        "SELECT * EXCLUDE (revision, warnings) FROM processes "
        f"WHERE job IN ({', '.join(map(repr, over))}) ORDER BY process"
    )
    assert ingested.query(processes) == direct.query(processes)
    assert any(job.killed for job in site.jobs.values())


def test_records_are_those_of_the_document() -> None:
    draw = np.random.default_rng(4)
    known, count = layout(), 50
    cells, rows = {}, [{} for _ in range(count)]
    assert known.text == schema_layout().text
    for cell in draw.choice(known.count - 8, 90, replace=False).tolist():
        if cell not in schema_layout().cells():
            continue
        where = np.sort(draw.choice(count, draw.integers(1, count), replace=False))
        coding = schema_layout().cells()[cell].coding
        values = (2 ** draw.uniform(0, 40, len(where))).astype(np.int64)
        if coding == "ns":
            values = rounded_ns(values)
        if coding == "svarint":
            values *= draw.choice([-1, 1], len(values))
        cells[cell] = (where, values)
        for row, value in zip(where.tolist(), values.tolist(), strict=True):
            rows[row][cell] = value
    data, begins = slice_records(cells, count)
    for number, moved in enumerate(rows):
        ours = data[begins[number] : begins[number + 1]]
        assert ours == slice_record(schema_layout(), moved)


def test_what_is_stored_agrees_with_the_truth(site: Simulated) -> None:
    repository = Repository(site.path)
    jobs = {row["job"]: row for row in repository.jobs().to_pylist()}
    assert jobs.keys() == site.jobs.keys()
    for name, job in site.jobs.items():
        assert jobs[name]["processes"] == job.processes
        assert jobs[name]["running"] == (job.end_s is None)
    counts = repository.query("SELECT count(*) AS n FROM slices").to_pylist()[0]["n"]
    assert counts == site.process_slices
    sums = repository.query(
        "SELECT sum(posix_write_bytes) AS raw, "
        "(SELECT sum(posix_write_bytes_sum) FROM rollup) AS rolled FROM mount_slices"
    ).to_pylist()[0]
    assert sums["raw"] == sums["rolled"] > 0
    busiest = repository.query("SELECT max(os_user_ns / os_cpus) AS t FROM slices").to_pylist()
    assert busiest[0]["t"] <= SMALL.slice_ns


def test_agents_count_what_processes_did(site: Simulated) -> None:
    repository = Repository(site.path)
    both = repository.query(
        "SELECT c.w, p.w AS of_processes FROM "
        "(SELECT sum(storage_write_bytes) AS w FROM component_slices "
        "WHERE kind = 'lustre_mount') c, "
        "(SELECT sum(posix_write_bytes) AS w FROM mount_slices WHERE mount LIKE 'lustre%') p"
    ).to_pylist()[0]
    assert both["w"] == pytest.approx(both["of_processes"], rel=1e-3)
    down = next(fault for fault in site.faults if fault.kind == "reboot")
    lives = "SELECT count(DISTINCT machine) AS n FROM machines WHERE host = "
    host = f"node{down.place:05d}"
    assert repository.query(f"{lives}'{host}'").to_pylist()[0]["n"] == 2


def test_nodes_belong_to_one_job_at_a_time(site: Simulated) -> None:
    lives = sorted(
        (node, job.start_s, job.end_s or 1e12) for job in site.jobs.values() for node in job.nodes
    )
    for (node, _, end), (other, start, _) in pairwise(lives):
        assert node != other or end <= start


def test_jobs_follow_the_published_model() -> None:
    mix = draw_jobs(SiteSpec(nodes=1000, days=28, seed=1, aggressors=0))
    mpi = np.array([program.mpi for program in mix.programs])[mix.program]
    single = mpi & (mix.nodes > 1) & (mix.nodes != 2)  # arrays have at most two nodes
    powers = np.isin(mix.nodes[single], 2 ** np.arange(12))
    # 0.6686 of all jobs, and so 0.945 of those with more than one node.
    assert np.mean(powers) == pytest.approx(0.6686 / (1 - 0.2927), abs=0.02)
    new = np.unique(mix.submit_s[mix.submit_s > 600])  # arrays count once
    days = np.histogram(new // 86_400 % 7, np.arange(8))[0]
    assert days[5:].mean() == pytest.approx(0.55 * days[:5].mean(), rel=0.1)
    hours = np.histogram(new % 86_400, np.arange(25) * 3600)[0]
    # Most come around 13:00, fewest before 5:00: 1.66 and 0.25 times the mean.
    assert hours[10:16].mean() == pytest.approx(1.59 * hours.mean(), rel=0.1)
    assert hours[3:5].mean() == pytest.approx(0.28 * hours.mean(), rel=0.2)


@pytest.mark.in_turn
@pytest.mark.parametrize("seed", [11, 12])
def test_injected_aggressors_are_named(seed: int, tmp_path: Path) -> None:
    # No faults: where a server is slow as well, verdicts may name it first.
    spec = SiteSpec(
        nodes=8, days=0.04, seed=seed, processes_per_node=4, aggressors=2, faults=0, commit_s=600
    )
    site = simulate_site(tmp_path / "s", spec)
    repository = Repository(site.path)
    asked = named = 0
    for aggressor, victims in site.victims.items():
        for victim in victims:
            job = site.jobs[victim]
            if job.by[aggressor] < 0.05 * ((job.end_s or spec.days * 86_400) - job.start_s):
                continue
            asked += 1
            verdict = identify(repository.alongside(victim))
            named += bool(verdict.suspects) and verdict.suspects[0].job == aggressor
    assert asked >= 2
    assert named >= 0.75 * asked


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("mine")
    with pytest.raises(JostleError, match="is not empty"):
        simulate_site(tmp_path, SMALL)
