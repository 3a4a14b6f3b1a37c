"""Load without a profile and slow servers are named, and neither where there is none."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

sys.path.append(str(Path(__file__).parents[1]))  # when a test runs as a program

from alongside_maker import MIB, MOUNT, SLICE_NS, START, Floats, bursts, noise, writer

from jostle.analysis import identify
from jostle.analysis.identification.model import JobInterference
from jostle.analysis.identification.resources.unprofiled import with_unprofiled
from jostle.repository.query.resources.co_running import CoRunning
from jostle.repository.query.resources.machine_loads import SERVED, MachineLoads

SIZE = 240


def traffic(host: str, written: Floats, mount: str = MOUNT) -> pa.Table:
    """Counters of a client, or of profiles: bytes written per slice."""
    size = len(written)
    return pa.table(
        {
            "mount": [mount] * size,
            "host": [host] * size,
            "slice": START + np.arange(size),
            "slice_ns": np.full(size, SLICE_NS),
            "span": np.ones(size, np.int64),
            "read_bytes": np.zeros(size, np.int64),
            "write_bytes": written.astype(np.int64),
            "meta_ops": np.zeros(size, np.int64),
        }
    )


def served(host: str, written: Floats, busy: Floats, job: str = "", name: str = "ost0") -> pa.Table:
    """Counters of a server's target: bytes written and busy time (s) per slice."""
    size = len(written)
    columns: dict[str, Any] = {
        "mount": [MOUNT] * size,
        "host": [host] * size,
        "kind": ["lustre_ost"] * size,
        "name": [name] * size,
        "job": [job] * size,
        "slice": START + np.arange(size),
        "slice_ns": np.full(size, SLICE_NS),
        "span": np.ones(size, np.int64),
    }
    columns |= {name: np.zeros(size, np.int64) for name in SERVED}
    columns["storage_write_bytes"] = written.astype(np.int64)
    columns["storage_write_ops"] = (written / MIB).astype(np.int64)
    columns["storage_busy_ns"] = (busy * 1e9).astype(np.int64)
    return pa.table(columns)


def own_bytes(alongside: CoRunning) -> Floats:
    out = np.zeros(SIZE)
    at = alongside.own_mounts["slice"].to_numpy() - START
    out[at] = alongside.own_mounts["posix_write_bytes"].to_numpy()
    return out


def lagging(moved: Floats, rng: np.random.Generator) -> Floats:
    """The part of written bytes that reaches the server, up to five slices later."""
    late = np.zeros(len(moved) + 6)
    for k, amount in enumerate(moved):
        parts = rng.dirichlet(np.ones(6))
        late[k : k + 6] += amount * parts
    return late[: len(moved)]


def watched(
    alongside: CoRunning,
    *,
    strange: Floats | None = None,
    client: str = "",
    slow: Floats | None = None,
    seed: int = 0,
    groups: dict[str, str] | None = None,
) -> CoRunning:
    """Adds the counters of agents: on clients, and on the server.

    Args:
        alongside: A job and its neighbours.
        strange: Bytes per slice that no profile has.
        client: The node they come from; "": from one without an agent.
        slow: Factor of the server's busy time per byte.
        seed: Of the noise.
        groups: Batch job without a profile, by node.
    """
    rng = np.random.default_rng(seed + 1000)
    strange = np.zeros(SIZE) if strange is None else strange
    mine = own_bytes(alongside)
    loads = [("node-me", mine)]
    rows = alongside.mount_loads
    for name in alongside.others:
        theirs = np.zeros(SIZE)
        of = rows.filter(pa.compute.equal(rows["job"], name))
        theirs[of["slice"].to_numpy() - START] = of["posix_write_bytes"].to_numpy()
        loads.append((f"node-{name}", theirs))
    whole = sum((load for _, load in loads), np.zeros(SIZE)) + strange
    reached = lagging(whole * rng.uniform(1.0, 1.04, SIZE), rng)
    busy = reached / (200 * MIB) * noise(SIZE, seed + 7) * (1 if slow is None else slow)
    clients = [traffic(host, lagging(load, rng)) for host, load in loads]
    if client:
        clients.append(traffic(client, lagging(strange, rng)))
    made = groups or {}
    machines = MachineLoads(
        clients=pa.concat_tables(clients),
        profiled=pa.concat_tables([traffic(host, load) for host, load in loads]),
        servers=served("oss1", reached, busy),
        groups=pa.table(
            {
                "host": pa.array(list(made), pa.string()),
                "job": pa.array(made.values(), pa.string()),
                "start_ns": np.full(len(made), START * SLICE_NS),
                "end_ns": np.full(len(made), 2**62),
            }
        ),
        places={MOUNT: (MOUNT,)},
    )
    return replace(alongside, machines=machines)


