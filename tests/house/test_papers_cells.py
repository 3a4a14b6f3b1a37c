"""The rule by which cells of the papers and of studies here are compared."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCH = Path(__file__).parents[2] / "lab/bench/papers"
RUNS = "study,file_system,date,victim,neighbour,chunk,victim_processes,neighbour_processes,layout,"
RUNS += "more,loss_percent,runs,verdict\n"


@pytest.fixture
def cells(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("papers_cells", BENCH / "cells.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "papers_cells", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "DATA", tmp_path)
    monkeypatch.setattr(module, "RUNS", tmp_path / "runs.csv")
    (tmp_path / "printed.csv").write_text(
        "table,system,victim,neighbour,chunk,layout,share,at_least,at_most,words\n"
        "figure 1,Lustre,a,a,1 MiB,private,1,40,40,40\n"
        "figure 1,Lustre,a,b,1 MiB,private,1,80,100,more than 80\n"
        "figure 1,GPFS,a,b,1 MiB,private,1,10,10,10\n"
        "figure 1,Lustre,b,a,1 MiB,private,1,-100,0,faster\n"
    )
    (tmp_path / "printed-orders.csv").write_text(
        "table,system,victim,neighbour,chunk,share,than_victim,than_neighbour,than_chunk,"
        "than_share,words\n"
        "figure 1,Lustre,a,b,16 MiB,1,b,a,16 MiB,1,b dominates\n"
    )
    return module


def _measured(cells: ModuleType, losses: dict[tuple[str, str, str], list[float]]) -> None:
    rows = [
        f"s,cephfs,2026-01-01,{a},{b},{chunk},2,2,private,,{loss},1,kept\n"
        for (a, b, chunk), some in losses.items()
        for loss in some
    ]
    cells.RUNS.write_text(RUNS + "".join(rows))


def _compared(cells: ModuleType) -> dict[tuple[str, str, str], dict[str, Any]]:
    found = cells.compared("figure 1", ["s"], "cephfs")
    return {(key.victim, key.neighbour, key.chunk): cell.agrees for key, cell in found.items()}


def test_all_aspects_agree_with_the_system_that_has_a_metadata_server(cells: ModuleType) -> None:
    _measured(
        cells,
        {
            ("a", "a", "1 MiB"): [44, 45, 46],
            ("a", "b", "1 MiB"): [74, 75, 76],
            ("b", "a", "1 MiB"): [-6, -5, -4],
        },
    )
    found = _compared(cells)
    every = {"sign": True, "order": True, "size": True}
    assert found == dict.fromkeys(found, every) and len(found) == 3
    assert cells.label_of(cells.compared("figure 1", ["s"], "cephfs")) == "reproduced"
    assert "measured 3 of 5 printed" in cells.sentence("figure 1", ["s"])


def test_a_difference_far_below_the_printed_one_is_no_order(cells: ModuleType) -> None:
    _measured(cells, {("a", "a", "1 MiB"): [49, 50, 51], ("a", "b", "1 MiB"): [50, 51, 52]})
    found = _compared(cells)  # printed: at least 40 points apart
    assert [found["a", b, "1 MiB"]["order"] for b in "ab"] == [False, False]
    assert [found["a", b, "1 MiB"]["size"] for b in "ab"] == [True, False]
    assert cells.label_of(cells.compared("figure 1", ["s"], "cephfs")) == "not reproduced"


def test_an_order_in_words_needs_a_certain_difference(cells: ModuleType) -> None:
    close = {("a", "b", "16 MiB"): [50.0, 53.0, 56.0], ("b", "a", "16 MiB"): [49.0, 52.0, 55.0]}
    _measured(cells, close)
    assert {agrees["order"] for agrees in _compared(cells).values()} == {None}
    assert cells.label_of(cells.compared("figure 1", ["s"], "cephfs")) == "undecided (noise)"
    _measured(cells, close | {("b", "a", "16 MiB"): [20.0, 21.0, 22.0]})
    assert {agrees["order"] for agrees in _compared(cells).values()} == {True}
    label = cells.label_of(cells.compared("figure 1", ["s"], "cephfs"))
    assert label == "order reproduced"  # no size is printed


def test_two_runs_decide_nothing(cells: ModuleType) -> None:
    _measured(cells, {("a", "b", "1 MiB"): [90, 91], ("a", "a", "1 MiB"): [40, 41]})
    nothing = dict.fromkeys(cells.ASPECTS)
    assert list(_compared(cells).values()) == [nothing, nothing]


def test_the_sign_is_undecided_where_the_interval_has_both(cells: ModuleType) -> None:
    _measured(cells, {("a", "a", "1 MiB"): [-5, 0, 5], ("b", "a", "1 MiB"): [5, 6, 7]})
    found = _compared(cells)
    assert (found["a", "a", "1 MiB"]["sign"], found["b", "a", "1 MiB"]["sign"]) == (None, False)


def test_every_cell_is_in_the_table(cells: ModuleType) -> None:
    _measured(cells, {("a", "b", "64 KiB"): [10], ("a", "a", "1 MiB"): [40, 41, 42]})
    lines = "\n".join(cells.section("figure 1", ["s"]))
    assert "| a | b | 64 KiB |  |  | 10, 1 run |  |" in lines
    assert "| a | b | 1 MiB | more than 80 | 10 |  |  |" in lines
    assert "| a | a | 1 MiB | 40 |  | 41 (39 to 43), 3 runs | sign, size |" in lines


def test_runs_of_a_measurement_replace_those_it_had_and_add_to_others(cells: ModuleType) -> None:
    others = (
        "other,sshfs,,x,y,,1,1,private,,1.0,1,kept\n"
        "s,cephfs,2026-01-01 12:00,a,b,1 MiB,4,2,private,,40.0,1,kept\n"
    )
    cells.RUNS.write_text(RUNS + others)
    setting = {"chunk": 1 << 20, "processes": [4, 2], "shared": False, "more": []}
    for loss in (0.7, 0.5):
        side = {"degradation": loss}
        runs = [{"verdict": "kept", "probe": side}, {"verdict": "failed", "probe": None}]
        found = {"probe": "a", "signal": "b", "setting": setting, "repetitions": runs}
        cells.keep("s", "cephfs", "2026-01-02 09:30", [found])
    assert cells.RUNS.read_text() == RUNS + others + (
        "s,cephfs,2026-01-02 09:30,a,b,1 MiB,4,2,private,,50.0,1,kept\n"
        "s,cephfs,2026-01-02 09:30,a,b,1 MiB,4,2,private,,,1,failed\n"
    )
    (loss,) = cells.measured(["s"], "cephfs").values()
    assert (loss.n, loss.median, loss.low) == (2, 45.0, None)


def test_what_is_printed_is_well_formed() -> None:
    spec = importlib.util.spec_from_file_location("papers_cells", BENCH / "cells.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["papers_cells"] = module
    spec.loader.exec_module(module)
    files = ("printed.csv", "printed-orders.csv")
    tables = {row["table"] for name in files for row in module._rows(name)}
    for table in tables:
        for each in module.printed_cells(table):
            assert -100 <= each.low <= each.high <= 100 and each.system in module.SYSTEMS
        for order in module.printed_orders(table):
            assert order.more != order.less and order.system in module.SYSTEMS
