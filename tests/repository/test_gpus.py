"""GPUs of jobs and of co-running jobs, against rows written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import synth_rows
from jostle.analysis import digest
from jostle.cli.output import show
from jostle.cli.views.digest import view
from jostle.errors import UsageError
from jostle.report.models.job.digest import gpu_wait
from jostle.report.models.job.gpu_steps import gpu_steps
from jostle.report.models.metrics import view as metric_view
from jostle.repository import Repository
from jostle.repository.maintenance.compact import expire
from jostle.repository.maintenance.merge import merge
from jostle.repository.query.resources.around_gpus import NO_MESSAGES, Device, Hardware
from jostle.repository.query.resources.co_running import hide
from jostle.repository.query.resources.gpus import GPU_SUMS, NO_GPUS
from jostle.repository.store.log import Log
from jostle.server.job_service import JobService
from synth_rows import BEGIN, SECOND, add_ranks, add_rows, process_of

A, B = "0000:3b:00.0", "0000:d8:00.0"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository", create=True)


def gpu(job: str, host: str, gpu: str, **more: Any) -> dict[str, Any]:
    return {
        "job": job,
        "host": host,
        "gpu": gpu,
        "pci": gpu,
        "uuid": "",
        "name": "Big GPU",
        "pci_path": f"pci0000:00/{gpu}",
        "numa": 1,
        "memory_bytes": 80,
        **more,
    }


def rolled(job: str, host: str, gpu: str, at: int, bytes_: int) -> dict[str, Any]:
    return {
        "job": job,
        "host": host,
        "gpu": gpu,
        "slice": at,
        "slice_ns": SECOND,
        "count": 1,
        "gpu_h2d_bytes_sum": bytes_,
        "gpu_h2d_bytes_max": bytes_,
    }


@pytest.fixture
def shared(repository: Repository) -> Repository:
    """Job a on GPU A of n1; b on both of n1; c on the same bus id of another host."""
    for job, host in (("a", "n1"), ("b", "n1"), ("c", "n2")):
        add_ranks(repository, job, [host])
    add_rows(repository, "gpus", [gpu("a", "n1", A), gpu("b", "n1", A), gpu("c", "n2", A)])
    add_rows(
        repository,
        "gpu_rollup",
        [
            rolled("a", "n1", A, 3, 100),
            rolled("a", "n1", A, 4, 10),
            rolled("b", "n1", A, 3, 7),
            rolled("b", "n1", B, 4, 9),
            rolled("c", "n2", A, 3, 1000),
        ],
    )
    add_rows(repository, "gpu_rollup", [rolled("a", "n1", A, 3, 5)])  # by another commit
    return repository


def seen(table: Any, *columns: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(row[name] for name in columns) for row in table.to_pylist())


def test_a_job_and_what_others_did_on_its_hosts(shared: Repository) -> None:
    alongside = shared.alongside("a")
    begin = BEGIN // SECOND
    assert seen(alongside.own_gpus, "gpu", "slice", "count", "gpu_h2d_bytes_sum") == [
        (A, begin + 3, 2, 105),
        (A, begin + 4, 1, 10),
    ]
    # Also on a GPU that the job did not use: it may hang on the same switch.
    columns = ("job", "host", "gpu", "pci_path", "numa", "gpu_h2d_bytes_sum")
    assert seen(alongside.gpu_loads, *columns) == [
        ("b", "n1", A, f"pci0000:00/{A}", 1, 7),
        ("b", "n1", B, "", -1, 9),
    ]
    assert set(alongside.others) == {"b"}
    for table, empty in (
        (alongside.gpu_loads, NO_GPUS),
        (alongside.own_gpus, NO_GPUS.drop(["job"])),
    ):
        assert set(table.column_names) == set(empty.column_names)
        assert {"start_ns", "length_ns", *GPU_SUMS} <= set(table.column_names)


def component(kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {
        "machine": 1,
        "host": "n1",
        "component": 0,
        "kind": kind,
        "name": name,
        "source": "",
        "mount": "",
        "job": "",
        "path": "",
        "major": 0,
        "minor": 0,
        "numa": -1,
        **more,
    }


def carried(kind: str, name: str, bytes_: int) -> dict[str, Any]:
    return {
        "kind": kind,
        "host": "n1",
        "name": name,
        "source": "",
        "mount": "",
        "job": "",
        "slice": 4,
        "slice_ns": SECOND,
        "span": 1,
        "machine": 1,
        "component": 0,
        "link_send_bytes": bytes_,
    }


def test_what_agents_know_around_gpus(shared: Repository) -> None:
    """NVLink domains, adapters that carry something, and messages that leave the node."""
    assert shared.alongside("a").hardware == Hardware()  # without agents
    where = "pci0000:3a/0000:3a:00.0/0000:3c:00.0"
    add_rows(
        shared,
        "components",
        [
            component("gpu", A),
            component("gpu", A, source=A),  # its links came up later
            component("gpu", B, source=A),
            component("gpu", "alone"),
            component("interface", "ib0", path=where, numa=1),
            component("port", "mlx5_0/1", source="infiniband", path=where, numa=1),
            component("port", "mlx5_1/1", source="infiniband", path=f"{where}x"),
            component("interface", "eth0", path="pci0000:00/0000:00:1f.6"),
            component("interface", "docker0"),
        ],
    )
    add_rows(
        shared,
        "component_slices",
        [
            carried("port", "mlx5_0/1", 9000),
            carried("interface", "eth0", 500),
            carried("interface", "docker0", 10**6),
        ],
    )
    add_ranks(shared, "d", ["n1", "n2"])
    add_rows(
        shared,
        "node_rollup",
        [
            {
                "job": job,
                "host": host,
                "slice": 4,
                "slice_ns": SECOND,
                "count": 1,
                "mpi_send_ops_sum": 2,
                "mpi_send_bytes_sum": 100,
                "ccl_all_to_all_ops_sum": 1,
                "ccl_all_to_all_bytes_sum": 7,
            }
            for job, host in (("a", "n1"), ("b", "n1"), ("d", "n1"), ("d", "n2"))
        ],
    )
    alongside = shared.alongside("a")
    assert alongside.hardware == Hardware(
        {("n1", A): A, ("n1", B): A}, (Device("n1", "mlx5_0/1", where, 1),)
    )
    columns = ("job", "host", "bytes", "ops", "ccl_bytes", "ccl_ops")
    assert seen(alongside.message_loads, *columns) == [
        ("b", "n1", 0, 0, 7, 1),
        ("d", "n1", 107, 3, 7, 1),
    ]
    assert set(alongside.message_loads.column_names) == set(NO_MESSAGES.column_names)
    hidden = hide(alongside, [], "others")
    assert seen(hidden.message_loads, "job", "bytes", "ccl_bytes") == [("others", 107, 14)]


def test_what_programs_do_on_gpus(shared: Repository) -> None:
    """Copies below one root complex are on one bus; launches have their part of the waits."""
    assert seen(shared.programs_alongside().buses, "job", "resource", "slice", "h2d_bytes") == []
    second = [(B, 11), (A, 1)]
    add_rows(shared, "gpus", [gpu("b", "n1", B), gpu("d", "n1", "unknown", pci_path="")])
    add_ranks(shared, "d", ["n1"])
    add_rows(
        shared,
        "gpu_rollup",
        [
            {
                **rolled("b", "n1", name, 6, 0),
                "gpu_launch_ops_sum": launches,
                "gpu_peer_ops_sum": 1,
                "gpu_peer_bytes_sum": launches,
            }
            for name, launches in second
        ],
    )
    add_rows(shared, "gpu_rollup", [rolled("b", "n1", A, 3, 5), rolled("d", "n1", "unknown", 3, 6)])
    add_rows(
        shared,
        "gpu_rollup",
        [
            {**rolled(job, "n1", name, slice_, 0), "gpu_h2d_ops_sum": 1}
            for job, name, slice_ in (
                ("a", A, 3),
                ("a", A, 4),
                ("b", A, 3),
                ("b", B, 4),
                ("d", "unknown", 3),
            )
        ],
    )
    add_rows(shared, "components", [component("gpu", name, source=A) for name in (A, B)])
    add_rows(
        shared,
        "node_rollup",
        [
            {
                "job": job,
                "host": "n1",
                "slice": 6,
                "slice_ns": SECOND,
                "count": 1,
                "gpu_wait_ns_sum": 1200,
                "ccl_send_ops_sum": 2,
                "ccl_send_bytes_sum": 8,
                "ccl_send_ns_sum": 3,
            }
            for job in ("a", "b")
        ],
    )
    reported = shared.programs_alongside()
    at = BEGIN // SECOND
    gpus = [
        row
        for row in seen(reported.gpus, "job", "resource", "slice", "launches", "wait_ns")
        if row[2] == at + 6
    ]
    assert gpus == [
        ("b", f"GPU {A} of n1", at + 6, 1, 100),
        ("b", f"GPU {B} of n1", at + 6, 11, 1100),
    ]
    columns = ("job", "resource", "slice", "h2d_bytes", "peer_bytes", "ccl_bytes", "ccl_ns")
    root, nvlink = "root complex pci0000:00 of n1", f"NVLink domain {A} of n1"
    assert seen(reported.buses, *columns) == [
        ("a", root, at + 3, 105, 0, 0, 0),
        ("a", root, at + 4, 10, 0, 0, 0),
        # a is on one GPU: its collectives are not over NVLink.
        ("b", nvlink, at + 6, 0, 12, 8, 3),
        ("b", root, at + 3, 12, 0, 0, 0),
        ("b", root, at + 4, 9, 0, 0, 0),
        ("d", "bus to GPU unknown of n1", at + 3, 6, 0, 0, 0),
    ]


def test_a_job_without_gpus(repository: Repository) -> None:
    add_ranks(repository, "a", ["n1"])
    alongside = repository.alongside("a")
    assert alongside.own_gpus.num_rows == alongside.gpu_loads.num_rows == 0
    assert repository.gpus.named("a").num_rows == repository.gpus.slices("a").num_rows == 0


def test_others_are_hidden(shared: Repository) -> None:
    hidden = hide(shared.alongside("a"), [], "others")
    assert seen(hidden.gpu_loads, "job", "gpu", "gpu_h2d_bytes_sum") == [
        ("others", A, 7),
        ("others", B, 9),
    ]


def test_slices_of_a_job(repository: Repository) -> None:
    add_ranks(repository, "a", ["n1", "n2"])
    rows = [
        {
            "job": "a",
            "process": process_of("a", rank),
            "host": f"n{rank + 1}",
            "gpu": A,
            "slice": 5,
            "slice_ns": SECOND,
            "span": 2,
            "gpu_busy_ns": 40 + rank,
        }
        for rank in (0, 1)
    ]
    add_rows(repository, "gpu_slices", rows)
    found = repository.gpus.slices("a", ["gpu_busy_ns", "gpu_h2d_ops"])
    assert seen(found, "host", "span", "gpu_busy_ns", "gpu_h2d_ops") == [
        ("n1", 2, 40, 0),
        ("n2", 2, 41, 0),
    ]


def test_digest(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """One row per GPU over all processes; the time in calls that wait is that of the ranks."""
    add_ranks(repository, "a", ["n1", "n1"])
    add_rows(repository, "gpus", [gpu("a", "n1", A)])
    add_rows(
        repository,
        "gpu_rollup",
        [
            {**rolled("a", "n1", name, at, 300), "gpu_lost_ops_sum": at}
            for name, at in ((A, 0), (A, 1), (B, 1))
        ],
    )
    waits = {
        "job": "a",
        "process": process_of("a", 0),
        "host": "n1",
        "slice": 5,
        "slice_ns": SECOND,
        "span": 1,
        "gpu_wait_ns": SECOND,
    }
    add_rows(repository, "slices", [waits])
    report = digest(repository.job_tables("a"))
    assert [(each.gpu, each.name, each.to_bytes, each.lost_records) for each in report.gpus] == [
        (A, "Big GPU", 600, 1),
        (B, "", 300, 1),
    ]
    assert gpu_wait(report).seconds == 1.0
    for line in view(report, {"runs": 0, "processes": 0}):
        show(line)
    lines = capsys.readouterr().out
    assert "waiting for GPUs: 1.00 s in calls that wait, " in lines
    assert "2 copies are not counted: CUPTI dropped their records" in lines


def test_series_of_the_page(shared: Repository, tmp_path: Path) -> None:
    """The page's series of each GPU are the numbers of the command, per second."""
    job_service = JobService(Path(shared.path), tmp_path / "cache")
    (drawn,) = job_service.gpus("a", "gpu", (0, 2**63 - 1), 100)["gpus"]
    (said,) = gpu_steps(shared, job_service.rows()["a"], metric_view("gpu"))
    assert (drawn["host"], drawn["gpu"], drawn["name"]) == (said.host, said.gpu, said.name)
    assert drawn["series"]["unit"] == "bytes/s"
    lines = [line["mean"] for line in drawn["series"]["lines"]]
    assert lines == [line.values.tolist() for line in said.lines]
    assert sum(lines[0]) == 115
    with pytest.raises(UsageError, match="not counted per GPU"):
        job_service.gpus("a", "bytes", (0, 2**63 - 1), 100)