def loaded(load: Floats, cost: float = 0.8) -> Floats:
    """How much longer a write takes with a concurrent load."""
    return 1 + cost * load / (50 * MIB)


def suspects_of(found: JobInterference) -> list[tuple[str, str]]:
    return [(suspect.kind, suspect.job) for suspect in found.suspects]


@pytest.mark.parametrize("seed", range(3))
def test_load_of_a_node_without_profiles(seed: int) -> None:
    strange = bursts(SIZE, seed)
    job = writer(loaded(strange), {"calm": np.full(SIZE, 5.0 * MIB)}, seed)
    found = identify(watched(job, strange=strange, client="node9", seed=seed))
    assert suspects_of(found) == [("unprofiled", "unprofiled load of node9")]
    named = watched(job, strange=strange, client="node9", seed=seed, groups={"node9": "slurm-77"})
    found = identify(named)
    assert suspects_of(found) == [("unprofiled", "slurm-77 (no profile)")]
    (suspect,) = found.suspects
    assert "written" in suspect.pattern
    truth = float((own_seconds(job) * (1 - 1 / loaded(strange)[:SIZE])).sum())
    assert suspect.seconds.low <= truth * 1.15
    assert suspect.seconds.high >= truth * 0.85
    assert found.neighbours == 1  # jobs only


def test_a_job_without_profiles_is_the_sum_of_its_nodes() -> None:
    """Two batch jobs without profiles: one on two nodes, the other on one."""
    strange = bursts(SIZE, 8)
    found = watched(writer(np.ones(SIZE), {}, 8), seed=8)
    clients = [traffic(host, strange) for host in ("node8", "node9", "node10")]
    jobs = {"node8": "slurm-77", "node9": "slurm-77", "node10": "slurm-78"}
    machines = replace(
        found.machines,
        clients=pa.concat_tables([found.machines.clients, *clients]),
        servers=found.machines.servers.slice(0, 0),
        groups=pa.table(
            {
                "host": list(jobs),
                "job": list(jobs.values()),
                "start_ns": np.full(3, START * SLICE_NS),
                "end_ns": np.full(3, 2**62),
            }
        ),
    )
    rows = with_unprofiled(replace(found, machines=machines)).mount_loads
    sums = rows.group_by("job").aggregate([("posix_write_bytes", "sum")]).to_pylist()
    moved = {row["job"]: row["posix_write_bytes_sum"] for row in sums}
    assert moved["slurm-77 (no profile)"] == pytest.approx(2 * strange.sum(), rel=0.05)
    assert moved["slurm-78 (no profile)"] == pytest.approx(strange.sum(), rel=0.05)


def own_seconds(alongside: CoRunning) -> Floats:
    out = np.zeros(SIZE)
    at = alongside.own_mounts["slice"].to_numpy() - START
    out[at] = alongside.own_mounts["posix_write_ns"].to_numpy() / 1e9
    return out


@pytest.mark.parametrize("seed", range(3))
def test_load_that_only_the_server_saw(seed: int) -> None:
    strange = bursts(SIZE, seed + 10)
    job = writer(loaded(strange), {}, seed)
    found = identify(watched(job, strange=strange, seed=seed))
    assert suspects_of(found) == [("unprofiled", "unprofiled load on oss1")]


@pytest.mark.parametrize("seed", range(3))
def test_a_slow_server_is_no_neighbour(seed: int) -> None:
    slow = np.ones(SIZE)
    slow[100:160] = 4.0
    job = writer(slow**0.7, {"other": bursts(SIZE, seed + 20)}, seed)
    found = identify(watched(job, slow=slow, seed=seed))
    assert suspects_of(found) == [("server", "server oss1 (lustre ost ost0)")]
    assert "times its usual time per byte" in found.suspects[0].pattern
    assert "server oss1 (lustre ost ost0)" not in found.ruled_out


@pytest.mark.parametrize("seed", range(3))
def test_a_neighbour_is_no_slow_server(seed: int) -> None:
    load = bursts(SIZE, seed + 30)
    job = writer(loaded(load), {"hog": load}, seed)
    assert suspects_of(identify(watched(job, seed=seed))) == [("job", "hog")]


