"""Latencies between nodes: the measurement, and the groups that they suggest."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from fabric_files import read_texts

from jostle import NativeMissingError
from jostle.topology import Topology, TopologyError
from jostle.topology.guess import guess
from jostle.topology.probe import probe_program


def latencies(groups: np.ndarray, pods: np.ndarray, seed: int, noise: float = 0.04) -> np.ndarray:
    """Symmetric latencies of nodes, ns: 1500 in a group, 2100 in a pod, 2900 between pods."""
    rng = np.random.default_rng(seed)
    same, near = groups[:, None] == groups[None, :], pods[:, None] == pods[None, :]
    exact = np.where(same, 1500.0, np.where(near, 2100.0, 2900.0))
    noisy = exact * np.exp(np.abs(rng.normal(0, noise, exact.shape)))
    return np.minimum(noisy, noisy.T)


def of_groups(fabric: Topology, hosts: list[str]) -> list[int]:
    return [int(fabric.groups[fabric.place[host]]) for host in hosts]


@pytest.mark.parametrize("seed", range(5))
def test_groups_of_two_levels_are_right(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.repeat(np.arange(8), 8))
    hosts = [f"n{k:02d}" for k in range(64)]
    fabric = guess(hosts, latencies(groups, groups // 4, seed), "net")
    assert fabric.kind == "tree" and fabric.levels.max() == 3
    own = of_groups(fabric, hosts)
    assert len(set(zip(own, groups.tolist(), strict=True))) == 8 == len(set(own))
    above = {}  # pod -> the switches above its groups
    for group, pod in {own[k]: int(groups[k]) // 4 for k in range(64)}.items():
        up = fabric.targets[fabric.sources == fabric.place[f"group{group + 1}"]]
        above.setdefault(pod, set()).update(up[fabric.levels[up] == 2].tolist())
    assert [len(switches) for switches in above.values()] == [1, 1]
    assert above[0] != above[1]
    assert fabric.notes[0].startswith("Groups are a guess") and "8 groups: 1.5" in fabric.notes[1]
    again = guess(hosts, latencies(groups, groups // 4, seed), "net")
    assert again.vertices == fabric.vertices and again.notes == fabric.notes


def test_pairs_that_were_disturbed_do_not_matter() -> None:
    groups = np.repeat(np.arange(2), 8)
    exact = latencies(groups, np.zeros(16, int), 1)
    disturbed = np.random.default_rng(2).random(exact.shape) < 0.1
    exact[disturbed | disturbed.T] *= 4
    hosts = [f"n{k:02d}" for k in range(16)]
    assert of_groups(guess(hosts, exact, "net"), hosts) == groups.tolist()


def test_without_structure_there_are_no_groups() -> None:
    one = np.zeros(24, int)
    for seed in range(5):
        measured = latencies(one, one, seed)
        measured[seed, :] = measured[:, seed] = 9000  # one node answers nobody soon
        fabric = guess([f"n{k}" for k in range(24)], measured, "net")
        assert [v for v, host in zip(fabric.vertices, fabric.hosts, strict=True) if not host] == [
            "all"
        ]
        assert "show no groups" in fabric.notes[1]


def test_a_file_of_latencies_is_a_fabric(tmp_path: Path) -> None:
    near = {frozenset(pair) for pair in ("ab", "cd")}
    pairs = [(x, y) for x in "abcd" for y in "abcd" if x < y]
    rows = [f"{x},{y},{1500 if frozenset((x, y)) in near else 2500}" for x, y in pairs]
    (fabric,) = read_texts(tmp_path, "\n".join(["a,b,latency_ns", *rows]))
    assert of_groups(fabric, list("abcd")) == [0, 0, 1, 1]
    with pytest.raises(TopologyError, match="the latency between `c` and `d` is missing"):
        read_texts(tmp_path, "\n".join(["a,b,latency_ns", *rows[:-1]]))
    with pytest.raises(TopologyError, match="line 2: latency `0` is not a whole number"):
        read_texts(tmp_path, "a,b,latency_ns\nx,y,0\n")


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_the_probe_measures_each_pair_of_nodes(mpi: str, tmp_path: Path) -> None:
    launcher = shutil.which(f"mpirun.{mpi}")
    try:
        program = probe_program(mpi)
    except NativeMissingError as error:
        pytest.skip(str(error))
    if launcher is None or os.geteuid() != 0:
        pytest.skip("no launcher, or no right to give ranks host names of their own")
    # Each two ranks have a host name of their own: five nodes, of which one rank takes part.
    script = tmp_path / "rank"
    script.write_text(
        "#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\n"
        f'exec unshare -u sh -c "hostname n$((rank / 2)); exec {program} {tmp_path}/out.csv 20 7"\n'
    )
    script.chmod(0o755)
    extra = ["--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
    done = subprocess.run(
        [launcher, *(extra if mpi == "openmpi" else []), "-n", "10", str(script)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    if done.returncode and "unshare" in done.stderr:
        pytest.skip("no namespaces here")
    assert done.returncode == 0, done.stderr
    assert "5 nodes measured; next: jostle topology import" in done.stderr
    rows = [line.split(",") for line in (tmp_path / "out.csv").read_text().splitlines()]
    assert rows[0] == ["a", "b", "latency_ns"] and len(rows) == 11
    assert {(a, b) for a, b, _ in rows[1:]} == {
        (f"n{a}", f"n{b}") for a in range(5) for b in range(a + 1, 5)
    }
    assert all(int(latency) > 100 for _, _, latency in rows[1:])
    (fabric,) = read_texts(tmp_path, (tmp_path / "out.csv").read_text())
    assert set(fabric.adapters_of) == {f"n{k}" for k in range(5)}
