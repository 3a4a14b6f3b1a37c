"""Shares of time: between 0 and 1, and none of an unknown time."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jostle.analysis import digest
from jostle.analysis.digest.job_end import job_end
from jostle.analysis.shares_of_time import CLOCK_TOLERANCE, SHORTEST_S, share_of_time
from jostle.cli.views.mpi_world import brief
from jostle.report.format.values import percent
from jostle.repository import Repository
from jostle.schema.profile import MpiAdapter
from synth import EPOCH, SECOND, Profile

NS = st.one_of(st.integers(0, 20 * SECOND), st.integers(0, 2**63 - 1))
TIMES = (
    "os_user_ns",
    "os_system_ns",
    "os_runqueue_ns",
    "os_throttled_ns",
    "stream_read_ns",
    "gpu_wait_ns",
    "state_p2p_ns",
    "state_collective_ns",
    "self_cost_ns",
    "ccl_all_to_all_ns",
    "wait_mpi_ns",
)
ON_MOUNTS = ("posix_read_ns", "posix_write_ns", "posix_sync_ns", "stdio_read_ns")


RANK = {"mpi_state": 4, "mpi_adapter": 1, "world_size": 1, "world": "w", "mpi_init_ns": EPOCH}
CALLS_A_SECOND = ("MPI collectives", "calls/s")


def digest_of(folder, values, life_ns, **header):
    return digest(ingested(folder, values, life_ns, **header))


def ingested(folder, values, life_ns, **header):
    profile = Profile(job="one", end_ns=EPOCH + life_ns, end_reason=1, **header)
    profile.add_mount(0)
    profile.add_slice(profile.first_slice, values)
    profile.write(folder / "spool")
    store = Repository(folder / "repository", create=True)
    store.ingest([folder / "spool"])
    return store.job_tables("one")


def shares_of(found):
    yield from (share.share for share in found.shares)
    yield from (gpu.busy_share for gpu in found.gpus if gpu.busy_share is not None)
    yield from (found.file_share, found.cost.share_of_cpu)
    for world in found.mpi:
        yield from (world.in_collectives, world.waited, world.off_cpu)
        for part in world.shares:
            yield from (part.share, part.least, part.most)


@pytest.mark.parametrize(
    ("spent", "available", "share"),
    [
        (0, 8, 0.0),
        (2, 8, 0.25),
        (8, 8, 1.0),
        (8 * (1 + CLOCK_TOLERANCE / 2), 8, 1.0),
        (8 * (1 + 2 * CLOCK_TOLERANCE), 8, math.nan),
        (-1, 8, math.nan),
        (0, 0, math.nan),
        (5, 0, math.nan),
        (5, -3, math.nan),
        (math.nan, 8, math.nan),
        (8, math.nan, math.nan),
    ],
)
def test_rule(spent, available, share):
    assert share_of_time(spent, available) == pytest.approx(share, nan_ok=True)


def test_time_beyond_a_short_life_is_unknown(tmp_path):
    """A process whose end was not seen: 0.1 ms of life, half a second in writes."""
    found = digest_of(tmp_path, {"posix_write_ns": {0: SECOND // 2}, "os_threads": 1}, 100_000)
    shares = {share.name: share for share in found.shares}
    assert math.isnan(shares["file writes"].share)
    assert math.isnan(found.file_share)
    assert shares["file writes"].seconds == pytest.approx(0.5, rel=1e-3)
    written = {
        share["name"]: share["share"] for share in json.loads(json.dumps(found.to_json()))["shares"]
    }
    assert written["file writes"] is None
    assert percent(found.file_share) == "-"


def test_an_unknown_life_has_no_shares(tmp_path):
    found = digest_of(tmp_path, {"os_threads": 1}, 0)
    assert all(math.isnan(share.share) for share in found.shares)
    assert math.isnan(found.file_share)


def test_a_rate_over_less_than_a_millisecond_is_unknown(tmp_path):
    """100 000 calls in a process whose end was not seen are no giga-call a second."""
    values = {
        "posix_write_ops": {0: 100_000},
        "posix_write_bytes": {0: 800_000},
        "os_threads": 1,
        "mpi_all_to_all_ops": 100_000,
    }
    for life_ns, known in ((100_000, False), (SECOND, True)):
        store = ingested(tmp_path / str(life_ns), values, life_ns, mpi=RANK)
        found, (world,) = digest(store), digest(store).mpi
        assert ("write_bytes" in found.rates) is known
        assert ("write_bytes" in found.mounts[0].rates) is known
        assert math.isnan(found.cores) is not known
        assert (found.effective_threads is not None) is known
        assert math.isnan(world.threads.effective.mean) is not known
        collective = next(kind for kind in world.traffic if kind.name == "collective")
        assert math.isnan(collective.calls_per_s.mean) is not known
        assert math.isnan(collective.bytes_per_s.mean) is not known
        (figure,) = (f for f in job_end([store]).figures if (f.group, f.unit) == CALLS_A_SECOND)
        assert figure.over is not None
        assert math.isnan(figure.over.mean) is not known


def test_a_rank_in_calls_for_longer_than_it_lived_has_no_shares(tmp_path):
    """10 ms of life and 2 s in collectives: neither its shares nor its rates are known."""
    values = {"state_collective_ns": 2 * SECOND, "mpi_all_to_all_ops": 10_000_000, "os_threads": 1}
    tables = ingested(tmp_path, values, SECOND // 100, mpi=RANK)
    found = digest(tables)
    (world,) = found.mpi
    assert world.shares == []
    assert world.shares_over.startswith("not known")
    collective = next(kind for kind in world.traffic if kind.name == "collective")
    assert math.isnan(collective.calls_per_s.mean)
    assert "- of their time in MPI" in brief(world)
    assert all("collective" not in advice.rule for advice in world.next)


def test_threads_that_ended_are_known_by_their_cpu_time(tmp_path):
    """Four threads that were joined before the end of the slice computed 8 s in 2 s."""
    values = {"os_user_ns": 8 * SECOND, "os_threads": 1, "os_cpus": 16}
    found = digest_of(tmp_path, values, 2 * SECOND)
    shares = {share.name: share.share for share in found.shares}
    assert shares["user CPU"] == pytest.approx(1.0, rel=1e-3)


@pytest.fixture(scope="module", params=[False, True], ids=["process", "rank"])
def tables(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("forged")
    profile = Profile(job="one", end_ns=EPOCH + SECOND, end_reason=1)
    profile.add_mount(0)
    moved = {
        **dict.fromkeys((*TIMES, "os_threads", "os_cpus"), 1),
        **{name: {0: 1} for name in ON_MOUNTS},
    }
    profile.add_slice(profile.first_slice, moved)
    profile.write(folder / "spool")
    store = Repository(folder / "repository", create=True)
    store.ingest([folder / "spool"])
    made = store.job_tables("one")
    if not request.param:
        return made
    rank = {"world_size": 2, "mpi_adapter": int(MpiAdapter.LOADED), "mpi_state": 2}
    return replace(made, processes=forged(made.processes, rank))


def forged(table, values):
    """Return a table of one row with other numbers in some columns."""
    for name, value in values.items():
        at = table.column_names.index(name)
        table = table.set_column(at, name, pa.array([value], pa.int64()))
    return table


@settings(max_examples=40, deadline=None)
@given(
    values=st.dictionaries(st.sampled_from((*TIMES, "os_threads", "os_cpus")), NS),
    mounts=st.dictionaries(st.sampled_from(ON_MOUNTS), NS),
    life_ns=st.sampled_from([-SECOND, 0, 1, 100_000, SECOND, 8 * SECOND, 2**62]),
)
def test_no_impossible_share_leaves(tables, values, mounts, life_ns):
    found = digest(
        replace(
            tables,
            totals=forged(tables.totals, values),
            mount_totals=forged(tables.mount_totals, mounts),
            processes=forged(tables.processes, {"end_ns": EPOCH + life_ns}),
        )
    )
    for share in shares_of(found):
        assert math.isnan(share) or 0 <= share <= 1
    most = max(values.get("os_threads", 1), values.get("os_cpus", 1), 1) * (1 + CLOCK_TOLERANCE)
    threads = [world.threads.effective.max for world in found.mpi]
    threads += [found.effective_threads.max] if found.effective_threads else []
    for number in (*threads, found.cores):
        assert math.isnan(number) or 0 <= number <= most * (1 + 1e-9)
    if life_ns < SECOND * SHORTEST_S:
        assert not {"read_bytes", "write_bytes"} & set(found.rates)
    json.dumps(found.to_json(), allow_nan=False)