def of_processes(**written: Floats) -> MachineLoads:
    """Bytes that processes without a profile wrote to the disk of the job's mount."""
    return MachineLoads(
        disk_users=pa.concat_tables(
            [
                traffic("node-me", load).append_column(
                    "name", pa.array([f"{name} (pid 7, root)"] * SIZE)
                )
                for name, load in written.items()
            ]
        )
    )


@pytest.mark.parametrize("seed", range(3))
def test_a_process_that_hogs_the_local_disk_is_named(seed: int) -> None:
    hog, other = bursts(SIZE, seed + 60), bursts(SIZE, seed + 160)
    job = writer(loaded(hog), {}, seed)
    found = identify(replace(job, machines=of_processes(dd=hog, cp=other)))
    assert suspects_of(found) == [("unprofiled", "dd (pid 7, root)")]
    truth = float((own_seconds(job) * (1 - 1 / loaded(hog)[:SIZE])).sum())
    assert found.suspects[0].seconds.low <= truth * 1.15
    assert found.suspects[0].seconds.high >= truth * 0.85


@pytest.mark.parametrize("seed", range(3))
def test_a_process_on_a_disk_that_did_no_harm_is_not(seed: int) -> None:
    job = writer(np.ones(SIZE), {}, seed)
    found = identify(replace(job, machines=of_processes(dd=bursts(SIZE, seed + 60))))
    assert not found.suspects


def test_other_targets_of_one_file_system() -> None:
    """Two jobs on different targets do not meet; on a common one they do."""
    load = bursts(SIZE, 5)
    job = writer(loaded(load), {"hog": load, "elsewhere": load}, 5)
    seen = watched(job, seed=5)

    def targets(*rows: tuple[str, str, int]) -> CoRunning:
        table = pa.table(
            dict(zip(("host", "target", "bytes"), zip(*rows, strict=True), strict=True))
        )
        return replace(seen, machines=replace(seen.machines, targets=table))

    found = identify(
        targets(
            ("node-me", "fs-OST0000", 10**9),
            ("node-hog", "fs-OST0000", 10**9),
            ("node-elsewhere", "fs-OST0001", 10**9),
        )
    )
    assert suspects_of(found) == [("job", "hog")]
    assert "other storage targets" in found.ruled_out["elsewhere"]
    found = identify(
        targets(
            ("node-me", "fs-OST0000", 1),
            ("node-hog", "fs-OST0001", 1),
            ("node-elsewhere", "fs-OST0002", 1),
        )
    )
    assert not found.suspects


def test_what_a_user_may_not_know() -> None:
    strange = bursts(SIZE, 1)
    job = writer(loaded(strange), {}, 1)
    found = identify(watched(job, strange=strange, client="node9", seed=1), as_user=1000)
    assert [suspect.job for suspect in found.suspects] == ["other users' jobs"]
    assert "node9" not in str(found.to_json())


def test_without_agents_nothing_changes() -> None:
    load = bursts(SIZE, 2)
    job = writer(loaded(load), {"hog": load}, 2)
    assert identify(replace(job, machines=MachineLoads())) == identify(job)


if __name__ == "__main__":  # how often somebody is named wrongly, and rightly: SEEDS
    from collections import Counter

    counts: Counter[str] = Counter()
    first, last = int(sys.argv[1]), int(sys.argv[2])
    for seed in range(first, last):
        strange = bursts(SIZE, seed)
        slow = np.ones(SIZE)
        slow[100:160] = 3.0
        calm = {"calm": bursts(SIZE, seed + 1)}
        strong, hog = loaded(strange), {"hog": strange}
        cases = {
            "quiet": watched(writer(np.ones(SIZE), calm, seed), seed=seed),
            "node": watched(writer(strong, {}, seed), strange=strange, client="n9", seed=seed),
            "server": watched(writer(strong, {}, seed), strange=strange, seed=seed),
            "slow": watched(writer(slow**0.7, calm, seed), slow=slow, seed=seed),
            "hog": watched(writer(strong, hog, seed), seed=seed),
            "hog+slow": watched(writer(strong * slow**0.7, hog, seed), slow=slow, seed=seed),
        }
        for case, alongside in cases.items():
            found = identify(alongside)
            counts[f"{case}: {sorted({k for k, _ in suspects_of(found)})}"] += 1
    for line in sorted(counts):
        print(line, counts[line])
