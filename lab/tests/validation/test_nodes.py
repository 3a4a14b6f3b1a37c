"""Programs of a validation over nodes of a lab, with messages of others over the same link."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from jostle.errors import JostleError
from jostle_lab.cluster import LabSpec
from jostle_lab.cluster.checks import check_machine
from jostle_lab.validation import codes
from jostle_lab.validation.lab.nodes import Nodes
from jostle_lab.validation.placement import Ruler
from jostle_lab.validation.plan import ValidationStep
from jostle_lab.validation.runner import Store, make


@pytest.mark.parametrize(
    ("ranks", "spread"),
    [
        (2, {"node1": 1, "node5": 1}),
        (4, {"node1": 1, "node2": 1, "node5": 1, "node6": 1}),
        (8, {"node1": 2, "node2": 1, "node3": 1, "node5": 2, "node6": 1, "node7": 1}),
    ],
)
def test_half_of_the_ranks_are_on_either_side_of_the_link(
    ranks: int, spread: dict[str, int]
) -> None:
    asked: list[Any] = []
    lab = SimpleNamespace(
        nodes=tuple(f"node{number}" for number in range(1, 9)),
        mpirun=lambda *words: asked.append(words) or ["mpirun"],
    )
    assert Nodes(cast("Any", lab)).words(ranks, {}, ["./mini"], Path("/x")) == ["mpirun"]
    assert dict(asked[0][1]) == spread


@pytest.mark.in_turn
def test_a_program_over_nodes_alongside_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() != 0 or not shutil.which("mpicc.openmpi") or not shutil.which("mpirun.openmpi"):
        pytest.skip("needs root, and Open MPI with its compiler")
    try:
        check_machine(LabSpec(fs="plain"))
    except JostleError as error:
        pytest.skip(str(error))
    monkeypatch.setattr(Ruler, "measure", lambda _self: None)
    code = codes._mini(
        "transpose-nodes", 24, "all-to-all", alongside=("all-to-all",), over_nodes=True
    )
    steps = [
        ValidationStep(code.name, 1, "clean"),
        ValidationStep(code.name, 2, "all-to-all", 0.3, windows=((0.1, 0.3),), processes=1),
    ]
    store = Store(tmp_path / "v")
    make(store, steps, [code], progress=lambda *_: None)
    clean, alongside = store.runs(failed=True)
    assert clean.error == alongside.error == "" and clean.disturbed == ()
    ((begin, end),) = alongside.disturbed
    assert alongside.start_ns < begin < end
    processes = store.repository(code.name).job_processes(alongside.job).to_pylist()
    assert sorted({row["host"] for row in processes}) == ["node1", "node5"]
