"""When processes end, and which server lags: hand-made tables with known truth."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from jostle.analysis.digest.finishing import Finishing, finishing, lagging, late_ones
from jostle.report.models.job.finishing import finding, tail_share

S = 1_000_000_000
START = 1_700_000_000 * S
MOUNT = "lustre:10.0.0.1@tcp:/scratch"


def processes(end: list[float], moved: float = 1e9) -> pa.Table:
    return pa.table(
        {
            "name": [f"rank {rank}" for rank in range(len(end))],
            "first_ns": [START] * len(end),
            "last_ns": [START + round(S * each) for each in end],
            "bytes": [round(moved)] * len(end),
            "slice_ns": [S] * len(end),
        }
    )


def moved(end: list[float]) -> pa.Table:
    """Each process moves one unit a second."""
    last = int(max(end))
    amount = [sum(each > at for each in end) for at in range(last)]
    return pa.table(
        {
            "start_ns": [START + S * at for at in range(last)],
            "length_ns": [S] * last,
            "bytes": amount,
        }
    )


def servers(rates: np.ndarray, kind: str = "lustre_ost") -> pa.Table:
    """One component a server; row by row, B/s in slices of 1 s."""
    first = START // S
    return pa.Table.from_pylist(
        [
            {
                "mount": MOUNT,
                "host": f"oss{row}",
                "kind": kind,
                "name": "OST",
                "job": "",
                "slice": first + at,
                "slice_ns": S,
                "span": 1,
                "storage_read_bytes": 0,
                "storage_write_bytes": int(value),
                "link_receive_bytes": 0,
                "link_send_bytes": 0,
            }
            for row, values in enumerate(rates)
            for at, value in enumerate(values)
            if value
        ]
    )


def slow_server(count: int = 4, factor: float = 0.4, noise: float = 0.05) -> np.ndarray:
    """Servers with equal work; the third needs longer, and its peers idle at the end."""
    rng = np.random.default_rng(7)
    rates = 1e8 * np.exp(noise * rng.standard_normal((count, 53)))
    rates[2, 10:] *= factor
    rates[np.arange(count) != 2, 41:] = 0
    return rates


def the_thesis_case(rates: np.ndarray | None = None) -> Finishing:
    end = [41.0 - 0.5 * (rank % 4) for rank in range(61)] + [47.0, 50.0, 53.0]
    result = finishing(
        "lammps",
        MOUNT,
        processes(end),
        moved(end),
        servers(slow_server() if rates is None else rates),
    )
    assert result is not None
    return result


def test_a_balanced_part_and_a_tail_off_with_its_slow_server() -> None:
    each = the_thesis_case()
    assert finding(each) == (
        "balanced until 41.0 s, tail-off of 12.0 s: 3 of 64 processes; "
        "server oss2 served 0.4 of its peers' rate"
    )
    assert each.tail_share == pytest.approx(
        (6 + 9 + 12)
        / sum(
            moved([41.0 - 0.5 * (rank % 4) for rank in range(61)] + [47.0, 50.0, 53.0])[
                "bytes"
            ].to_pylist()
        )
    )
    assert tail_share(each).endswith("of the bytes in the tail-off")
    slow = np.array(each.servers[2].slow)
    assert slow[12:39].all() and not slow[:7].any()
    assert not any(any(server.slow) for at, server in enumerate(each.servers) if at != 2)
    data = each.to_json()
    assert data["late"] == 3 and data["processes"] == 64
    assert [row["name"] for row in data["late_processes"]] == ["rank 61", "rank 62", "rank 63"]


def test_healthy_servers_do_not_lag_and_too_few_have_no_peers() -> None:
    rng = np.random.default_rng(3)
    alarms = sum(
        bool(lagging(1e8 * np.exp(0.1 * rng.standard_normal((servers, 200))), range(200)).any())
        for servers in (3, 4, 8)
        for _ in range(100)
    )
    assert alarms <= 1
    assert not lagging(slow_server(2 + 1)[1:], range(41)).any()
    # Bursts that all servers have in common are no lag.
    assert not lagging(np.tile(np.where(np.arange(60) % 10 < 3, 1e8, 0), (4, 1)), range(60)).any()


def test_without_late_processes_there_is_no_tail() -> None:
    end = [30.0 + 0.1 * rank for rank in range(8)]
    each = finishing("job", MOUNT, processes(end), moved([30.0] * 8), servers(np.ones((1, 30))))
    assert each is not None and not each.late and each.tail_s == each.tail_share == 0
    assert not each.notable
    assert finding(each) == "all 8 processes ended together, after 30.7 s"
    assert not late_ones(np.array([10.0] * 7 + [12.0]), 1.0).any()  # two slices are the edge
    assert late_ones(np.array([10.0] * 7 + [12.1]), 1.0).sum() == 1


def test_who_moved_nearly_nothing_is_no_straggler() -> None:
    end = [20.0] * 6 + [90.0]
    rows = processes(end)
    rows = rows.set_column(3, "bytes", pa.array([10**9] * 6 + [4096]))
    each = finishing("job", MOUNT, rows, moved([20.0] * 6), servers(np.ones((1, 20))))
    assert each is not None and len(each.ends) == 6 and not each.late
    assert finishing("job", MOUNT, rows.slice(4), moved([20.0]), servers(np.ones((1, 9)))) is None
