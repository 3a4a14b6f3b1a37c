"""Bytes between ranks, against rows written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jostle.repository import Repository
from synth_rows import BEGIN, SECOND, add_ranks, add_rows, process_of

SPAN = (BEGIN, BEGIN + 60 * SECOND)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository", create=True)


def of_rank(job: str, rank: int, host: str, at: int, **more: Any) -> dict[str, Any]:
    return {
        "job": job,
        "process": process_of(job, rank),
        "host": host,
        "rank": rank,
        "slice": at,
        "slice_ns": SECOND,
        "span": 1,
        **more,
    }


def seen(table: Any, *columns: str) -> list[tuple[Any, ...]]:
    first = BEGIN // SECOND
    rows = table.to_pylist()
    return sorted(
        tuple(row[name] - first if name == "slice" else row[name] for name in columns)
        for row in rows
    )


def test_messages_are_counted_by_who_sent_them(repository: Repository) -> None:
    add_ranks(repository, "a", ["n1", "n1", "n2", "n3"])
    add_rows(
        repository,
        "peer_slices",
        [
            of_rank("a", 0, "n1", 5, peer=2, sent_ops=2, sent_bytes=200),
            of_rank("a", 1, "n1", 5, peer=2, sent_ops=1, sent_bytes=50),
            of_rank("a", 0, "n1", 5, peer=1, sent_ops=1, sent_bytes=999),  # on one host
            of_rank("a", 2, "n2", 5, peer=0, recv_ops=2, recv_bytes=200),
            of_rank("a", 2, "n2", 6, peer=3, sent_ops=1, sent_bytes=7),
            of_rank("a", 2, "n2", 7, peer=9, sent_ops=1, sent_bytes=3),  # no such rank
        ],
    )
    pairs = repository.traffic(SPAN).pairs
    assert seen(pairs, "job", "slice", "source", "target", "bytes", "ops", "mount") == [
        ("a", 5, "n1", "n2", 250, 3, ""),
        ("a", 6, "n2", "n3", 7, 1, ""),
        ("a", 7, "n2", "", 3, 1, ""),
    ]


def test_ranks_are_of_one_world(repository: Repository) -> None:
    add_ranks(repository, "a", ["n1", "n2"], world="first")
    add_ranks(repository, "b", ["n3", "n4"], world="first")
    add_rows(
        repository,
        "peer_slices",
        [
            of_rank("a", 0, "n1", 0, peer=1, sent_ops=1, sent_bytes=1),
            of_rank("b", 0, "n3", 0, peer=1, sent_ops=1, sent_bytes=2),
        ],
    )
    assert seen(repository.traffic(SPAN).pairs, "job", "target", "bytes") == [
        ("a", "n2", 1),
        ("b", "n4", 2),
    ]
    assert seen(repository.traffic(SPAN, ["b"]).pairs, "job") == [("b",)]


def test_only_the_span_counts(repository: Repository) -> None:
    add_ranks(repository, "a", ["n1", "n2"])
    add_rows(
        repository,
        "peer_slices",
        [
            of_rank("a", 0, "n1", at, peer=1, sent_ops=1, sent_bytes=1) | {"span": span}
            for at, span in ((3, 1), (4, 1), (0, 5), (6, 1))
        ],
    )
    pairs = repository.traffic((BEGIN + 4 * SECOND, BEGIN + 6 * SECOND)).pairs
    assert seen(pairs, "slice", "span") == [(0, 5), (4, 1)]


def test_what_was_fetched_came_from_the_target(repository: Repository) -> None:
    add_ranks(repository, "a", ["n1", "n2", "n3"])
    add_rows(
        repository,
        "peer_slices",
        [
            of_rank("a", 0, "n1", 2, peer=1, recv_ops=1, recv_bytes=300),
            of_rank("a", 0, "n1", 2, peer=2, recv_ops=1, recv_bytes=100),
            of_rank("a", 0, "n1", 3, peer=1, recv_ops=1, recv_bytes=10),
        ],
    )
    add_rows(repository, "slices", [of_rank("a", 0, "n1", 2, mpi_get_bytes=400, mpi_get_ops=4)])
    pairs = repository.traffic(SPAN).pairs
    assert seen(pairs, "slice", "source", "target", "bytes", "ops") == [
        (2, "n2", "n1", 300, 3),
        (2, "n3", "n1", 100, 1),
    ]


def test_collectives_are_added_up_over_a_communicator(repository: Repository) -> None:
    add_ranks(repository, "a", ["n1", "n2", "n3"])
    add_rows(
        repository,
        "communicators",
        [
            {
                "job": "a",
                "process": process_of("a", 0),
                "communicator": 77,
                "size": 2,
                "ranks": [2, 0],
            },
            {
                "job": "a",
                "process": process_of("a", 2),
                "communicator": 77,
                "size": 2,
                "ranks": None,
            },
        ],
    )
    add_rows(
        repository,
        "collective_slices",
        [
            of_rank("a", 0, "n1", 1, communicator=77, operation="Bcast", root=0, ops=1, bytes=8),
            of_rank("a", 2, "n3", 1, communicator=77, operation="Bcast", root=0, ops=1, bytes=8),
            of_rank(
                "a", 1, "n2", 1, communicator=0, operation="Allreduce", root=-1, ops=3, bytes=24
            ),
            of_rank(
                "a", 1, "n2", 2, communicator=5, operation="Allreduce", root=-1, ops=1, bytes=6
            ),
            of_rank("a", 2, "n3", 3, communicator=0, operation="", root=-1, ops=1, bytes=5),
        ],
    )
    traffic = repository.traffic(SPAN)
    rows = [
        (row["operation"], traffic.groups[row["group"]], row["root"], row["ops"], row["bytes"])
        for row in traffic.collectives.to_pylist()
    ]
    assert sorted(rows) == [
        ("Allreduce", (), -1, 1, 6),  # a communicator that nobody described
        ("Allreduce", ("n1", "n2", "n3"), -1, 3, 24),
        ("Bcast", ("n3", "n1"), 1, 2, 16),
    ]
    (row,) = traffic.spread.to_pylist()  # what had no place in the table
    assert (row["host"], row["bytes"], traffic.groups[row["group"]]) == (
        "n3",
        5,
        ("n1", "n2", "n3"),
    )


def test_jobs_without_peers_are_spread_over_their_hosts(repository: Repository) -> None:
    add_ranks(repository, "old", ["n1", "n2", "n3"])
    add_ranks(repository, "new", ["n4", "n5"])
    rollup = {"slice": 4, "slice_ns": SECOND, "count": 1}
    add_rows(
        repository,
        "node_rollup",
        [
            {
                "job": "old",
                "host": "n1",
                **rollup,
                "mpi_send_bytes_sum": 40,
                "mpi_send_ops_sum": 4,
                "mpi_recv_bytes_sum": 99,
            },
            {"job": "new", "host": "n4", **rollup, "mpi_send_bytes_sum": 10},
        ],
    )
    add_rows(
        repository,
        "peer_slices",
        [
            of_rank("new", 0, "n4", 4, peer=1, sent_ops=1, sent_bytes=8),
            of_rank("new", 0, "n4", 4, peer=-1, sent_ops=1, sent_bytes=2),
        ],
    )
    traffic = repository.traffic(SPAN)
    assert [
        (row["job"], row["host"], row["bytes"], row["ops"], traffic.groups[row["group"]])
        for row in sorted(traffic.spread.to_pylist(), key=lambda row: row["job"])
    ] == [("new", "n4", 2, 1, ("n4", "n5")), ("old", "n1", 40, 4, ("n1", "n2", "n3"))]


def test_files_go_to_their_servers(repository: Repository) -> None:
    add_ranks(repository, "a", ["n1"])
    mounts = {
        "nfs": ("nfs4", "storage:/export", True),
        "ost": ("lustre", "mds@tcp:/fs", True),
        "disk": ("ext4", "/dev/sda", False),
    }
    add_rows(
        repository,
        "mounts",
        [
            {
                "job": "a",
                "host": "n1",
                "mount": name,
                "path": f"/{name}",
                "type": kind,
                "source": source,
                "shared": shared,
            }
            for name, (kind, source, shared) in mounts.items()
        ],
    )
    add_rows(
        repository,
        "mount_slices",
        [
            {
                "job": "a",
                "process": process_of("a", 0),
                "host": "n1",
                "mount": name,
                "slice": 9,
                "slice_ns": SECOND,
                "span": 1,
                "posix_write_bytes": 100,
                "posix_write_ops": 2,
                "stdio_write_bytes": 10,
                "posix_read_bytes": 7 if name == "nfs" else 0,
            }
            for name in mounts
        ],
    )
    assert seen(repository.traffic(SPAN).pairs, "slice", "source", "target", "bytes", "mount") == [
        (9, "n1", "", 110, "ost"),
        (9, "n1", "storage", 110, "nfs"),
        (9, "storage", "n1", 7, "nfs"),
    ]


def test_an_empty_repository_has_no_traffic(repository: Repository) -> None:
    traffic = repository.traffic(SPAN)
    assert not (traffic.pairs.num_rows + traffic.collectives.num_rows + traffic.spread.num_rows)


def test_ports_and_interfaces_are_read_and_what_is_not_known_is_not(repository: Repository) -> None:
    add_rows(
        repository,
        "component_slices",
        [
            {
                "kind": kind,
                "host": "leaf1",
                "name": name,
                "source": "",
                "mount": "",
                "job": "",
                "slice": 3,
                "slice_ns": SECOND,
                "span": 1,
                "machine": 1,
                "component": 1,
                "link_send_bytes": 10,
                "link_receive_bytes": 4,
                "link_wait_ticks": 2,
                "unknown": unknown,
            }
            for kind, name, unknown in (
                ("port", "1", ""),
                ("interface", "eth0", "link_wait_ticks"),
                ("port", "2", "cpu_idle_ns link_send_bytes"),
                ("disk", "sda", ""),
            )
        ],
    )
    rows = repository.port_counters(SPAN)
    assert seen(rows, "host", "name", "slice", "sent", "received", "wait_ticks") == [
        ("leaf1", "1", 3, 10, 4, 2),
        ("leaf1", "eth0", 3, 10, 4, 2),
    ]
