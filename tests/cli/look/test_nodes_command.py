"""`jostle nodes`: its texts, files and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import jostle

from jostle_lab.synthetic import Fault, MachineSpec, plant_machines


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nodes") / "repository"
    faults = (Fault("capped disk", "node0002", 0.3),)
    spec = MachineSpec(nodes=8, slices=6 * 360, slice_s=240.0, mounts=0, faults=faults)
    plant_machines(folder, spec, seed=4)
    return folder


def test_nodes(site: Path, tmp_path: Path) -> None:
    figures = tmp_path / "figures"
    done = jostle("nodes", "--repository", str(site), "--plot", str(figures), COLUMNS="60")
    assert done.code == 0, done.err
    assert done.out.startswith("node0002 is persistently worse than its peers.")
    assert "disk sda:" in done.out
    assert max(map(len, done.out.splitlines()[:10])) <= 60
    assert "--node node0002" in done.err
    assert {path.suffix for path in figures.iterdir()} == {".png", ".csv"}
    content = json.loads(jostle("nodes", "--json", "--repository", str(site)).out)
    assert {row["host"] for row in content["differences"]} == {"node0002"}
    assert content["machines"] == 8