def test_merged_files(shared: Repository) -> None:
    """A compaction adds up what commits contributed to one GPU, and keeps hosts apart."""
    add_rows(shared, "gpus", [gpu("a", "n1", A)])
    files = Log(shared.path).refresh().of
    rows = merge(Path(shared.path), list(files("gpu_rollup")))
    begin = BEGIN // SECOND
    assert seen(rows, "job", "host", "gpu", "slice", "count", "gpu_h2d_bytes_sum") == [
        ("a", "n1", A, begin + 3, 2, 105),
        ("a", "n1", A, begin + 4, 1, 10),
        ("b", "n1", A, begin + 3, 1, 7),
        ("b", "n1", B, begin + 4, 1, 9),
        ("c", "n2", A, begin + 3, 1, 1000),
    ]
    starts = [row["slice"] for row in rows.to_pylist()]
    assert starts == sorted(starts)
    assert merge(Path(shared.path), list(files("gpus"))).num_rows == 3
    assert seen(shared.gpus.named(), "job", "host", "gpu") == [
        ("a", "n1", A),
        ("b", "n1", A),
        ("c", "n2", A),
    ]


def test_retention(shared: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """GPUs go with the last process of the jobs that used them."""
    later = BEGIN + 86_400 * SECOND
    monkeypatch.setattr(synth_rows, "BEGIN", later)
    add_ranks(shared, "late", ["n1"])
    add_rows(shared, "gpus", [gpu("late", "n1", A)])
    add_rows(shared, "gpu_rollup", [rolled("late", "n1", A, 3, 1)])
    expire(Path(shared.path), 3_600, now_s=later / SECOND)
    assert seen(shared.gpus.named(), "job", "gpu") == [("late", A)]
    assert shared.query("SELECT job FROM gpu_rollup")["job"].to_pylist() == ["late"]


def test_what_advice_on_bindings_asks_for(shared: Repository) -> None:
    """What each process did on each GPU, which GPUs and adapters the nodes have, who used them."""
    add_rows(
        shared,
        "gpu_slices",
        [
            {
                "job": "a",
                "process": process_of("a", 0),
                "host": "n1",
                "gpu": A,
                "slice": at,
                "slice_ns": SECOND,
                "span": 1,
                "gpu_h2d_bytes": 50,
                "gpu_h2d_ns": 5,
            }
            for at in (3, 4)
        ],
    )
    add_rows(
        shared,
        "component_slices",
        [
            {
                "kind": "gpu",
                "host": "n1",
                "name": name,
                "source": "",
                "mount": "",
                "job": "",
                "slice": 3,
                "slice_ns": SECOND,
                "span": 1,
                "machine": 1,
                "component": 1,
                **more,
            }
            for name, more in (
                (A, {"device_busy_ns": 7}),
                (B, {"unknown": "device_busy_ns power_energy_uj"}),
                ("0000:e0:00.0", {}),
            )
        ],
    )
    tables = shared.job_tables("a")
    assert tables.process_gpus is not None and tables.node_gpus is not None
    assert seen(tables.process_gpus, "process", "gpu", "numa", "gpu_h2d_bytes", "gpu_h2d_ns") == [
        (process_of("a", 0), A, 1, 100, 10)
    ]
    # Bytes without an operation are no work; what no agent knows is not zero.
    add_rows(shared, "gpus", [gpu("b", "n1", B)])
    add_rows(shared, "gpu_rollup", [rolled("b", "n1", B, 5, 0) | {"gpu_launch_ops_sum": 2}])
    tables = shared.job_tables("a")
    assert tables.node_gpus is not None
    assert seen(tables.node_gpus, "gpu", "pci", "used", "busy_ns") == [
        (A, A, False, 7),
        (B, B, True, None),
        ("0000:e0:00.0", "", False, 0),
    ]
    assert tables.node_adapters is not None
    assert tables.node_adapters.num_rows == 0  # a job on one node sends to no other
