"""The digest: its figures against plain sums of the profiles."""

from __future__ import annotations

import json

import pytest
from support import MOVED, SLICE, all_rows, make_profile, make_shorts, plain_total, write_all

from jostle.analysis import digest
from jostle.repository import Repository
from synth import EPOCH, SECOND, Profile


@pytest.fixture(scope="module")
def profiles():
    return [make_profile(seed, program=f"/bin/p{seed % 2}") for seed in range(7)]


@pytest.fixture(scope="module")
def made(tmp_path_factory, profiles):
    folder = tmp_path_factory.mktemp("made")
    write_all(folder / "spool", profiles)
    make_shorts("alpha", 3).write(folder / "spool")
    store = Repository(folder / "repository", create=True)
    store.ingest([folder / "spool"])
    return digest(store.job_tables("alpha"))


def per_process(profile, metric):
    return plain_total([profile], metric)


@pytest.mark.parametrize("metric", [*MOVED, "os_user_ns"])
def test_spread_over_processes(made, profiles, metric):
    values = [per_process(profile, metric) for profile in profiles]
    shorts = {"posix_write_bytes": sum(1000 + i for i in range(3)), "os_user_ns": 303}
    spread = made.metrics[metric]
    assert spread.total == sum(values) + shorts.get(metric, 0)
    assert (spread.min, spread.max) == (min(values), max(values))
    assert spread.mean == pytest.approx(sum(values) / len(values))


def test_who_and_when(made, profiles):
    assert (made.processes, made.short_processes) == (7, 3)
    assert made.programs == {"p0": 4, "p1": 3, "true": 3}
    assert made.hosts == ["node0", "node1", "node2"]
    assert (made.start_ns, made.end_ns) == (EPOCH, max(p.end_ns for p in profiles))
    assert made.seconds == pytest.approx((made.end_ns - made.start_ns) / 1e9)
    assert not made.running
    assert made.slice_ns == [SLICE]
    lives = sum(p.end_ns - p.start_ns for p in profiles)
    shorts = sum(i * 2 * SECOND for i in range(3))
    assert made.process_seconds == pytest.approx((lives + shorts) / 1e9)


def test_mounts(made, profiles):
    shared = next(mount for mount in made.mounts if mount.mount == "nfs:server:/scratch")
    assert (shared.type, shared.shared, shared.paths) == ("nfs4", True, ["/scratch"])
    assert shared.processes == 10
    written = sum(
        row.values.get("posix_write_bytes", {}).get(0, 0) for p in profiles for row in all_rows(p)
    )
    assert shared.metrics["posix_write_bytes"].total == written + 3003
    rate = shared.rates["write_bytes"]
    both = written + 3003 + shared.metrics["stdio_write_bytes"].total
    assert rate.value == pytest.approx(both / made.seconds)
    assert (rate.unit, rate.seconds) == ("bytes/s", made.seconds)
    assert len(made.mounts) == 4
    assert not made.mounts[-1].shared


def test_sizes(made, profiles):
    write = next(access for access in made.access if access.direction == "write")
    plain = [0] * 32
    for profile in profiles:
        for row in all_rows(profile):
            for bucket, n in enumerate(row.values.get("posix_write_size") or []):
                plain[bucket] += n
    assert write.histogram == plain
    common = plain.index(max(plain))
    assert (write.common_low, write.common_high) == (2 ** (common - 1), 2**common)
    assert write.small_share == pytest.approx(sum(plain[:13]) / sum(plain))


def test_json(made):
    text = json.dumps(made.to_json())
    assert json.loads(text)["job"] == "alpha"


def one_process(tmp_path, values, *, seconds=8, **header):
    """The digest of a job of one process that moved these values in its first slice."""
    profile = Profile(job="one", end_ns=EPOCH + seconds * SECOND, end_reason=1, **header)
    profile.add_mount(0)
    profile.add_slice(profile.first_slice, values)
    profile.write(tmp_path / "spool")
    store = Repository(tmp_path / "repository", create=True)
    store.ingest([tmp_path / "spool"])
    return digest(store.job_tables("one"))


def test_rates_shares_threads(tmp_path):
    found = one_process(
        tmp_path,
        {
            "posix_write_bytes": {0: 800},
            "posix_write_ops": {0: 4},
            "posix_write_ns": {0: 2 * SECOND},
            "os_user_ns": 12 * SECOND,
            "os_system_ns": 4 * SECOND,
            "os_threads": 2,
        },
    )
    assert found.rates["write_bytes"].value == pytest.approx(100)
    service = found.rates["write_service"]
    inside = found.metrics["posix_write_ns"].total / 1e9
    assert service.value == pytest.approx(800 / inside)
    assert "inside" in service.over
    assert found.effective_threads is not None
    assert found.effective_threads.mean == pytest.approx(2, rel=1e-3)
    assert found.cores == pytest.approx(2, rel=1e-3)
    shares = {share.name: share.share for share in found.shares}
    # Of the time of two threads: one alone cannot have taken 12 of 8 seconds.
    assert shares["user CPU"] == pytest.approx(0.75, rel=1e-3)
    assert shares["file writes"] == pytest.approx(0.125, rel=1e-3)
    assert "read_bytes" not in found.rates


