"""Names of jobs that are used again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jostle.repository.store.owner_names import REST_NS, JobNames, may_come_back

NAME = "mpi-1a2b3c4d"
HOUR = 3600 * 10**9


ME = 4001  # owns the repository; no user of this machine
OTHER = 4002


class Names:
    """Names of one user's jobs."""

    def __init__(self, known=(), owner=ME):
        rows = [(name, owner, begin, end) for name, begin, end in known]
        self.all = JobNames(ME, lambda jobs: [k for k in rows if k[0].partition("@")[0] in jobs])
        self.owner = owner

    def name(self, job, begin, end):
        return self.all.name(self.owner, job, begin, end)

    def learn(self, processes):
        self.all.learn((self.owner, *one) for one in processes)


def names(known=()):
    return Names(known)


def test_only_names_made_of_a_launchers_words_come_back():
    assert may_come_back(NAME) and may_come_back("train-1a2b3c4d")
    for job in ("slurm-123", "slurm-123-w1a2b3c4d", "mpi-mine", "run-mpi-1a2b3c4d"):
        assert not may_come_back(job)
        assert names().name(job, 5 * HOUR, 6 * HOUR) == job


def test_a_name_is_a_job_only_together_with_its_owner():
    both = Names()
    assert both.name("lammps", HOUR, 2 * HOUR) == "lammps"
    assert both.all.name(OTHER, "lammps", HOUR, 2 * HOUR) == "lammps@uid4002"
    # Nobody can write another's name: the last @ is ours.
    forged = both.all.name(OTHER, "lammps@uid4001", HOUR, 2 * HOUR)
    assert forged == "lammps@uid4001@uid4002"
    assert both.name("lammps@uid4002", HOUR, 2 * HOUR) == "lammps@uid4002@uid4001"
    assert both.name(NAME, HOUR, 2 * HOUR) == NAME
    assert both.all.name(OTHER, NAME, 5 * HOUR, 6 * HOUR) == f"{NAME}@uid4002"
    assert both.all.name(OTHER, NAME, 8 * HOUR, 9 * HOUR) == f"{NAME}@2@uid4002"
    assert both.name("..", HOUR, HOUR) == "..@uid4001"  # a browser would take it for a folder


@pytest.mark.parametrize("name", ["x", "", "@", "99999999999999999999", "-1", "²", "2@"])
def test_a_name_that_looks_like_ours_stops_nothing(name):
    known = [(f"{NAME}@{name}", HOUR, 2 * HOUR), (NAME, HOUR, 2 * HOUR)]
    assert names(known).name(NAME, 8 * HOUR, 9 * HOUR) == f"{NAME}@2"
    theirs = Names([(f"{NAME}@3@uid4002", HOUR, 2 * HOUR)], OTHER)
    assert theirs.name(NAME, HOUR, 3 * HOUR) == f"{NAME}@3@uid4002"


def test_ten_minutes_of_rest_part_two_jobs():
    found = names()
    assert found.name(NAME, HOUR, 2 * HOUR) == NAME
    assert found.name(NAME, 2 * HOUR + REST_NS - 1, 3 * HOUR) == NAME
    assert found.name(NAME, 3 * HOUR + REST_NS, 4 * HOUR) == f"{NAME}@2"
    assert found.name(NAME, HOUR + 5, HOUR + 6) == NAME


def test_what_the_repository_knows_goes_on():
    known = [(NAME, HOUR, 2 * HOUR), (f"{NAME}@2", 5 * HOUR, 6 * HOUR)]
    assert names(known).name(NAME, 5 * HOUR + 9, 7 * HOUR) == f"{NAME}@2"
    assert names(known).name(NAME, 8 * HOUR, 9 * HOUR) == f"{NAME}@3"
    assert names(known).name(NAME, HOUR, 3 * HOUR) == NAME


def test_a_job_that_seemed_over_keeps_its_processes_apart():
    found = names()
    assert found.name(NAME, HOUR, 2 * HOUR) == NAME
    assert found.name(NAME, 4 * HOUR, 5 * HOUR) == f"{NAME}@2"
    assert found.name(NAME, HOUR, 9 * HOUR) == NAME  # it was only silent
    assert found.name(NAME, 4 * HOUR, 6 * HOUR) == f"{NAME}@2"
    assert found.name(NAME, HOUR, 9 * HOUR) == NAME


spans = st.lists(
    st.tuples(st.integers(1, 60), st.integers(0, 3)).map(
        lambda p: (NAME, p[0] * HOUR // 4, (p[0] + p[1]) * HOUR // 4)
    ),
    min_size=1,
    max_size=12,
)


@given(spans, st.randoms())
def test_the_order_of_a_spool_does_not_matter(processes, rng):
    first, second = names(), names()
    first.learn(processes)
    mixed = list(processes)
    rng.shuffle(mixed)
    second.learn(mixed)
    given_names = [first.name(*p) for p in processes]
    assert given_names == [second.name(*p) for p in processes]
    ends = sorted(processes, key=lambda p: p[1])
    jobs, last = 0, -REST_NS
    for _, begin, end in ends:  # plainly: a new job after 10 minutes of rest
        jobs += begin >= last + REST_NS
        last = max(last, end)
    assert len(set(given_names)) == jobs
