"""Calls that write are slow through object servers, calls that open through the metadata server.

Made data of which the truth is known: each is named for its own harm, and cleared of the other's.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from alongside_maker import SLICE_NS, START, bursts
from split_mounts import (
    SEPARATE,
    SIZE,
    Files,
    client_rows,
    opened,
    server_rows,
    slowed,
    with_machines,
)

from jostle.analysis import identify
from jostle.analysis.identification.model import JobInterference, ResourceLoss
from jostle.analysis.identification.resources.servers import Slowness, server_slowness
from jostle.analysis.identification.resources.shared import SharedResource
from jostle.analysis.identification.resources.unprofiled import with_unprofiled
from jostle.analysis.identification.statistics.resource_tests import among_their_kind

LUSTRE, CEPH = SEPARATE[0], SEPARATE[4]


def part(found: JobInterference, kind: str) -> ResourceLoss:
    (resource,) = [each for each in found.resources if each.kind == kind]
    return resource


def suspects_of(found: JobInterference) -> list[tuple[str, str]]:
    return sorted((suspect.job, suspect.resource) for suspect in found.suspects)


def lost(files: Files, kind: str) -> float:
    """Seconds that the synthetic disturbance cost the job in calls of a kind."""
    alongside = files.make()
    factor = files.writes if kind == "write" else files.opens
    spent = alongside.own_mounts[f"posix_{kind}_ns"].to_numpy() / 1e9
    return float((spent * (1 - 1 / factor)).sum())


@pytest.mark.parametrize("mount", SEPARATE)
def test_a_metadata_storm_slows_opens_only(mount: str) -> None:
    load = bursts(SIZE, 3)
    files = Files(mount, opens=slowed(load), storms={"storm": opened(load)}, seed=3)
    found = identify(files.make())
    assert suspects_of(found) == [("storm", f"metadata server of {mount}")]
    server = part(found, "metadata server")
    assert (server.resource, server.mount) == (f"metadata server of {mount}", mount)
    assert server.unit == "ops"
    assert server.seconds.low <= lost(files, "meta") * 1.15
    assert server.seconds.high >= lost(files, "meta") * 0.85
    assert not part(found, "object servers").evident
    assert "metadata" in found.suspects[0].pattern


@pytest.mark.parametrize("mount", SEPARATE)
def test_a_large_writer_slows_writes_only(mount: str) -> None:
    load = bursts(SIZE, 4)
    files = Files(mount, writes=slowed(load), writers={"hog": load}, seed=4)
    found = identify(files.make())
    assert suspects_of(found) == [("hog", f"object servers of {mount}")]
    assert not part(found, "metadata server").evident
    servers = part(found, "object servers")
    assert servers.seconds.low <= lost(files, "write") * 1.15
    assert servers.seconds.high >= lost(files, "write") * 0.85


@pytest.mark.parametrize("mount", SEPARATE)
def test_both_at_once_add_up(mount: str) -> None:
    storm, hog = bursts(SIZE, 5), bursts(SIZE, 105)
    files = Files(
        mount,
        writes=slowed(hog),
        opens=slowed(storm),
        writers={"hog": hog},
        storms={"storm": opened(storm)},
        seed=5,
    )
    found = identify(files.make())
    assert suspects_of(found) == [
        ("hog", f"object servers of {mount}"),
        ("storm", f"metadata server of {mount}"),
    ]
    truth = lost(files, "write") + lost(files, "meta")
    assert found.seconds.value == pytest.approx(truth, rel=0.25)
    alone = sum(each.seconds.value for each in found.resources)
    assert found.seconds.value == pytest.approx(alone, rel=0.02)


def test_one_who_does_both_is_one_suspect_of_each() -> None:
    """Data that makes a metadata server wait for its journal is found there, too."""
    load = bursts(SIZE, 6)
    files = Files(LUSTRE, writes=slowed(load), opens=slowed(load), writers={"hog": load}, seed=6)
    assert suspects_of(identify(files.make())) == [
        ("hog", f"metadata server of {LUSTRE}"),
        ("hog", f"object servers of {LUSTRE}"),
    ]


@pytest.mark.parametrize("mount", SEPARATE)
def test_a_quiet_run_names_nobody(mount: str) -> None:
    wrong = 0
    for seed in range(40):
        files = Files(
            mount,
            writers={"hog": bursts(SIZE, seed)},
            storms={"storm": opened(bursts(SIZE, seed + 1000))},
            seed=seed,
        )
        wrong += bool(identify(files.make()).suspects)
    assert wrong <= 1  # 2.5 % of runs


@pytest.mark.parametrize("mount", ["nfs:server:/export", "sshfs:server:/data", "node1:/dev/sda1"])
def test_any_other_mount_is_one_resource(mount: str) -> None:
    load = bursts(SIZE, 7)
    files = Files(mount, opens=slowed(load), storms={"storm": opened(load)}, seed=7)
    found = identify(files.make())
    (resource,) = found.resources
    assert (resource.resource, resource.kind, resource.mount) == (mount, "file system", mount)
    assert resource.unit == "bytes"
    assert suspects_of(found) == [("storm", mount)]


def test_what_the_job_did_not_use_is_no_resource_of_it() -> None:
    alongside = Files(LUSTRE, writers={"hog": bursts(SIZE, 8)}).make()
    rows = alongside.own_mounts
    for name in ("posix_open_ops", "posix_meta_ns", "posix_meta_ns_max"):
        at = rows.column_names.index(name)
        rows = rows.set_column(at, name, [np.zeros(SIZE, np.int64)])
    found = identify(replace(alongside, own_mounts=rows))
    assert [each.kind for each in found.resources] == ["object servers"]


# ---- what servers and their clients say ----


def own_opens(files: Files) -> np.ndarray:
    return np.asarray(files.make().own_mounts["posix_open_ops"].to_numpy(), dtype=float)


@pytest.mark.parametrize(
    ("mount", "kind", "named"),
    [
        (LUSTRE, "lustre_mdt", "server s3 (lustre mdt mds.a)"),
        (CEPH, "ceph_mds", "server s3 (metadata server mds.a)"),
    ],
)
def test_a_slow_metadata_server_without_load(mount: str, kind: str, named: str) -> None:
    slow = np.ones(SIZE)
    slow[100:160] = 4.0
    files = Files(mount, opens=slow**0.7, storms={"other": opened(bursts(SIZE, 30))}, seed=9)
    # Clients wait for answers: of a slow server they ask less.
    asked = (own_opens(files) + 2 * files.storms["other"]) / slow
    rows = server_rows(mount, "s3", kind, "mds.a", asked, asked * 2e-4 * slow)
    found = identify(with_machines(files.make(), servers=[rows]))
    assert [(suspect.kind, suspect.job) for suspect in found.suspects] == [("server", named)]
    assert found.suspects[0].resource == f"metadata server of {mount}"
    assert not part(found, "object servers").evident


def test_a_slow_object_server_slows_no_metadata() -> None:
    slow = np.ones(SIZE)
    slow[60:120] = 4.0
    files = Files(CEPH, writes=slow**0.7, storms={"other": opened(bursts(SIZE, 31))}, seed=10)
    rows = server_rows(CEPH, "s4", "ceph_osd", "osd.1", 500 / slow, np.full(SIZE, 0.1))
    found = identify(with_machines(files.make(), servers=[rows]))
    assert suspects_of(found) == [("server s4 (object server osd.1)", f"object servers of {CEPH}")]


def test_other_requests_are_no_slow_server() -> None:
    """Requests that create files take ten times as long: a server that gets more is not slow."""
    mix = np.clip(bursts(SIZE, 33) / bursts(SIZE, 33).max(), 0, 1)
    creates = np.round(80 * mix)
    stats = 1000 - 10 * creates
    files = Files(CEPH, opens=1 + 0.5 * mix, seed=11)
    of_all = server_rows(
        CEPH, "s3", "ceph_mds", "mds.a", stats + creates, stats * 1e-4 + creates * 1e-3
    )
    by_kind = [
        server_rows(CEPH, "s3", "ceph_request", "mds.a getattr", stats, stats * 1e-4),
        server_rows(CEPH, "s3", "ceph_request", "mds.a create", creates, creates * 1e-3),
    ]
    assert identify(with_machines(files.make(), servers=[of_all])).suspects
    assert not identify(with_machines(files.make(), servers=[of_all, *by_kind])).suspects


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("known_by", ["server", "node"])
def test_metadata_load_of_a_node_without_profiles(known_by: str, seed: int) -> None:
    strange = opened(bursts(SIZE, seed + 40))
    mount = CEPH if known_by == "server" else LUSTRE
    files = Files(
        mount,
        opens=slowed(bursts(SIZE, seed + 40)),
        storms={"calm": opened(bursts(SIZE, seed + 140))},
        seed=seed,
    )
    own, calm = own_opens(files), 2 * files.storms["calm"]
    rng = np.random.default_rng(seed)
    asked = {
        # Caches answer some calls, others need two requests.
        "node-me": own * 1.4 * rng.uniform(0.8, 1.2, SIZE),
        "node-calm": calm * 0.6 * rng.uniform(0.8, 1.2, SIZE),
        "n3": 2 * strange,
    }
    profiled = [client_rows(mount, "node-me", own), client_rows(mount, "node-calm", calm)]
    if known_by == "server":
        servers = [
            server_rows(mount, "s3", "ceph_client", host, ops) for host, ops in asked.items()
        ]
        alongside = with_machines(files.make(), servers=servers, profiled=profiled)
    else:
        clients = [client_rows(mount, host, ops) for host, ops in asked.items()]
        alongside = with_machines(files.make(), clients=clients, profiled=profiled)
    found = identify(alongside)
    assert suspects_of(found) == [("unprofiled load of n3", f"metadata server of {mount}")]
    assert found.suspects[0].kind == "unprofiled"
    assert "metadata" in found.suspects[0].pattern
    truth = lost(files, "meta")
    assert found.suspects[0].seconds.low <= truth * 1.15
    assert found.suspects[0].seconds.high >= truth * 0.85


def test_calls_that_need_more_requests_are_no_unprofiled_load() -> None:
    wrong = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        files = Files(CEPH, storms={"calm": opened(bursts(SIZE, seed))}, seed=seed)
        own, calm = own_opens(files), 2 * files.storms["calm"]
        asked = {"node-me": own * rng.uniform(0.5, 1.5, SIZE), "node-calm": np.roll(calm, 1) * 1.3}
        alongside = with_machines(
            files.make(),
            servers=[server_rows(CEPH, "s3", "ceph_client", *each) for each in asked.items()],
            profiled=[client_rows(CEPH, "node-me", own), client_rows(CEPH, "node-calm", calm)],
        )
        wrong += bool(identify(alongside).suspects)
    assert wrong <= 1


def test_a_server_that_only_load_makes_slow_is_no_suspect() -> None:
    """Latency holds the time in which requests wait for those of others."""
    storm = bursts(SIZE, 60)
    files = Files(CEPH, opens=slowed(storm), storms={"storm": opened(storm)}, seed=12)
    asked = own_opens(files) + 2 * files.storms["storm"]
    rows = server_rows(CEPH, "s3", "ceph_mds", "mds.a", asked, asked * 2e-4 * slowed(storm, 3.0))
    found = identify(with_machines(files.make(), servers=[rows]))
    assert suspects_of(found) == [("storm", f"metadata server of {CEPH}")]


def test_load_that_nobody_knows_is_no_slow_server() -> None:
    """Requests wait for others of which nothing is recorded: the server answers more, not fewer."""
    storm = bursts(SIZE, 62)
    files = Files(CEPH, opens=slowed(storm, 3.0), seed=15)
    asked = own_opens(files) + 2 * opened(storm)
    rows = server_rows(CEPH, "s3", "ceph_mds", "mds.a", asked, asked * 2e-4 * slowed(storm, 3.0))
    assert not identify(with_machines(files.make(), servers=[rows])).suspects


def slowness(ops: np.ndarray, seconds: np.ndarray) -> list[Slowness]:
    """How slow a metadata server was of which each quarter of a second is known."""
    quarter = SLICE_NS // 4
    rows = server_rows(CEPH, "s3", "ceph_mds", "mds.a", ops, seconds)
    for name, values in (
        ("slice", 4 * START + np.arange(SIZE)),
        ("slice_ns", np.full(SIZE, quarter)),
    ):
        rows = rows.set_column(rows.column_names.index(name), name, [values])
    axis, zero = (START * SLICE_NS, quarter, SIZE), np.zeros(SIZE)
    resource = SharedResource(
        "m", "metadata server", axis, (), zero, zero, zero, zero, {}, "ops", quarter, CEPH
    )
    return server_slowness(with_machines(Files(CEPH).make(), servers=[rows]), resource)


def test_a_server_that_hesitates_for_a_quarter_of_a_second_is_not_slow() -> None:
    """It writes its journal every two seconds; for a second and more it would be slow."""
    at, seconds = np.arange(SIZE), np.full(SIZE, 0.04)
    assert not slowness(200 / np.where(at % 8 == 0, 4.0, 1.0), seconds)
    (found,) = slowness(200 / np.where((at > 100) & (at < 120), 4.0, 1.0), seconds)
    assert found.factor == pytest.approx(4.0)
    assert np.flatnonzero(found.series).tolist() == list(range(101, 120))


def test_requests_that_take_longer_than_a_slice_are_slow_in_all_of_theirs() -> None:
    """They are counted when they end: here one of a second in every fourth slice."""
    at, ops, seconds = np.arange(SIZE), np.ones(SIZE), np.full(SIZE, 0.2)
    during = (at >= 100) & (at < 120)
    ops[during], seconds[during] = at[during] % 4 == 3, np.where(at[during] % 4 == 3, 1.0, 0.0)
    (found,) = slowness(ops, seconds)
    assert found.factor == pytest.approx(4.0)  # a quarter of the answers, each five times as long
    assert np.flatnonzero(found.series).tolist() == list(range(100, 120))


def test_servers_that_are_not_slow_hide_no_load() -> None:
    q = among_their_kind({"hog": 0.03, "server a": 0.9, "server b": 0.95}, ("server a", "server b"))
    assert q == pytest.approx({"hog": 0.03, "server a": 0.95, "server b": 0.95})


def test_calls_that_caches_answer_hide_no_load() -> None:
    """A job that lists a folder makes thousands of calls for one request."""
    storm = bursts(SIZE, 61)
    files = Files(CEPH, opens=slowed(storm), storms={"storm": opened(storm)}, seed=13)
    alongside = files.make()
    rows = alongside.own_mounts
    at = rows.column_names.index("posix_meta_ops")
    calls = np.round(own_opens(files) * 2000)
    rows = rows.set_column(at, "posix_meta_ops", [calls.astype(np.int64)])
    found = identify(replace(alongside, own_mounts=rows))
    assert suspects_of(found) == [("storm", f"metadata server of {CEPH}")]


@pytest.mark.parametrize("seed", range(4))
def test_syncs_of_new_files_wait_for_who_is_loaded(seed: int) -> None:
    load = bursts(SIZE, seed + 70)
    by_metadata = Files(
        CEPH, syncs=slowed(load, 3.0), storms={"storm": opened(load)}, seed=seed
    ).make()
    assert suspects_of(identify(by_metadata)) == [("storm", f"metadata server of {CEPH}")]
    by_data = Files(CEPH, syncs=slowed(load, 3.0), writers={"hog": load}, seed=seed).make()
    assert suspects_of(identify(by_data)) == [("hog", f"object servers of {CEPH}")]


def test_answers_of_the_metadata_server_are_no_bytes_read() -> None:
    """Ceph's clients count what their connections received, answers included."""
    storm = opened(bursts(SIZE, 80))
    files = Files(CEPH, storms={"storm": storm}, seed=14)
    rows = client_rows(CEPH, "node-storm", 2 * storm)
    at = rows.column_names.index("read_bytes")
    sizes = np.where(np.arange(SIZE) % 8 == 0, 3000, 900)  # now and then it sends more
    rows = rows.set_column(at, "read_bytes", [(2 * storm * sizes).astype(np.int64)])
    alongside = with_machines(
        files.make(), clients=[rows], profiled=[client_rows(CEPH, "node-storm", 2 * storm)]
    )
    assert not with_unprofiled(alongside).others.keys() - {"storm"}