def test_user_and_system_time_together_are_at_most_the_whole(tmp_path):
    """Each sum alone fits into the lifetime of the process, both need that of its two threads."""
    found = one_process(
        tmp_path, {"os_user_ns": 38 * SECOND // 5, "os_system_ns": 8 * SECOND // 5, "os_threads": 2}
    )
    shares = {share.name: share.share for share in found.shares}
    assert shares["user CPU"] == pytest.approx(0.475, rel=1e-3)
    assert shares["system CPU"] == pytest.approx(0.1, rel=1e-3)
    assert [advice.rule for advice in found.next] == []  # they computed 58 % of their time


def test_errors_cost_unaccounted(tmp_path):
    found = one_process(
        tmp_path,
        {
            "error_access_ops": {0: 3},
            "posix_write_bytes": {0: 600},
            "stream_write_bytes": 100,
            "os_write_chars": 1000,
            "os_write_bytes": 4096,
            "os_user_ns": 2**20,
            "self_cost_ns": 2**10,
            "self_calls_ops": 9,
        },
    )
    assert found.errors == {"access": 3}
    assert found.mounts[0].errors == {"access": 3}
    write = found.unaccounted[1]
    assert (write.direction, write.system, write.wrapped, write.bytes) == ("write", 1000, 700, 300)
    assert (write.share, write.storage) == (pytest.approx(0.3), 4096)
    assert (found.cost.calls, found.cost.share_of_cpu) == (9, pytest.approx(2**-10))


def test_patterns(tmp_path):
    size = [0] * 32
    size[5] = 90
    size[20] = 10
    found = one_process(
        tmp_path, {"posix_read_size": size, "posix_read_ops": {0: 100}, "posix_seek_ops": {0: 60}}
    )
    read, write = found.access
    assert read.pattern == "many small, seeking"
    assert (read.common_low, read.common_high) == (16, 32)
    assert write.pattern == "none"


def test_phases_of_writing_lie_within_the_job(tmp_path):
    """Slices begin before a job and end after it; its phases do not."""
    found = one_process(
        tmp_path, {"posix_write_bytes": {0: 800}, "posix_write_ops": {0: 4}}, seconds=3
    )
    (phase,) = [phase for phase in found.writing[0].phases if phase.bytes]
    assert found.slice_ns == [4 * SECOND]
    assert (phase.start_ns, phase.end_ns) == (found.start_ns, found.end_ns)


@pytest.mark.parametrize("state", [0, 5])
def test_the_clock_of_a_single_node_is_reported_by_doctor_alone(tmp_path, state):
    found = one_process(tmp_path, {"os_user_ns": 1}, clock_state=state)
    assert (found.clock.text, found.clock.synchronised) == ("", state == 0)


def test_what_a_machine_does_not_count_is_reported_by_doctor_alone(tmp_path):
    profile = Profile(job="one", end_ns=EPOCH + SECOND, end_reason=1)
    profile.add_note(EPOCH, "perf: this machine does not count it: instructions, cycles")
    profile.add_note(EPOCH, "perf: no descriptor or memory was left for it: cycles")
    profile.write(tmp_path / "spool")
    store = Repository(tmp_path / "repository", create=True)
    store.ingest([tmp_path / "spool"])
    notes = digest(store.job_tables("one")).notes
    assert notes == ["perf: no descriptor or memory was left for it: cycles"]


def test_a_job_that_did_nothing(tmp_path):
    profile = Profile(job="idle", end_ns=EPOCH + SECOND, end_reason=1)
    profile.write(tmp_path / "spool")
    store = Repository(tmp_path / "repository", create=True)
    store.ingest([tmp_path / "spool"])
    found = digest(store.job_tables("idle"))
    assert found.mounts == []
    assert found.rates == {}
    json.dumps(found.to_json())


def test_only_short_processes(tmp_path):
    make_shorts("shorts", 4).write(tmp_path / "spool")
    store = Repository(tmp_path / "repository", create=True)
    store.ingest([tmp_path / "spool"])
    found = digest(store.job_tables("shorts"))
    assert (found.processes, found.short_processes) == (0, 4)
    assert found.metrics["posix_write_bytes"].min == 1000
    assert not found.clock.synchronised
