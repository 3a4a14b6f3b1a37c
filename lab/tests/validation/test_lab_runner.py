"""Any failure of one program of a lab is reported, and ends the others."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jostle_lab.validation.lab import runner as lab_runner
from jostle_lab.validation.lab.plan import PROBES, scenes
from jostle_lab.validation.lab.work import merged


def _quiet(done: int, total: int, job: str, left: float) -> None:
    """Shows no progress."""


def test_a_lab_that_breaks_is_heard_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Not only errors of ours: a thread's traceback on stderr would be all that is left."""

    def broken(spec: Any) -> Any:
        raise RuntimeError("no such luck")

    monkeypatch.setattr(lab_runner, "up", broken)
    with pytest.raises(RuntimeError, match="no such luck"):
        lab_runner.play(
            tmp_path, scenes(harmful=3, null=3, seed=1), labs=2, name="x", progress=_quiet
        )


def test_a_neighbour_that_cannot_start_spoils_its_experiment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And the probe is ended."""
    probes: list[subprocess.Popen[bytes]] = []

    def probe(*_: Any) -> subprocess.Popen[bytes]:
        probes.append(subprocess.Popen(["sleep", "0.3"]))
        return probes[0]

    def neighbour(*_: Any) -> None:
        raise OSError("no room for it")

    monkeypatch.setattr(lab_runner, "_probe", probe)
    monkeypatch.setattr(lab_runner, "_neighbour", neighbour)
    lab = SimpleNamespace(nodes=("node1",), local=lambda node: tmp_path / node)
    scene = next(one for one in scenes(harmful=3, null=0, seed=1) if one.neighbours)
    with pytest.raises(OSError, match="no room"):
        lab_runner._one(lab, scene, tmp_path / "r", threading.Event())  # type: ignore[arg-type]
    assert probes[0].poll() is not None


def test_scenes_that_need_the_machine_go_one_by_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plan = scenes(harmful=10, null=0, seed=2)
    played: list[tuple[list[str], int]] = []

    def note(state: Any, todo: Any, labs: int, name: str) -> None:
        played.append(([scene.probe for scene in todo], labs))

    monkeypatch.setattr(lab_runner, "_play", note)
    lab_runner.play(tmp_path, plan, labs=3, name="x", progress=_quiet)
    assert [labs for _, labs in played] == [3, 1]
    assert not any(PROBES[probe].apart for probe in played[0][0])
    assert all(PROBES[probe].apart for probe in played[1][0])


def test_spans_of_ranks_are_one() -> None:
    assert merged([[5, 9], [0, 2], [1, 3], [6, 7]]) == [[0, 3], [5, 9]]
