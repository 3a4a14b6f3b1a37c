"""When processes ended and what servers moved: in a terminal, as a picture, and its numbers."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

from jostle.analysis.digest.finishing import Finishing, finishing
from jostle.cli.main import cli
from jostle.plot.charts.finishing import charts
from jostle.plot.figures.finishing import plans
from jostle.plot.figures.page import draw_pages
from jostle.plot.terminal.finishing import draw_finishing
from jostle_lab.synthetic import Spec, plant, plant_machines

S = 1_000_000_000
START = 1_700_000_000 * S
GOLDEN = Path(__file__).parent / "golden"


def one_slow_server() -> Finishing:
    """64 processes, of which three end late; four servers, of which one is slow from 10 s on."""
    end = [41.0 - 0.5 * (rank % 4) for rank in range(61)] + [47.0, 50.0, 53.0]
    rates = np.full((4, 53), 100.0 * (1 << 20))
    rates[2, 10:] *= 0.4
    rates[[0, 1, 3], 41:] = 0
    processes = pa.table(
        {
            "name": [f"rank {rank}" for rank in range(64)],
            "first_ns": [START] * 64,
            "last_ns": [START + round(S * each) for each in end],
            "bytes": [10**9] * 64,
            "slice_ns": [S] * 64,
        }
    )
    moved = pa.table(
        {"start_ns": [START, START + 41 * S], "length_ns": [41 * S, 12 * S], "bytes": [98, 2]}
    )
    servers = pa.Table.from_pylist(
        [
            {
                "mount": "fs",
                "host": f"oss{row}",
                "kind": "lustre_ost",
                "name": "OST",
                "job": "",
                "slice": START // S + at,
                "slice_ns": S,
                "span": 1,
                "storage_read_bytes": 0,
                "storage_write_bytes": int(value),
            }
            for row, values in enumerate(rates)
            for at, value in enumerate(values)
        ]
    )
    each = finishing("lammps", "fs", processes, moved, servers)
    assert each is not None
    return each


@pytest.mark.parametrize(("width", "unicode"), [(80, True), (60, False)])
def test_in_a_terminal(width: int, unicode: bool) -> None:
    (chart,) = charts([one_slow_server()])
    lines = draw_finishing(chart, width=width, unicode=unicode)
    text = "\n".join("".join(part for part, _ in line).rstrip() for line in lines) + "\n"
    assert max(map(len, text.splitlines())) <= width
    assert text.isascii() or unicode
    assert text == (GOLDEN / f"finishing-{width}.txt").read_text()


def test_as_a_picture_with_its_numbers(tmp_path: Path) -> None:
    each = one_slow_server()
    (saved,) = draw_pages(plans([each]), tmp_path, ["png"])
    assert saved.title == (
        "lammps on fs: balanced until 41.0 s, tail-off of 12.0 s: 3 of 64 processes; "
        "server oss2 served 0.4 of its peers' rate"
    )
    picture, table = saved.files
    assert picture.stat().st_size > 10_000
    rows = list(csv.DictReader(table.open()))
    late = [row["name"] for row in rows if row["what"] == "process" and row["late_or_slow"] == "1"]
    assert late == ["rank 61", "rank 62", "rank 63"]
    slow = [
        float(row["seconds"])
        for row in rows
        if row["what"] == "server" and row["late_or_slow"] == "1"
    ]
    assert slow == list(range(10, 41))
    assert {row["name"] for row in rows if row["what"] == "server"} == {f"oss{n}" for n in range(4)}


def test_the_command_draws_a_job_with_the_servers_of_its_mount(tmp_path: Path) -> None:
    spec = Spec(jobs=6, slices=60, length=40, processes=6)
    injected = plant(tmp_path / "repository", spec, seed=5)
    plant_machines(injected, seed=1)
    job = next(name for name in injected.jobs if name.startswith("cfd"))
    words = ["digest", job, "--repository", str(injected.path), "--plot", str(tmp_path / "plots")]
    done = CliRunner().invoke(cli, [*words, "--json"])
    assert done.exit_code == 0, done.output
    content = json.loads(done.output)
    (each,) = content["finishing"]
    assert each["processes"] == 6 and len(each["servers"]) == 1
    assert len(content["plots"]) == 1 and len(list((tmp_path / "plots").glob("*.png"))) == 1
    done = CliRunner().invoke(cli, words)
    assert "6 processes, by the end of their I/O" in done.output
    assert "1 figure in " in done.output
