"""Bytes between the ranks of a job, over the whole run, with modelled collectives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from jostle.report.models.job.communication import communication
from jostle.repository import Repository
from jostle.repository.query.job.rank_pairs import RankPairs
from jostle.topology import fat_tree
from synth_rows import SECOND, add_ranks, add_rows, process_of


def _sent(rank: int, peer: int, **more: Any) -> dict[str, Any]:
    return {
        "job": "j",
        "process": process_of("j", rank),
        "host": f"node{rank + 1}",
        "rank": rank,
        "slice_ns": SECOND,
        "span": 1,
        "peer": peer,
    } | more


def _repository(path: Path) -> Repository:
    repository = Repository(path, create=True)
    add_ranks(repository, "j", ["node1", "node2", "node3"])
    add_rows(
        repository,
        "peer_slices",
        [
            _sent(0, 1, slice=0, sent_ops=1, sent_bytes=10),
            _sent(0, 1, slice=1, sent_ops=2, sent_bytes=20),
            _sent(2, 0, slice=1, sent_ops=1, sent_bytes=5),
            _sent(1, 0, slice=1, recv_ops=3, recv_bytes=30),
            _sent(0, 999, slice=1, sent_ops=1, sent_bytes=7),
            _sent(0, -1, slice=1, sent_ops=1, sent_bytes=7),
        ],
    )
    return repository


def test_messages_count_once_by_who_sent_them(tmp_path: Path) -> None:
    found = communication(_repository(tmp_path / "r").rank_pairs("j"), fat_tree(2, 2, 1))
    assert found.hosts == ("node1", "node2", "node3")
    assert found.switches == ("leaf1", "leaf1", "leaf2")
    assert list(
        zip(found.source, found.target, found.bytes, found.messages, found.hops, strict=True)
    ) == [(0, 1, 30, 3, 0), (2, 0, 5, 1, 2)]
    header, values = found.window("bytes", "rank", 0, 3, 2)
    assert (header["each"], header["cells"], header["bytes"]) == (2, 2, 35)
    np.testing.assert_equal(values, [[30, np.nan], [5, np.nan]])
    header, values = found.window("hops", "switch", 0, 99, 9)
    assert header["pairs"][0]["hops"] == 2 and values[2, 0] == 2


def test_collectives_are_said_to_be_modelled(tmp_path: Path) -> None:
    repository = _repository(tmp_path / "r")
    add_rows(
        repository,
        "collective_slices",
        [
            {
                "job": "j",
                "process": process_of("j", rank),
                "host": "h",
                "rank": rank,
                "slice": 0,
                "slice_ns": SECOND,
                "span": 1,
                "communicator": 0,
                "operation": "MPI_Bcast",
                "root": 0,
                "ops": 4,
                "bytes": 400,
            }
            for rank in range(3)
        ],
    )
    found = communication(repository.rank_pairs("j"), None)
    pairs = dict(
        zip(
            zip(found.source.tolist(), found.target.tolist(), strict=True),
            zip(found.bytes, found.modelled, strict=True),
            strict=True,
        )
    )
    assert pairs[0, 1] == (430, 400 / 430) and pairs[0, 2] == (400, 1)
    assert pairs[2, 0] == (5, 0)
    assert np.isnan(found.hops).all()


def test_an_all_to_all_of_many_ranks_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = pa.table(
        {
            "communicator": [0],
            "ranks": [None],
            "operation": ["MPI_Alltoallv"],
            "root": [-1],
            "ops": [3],
            "bytes": [300],
        }
    )
    ranks = pa.table({"rank": [0, 1, 2], "host": ["a", "b", "c"], "size": [3, 3, 3]})
    none = pa.table({name: pa.array([], pa.int64()) for name in ("rank", "peer", "bytes", "ops")})
    whole = communication(RankPairs(ranks, none, calls), None)
    assert (len(whole.source), whole.left_out) == (6, 0)
    monkeypatch.setattr("jostle.report.models.job.communication._MOST_ALIKE", 2)
    assert communication(RankPairs(ranks, none, calls), None).left_out == 300


def test_a_job_without_ranks_or_hosts_has_an_empty_matrix(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r", create=True)
    nobody = communication(repository.rank_pairs("nobody"), None)
    header, values = nobody.window("bytes", "node", 0, 2**31, 512)
    assert (header["ranks"], header["cells"], values.size) == (0, 0, 0)
    add_ranks(repository, "j", [None, "node2"])  # type: ignore[list-item]
    header, _ = communication(repository.rank_pairs("j"), None).window("bytes", "node", 0, 9, 9)
    assert [label["host"] for label in header["labels"]] == ["", "node2"]
