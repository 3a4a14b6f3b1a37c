"""Jobs with slices of 250 ms, 1 s and 4 s in one repository: encounters of jobs and their loads.

Each job writes at a steady rate and computes all the time, so that what others did while a job was
there is their rate times the time that they had in common: the truth needs no slices.
"""

from __future__ import annotations

import csv
import itertools
import uuid

import duckdb
import numpy as np
import pytest
from support import SHARED

from jostle import analysis
from jostle.repository import Repository
from jostle.repository.query.series import _GAUGE_SERIES
from synth import EPOCH, SECOND, Profile

MOUNT = "nfs:server:/scratch"
MIB = 1 << 20
START = EPOCH // (4 * SECOND) * 4 * SECOND
#: Job: slice, begin, end (ms), MiB a second. `early` and `late` never met `next`, but are in one
#: slice of it; `wide` ran during all of them.
JOBS = {
    "early": (250, 100, 5_050, 8),
    "next": (4000, 5_100, 17_000, 4),
    "late": (250, 17_050, 21_000, 8),
    "wide": (1000, 3_300, 19_500, 16),
}


def _profile(number: int, job: str) -> Profile:
    slice_ms, begin, end, rate = JOBS[job]
    length = slice_ms * 10**6
    made = Profile(
        job=job,
        pid=100 + number,
        host="node1",
        slice_ns=length,
        end_reason=1,
        program="/bin/wide" if job == "wide" else "/bin/twin",
        start_ns=START + begin * 10**6,
        end_ns=START + end * 10**6,
        boot_id=uuid.UUID(int=1),
    )
    made.add_mount(0, **SHARED)
    for at in range(made.first_slice, made.end_ns // length + 1):
        lived = min((at + 1) * length, made.end_ns) - max(at * length, made.start_ns)
        if lived > 0:
            moved = rate * MIB * lived // SECOND
            made.add_slice(
                at,
                {
                    "posix_write_bytes": {0: moved},
                    "posix_write_ops": {0: max(moved // 4096, 1)},
                    "posix_write_ns": {0: lived // 2},
                    "os_user_ns": lived // 2,
                },
            )
    return made


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("mixed")
    (folder / "spool").mkdir()
    for number, job in enumerate(JOBS):
        _profile(number, job).write(folder / "spool")
    made = Repository(folder / "repository", create=True)
    made.ingest([folder / "spool"])
    return made


def together(one: str, other: str) -> float:
    """Seconds that two jobs were there at once."""
    (_, a, b, _), (_, c, d, _) = JOBS[one], JOBS[other]
    return max(min(b, d) - max(a, c), 0) / 1e3


def done(job: str, other: str) -> float:
    """Bytes that another wrote while a job was there."""
    return JOBS[other][3] * MIB * together(job, other)


def met(job: str) -> set[str]:
    return {other for other in JOBS if other != job and together(job, other) > 0}


@pytest.mark.parametrize("job", JOBS)
def test_neighbours_are_who_was_there_meanwhile(store: Repository, job: str) -> None:
    alongside = store.alongside(job)
    assert set(alongside.others) == met(job)
    found = {one.job: one for one in analysis.neighbours(alongside)}
    assert {name: one.overlap_s for name, one in found.items()} == pytest.approx(
        {name: together(job, name) for name in met(job)}
    )
    for name, one in found.items():
        said, unit = one.load[MOUNT].split()[:2]
        assert float(said) * {"MiB": MIB, "KiB": 1024}[unit] == pytest.approx(
            done(job, name), rel=0.03
        )
        assert float(one.load["node1"].split()[0]) == pytest.approx(
            together(job, name) / 2, abs=0.06
        )
    rows = store.neighbours(job, "posix_write_bytes").to_pylist()
    assert {row["job"]: row["sum"] for row in rows} == pytest.approx(
        {name: done(job, name) for name in met(job)}, rel=1e-3
    )


@pytest.mark.parametrize("job", JOBS)
def test_a_background_is_what_was_done_meanwhile(store: Repository, job: str) -> None:
    others = store.background(job, "posix_write_bytes", count_jobs=True)
    whole = sum(done(job, other) for other in met(job))
    assert sum(others["sum"].to_pylist()) == pytest.approx(whole, rel=1e-3)
    own = store.series(job, "posix_write_bytes")
    found = analysis.background(job, "posix_write_bytes", own, others)
    (place,) = found.resources
    assert sum(place.others) == pytest.approx(whole, rel=1e-3)
    slice_ms, begin, end, rate = JOBS[job]
    mine = rate * MIB * (end - begin) / 1e3
    assert sum(place.own) == pytest.approx(mine, rel=1e-3)
    assert place.share == pytest.approx(whole / (whole + mine), rel=1e-3)
    # A neighbour's coarse slice is spread over the part of it in which it lived.
    for at, value in enumerate(place.others):
        first = (found.start_ns - START) / 1e6 + at * slice_ms
        here = sum(
            JOBS[other][3]
            * MIB
            * max(min(first + slice_ms, end, JOBS[other][2]) - max(first, begin, JOBS[other][1]), 0)
            / 1e3
            for other in met(job)
        )
        assert value == pytest.approx(here, rel=2e-3, abs=8)


def test_a_timeline_shows_each_where_it_lived(store: Repository) -> None:
    series = {job: store.series(job, "posix_write_bytes") for job in JOBS}
    fine = 250 * 10**6
    found = analysis.timeline(series, "posix_write_bytes", step_ns=fine)
    for one in found.jobs:
        _, begin, end, rate = JOBS[one.job]
        values = np.array(one.values)
        at = (found.start_ns - START) / 1e6 + 250 * (one.first + np.arange(len(values)))
        lived = np.clip(np.minimum(at + 250, end) - np.maximum(at, begin), 0, None)
        assert values == pytest.approx(rate * MIB * lived / 1e3, rel=1e-2, abs=rate * 8)
    coarse = analysis.timeline(series, "posix_write_bytes")
    assert coarse.step_ns == 4 * SECOND
    for one in coarse.jobs:
        _, begin, end, rate = JOBS[one.job]
        assert sum(one.values) == pytest.approx(rate * MIB * (end - begin) / 1e3, rel=1e-3)


def test_loads_of_all_are_cut_to_lives(store: Repository) -> None:
    rows = store.loads.sums("rollup", [["posix_write_bytes"]], (0, 2**62), job="next")
    start, length = (rows[name].to_pylist() for name in ("start_ns", "length_ns"))
    assert (start[0], start[-1] + length[-1]) == (START + 5_100 * 10**6, START + 17_000 * 10**6)
    assert store.loads.used("next", "rollup", (0, 2**62))[1:] == (start[0], start[-1] + length[-1])


def test_a_program_does_not_meet_itself(store: Repository) -> None:
    """The three runs of `twin` came one after the other; each ran with `wide` for a while."""
    found = analysis.matrix(store.programs_alongside())
    pairs = {(one.victim, one.aggressor) for one in found.encounters}
    assert pairs == {("twin", "wide"), ("wide", "twin")}


@pytest.mark.parametrize("job", JOBS)
def test_every_analysis_of_one_job_takes_them(store: Repository, job: str) -> None:
    _, begin, end, rate = JOBS[job]
    lived = (end - begin) / 1e3
    digest = analysis.digest(store.job_tables(job))
    written = digest.metrics["posix_write_bytes"].total
    assert written == pytest.approx(rate * MIB * lived, rel=1e-3)
    assert digest.slice_ns == [JOBS[job][0] * 10**6]
    who = analysis.identify(store.alongside(job))
    assert not who.evident
    assert who.neighbours == len(met(job))
    assert set(who.ruled_out) | set(who.untested) == met(job)
    assert who.run_s == pytest.approx(lived)
    made = analysis.estimate(store.run_tables(job))
    assert made.run_s == pytest.approx(lived, abs=2 * JOBS[job][0] / 1e3)


def test_runs_of_different_slices_can_be_compared_and_exported(store: Repository, tmp_path) -> None:
    names = ["early", "next", "late"]
    made = analysis.compare([analysis.estimate(store.run_tables(name)) for name in names])
    assert len(made.estimates) == 3
    store.export("mount_slices", "csv", tmp_path / "all.csv")
    rows = list(csv.DictReader((tmp_path / "all.csv").open()))
    for job, of_job in itertools.groupby(sorted(rows, key=lambda r: r["job"]), lambda r: r["job"]):
        written = sum(int(row["posix_write_bytes"]) for row in of_job)
        _, begin, end, rate = JOBS[job]
        assert written == pytest.approx(rate * MIB * (end - begin) / 1e3, rel=1e-3)


@pytest.mark.parametrize(
    ("rows", "last", "expected"),
    [
        # (slice, span, slice_ns, level): slices of 1 ns, of which old ones were made 4 ns long.
        (
            [(0, 1, 1, 10), (4, 2, 1, 30)],
            7,
            {0: 10, 1: 10, 2: 10, 3: 10, 4: 30, 5: 30, 6: 30, 7: 30},
        ),
        ([(0, 1, 4, 10), (3, 1, 4, 20)], 17, {0: 10, 4: 10, 8: 10, 12: 20, 16: 20}),
        (
            [(0, 1, 4, 10), (1, 1, 4, 20), (8, 1, 1, 30), (11, 1, 1, 40)],
            12,
            {0: 10, 4: 20, 8: 30, 9: 30, 10: 30, 11: 40, 12: 40},
        ),
    ],
)
def test_a_level_holds_over_slices_that_were_made_longer(
    rows: list[tuple[int, int, int, int]], last: int, expected: dict[int, int]
) -> None:
    """By the numbers of slices it would hold for as many slices as there were since 1970."""
    slices = ", ".join(
        f"(1, 'a', 'n', {at}, {span}, {ns}, {level})" for at, span, ns, level in rows
    )
    sql = _GAUGE_SERIES.format(
        metric="os_rss_bytes",
        slices=f"(VALUES {slices}) s(process, job, host, slice, span, slice_ns, os_rss_bytes)",
        processes=f"(VALUES (1, 'a', {last}, 1)) p(process, job, last_slice, slice_ns)",
    )
    found = duckdb.connect().sql(sql, params=["a"]).to_arrow_table().to_pylist()
    assert {row["slice"] * row["slice_ns"]: row["sum"] for row in found} == expected
