"""`timeline --node --per gpu`: a node's GPUs as its agent saw them, the same for pages."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command import jostle

from jostle.errors import UsageError
from jostle.report.models.machines.node_gpus import node_gpus
from jostle.repository import Repository
from jostle_lab.synthetic import Fault, MachineSpec, plant_machines

FIRST, LAST = "0000:1b:00.0", "0000:43:00.0"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    path = tmp_path_factory.mktemp("gpus") / "repository"
    faults = (
        Fault("throttled GPU", "node0000", 0.8, start_s=400, end_s=1200),
        Fault("failing GPU", "node0000", 5000.0),
    )
    plant_machines(path, MachineSpec(nodes=2, slices=400, mounts=1, gpus=2, faults=faults), seed=1)
    return Repository(path)


def test_what_a_gpu_did(store: Repository) -> None:
    first, last = node_gpus(store, "node0000")
    assert (first.gpu, last.gpu) == (FIRST, LAST)
    assert list(last.values) == [
        "computing",
        "memory",
        "clock",
        "power",
        "pcie",
        "nvlink",
        "errors",
    ]
    assert "errors" not in first.values
    assert last.values["clock"].max() == pytest.approx(1925, abs=20)
    assert last.values["power"].max() == pytest.approx(640, abs=60)
    assert last.values["pcie"][0].max() == pytest.approx(3.1e9, rel=0.1)
    stored = store.query(
        "SELECT sum(device_error_ops)::BIGINT AS n FROM component_slices WHERE host = 'node0000'"
    )["n"][0].as_py()
    assert np.nansum(last.values["errors"]) == stored > 0


def test_a_slowed_time_goes_on_over_pauses(store: Repository) -> None:
    first, last = node_gpus(store, "node0000")
    (slowed,) = first.slowed
    assert slowed.end_ns - slowed.start_ns == pytest.approx(800e9, abs=30e9)
    assert (slowed.share, slowed.watts, slowed.limit_watts) == pytest.approx((0.4, 694, 700))
    assert last.slowed == []


def test_few_points_are_means(store: Repository) -> None:
    (fine, _), (rough, _) = node_gpus(store, "node0001"), node_gpus(store, "node0001", None, 20)
    assert rough.values["computing"].shape[1] <= 21
    assert rough.step_ns == 20 * fine.step_ns
    assert np.nanmean(rough.values["pcie"][0]) == pytest.approx(
        np.nanmean(fine.values["pcie"][0]), rel=0.05
    )


def test_the_commands(store: Repository) -> None:
    asked = ("timeline", "--node", "node0000", "--per", "gpu", "--repository", str(store.path))
    seen = jostle(*asked).out
    assert f"node0000 · GPU {FIRST}  Clock, MHz" in seen
    assert "power or heat lowered its clock 40 % of the time: 694 W of 700" in " ".join(
        seen.split()
    )
    content = json.loads(jostle(*asked, "--json").out)
    assert [gpu["gpu"] for gpu in content["gpus"]] == [FIRST, LAST]
    assert content["gpus"][0]["slowed"][0]["share"] == pytest.approx(0.4)


def test_machines_without_gpus(store: Repository) -> None:
    assert node_gpus(store, "server0") == []
    with pytest.raises(UsageError, match="No agent ran on a machine node9"):
        node_gpus(store, "node9")
